//! Transcripts that Cursor keeps of its agents, as JSON Lines (`{role, message: {content}}` and nothing else) or as text
//! (`user:`, `assistant:`, `[Tool call] Name`). Neither has times or tokens; results mostly are not in it.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    Card, Format, Recorded,
    anthropic::{
        blocks::Message,
        said::{Said, classify},
        tell,
        turn::Piece,
    },
};
use crate::{
    base::{diag::Diagnostics, error::Error, locate::Locator, span::ByteSpan},
    model::{
        builder::{Field, Origin, ResultOf, SessionBuilder},
        message::Cut,
    },
    source::{
        Parsed,
        document::Source,
        exit_words::ending,
        frame::{Records, checked, json_lines},
        json::padding,
        lenient::{Text, lenient},
        open::Input,
        sections::{Places, Responses},
        seen::{Seen, at, has, text},
        sniff::Sniff,
        tool_names::kind_of,
    },
};

/// See the module.
pub struct CursorTranscript;

/// A line that begins something in the text form.
static HEAD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:(user|assistant):\s*$|\[(Thinking)\]|\[(Tool call)\] (\S+)\s*$|\[(Tool result)\](?: \S+)?\s*$)")
        .expect("valid")
});
/// `  path: src/a.rs`, an argument in the text form.
static ARGUMENT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^  (\w+): ?(.*)$").expect("valid"));

lenient! {
    /// A line.
    pub struct Record<'a> {
        role: Text<'a> = "role",
        message: Message<'a> = "message",
    }
}

impl Format for CursorTranscript {
    fn name(&self) -> &'static str {
        "cursor-transcript"
    }

    fn about(&self) -> &'static str {
        "transcripts of Cursor's agents (JSONL and text)"
    }

    fn card(&self) -> Card {
        Card { agent: "Cursor", versions: "2025 to 2026", records: &[Recorded::Todos, Recorded::Reasoning] }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let (own, of) = seen.vote(|n| {
            matches!(text(n, "role"), "user" | "assistant")
                && at(n, &["message", "content"]).is_some()
                && !has(n, &["type"])
                && !has(n, &["uuid"])
                && !has(n, &["timestamp"])
        });
        if own > 0 && own * 2 >= of {
            return Sniff::Yes(81, format!("{own} of {of} lines hold a role and a message and nothing else"));
        }
        let heads = |group: usize| {
            let of_group = |line: &&str| HEAD.captures(line).is_some_and(|found| found.get(group).is_some());
            seen.text().lines().filter(of_group).count()
        };
        match (heads(1), heads(3)) {
            (2.., calls) if calls > 0 || seen.text().contains("<user_query>") => {
                Sniff::Yes(80, format!("lines `user:` and `assistant:`, {calls} lines `[Tool call]`"))
            }
            _ => Sniff::No("neither lines of `role` and `message` nor `user:` with `[Tool call]`".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let mut session = SessionBuilder::new(self.name());
        session.info.id = input.stem().to_string();
        let sample = input.sample()?;
        let is_json = sample.head[padding(&sample.head)..].trim_ascii_start().starts_with(b"{");
        let mut diagnostics = Diagnostics::default();
        let mut session = if is_json {
            let mut loader = Loader { session, responses: Responses::default() };
            json_lines(input, &mut diagnostics, &mut loader)?;
            loader.session
        } else {
            read_text(&mut session, &input.bytes()?, &mut diagnostics);
            session
        };
        session.diagnostics.extend(diagnostics);
        Ok(Parsed { sessions: vec![session.finish()], ..Default::default() })
    }
}

struct Loader {
    session: SessionBuilder,
    responses: Responses,
}

impl Records for Loader {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        let mut record: Record = serde_json::from_str(text)?;
        if !checked(&record.stray, record.fault(), place, &mut self.session.diagnostics) {
            self.session.accounting.damaged();
            return Ok(());
        }
        let pieces = std::mem::take(&mut record.message.content).pieces();
        let told = match record.role.get() {
            Some("assistant") => self.assistant(pieces, place),
            _ => {
                self.responses.user();
                tell::user(&mut self.session, &Origin { place, ..Default::default() }, pieces, query)
            }
        };
        match told {
            0 => self.session.accounting.skipped("no text and no call"),
            _ => self.session.accounting.used(),
        }
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        self.session.accounting.damaged();
    }
}

