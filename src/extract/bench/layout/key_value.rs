//! Blocks of `key: value` lines between captions and rules, as load generators print them; and single such lines whose
//! name and unit leave no doubt. Settings printed before the first result become its parameters.

use std::{borrow::Cow, ops::Range, sync::LazyLock};

use crate::text::pattern::Regex;

use super::{Found, Layout, Near};
use crate::{
    base::lexicon::Lexicon,
    base::unit::{Decimal, Quantity, Unit, duration},
    extract::bench::{
        cell::{self, Reading},
        clean::{Kind, Page},
        figure::{self, Strength, measurement, strength},
        signs::{COLON, EQUALS, GAP, TAB},
        vetoes,
        words::{self, PARAMETERS},
    },
    model::metric::{Measurement, Value},
};

/// See the module.
pub struct KeyValue;

impl Layout for KeyValue {
    fn name(&self) -> &'static str {
        "key-value"
    }

    fn about(&self) -> &'static str {
        "blocks of `key (unit): value` between captions and rules"
    }

    fn find(&self, page: &Page, at: usize, near: Near) -> Option<Found> {
        let block = Block::read(page, at)?;
        let next = block.next;
        Some(Found::Figures(block.measurements(page, near), next))
    }
}

/// `---- Time to First Token ----`, `Latency (ms):`, `-- Breakdown (ms)`, `= OVERVIEW`
static CAPTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:[-=]{1,80} ?)?([A-Za-z][^:{}|]{2,90}?)(?: ?[-=]{3,80}|:)?$").expect("fixed pattern")
});

/// `standard deviation 663 usec`
static DEVIATION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)^(?:standard deviation|std ?dev\w*|sd) ").expect("fixed pattern"));

/// Most settings of a block that its results carry.
const PARAMS: usize = 64;

/// One line.
struct Entry {
    line: usize,
    /// Its bytes in the line.
    key: Range<usize>,
    /// The figure, where the value begins with one; its bytes in the line.
    reading: Option<(Reading, Range<usize>)>,
    /// What follows the figure, and where.
    rest: Range<usize>,
    value: Range<usize>,
    unit: Option<Unit>,
    /// The caption over it: its place in the block.
    section: usize,
    strength: Strength,
    gap: bool,
}

/// What a caption says of the entries below it: a name, "" for none, and the unit in its parentheses.
type Caption = (String, Option<Unit>);

/// Consecutive entries.
struct Block {
    entries: Vec<Entry>,
    captions: Vec<Caption>,
    at: usize,
    next: usize,
}

impl Block {
    fn read(page: &Page, at: usize) -> Option<Self> {
        let mut entry = Entry::read(page, at)?;
        let mut captions = vec![caption(page, at.wrapping_sub(1)).unwrap_or_default()];
        entry.judge(page, 0, &captions[0]);
        let (mut entries, mut next, mut blanks) = (vec![entry], at + 1, 0);
        while next < page.lines.len() && blanks < 2 {
            match page.kind(next) {
                Kind::Blank => blanks += 1,
                Kind::Rule => blanks = 0,
                Kind::Text => match Entry::read(page, next) {
                    Some(mut entry) => {
                        blanks = 0;
                        entry.judge(page, captions.len() - 1, &captions[captions.len() - 1]);
                        entries.push(entry);
                    }
                    None => match caption(page, next) {
                        Some(found) if page.kind(next + 1) != Kind::Text || Entry::read(page, next + 1).is_some() => {
                            captions.push(found);
                            blanks = 0;
                        }
                        _ => break,
                    },
                },
                _ => break,
            }
            next += 1;
        }
        let last = entries.last().map_or(at, |e| e.line);
        Some(Self { entries, captions, at, next: last + 1 })
    }

