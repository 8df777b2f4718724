//! What the agent stated: sentences, list items, rows of tables and ticked boxes of its texts, and of the reports that it
//! put into tool inputs (bodies of pull requests, commit messages, replies).

use std::collections::BTreeSet;

use crate::{
    base::{ids::MessageIdx, span::ByteSpan},
    model::{
        facts::Facts,
        message::{Message, MessageKind, PartKind, ToolKind},
        session::Session,
    },
    text::sentence::{Block, sentences},
};

/// A statement.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'a> {
    /// Where it stands.
    pub message: MessageIdx,
    /// Part of the message.
    pub part: usize,
    /// Bytes of the part.
    pub span: ByteSpan,
    /// Its words.
    pub text: &'a str,
    /// The text that it stands in, as a whole.
    pub around: &'a str,
    /// What it stands in sums up or reports: the last text before the user speaks or the log ends, a text after a
    /// measurement, a report in a tool's input.
    pub reports: bool,
}

/// All statements, in the order of the log.
pub fn of<'a>(session: &'a Session, facts: &Facts) -> Vec<Statement<'a>> {
    let reporting = reporting(session, facts);
    let mut all = Vec::new();
    for (at, message) in session.iter() {
        match message.kind {
            MessageKind::Text => {
                let Some(part) = message.part_at(PartKind::Prose) else { continue };
                let text = message.parts[part].text.as_str();
                let reports = reporting.contains(&at);
                let spans = spans(text);
                all.extend(spans.into_iter().filter_map(|span| statement(at, part, text, span, reports)));
            }
            MessageKind::Tool => all.extend(reported(at, message)),
            MessageKind::User => {}
        }
    }
    all
}

fn statement<'a>(
    message: MessageIdx,
    part: usize,
    around: &'a str,
    span: ByteSpan,
    reports: bool,
) -> Option<Statement<'a>> {
    Some(Statement { message, part, span, text: span.of(around)?, around, reports })
}

/// The texts that report.
fn reporting(session: &Session, facts: &Facts) -> BTreeSet<MessageIdx> {
    let mut all = BTreeSet::new();
    let mut last = None;
    for (at, message) in session.iter() {
        match message.kind {
            MessageKind::User => all.extend(last.take()),
            MessageKind::Text => last = Some(at),
            MessageKind::Tool => {}
        }
    }
    all.extend(last);
    // What is said next to an output of a command is said of it.
    for run in &facts.commands {
        let next = MessageIdx(run.end().0 + 1);
        let told = next.at() < session.messages.len() && session.message(next).kind == MessageKind::Text;
        all.extend(told.then_some(next));
    }
    all
}

/// Sentences and items, and the rows of tables.
fn spans(text: &str) -> Vec<ByteSpan> {
    let told =
        sentences(text).into_iter().filter(|s| !matches!(s.block, Block::Heading | Block::Quote)).map(|s| s.span);
    let mut all: Vec<ByteSpan> = told.chain(rows(text)).collect();
    all.sort_by_key(|span| span.start);
    all
}

/// Rows of Markdown tables below their headings.
fn rows(text: &str) -> Vec<ByteSpan> {
    let (mut all, mut start, mut ruled) = (Vec::new(), 0, false);
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        if bare.starts_with('|') && bare.ends_with('|') && bare.len() > 2 {
            let rule = bare.bytes().all(|b| matches!(b, b'|' | b'-' | b':' | b' '));
            if ruled && !rule {
                let from = start + (line.len() - line.trim_start().len());
                all.push(ByteSpan::new(from, from + bare.len()));
            }
            ruled |= rule;
        } else {
            ruled = false;
        }
        start += line.len();
    }
    all
}

/// Words of a command line that carry a report to others.
const CARRIERS: &[&str] =
    &["gh pr create", "gh pr comment", "gh pr edit", "gh pr review", "gh issue", "gh api", "glab mr", "git commit"];

/// Fields of inputs of other tools that hold a report.
const BODIES: &[&str] = &["body", "comment", "message", "description"];

/// The lines of a report inside a tool's input.
fn reported(at: MessageIdx, message: &Message) -> Vec<Statement<'_>> {
    let Some(call) = &message.call else { return Vec::new() };
    let carries = |name: Option<&str>, text: &str| match call.kind {
        ToolKind::Shell => CARRIERS.iter().any(|words| text.contains(words)),
        ToolKind::Other => name.is_some_and(|name| BODIES.contains(&name)) && text.contains(' '),
        _ => false,
    };
    let parts = message.parts.iter().enumerate().filter(|(_, p)| p.kind == PartKind::Input);
    let parts = parts.filter(|(_, part)| carries(part.name.as_deref(), &part.text));
    parts
        .flat_map(|(i, part)| {
            lines(&part.text).into_iter().filter_map(move |span| statement(at, i, &part.text, span, true))
        })
        .collect()
}

/// The lines of a report, cut into sentences where they hold several.
fn lines(text: &str) -> Vec<ByteSpan> {
    let mut all = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        // A ticked box begins where its tick ends, whatever stands before it on the line.
        let box_end = ["[x]", "[X]"].iter().find_map(|mark| bare.find(mark)).map(|at| at + 3);
        let inner = sentences(&bare[box_end.unwrap_or(0)..]);
        let shift = start + box_end.unwrap_or(0);
        all.extend(inner.iter().map(|s| s.span.shift(shift)));
        start += line.len();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_sentences() {
        let text = "Done. It takes 5 ms.\n\n| case | ms |\n|---|---|\n| small | 5.25 |\n\n## Next\n";
        let found: Vec<&str> = spans(text).into_iter().filter_map(|s| s.of(text)).collect();
        assert_eq!(found, ["Done.", "It takes 5 ms.", "| small | 5.25 |"]);
    }
}
