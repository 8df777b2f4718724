//! Units: spellings, canonical tokens, dimensions and factors; quantities and how numbers are read.
//!
//! A unit is what is printed: nothing here guesses one. Which way is better is decided elsewhere, from the unit, the
//! name and the text together. Bytes written without `i` count in thousands (`KiB` in 1024); `gbps` and `tps` name no
//! dimension that can be told (bits or bytes, tokens or transactions), so they convert to nothing.

use std::{borrow::Cow, ops::Range};

use super::lexicon::Filter;

/// A unit as recognised.
#[derive(Clone, PartialEq, Debug)]
pub struct Unit {
    /// Canonical spelling: `ms`, `tok/s`, `GiB/s`, `ns/op`.
    pub token: Cow<'static, str>,
    /// What it measures, in base units: `s`, `B/s`, `tok/s`, `s/op`. Only equal dimensions compare.
    pub dimension: Cow<'static, str>,
    /// Factor to the base unit.
    pub factor: f64,
}

impl Unit {
    /// A span of time, not per anything.
    pub fn is_time(&self) -> bool {
        self.dimension == "s"
    }

    /// Time per event (`ns/op`).
    pub fn is_time_per(&self) -> bool {
        self.dimension.starts_with("s/")
    }

    /// Anything per time.
    pub fn is_rate(&self) -> bool {
        self.dimension.split('/').skip(1).any(|per| per == "s")
    }

    /// A bare count of something (`tok`, `req`), which says what is counted and not how well it went.
    pub fn is_count(&self) -> bool {
        self.factor == 1.0 && self.token == self.dimension && COUNTED.contains(&self.token.as_ref())
    }

    /// Converts a value of `other` into this unit; `None` when the dimensions differ.
    pub fn convert(&self, value: f64, other: &Unit) -> Option<f64> {
        (self.dimension == other.dimension).then(|| match self.factor == other.factor {
            true => value,
            false => round(value * (other.factor / self.factor)),
        })
    }
}

/// Removes the last digits that a conversion invents.
fn round(value: f64) -> f64 {
    format!("{value:.12e}").parse().unwrap_or(value)
}

/// The unit that a spelling names: `usec`, `tokens/second`, `µs per loop`, `tok_s`, `[Kbytes/sec]`.
pub fn lookup(spelling: &str) -> Option<Unit> {
    let text = spelling.trim().trim_matches(['(', ')', '[', ']']).trim();
    if text.is_empty() || text.len() > 40 {
        return None;
    }
    let text = respelled(text);
    let mut parts = text.split('/');
    let first = parts.next()?;
    let rest: Vec<&str> = parts.collect();
    if rest.is_empty() {
        return numerator(first).or_else(|| underscored(first));
    }
    let mut unit = numerator(first)?;
    for per in rest {
        let (token, dimension, factor) = denominator(per)?;
        unit.token = format!("{}/{token}", unit.token).into();
        unit.dimension = format!("{}/{dimension}", unit.dimension).into();
        unit.factor /= factor;
    }
    Some(unit)
}

/// One spelling of `per` and of the sign for millionths. Most texts that are asked about need no change.
fn respelled(text: &str) -> Cow<'_, str> {
    let plain = !text.contains('\u{3bc}') && !text.contains("per") && !text.contains(" / ");
    if plain {
        return Cow::Borrowed(text);
    }
    let text = text.replace('\u{3bc}', "\u{b5}").replace(" per ", "/").replace("_per_", "/").replace(" / ", "/");
    Cow::Owned(text)
}

fn numerator(text: &str) -> Option<Unit> {
    let other_case = || (3..=LONGEST).contains(&text.len()) && text.chars().any(char::is_uppercase);
    let row = exact(text).or_else(|| other_case().then(|| exact(&text.to_lowercase())).flatten())?;
    Some(Unit { token: row.1.into(), dimension: row.2.into(), factor: row.3 })
}

/// Bytes of the longest spelling.
const LONGEST: usize = 12;

fn exact(text: &str) -> Option<&'static (&'static str, &'static str, &'static str, f64)> {
    let at = KNOWN.may_hold(text).then(|| SPELLINGS.binary_search_by(|row| row.0.cmp(text)).ok()).flatten()?;
    Some(&SPELLINGS[at])
}

