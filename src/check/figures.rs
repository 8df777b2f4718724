//! Figures: the numbers of a text with what is printed around them, and when a figure of the article is one of the log.
//!
//! A figure agrees with the log's when it is the same value, or the log's value rounded to the digits that the article
//! prints, in the same unit or in another of the same dimension. Counts, numbers inside names, dates and versions are
//! told apart from figures, so that nobody is accused over them.

use crate::base::span::ByteSpan;

/// A number as printed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Figure {
    /// Its value, without sign.
    pub value: f64,
    /// Digits after the point.
    pub decimals: u8,
    /// Where it stands.
    pub span: ByteSpan,
}

/// What a number in an article is taken for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A figure: it has a unit, a fraction, or three digits and more.
    Figure,
    /// A small whole number without unit: mostly a count that the author made.
    Count,
    /// Part of a name, a version, a date, a shape.
    Name,
    /// A time of day or a duration with colons.
    Clock,
}

/// A number of an article.
#[derive(Clone, PartialEq, Debug)]
pub struct Stated {
    /// The number.
    pub figure: Figure,
    /// What it is taken for.
    pub role: Role,
    /// The unit behind it.
    pub unit: Option<&'static Unit>,
    /// Whether the author says "about".
    pub approx: bool,
    /// Whether it is marked as computed (†).
    pub computed: bool,
}

/// What a unit measures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dimension {
    /// Time, in seconds.
    Time,
    /// Data, in bytes.
    Data,
    /// A share, in one.
    Share,
    /// A factor.
    Factor,
    /// A bare multiplier.
    Scale,
    /// Tokens, requests, operations per second and the like: compared as printed.
    Rate,
}

/// A unit as written behind a number.
#[derive(PartialEq, Debug)]
pub struct Unit {
    /// Spelling.
    pub name: &'static str,
    /// What it measures.
    pub dimension: Dimension,
    /// Its size in the dimension's own unit.
    pub factor: f64,
}

const fn unit(name: &'static str, dimension: Dimension, factor: f64) -> Unit {
    Unit { name, dimension, factor }
}

/// Units that an article may print behind a number; longer spellings before their beginnings.
#[rustfmt::skip]
const UNITS: &[Unit] = &[
    unit("milliseconds", Dimension::Time,   1e-3),
    unit("tokens/sec",   Dimension::Rate,   1.0),
    unit("minutes",      Dimension::Time,   60.0),
    unit("percent",      Dimension::Share,  0.01),
    unit("seconds",      Dimension::Time,   1.0),
    unit("tokens/s",     Dimension::Rate,   1.0),
    unit("TFLOPS",       Dimension::Rate,   1.0),
    unit("minute",       Dimension::Time,   60.0),
    unit("tokens",       Dimension::Rate,   1.0),
    unit("hours",        Dimension::Time,   3600.0),
    unit("tok/s",        Dimension::Rate,   1.0),
    unit("times",        Dimension::Factor, 1.0),
    unit("bytes",        Dimension::Data,   1.0),
    unit("GB/s",         Dimension::Data,   1e9),
    unit("MB/s",         Dimension::Data,   1e6),
    unit("TB/s",         Dimension::Data,   1e12),
    unit("hour",         Dimension::Time,   3600.0),
    unit("fold",         Dimension::Factor, 1.0),
    unit("GiB",          Dimension::Data,   1073741824.0),
    unit("KiB",          Dimension::Data,   1024.0),
    unit("MiB",          Dimension::Data,   1048576.0),
    unit("TiB",          Dimension::Data,   1099511627776.0),
    unit("MHz",          Dimension::Rate,   1.0),
    unit("min",          Dimension::Time,   60.0),
    unit("GB",           Dimension::Data,   1e9),
    unit("KB",           Dimension::Data,   1e3),
    unit("MB",           Dimension::Data,   1e6),
    unit("TB",           Dimension::Data,   1e12),
    unit("kB",           Dimension::Data,   1e3),
    unit("ms",           Dimension::Time,   1e-3),
    unit("ns",           Dimension::Time,   1e-9),
    unit("us",           Dimension::Time,   1e-6),
    unit("µs",           Dimension::Time,   1e-6),
    unit("μs",           Dimension::Time,   1e-6),
    unit("%",            Dimension::Share,  0.01),
    unit("G",            Dimension::Scale,  1e9),
    unit("K",            Dimension::Scale,  1e3),
    unit("M",            Dimension::Scale,  1e6),
    unit("W",            Dimension::Rate,   1.0),
    unit("h",            Dimension::Time,   3600.0),
    unit("k",            Dimension::Scale,  1e3),
    unit("s",            Dimension::Time,   1.0),
    unit("x",            Dimension::Factor, 1.0),
    unit("×",            Dimension::Factor, 1.0),
];

