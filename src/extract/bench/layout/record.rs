//! Records of one line: a name and what was measured of it. `test x ... bench: 12 ns/iter (+/- 3)`,
//! `fib 15   time: [2.0 µs 2.1 µs 2.2 µs]`, `step 100: train loss 0.01, val loss 0.02`.

use std::{ops::Range, sync::LazyLock};

use crate::text::pattern::Regex;

use super::{Found, Layout, Near};
use crate::{
    base::unit::{Decimal, Quantity, Unit},
    extract::bench::{
        cell::{self, Reading},
        clean::{Kind, Page},
        figure::{Strength, measurement, strength},
        signs::{BRACKET, COLON, DIGIT, RATE},
        words::{self, COUNTS, PARAMETERS},
    },
    model::metric::{Measurement, Value},
};

/// See the module.
pub struct Record;

impl Layout for Record {
    fn name(&self) -> &'static str {
        "record"
    }

    fn about(&self) -> &'static str {
        "one line per record: a name, figures with units"
    }

    fn find(&self, page: &Page, at: usize, _near: Near) -> Option<Found> {
        let text = page.text(at);
        if page.kind(at) != Kind::Text || !page.signs(at).any(DIGIT) || text.len() > 300 || text.starts_with('|') {
            return None;
        }
        let found = interval(page, at).or_else(|| pairs(page, at)).or_else(|| named(page, at))?;
        (!TRANSFER.is_match(text)).then_some(Found::Figures(found, at + 1))
    }
}

/// Progress of a transfer or an installation: `Receiving objects: 100% (3/3), 1.2 MiB | 3.4 MiB/s`, `59/64 [25:34<01:02`
static TRANSFER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:download\w*|receiv\w*|upload\w*|fetch\w*|eta|objects|cloning|unpack\w*|extract\w*|install\w*|pull\w*|push\w*|loading|resolving)\b|%\||\d:\d\d<|[█▏▎▍▌▋▊▉━╸]")
        .expect("fixed pattern")
});

/// `time:   [609.18 ns 629.19 ns 657.73 ns]`
static INTERVAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(.*?)\s*\b([A-Za-z][\w ]{0,20}):\s+\[([^\[\]]{5,80})\](.*)$").expect("fixed pattern")
});

/// A lower bound, an estimate and an upper bound in brackets.
fn interval(page: &Page, at: usize) -> Option<Vec<Measurement>> {
    let text = page.text(at);
    if !page.signs(at).all(BRACKET.and(COLON)) || !text.match_indices('[').any(|(open, _)| follows_colon(&text[..open]))
    {
        return None;
    }
    let found = INTERVAL.captures(text)?;
    let inner = found.get(3)?;
    let mut three = Vec::new();
    let mut from = inner.start();
    while three.len() < 4 && from < inner.end() {
        let quantity = Quantity::leading(&text[from..inner.end()], Decimal::Point)?;
        let end = from + quantity.len;
        three.push((from..from + quantity.number.end, quantity));
        from = end + text[end..inner.end()].len() - text[end..inner.end()].trim_start().len();
    }
    let [(_, lo), (span, middle), (_, hi)] = &three[..] else { return None };
    let unit = middle.unit.clone()?;
    let bound = |q: &Quantity| q.unit.as_ref().and_then(|u| unit.convert(q.value, u));
    let reading = Reading { value: middle.value, ..Reading::default() };
    let mut one = measurement(page, at, span.clone(), found[2].trim(), Some(unit.clone()), &reading);
    (one.lo, one.hi) = (bound(lo), bound(hi));
    if unit.token == "%" {
        (one.derived, one.stat) = (true, Some("delta".into()));
        one.better = None;
    }
    if let Some(name) = owner(page, at, found[1].trim()) {
        one.params.push(("benchmark".into(), Value::Text(name)));
    }
    Some(vec![one])
}

/// Whether a text ends in a colon and blanks.
fn follows_colon(text: &str) -> bool {
    let bare = text.trim_end();
    bare.len() < text.len() && bare.ends_with(':')
}

/// The name before the figure, else that of the nearest line above which has one.
fn owner(page: &Page, at: usize, head: &str) -> Option<String> {
    if !head.is_empty() {
        return Some(head.to_string());
    }
    for above in (at.saturating_sub(3)..at).rev() {
        let text = page.text(above);
        match INTERVAL.captures(text) {
            Some(found) if !found[1].trim().is_empty() => return Some(found[1].trim().to_string()),
            Some(_) => continue,
            None if page.kind(above) == Kind::Text && !text.starts_with(' ') => return Some(text.trim().to_string()),
            None => return None,
        }
    }
    None
}

