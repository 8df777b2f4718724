//! Blocks of `key: value` lines between captions and rules, as load generators print them; and single such lines whose
//! name and unit leave no doubt. Settings printed before the first result become its parameters.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::{Found, Layout, Near};
use crate::{
    base::unit::{Decimal, Quantity, Unit, duration},
    extract::bench::{
        cell::{self, Reading},
        clean::{Kind, Page},
        figure::{self, Strength, measurement, strength},
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

/// `Mean TTFT (ms):   12.3`, `"ms": 0.117,`, `http_reqs....: 20`, `latency = 3 ms`
static COLON: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"^\s*(?:[-*•✓✗] )?"?((?:\[?[A-Za-z]|[\d.]+(?:th|%))[^:={}"|]{0,70}?)"?[ .\t]*(?::|[ \t]=)[ \t]+(\S.*)$"#,
    )
    .expect("fixed pattern")
});

/// `real    0m0.540s`, `  99%   81.62ms`: a name, a gap, a quantity
static GAP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*([A-Za-z][\w ./%()-]{0,40}?|\d{1,3}(?:\.\d+)?%)(?: {2,}|\t+)(\S.*)$").expect("fixed pattern")
});

/// `---- Time to First Token ----`, `Latency (ms):`, `-- Breakdown (ms)`, `= OVERVIEW`
static CAPTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:[-=]{1,80} ?)?([A-Za-z][^:{}|]{2,90}?)(?: ?[-=]{3,80}|:)?$").expect("fixed pattern")
});

/// `standard deviation 663 usec`
static DEVIATION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)^(?:standard deviation|std ?dev\w*|sd) ").expect("fixed pattern"));

/// One line.
struct Entry {
    line: usize,
    key: String,
    /// The figure, where the value begins with one; its bytes in the line.
    reading: Option<(Reading, Range<usize>)>,
    /// What follows the figure, and where.
    rest: Range<usize>,
    value: Range<usize>,
    unit: Option<Unit>,
    section: String,
    strength: Strength,
    gap: bool,
}

/// Consecutive entries.
struct Block {
    entries: Vec<Entry>,
    heading: Option<String>,
    next: usize,
}