/// The spellings of [`SPELLINGS`].
static KNOWN: Filter<64> = {
    let (mut all, mut at) = (Filter::empty(), 0);
    while at < SPELLINGS.len() {
        all = all.with(SPELLINGS[at].0);
        at += 1;
    }
    all
};

/// `tok_s`, `req_sec`: how column names that must be identifiers write a rate.
fn underscored(text: &str) -> Option<Unit> {
    let (first, per) = text.rsplit_once('_')?;
    let unit = numerator(first).filter(|u| u.is_count() || u.dimension == "B")?;
    if !matches!(per, "s" | "sec" | "second" | "ps") {
        return None;
    }
    let per_second = |what: &str| Cow::Owned(format!("{what}/s"));
    Some(Unit { token: per_second(&unit.token), dimension: per_second(&unit.dimension), factor: unit.factor })
}

fn denominator(text: &str) -> Option<(&'static str, &'static str, f64)> {
    let text = text.trim();
    let lower = text.to_ascii_lowercase();
    if let Some(row) = exact(text).or_else(|| exact(&lower)).filter(|row| row.2 == "s") {
        return Some((row.1, row.2, row.3));
    }
    let at = PER.binary_search_by(|row| row.0.cmp(&lower)).ok()?;
    Some((PER[at].1, PER[at].1, 1.0))
}

/// Which mark separates the decimals; decided for a column, not for a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Decimal {
    /// `1,234.5`
    #[default]
    Point,
    /// `1.234,5`
    Comma,
}

impl Decimal {
    /// Decides for a column of numbers: a token with both marks, or a comma that does not group by three, settles it.
    pub fn of<'a>(tokens: impl Iterator<Item = &'a str>) -> Self {
        let (mut comma, mut point) = (0, 0);
        for token in tokens {
            let digits = token.trim_start_matches(['+', '-', '~']);
            let end = digits.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ','))).unwrap_or(digits.len());
            let digits = digits[..end].trim_end_matches([',', '.']);
            match (digits.rfind(','), digits.rfind('.')) {
                (Some(c), Some(p)) if c > p => comma += 1,
                (Some(_), None) if !grouped(digits, ',') => comma += 1,
                (_, Some(_)) if !grouped(digits, '.') => point += 1,
                _ => {}
            }
        }
        if comma > 0 && point == 0 { Decimal::Comma } else { Decimal::Point }
    }

    fn marks(self) -> (u8, u8) {
        match self {
            Decimal::Point => (b'.', b','),
            Decimal::Comma => (b',', b'.'),
        }
    }
}

fn grouped(digits: &str, mark: char) -> bool {
    let mut groups = digits.split(mark);
    groups.next().is_some_and(|g| (1..=3).contains(&g.len()) && g != "0") && groups.all(|g| g.len() == 3)
}

/// A number at the start of `text`: its value and its length in bytes. Sign, groups of three (`,` `'` `_`, thin space),
/// decimals, exponent.
pub fn number(text: &str, decimal: Decimal) -> Option<(f64, usize)> {
    let bytes = text.as_bytes();
    let (point, comma) = decimal.marks();
    let minus = '\u{2212}'.len_utf8();
    let from = match bytes.first()? {
        b'+' | b'-' => 1,
        0xe2 if text.starts_with('\u{2212}') => minus,
        b if b.is_ascii_digit() || *b == point => 0,
        _ => return None,
    };
    let digits = |at: usize| bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut at = from + digits(from);
    let whole = at - from;
    let mut grouped = false;
    while let Some(mark) = group_mark(text, at, comma).filter(|_| (1..=3).contains(&whole)) {
        at += mark + 3;
        grouped = true;
    }
    let fraction = bytes.get(at) == Some(&point) && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
    if whole == 0 && !fraction {
        return None;
    }
    let mark_at = at;
    if fraction {
        at += 1 + digits(at + 1);
    }
    at += exponent(&bytes[at..]).unwrap_or(0);
    // As Rust spells it already, nearly always.
    let value: f64 = if grouped || from == minus || fraction && point == b',' {
        let sign = if from == minus { "-" } else { &text[..from] };
        let whole: String = text[from..mark_at].chars().filter(char::is_ascii_digit).collect();
        let rest = text[mark_at..at].replacen(',', ".", 1);
        format!("{sign}{whole}{rest}").parse().ok()?
    } else {
        text[..at].parse().ok()?
    };
    value.is_finite().then_some((value, at))
}