/// Ends of a name that join it to its figure.
const JOINTS: &[&str] = &[":", "...", "bench", "x", "=", "-", "…", "…:", "|", "best of"];

/// A name, then figures per event or per time.
fn named(page: &Page, at: usize) -> Option<Vec<Measurement>> {
    let text = page.text(at);
    if !page.signs(at).any(RATE) {
        return None;
    }
    let (start, first) = first_sure(text)?;
    let head = text[..start].trim();
    if head.split_whitespace().count() > 9 || head.contains(['{', ';', '"', '=']) || head.contains("//") {
        return None;
    }
    let (name, mut params) = identity(head);
    let noun = head
        .strip_suffix(':')
        .and_then(|h| h.rsplit([' ', '\t']).next())
        .filter(|w| w.chars().all(char::is_alphabetic) && *w != name);
    let mut from = start;
    let mut next = Some(first);
    let mut all: Vec<Measurement> = Vec::new();
    while let Some(found) = next.take() {
        let (spread, _) = cell::spread(text[from + found.len..].trim_start(), Decimal::Point);
        let rest_at = from + found.len + spread_len(&text[from + found.len..]);
        let unit = after_spread(&found, spread.as_ref(), &text[rest_at..]);
        let label = match noun.filter(|_| all.is_empty()) {
            Some(noun) => noun.to_string(),
            None => unit_label(text, from, &found, unit.as_ref()),
        };
        let relative = spread.clone().filter(|s| s.1.as_ref().is_some_and(|u| u.token == "%"));
        params.extend(relative.as_ref().map(|s| ("±%".to_string(), Value::Number(s.0))));
        let spread = spread.filter(|_| relative.is_none());
        let reading = Reading { value: found.value, spread, approx: found.rounded, ..Reading::default() };
        all.push(measurement(page, at, from..from + found.number.end, &label, unit, &reading));
        let rest = &text[rest_at..];
        let gap = rest.len() - rest.trim_start_matches([' ', '\t', ',', '=', '|']).len();
        from = rest_at + gap;
        next = text.get(from..).filter(|_| gap > 0).and_then(value_and_unit);
        if next.is_none() {
            params.extend(remarks(&text[from..])?);
        }
    }
    if name.is_empty() && all.len() < 2 && !head.is_empty() {
        return None;
    }
    if !name.is_empty() {
        params.insert(0, ("benchmark".into(), Value::Text(name)));
    }
    all.iter_mut().for_each(|m| m.params.clone_from(&params));
    Some(all)
}

/// The first quantity that is per event, or per time and no transfer.
fn first_sure(text: &str) -> Option<(usize, Quantity)> {
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let starts = c.is_ascii_digit() && matches!(before, ' ' | '\t' | '~');
        before = c;
        if !starts || !goes_on(&text[at..]) {
            continue;
        }
        let Some(found) = Quantity::leading(&text[at..], Decimal::Point) else { continue };
        let sure = |u: &Unit| u.is_time_per() || u.is_rate() && !u.dimension.starts_with('B');
        let (spread, _) = cell::spread(text[at + found.len..].trim_start(), Decimal::Point);
        let spread_unit = spread.and_then(|s| s.1);
        if found.unit.as_ref().is_some_and(sure) || spread_unit.is_some_and(|u| sure(&u)) {
            return Some((at, found));
        }
    }
    None
}

/// Whether something that may be a unit or a spread follows the number that a text begins with.
fn goes_on(text: &str) -> bool {
    let behind = text.trim_start_matches(|c: char| {
        c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | '_' | '\u{2009}' | '\u{202f}')
    });
    let unit = |c: char| c.is_alphabetic() || matches!(c, '%' | '/' | '±' | '+' | '(' | '[' | '°' | '×' | '#');
    behind.strip_prefix(' ').unwrap_or(behind).trim_start().starts_with(unit)
}

/// Any quantity with a unit, or a value with an unknown word for its unit (`4.000 auxMetricUnits`).
fn value_and_unit(text: &str) -> Option<Quantity> {
    let found = Quantity::leading(text, Decimal::Point)?;
    let word = text[found.len..].strip_prefix([' ', '\t']).is_some_and(|t| t.starts_with(|c: char| c.is_alphabetic()));
    (found.unit.is_some() || word).then_some(found)
}

fn spread_len(text: &str) -> usize {
    let trimmed = text.trim_start();
    let (spread, rest) = cell::spread(trimmed, Decimal::Point);
    if spread.is_some() { text.len() - rest.len() } else { 0 }
}

