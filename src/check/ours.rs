//! An article of ours against the same article made again: each sentence, heading and cell in its place.
//!
//! Both texts fall into units in the same way: headings, sentences, list items, heads and rows of tables. A unit of the
//! article must be one of the fresh text, in the same section and table and in the same order. What a person took out
//! is fine; what they added is checked like anybody's prose. The source itself is compared, markup included, so that
//! no digit is outside: whitespace alone may differ.

use std::collections::{BTreeMap, BTreeSet};

use super::{log::Log, others, read, trailer::Trailer};
use crate::{
    base::span::ByteSpan,
    model::verdict::{Finding, Nearest, Origin, Report, Verdict},
    text::{
        flavour::Flavour,
        markdown::{self, BlockKind, line_of},
        quote,
    },
};

/// Share of common words from which a sentence counts as a changed one of ours.
const ALIKE: f64 = 0.6;

/// What a unit is.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Kind {
    Heading(u8),
    Sentence,
    Head,
    Row,
    Code,
    Comment,
}

/// A piece of an article that is compared as a whole.
#[derive(Clone, Debug)]
struct Unit {
    kind: Kind,
    line: usize,
    section: String,
    /// Head of its table, for rows.
    table: String,
    text: String,
    cells: Vec<String>,
}

/// Compares an article with the text that its own rules give now. `session`'s log serves for what was added.
pub fn check(article: &str, fresh: &str, trailer: &Trailer, log: &Log<'_>) -> Report {
    let (mine, made) = (units(article), units(fresh));
    let mut check = Check {
        made: &made,
        next: BTreeMap::new(),
        older: trailer.older(),
        report: Report::new(Origin::Ours),
        foreign: Vec::new(),
    };
    let sections = check.sections(&mine);
    for unit in mine.iter().filter(|u| u.kind != Kind::Comment) {
        let section = sections.iter().find(|(own, _)| *own == unit.section).map_or("", |(_, as_made)| as_made.as_str());
        check.unit(unit, section);
    }
    check.lines(article, fresh);
    let Check { mut report, foreign, older, .. } = check;
    report.merge(added(&foreign, older, log));
    report
}

/// A fresh text that was made with a placeholder for the log's name, with the name that the article prints there, since
/// a log may have been renamed. A name that is one digit away from the log's own is taken for a slip: then the log's own
/// name stands.
pub fn named(article: &str, fresh: &str, placeholder: &str, own: &str, flavour: Flavour) -> String {
    let line = fresh.lines().find(|l| l.contains(placeholder)).unwrap_or("");
    let (before, after) = line.split_once(placeholder).unwrap_or((line, ""));
    let printed =
        article.lines().find_map(|l| l.trim().strip_prefix(before.trim_start())?.strip_suffix(after.trim_end()));
    let own = quote::inline_for(flavour, own);
    let name = printed.filter(|n| !before.is_empty() && (**n == own || masked(n) != masked(&own))).unwrap_or(&own);
    fresh.replace(placeholder, name)
}

struct Check<'a> {
    made: &'a [Unit],
    /// Per section: the first made unit that may still come.
    next: BTreeMap<String, usize>,
    older: bool,
    report: Report,
    foreign: Vec<Unit>,
}

