//! Measurements in tool outputs, texts and todo items, each tied to the message, the part and the bytes it stands in.
//!
//! What a tool only shows (file contents, search hits, listings) was measured by nobody here: such outputs are passed
//! over, except files whose name says that they hold results.

use std::collections::BTreeSet;

use super::{
    Extractor,
    bench::{self, Mode},
    origin::Origins,
};
use crate::{
    base::{ids::MessageIdx, span::ByteSpan},
    model::{
        evidence::Evidence,
        facts::Facts,
        message::{Message, MessageKind, PartKind, ToolKind},
        metric::{Extraction, Measurement, Origin, Place, PlacedMetric, PlacedQuality, PlacedTable},
        session::Session,
    },
    text::harness::printed,
};

/// See the module.
pub struct Metrics;

impl Extractor for Metrics {
    fn name(&self) -> &'static str {
        "metrics"
    }

    fn about(&self) -> &'static str {
        "Measurements in tool outputs, texts and todo items"
    }

    fn run(&self, session: &Session, facts: &mut Facts) {
        let mut origins = Origins::default();
        for (at, message) in session.iter() {
            let origin = origins.of(facts, at, message);
            for (part, mode) in readable(message) {
                let text = &message.parts[part].text;
                // The wall time in the head of a harness was measured by nobody in the session.
                let shown = if mode == Mode::Output { printed(text) } else { 0..text.len() };
                let found = shifted(bench::extract(&text[shown.clone()], mode), shown.start);
                place(session, facts, (at, part, origin), found);
            }
        }
        todo_items(session, facts);
        facts.metrics.sort_by_key(|a| order(&a.evidence));
    }
}

/// What was read of a part of a text, with spans of the whole.
fn shifted(mut found: Extraction, by: usize) -> Extraction {
    if by > 0 {
        let cells = found.tables.iter_mut().flat_map(|t| &mut t.rows).flatten();
        cells.for_each(|cell| cell.span = cell.span.shift(by));
        found.metrics.iter_mut().for_each(|metric| metric.span = metric.span.shift(by));
        found.quality_span = found.quality_span.map(|span| span.shift(by));
    }
    found
}

fn order(evidence: &Evidence) -> (MessageIdx, Option<(usize, ByteSpan)>) {
    (evidence.message(), evidence.quote())
}

/// The parts of a message in which measurements are looked for, and how.
fn readable(message: &Message) -> Vec<(usize, Mode)> {
    let (wanted, mode) = match message.kind {
        MessageKind::User | MessageKind::Text => (PartKind::Prose, Mode::Prose),
        MessageKind::Tool if prints_results(message) => (PartKind::Output, Mode::Output),
        MessageKind::Tool => return Vec::new(),
    };
    let parts = message.parts.iter().enumerate();
    parts.filter(|(_, p)| p.kind == wanted).map(|(i, _)| (i, mode)).collect()
}

/// Endings of files that hold results rather than sources.
const RESULT_FILES: &[&str] = &[".csv", ".log", ".out", ".tsv", ".txt"];

/// Programs whose output is the contents of files, listings or states, never a measurement.
const SHOWING: &[&str] =
    &["grep", "rg", "ls", "find", "ps", "df", "du", "git", "diff", "top", "env", "pip", "npm", "history"];

fn prints_results(message: &Message) -> bool {
    match message.tool() {
        Some(ToolKind::Shell) => !message.command().is_some_and(only_shows),
        Some(ToolKind::Job | ToolKind::Agent | ToolKind::Other) => true,
        Some(ToolKind::Read) => message.path().is_some_and(|p| RESULT_FILES.iter().any(|e| p.ends_with(e))),
        _ => false,
    }
}

/// A single command that only shows what is there, or prints a source file.
fn only_shows(line: &str) -> bool {
    let line = line.trim();
    let first = line.split_whitespace().next().unwrap_or("");
    let single = !line.contains(['|', ';', '\n']) && !line.contains("&&");
    let prints = matches!(first, "cat" | "head" | "tail" | "sed");
    single && (SHOWING.contains(&first) || prints && !RESULT_FILES.iter().any(|e| line.contains(e)))
}

fn place(
    session: &Session,
    facts: &mut Facts,
    (message, part, origin): (MessageIdx, usize, Origin),
    found: Extraction,
) {
    let run = if let Origin::Run(run) = origin { run } else { message };
    let command = session.message(run).command().map(str::to_string);
    let at = || Place { message, part, command: command.clone(), origin };
    for table in found.tables {
        if let Some(evidence) = session.cite(message, part, table.span()) {
            facts.tables.push(PlacedTable { table, at: at(), evidence });
        }
    }
    for metric in found.metrics {
        if let Some(evidence) = session.cite(message, part, metric.span) {
            facts.metrics.push(PlacedMetric { metric, at: at(), evidence });
        }
    }
    if let Some(span) = found.quality_span.filter(|_| !found.quality.is_empty())
        && let Some(evidence) = session.cite(message, part, span)
    {
        facts.quality.push(PlacedQuality { counts: found.quality, at: at(), evidence });
    }
}

/// Figures in todo items, each wording once: a list is written again with every change of a status.
fn todo_items(session: &Session, facts: &mut Facts) {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut all = Vec::new();
    for (_, item) in facts.new_todo_items() {
        let Some((part, span)) = item.evidence.quote().filter(|_| seen.insert(item.content.clone())) else {
            continue;
        };
        let message = item.evidence.message();
        for metric in bench::extract(session.quoted(&item.evidence), Mode::Prose).metrics {
            let metric = Measurement { span: metric.span.shift(span.start), ..metric };
            if let Some(evidence) = session.cite(message, part, metric.span) {
                all.push(PlacedMetric {
                    metric,
                    at: Place { message, part, command: None, origin: Origin::Stated },
                    evidence,
                });
            }
        }
    }
    facts.metrics.extend(all);
}
