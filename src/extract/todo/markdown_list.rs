//! Checklists and plans written in Markdown, read by line outside fences: enough to tell items from prose, with the
//! bytes of each. Not a Markdown parser.

use std::sync::LazyLock;

use regex::Regex;

use super::status;
use crate::{base::span::ByteSpan, model::todo::TodoStatus};

/// `- [x] done`, `3. [ ] open`, `[x] bare`, `-[/] begun`.
static TICKED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*(?:[-*+]\s*|\d+[.)]\s+)?\[([ xX~/>-])\]\s+(\S.*?)\s*$").expect("valid"));
/// `2. [in_progress] Move the parser`, `- [done] parse`: a word in the box.
static TAGGED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:[-*+]\s*|#?\d+[.):]?\s+)?\[([A-Za-z][A-Za-z_ -]*)\]\s+(\S.*?)\s*$").expect("valid")
});
/// `2. Move the parser`, not indented below another item.
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^ {0,1}\d{1,3}[.)]\s+(\S.*?)\s*$").expect("valid"));
/// `## Move the parser`, level two to four.
static HEADING: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^#{2,4}\s+(\S.*?)\s*#*\s*$").expect("valid"));
/// `# Build`, of any level.
static TITLE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\s{0,3}#{1,6}\s+(\S.*?)\s*#*\s*$").expect("valid"));
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
    /// The character or word in the box.
    pub mark: &'a str,
    /// The heading above it, where headings divide a list.
    pub group: Option<&'a str>,
}

/// The ticked and unticked boxes of a text.
pub(super) fn checklist(text: &str) -> Vec<Entry<'_>> {
    lines(text).into_iter().filter_map(|(start, line)| ticked(start, line)).collect()
}

/// Whether a text begins with a box, which might as well be the beginning of a list in JSON.
pub(super) fn begins_with_box(text: &str) -> bool {
    let first = text.trim_start().lines().next().unwrap_or_default();
    ticked(0, first).or_else(|| tagged(0, first)).is_some()
}

/// A text that is a task list: its boxes, also those with a status word, under its headings.
pub(super) fn task_list(text: &str) -> Vec<Entry<'_>> {
    let mut group = None;
    let mut entries = Vec::new();
    for (start, line) in lines(text) {
        if let Some(heading) = TITLE.captures(line).and_then(|found| found.get(1)) {
            group = Some(heading.as_str());
        } else if let Some(entry) = ticked(start, line).or_else(|| tagged(start, line)) {
            entries.push(Entry { group, ..entry });
        }
    }
    // A heading above all of it is the name of the list.
    if entries.iter().all(|e: &Entry| e.group == entries[0].group) {
        entries.iter_mut().for_each(|e| e.group = None);
    }
    entries
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
    boxed(&TICKED, status::of_mark, start, line)
}

fn tagged(start: usize, line: &str) -> Option<Entry<'_>> {
    boxed(&TAGGED, status::of, start, line).filter(|entry| entry.status != TodoStatus::Other)
}

fn boxed<'a>(pattern: &Regex, status: fn(&str) -> TodoStatus, start: usize, line: &'a str) -> Option<Entry<'a>> {
    let found = pattern.captures(line)?;
    let (mark, text) = (found.get(1)?.as_str(), found.get(2)?);
    let span = ByteSpan::new(start + text.start(), start + text.end());
    Some(Entry { text: text.as_str(), span, status: status(mark), mark, group: None })
}

fn captured<'a>(pattern: &Regex, start: usize, line: &'a str) -> Option<Entry<'a>> {
    let text = pattern.captures(line)?.get(1)?;
    let span = ByteSpan::new(start + text.start(), start + text.end());
    Some(Entry { text: text.as_str(), span, status: TodoStatus::NotShown, mark: "", group: None })
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
    fn a_task_list_has_words_in_its_boxes_and_headings_that_divide_it() {
        let text = "# Mill\n## Grind\n1. [completed] Sow\n-[/] Reap\n## Bake\n- [in-progress] Knead\n- [note] rest\n";
        let told: Vec<_> = task_list(text).iter().map(|e| (e.text, e.status.word(), e.mark, e.group)).collect();
        let expected = [
            ("Sow", "completed", "completed", Some("Grind")),
            ("Reap", "in_progress", "/", Some("Grind")),
            ("Knead", "in_progress", "in-progress", Some("Bake")),
        ];
        assert_eq!(told, expected);
        assert!(task_list("# Mill\n- [ ] Sow\n- [x] Reap\n").iter().all(|e| e.group.is_none()));
        assert!(checklist("1. [completed] Sow\n").is_empty());
    }

    #[test]
    fn a_plan_is_its_stages_before_its_numbered_lines() {
        let staged = "# Plan\n## Context\nx\n## Step 1: parse\n1. a\n2. b\n## Step 2: render\n";
        assert_eq!(texts(plan(staged)), ["not shown Step 1: parse", "not shown Step 2: render"]);
        assert_eq!(texts(plan("Do this:\n1. parse\n   1. deep\n2. render\n")), ["not shown parse", "not shown render"]);
        assert!(plan("One thought only.\n1. alone\n").is_empty());
    }
}