/// Factors between spellings of one dimension in a log that need not print its unit beside the number.
const TIMES: &[f64] = &[1.0, 1e-9, 1e-6, 1e-3, 60.0, 3600.0];
const SIZES: &[f64] = &[1.0, 1e3, 1e6, 1e9, 1e12, 1024.0, 1048576.0, 1073741824.0, 1099511627776.0];
const SHARES: &[f64] = &[1.0, 0.01];

/// Words before a number that make it a rough one.
const ROUGHLY: &[&str] = &[
    "about",
    "almost",
    "approximately",
    "around",
    "circa",
    "nearly",
    "over",
    "roughly",
    "some",
    "under",
    "up to",
    "~",
    "≈",
];

/// Every number of a text, also those inside names, grouped digits (`2,327.3`) as one number and as its parts.
pub fn scan(text: &str) -> Vec<Figure> {
    let bytes = text.as_bytes();
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit).map(|n| at + n) {
        let end = digits(bytes, start);
        let (whole, decimals) = fraction(bytes, end);
        push(&mut all, text, start, whole, decimals);
        at = whole;
        if let Some(grouped) = groups(bytes, start, end) {
            let (whole, decimals) = fraction(bytes, grouped);
            push(&mut all, text, start, whole, decimals);
        }
    }
    all
}

fn push(all: &mut Vec<Figure>, text: &str, start: usize, end: usize, decimals: u8) {
    let written = &text[start..end];
    let value = match written.contains(',') {
        true => written.replace(',', "").parse(),
        false => written.parse(),
    };
    if let Ok(value) = value {
        all.push(Figure { value, decimals, span: ByteSpan::new(start, end) });
    }
}

fn digits(bytes: &[u8], from: usize) -> usize {
    from + bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count()
}

/// End of the number with its fraction, and how many digits that has.
fn fraction(bytes: &[u8], end: usize) -> (usize, u8) {
    if bytes.get(end) != Some(&b'.') {
        return (end, 0);
    }
    let last = digits(bytes, end + 1);
    match last - end - 1 {
        0 => (end, 0),
        n => (last, n.min(30) as u8),
    }
}

/// End of `,ddd` groups after one to three digits.
fn groups(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    let mut at = end;
    while bytes.get(at) == Some(&b',') && digits(bytes, at + 1) == at + 4 {
        at += 4;
    }
    (at > end && end - start <= 3).then_some(at)
}

/// The numbers of an article's statement, outside the given spans.
pub fn stated(text: &str, outside: &[ByteSpan]) -> Vec<Stated> {
    let mut all: Vec<Stated> = Vec::new();
    for figure in scan(text) {
        let span = figure.span;
        if outside.iter().any(|o| o.start < span.end && span.start < o.end) {
            continue;
        }
        // A grouped number replaces the parts that were read of it.
        all.retain(|s| !(span.start <= s.figure.span.start && s.figure.span.end <= span.end));
        if all.last().is_some_and(|s| s.figure.span.end > span.start) {
            continue;
        }
        all.push(Stated::new(text, figure));
    }
    ranges(text, &mut all);
    all
}

/// `1.28 to 1.84 times†`, `13.9–14.2 ms`: what stands behind the second number is said of the first too.
fn ranges(text: &str, all: &mut [Stated]) {
    for i in (1..all.len()).rev() {
        let (from, to) = (all[i - 1].figure.span.end, all[i].figure.span.start);
        let joined = matches!(text[from..to].trim(), "to" | "–" | "-" | "→" | "and");
        if joined && all[i - 1].unit.is_none() {
            all[i - 1].unit = all[i].unit;
            all[i - 1].approx |= all[i].approx;
            all[i - 1].computed |= all[i].computed;
            if all[i - 1].role == Role::Count && all[i].role == Role::Figure && all[i].unit.is_some() {
                all[i - 1].role = Role::Figure;
            }
        }
    }
}