impl Check<'_> {
    /// Headings of the article, each with the heading of the fresh text that it is.
    fn sections(&self, mine: &[Unit]) -> Vec<(String, String)> {
        let made: Vec<&Unit> = self.made.iter().filter(|u| matches!(u.kind, Kind::Heading(_))).collect();
        let mut pairs = Vec::new();
        for own in mine.iter().filter(|u| matches!(u.kind, Kind::Heading(_))) {
            let same_level = made.iter().filter(|m| m.kind == own.kind);
            let hit = same_level
                .clone()
                .find(|m| m.text == own.text)
                .or_else(|| same_level.clone().find(|m| masked(&m.text) == masked(&own.text)))
                .or_else(|| same_level.clone().find(|m| likeness(&m.text, &own.text) >= ALIKE))
                .or_else(|| same_level.clone().next().filter(|_| own.kind == Kind::Heading(1)));
            pairs.push((own.text.clone(), hit.map_or(String::new(), |m| m.text.clone())));
        }
        pairs
    }

    fn unit(&mut self, unit: &Unit, section: &str) {
        if let Kind::Heading(_) = unit.kind {
            return self.heading(unit, section);
        }
        let here = |m: &Unit| m.kind == unit.kind && m.section == section && m.table == unit.table;
        let from = self.next.get(section).copied().unwrap_or(0);
        let same = |m: &Unit| m.text == unit.text;
        if let Some(at) = (from..self.made.len()).find(|i| here(&self.made[*i]) && same(&self.made[*i])) {
            self.next.insert(section.to_string(), at + 1);
            self.report.held += 1;
        } else if self.made.iter().any(|m| here(m) && same(m)) {
            self.fault(
                unit,
                "order",
                &unit.text,
                "stands earlier in this section, or once only, by the rule".into(),
                None,
            );
        } else if let Some(near) = self.near(unit, here) {
            self.differs(unit, near);
        } else if let Some(other) = self.made.iter().find(|m| m.kind == unit.kind && same(m)) {
            let reason = format!("stands in another place by the rule: {:?}", place(other));
            self.fault(unit, "place", &unit.text, reason, None);
        } else if let Some(at) =
            self.made.iter().position(|m| m.kind == unit.kind && masked(&m.text) == masked(&unit.text))
        {
            self.differs(unit, at);
        } else {
            self.foreign.push(unit.clone());
        }
    }

    fn heading(&mut self, unit: &Unit, made: &str) {
        if made == unit.text {
            self.report.held += 1;
        } else if made.is_empty() {
            self.foreign.push(unit.clone());
        } else {
            let (own, rule) = difference(&unit.text, made);
            self.fault(unit, "heading", &own, format!("the rule gives {rule}"), None);
        }
    }

    /// The made unit of the same place that this one was before somebody changed it.
    fn near(&self, unit: &Unit, here: impl Fn(&Unit) -> bool) -> Option<usize> {
        let candidates = || self.made.iter().enumerate().filter(|(_, m)| here(m));
        let digits = candidates().find(|(_, m)| masked(&m.text) == masked(&unit.text));
        if let Some((at, _)) = digits {
            return Some(at);
        }
        let score = |m: &Unit| match unit.kind {
            Kind::Row => row_likeness(&m.cells, &unit.cells),
            _ => likeness(&m.text, &unit.text),
        };
        let best = candidates().map(|(at, m)| (at, score(m))).max_by(|a, b| a.1.total_cmp(&b.1))?;
        (best.1 >= ALIKE).then_some(best.0)
    }

    /// A unit of ours that was changed: false where a value, a cell or a head differs, else a rewording.
    fn differs(&mut self, unit: &Unit, at: usize) {
        let near = &self.made[at];
        let reworded = unit.kind == Kind::Sentence && subsequence(&values(&unit.text), &values(&near.text));
        if reworded || self.older {
            return self.foreign.push(unit.clone());
        }
        if unit.kind == Kind::Row && near.cells.len() == unit.cells.len() {
            if near.cells == unit.cells {
                self.report.held += 1;
            }
            for (i, (own, rule)) in unit.cells.iter().zip(&near.cells).enumerate().filter(|(_, (a, b))| a != b) {
                let (own, rule) = difference(own, rule);
                self.fault(unit, "cell", &own, format!("the rule gives {rule} in column {}", i + 1), None);
            }
            return;
        }
        let (own, rule) = difference(&unit.text, &near.text);
        self.fault(unit, "sentence", &own, format!("the rule gives {rule}"), None);
    }

    fn fault(&mut self, unit: &Unit, rule: &'static str, words: &str, reason: String, nearest: Option<Nearest>) {
        let (line, section, words) = (unit.line, unit.section.clone(), words.to_string());
        self.report.findings.push(Finding { verdict: Verdict::False, rule, line, section, words, reason, nearest });
    }

    /// The net under everything: a line that is a fresh line but for its digits.
    fn lines(&mut self, article: &str, fresh: &str) {
        let told: BTreeSet<usize> = self.report.findings.iter().map(|f| f.line).collect();
        let lines: BTreeSet<String> = fresh.lines().map(squeezed).collect();
        let masks: BTreeSet<String> = lines.iter().map(|l| masked(l)).collect();
        for (i, line) in article.lines().enumerate().map(|(i, l)| (i + 1, squeezed(l))) {
            let ours = !line.starts_with("<!--") && !lines.contains(&line) && masks.contains(&masked(&line));
            if ours && !told.contains(&i) && !self.older {
                let rule = lines.iter().find(|l| masked(l) == masked(&line)).map_or("", String::as_str);
                let (own, rule) = difference(&line, rule);
                let unit = Unit { line: i, ..Unit::empty() };
                self.fault(&unit, "line", &own, format!("the rule gives {rule}"), None);
            }
        }
    }
}

