//! Tables of measurements that a document lacks although all is said to be in it.

use std::sync::LazyLock;

use super::{Watch, end};
use crate::{
    base::{ids::MessageIdx, span::ByteSpan},
    infer::audit::{
        contents,
        ledger::{Ledger, value},
    },
    model::{
        audit::{LooseEnd, Shown},
        message::{MessageKind, PartKind},
        metric::{MetricTable, PlacedTable, Value},
    },
    text::{pattern::Regex, sentence::sentences},
};

/// A document that is said to hold everything and lacks a table.
pub static LEFT_OUT: Watch = Watch {
    name: "left-out-of-the-report",
    about: "A text says that all or everything is in a file; the file, known to the last line, holds one table that was printed before, and of others few figures or none.",
    example: "\"All of it is in results.md\" where the file holds the profile and none of the sweep",
    limits: "Only files that are shown or written whole; whether those tables were meant is the reader's to say.",
    find,
};

/// `all of it is in results.md`, `everything is up to date in a/b.md`
static ALL_IN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:all|everything|complete|up to date)\b(?:[ ,]+[\w'-]+){0,6}[ ,:]+`?([\w./-]+\.(?:md|rst|txt|adoc|csv|json|html))\b").expect("valid")
});

fn find(log: &Ledger) -> Vec<LooseEnd> {
    let texts = log.session.iter().filter(|(_, m)| m.kind == MessageKind::Text);
    let mut all = Vec::new();
    for (at, message) in texts {
        let Some(part) = message.part_at(PartKind::Prose) else { continue };
        let text = &message.parts[part].text;
        for sentence in sentences(text) {
            let words = sentence.span.of(text).unwrap_or("");
            let named = ALL_IN.captures(words).and_then(|found| found.get(1));
            let missing = named.and_then(|file| lacking(log, file.as_str(), at));
            let what = log.session.cite(at, part, ByteSpan::new(sentence.span.start, sentence.span.end));
            all.extend(missing.zip(what).map(|((content, tables), what)| {
                let mut found = end(
                    log,
                    &LEFT_OUT,
                    what,
                    "the file as the log shows it holds few or none of the figures printed there",
                    Shown::Nothing,
                );
                found.log = tables.iter().map(|table| log.session.whole(table.at.message)).collect();
                found.log.push(log.session.whole(content.last));
                found
            }));
        }
    }
    all
}

/// The known content of a file, and the tables of which it holds no figure, where it holds most of another.
fn lacking<'a>(log: &Ledger<'a>, path: &str, before: MessageIdx) -> Option<(contents::Content, Vec<&'a PlacedTable>)> {
    let content = contents::of(log, path, before)?;
    let held: Vec<f64> = NUMBER.find_iter(&content.text).filter_map(|n| value(n.as_str())).collect();
    let printed = log.facts.tables.iter().filter(|t| t.at.message < before && t.at.run().is_some());
    let share = |table: &MetricTable| {
        let figures = telling(table);
        let found = figures.iter().filter(|f| held.iter().any(|h| (*h - **f).abs() < 1e-9)).count();
        (figures.len() >= LEAST).then_some(found as f64 / figures.len() as f64)
    };
    let rated: Vec<(f64, &PlacedTable)> = printed.filter_map(|t| Some((share(&t.table)?, t))).collect();
    let holds_one = rated.iter().any(|(share, _)| *share > 0.5);
    let missing: Vec<&PlacedTable> =
        rated.iter().filter(|(share, _)| *share <= HARDLY).map(|(_, table)| *table).collect();
    (holds_one && !missing.is_empty()).then_some((content, missing))
}

/// Figures of a table that no other thing has by chance: those with a decimal point.
fn telling(table: &MetricTable) -> Vec<f64> {
    // What says nothing of better and worse is no result: memory in use, versions.
    let measures = table.columns.iter().any(|column| column.better.is_some());
    let cells = table.rows.iter().flatten().filter(|cell| measures && cell.text.contains('.'));
    cells
        .filter_map(|cell| match cell.value {
            Value::Number(n) => Some(n),
            _ => None,
        })
        .collect()
}

/// A share of the figures that a document may hold by chance, or of its first row alone.
const HARDLY: f64 = 0.25;

/// Fewer figures say nothing of a table.
const LEAST: usize = 4;

/// `12.5`, `1,906.4`
static NUMBER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\d[\d,]*(?:\.\d+)?").expect("valid"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_to_hold_all() {
        let of = |text: &str| ALL_IN.captures(text).map(|c| c[1].to_string());
        assert_eq!(of("Profiling is done, all of it is in results.md.").as_deref(), Some("results.md"));
        assert_eq!(of("I wrote results.md and all is well."), None);
    }
}