impl Loader {
    fn assistant(&mut self, pieces: Vec<Piece>, place: Locator) -> usize {
        let calls = pieces.iter().any(|piece| matches!(piece, Piece::Call { .. }));
        let redacted = matches!(pieces.as_slice(), [Piece::Said(text), ..] if text.trim() == REDACTED);
        let turn = self.responses.text();
        if calls {
            self.responses.call();
        }
        let origin = Origin { place, turn, ..Default::default() };
        if let (true, [Piece::Said(text), ..]) = (redacted, pieces.as_slice()) {
            self.session.text(origin.clone(), text.clone());
            self.session.cut_last(Cut::Placeholder);
            return 1 + tell::assistant(&mut self.session, &origin, pieces.into_iter().skip(1).collect());
        }
        tell::assistant(&mut self.session, &origin, pieces)
    }
}

/// What stands for a text that Cursor does not keep.
const REDACTED: &str = "[REDACTED]";

/// The question in a user's text: what stands in `<user_query>`.
fn query(text: &str) -> Said<'_> {
    match text.split_once("<user_query>") {
        Some((_, rest)) => Said::Prompt(rest.split("</user_query>").next().unwrap_or(rest).trim().into()),
        None => classify(text),
    }
}

fn read_text(session: &mut SessionBuilder, bytes: &[u8], diagnostics: &mut Diagnostics) {
    let source = Source::plain(bytes);
    let text = source.text();
    let mut places = Places::of(&source);
    let mut reader = Reader { session, responses: Responses::default(), assistant: false, thought: String::new() };
    for span in blocks(text) {
        let place = places.next(span);
        reader.block(&text[span.start..span.end], place);
    }
    source.report_repairs(diagnostics);
}

/// The text cut at the lines that begin something.
fn blocks(text: &str) -> Vec<ByteSpan> {
    let mut blocks: Vec<ByteSpan> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        match blocks.last_mut() {
            Some(last) if !HEAD.is_match(line.trim_end()) => last.end = end,
            _ => blocks.push(ByteSpan::new(at, end)),
        }
        at = end;
    }
    blocks
}

struct Reader<'s> {
    session: &'s mut SessionBuilder,
    responses: Responses,
    assistant: bool,
    thought: String,
}

impl Reader<'_> {
    fn block(&mut self, block: &str, place: Locator) {
        let (first, body) = block.split_once('\n').unwrap_or((block, ""));
        let Some(found) = HEAD.captures(first.trim_end()) else { return self.session.accounting.skipped("preamble") };
        self.session.accounting.used();
        let origin = Origin { place, ..Default::default() };
        if let Some(role) = found.get(1) {
            self.assistant = role.as_str() == "assistant";
            self.said(body.trim(), origin);
        } else if found.get(2).is_some() {
            // Nothing marks its end: what follows a blank line is taken for a text.
            let told = block.trim_start_matches("[Thinking]").trim();
            let (thought, text) = told.split_once("\n\n").unwrap_or((told, ""));
            self.thought = thought.to_string();
            self.assistant = true;
            self.said(text.trim(), origin);
        } else if let Some(name) = found.get(4) {
            let reasoning = std::mem::take(&mut self.thought);
            let origin = Origin { turn: self.responses.call(), reasoning, ..origin };
            self.session.call(origin, name.as_str(), kind_of(name.as_str()), arguments(body));
        } else if !body.trim().is_empty() {
            self.session.result_of_last(ResultOf::new(body.trim(), place).ended(ending(body.trim())));
        }
    }

    fn said(&mut self, text: &str, origin: Origin) {
        if self.assistant {
            if !text.is_empty() {
                let (turn, reasoning) = (self.responses.text(), std::mem::take(&mut self.thought));
                self.session.text(Origin { turn, reasoning, ..origin }, text);
            }
            return;
        }
        self.responses.user();
        match query(text) {
            Said::Prompt(text) if text.is_empty() => {}
            Said::Prompt(text) => self.session.user(origin, text),
            Said::Notice(kind, text) => self.session.notice(kind, origin.place, None, text),
        }
    }
}

/// Arguments of a call in the text form; a value may go on over several lines.
fn arguments(body: &str) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    for line in body.lines() {
        match (ARGUMENT.captures(line), fields.last_mut()) {
            (Some(found), _) => {
                let (name, text) = (Some(found[1].to_string()), found[2].to_string());
                fields.push(Field { name, text, cut: None });
            }
            (None, Some(last)) => {
                last.text.push('\n');
                last.text += line;
            }
            (None, None) => {}
        }
    }
    fields.iter_mut().for_each(|field| field.text.truncate(field.text.trim_end().len()));
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_the_text_form() {
        assert!(HEAD.is_match("user:"));
        assert!(HEAD.is_match("[Tool call] Shell"));
        assert!(!HEAD.is_match("user: text on the line"));
        assert!(!ARGUMENT.is_match("path: x"));
        assert_eq!(arguments("  command: ls\n  -la\n  cwd: /w\n")[0].text, "ls\n  -la");
    }
}