/// What a person added, checked like anybody's prose. In an article of an older version a figure that the log does not
/// show is false.
fn added(foreign: &[Unit], older: bool, log: &Log<'_>) -> Report {
    let (mut text, mut lines) = (String::new(), Vec::new());
    for unit in foreign {
        let lead = match unit.kind {
            Kind::Row => format!("{}\n|{}\n", unit.table, "---|".repeat(unit.cells.len())),
            _ => String::new(),
        };
        let piece = format!("{lead}{}\n\n", unit.text);
        lines.extend(std::iter::repeat_n((unit.line, unit.section.clone()), piece.lines().count()));
        text += &piece;
    }
    let mut report = others::check(&text, log);
    for finding in &mut report.findings {
        if let Some((line, section)) = lines.get(finding.line.saturating_sub(1)) {
            (finding.line, finding.section) = (*line, section.clone());
        }
        if older && finding.verdict == Verdict::NotShown {
            finding.verdict = Verdict::False;
        }
    }
    report
}

impl Unit {
    fn empty() -> Self {
        let (section, table, text) = Default::default();
        Unit { kind: Kind::Sentence, line: 0, section, table, text, cells: Vec::new() }
    }
}

/// An article as units, in order; texts are the source with its blanks squeezed.
fn units(source: &str) -> Vec<Unit> {
    let mut all = Vec::new();
    let mut section = String::new();
    for block in markdown::blocks(source) {
        let raw = block.span.of(source).unwrap_or("");
        let mut add = |kind: Kind, span: ByteSpan, table: &str, cells: Vec<String>| {
            let text = squeezed(span.of(source).unwrap_or(""));
            if let Kind::Heading(_) = kind {
                section.clone_from(&text);
            }
            let line = line_of(source, span.start);
            all.push(Unit { kind, line, section: section.clone(), table: table.to_string(), text, cells });
        };
        match &block.kind {
            BlockKind::Heading(level) => add(Kind::Heading(*level), block.span, "", Vec::new()),
            BlockKind::Paragraph | BlockKind::Item => {
                for span in read::sentences(raw, &code_spans(raw)) {
                    add(Kind::Sentence, span.shift(block.span.start), "", Vec::new());
                }
            }
            BlockKind::Table(table) => {
                let first = raw.lines().next().unwrap_or("");
                let head = squeezed(first);
                add(Kind::Head, ByteSpan::new(block.span.start, block.span.start + first.len()), &head, Vec::new());
                for (span, cells) in &table.rows {
                    add(Kind::Row, *span, &head, cells.iter().map(|c| c.text.clone()).collect());
                }
            }
            BlockKind::Code => add(Kind::Code, block.span, "", Vec::new()),
            BlockKind::Comment => add(Kind::Comment, block.span, "", Vec::new()),
        }
    }
    all
}

/// Code spans of a source: runs of backticks up to the next run of the same length.
fn code_spans(raw: &str) -> Vec<ByteSpan> {
    let mut spans = Vec::new();
    let mut at = 0;
    while let Some(start) = raw[at..].find('`').map(|n| at + n) {
        let fence = raw[start..].len() - raw[start..].trim_start_matches('`').len();
        let mark = &raw[start..start + fence];
        let inside = start + fence;
        match raw[inside..].find(mark) {
            Some(n) => {
                at = inside + n + fence;
                spans.push(ByteSpan::new(start, at));
            }
            None => at = inside,
        }
    }
    spans
}

fn place(unit: &Unit) -> String {
    match unit.table.is_empty() {
        true => unit.section.clone(),
        false => format!("{}, table {}", unit.section, unit.table),
    }
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Every digit as `0`.
fn masked(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect()
}

/// Share of common words, counted on both sides.
fn likeness(a: &str, b: &str) -> f64 {
    let (a, b): (Vec<&str>, Vec<&str>) = (a.split(' ').collect(), b.split(' ').collect());
    let mut rest = b.clone();
    let common = a.iter().filter(|w| rest.iter().position(|r| r == *w).map(|i| rest.swap_remove(i)).is_some()).count();
    2.0 * common as f64 / (a.len() + b.len()) as f64
}

/// Rows are alike when their first cells are, or half of their cells.
fn row_likeness(a: &[String], b: &[String]) -> f64 {
    if a.len() != b.len() || a.is_empty() {
        return 0.0;
    }
    let equal = a.iter().zip(b).filter(|(x, y)| x == y).count() as f64 / a.len() as f64;
    let first = if a[0] == b[0] && !a[0].is_empty() { ALIKE } else { 0.0 };
    first + equal
}

/// Words with a digit, quotations and code: what may not change in a sentence.
fn values(text: &str) -> Vec<String> {
    let code = code_spans(text);
    let quotes: Vec<ByteSpan> = read::quotations(text, &code);
    let mut all: Vec<String> = code.iter().chain(&quotes).map(|s| text[s.start..s.end].to_string()).collect();
    all.extend(text.split_whitespace().filter(|w| w.chars().any(|c| c.is_ascii_digit() || c == '†')).map(String::from));
    all
}

fn subsequence(part: &[String], whole: &[String]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|p| rest.any(|w| w == p))
}

