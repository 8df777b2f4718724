//! *The closing summary against the log*: can I forward the agent's summary? Only figures that no output shows are
//! listed. That a figure stands in some output is no praise: it may be another one's, in another unit.

use std::sync::LazyLock;

use regex::Regex;

use super::{section, table};
use crate::{
    base::{ids::MessageIdx, span::ByteSpan},
    model::{
        article::{ArticleRow, Section},
        evidence::Evidence,
        message::{Cut, PartKind},
    },
    report::{
        Material,
        phrase::{Phrase, around},
    },
};

/// A figure worth checking: a decimal, a number of three digits or more, or a number with a sign of its unit. `0.1671`,
/// `1,906.4`, `51.5 %`, `2x`; not the `3` of "3 files" and not a digit inside a name.
static FIGURE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+|\d{3,}|\d+ ?[%×x]").expect("valid"));

/// See the module.
pub fn make(m: &Material) -> Option<Section> {
    let at = m.closing()?;
    let part = m.session.message(at).part_at(PartKind::Prose)?;
    let text = &m.session.message(at).parts[part].text;
    let figures: Vec<ByteSpan> = FIGURE
        .find_iter(text)
        .map(|f| ByteSpan::new(f.start(), f.end()))
        .filter(|span| stands_alone(text, *span))
        .collect();
    let log = Outputs::of(m, at);
    let shown = |span: &&ByteSpan| {
        let slack = if is_about(&text[..span.start]) { ABOUT } else { 0.0 };
        log.holds(span.of(text).unwrap_or(""), slack)
    };
    let missing: Vec<ByteSpan> = figures.iter().filter(|span| !shown(span)).copied().collect();
    let mut by_subject: Vec<(ByteSpan, Vec<ByteSpan>)> = Vec::new();
    for span in &missing {
        let subject = named(text, *span);
        match by_subject.iter_mut().find(|(known, _)| *known == subject) {
            Some((_, spans)) => spans.push(*span),
            None => by_subject.push((subject, vec![*span])),
        }
    }
    let rows = by_subject.iter().filter_map(|(subject, spans)| row(m, at, part, *subject, spans)).take(6).collect();
    section("The closing summary against the log", vec![table(&["the last text says", "the log shows"], rows)])
}

fn row(m: &Material, at: MessageIdx, part: usize, subject: ByteSpan, figures: &[ByteSpan]) -> Option<ArticleRow> {
    let quote = m.session.cite(at, part, subject)?;
    let figures: Vec<Evidence> = figures.iter().filter_map(|span| m.session.cite(at, part, *span)).collect();
    let one = figures.len() == 1;
    let phrase = m.derived("summary-figure").weighing(8).quote(&quote).cell();
    let phrase = phrase.list(&figures, ", ", " and ", |p: Phrase, f| p.code(f));
    let phrase = if one { phrase.say(" stands in no output shown") } else { phrase.say(" stand in no output shown") };
    let phrase = phrase.searched(MessageIdx(0), at);
    let phrase = if outputs_cut(m) { phrase.say("; outputs of this log are cut") } else { phrase };
    phrase.row()
}

/// What the figure is said of: the first cell of its row in a table, else the words around it.
fn named(text: &str, span: ByteSpan) -> ByteSpan {
    let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let line = text[start..].lines().next().unwrap_or("");
    let cell = line.strip_prefix('|').and_then(|rest| rest.split('|').next());
    match cell.filter(|c| c.chars().any(char::is_alphabetic)) {
        Some(cell) => {
            let at = start + 1 + (cell.len() - cell.trim_start().len());
            ByteSpan::new(at, at + cell.trim().len())
        }
        None => around(text, span, 6),
    }
}

/// Whether the words before a figure say that it is rounded: `~1240`, `about 50 %`; not `at 1240`.
fn is_about(before: &str) -> bool {
    const WORDS: &[&str] = &["about", "almost", "approximately", "around", "ca.", "circa", "nearly", "roughly", "some"];
    let before = before.trim_end();
    before.ends_with(['~', '≈', '∼', '约']) || before.split_whitespace().next_back().is_some_and(|w| WORDS.contains(&w))
}

/// How far a figure that is said to be rounded may lie from a printed one, as a share of it.
const ABOUT: f64 = 0.01;

/// Not part of a name, a path, a version or a longer number.
fn stands_alone(text: &str, span: ByteSpan) -> bool {
    let glue = |c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '-' | '.' | '#' | '@' | ':' | '`');
    let before = text[..span.start].chars().next_back();
    let mut after = text[span.end..].chars();
    let (next, second) = (after.next(), after.next());
    let ends_sentence = matches!(next, Some('.' | ':')) && second.is_none_or(char::is_whitespace);
    !before.is_some_and(glue) && (ends_sentence || !next.is_some_and(glue))
}

fn outputs_cut(m: &Material) -> bool {
    m.session.messages.iter().flat_map(|msg| &msg.parts).any(|p| p.kind == PartKind::Output && p.cut == Some(Cut::End))
}

/// Every number that tools printed or wrote before a message.
struct Outputs(Vec<f64>);

impl Outputs {
    fn of(m: &Material, before: MessageIdx) -> Self {
        let parts =
            m.session.messages[..before.at()].iter().filter(|msg| msg.call.is_some()).flat_map(|msg| &msg.parts);
        let mut values: Vec<f64> =
            parts.flat_map(|p| NUMBER.find_iter(&p.text)).filter_map(|n| value(n.as_str())).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        Self(values)
    }

    /// Whether some printed number is this one after rounding to its digits, or by a share of it, and one of the scales.
    fn holds(&self, token: &str, slack: f64) -> bool {
        let Some(wanted) = value(token) else { return true };
        let digits = token.trim_end_matches(|c: char| !c.is_ascii_digit()).rsplit_once('.').map_or(0, |(_, d)| d.len());
        let half = (0.5 * 10f64.powi(-(digits as i32)) + 1e-9).max(wanted * slack);
        SCALES.iter().any(|scale| {
            let (low, high) = ((wanted - half) / scale, (wanted + half) / scale);
            let from = self.0.partition_point(|v| *v < low);
            self.0.get(from).is_some_and(|v| *v <= high)
        })
    }
}

/// As printed, as a share of one or a hundred, or in the next larger or smaller unit.
const SCALES: &[f64] = &[1.0, 100.0, 0.01, 1000.0, 0.001, 1024.0, 1.0 / 1024.0];

/// Any number: `12`, `1,906.4`, `0.1671`.
static NUMBER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?").expect("valid"));

fn value(token: &str) -> Option<f64> {
    let digits: String = token.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_rounding_widen_a_figure() {
        assert!(is_about("it serves ~") && is_about("it serves about ") && !is_about("it stops at "));
        let outputs = Outputs(vec![1238.0, 1244.0]);
        assert!(outputs.holds("1240", ABOUT) && !outputs.holds("1240", 0.0) && outputs.holds("1.24", 0.0));
    }
}
