//! What an agent's section says: thoughts, texts, and calls in `<tool-use>` elements.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::json;

use super::cut::end_of_use;
use crate::{
    base::locate::Locator,
    model::{
        builder::{Field, ResultOf},
        message::{Cut, ToolKind},
    },
    source::{
        exit_words::ending,
        fenced::{Fenced, fenced},
        fields::fields,
        tool_names::kind_of,
    },
    text::cut_mark,
};

/// A piece of a section.
pub enum Piece<'a> {
    /// A thought.
    Thought(&'a str),
    /// A text.
    Said(&'a str),
    /// A call.
    Used(Used),
}

/// A call as it is shown.
pub struct Used {
    /// The tool's name.
    pub name: String,
    /// What it does.
    pub kind: ToolKind,
    /// What is shown of its input.
    pub fields: Vec<Field>,
    /// What is shown of its result; its place is the caller's.
    pub result: Option<ResultOf>,
}

const THINK: &str = "<think>";
const THOUGHT: &str = "</details></think>";

/// `<tool-use data-tool-type="shell" data-tool-name="Bash">`
static OPENING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^<tool-use data-tool-type="([^"]*)" data-tool-name="([^"]*)"[^>\n]*>"#).expect("valid")
});
/// `<summary>Tool use: **Bash**</summary>`
static SUMMARY: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?s)^\s*(?:<details>)?\s*<summary>(.*?)</summary>").expect("valid"));
/// A line that is one code span.
static SPAN: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)^ ?`([^`\n]+)`\s*$").expect("valid"));
/// `path `src``, a field of a search.
static NAMED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(path|pattern|glob|query) `([^`\n]*)`").expect("valid"));
/// `- [x] 🌡️ text`, an item of a task list.
static ITEM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^- \[([^\]\n]{1,8})\] (?:[^\w\s`'(\[\x22.,:;-]+\x{fe0f}? )?(.+?)\s*$").expect("valid")
});

/// Hands over the pieces of a section with their first byte in it; whether the last one does not end.
pub fn pieces<'a>(text: &'a str, mut each: impl FnMut(usize, Piece<'a>)) -> bool {
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let blank = rest.len() - rest.trim_start().len();
        if blank > 0 {
            at += blank;
            continue;
        }
        if rest.starts_with(THINK) {
            let end = rest.find(THOUGHT);
            each(at, Piece::Thought(thought(&rest[..end.unwrap_or(rest.len())])));
            let Some(end) = end else { return true };
            at += end + THOUGHT.len();
        } else if let Some(opening) = OPENING.captures(rest) {
            let lines: Vec<(usize, &str)> = with_starts(rest);
            let end = end_of_use(&lines, 0);
            let closed = rest[lines[end].0..].trim_end().contains("</details></tool-use>");
            let end = if closed { lines[end].0 + lines[end].1.len() } else { rest.len() };
            let mut call = used(&opening[1], &opening[2], &rest[opening[0].len()..end]);
            // Some versions put what a tool returned directly behind its element.
            let behind = rest[end..].starts_with("```").then(|| fenced(&rest[end..], |_| true)).flatten();
            if let Some(block) = behind {
                call.output(block.text);
            }
            each(at, Piece::Used(call));
            if !closed {
                return true;
            }
            at += end + behind.map_or(0, |block| block.end);
        } else {
            let end = next_element(rest);
            each(at, Piece::Said(rest[..end].trim_end()));
            at += end;
        }
    }
    false
}

fn with_starts(text: &str) -> Vec<(usize, &str)> {
    let mut at = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        lines.push((at, line));
        at += line.len();
    }
    lines
}

/// Where the next element begins, after a blank line.
fn next_element(text: &str) -> usize {
    let begins = |at: &usize| {
        let rest = &text[*at..];
        rest.starts_with("<think><details>") || OPENING.is_match(rest)
    };
    text.match_indices("\n\n").map(|(at, _)| at + 2).find(begins).unwrap_or(text.len())
}

fn thought(element: &str) -> &str {
    element.split_once("</summary>").map_or("", |(_, text)| text).trim()
}

fn used(group: &str, name: &str, body: &str) -> Used {
    let body = body.trim_end().trim_end_matches("</tool-use>").trim_end_matches("</details>");
    let (summary, body) = match SUMMARY.captures(body) {
        Some(found) => (found[1].to_string(), &body[found[0].len()..]),
        None => (String::new(), body.trim_start().strip_prefix("<details>").unwrap_or(body)),
    };
    let name = plain(name);
    let kind = match (kind_of(&name), group) {
        (ToolKind::Other, "shell" | "bash") => ToolKind::Shell,
        (ToolKind::Other, "read") => ToolKind::Read,
        (ToolKind::Other, "write") => ToolKind::Edit,
        (ToolKind::Other, "search") => ToolKind::Search,
        (ToolKind::Other, "task") => ToolKind::Todo,
        (kind, _) => kind,
    };
    let mut used = Used { name, kind, fields: Vec::new(), result: None };
    if let Some((_, told)) = summary.split_once(" • ") {
        used.field("summary_line", told.trim());
    }
    used.shown(body);
    used
}