impl Stated {
    fn new(text: &str, figure: Figure) -> Self {
        let (before, after) = (&text[..figure.span.start], &text[figure.span.end..]);
        let (unit, rest) = unit_after(after);
        let role = role(before, after, figure, unit);
        let computed = rest.trim_start_matches(['*', '_', ' ', ')']).starts_with('†');
        let words = before.trim_end_matches(['(', '*', ' ', '+', '-', '−']).to_lowercase();
        let approx = ROUGHLY.iter().any(|r| words.ends_with(r));
        Self { figure, role, unit, approx, computed }
    }

    /// Whether a number of the log is this one, as printed, rounded, or in another unit of its dimension.
    pub fn is(&self, log: &Figure) -> bool {
        self.readings().any(|value| self.rounds(value, log))
    }

    /// Whether any of a message's numbers (sorted by value) is this one.
    pub fn among(&self, sorted: &[Figure]) -> bool {
        self.found(sorted).is_some()
    }

    /// The first of a message's numbers (sorted by value) that is this one.
    pub fn found<'a>(&self, sorted: &'a [Figure]) -> Option<&'a Figure> {
        self.readings().find_map(|value| {
            let reach = self.tolerance(value);
            let from = sorted.partition_point(|f| f.value < value - reach);
            sorted[from..].iter().take_while(|f| f.value <= value + reach).find(|f| self.rounds(value, f))
        })
    }

    /// Whether a computed value prints as this number does.
    pub fn shows(&self, value: f64) -> bool {
        (value.abs() - self.figure.value).abs() <= self.tolerance(self.figure.value)
    }

    fn rounds(&self, value: f64, log: &Figure) -> bool {
        // `16.0` is not the 16 of a name or a count.
        if log.decimals == 0 && self.figure.decimals > 0 && value == self.figure.value && !self.approx {
            return false;
        }
        let same = (value - log.value).abs() <= value.abs() * 1e-9;
        let finer =
            log.decimals > self.figure.decimals || value != self.figure.value || self.approx || self.unit.is_some();
        same || finer && (value - log.value).abs() <= self.tolerance(value)
    }

    /// Half of the last printed digit, scaled to `value`; five percent where the author says "about".
    fn tolerance(&self, value: f64) -> f64 {
        let printed = self.figure.value;
        let half = 0.5000001 * 10f64.powi(-i32::from(self.figure.decimals));
        let exact = if printed == 0.0 { half } else { half * value / printed };
        if self.approx { exact.max(value * 0.05) } else { exact }
    }

    /// The value as printed, and as it would be printed in other units of its dimension.
    fn readings(&self) -> impl Iterator<Item = f64> {
        let value = self.figure.value;
        let (own, others): (f64, &[f64]) = match self.unit {
            Some(u) if u.dimension == Dimension::Time => (u.factor, TIMES),
            Some(u) if u.dimension == Dimension::Data => (u.factor, SIZES),
            Some(u) if u.dimension == Dimension::Share => (u.factor, SHARES),
            Some(u) if u.dimension == Dimension::Scale => (u.factor, &SIZES[..1]),
            _ => (1.0, &[]),
        };
        std::iter::once(value).chain(others.iter().filter(move |f| **f != own).map(move |f| value * own / f))
    }
}

