//! A cell read: decoration removed, number with unit, a spread after `±`, a remark in parentheses.

use crate::base::unit::{Decimal, Quantity, Unit, multiplier, number};

/// What a cell says.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Reading {
    /// The figure.
    pub value: f64,
    /// Unit printed in the cell.
    pub unit: Option<Unit>,
    /// What stands after `±`, with its own unit.
    pub spread: Option<(f64, Option<Unit>)>,
    /// Marked as approximate, or rounded by a suffix.
    pub approx: bool,
    /// Digits after the decimal mark.
    pub decimals: usize,
    /// Bytes of the figure in the cell.
    pub at: std::ops::Range<usize>,
}

/// What says that there is no figure.
#[rustfmt::skip]
pub const NOTHING: &[&str] = &[
    "", "-", "--", "---", "~", "?", "/", "*", "*********", "N/A", "n/a", "NA", "NaN", "nan", "None", "none", "null", "OOM",
    "ERR", "FAIL", "failed", "—", "–", "inf", "...", "…",
];

/// Whether a cell holds nothing that can be spelled: a dash, a tilde. `none` is a name among names.
pub fn is_blank(text: &str) -> bool {
    let (body, _) = undressed(text);
    NOTHING.contains(&body) && !body.contains(|c: char| c.is_alphabetic())
}

/// Whether a cell holds nothing.
pub fn is_nothing(text: &str) -> bool {
    NOTHING.contains(&undressed(text).0)
}

/// Whether a cell is a figure by itself (`50%` and `p99` are names of columns, not figures).
pub fn is_figure(text: &str) -> bool {
    is_plain(text) || read(text, Decimal::Point).is_some_and(|r| r.unit.is_none_or(|u| u.token != "%"))
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit())
}

/// Digits with at most one point between them: a figure that need not be read to be known as one.
pub fn is_plain(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    text.len() < 300 && digits(whole) && digits(fraction)
}

/// Emphasis, quotes and arrows around a cell; the bytes removed in front.
fn undressed(text: &str) -> (&str, usize) {
    let dress = ['*', '`', '\'', '"', ' ', '_', '\u{2191}', '\u{2193}', '✓', '✅', '❌', '⚠', '\u{fe0f}'];
    let front = text.trim_start_matches(dress);
    (front.trim_end_matches(dress), text.len() - front.len())
}

/// Reads a cell that is a figure; `None` for everything else.
pub fn read(text: &str, decimal: Decimal) -> Option<Reading> {
    // Most cells are digits and a point, and nothing else.
    if decimal == Decimal::Point && text.len() <= 15 && is_plain(text) {
        let decimals = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        return Some(Reading { value: text.parse().ok()?, decimals, at: 0..text.len(), ..Reading::default() });
    }
    let (body, skipped) = undressed(text);
    let first = body.as_bytes().first()?;
    let may =
        first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'~' | b'.' | b'(' | b'<' | b'>') || *first >= 0x80;
    if !may || !has_digit(body) {
        return None;
    }
    let bare = body.trim_start_matches(['~', '≈']).trim_start();
    let (bare, opened) = match bare.strip_prefix('(').and_then(|b| b.strip_suffix(')')) {
        Some(inner) => (inner.trim(), true),
        None => (bare, false),
    };
    let front = skipped + (body.len() - body.trim_start_matches(['~', '≈']).trim_start().len()) + usize::from(opened);
    let found = Quantity::leading(bare, decimal)?;
    let decimals = decimals(&bare[found.number.clone()], decimal);
    let tail = bare[found.len..].trim_start_matches(['*', '`', '_', '\'']);
    let (spread, rest) = spread(tail.trim_start(), decimal);
    if !is_remark(rest) {
        return None;
    }
    let approx = found.rounded || body.starts_with(['~', '≈']);
    let inner = bare.len() - bare.trim_start().len();
    let at = front + inner + found.number.start..front + inner + found.number.end;
    let unit = found.unit.or_else(|| spread.as_ref().and_then(|s| s.1.clone()).filter(|u| u.token != "%"));
    Some(Reading { value: found.value, unit, spread, approx, decimals, at })
}

fn decimals(digits: &str, decimal: Decimal) -> usize {
    let mark = if decimal == Decimal::Point { '.' } else { ',' };
    digits.split_once(mark).map_or(0, |(_, d)| d.bytes().take_while(u8::is_ascii_digit).count())
}

