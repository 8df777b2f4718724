//! Markdown that Gemini CLI writes of a conversation (`/chat share file.md`): sections `## USER 🧑‍💻` and `## MODEL ✨`
//! between rules; calls and responses as fenced JSON under a label. A response stands under the user's name. Times and
//! tokens are not in it.

use std::sync::LazyLock;

use regex::Regex;

use super::{Card, Format, Recorded};
use crate::{
    base::{diag::Diagnostics, error::Error, locate::Locator, span::ByteSpan},
    model::{
        builder::{Origin, ResultOf, SessionBuilder},
        message::{Aliases, Exit, NoticeKind, Outcome},
    },
    source::{
        Parsed,
        document::Source,
        exit_words::ending,
        fenced::fenced,
        fields::{compact, fields},
        lenient::{Raw, Text, lenient},
        open::Input,
        sections::Places,
        seen::Seen,
        sniff::Sniff,
        tool_names::kind_of,
    },
};

/// See the module.
pub struct GeminiMd;

/// `## USER 🧑‍💻`, `## MODEL ✨` alone on their line.
static HEADER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^## (USER|MODEL) (?:🧑‍💻|✨)[ \t]*\r?\n?$").expect("valid"));
/// `**Tool Command**:` alone on its line.
static LABEL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)\*\*Tool (Command|Response)\*\*:[ \t]*\r?\n```json\r?\n").expect("valid"));

/// Beginnings of the texts that Gemini CLI puts in the user's place.
const CONTEXT: &[&str] = &["<session_context>", "This is the Gemini CLI. We are setting up the context for our chat."];

lenient! {
    /// A call or a response.
    pub struct Function<'a> {
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        args: Raw<'a> = "args",
        response: Raw<'a> = "response",
    }
}

lenient! {
    /// What a response holds: an output or an error.
    pub struct Response<'a> {
        output: Text<'a> = "output",
        error: Text<'a> = "error",
    }
}

impl Format for GeminiMd {
    fn name(&self) -> &'static str {
        "gemini-md"
    }

    fn about(&self) -> &'static str {
        "Markdown of Gemini CLI's `/chat share`"
    }

    fn card(&self) -> Card {
        Card { agent: "Gemini CLI", versions: "0.9 to 0.40", records: &[Recorded::Failures, Recorded::Todos] }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        match seen.text().lines().filter(|line| HEADER.is_match(line)).count() {
            0 => Sniff::No("no header `## USER 🧑‍💻` or `## MODEL ✨`".into()),
            n => Sniff::Yes(92, format!("{n} headers of turns as Gemini CLI writes them")),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let bytes = input.bytes()?;
        let source = Source::plain(&bytes);
        let text = source.text();
        let mut session = SessionBuilder::new(self.name());
        session.info.id = input.stem().to_string();
        let mut places = Places::of(&source);
        let mut reader = Reader { session, waiting: Vec::new() };
        for (user, span, body) in sections(text) {
            let place = places.next(span);
            match user {
                None => reader.session.accounting.skipped("preamble"),
                Some(user) => reader.section(user, &text[body.start..body.end], place),
            }
        }
        let mut diagnostics = Diagnostics::default();
        source.report_repairs(&mut diagnostics);
        reader.session.diagnostics.extend(diagnostics);
        Ok(Parsed { sessions: vec![reader.session.finish()], ..Default::default() })
    }
}

/// Who speaks, all bytes, and the bytes of the body of each section.
fn sections(text: &str) -> Vec<(Option<bool>, ByteSpan, ByteSpan)> {
    let mut heads: Vec<(Option<bool>, usize, usize)> = vec![(None, 0, 0)];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        if let Some(found) = HEADER.captures(line) {
            heads.push((Some(&found[1] == "USER"), at, end));
        }
        at = end;
    }
    let ends: Vec<usize> = heads.iter().skip(1).map(|h| h.1).chain([text.len()]).collect();
    let section = |((user, at, from), end): ((Option<bool>, usize, usize), usize)| {
        let body = text[from..end].trim_end();
        let body = body.strip_suffix("---").filter(|b| b.is_empty() || b.ends_with('\n')).unwrap_or(body).trim_end();
        (user, ByteSpan::new(at, end), ByteSpan::new(from, from + body.len()))
    };
    heads.into_iter().zip(ends).map(section).filter(|s| s.1.start < s.1.end).collect()
}

