//! Figures in sentences and todo items: a number with its unit and a metric's noun near it. Goals, limits, waits and
//! wishes are no measurements; neither is a figure without a unit.

use std::{ops::Range, sync::LazyLock};

use crate::text::pattern::Regex;
use regex::Captures;

use super::{
    cell::Reading,
    clean::Page,
    figure::measurement,
    signs::DIGIT,
    words::{self, METRICS, PARAMETERS},
};
use crate::{
    base::lexicon::Lexicon,
    base::unit::{Decimal, Quantity, Unit, lookup, number},
    model::metric::{Measurement, Value},
};

/// A figure found in a line.
struct Hit {
    /// Bytes of the number.
    number: Range<usize>,
    /// First byte after the unit.
    end: usize,
    value: f64,
    unit: Unit,
    approx: bool,
    /// Word between number and unit (`225 out tok/s`).
    kind: String,
    /// `before` or `after`, in "from A to B".
    when: Option<&'static str>,
}

/// The figures of a line of prose.
pub fn figures(page: &Page, line: usize) -> Vec<Measurement> {
    let text = page.text(line);
    if !page.signs(line).any(DIGIT) || text.contains(['{', '}']) || text.trim_start().starts_with('|') {
        return Vec::new();
    }
    let mut all = Vec::new();
    for sentence in sentences(text) {
        let hits = hits(text, sentence.clone());
        if !hits.is_empty() && !WISH.is_match(&text[sentence.clone()]) {
            let settings = settings(&text[sentence.clone()]);
            all.extend(hits.iter().filter_map(|hit| named(page, line, &sentence, hit, &settings)));
        }
    }
    all
}

/// Goals, limits, waits and wishes, and what a maker promises: "Reach 1k tok/s", "timeout 300 s", "up to 2 GB/s", "should
/// take 5 ms", "20 ms or less", "the documented peak is 200 TFLOPS".
static WISH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:reach|target\w*|goal|aim\w*|expect\w*|should|would|could|might|need\w*|want\w*|hope|plan|theoretical\w*|spec|specs|limit\w*|timeout|sleep|wait|budget|slo|up to|at least|at most|estimate\w*|assum\w*|if|maximum of|capped|peak of the|predict\w*|project\w*|ceiling|roofline|floor|overhead of|upper bound|e\.g\.|documented|advertised|nominal|rated at|peak is|or (?:less|more|fewer|better|under|above|below|faster|slower)|(?:under|below|above|within|less than|more than|fewer than|no more than) [~≈]?\d\S*|peak [~≈]?\d\S*|\d[\d.,]*\s?[a-z/]+ peak)\b|\d[km]?\+|[<>≤≥] ?\d")
        .expect("fixed pattern")
});

/// Ends of sentences: a full stop before a blank and a capital, or a semicolon.
fn sentences(text: &str) -> Vec<Range<usize>> {
    let (mut all, mut from) = (Vec::new(), 0);
    let bytes = text.as_bytes();
    for at in memchr::memchr2_iter(b'.', b';', bytes) {
        let ends = bytes[at] == b';'
            || bytes.get(at + 1) == Some(&b' ') && bytes.get(at + 2).is_some_and(|b| !b.is_ascii_lowercase());
        if ends {
            all.push(from..at);
            from = at + 1;
        }
    }
    all.push(from..text.len());
    all
}

/// Words that may stand between a number and its unit.
#[rustfmt::skip]
const BETWEEN: &[&str] = &["agg", "aggregate", "decode", "generated", "gen", "in", "input", "mean", "out", "output", "prefill", "prompt", "total"];

