//! The conversation as Claude Code shows it in a terminal and writes it with `/export`: prompts behind `>` or `❯`, texts
//! and calls behind `⏺`, results behind `⎿`, everything else indented. Long outputs are shown by their first lines only;
//! inputs by what the terminal shows of them.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::json;

use super::{Card, Format, Recorded};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        error::Error,
        locate::Locator,
        span::ByteSpan,
    },
    model::{
        builder::{Field, Origin, ResultOf, SessionBuilder},
        message::{Cut, Exit, NoticeKind, Outcome, ToolKind},
    },
    source::{
        Parsed,
        document::Source,
        exit_words::ending,
        open::Input,
        sections::{Places, Responses},
        seen::Seen,
        sniff::Sniff,
        tool_names::kind_of,
    },
};

/// See the module.
pub struct ClaudeText;

/// `⏺ Bash(cargo test)`, `⏺ Update Todos`: the name of a tool, and what of its input follows.
static CALL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?s)^(?:(Update Todos)\s*$|((?:[A-Z][A-Za-z]+(?: Search)?|mcp__[\w-]+|[\w-]+(?::| -) ?[\w -]+ \(MCP\)))\((.*)$)").expect("valid")
});
/// `… +12 lines (ctrl+o to expand)`
static FOLDED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^\s*… \+\d+ lines?(?: \([^()\n]*\))?\s*$").expect("valid"));
/// `☒ done`, an item of a task list.
static ITEM: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)^\s*([☐☒◻◼✔☑]) +(\S.*?)\s*$").expect("valid"));

/// What a line begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mark {
    /// A prompt.
    Prompt,
    /// A text or a call.
    Dot,
    /// The model's thinking.
    Thinking,
    /// What the terminal shows besides: the box at the beginning, how long it took.
    Around,
}