    /// The results, if the block has any.
    fn measurements(self, page: &Page, near: Near) -> Vec<Measurement> {
        let figures: Vec<&Entry> = self.entries.iter().filter(|e| e.reading.is_some()).collect();
        let strong = figures.iter().filter(|e| e.strength == Strength::Strong).count();
        let some = figures.iter().filter(|e| e.strength >= Strength::Weak).count();
        if figures.is_empty() {
            return Vec::new();
        }
        let trio = self.is_time_trio(page);
        let lone = figures.len() == 1 && near == Near::Nothing && figures[0].is_plain_duration(page);
        let weak = figures.iter().filter(|e| e.strength == Strength::Weak && e.has_decimals()).count();
        let beside = near == Near::Measurements && weak > 0;
        if lone || strong == 0 && !beside && !trio {
            return Vec::new();
        }
        let least = match () {
            () if strong == 0 && beside => Strength::Weak,
            () if trio || strong >= 2 && some * 10 >= figures.len() * 6 => Strength::None,
            () if strong >= 2 => Strength::Weak,
            () => Strength::Strong,
        };
        let (mut params, mut all) = (self.context(page), Vec::new());
        let mut begun = false;
        for entry in &self.entries {
            let setting = entry.is_setting(page, begun);
            let room = params.len() < PARAMS;
            match &entry.reading {
                Some(reading) if !setting && entry.strength >= least => {
                    begun |= entry.strength == Strength::Strong;
                    all.extend(entry.measurements(page, &self.captions[entry.section].0, reading, &params));
                }
                Some((reading, _)) if setting && room => {
                    params.push((entry.key(page).into(), Value::Number(reading.value)))
                }
                None if setting && room && least < Strength::Strong => {
                    let value = page.text(entry.line)[entry.value.clone()].trim();
                    params.push((entry.key(page).into(), Value::Text(value.into())));
                }
                _ => {}
            }
        }
        if page.open && all.last().is_some_and(|m| ends_open(page, m, self.next)) {
            all.pop();
        }
        all
    }

    fn context(&self, page: &Page) -> Vec<(String, Value)> {
        heading(page, self.at).into_iter().map(|h| ("of".to_string(), Value::Text(h))).collect()
    }

    /// What a shell's `time` prints: real, user and sys.
    fn is_time_trio(&self, page: &Page) -> bool {
        let timed = |name: &str| self.entries.iter().any(|e| e.reading.is_some() && e.key(page) == name);
        ["real", "user", "sys"].into_iter().all(timed)
    }
}

/// A figure on the last line of a text that breaks off, ending in a mark: the number may go on.
fn ends_open(page: &Page, m: &Measurement, next: usize) -> bool {
    let line = next - 1;
    page.is_last(line)
        && page.lines[line].span(0..page.text(line).len()).end == m.span.end
        && m.text.ends_with(['.', ','])
}

impl Entry {
    fn read(page: &Page, at: usize) -> Option<Self> {
        let text = page.text(at);
        let marked = page.signs(at).any(COLON.and(EQUALS).and(GAP).and(TAB));
        if page.kind(at) != Kind::Text || !marked || text.len() > 300 || !begins_key(page.lines[at].first) {
            return None;
        }
        let (key, value, gap) = match assigned(text) {
            Some((key, value)) => (key, value, false),
            None => apart(text).map(|(key, value)| (key, value, true))?,
        };
        let key = key.start..key.start + text[key].trim_end().trim_end_matches(['.', ' ']).len();
        let raw = &text[value.clone()];
        let body = raw.split('|').next().unwrap_or(raw).trim_end_matches([',', ' ']).trim_end();
        let reading = if raw.starts_with('"') { None } else { figure(body) };
        if gap && reading.is_none() || text[key.clone()].split(' ').count() > 9 {
            return None;
        }
        let from = value.start;
        let len = reading.as_ref().map_or(0, |(_, len)| *len);
        let reading = reading.map(|(reading, _)| {
            let span = from + reading.at.start..from + reading.at.end;
            (reading, span)
        });
        let (rest, value) = (from + len..from + body.len(), from..from + body.len());
        Some(Self { line: at, key, reading, rest, value, unit: None, section: 0, strength: Strength::None, gap })
    }