fn hits(text: &str, sentence: Range<usize>) -> Vec<Hit> {
    let mut all: Vec<Hit> = Vec::new();
    let mut from = sentence.start;
    while let Some(step) = text[from..sentence.end].find(|c: char| c.is_ascii_digit()) {
        let at = from + step;
        let before = text[..at].chars().next_back().unwrap_or(' ');
        let (value, len) = number(&text[at..sentence.end], Decimal::Point).unwrap_or((0.0, 1));
        from = at + len;
        if before.is_alphanumeric() || matches!(before, '_' | '/' | '.' | ':' | '#' | '$' | '=' | '@') || len == 0 {
            continue;
        }
        let start = if before == '-' && text[..at - 1].ends_with([' ', '(']) { at - 1 } else { at };
        if before == '-' && start == at {
            continue;
        }
        if let Some(mut hit) = with_unit(text, at, &sentence, value, len) {
            hit.approx |= text[..start].ends_with(['~', '≈'])
                || text[..start].ends_with("about ")
                || text[..start].ends_with("around ");
            if start < at {
                hit.value = -hit.value;
                hit.number.start = start;
            }
            from = hit.end;
            all.push(hit);
        } else if let Some(hit) = inherited(text, at, len, value, all.last(), &sentence) {
            from = hit.end;
            all.push(hit);
        } else if let Some(pair) = first_of_two(text, at, len, value, &sentence) {
            from = pair[1].end;
            all.extend(pair);
        }
    }
    mark_changes(text, &mut all);
    all
}

fn with_unit(text: &str, at: usize, sentence: &Range<usize>, _value: f64, _len: usize) -> Option<Hit> {
    let body = &text[at..sentence.end];
    let found = Quantity::leading(body, Decimal::Point)?;
    if let Some(unit) = found.unit.clone().filter(|u| printable(u, &body[found.number.end..found.len])) {
        let number = at..at + found.number.end;
        return Some(Hit {
            number,
            end: at + found.len,
            value: found.value,
            unit,
            approx: found.rounded,
            kind: String::new(),
            when: None,
        });
    }
    let tail = body[found.len..].strip_prefix(' ')?;
    let word = tail.split(' ').next()?;
    if !BETWEEN.contains(&word) {
        return None;
    }
    let rest = tail.strip_prefix(word)?.strip_prefix(' ')?;
    let token: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '/').collect();
    let unit = lookup(&token).filter(Unit::is_rate)?;
    let end = at + found.len + 1 + word.len() + 1 + token.len();
    Some(Hit {
        number: at..at + found.number.end,
        end,
        value: found.value,
        unit,
        approx: found.rounded,
        kind: word.into(),
        when: None,
    })
}

/// Whether a printed unit can be one in prose: short letters are words as often as units.
fn printable(unit: &Unit, printed: &str) -> bool {
    match printed.trim() {
        "s" => true,
        short if short.len() == 1 => short == "%",
        _ => {
            !unit.is_count()
                && !unit.token.is_empty()
                && unit.dimension != "B"
                && unit.token != "h"
                && unit.token != "min"
        }
    }
}

/// `~225 out tok/s, 516 total`: the second number has the unit of the first.
fn inherited(
    text: &str,
    at: usize,
    len: usize,
    value: f64,
    last: Option<&Hit>,
    sentence: &Range<usize>,
) -> Option<Hit> {
    let last =
        last.filter(|l| l.unit.is_rate() && matches!(text[l.end..at].trim(), "," | ", ~" | "and" | "/" | "and ~"))?;
    let tail = text[at + len..sentence.end].strip_prefix(' ')?;
    let word: String = tail.chars().take_while(|c| c.is_alphabetic()).collect();
    BETWEEN.contains(&word.as_str()).then(|| Hit {
        number: at..at + len,
        end: at + len + 1 + word.len(),
        value,
        unit: last.unit.clone(),
        approx: last.approx,
        kind: word,
        when: None,
    })
}

/// `1,359 to 1,842 tok/s`, `516 → 807 tok/s`: the first number has the unit of the second.
fn first_of_two(text: &str, at: usize, len: usize, value: f64, sentence: &Range<usize>) -> Option<[Hit; 2]> {
    let rest = &text[at + len..sentence.end];
    let joint = [" to ", " → ", " -> ", "→", "->"].into_iter().find(|j| rest.starts_with(j))?;
    let next = at + len + joint.len();
    let (second, width) = number(&text[next..sentence.end], Decimal::Point)?;
    let hit = with_unit(text, next, sentence, second, width)?;
    let first = Hit {
        number: at..at + len,
        end: at + len,
        value,
        unit: hit.unit.clone(),
        approx: hit.approx,
        kind: hit.kind.clone(),
        when: None,
    };
    Some([first, hit])
}