/// `1.23 ms ± 18.4 µs per loop`: the spread's unit says what both are per.
fn after_spread(found: &Quantity, spread: Option<&(f64, Option<Unit>)>, _rest: &str) -> Option<Unit> {
    match (found.unit.clone(), spread.and_then(|s| s.1.clone())) {
        (None, Some(unit)) if unit.token != "%" => Some(unit),
        (unit, _) => unit,
    }
}

/// The figure's name: its unit as printed.
fn unit_label(text: &str, from: usize, found: &Quantity, unit: Option<&Unit>) -> String {
    let printed = text[from + found.number.end..from + found.len].trim();
    match (printed, unit) {
        ("", Some(unit)) => unit.token.to_string(),
        ("", None) => text[from + found.len..].split_whitespace().next().unwrap_or("").to_string(),
        (printed, _) => printed.to_string(),
    }
}

/// What may follow the last figure: a word, or remarks in parentheses, whose counts are kept (`(51 runs sampled)`).
/// `None` when it is something else.
fn remarks(rest: &str) -> Option<Vec<(String, Value)>> {
    let rest = rest.trim();
    let ends = rest.is_empty() || rest.starts_with('(') && rest.len() < 120 || !rest.contains(' ') && rest.len() < 40;
    let pieces = rest.split(['(', ')', ',']).filter_map(|p| {
        let (figure, noun) = p.trim().split_once(' ')?;
        let count = Quantity::whole(figure, Decimal::Point).filter(|q| q.unit.is_none())?;
        Some((noun.to_string(), Value::Number(count.value)))
    });
    ends.then(|| pieces.collect())
}

/// The name in front of a figure, and the bare integers between them (iterations).
fn identity(head: &str) -> (String, Vec<(String, Value)>) {
    let mut rest = head.strip_prefix("test ").unwrap_or(head).trim();
    let mut params = Vec::new();
    loop {
        let before = rest.len();
        if let Some((front, last)) = rest.rsplit_once(|c: char| c.is_whitespace())
            && let Some(count) =
                Quantity::whole(last, Decimal::Point).filter(|q| q.unit.is_none() && q.value.fract() == 0.0)
        {
            params.push(("iterations".to_string(), Value::Number(count.value)));
            rest = front.trim_end();
        }
        for joint in JOINTS {
            if let Some(front) = rest
                .strip_suffix(joint)
                .filter(|f| f.is_empty() || f.ends_with([' ', '\t']) || !joint.starts_with(|c: char| c.is_alphabetic()))
            {
                rest = front.trim_end();
            }
        }
        if rest.len() == before {
            break;
        }
    }
    (rest.trim().to_string(), params)
}

/// `train loss 26.9`, `iter 0`, `loss: 1.5`, `loss=1.5`: a name that is as short as can be, and where its value begins.
fn name_first(piece: &str) -> Option<(&str, usize)> {
    let inside =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'%' | b'/' | b' ' | b'.' | b'(' | b')' | b'-');
    let bytes = piece.as_bytes();
    bytes.first().filter(|b| b.is_ascii_alphabetic())?;
    for end in 1..=bytes.len().min(31) {
        let rest = &piece[end..];
        let marked = rest.strip_prefix(' ').unwrap_or(rest).strip_prefix([':', '=']);
        let marked = marked.map(|value| value.strip_prefix(' ').unwrap_or(value));
        let value = marked.filter(|v| is_value(v)).or_else(|| rest.strip_prefix(' ').filter(|v| is_value(v)));
        if let Some(value) = value {
            return Some((&piece[..end], piece.len() - value.len()));
        }
        bytes.get(end).filter(|b| inside(**b))?;
    }
    None
}

/// Whether a number may begin here.
fn is_value(text: &str) -> bool {
    text.strip_prefix(['-', '+', '~']).unwrap_or(text).starts_with(|c: char| c.is_ascii_digit() || c == '.')
}

/// `in 3.05s`, `54302 requests`: a joint before the figure, or a noun after it.
static FIGURE_FIRST: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^([-+~]?[\d.,]+[kKMG]?) ([A-Za-z][A-Za-z ]{0,30})$").expect("fixed pattern"));