/// Length of a group mark at `at` that is followed by exactly three digits.
fn group_mark(text: &str, at: usize, comma: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    let mark = match bytes.get(at)? {
        b if *b == comma || matches!(b, b'\'' | b'_') => 1,
        0xe2 if text[at..].starts_with(['\u{2009}', '\u{202f}']) => 3,
        _ => return None,
    };
    let digits = bytes.get(at + mark..at + mark + 3)?;
    (digits.iter().all(u8::is_ascii_digit) && !bytes.get(at + mark + 3).is_some_and(u8::is_ascii_digit)).then_some(mark)
}

fn exponent(bytes: &[u8]) -> Option<usize> {
    if !matches!(bytes.first(), Some(b'e' | b'E')) {
        return None;
    }
    let sign = usize::from(matches!(bytes.get(1), Some(b'+' | b'-')));
    let digits = bytes[1 + sign..].iter().take_while(|b| b.is_ascii_digit()).count();
    (digits > 0 && digits <= 4).then_some(1 + sign + digits)
}

/// `1m0.5s`, `2h3m`, `12m07.3s` at the start of `text`: seconds and length. At least two components.
pub fn duration(text: &str) -> Option<(f64, usize)> {
    let (mut seconds, mut at, mut last, mut parts) = (0.0, 0, f64::INFINITY, 0);
    while let Some((value, len)) = number(&text[at..], Decimal::Point).filter(|(v, _)| *v >= 0.0) {
        let rest = &text[at + len..];
        let (factor, width) = match rest.as_bytes() {
            [b'm', b's', ..] => (1e-3, 2),
            [b'h', ..] => (3600.0, 1),
            [b'm', ..] => (60.0, 1),
            [b's', ..] => (1.0, 1),
            _ => break,
        };
        if factor >= last {
            return None;
        }
        seconds += value * factor;
        (last, parts, at) = (factor, parts + 1, at + len + width);
    }
    let ended = !text[at..].starts_with(|c: char| c.is_alphanumeric());
    (parts >= 2 && ended).then(|| (round(seconds), at))
}

/// What a suffix glued to a number multiplies it by: `15.2k`, `322.1Mi`, `46.55n`.
pub fn multiplier(suffix: &str) -> Option<f64> {
    MULTIPLIERS.iter().find(|row| row.0 == suffix).map(|row| row.1)
}

/// A number with the unit that follows it.
#[derive(Clone, PartialEq, Debug)]
pub struct Quantity {
    /// In the printed unit, a suffix multiplier applied.
    pub value: f64,
    /// The printed unit.
    pub unit: Option<Unit>,
    /// Bytes of the number.
    pub number: Range<usize>,
    /// Bytes of number and unit.
    pub len: usize,
    /// A suffix multiplier carried the rounding.
    pub rounded: bool,
}