/// Marks the two ends of "from A to B" and "A → B".
fn mark_changes(text: &str, hits: &mut [Hit]) {
    for at in 1..hits.len() {
        let (left, right) = hits.split_at_mut(at);
        let (a, b) = (&mut left[at - 1], &mut right[0]);
        let between = text[a.end..b.number.start].trim();
        if a.unit.dimension == b.unit.dimension && matches!(between, "to" | "→" | "->" | "down to" | "up to" | "to ~")
        {
            (a.when, b.when) = (Some("before"), Some("after"));
        }
    }
}

/// Names a figure by the noun near it; `None` when there is none.
fn named(page: &Page, line: usize, sentence: &Range<usize>, hit: &Hit, settings: &[Setting]) -> Option<Measurement> {
    let text = page.text(line);
    let left = clause_before(&text[sentence.start..hit.number.start]);
    let right = clause_after(&text[hit.end..sentence.end]);
    let name = match () {
        () if hit.unit.token == "%" => share_name(left, right)?,
        () => noun_phrase(left, right, hit)?,
    };
    let reading = Reading { value: hit.value, approx: hit.approx, ..Reading::default() };
    let mut found = measurement(page, line, hit.number.clone(), &name, Some(hit.unit.clone()), &reading);
    let subject = subject(&text[sentence.start..hit.number.start]);
    if subject.len() > 3 && !found.name.contains(subject) {
        found.params.push(("of".into(), Value::Text(subject.to_string())));
    }
    found.params.extend(setting(settings, hit.number.start - sentence.start));
    found.params.extend(hit.when.map(|w| ("when".to_string(), Value::Text(w.into()))));
    if hit.unit.token == "%" && text[..hit.number.start].ends_with(['(', '+', '-']) && hit.value.is_sign_negative() {
        (found.derived, found.stat) = (true, Some("delta".into()));
    }
    Some(found)
}

fn clause_before(text: &str) -> &str {
    let from = [", ", "; ", ": ", " and ", " but ", "— ", "("]
        .iter()
        .filter_map(|m| text.rfind(m).map(|at| at + m.len()))
        .max()
        .unwrap_or(0);
    let clause = &text[from..];
    let bare = clause.trim_matches(['(', ' ', '~', '≈', '*']).is_empty();
    let told = text[..from].trim_end();
    match told.strip_suffix(':').filter(|_| bare) {
        Some(told) => &told[told.rfind([',', ';', '(']).map_or(0, |at| at + 1)..],
        None => clause,
    }
}

fn clause_after(text: &str) -> &str {
    let end =
        [",", ";", ")", " and ", " but ", " — ", ". "].iter().filter_map(|m| text.find(m)).min().unwrap_or(text.len());
    &text[..end]
}

/// Nouns that make a time or a rate a result in a sentence, besides the metric nouns; sorted.
#[rustfmt::skip]
static NOUNS: Lexicon = Lexicon::new(&["allreduce", "decode", "gemm", "kernel", "prefill"]);

/// Rates that nobody prints except as a result.
#[rustfmt::skip]
const TELLING: &[&str] = &["FLOP/s", "images/s", "infer/s", "ops/s", "queries/s", "req/s", "samples/s", "tok/s", "txn/s"];