struct Reader {
    session: SessionBuilder,
    /// Calls without an id that have no response yet: tool and the id that was given to each.
    waiting: Vec<(String, String)>,
}

impl Reader {
    fn section(&mut self, user: bool, body: &str, place: Locator) {
        self.session.accounting.used();
        let turn = format!("section {}", place.record);
        let mut at = 0;
        while let Some(found) = LABEL.captures_at(body, at) {
            let label = found.get(0).map_or(0..0, |m| m.range());
            self.words(user, &body[at..label.start], &turn, place);
            let fence = label.start + body[label.clone()].find("```").unwrap_or(0);
            let Some(block) = fenced(&body[fence..], |_| true) else { break };
            at = fence + block.end;
            let function: Function = serde_json::from_str(block.text).unwrap_or_default();
            match &found[1] == "Command" {
                true => self.call(&function, block.text, &turn, place),
                false => self.response(&function, place),
            }
        }
        self.words(user, &body[at..], &turn, place);
    }

    fn words(&mut self, user: bool, words: &str, turn: &str, place: Locator) {
        let text = words.trim();
        if text.is_empty() {
            return;
        }
        let origin = Origin { place, ..Default::default() };
        match user {
            true if CONTEXT.iter().any(|begin| text.starts_with(begin)) => {
                self.session.notice(NoticeKind::Meta, place, None, text);
            }
            true => self.session.user(origin, text),
            false => self.session.text(Origin { turn: Some(turn.to_string()), ..origin }, text),
        }
    }

    fn call(&mut self, function: &Function, raw: &str, turn: &str, place: Locator) {
        let name = function.name.get().unwrap_or("(no name)");
        let input = function.args.map_or(raw, |args| args.get());
        let id = function.id.owned().unwrap_or_else(|| {
            // Of this file only: nobody else's call bears the same.
            let id = format!("{} {name} {}", self.session.info.id, self.session.len() + 1);
            self.waiting.push((name.to_string(), id.clone()));
            id
        });
        let ids = Aliases { call: Some(id), ..Default::default() };
        let origin = Origin { ids, place, turn: Some(turn.to_string()), ..Default::default() };
        self.session.call(origin, name, kind_of(name), fields(input));
    }

    fn response(&mut self, function: &Function, place: Locator) {
        let name = function.name.get().unwrap_or("(no name)");
        let waiting = || self.waiting.iter().position(|(tool, _)| tool == name);
        let id = match function.id.owned() {
            Some(id) => id,
            None => waiting().map(|at| self.waiting.remove(at).1).unwrap_or_default(),
        };
        let raw = function.response.map_or("", |raw| raw.get());
        let mut response: Response = serde_json::from_str(raw).unwrap_or_default();
        let (text, ended) = match (response.error.take(), response.output.take()) {
            (Some(error), _) => (error, (Outcome::Failed, Exit::NotRecorded)),
            (None, Some(output)) => {
                let ended = ending(&output);
                (output, ended)
            }
            (None, None) => (compact(raw), (Outcome::NotRecorded, Exit::NotRecorded)),
        };
        self.session.result(&id, ResultOf::new(text, place).ended(ended));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_and_labels() {
        assert!(HEADER.is_match("## USER 🧑‍💻\n"));
        assert!(!HEADER.is_match("## USER"));
        assert!(LABEL.is_match("**Tool Command**:\n```json\n{}"));
        assert!(!LABEL.is_match("**Tool Command**: none"));
    }
}