fn unit_after(after: &str) -> (Option<&'static Unit>, &str) {
    let spaced = after.strip_prefix([' ', '\u{a0}', '\u{202f}', '-']).unwrap_or(after);
    for (rest, blank) in [(after, false), (spaced, true)] {
        let hit = UNITS.iter().find(|u| {
            let bare = matches!(u.dimension, Dimension::Scale) && blank;
            !bare && rest.strip_prefix(u.name).is_some_and(|r| u.name == "%" || !r.starts_with(is_word))
        });
        if let Some(unit) = hit {
            return (Some(unit), &rest[unit.name.len()..]);
        }
    }
    (None, after)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn role(before: &str, after: &str, figure: Figure, unit: Option<&Unit>) -> Role {
    let next = after.chars().next();
    let clock = |c: Option<char>, d: Option<char>| c == Some(':') && d.is_some_and(|d| d.is_ascii_digit());
    let mut back = before.chars().rev();
    let (last, second) = (back.next(), back.next());
    let digit_follows = after.chars().nth(1).is_some_and(|c| c.is_ascii_digit());
    if clock(next, after.chars().nth(1)) || clock(last, second) {
        return Role::Clock;
    }
    let glued_before = last.is_some_and(|c| is_word(c) || matches!(c, '#' | '/' | '\\' | '@' | '=' | '×'))
        || last == Some('.') && second.is_some_and(is_word)
        || matches!(last, Some('-' | '+'))
            && second
                .is_some_and(|c| c.is_alphabetic() || c.is_ascii_digit() && figure.decimals == 0 && unit.is_none());
    let glued_after = unit.is_none() && next.is_some_and(is_word)
        || matches!(next, Some('.' | '-' | '×' | '/' | '+')) && digit_follows && unit.is_none() && figure.decimals == 0
        || next == Some('.') && after.chars().nth(1).is_some_and(is_word)
        || matches!(next, Some('×' | 'x')) && digit_follows
        || next == Some('-') && unit.is_none() && after.chars().nth(1).is_some_and(char::is_alphabetic);
    let ratio = matches!(last, Some('/')) && second.is_some_and(|c| c.is_ascii_digit());
    let list = next == Some('/') && digit_follows;
    let model = unit.is_none() && figure.decimals == 0 && capitals(before) && !list && next != Some('%');
    if (glued_before && !ratio) || (glued_after && !list) || model {
        return Role::Name;
    }
    if unit.is_none() && figure.decimals == 0 && figure.value < 100.0 {
        return Role::Count;
    }
    Role::Figure
}

/// Whether the word before is one of capitals, as in `RTX PRO 6000`.
fn capitals(before: &str) -> bool {
    let word = before.strip_suffix(' ').and_then(|b| b.split_whitespace().next_back()).unwrap_or("");
    word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Stated {
        stated(text, &[]).remove(0)
    }

    fn holds(article: &str, log: &str) -> bool {
        let mut figures = scan(log);
        figures.sort_by(|a, b| a.value.total_cmp(&b.value));
        one(article).among(&figures)
    }

    #[test]
    fn rounding_to_the_printed_digits_agrees() {
        assert!(holds("1906 tok/s", "1906.4"));
        assert!(holds("2,327.3 tok/s", "2327.3"));
        assert!(holds("11.1 ms", "11.10"));
        assert!(holds("about 16.5 GB", "16546 MiB"));
        assert!(holds("~225 tok/s", "224.61"));
        assert!(holds("51.5 %", "0.515"));
        assert!(holds("21.7 ms", "21700 us"));
    }

    #[test]
    fn another_digit_does_not() {
        assert!(!holds("11.27 ms", "11.17"));
        assert!(!holds("12.1 ms", "12.4"));
        assert!(!holds("14336 bytes", "14337"));
        assert!(!holds("16.0 %", "W4A16"));
    }

    #[test]
    fn names_counts_and_clocks_are_no_figures() {
        assert_eq!(one("W4A16 kernels").role, Role::Name);
        assert_eq!(one("0.16.0rc2").role, Role::Name);
        assert_eq!(one("2026-02-16").role, Role::Name);
        assert_eq!(one("28:09 were shown").role, Role::Clock);
        assert_eq!(one("RTX PRO 6000 cards").role, Role::Name);
        assert_eq!(one("3 workers").role, Role::Count);
        assert_eq!(one("3 ms").role, Role::Figure);
        assert_eq!(one("8x RTX").role, Role::Figure);
    }

    #[test]
    fn marks_are_seen() {
        assert!(one("23.1 times†").computed);
        assert!(one("10.5 %† more").computed);
        assert!(one("roughly 16.5 GB").approx);
        assert!(one("1.28 to 1.84 times†").computed);
    }
}
