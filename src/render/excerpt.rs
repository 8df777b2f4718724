//! What a message says where an article cites it: the quoted words with a little of what stands around them, bounded
//! however long the message is. Reasoning is never shown.

use crate::{
    base::{ids::MessageIdx, span::ByteSpan},
    model::{
        evidence::Evidence,
        message::{Cut, Part, PartKind},
        session::Session,
    },
    text::{ansi::sequences, quote::visible},
};

/// Bytes shown before and after quoted words, at most; up to the ends of their lines where these are nearer.
const AROUND: usize = 160;
/// Bytes shown of a text of which nothing is quoted.
const OPENING: usize = 280;
/// Bytes shown of one part, at most.
const MOST: usize = 1600;
/// Fields of a call's input that are shown although nothing of them is quoted.
const FIELDS: usize = 3;

/// Bytes of the longest escape sequence that is looked for where a text is cut.
const SEQUENCE: usize = 64;

/// A stretch of an excerpt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Run {
    /// Words around what is quoted.
    Around(String),
    /// Words that the article rests on.
    Quoted(String),
    /// Something is left out here.
    Gap,
}

/// A part of a message, as far as it is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartExcerpt {
    /// Which side of the message it is.
    pub kind: PartKind,
    /// Field of the input; "" for everything else.
    pub field: String,
    /// Its stretches, in order; texts hold nothing that hides or acts.
    pub runs: Vec<Run>,
    /// How the log itself holds less than there was.
    pub cut: Option<Cut>,
}

/// A message, as far as it is shown. `evidence` is what rests on it; what lies in other messages is passed over.
pub fn of(session: &Session, at: MessageIdx, evidence: &[&Evidence]) -> Vec<PartExcerpt> {
    let mut fields = 0;
    let mut shown = Vec::new();
    for (i, part) in session.message(at).parts.iter().enumerate() {
        let here = evidence.iter().filter(|e| e.message() == at).filter_map(|e| e.quote());
        let mut spans: Vec<ByteSpan> = here.filter(|(part, _)| *part == i).map(|(_, span)| span).collect();
        spans.sort_by_key(|s| (s.start, s.end));
        let field = part.kind == PartKind::Input && spans.is_empty();
        fields += usize::from(field);
        if part.kind == PartKind::Reasoning || part.text.trim().is_empty() || field && fields > FIELDS {
            continue;
        }
        shown.push(excerpt(part, &spans));
    }
    shown
}

fn excerpt(part: &Part, spans: &[ByteSpan]) -> PartExcerpt {
    let text = part.text.as_str();
    let mut runs = Vec::new();
    let mut done = 0;
    for window in windows(text, spans) {
        if text[done..window.start].trim() != "" {
            runs.push(Run::Gap);
        }
        let mut at = window.start;
        for span in spans.iter().filter(|s| s.start < window.end && s.end > window.start) {
            push(&mut runs, &text[at..span.start.clamp(at, window.end)], Run::Around);
            at = at.max(span.start);
            push(&mut runs, &text[at..span.end.clamp(at, window.end)], Run::Quoted);
            at = at.max(span.end.min(window.end));
        }
        push(&mut runs, &text[at..window.end], Run::Around);
        done = window.end;
    }
    if text[done..].trim() != "" {
        runs.push(Run::Gap);
    }
    PartExcerpt { kind: part.kind, field: part.name.clone().unwrap_or_default(), runs, cut: part.cut }
}

fn push(runs: &mut Vec<Run>, text: &str, run: fn(String) -> Run) {
    if !text.is_empty() {
        runs.push(run(visible(text)));
    }
}

/// The stretches of a text that are shown: around each quoted span, or its beginning; in order, none touching, together
/// at most [`MOST`] bytes long.
fn windows(text: &str, spans: &[ByteSpan]) -> Vec<ByteSpan> {
    if spans.is_empty() {
        return vec![ByteSpan::new(0, edge(text, OPENING))];
    }
    let mut all: Vec<ByteSpan> = Vec::new();
    let mut room = MOST;
    for span in spans {
        let (from, to) = (before(text, span.start), after(text, span.end));
        let from = match all.last_mut() {
            Some(last) if text[last.end.min(from)..from].trim().is_empty() => last.end,
            _ => from,
        };
        let to = edge(text, to.min(from + room));
        if to <= from {
            continue;
        }
        room -= to - from;
        match all.last_mut().filter(|last| last.end == from) {
            Some(last) => last.end = to,
            None => all.push(ByteSpan::new(from, to)),
        }
    }
    all
}

/// Where the words before a quotation begin to be shown.
fn before(text: &str, start: usize) -> usize {
    let from = edge(text, start.saturating_sub(AROUND));
    match text[from..start].find('\n') {
        Some(_) if from == 0 => 0,
        Some(line) => from + line + 1,
        None => from,
    }
}

/// Where the words after a quotation cease to be shown.
fn after(text: &str, end: usize) -> usize {
    let to = edge(text, end + AROUND);
    match text[end..to].rfind('\n') {
        Some(line) if to < text.len() => end + line,
        _ => to,
    }
}

/// The last place at or before a byte where a text can be cut: no character and no escape sequence is split.
fn edge(text: &str, at: usize) -> usize {
    let at = floor(text, at);
    let near = floor(text, at.saturating_sub(SEQUENCE))..floor(text, at + SEQUENCE);
    let inside = sequences(&text[near.clone()]).map(|s| s.start + near.start..s.end + near.start).find(|s| s.end > at);
    inside.map_or(at, |sequence| at.min(sequence.start))
}

/// The last boundary of a character at or before a byte.
fn floor(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(text: &str) -> Part {
        Part { kind: PartKind::Output, name: None, text: text.into(), cut: None }
    }

    fn told(text: &str, spans: &[(usize, usize)]) -> String {
        let spans: Vec<ByteSpan> = spans.iter().map(|(a, b)| ByteSpan::new(*a, *b)).collect();
        let print = |run: Run| match run {
            Run::Around(text) => text,
            Run::Quoted(text) => format!("<{text}>"),
            Run::Gap => "…".to_string(),
        };
        excerpt(&part(text), &spans).runs.into_iter().map(print).collect()
    }

    #[test]
    fn quoted_words_stand_in_their_lines() {
        let line = "0123456789".repeat(12);
        let text = format!("{line}\n{line}\nhere it failed\n{line}\n{line}\n{line}\n");
        let at = text.find("failed").unwrap();
        assert_eq!(told(&text, &[(at, at + 6)]), format!("…{line}\nhere it <failed>\n{line}…"));
    }

    #[test]
    fn spans_that_overlap_or_repeat_are_shown_once() {
        assert_eq!(told("one two three", &[(0, 7), (4, 7), (4, 13)]), "<one two>< three>");
    }

    #[test]
    fn what_is_shown_is_bounded_and_splits_nothing() {
        let long = "é".repeat(9000);
        let shown = told(&long, &[(0, 18_000)]);
        assert!(shown.len() < MOST + 10 && shown.ends_with('…'), "{}", shown.len());
        assert!(told(&long, &[]).len() < OPENING + 10);
        let many: Vec<(usize, usize)> = (0..900).map(|i| (i * 20, i * 20 + 2)).collect();
        assert!(told(&long, &many).len() < 3 * MOST);
        let coloured = format!("{}\u{1b}[31mred\u{1b}[0m", "a".repeat(OPENING - 2));
        assert_eq!(told(&coloured, &[]), format!("{}…", "a".repeat(OPENING - 2)));
    }
}