/// `p99 TTFT`, `output tok/s`, `AllReduce time per step`
fn noun_phrase(left: &str, right: &str, hit: &Hit) -> Option<String> {
    let words_left: Vec<&str> = left.split_whitespace().collect();
    let near = words_left.len().saturating_sub(8);
    if let Some(at) = words_left.iter().skip(near).rposition(|w| is_noun(w) && fits(w, &hit.unit)).map(|at| at + near) {
        let from = at.saturating_sub(2);
        let kept: Vec<&str> =
            words_left[from..=at].iter().map(|w| w.trim_matches(PUNCTUATION)).skip_while(|w| is_stop(w)).collect();
        return Some(join(&kept, &hit.kind));
    }
    let words_right: Vec<&str> = right.split_whitespace().take(5).collect();
    if let Some(at) = words_right.iter().position(|w| is_noun(w) && fits(w, &hit.unit)) {
        let kept: Vec<&str> =
            words_right[..=at].iter().map(|w| w.trim_matches(PUNCTUATION)).filter(|w| !is_stop(w)).collect();
        return Some(join(&kept, &hit.kind));
    }
    let telling = TELLING.contains(&hit.unit.dimension.as_ref()) || hit.unit.dimension.starts_with("tok/s");
    let timed = hit.unit.is_time_per()
        || right.trim_start().starts_with("per ")
            && right
                .split_whitespace()
                .nth(1)
                .is_some_and(|w| matches!(w, "step" | "token" | "call" | "request" | "iteration" | "layer" | "op"));
    if telling {
        let kind = if hit.kind.is_empty() { String::new() } else { format!("{} ", hit.kind) };
        return Some(format!("{kind}{}", hit.unit.token));
    }
    timed.then(|| match hit.unit.token.split_once('/') {
        Some((_, per)) => format!("time per {per}"),
        None => format!("time {}", right.split_whitespace().take(2).collect::<Vec<_>>().join(" ")),
    })
}

const PUNCTUATION: &[char] = &['(', ')', ',', ':', ';', '*', '`', '"', '\'', '[', ']', '='];

fn join(words: &[&str], kind: &str) -> String {
    let mut all = words.join(" ");
    if !kind.is_empty() {
        all = format!("{all} {kind}");
    }
    all.trim().to_string()
}

/// Whether a noun and a unit can belong together: a latency is no rate, a bandwidth no time.
fn fits(word: &str, unit: &Unit) -> bool {
    match unit {
        u if u.is_rate() => !words::has(word, &TIMES),
        u if u.is_time() || u.is_time_per() => !words::has(word, &RATES),
        _ => true,
    }
}

/// Nouns of times; sorted.
static TIMES: Lexicon =
    Lexicon::new(&["duration", "e2e", "elapsed", "itl", "latencies", "latency", "runtime", "tpot", "ttft", "wall"]);

/// Nouns of rates; sorted.
static RATES: Lexicon = Lexicon::new(&[
    "algbw",
    "bandwidth",
    "busbw",
    "bw",
    "goodput",
    "iops",
    "qps",
    "rps",
    "throughput",
    "thrpt",
    "tput",
]);

fn is_noun(word: &str) -> bool {
    let bare = word.trim_matches(PUNCTUATION);
    (words::has(bare, &METRICS) || words::has(bare, &NOUNS)) && words::words(bare).len() <= 4
}

/// Words that no name begins with; sorted.
#[rustfmt::skip]
static STOPS: Lexicon = Lexicon::new(&["-", "a", "an", "and", "at", "by", "for", "from", "in", "is", "it", "its", "now", "of", "on", "or", "our", "per", "since", "taking", "that", "the", "this", "to", "was", "with", "x", "→"]);

fn is_stop(word: &str) -> bool {
    STOPS.has(&word.to_lowercase()) || word.bytes().any(|b| b.is_ascii_digit()) && !word.to_lowercase().starts_with('p')
}

/// Nouns of shares that are results by themselves.
static ACCURACIES: Lexicon = Lexicon::new(&["acc", "accuracy", "f1", "mfu"]);

/// `51.5% of decode time`, `hit rate 93%`
fn share_name(left: &str, right: &str) -> Option<String> {
    let right_words: Vec<&str> = right.split_whitespace().take(5).collect();
    if right_words.first() == Some(&"of") {
        let noun = right_words.iter().rposition(|w| is_noun(w) || w.trim_matches(PUNCTUATION) == "time")?;
        return Some(format!("share {}", right_words[..=noun].join(" ").trim_matches(PUNCTUATION)));
    }
    let left_words: Vec<&str> = left.split_whitespace().collect();
    let near = left_words.len().saturating_sub(4);
    let accuracy = |w: &&str| words::has(w, &ACCURACIES);
    let at = left_words.iter().skip(near).rposition(accuracy)? + near;
    Some(left_words[at.saturating_sub(1)..=at].iter().copied().filter(|w| !is_stop(w)).collect::<Vec<_>>().join(" "))
}