/// Comma-separated pieces, each a name with a figure; a first piece before a colon is the key.
fn pairs(page: &Page, at: usize) -> Option<Vec<Measurement>> {
    let text = page.text(at);
    if !text.contains(", ") && !text.contains(" | ") {
        return None;
    }
    let (mut params, mut all, mut sure, mut from) = (Vec::new(), Vec::new(), 0, 0);
    for piece in text.split([',', '|']) {
        let start = from;
        from += piece.len() + 1;
        if !piece.bytes().any(|b| b.is_ascii_digit()) {
            return None;
        }
        let (key, body) = match piece.split_once(": ").filter(|(k, _)| start == 0 && !k.is_empty()) {
            Some((key, body)) => (Some(key), body),
            None => (None, piece),
        };
        if let Some(key) = key {
            params.extend(key_of(key.trim()));
        }
        let offset = start + piece.len() - body.len() + (body.len() - body.trim_start().len());
        let (body, beside) = apart(body.trim());
        let (name, range, quantity) = piece_of(body)?;
        let unit = quantity.unit.clone();
        let decimals = body[range.clone()].split_once('.').map_or(0, |(_, d)| d.len());
        let reading = Reading { value: quantity.value, approx: quantity.rounded, ..Reading::default() };
        match strength(&name, unit.as_ref(), decimals) {
            Strength::Vetoed => return None,
            _ if is_setting(&name, &quantity) => params.push((name, Value::Number(quantity.value))),
            found => {
                sure += usize::from(found == Strength::Strong);
                let span = offset + range.start..offset + range.end;
                all.push(measurement(page, at, span, &name, unit, &reading));
                if let Some((from, more)) = beside {
                    let span = offset + from..offset + from + more.number.end;
                    let reading = Reading { value: more.value, approx: more.rounded, ..Reading::default() };
                    all.push(measurement(page, at, span, &name, more.unit, &reading));
                }
            }
        }
    }
    if sure == 0 {
        return None;
    }
    all.iter_mut().for_each(|m| m.params.clone_from(&params));
    Some(all)
}

/// A second figure in parentheses: `1.04 ms/tok (959 tok/s)`.
fn apart(piece: &str) -> (&str, Option<(usize, Quantity)>) {
    let Some(open) = piece.find(" (").filter(|_| piece.ends_with(')')) else { return (piece, None) };
    match Quantity::whole(&piece[open + 2..piece.len() - 1], Decimal::Point).filter(|q| q.unit.is_some()) {
        Some(quantity) => (piece[..open].trim_end(), Some((open + 2, quantity))),
        None => (piece, None),
    }
}

/// A piece: its name, the bytes of the number, the quantity.
fn piece_of(piece: &str) -> Option<(String, Range<usize>, Quantity)> {
    if piece.starts_with(|c: char| c.is_ascii_alphabetic()) {
        let (name, from) = name_first(piece)?;
        let q = Quantity::whole(&piece[from..], Decimal::Point)?;
        return Some((name.trim().to_string(), from + q.number.start..from + q.number.end, q));
    }
    if let Some(q) = Quantity::whole(piece, Decimal::Point).filter(|q| q.unit.is_some()) {
        let name = piece[q.number.end..].trim().to_string();
        return Some((name, q.number.clone(), q));
    }
    let found = FIGURE_FIRST.captures(piece)?;
    let q = Quantity::whole(&found[1], Decimal::Point)?;
    Some((found[2].trim().to_string(), q.number.clone(), q))
}

fn is_setting(name: &str, q: &Quantity) -> bool {
    let all = words::words(name);
    let bare = q.unit.as_ref().is_none_or(Unit::is_count);
    bare && q.value.fract() == 0.0 && (all.any(&PARAMETERS) || all.any(&COUNTS))
}

/// `step 100`, `Concurrency: 1`, `name`
fn key_of(key: &str) -> Option<(String, Value)> {
    match key.rsplit_once([' ', '=']) {
        Some((name, number)) => match Quantity::whole(number, Decimal::Point).filter(|q| q.unit.is_none()) {
            Some(q) => Some((name.trim().to_string(), Value::Number(q.value))),
            None => Some(("of".into(), Value::Text(key.to_string()))),
        },
        None => Some(("of".into(), Value::Text(key.to_string()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_records() {
        assert_eq!(identity("test fib_10      ... bench:"), ("fib_10".into(), vec![]));
        let (name, params) = identity("BenchmarkFib10-8      5604217");
        assert_eq!((name.as_str(), params.len()), ("BenchmarkFib10-8", 1));
        assert_eq!(identity("RegExp#test x").0, "RegExp#test");
        assert_eq!(identity("index").0, "index");
    }

    #[test]
    fn patterns_decline() {
        assert!(!INTERVAL.is_match("list: [1]"));
        assert!(!TRANSFER.is_match("fib 15 time"));
        assert_eq!(name_first("12 requests"), None);
        assert_eq!(name_first("train loss 26.9"), Some(("train loss", 11)));
        assert_eq!(name_first("loss : 1"), Some(("loss", 7)));
        assert!(!FIGURE_FIRST.is_match("in 3.05s"));
    }
}