    fn key<'p>(&self, page: &'p Page) -> &'p str {
        &page.text(self.line)[self.key.clone()]
    }

    /// Gives a figure its unit, and says how surely it is a result, under a caption.
    fn judge(&mut self, page: &Page, section: usize, caption: &Caption) {
        self.section = section;
        let Some((reading, _)) = &self.reading else { return };
        let key = self.key(page);
        if vetoes::is_setting(&words::words(key)) {
            return self.strength = Strength::Vetoed;
        }
        let printed = reading.unit.clone();
        let unit = printed
            .or_else(|| figure::unit_of_name(key))
            .or_else(|| figure::unit_in_parentheses(key))
            .or_else(|| caption.1.clone());
        let whole = !caption.0.is_empty() && (self.gap || words::stat(key).is_some());
        let named = if whole { Cow::Owned(format!("{} {key}", caption.0)) } else { Cow::Borrowed(key) };
        self.strength = strength(&named, unit.as_ref(), reading.decimals);
        let timed = unit.as_ref().is_none_or(|u| u.is_time());
        if self.gap && self.strength == Strength::Strong && timed && caption.0.is_empty() {
            self.strength = Strength::Weak;
        }
        self.unit = unit;
    }

    /// A setting: a parameter's noun, before the first result.
    fn is_setting(&self, page: &Page, begun: bool) -> bool {
        if begun {
            return false;
        }
        let all = words::words(self.key(page));
        let value = page.text(self.line)[self.value.clone()].trim();
        let noun = all.any(&PARAMETERS) || all.any(&SETTING_WORDS);
        let bare = self.key(page).split(['(', '[']).next().unwrap_or("");
        let result = words::has(bare, &words::METRICS)
            || words::stat(self.key(page)).is_some_and(|s| s != "max")
            || all.any(&RESULT_WORDS);
        noun && !result && value.len() <= 60
    }

    /// How long something took, and nothing else: a command's own clock.
    fn is_plain_duration(&self, page: &Page) -> bool {
        let plain = |w: &str| {
            matches!(w, "wall" | "time" | "duration" | "elapsed" | "total" | "runtime" | "seconds" | "s" | "ms")
        };
        words::words(self.key(page)).iter().all(plain)
    }

    fn has_decimals(&self) -> bool {
        self.reading.as_ref().is_some_and(|r| r.0.decimals > 0)
    }

    fn measurements(
        &self,
        page: &Page,
        section: &str,
        reading: &(Reading, Range<usize>),
        params: &[(String, Value)],
    ) -> Vec<Measurement> {
        let (reading, span) = reading;
        let key = self.key(page);
        let short = words::stat(key).is_some() && words::words(key).len() <= 2 || self.gap;
        let name = if short && !section.is_empty() { format!("{section} {key}") } else { key.to_string() };
        let mut main = measurement(page, self.line, span.clone(), &name, self.unit.clone(), reading);
        main.params = params.to_vec();
        let mut all = vec![main];
        for (words, extra, at) in self.further(page) {
            match words.as_str() {
                w if DEVIATION.is_match(&format!("{w} ")) => all[0].spread = Some(extra.value),
                "lb" | "lo" | "low" => all[0].lo = Some(extra.value),
                "ub" | "hi" | "high" => all[0].hi = Some(extra.value),
                "ci" | "" => {}
                words => {
                    let unit = extra.unit.clone();
                    let mut figure = measurement(
                        page,
                        self.line,
                        at,
                        words,
                        unit,
                        &Reading { value: extra.value, ..Reading::default() },
                    );
                    figure.params = params.to_vec();
                    figure.params.push(("in".into(), Value::Text(key.to_string())));
                    all.push(figure);
                }
            }
        }
        all
    }

    /// `words quantity` pieces after the value: `(send/recv 102 usec + response wait 598 usec)`, `, lb 0.39 ns`.
    fn further(&self, page: &Page) -> Vec<(String, Quantity, Range<usize>)> {
        let text = page.text(self.line);
        let rest = text.get(self.rest.clone()).unwrap_or("");
        let mut all = Vec::new();
        let mut from = self.rest.start;
        for piece in rest.split(['+', ',', '(', ')']) {
            let start = from;
            from += piece.len() + 1;
            let trimmed = piece.trim();
            let Some(digit) = trimmed.find(|c: char| c.is_ascii_digit()) else { continue };
            let Some(found) = Quantity::whole(&trimmed[digit..], Decimal::Point) else { continue };
            let words = trimmed[..digit].trim().to_string();
            let lead = piece.len() - piece.trim_start().len();
            let at = start + lead + digit;
            let spelled = words.starts_with(|c: char| c.is_alphabetic());
            if spelled && (found.unit.is_some() || matches!(words.as_str(), "lb" | "ub")) {
                all.push((words, found.clone(), at..at + found.number.end));
            }
        }
        all
    }
}