impl Quantity {
    /// A quantity at the start of `text`. The number must end at something that is no part of a word, or be followed by
    /// a unit.
    pub fn leading(text: &str, decimal: Decimal) -> Option<Self> {
        if let Some((seconds, len)) = duration(text) {
            return Some(Self { value: seconds, unit: lookup("s"), number: 0..len, len, rounded: false });
        }
        let (value, len) = number(text, decimal)?;
        let rest = &text[len..];
        let gap = usize::from(rest.starts_with(' '));
        let word = unit_word(&rest[gap..]);
        let plain = Self { value, unit: None, number: 0..len, len, rounded: false };
        if let Some((unit, width)) = longest_unit(&rest[gap..], word) {
            return Some(Self { unit: Some(unit), len: len + gap + width, ..plain });
        }
        if gap == 1 || word == 0 {
            return (!rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')).then_some(plain);
        }
        suffixed(rest, word, plain)
    }

    /// A quantity that is the whole of `text`, blanks aside.
    pub fn whole(text: &str, decimal: Decimal) -> Option<Self> {
        let text = text.trim();
        Self::leading(text, decimal).filter(|q| q.len == text.len())
    }
}

/// `15.2k`, `1.2M ops/s`, `46.55n`.
fn suffixed(rest: &str, word: usize, plain: Quantity) -> Option<Quantity> {
    let suffix = &rest[..word];
    let (mark, after) = match suffix.split_once('/') {
        Some((mark, _)) => (mark, mark.len()),
        None => (suffix, word),
    };
    let factor = multiplier(mark)?;
    let len = plain.number.end + after;
    let tail = &rest[after..];
    let value = round(plain.value * factor);
    if tail.starts_with("/s") && unit_word(tail) <= 4 {
        let unit = Unit { token: "1/s".into(), dimension: "1/s".into(), factor: 1.0 };
        return Some(Quantity { value, unit: Some(unit), len: len + unit_word(tail), rounded: true, ..plain });
    }
    let gap = usize::from(tail.starts_with(' '));
    let next = &tail[gap..];
    match longest_unit(next, unit_word(next)).filter(|(u, _)| gap == 1 && u.token.len() > 1) {
        Some((unit, width)) => {
            Some(Quantity { value, unit: Some(unit), len: len + gap + width, rounded: true, ..plain })
        }
        None => Some(Quantity { value, len, rounded: true, ..plain }),
    }
}

/// Length of the run of characters that may spell a unit.
fn unit_word(text: &str) -> usize {
    if text.starts_with('[') {
        return text.find(']').filter(|at| *at <= 20).map_or(0, |at| at + 1);
    }
    let stop =
        |c: char| !(c.is_alphanumeric() || matches!(c, '%' | '/' | '_' | '°' | '×' | '#' | '\u{b5}' | '\u{3bc}'));
    text.find(stop).unwrap_or(text.len())
}

/// The unit that `text` begins with, `usec per loop` included.
fn longest_unit(text: &str, word: usize) -> Option<(Unit, usize)> {
    let first = text[..word].trim_end_matches('/');
    if let Some(tail) = text[word..].strip_prefix(" per ") {
        let next = unit_word(tail);
        if let Some(unit) = lookup(&format!("{first}/{}", &tail[..next])) {
            return Some((unit, word + " per ".len() + next));
        }
    }
    if let Some(unit) = lookup(first) {
        return Some((unit, first.len()));
    }
    let percent = text.starts_with('%') && !text[1..].starts_with(|c: char| c.is_alphanumeric());
    percent.then(|| lookup("%").map(|unit| (unit, 1))).flatten()
}

/// Suffix multipliers. `m` (minutes or milli) and `B` (bytes or billions) are left out: they name no single factor.
#[rustfmt::skip]
const MULTIPLIERS: &[(&str, f64)] = &[
    ("G", 1e9), ("Gi", 1073741824.0), ("K", 1e3), ("Ki", 1024.0), ("M", 1e6), ("Mi", 1048576.0), ("T", 1e12),
    ("Ti", 1099511627776.0), ("k", 1e3), ("n", 1e-9), ("p", 1e-12), ("u", 1e-6), ("\u{b5}", 1e-6), ("\u{3bc}", 1e-6),
];

/// What a value may be per, besides time; spelling and canonical token, sorted.
#[rustfmt::skip]
const PER: &[(&str, &str)] = &[
    ("batch", "batch"), ("byte", "byte"), ("call", "call"), ("core", "core"), ("cycle", "cycle"), ("elem", "elem"),
    ("element", "elem"), ("epoch", "epoch"), ("event", "event"), ("file", "file"), ("frame", "frame"), ("gpu", "gpu"),
    ("image", "image"), ("instr", "instr"), ("iter", "iter"), ("iteration", "iter"), ("layer", "layer"),
    ("loop", "loop"), ("op", "op"), ("page", "page"), ("query", "query"), ("rank", "rank"), ("req", "req"),
    ("request", "req"), ("row", "row"), ("run", "run"), ("sample", "sample"), ("step", "step"), ("test", "test"),
    ("thread", "thread"), ("tok", "tok"), ("token", "tok"), ("user", "user"), ("worker", "worker"),
];

/// Tokens that only say what is counted.
#[rustfmt::skip]
const COUNTED: &[&str] = &[
    "B", "branches", "calls", "cycles", "docs", "elements", "events", "files", "frames", "images", "infer", "inserts",
    "instr", "items", "iter", "lookups", "msgs", "ops", "pkts", "prompts", "queries", "reads", "records", "req", "rows",
    "samples", "seqs", "steps", "tok", "txn", "writes",
];

/// Spelling, canonical token, dimension in base units, factor; sorted by spelling.
#[rustfmt::skip]
const SPELLINGS: &[(&str, &str, &str, f64)] = &[
    ("%", "%", "%", 1.0),
    ("B", "B", "B", 1.0),
    ("C", "C", "C", 1.0),
    ("CPUs", "CPUs", "CPUs", 1.0),
    ("FLOP", "FLOP", "FLOP", 1.0),
    ("GB", "GB", "B", 1e9),
    ("GFLOP", "GFLOP", "FLOP", 1e9),
    ("GFLOPS", "GFLOP/s", "FLOP/s", 1e9),
    ("GFLOPs", "GFLOP/s", "FLOP/s", 1e9),
    ("GFlops", "GFLOP/s", "FLOP/s", 1e9),
    ("GHz", "GHz", "Hz", 1e9),
    ("Gb", "Gbit", "bit", 1e9),
    ("Gbit", "Gbit", "bit", 1e9),
    ("Gbits", "Gbit", "bit", 1e9),
    ("Gbps", "Gbit/s", "bit/s", 1e9),
    ("Gbyte", "GB", "B", 1e9),
    ("Gbytes", "GB", "B", 1e9),
    ("Gelem", "Gelem", "elements", 1e9),
    ("GiB", "GiB", "B", 1073741824.0),
    ("Gitem", "Gitem", "items", 1e9),
    ("Gops", "Gops", "ops", 1e9),
    ("Hz", "Hz", "Hz", 1.0),
    ("IOPS", "IOPS", "io/s", 1.0),
    ("J", "J", "J", 1.0),
    ("KB", "KB", "B", 1e3),
    ("KFLOP", "KFLOP", "FLOP", 1e3),
    ("Kb", "Kbit", "bit", 1e3),
    ("Kbit", "Kbit", "bit", 1e3),
    ("Kbits", "Kbit", "bit", 1e3),
    ("Kbps", "Kbit/s", "bit/s", 1e3),
    ("Kbyte", "KB", "B", 1e3),
    ("Kbytes", "KB", "B", 1e3),
    ("Kelem", "Kelem", "elements", 1e3),
    ("KiB", "KiB", "B", 1024.0),
    ("Kitem", "Kitem", "items", 1e3),
    ("Kops", "Kops", "ops", 1e3),
    ("MB", "MB", "B", 1e6),
    ("MFLOP", "MFLOP", "FLOP", 1e6),
    ("MFLOPS", "MFLOP/s", "FLOP/s", 1e6),
    ("MFLOPs", "MFLOP/s", "FLOP/s", 1e6),
    ("MFlops", "MFLOP/s", "FLOP/s", 1e6),
    ("MHz", "MHz", "Hz", 1e6),
    ("MIPS", "MIPS", "instr/s", 1e6),
    ("Mb", "Mbit", "bit", 1e6),
    ("Mbit", "Mbit", "bit", 1e6),
    ("Mbits", "Mbit", "bit", 1e6),
    ("Mbps", "Mbit/s", "bit/s", 1e6),
    ("Mbyte", "MB", "B", 1e6),
    ("Mbytes", "MB", "B", 1e6),
    ("Melem", "Melem", "elements", 1e6),
    ("MiB", "MiB", "B", 1048576.0),
    ("Mitem", "Mitem", "items", 1e6),
    ("Mops", "Mops", "ops", 1e6),
    ("PFLOP", "PFLOP", "FLOP", 1e15),
    ("PFLOPS", "PFLOP/s", "FLOP/s", 1e15),
    ("PFLOPs", "PFLOP/s", "FLOP/s", 1e15),
    ("PFlops", "PFLOP/s", "FLOP/s", 1e15),
    ("TB", "TB", "B", 1e12),
    ("TFLOP", "TFLOP", "FLOP", 1e12),
    ("TFLOPS", "TFLOP/s", "FLOP/s", 1e12),
    ("TFLOPs", "TFLOP/s", "FLOP/s", 1e12),
    ("TFlops", "TFLOP/s", "FLOP/s", 1e12),
    ("Tbyte", "TB", "B", 1e12),
    ("Tbytes", "TB", "B", 1e12),
    ("TiB", "TiB", "B", 1099511627776.0),
    ("W", "W", "W", 1.0),
    ("X", "x", "x", 1.0),
    ("bit", "bit", "bit", 1.0),
    ("bits", "bit", "bit", 1.0),
    ("bra", "branches", "branches", 1.0),
    ("branch", "branches", "branches", 1.0),
    ("branches", "branches", "branches", 1.0),
    ("byte", "B", "B", 1.0),
    ("bytes", "B", "B", 1.0),
    ("call", "calls", "calls", 1.0),
    ("calls", "calls", "calls", 1.0),
    ("cyc", "cycles", "cycles", 1.0),
    ("cycle", "cycles", "cycles", 1.0),
    ("cycles", "cycles", "cycles", 1.0),
    ("doc", "docs", "docs", 1.0),
    ("docs", "docs", "docs", 1.0),
    ("document", "docs", "docs", 1.0),
    ("documents", "docs", "docs", 1.0),
    ("elem", "elements", "elements", 1.0),
    ("element", "elements", "elements", 1.0),
    ("elements", "elements", "elements", 1.0),
    ("elems", "elements", "elements", 1.0),
    ("event", "events", "events", 1.0),
    ("events", "events", "events", 1.0),
    ("file", "files", "files", 1.0),
    ("files", "files", "files", 1.0),
    ("flop", "FLOP", "FLOP", 1.0),
    ("fps", "frames/s", "frames/s", 1.0),
    ("frame", "frames", "frames", 1.0),
    ("frames", "frames", "frames", 1.0),
    ("gbit", "Gbit", "bit", 1e9),
    ("gbits", "Gbit", "bit", 1e9),
    ("gbps", "gbps", "gbps/s", 1.0),
    ("gbyte", "GB", "B", 1e9),
    ("gbytes", "GB", "B", 1e9),
    ("gflop", "GFLOP", "FLOP", 1e9),
    ("gflops", "GFLOP/s", "FLOP/s", 1e9),
    ("h", "h", "s", 3600.0),
    ("hour", "h", "s", 3600.0),
    ("hours", "h", "s", 3600.0),
    ("hr", "h", "s", 3600.0),
    ("hrs", "h", "s", 3600.0),
    ("image", "images", "images", 1.0),
    ("images", "images", "images", 1.0),
    ("img", "images", "images", 1.0),
    ("imgs", "images", "images", 1.0),
    ("infer", "infer", "infer", 1.0),
    ("inference", "infer", "infer", 1.0),
    ("inferences", "infer", "infer", 1.0),
    ("infers", "infer", "infer", 1.0),
    ("ins", "instr", "instr", 1.0),
    ("insert", "inserts", "inserts", 1.0),
    ("inserts", "inserts", "inserts", 1.0),
    ("instr", "instr", "instr", 1.0),
    ("instructions", "instr", "instr", 1.0),
    ("iops", "IOPS", "io/s", 1.0),
    ("it", "iter", "iter", 1.0),
    ("item", "items", "items", 1.0),
    ("items", "items", "items", 1.0),
    ("iter", "iter", "iter", 1.0),
    ("iteration", "iter", "iter", 1.0),
    ("iterations", "iter", "iter", 1.0),
    ("iters", "iter", "iter", 1.0),
    ("its", "iter", "iter", 1.0),
    ("joules", "J", "J", 1.0),
    ("kB", "KB", "B", 1e3),
    ("kHz", "kHz", "Hz", 1e3),
    ("kW", "kW", "W", 1e3),
    ("kbit", "Kbit", "bit", 1e3),
    ("kbits", "Kbit", "bit", 1e3),
    ("kbyte", "KB", "B", 1e3),
    ("kbytes", "KB", "B", 1e3),
    ("kflop", "KFLOP", "FLOP", 1e3),
    ("kops", "Kops", "ops", 1e3),
    ("lookup", "lookups", "lookups", 1.0),
    ("lookups", "lookups", "lookups", 1.0),
    ("mW", "mW", "W", 1e-3),
    ("mbit", "Mbit", "bit", 1e6),
    ("mbits", "Mbit", "bit", 1e6),
    ("mbyte", "MB", "B", 1e6),
    ("mbytes", "MB", "B", 1e6),
    ("message", "msgs", "msgs", 1.0),
    ("messages", "msgs", "msgs", 1.0),
    ("mflop", "MFLOP", "FLOP", 1e6),
    ("mflops", "MFLOP/s", "FLOP/s", 1e6),
    ("micros", "us", "s", 1e-6),
    ("microsecond", "us", "s", 1e-6),
    ("microseconds", "us", "s", 1e-6),
    ("microsecs", "us", "s", 1e-6),
    ("millis", "ms", "s", 1e-3),
    ("millisecond", "ms", "s", 1e-3),
    ("milliseconds", "ms", "s", 1e-3),
    ("millisecs", "ms", "s", 1e-3),
    ("min", "min", "s", 60.0),
    ("mins", "min", "s", 60.0),
    ("minute", "min", "s", 60.0),
    ("minutes", "min", "s", 60.0),
    ("mops", "Mops", "ops", 1e6),
    ("ms", "ms", "s", 1e-3),
    ("msec", "ms", "s", 1e-3),
    ("msecs", "ms", "s", 1e-3),
    ("msg", "msgs", "msgs", 1.0),
    ("msgs", "msgs", "msgs", 1.0),
    ("nanos", "ns", "s", 1e-9),
    ("nanosecond", "ns", "s", 1e-9),
    ("nanoseconds", "ns", "s", 1e-9),
    ("nanosecs", "ns", "s", 1e-9),
    ("ns", "ns", "s", 1e-9),
    ("nsec", "ns", "s", 1e-9),
    ("nsecs", "ns", "s", 1e-9),
    ("op", "ops", "ops", 1.0),
    ("operation", "ops", "ops", 1.0),
    ("operations", "ops", "ops", 1.0),
    ("opr", "ops", "ops", 1.0),
    ("ops", "ops", "ops", 1.0),
    ("packet", "pkts", "pkts", 1.0),
    ("packets", "pkts", "pkts", 1.0),
    ("pct", "%", "%", 1.0),
    ("percent", "%", "%", 1.0),
    ("pflop", "PFLOP", "FLOP", 1e15),
    ("pflops", "PFLOP/s", "FLOP/s", 1e15),
    ("picoseconds", "ps", "s", 1e-12),
    ("pkt", "pkts", "pkts", 1.0),
    ("pkts", "pkts", "pkts", 1.0),
    ("prompt", "prompts", "prompts", 1.0),
    ("prompts", "prompts", "prompts", 1.0),
    ("ps", "ps", "s", 1e-12),
    ("qps", "queries/s", "queries/s", 1.0),
    ("queries", "queries", "queries", 1.0),
    ("query", "queries", "queries", 1.0),
    ("read", "reads", "reads", 1.0),
    ("reads", "reads", "reads", 1.0),
    ("record", "records", "records", 1.0),
    ("records", "records", "records", 1.0),
    ("req", "req", "req", 1.0),
    ("reqs", "req", "req", 1.0),
    ("request", "req", "req", 1.0),
    ("requests", "req", "req", 1.0),
    ("row", "rows", "rows", 1.0),
    ("rows", "rows", "rows", 1.0),
    ("rps", "req/s", "req/s", 1.0),
    ("s", "s", "s", 1.0),
    ("sample", "samples", "samples", 1.0),
    ("samples", "samples", "samples", 1.0),
    ("sec", "s", "s", 1.0),
    ("second", "s", "s", 1.0),
    ("seconds", "s", "s", 1.0),
    ("secs", "s", "s", 1.0),
    ("seq", "seqs", "seqs", 1.0),
    ("seqs", "seqs", "seqs", 1.0),
    ("sequence", "seqs", "seqs", 1.0),
    ("sequences", "seqs", "seqs", 1.0),
    ("step", "steps", "steps", 1.0),
    ("steps", "steps", "steps", 1.0),
    ("t", "tok", "tok", 1.0),
    ("tbyte", "TB", "B", 1e12),
    ("tbytes", "TB", "B", 1e12),
    ("tflop", "TFLOP", "FLOP", 1e12),
    ("tflops", "TFLOP/s", "FLOP/s", 1e12),
    ("tgps", "tok/s", "tok/s", 1.0),
    ("tok", "tok", "tok", 1.0),
    ("token", "tok", "tok", 1.0),
    ("tokens", "tok", "tok", 1.0),
    ("toks", "tok", "tok", 1.0),
    ("tps", "tps", "tps/s", 1.0),
    ("transaction", "txn", "txn", 1.0),
    ("transactions", "txn", "txn", 1.0),
    ("txn", "txn", "txn", 1.0),
    ("txns", "txn", "txn", 1.0),
    ("us", "us", "s", 1e-6),
    ("usec", "us", "s", 1e-6),
    ("usecs", "us", "s", 1e-6),
    ("watt", "W", "W", 1.0),
    ("watts", "W", "W", 1.0),
    ("write", "writes", "writes", 1.0),
    ("writes", "writes", "writes", 1.0),
    ("x", "x", "x", 1.0),
    ("°C", "C", "C", 1.0),
    ("µs", "us", "s", 1e-6),
    ("×", "x", "x", 1.0),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(SPELLINGS.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(SPELLINGS.iter().map(|row| row.0.len()).max(), Some(LONGEST));
        assert!(PER.is_sorted_by(|a, b| a.0 < b.0));
        assert!(COUNTED.is_sorted());
    }

    #[test]
    fn spellings_meet_in_one_token() {
        for (spelling, token) in [
            ("tokens/sec", "tok/s"),
            ("tok_s", "tok/s"),
            ("t/s", "tok/s"),
            ("Req/Sec", "req/s"),
            ("usec per loop", "us/loop"),
            ("[Kbytes/sec]", "KB/s"),
            ("\u{3bc}s", "us"),
            ("tokens/sec/user", "tok/s/user"),
            ("gflops", "GFLOP/s"),
        ] {
            assert_eq!(lookup(spelling).map(|u| u.token.into_owned()).as_deref(), Some(token), "{spelling}");
        }
        for no in ["", "foo", "ms/foo", "src/main", "w", "msx"] {
            assert_eq!(lookup(no), None, "{no}");
        }
    }

    #[test]
    fn conversion_needs_one_dimension() {
        let (ms, us, op) = (lookup("ms").unwrap(), lookup("us").unwrap(), lookup("us/op").unwrap());
        assert_eq!(ms.convert(1500.0, &us), Some(1.5));
        assert_eq!(ms.convert(1500.0, &op), None);
    }

    #[test]
    fn numbers_in_both_notations() {
        assert_eq!(number("1,359.3 x", Decimal::Point), Some((1359.3, 7)));
        assert_eq!(number("1.359,3", Decimal::Comma), Some((1359.3, 7)));
        assert_eq!(number("12,3456", Decimal::Point), Some((12.0, 2)));
        assert_eq!(number("-4.5e-05", Decimal::Point), Some((-4.5e-05, 8)));
        assert_eq!(number("27.", Decimal::Point), Some((27.0, 2)));
        assert_eq!(number(".", Decimal::Point), None);
        assert_eq!(Decimal::of(["28,425", "1,07"].into_iter()), Decimal::Comma);
        assert_eq!(Decimal::of(["28,425", "1,070"].into_iter()), Decimal::Point);
        assert_eq!(Decimal::of(["1,070.5", "3"].into_iter()), Decimal::Point);
    }

    #[test]
    fn quantities_with_suffix_unit_and_duration() {
        let read =
            |t: &str| Quantity::whole(t, Decimal::Point).map(|q| (q.value, q.unit.map(|u| u.token.into_owned())));
        assert_eq!(read("4.06 usec per loop"), Some((4.06, Some("us/loop".into()))));
        assert_eq!(read("1m0.5s"), Some((60.5, Some("s".into()))));
        assert_eq!(read("15.2k"), Some((15200.0, None)));
        assert_eq!(read("260.754M/s"), Some((260754000.0, Some("1/s".into()))));
        assert_eq!(read("51.5%"), Some((51.5, Some("%".into()))));
        assert_eq!(read("210.2 ns/op"), Some((210.2, Some("ns/op".into()))));
        for no in ["8xH100", "v1.2", "12 apples", "3f2a", "10:20"] {
            assert_eq!(read(no), None, "{no}");
        }
    }
}