/// What the sentence is about: its beginning, up to a parenthesis or a colon, without list marks.
fn subject(before: &str) -> &str {
    let text = before.trim_start_matches(['-', '*', ' ', '#', '•']).trim_start_matches("[x]").trim_start_matches("[ ]");
    let end = text.find(['(', ':', '=', ',']).unwrap_or(text.len());
    let text = text[..end].trim().trim_matches(['*', '`', '~', '≈', ' ']);
    match text.char_indices().nth(60) {
        Some((cut, _)) => text[..text[..cut].rfind(' ').unwrap_or(cut)].trim(),
        None => text,
    }
}

/// `at concurrency 32`, `C=64`, `batch size 8`, `at 64 concurrent`
static SETTING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(concurrency|batch(?: size)?|bs|c|m|n|bsz|tp)(?: of |\s?=\s?| )(\d{1,6})\b|\b(\d{1,6}) (concurrent|clients|users|threads|gpus)\b").expect("fixed pattern")
});

/// Where a setting stands, its name and value.
type Setting = (Range<usize>, String, Value);

/// The settings of a sentence.
fn settings(sentence: &str) -> Vec<Setting> {
    let read = |found: Captures| {
        let (name, figure) = match (found.get(1), found.get(2)) {
            (Some(name), Some(figure)) => (name.as_str(), figure.as_str()),
            _ => (found.get(4)?.as_str(), found.get(3)?.as_str()),
        };
        let value = Value::Number(figure.parse().ok()?);
        Some((found.get(0)?.range(), name.to_string(), value))
    };
    SETTING.captures_iter(sentence).filter_map(read).collect()
}

/// The setting nearest before the figure, else the first after it.
fn setting(all: &[Setting], at: usize) -> Option<(String, Value)> {
    let before = all.iter().take_while(|(place, ..)| place.end <= at).last();
    let (_, name, value) = before.or_else(|| all.iter().find(|(place, ..)| place.start >= at))?;
    let known = words::has(name, &PARAMETERS) || name.len() > 2;
    known.then(|| (name.clone(), value.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, f64, String)> {
        let page = Page::new(text);
        figures(&page, 0).into_iter().map(|m| (m.name, m.value, m.unit.unwrap_or_default())).collect()
    }

    #[test]
    fn a_number_needs_a_unit_and_a_noun() {
        assert_eq!(read("Median TTFT fell to 236 ms."), [("Median TTFT".into(), 236.0, "ms".into())]);
        let two = read("Baseline (done: ~225 out tok/s, 516 total)");
        assert_eq!(two.len(), 2);
        assert_eq!((two[1].1, two[1].2.as_str()), (516.0, "tok/s"));
        for no in [
            "The timeout is 300 s.",
            "Edited 3 files in 5 s.",
            "Reach 1k+ total tok/s",
            "The latency target is 20 ms",
            "port 30000, PID 4128",
            "version 1.2.3 took 12 s",
            "NVLink 900 GB/s",
            "The kernel takes 5 ms or less.",
            "Keep the latency under 20 ms",
            "The documented throughput is 200 TFLOPS",
            "Its GEMM runs on the tensor cores (200 TFLOPS peak)",
        ] {
            assert_eq!(read(no), [], "{no}");
        }
    }

    #[test]
    fn changes_have_two_ends() {
        let all = figures(&Page::new("Throughput went from 1,359 to 1,842 tok/s at concurrency 32"), 0);
        assert_eq!(all.iter().map(|m| m.value).collect::<Vec<_>>(), [1359.0, 1842.0]);
        assert!(all[0].params.contains(&("when".into(), Value::Text("before".into()))));
        assert!(!SETTING.is_match("fabric 12"));
    }
}