/// What follows a figure: `± 0.07 us`, `+- 1.14`, `(+/- 88)`; and the rest after it.
pub fn spread(text: &str, decimal: Decimal) -> (Option<(f64, Option<Unit>)>, &str) {
    for mark in ["±", "+/-", "+-", "(+/-", "(±", "( +-"] {
        if let Some(tail) = text.strip_prefix(mark) {
            let tail = tail.trim_start();
            return match Quantity::leading(tail, decimal) {
                Some(q) => {
                    let rest = tail[q.len..].trim_start();
                    let closed = rest.strip_prefix(')');
                    // A spread whose parenthesis is never closed was cut off.
                    if mark.starts_with('(') && closed.is_none() {
                        return (None, rest);
                    }
                    let rest = closed.filter(|_| mark.starts_with('(')).unwrap_or(rest);
                    (Some((q.value, q.unit)), rest.trim_start())
                }
                None => (None, tail),
            };
        }
    }
    (None, text)
}

/// Nothing, or something in parentheses, or footnote marks: what may follow a figure in its cell.
fn is_remark(rest: &str) -> bool {
    let rest = rest.trim();
    let marks = |c: char| matches!(c, '¹' | '²' | '³' | '*' | '†' | '\u{2191}' | '\u{2193}');
    rest.chars().all(marks) || (rest.starts_with('(') && rest.ends_with(')') && rest.len() <= 60)
}

/// A number that ends in its decimal mark: the rest was cut off.
pub fn is_broken(text: &str) -> bool {
    let (body, _) = undressed(text);
    body.strip_suffix(['.', ',']).is_some_and(|t| number(t, Decimal::Point).is_some_and(|(_, len)| len == t.len()))
}

/// Whether the last token of a line that breaks off looks cut: it ends in a mark, or has fewer decimals than the one
/// above it.
pub fn looks_cut(text: &str, above: Option<&str>) -> bool {
    if text.ends_with(['.', ',', '±', '(', '-']) {
        return true;
    }
    let Some(reading) = read(text, Decimal::Point) else { return false };
    let above = above.and_then(|a| read(a, Decimal::Point));
    above.is_some_and(|a| a.decimals > reading.decimals || (a.unit.is_some() && reading.unit.is_none()))
}

/// Value of a suffix multiplier in the unit that a heading names: `44.40n` under `sec/op`.
pub fn scaled(text: &str) -> Option<f64> {
    let (body, _) = undressed(text);
    let (value, len) = number(body, Decimal::Point)?;
    let suffix = body[len..].split(|c: char| !c.is_alphanumeric()).next()?;
    let factor = if suffix == "m" { 1e-3 } else { multiplier(suffix)? };
    format!("{:.12e}", value * factor).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells() {
        let get = |t: &str| {
            read(t, Decimal::Point).map(|r| (r.value, r.unit.map(|u| u.token.into_owned()), r.spread.map(|s| s.0)))
        };
        assert_eq!(get("6.17 ± 0.07"), Some((6.17, None, Some(0.07))));
        assert_eq!(get("**12.31** ± 0.13"), Some((12.31, None, Some(0.13))));
        assert_eq!(get("**+35.5%**"), Some((35.5, Some("%".into()), None)));
        assert_eq!(get("428.7000 (1.0)"), Some((428.7, None, None)));
        assert_eq!(get("'412.00 ± 33.00'"), Some((412.0, None, Some(33.0))));
        assert_eq!(get("412 µs ± 3.1 µs"), Some((412.0, Some("us".into()), Some(3.1))));
        assert_eq!(get("(  1.490520)"), Some((1.49052, None, None)));
        for no in ["12 apples", "8 (per", "1.2.3", "ok", "3/4 done", "10:20"] {
            assert_eq!(get(no), None, "{no}");
        }
        let r = read("~ **12.5 ms**", Decimal::Point);
        assert_eq!(r, None);
        let text = "~12.5 ms";
        assert_eq!(&text[read(text, Decimal::Point).unwrap().at], "12.5");
        assert!(looks_cut("27.", Some("20.2")) && looks_cut("27", Some("20.2")) && !looks_cut("27.1", Some("20.2")));
    }
}