impl Block {
    fn read(page: &Page, at: usize) -> Option<Self> {
        let first = Entry::read(page, at, "", None)?;
        let heading = heading(page, at);
        let (mut section, mut section_unit) = caption(page, at.wrapping_sub(1)).unwrap_or_default();
        let first = if section.is_empty() { first } else { Entry::read(page, at, &section, section_unit.as_ref())? };
        let (mut entries, mut next, mut blanks) = (vec![first], at + 1, 0);
        while next < page.lines.len() && blanks < 2 {
            match page.kind(next) {
                Kind::Blank => blanks += 1,
                Kind::Rule => blanks = 0,
                Kind::Text => match Entry::read(page, next, &section, section_unit.as_ref()) {
                    Some(entry) => {
                        blanks = 0;
                        entries.push(entry);
                    }
                    None => match caption(page, next) {
                        Some(found)
                            if Entry::read(page, next + 1, "", None).is_some() || page.kind(next + 1) != Kind::Text =>
                        {
                            (section, section_unit) = found;
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
        Some(Self { entries, heading, next: last + 1 })
    }

    /// The results, if the block has any.
    fn measurements(self, page: &Page, near: Near) -> Vec<Measurement> {
        let figures: Vec<&Entry> = self.entries.iter().filter(|e| e.reading.is_some()).collect();
        let strong = figures.iter().filter(|e| e.strength == Strength::Strong).count();
        let some = figures.iter().filter(|e| e.strength >= Strength::Weak).count();
        let lone = figures.len() == 1 && near == Near::Nothing && figures[0].is_plain_duration();
        let weak = figures.iter().filter(|e| e.strength == Strength::Weak && e.has_decimals()).count();
        let beside = near == Near::Measurements && weak > 0;
        if lone || strong == 0 && !beside && !self.is_time_trio() {
            return Vec::new();
        }
        let least = match () {
            () if strong == 0 && beside => Strength::Weak,
            () if self.is_time_trio() || strong >= 2 && some * 10 >= figures.len() * 6 => Strength::None,
            () if strong >= 2 => Strength::Weak,
            () => Strength::Strong,
        };
        let (mut params, mut all) = (self.context(), Vec::new());
        let mut begun = false;
        for entry in &self.entries {
            let setting = entry.is_setting(page, begun);
            match &entry.reading {
                Some(reading) if !setting && entry.strength >= least => {
                    begun |= entry.strength == Strength::Strong;
                    all.extend(entry.measurements(page, reading, &params));
                }
                Some((reading, _)) if setting => params.push((entry.key.clone(), Value::Number(reading.value))),
                None if setting && least < Strength::Strong => {
                    params.push((
                        entry.key.clone(),
                        Value::Text(page.text(entry.line)[entry.value.clone()].trim().into()),
                    ));
                }
                _ => {}
            }
        }
        if page.open && all.last().is_some_and(|m| ends_open(page, m, self.next)) {
            all.pop();
        }
        all
    }

    fn context(&self) -> Vec<(String, Value)> {
        self.heading.iter().map(|h| ("of".to_string(), Value::Text(h.clone()))).collect()
    }

    /// What a shell's `time` prints: real, user and sys.
    fn is_time_trio(&self) -> bool {
        ["real", "user", "sys"].iter().all(|n| self.entries.iter().any(|e| e.key == *n && e.reading.is_some()))
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
    fn read(page: &Page, at: usize, section: &str, section_unit: Option<&Unit>) -> Option<Self> {
        let text = page.text(at);
        if page.kind(at) != Kind::Text || text.len() > 300 {
            return None;
        }
        let (found, gap) = match COLON.captures(text) {
            Some(found) => (found, false),
            None => (GAP.captures(text)?, true),
        };
        let (key, value) = (found.get(1)?, found.get(2)?);
        let key = key.as_str().trim().trim_end_matches(['.', ' ']).to_string();
        let raw = value.as_str();
        let quoted = raw.starts_with('"');
        let body = raw.split('|').next().unwrap_or(raw).trim_end_matches([',', ' ']).trim_end();
        let reading = if quoted { None } else { figure(body) };
        if gap && reading.is_none() || key.split(' ').count() > 9 {
            return None;
        }
        let (reading, len) = match reading {
            Some((reading, len)) => (Some(reading), len),
            None => (None, 0),
        };
        let printed = reading.as_ref().and_then(|r| r.unit.clone());
        let unit = printed
            .or_else(|| figure::unit_of_name(&key))
            .or_else(|| figure::unit_in_parentheses(&key))
            .or_else(|| section_unit.cloned());
        let full = format!("{section} {key}");
        let named = if words::stat(&key).is_some() || gap { full.as_str() } else { key.as_str() };
        let decimals = reading.as_ref().map_or(0, |r| r.decimals);
        let mut strength = strength(named, unit.as_ref(), decimals);
        if gap && strength == Strength::Strong && unit.as_ref().is_none_or(|u| u.is_time()) && section.is_empty() {
            strength = Strength::Weak;
        }
        let from = value.start();
        Some(Self {
            line: at,
            key,
            rest: from + len..from + body.len(),
            value: from..from + body.len(),
            reading: reading.map(|r| {
                let span = from + r.at.start..from + r.at.end;
                (r, span)
            }),
            unit,
            section: section.to_string(),
            strength,
            gap,
        })
    }

    /// A setting: a parameter's noun, before the first result.
    fn is_setting(&self, page: &Page, begun: bool) -> bool {
        let all = words::words(&self.key);
        let value = page.text(self.line)[self.value.clone()].trim();
        let noun = words::any(&all, PARAMETERS) || all.iter().any(|w| SETTING_WORDS.contains(&w.as_str()));
        let bare = words::words(self.key.split(['(', '[']).next().unwrap_or(""));
        let result = words::any(&bare, words::METRICS)
            || words::stat(&self.key).is_some_and(|s| s != "max")
            || all.iter().any(|w| RESULT_WORDS.contains(&w.as_str()));
        !begun && noun && !result && value.len() <= 60
    }

    /// How long something took, and nothing else: a command's own clock.
    fn is_plain_duration(&self) -> bool {
        let plain = |w: &String| {
            matches!(
                w.as_str(),
                "wall" | "time" | "duration" | "elapsed" | "total" | "runtime" | "seconds" | "s" | "ms"
            )
        };
        words::words(&self.key).iter().all(plain)
    }

    fn has_decimals(&self) -> bool {
        self.reading.as_ref().is_some_and(|r| r.0.decimals > 0)
    }

    fn measurements(
        &self,
        page: &Page,
        reading: &(Reading, Range<usize>),
        params: &[(String, Value)],
    ) -> Vec<Measurement> {
        let (reading, span) = reading;
        let short = words::stat(&self.key).is_some() && words::words(&self.key).len() <= 2 || self.gap;
        let name =
            if short && !self.section.is_empty() { format!("{} {}", self.section, self.key) } else { self.key.clone() };
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
                    figure.params.push(("in".into(), Value::Text(self.key.clone())));
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
const SETTING_WORDS: &[&str] =
    &["configured", "dataset", "kind", "max", "prompts", "rate", "setting", "traffic"];

/// Words that say that a line is a result after all, though its noun is a setting's; sorted.
#[rustfmt::skip]
const RESULT_WORDS: &[&str] =
    &["achieved", "completed", "count", "failed", "generated", "served", "successful", "time", "total", "transfer"];

/// A figure at the start of a value, followed by nothing, a remark, or further figures; and its length.
fn figure(body: &str) -> Option<(Reading, usize)> {
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

/// A caption over entries: its words and the unit in its parentheses.
fn caption(page: &Page, at: usize) -> Option<(String, Option<Unit>)> {
    let text = page.text(at);
    if page.kind(at) != Kind::Text || text.len() > 140 {
        return None;
    }
    let dressed = text.trim_start().starts_with(['-', '=']) || text.ends_with([':', '-', '=']);
    let phrase = CAPTION.captures(text)?.get(1)?.as_str().trim().to_string();
    let unit = figure::unit_in_parentheses(&phrase);
    let noun = figure::is_metric(&words::words(&phrase)) && GAP.is_match(page.text(at + 1));
    (dressed || unit.is_some() || noun)
        .then(|| (phrase.split(['(', '[']).next().unwrap_or("").trim().to_string(), unit))
}

/// A line over an indented block: the name of what was measured.
fn heading(page: &Page, at: usize) -> Option<String> {
    let above = at.checked_sub(1)?;
    let text = page.text(above);
    let indent = |t: &str| t.len() - t.trim_start().len();
    let plain = page.kind(above) == Kind::Text && caption(page, above).is_none() && !text.ends_with(['.', ';', '{']);
    (plain && indent(text) < indent(page.text(at)) && text.trim().len() <= 100).then(|| text.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_no_entries() {
        for no in ["fn main() {", "let x: u32 = 5;", "see http://example.org", "12:30:05 started", "{\"a\": 1}"] {
            assert!(
                !COLON.is_match(no) || figure(COLON.captures(no).unwrap().get(2).unwrap().as_str()).is_none(),
                "{no}"
            );
        }
        assert!(!GAP.is_match("one two"));
        assert!(!CAPTION.is_match("a: 5 b"));
        assert!(!DEVIATION.is_match("response wait 5"));
    }
}