/// Without the escapes of attributes.
fn plain(text: &str) -> String {
    let pairs = [("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&#39;", "'"), ("&amp;", "&")];
    pairs.iter().fold(text.to_string(), |text, (from, to)| text.replace(from, to))
}

impl Used {
    fn field(&mut self, name: &str, text: &str) {
        if !text.is_empty() {
            self.fields.push(Field { name: Some(name.to_string()), text: text.to_string(), cut: None });
        }
    }

    /// What stands between summary and end: words, code spans, and fenced blocks, of which the last one is the output.
    fn shown(&mut self, body: &str) {
        let first = body.find("```").filter(|at| body[..*at].is_empty() || body[..*at].ends_with('\n'));
        let (words, rest) = body.split_at(first.unwrap_or(body.len()));
        if self.kind == ToolKind::Todo {
            return self.list(words, rest);
        }
        self.words(words);
        let known = self.fields.iter().any(|f| matches!(f.name.as_deref(), Some("command" | "file_path")));
        let ends = |rest: &str| rest.trim().is_empty();
        // A block with a language in it is an input, unless the words before it told that already.
        let input = fenced(rest, |after| after.trim_start().starts_with("```"));
        let input = input.filter(|block| !known && !matches!(block.info, "" | "text"));
        if let Some(block) = input {
            let output = fenced(&rest[block.end..], ends);
            if output.is_none() && self.kind != ToolKind::Shell {
                return self.output(block.text);
            }
            self.input(block);
            output.into_iter().for_each(|output| self.output(output.text));
        } else if let Some(output) = fenced(rest, ends) {
            self.output(output.text);
        }
    }

    /// A command or a path in a code span, named fields, and what else is said.
    fn words(&mut self, words: &str) {
        for found in NAMED.captures_iter(words) {
            self.field(&found[1], &found[2]);
        }
        let name = match self.kind {
            ToolKind::Shell => "command",
            ToolKind::Read | ToolKind::Edit | ToolKind::Write => "file_path",
            _ => "",
        };
        let span = SPAN.captures(words).filter(|_| !name.is_empty());
        let said = span.as_ref().map_or(words, |found| &words[..found.get(0).map_or(0, |m| m.start())]);
        if let Some(found) = span.as_ref() {
            self.field(name, &found[1]);
        }
        if !NAMED.is_match(words) {
            self.field("description", said.trim());
        }
    }

    fn input(&mut self, block: Fenced) {
        match block.info {
            "bash" | "sh" | "shell" => self.field("command", block.text),
            "json" => self.fields.extend(fields(block.text)),
            _ => self.field("input", block.text),
        }
    }

    fn output(&mut self, text: &str) {
        let cut = cut_mark::by_tool(text).then_some(Cut::ByTool);
        let extra = self.result.take().map(|result| result.extra).unwrap_or_default();
        let result = ResultOf { cut, extra, ..ResultOf::new(text, Locator::default()) };
        self.result = Some(result.ended(ending(text)));
    }

    /// A task list: its lines are the input as SpecStory shows it.
    fn list(&mut self, words: &str, rest: &str) {
        self.field("shown", words.trim());
        let output = fenced(rest, |after| after.trim().is_empty()).map_or("", |block| block.text);
        let items: Vec<_> = ITEM.captures_iter(words).map(|found| item(&found[1], &found[2])).collect();
        let shown = !items.is_empty() || words.contains("task list");
        if !output.is_empty() || shown {
            self.output(output);
        }
        if let Some(result) = self.result.as_mut().filter(|_| shown) {
            result.extra.push(("todos", serde_json::Value::Array(items).to_string()));
        }
    }
}

fn item(mark: &str, text: &str) -> serde_json::Value {
    let status = match mark.trim() {
        "" => "pending",
        "x" | "X" | "✓" | "✔" | "✅" => "completed",
        "-" | "~" | "/" | "⚡" => "in_progress",
        "❌" | "✗" => "cancelled",
        other => other,
    };
    json!({ "content": text, "status": status })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_told_from_what_is_none() {
        let found = ITEM.captures("- [⚡] 🌡️ Move the parser\n").expect("an item");
        assert_eq!((&found[1], &found[2]), ("⚡", "Move the parser"));
        assert_eq!(&ITEM.captures("- [ ] plain `x`").expect("an item")[2], "plain `x`");
        assert!(!ITEM.is_match("- plain"));
        assert!(!SPAN.is_match("words `code` words"));
        assert!(!NAMED.is_match("path src"));
        assert!(!OPENING.is_match("<tool-use>"));
        assert!(!SUMMARY.is_match("text <summary>x</summary>"));
    }
}
