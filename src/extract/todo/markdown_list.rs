//! Checklists and plans written in Markdown, read by line outside fences: enough to tell items from prose, with the
//! bytes of each. Not a Markdown parser.

use std::sync::LazyLock;

use regex::Regex;

use crate::{base::span::ByteSpan, model::todo::TodoStatus};

/// `- [x] done`, `3. [ ] open`, `[x] bare`.
static TICKED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:[-*+]\s+|\d+[.)]\s+)?\[([ xX~/>-]|pending|in_progress|completed|cancelled)\]\s+(\S.*?)\s*$")
        .expect("valid")
});
/// `2. Move the parser`, not indented below another item.
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^ {0,1}\d{1,3}[.)]\s+(\S.*?)\s*$").expect("valid"));
/// `## Move the parser`, level two to four.
static HEADING: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^#{2,4}\s+(\S.*?)\s*#*\s*$").expect("valid"));
/// `Step 2: move the parser`, `Phase 1`, `3. tests` as the text of a heading.
static STAGE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)^(?:step|phase|part|task|stage|milestone)\s+\d|^\d{1,3}[.):]").expect("valid"));

/// An item found in a text.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Entry<'a> {
    /// Its text.
    pub text: &'a str,
    /// Its bytes.
    pub span: ByteSpan,
    /// What its box says; not shown where it has none.
    pub status: TodoStatus,
    /// The character in the box.
    pub mark: &'a str,
}

/// The ticked and unticked boxes of a text.
pub(super) fn checklist(text: &str) -> Vec<Entry<'_>> {
    lines(text).into_iter().filter_map(|(start, line)| ticked(start, line)).collect()
}

/// The steps of a plan: its checklist, else its headings that are numbered stages, else its numbered lines, else its
/// headings.
pub(super) fn plan(text: &str) -> Vec<Entry<'_>> {
    /// A single one is no list.
    const FEWEST: usize = 2;
    let lines = lines(text);
    let by = |pattern: &Regex| -> Vec<Entry<'_>> {
        lines.iter().filter_map(|(start, line)| captured(pattern, *start, line)).collect()
    };
    let headings = by(&HEADING);
    let stages = headings.iter().filter(|e| STAGE.is_match(e.text)).cloned().collect();
    let ways = [checklist(text), stages, by(&NUMBERED), headings];
    ways.into_iter().find(|entries| entries.len() >= FEWEST).unwrap_or_default()
}

/// Lines outside code fences, with their first byte.
fn lines(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let (mut at, mut fence) = (0, None);
    for line in text.split_inclusive('\n') {
        let bare = line.trim_start();
        let marks = ["```", "~~~"].into_iter().find(|marks| bare.starts_with(marks));
        match (fence, marks) {
            (None, Some(_)) => fence = marks,
            (Some(open), Some(marks)) if open == marks => fence = None,
            (None, None) => found.push((at, line.trim_end_matches(['\n', '\r']))),
            _ => {}
        }
        at += line.len();
    }
    found
}

fn ticked(start: usize, line: &str) -> Option<Entry<'_>> {
    let found = TICKED.captures(line)?;
    let (mark, text) = (found.get(1)?, found.get(2)?);
    let status = match mark.as_str() {
        " " => TodoStatus::Pending,
        "x" | "X" => TodoStatus::Completed,
        "-" => TodoStatus::Cancelled,
        word if word.len() > 1 => super::status::of(word),
        _ => TodoStatus::InProgress,
    };
    let span = ByteSpan::new(start + text.start(), start + text.end());
    Some(Entry { text: text.as_str(), span, status, mark: mark.as_str() })
}

fn captured<'a>(pattern: &Regex, start: usize, line: &'a str) -> Option<Entry<'a>> {
    let text = pattern.captures(line)?.get(1)?;
    let span = ByteSpan::new(start + text.start(), start + text.end());
    Some(Entry { text: text.as_str(), span, status: TodoStatus::NotShown, mark: "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(entries: Vec<Entry>) -> Vec<String> {
        entries.iter().map(|e| format!("{} {}", e.status.word(), e.text)).collect()
    }

    #[test]
    fn boxes_are_read_outside_fences() {
        let text = "Done:\n- [x] build\r\n  * [ ] test\n```\n- [x] quoted\n```\n1. [~] ship\n- [link](x)\n";
        assert_eq!(texts(checklist(text)), ["completed build", "pending test", "in_progress ship"]);
        let entry = &checklist(text)[0];
        assert_eq!(entry.span.of(text), Some("build"));
    }

    #[test]
    fn a_plan_is_its_stages_before_its_numbered_lines() {
        let staged = "# Plan\n## Context\nx\n## Step 1: parse\n1. a\n2. b\n## Step 2: render\n";
        assert_eq!(texts(plan(staged)), ["not shown Step 1: parse", "not shown Step 2: render"]);
        assert_eq!(texts(plan("Do this:\n1. parse\n   1. deep\n2. render\n")), ["not shown parse", "not shown render"]);
        assert!(plan("One thought only.\n1. alone\n").is_empty());
    }
}
