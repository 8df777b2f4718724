//! Questions put to the user through a tool, with options and answers.
//!
//! Producers differ in how the answer is recorded: as JSON beside the result (by question text, or by position), or only
//! as a sentence of the output (`"question"="answer"`). Every quotation is looked up in the message, so that what a
//! producer re-encoded cannot be misquoted.

use serde_json::Value;

use super::Extractor;
use crate::{
    base::{ids::MessageIdx, span::ByteSpan},
    model::{
        evidence::Evidence,
        facts::{Facts, Question},
        message::{Message, PartKind, ToolKind},
        session::Session,
    },
};

/// See the module.
pub struct Questions;

impl Extractor for Questions {
    fn name(&self) -> &'static str {
        "questions"
    }

    fn about(&self) -> &'static str {
        "Questions put to the user, with options and answers"
    }

    fn run(&self, session: &Session, facts: &mut Facts) {
        for (at, message) in session.iter().filter(|(_, m)| m.tool() == Some(ToolKind::Question)) {
            facts.questions.extend(put(session, at, message));
        }
    }
}

fn put(session: &Session, at: MessageIdx, message: &Message) -> Vec<Question> {
    let raw = message.input("questions").and_then(|text| serde_json::from_str::<Value>(text).ok());
    let list: Vec<Value> = match raw {
        Some(Value::Array(list)) => list,
        _ => message.input("question").map(|q| serde_json::json!({ "question": q })).into_iter().collect(),
    };
    let words: Vec<&str> = list.iter().filter_map(|q| q.get("question")?.as_str()).collect();
    let answers = recorded(message, &words);
    let texts = list.iter().filter(|q| q.get("question").is_some_and(Value::is_string));
    texts
        .zip(&words)
        .enumerate()
        .filter_map(|(i, (entry, words))| {
            let question = verbatim(session, at, PartKind::Input, words)
                .or_else(|| verbatim(session, at, PartKind::Output, words))
                .or_else(|| cited(session, at, PartKind::Input, words))?;
            let labels = entry.get("options").and_then(Value::as_array).into_iter().flatten();
            let options = labels
                .filter_map(|o| o.get("label").and_then(Value::as_str).or(o.as_str()))
                .filter_map(|label| cited(session, at, PartKind::Input, label))
                .collect();
            let answer = answers
                .get(i)
                .cloned()
                .flatten()
                .and_then(|a| cited(session, at, PartKind::Output, &a))
                .or_else(|| printed(session, at, message, words, &list));
            Some(Question { message: at, question, options, answer })
        })
        .collect()
}

/// Answers recorded beside the result, one per question: an object by question text, or arrays by position.
fn recorded(message: &Message, words: &[&str]) -> Vec<Option<String>> {
    let extra = message.call.iter().flat_map(|c| &c.extra).find(|(name, _)| *name == "answers");
    let Some(answers) = extra.and_then(|(_, json)| serde_json::from_str::<Value>(json).ok()) else {
        return Vec::new();
    };
    let plain = |v: &Value| match v {
        Value::String(s) => Some(s.clone()),
        Value::Array(all) if all.len() == 1 => all[0].as_str().map(str::to_string),
        Value::Array(all) => Some(all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")),
        _ => None,
    };
    words.iter().enumerate().map(|(i, w)| answers.get(*w).or(answers.get(i)).and_then(plain)).collect()
}

/// The answer as the output tells it: what stands between `"question"="` and the next pair or the end of the sentence.
fn printed(session: &Session, at: MessageIdx, message: &Message, words: &str, list: &[Value]) -> Option<Evidence> {
    let part = message.part_at(PartKind::Output)?;
    let output = &message.parts[part].text;
    let opening = format!("\"{words}\"=\"");
    let start = output.find(&opening)? + opening.len();
    let rest = &output[start..];
    let others = list.iter().filter_map(|q| q.get("question")?.as_str()).map(|q| format!("\", \"{q}\"=\""));
    let ends =
        others.chain(["\". You can now".to_string(), "\" user notes:".to_string(), "\" selected preview:".to_string()]);
    let end = ends.filter_map(|mark| rest.find(&mark)).min().or_else(|| rest.find('"'))?;
    (end > 0 && !rest.starts_with("Unanswered\"")).then(|| session.cite(at, part, ByteSpan::new(start, start + end)))?
}

/// Evidence for words in a part of a kind.
fn verbatim(session: &Session, at: MessageIdx, kind: PartKind, words: &str) -> Option<Evidence> {
    let parts = session.message(at).parts.iter().enumerate().filter(|(_, p)| p.kind == kind && !words.is_empty());
    parts.into_iter().find_map(|(i, p)| {
        let start = p.text.find(words)?;
        session.cite(at, i, ByteSpan::new(start, start + words.len()))
    })
}

/// Evidence for words in a part of a kind, as they are or as JSON writes them.
fn cited(session: &Session, at: MessageIdx, kind: PartKind, words: &str) -> Option<Evidence> {
    verbatim(session, at, kind, words).or_else(|| {
        let escaped = serde_json::to_string(words).ok()?;
        verbatim(session, at, kind, escaped.get(1..escaped.len() - 1)?)
    })
}
