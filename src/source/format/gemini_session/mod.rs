//! Sessions that Gemini CLI keeps: a document (2025), or JSON Lines in which a message is written again whenever it has
//! grown, `$rewindTo` takes messages out and `$set` replaces members of the head. And the list of prompts (`logs.json`)
//! that older versions keep of all sessions of a project. Early Qwen Code wrote the same.

mod fold;
mod record;
mod tell;

use super::{Card, Format, Recorded};
use crate::{
    base::{diag::Diagnostics, error::Error, locate::Locator},
    source::{
        Parsed,
        document::Source,
        frame::json_lines,
        open::Input,
        seen::{Seen, Texts, has, text},
        sniff::Sniff,
    },
    text::partial_json::{Node, Value},
};
use fold::Fold;
use record::Line;

/// See the module.
pub struct GeminiSession;

impl Format for GeminiSession {
    fn name(&self) -> &'static str {
        "gemini-session"
    }

    fn about(&self) -> &'static str {
        "sessions of Gemini CLI (`chats/session-*.json`, `.jsonl`, `logs.json`)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "Gemini CLI",
            versions: "0.1 to 0.56",
            records: &[
                Recorded::Times,
                Recorded::Models,
                Recorded::Tokens,
                Recorded::Exits,
                Recorded::Failures,
                Recorded::Todos,
                Recorded::Reasoning,
                Recorded::Subagents,
                Recorded::Compactions,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        match seen.document().map(kind) {
            Some(Kind::Session) => {
                return Sniff::Yes(95, "a document with `sessionId`, `projectHash`, `messages`".into());
            }
            Some(Kind::Prompts) => return Sniff::Yes(90, "a list of prompts with `sessionId` and `messageId`".into()),
            _ => {}
        }
        let mark = |line: &Node| is_head(line) || line.get("$set").is_some() || line.get("$rewindTo").is_some();
        let marked = seen.vote(|line| mark(line) || is_answer(line)).0 > 0;
        let (own, lines) = seen.vote(|line| mark(line) || is_message(line));
        match own {
            own if marked && own * 2 >= lines => {
                Sniff::Yes(92, format!("{own} of {lines} sampled lines are its records"))
            }
            0 => Sniff::No("no line with `sessionId` and `projectHash`, and no message of its types".into()),
            own => Sniff::No(format!("only {own} of {lines} sampled lines are its records")),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let sample = input.sample()?;
        let texts = Texts::of(&sample);
        let kind = Seen::new(&sample, &texts).document().map_or(Kind::Lines, kind);
        let mut diagnostics = Diagnostics::default();
        if kind == Kind::Lines {
            let mut fold = Fold::default();
            json_lines(input, &mut diagnostics, &mut fold)?;
            return Ok(tell::sessions(fold, self.name(), input, diagnostics));
        }
        let bytes = input.bytes()?;
        let source = Source::of(&bytes);
        let document = source.cut(&["messages"]);
        let mut unassigned = Default::default();
        source.report(&document, &mut diagnostics, &mut unassigned);
        let mut fold = Fold::default();
        for (name, raw) in &document.fields {
            // The head is no record of its own: only its members are read.
            let key = serde_json::to_string(name).unwrap_or_default();
            if let Ok(line) = serde_json::from_str::<Line>(&format!("{{{key}:{raw}}}")) {
                fold.head(&line);
            }
        }
        for item in document.list("messages").iter().chain(document.list("")) {
            match serde_json::from_str::<Line>(item.raw) {
                Ok(line) if item.whole => fold.take(line, item.place),
                _ => fold.damaged(),
            }
        }
        let mut parsed = match kind {
            Kind::Prompts => tell::prompts(fold, self.name(), diagnostics),
            _ => tell::sessions(fold, self.name(), input, diagnostics),
        };
        parsed.unassigned.merge(&unassigned);
        Ok(parsed)
    }
}

/// What a document is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Session,
    Prompts,
    Lines,
}

fn kind(document: &Node) -> Kind {
    match &document.value {
        Value::Object(_) if is_head(document) && has(document, &["messages"]) => Kind::Session,
        Value::List(items) if items.iter().any(|item| has(item, &["sessionId", "messageId", "message", "type"])) => {
            Kind::Prompts
        }
        _ => Kind::Lines,
    }
}

fn is_head(node: &Node) -> bool {
    has(node, &["sessionId", "projectHash"]) && node.get("type").is_none()
}

fn is_message(line: &Node) -> bool {
    has(line, &["id", "timestamp", "content"])
        && record::TYPES.contains(&text(line, "type"))
        && line.get("uuid").is_none()
}

/// A message of the model: the types of the others are everybody's.
fn is_answer(line: &Node) -> bool {
    is_message(line) && record::is_model(text(line, "type"))
}

/// Place of a record.
type Place = Locator;