impl Format for ClaudeText {
    fn name(&self) -> &'static str {
        "claude-text"
    }

    fn about(&self) -> &'static str {
        "conversations as Claude Code shows them and writes them with `/export`"
    }

    fn card(&self) -> Card {
        Card {
            agent: "Claude Code",
            versions: "1.0 to 2.1",
            records: &[Recorded::Exits, Recorded::Failures, Recorded::Todos, Recorded::Reasoning],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let (mut dots, mut results, mut prompts) = (0, 0, 0);
        for line in seen.text().lines() {
            dots += usize::from(mark(line) == Some(Mark::Dot));
            prompts += usize::from(mark(line) == Some(Mark::Prompt));
            results += usize::from(line.starts_with("  ⎿ "));
        }
        match (prompts, dots, results) {
            (1.., 1.., 1..) | (1.., 2.., _) => {
                Sniff::Yes(85, format!("{prompts} prompts, {dots} lines with `⏺`, {results} with `⎿`"))
            }
            _ => Sniff::No("no prompts and answers with `⏺` and `⎿`".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let bytes = input.bytes()?;
        let source = Source::plain(&bytes);
        let text = source.text();
        let mut session = SessionBuilder::new(self.name());
        session.info.id = input.stem().to_string();
        session.info.records_outcome = true;
        let mut places = Places::of(&source);
        let mut reader = Reader { session, responses: Responses::default(), thought: String::new() };
        for (mark, span) in blocks(text) {
            let place = places.next(span);
            reader.block(mark, &text[span.start..span.end], place);
        }
        let mut diagnostics = Diagnostics::default();
        source.report_repairs(&mut diagnostics);
        reader.session.diagnostics.extend(diagnostics);
        Ok(Parsed { sessions: vec![reader.session.finish()], ..Default::default() })
    }
}

/// What a line begins, if it begins anything: lines that go on are indented or blank.
fn mark(line: &str) -> Option<Mark> {
    let first = line.chars().next()?;
    let spaced = line[first.len_utf8()..].starts_with([' ', '\u{a0}']);
    match first {
        '>' | '❯' if spaced => Some(Mark::Prompt),
        '⏺' | '●' if spaced => Some(Mark::Dot),
        '✻' | '∴' if line.contains("Thinking") => Some(Mark::Thinking),
        ' ' | '\t' => None,
        _ => Some(Mark::Around),
    }
}

/// Lines with a mark and those that go on behind it. Lines of the surroundings that follow each other are one block.
fn blocks(text: &str) -> Vec<(Mark, ByteSpan)> {
    let mut blocks: Vec<(Mark, ByteSpan)> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        match (mark(line.trim_end()), blocks.last_mut()) {
            (None, Some(last)) => last.1.end = end,
            (Some(Mark::Around), Some(last)) if last.0 == Mark::Around => last.1.end = end,
            (found, _) => blocks.push((found.unwrap_or(Mark::Around), ByteSpan::new(at, end))),
        }
        at = end;
    }
    blocks
}

struct Reader {
    session: SessionBuilder,
    responses: Responses,
    thought: String,
}

impl Reader {
    fn block(&mut self, mark: Mark, block: &str, place: Locator) {
        match mark {
            Mark::Around => {
                let text = block.trim();
                match text.is_empty() {
                    true => self.session.accounting.skipped("surroundings"),
                    false => {
                        self.session.accounting.used();
                        self.session.notice(NoticeKind::Meta, place, None, text);
                    }
                }
                return;
            }
            Mark::Prompt => self.prompt(block, place),
            Mark::Thinking => {
                self.thought = block.split_once('\n').map_or(String::new(), |(_, text)| outdented(text));
            }
            Mark::Dot => self.dot(block, place),
        }
        self.session.accounting.used();
    }

    /// A prompt, and what the terminal shows under it of what was attached or of a slash command's result.
    fn prompt(&mut self, block: &str, place: Locator) {
        self.responses.user();
        self.thought.clear();
        let (said, shown) = split_result(block);
        let text = outdented(behind_mark(said));
        if shown.is_some() && text.starts_with('/') {
            return self.session.notice(
                NoticeKind::Meta,
                place,
                None,
                format!("{text}\n{}", shown.unwrap_or_default()),
            );
        }
        if !text.is_empty() {
            self.session.user(Origin { place, ..Default::default() }, text);
        }
        if shown.as_ref().is_some_and(|shown| shown.starts_with("Interrupted")) {
            self.session.notice(NoticeKind::Interruption, place, None, shown.unwrap_or_default());
        }
    }

    fn dot(&mut self, block: &str, place: Locator) {
        let (said, shown) = split_result(block);
        let text = outdented(behind_mark(said));
        let reasoning = std::mem::take(&mut self.thought);
        let call = CALL.captures(&text).filter(|found| found.get(1).is_some() || text.ends_with(')'));
        let Some(found) = call else {
            let origin = Origin { place, turn: self.responses.text(), reasoning, ..Default::default() };
            if !text.is_empty() {
                self.session.text(origin, text.as_str());
            }
            if let Some(shown) = shown {
                self.session.notice(NoticeKind::Meta, place, None, shown);
            }
            return;
        };
        let name = found.get(1).or(found.get(2)).map_or("", |m| m.as_str());
        let input = found.get(3).map_or("", |m| m.as_str());
        let kind = kind(name);
        let origin = Origin { place, turn: self.responses.call(), reasoning, ..Default::default() };
        self.session.call(origin, name, kind, input_of(kind, input.strip_suffix(')').unwrap_or(input)));
        if let Some(shown) = shown {
            let result = result(kind, &shown, place);
            if result.cut.is_some() {
                self.session.diagnostics.add(DiagCode::ContentCut, place, format!("output of {name}"));
            }
            self.session.result_of_last(result);
        }
    }
}

/// What the terminal calls a tool.
fn kind(name: &str) -> ToolKind {
    match name {
        "Update Todos" => ToolKind::Todo,
        "Update" => ToolKind::Edit,
        "Web Search" => ToolKind::Web,
        _ => kind_of(name),
    }
}

fn input_of(kind: ToolKind, shown: &str) -> Vec<Field> {
    let name = match kind {
        ToolKind::Shell => "command",
        ToolKind::Read | ToolKind::Edit | ToolKind::Write => "file_path",
        _ => "shown",
    };
    // A command that is too long for the line ends in dots.
    let cut = shown.ends_with('…').then_some(Cut::End);
    let field = Field { name: Some(name.to_string()), text: shown.to_string(), cut };
    if shown.is_empty() { Vec::new() } else { vec![field] }
}

fn result(kind: ToolKind, shown: &str, place: Locator) -> ResultOf {
    let cut = FOLDED.is_match(shown).then_some(Cut::End);
    let text = if shown.trim() == "(No content)" || shown.trim() == "(No output)" { "" } else { shown };
    let words = shown.strip_prefix("Error: ").unwrap_or(shown);
    let ended = match ending(words) {
        _ if shown.starts_with("Interrupted") => (Outcome::Interrupted, Exit::NotRecorded),
        _ if shown.starts_with("Running in the background") => (Outcome::Ok, Exit::Running),
        (Outcome::NotRecorded, exit) if shown.starts_with("Error") => (Outcome::Failed, exit),
        (Outcome::NotRecorded, exit) => (Outcome::Ok, exit),
        ended => ended,
    };
    let items: Vec<_> = ITEM.captures_iter(shown).map(|found| item(&found[1], &found[2])).collect();
    let mut result = ResultOf { cut, ..ResultOf::new(text, place) }.ended(ended);
    if kind == ToolKind::Todo && !items.is_empty() {
        result.extra.push(("todos", serde_json::Value::Array(items).to_string()));
    }
    result
}

fn item(mark: &str, text: &str) -> serde_json::Value {
    let status = match mark {
        "☒" | "✔" | "☑" => "completed",
        "◼" => "in_progress",
        // The terminal marks the item that is worked at by its colour only.
        _ => "open",
    };
    json!({ "content": text, "status": status })
}

/// What stands behind the mark of a block.
fn behind_mark(block: &str) -> &str {
    block.split_once([' ', '\u{a0}']).map_or("", |(_, text)| text)
}

/// A block before its result, and the result.
fn split_result(block: &str) -> (&str, Option<String>) {
    let begin = if block.starts_with("  ⎿") { Some(0) } else { block.find("\n  ⎿").map(|at| at + 1) };
    match begin {
        Some(at) => {
            let shown = &block[at..];
            (&block[..at], Some(outdented(shown.trim_start_matches([' ', '⎿', '\u{a0}']))))
        }
        None => (block, None),
    }
}

/// Without the indentation that all lines behind the first have in common, and without blank lines around.
fn outdented(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let rest = text.lines().skip(1).filter(|line| !line.trim().is_empty());
    let common = rest.map(indent).min().unwrap_or(0);
    let lines = text.lines().enumerate().map(|(i, line)| match i {
        0 => line.trim_end(),
        _ => line.get(common.min(indent(line))..).unwrap_or("").trim_end(),
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_from_texts() {
        assert!(CALL.is_match("Bash(cargo test)"));
        assert!(CALL.is_match("Update Todos"));
        assert!(!CALL.is_match("The function main(x) is gone"));
        assert!(FOLDED.is_match("     … +12 lines (ctrl+o to expand)"));
        assert!(!FOLDED.is_match("… and more lines"));
        assert!(!ITEM.is_match("- [ ] item"));
        assert_eq!(outdented("one\n  two\n    three\n\n"), "one\ntwo\n  three");
    }
}