/// Words that say that a line is a setting of the run; sorted.
#[rustfmt::skip]
static SETTING_WORDS: Lexicon = Lexicon::new(&["configured", "dataset", "kind", "max", "prompts", "rate", "setting", "traffic"]);

/// Words that say that a line is a result after all, though its noun is a setting's; sorted.
#[rustfmt::skip]
static RESULT_WORDS: Lexicon = Lexicon::new(&["achieved", "completed", "count", "failed", "generated", "served", "successful", "time", "total", "transfer"]);

/// A figure at the start of a value, followed by nothing, a remark, or further figures; and its length.
fn figure(body: &str) -> Option<(Reading, usize)> {
    if !body.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    if let Some(reading) = cell::read(body.trim_end_matches('.'), Decimal::Point) {
        let len = Quantity::leading(body, Decimal::Point).map_or(body.len(), |q| q.len);
        return Some((reading, len));
    }
    let found = Quantity::leading(body, Decimal::Point)?;
    let (spread, rest) = cell::spread(body[found.len..].trim_start(), Decimal::Point);
    let word = rest.len() <= 12 && rest.chars().all(char::is_alphabetic) && found.unit.is_some();
    let follows = rest.is_empty() || word || rest.starts_with(['(', ',', '[', '-']) || duration(body).is_some();
    let number = &body[found.number.clone()];
    let reading = Reading {
        value: found.value,
        unit: found.unit,
        spread,
        approx: found.rounded,
        decimals: number.split_once('.').map_or(0, |(_, d)| d.len()),
        at: found.number,
    };
    follows.then_some((reading, found.len))
}

/// `Mean TTFT (ms):   12.3`, `"ms": 0.117,`, `http_reqs....: 20`, `latency = 3 ms`: the bytes of key and value. The key
/// begins with a letter, or is a percentile; it ends at the first `:` or ` =`, which a blank must follow.
fn assigned(text: &str) -> Option<(Range<usize>, Range<usize>)> {
    let mark = text.bytes().position(|b| matches!(b, b':' | b'=' | b'{' | b'}' | b'|'))?;
    if !matches!(text.as_bytes()[mark], b':' | b'=') {
        return None;
    }
    let behind = &text[mark + 1..];
    let value = behind.trim_start_matches([' ', '\t']);
    if value.len() == behind.len() || value.starts_with(|c: char| c.is_whitespace()) {
        return None;
    }
    let mut before = &text[..mark];
    if text.as_bytes()[mark] == b'=' {
        before = before.strip_suffix([' ', '\t'])?;
    }
    let before = before.trim_end_matches([' ', '.', '\t']);
    let before = before.strip_suffix('"').unwrap_or(before);
    let bare = before.trim_start();
    let bare = ["- ", "* ", "• ", "✓ ", "✗ "].iter().find_map(|bullet| bare.strip_prefix(bullet)).unwrap_or(bare);
    let key = bare.strip_prefix('"').unwrap_or(bare);
    let spelled = key.strip_prefix('[').unwrap_or(key).starts_with(|c: char| c.is_ascii_alphabetic());
    let fits = (spelled || is_percentile(key)) && !key.contains('"') && key.chars().count() <= 71;
    fits.then(|| (before.len() - key.len()..before.len(), text.len() - value.len()..text.len()))
}

/// What a key may begin with: a letter, a quote, a bracket, a percentile's digit, a bullet.
fn begins_key(first: u8) -> bool {
    first.is_ascii_alphanumeric() || matches!(first, b'"' | b'[' | b'.' | b'-' | b'*') || !first.is_ascii()
}

/// `99th …`, `97.5% …`
fn is_percentile(key: &str) -> bool {
    let rest = key.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    rest.len() < key.len() && (rest.starts_with("th") || rest.starts_with('%'))
}