/// The words in which two texts differ, with a word around them.
fn difference(own: &str, rule: &str) -> (String, String) {
    let (a, b): (Vec<&str>, Vec<&str>) = (own.split(' ').collect(), rule.split(' ').collect());
    let head = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let tail = a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(|(x, y)| x == y).count();
    let cut = |words: &[&str]| {
        let (from, to) = (head.saturating_sub(1), (words.len() - tail + 1).min(words.len()));
        format!("{:?}", words[from..to].join(" "))
    };
    (cut(&a), cut(&b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::builder::{Origin as From, SessionBuilder};

    const FRESH: &str = "# Step takes 21.7 ms\n\n*About message 4.*\n\n## Measurements\n\nOne is 1.5 ms [msg 2]. Two is 2.5 ms [msg 3].\n\n| run | ms |\n|---|---|\n| 2 | 1.5 |\n| 3 | 2.5 |\n\n## Names\n\n1. `x9` and \"y 8\" [msg 4].\n2. Second.\n\n`[strip: plan 1 | run 2]`\n";

    fn session() -> crate::model::session::Session {
        let mut builder = SessionBuilder::new("bracketed");
        for text in ["a", "1.5 ms", "2.5 ms", "x9 y 8"] {
            builder.text(From::default(), text);
        }
        builder.finish()
    }

    fn falses(article: &str) -> Vec<Finding> {
        let session = session();
        let trailer = Trailer { version: env!("CARGO_PKG_VERSION").into(), ..Default::default() };
        let report = check(article, FRESH, &trailer, &Log::new(&session));
        report.findings.into_iter().filter(|f| f.verdict == Verdict::False).collect()
    }

    #[test]
    fn the_same_text_holds_however_it_is_wrapped() {
        assert_eq!(falses(FRESH), []);
        assert_eq!(falses(&FRESH.replace(". Two", ".\n Two").replace("| 2 | 1.5 |", "|  2 | 1.5  |")), []);
    }

    #[test]
    fn every_changed_digit_is_found() {
        for (at, _) in FRESH.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
            let digit = (FRESH.as_bytes()[at] - b'0' + 3) % 10;
            let mutant = format!("{}{digit}{}", &FRESH[..at], &FRESH[at + 1..]);
            assert!(!falses(&mutant).is_empty(), "not found: {mutant}");
        }
    }

    #[test]
    fn what_a_person_took_out_is_fine() {
        assert_eq!(falses(&FRESH.replace(" Two is 2.5 ms [msg 3].", "")), []);
        assert_eq!(falses(&FRESH.replace("| 2 | 1.5 |\n", "")), []);
        assert_eq!(falses(FRESH.split("## Names").next().unwrap()), []);
    }

    #[test]
    fn the_right_value_in_the_wrong_place_is_false() {
        assert!(!falses(&FRESH.replace("| 2 | 1.5 |\n| 3 | 2.5 |", "| 3 | 2.5 |\n| 2 | 1.5 |")).is_empty());
        assert!(!falses(&FRESH.replace("| 2 | 1.5 |", "| 2 | 2.5 |")).is_empty());
        assert!(
            !falses(&FRESH.replace("1.5 ms [msg 2]. Two is 2.5 ms [msg 3]", "1.5 ms [msg 3]. Two is 2.5 ms [msg 2]"))
                .is_empty()
        );
        let moved = FRESH.replace(" Two is 2.5 ms [msg 3].", "") + "\nTwo is 2.5 ms [msg 3].\n";
        assert!(!falses(&moved).is_empty());
    }

    #[test]
    fn words_of_titles_heads_and_quotations_count() {
        assert!(!falses(&FRESH.replace("# Step takes", "# Step wastes")).is_empty());
        assert!(!falses(&FRESH.replace("| run | ms |", "| run | us |")).is_empty());
        assert!(!falses(&FRESH.replace("\"y 8\"", "\"z 8\"")).is_empty());
    }

    #[test]
    fn added_prose_is_checked_like_anybodys() {
        assert_eq!(falses(&format!("{FRESH}\nIt went well, I think.\n")), []);
        assert!(!falses(&format!("{FRESH}\nSee [msg 77] for more on it.\n")).is_empty());
    }
}