/// `real    0m0.540s`, `  99%   81.62ms`: a name, a gap, a quantity.
fn apart(text: &str) -> Option<(Range<usize>, Range<usize>)> {
    let body = text.trim_start();
    let start = text.len() - body.len();
    let share = body.find('%').filter(|at| is_share(&body[..*at]));
    let spelled = body.starts_with(|c: char| c.is_ascii_alphabetic());
    let ends = body.char_indices().skip(1).take(if spelled { 41 } else { 0 });
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | ' ' | '.' | '/' | '%' | '(' | ')' | '-');
    for (end, c) in share.map(|at| (at + 1, ' ')).into_iter().chain(ends) {
        if let Some(value) = behind_gap(&body[end..]) {
            return Some((start..start + end, text.len() - value..text.len()));
        }
        if !inside(c) {
            return None;
        }
    }
    None
}

/// The length of what follows a gap: two blanks or more, or tabs.
fn behind_gap(text: &str) -> Option<usize> {
    let value = text.trim_start_matches(if text.starts_with('\t') { '\t' } else { ' ' });
    let wide = text.starts_with("  ") || text.starts_with('\t');
    (wide && value.starts_with(|c: char| !c.is_whitespace())).then_some(value.len())
}

/// `99`, `99.9`
fn is_share(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    whole.len() <= 3 && digits(whole) && digits(fraction)
}

/// A caption over entries: its words and the unit in its parentheses.
fn caption(page: &Page, at: usize) -> Option<Caption> {
    let text = page.text(at);
    if page.kind(at) != Kind::Text || text.len() > 140 || text.contains(['{', '}', '|']) {
        return None;
    }
    let dressed = text.trim_start().starts_with(['-', '=']) || text.ends_with([':', '-', '=']);
    if !dressed && !text.contains('(') && apart(page.text(at + 1)).is_none() {
        return None;
    }
    let phrase = CAPTION.captures(text)?.get(1)?.as_str().trim().to_string();
    let unit = figure::unit_in_parentheses(&phrase);
    let noun = figure::is_metric(&words::words(&phrase)) && apart(page.text(at + 1)).is_some();
    (dressed || unit.is_some() || noun)
        .then(|| (phrase.split(['(', '[']).next().unwrap_or("").trim().to_string(), unit))
}

/// A line over an indented block: the name of what was measured.
fn heading(page: &Page, at: usize) -> Option<String> {
    let above = at.checked_sub(1)?;
    let text = page.text(above);
    let indent = |t: &str| t.len() - t.trim_start().len();
    let plain = page.kind(above) == Kind::Text && !text.ends_with(['.', ';', '{']);
    let above_block = indent(text) < indent(page.text(at)) && text.trim().len() <= 100;
    (plain && above_block && caption(page, above).is_none()).then(|| text.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_no_entries() {
        for no in ["fn main() {", "let x: u32 = 5;", "see http://example.org", "12:30:05 started", "{\"a\": 1}"] {
            assert!(assigned(no).is_none_or(|(_, value)| figure(&no[value]).is_none()), "{no}");
        }
        for (text, key, value) in [
            ("  Mean TTFT (ms):   12.3", "Mean TTFT (ms)", "12.3"),
            ("\"ms\": 0.117,", "ms", "0.117,"),
            ("http_reqs......: 20", "http_reqs", "20"),
            ("- latency = 3 ms", "latency", "3 ms"),
            ("97.5% : 4", "97.5%", "4"),
        ] {
            assert_eq!(assigned(text).map(|(k, v)| (&text[k], &text[v])), Some((key, value)));
        }
        for (text, key, value) in [
            ("real\t0m0.540s", "real", "0m0.540s"),
            ("  99.9%   81.62ms", "99.9%", "81.62ms"),
            ("a b  c", "a b", "c"),
            ("a \tc", "a ", "c"),
        ] {
            assert_eq!(apart(text).map(|(k, v)| (&text[k], &text[v])), Some((key, value)));
        }
        assert!(apart("one two").is_none() && apart("a: b  5").is_none() && apart("a \t b").is_none());
        assert!(!CAPTION.is_match("a: 5 b"));
        assert!(!DEVIATION.is_match("response wait 5"));
    }
}
