//! The records of a session folded into its messages, in the order in which each was first met.

use std::collections::HashMap;

use super::{
    Place,
    record::{Line, Set, TYPES, ToolCall, is_model},
};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        locate::Locator,
        time::Timestamp,
    },
    model::{
        accounting::Accounting,
        builder::{Field, ResultOf},
        message::{NoticeKind, ToolKind, Usage},
        session::{Branch, SessionInfo},
    },
    source::{
        fields::fields,
        format::google::parts::ending,
        frame::Records,
        lenient::{List, Text},
        tool_names::kind_of,
    },
    text::quote::shorten,
};

/// What is kept of a message.
#[derive(Debug)]
pub struct Said {
    /// Its id.
    pub id: Option<String>,
    /// Session that it names.
    pub session: Option<String>,
    /// When.
    pub time: Option<Timestamp>,
    /// The record that it was first met in.
    pub place: Locator,
    /// What it is.
    pub kind: Kind,
    /// Its text.
    pub text: String,
    /// What was put beside the prompt.
    pub context: String,
    /// What stands for images and files.
    pub placeholders: Vec<String>,
    /// Reasoning.
    pub thought: String,
    /// Model.
    pub model: Option<String>,
    /// Tokens.
    pub usage: Usage,
    /// Calls.
    pub calls: Vec<Call>,
}

/// What a message is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A prompt.
    User,
    /// A response of the model.
    Model,
    /// Something else.
    Notice(NoticeKind),
}

/// A call with its result.
#[derive(Debug)]
pub struct Call {
    /// Its id.
    pub id: Option<String>,
    /// Name of the tool.
    pub name: String,
    /// What it does.
    pub kind: ToolKind,
    /// Input.
    pub input: Vec<Field>,
    /// Result, where there is one.
    pub result: Option<ResultOf>,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Fold {
    /// The messages.
    pub messages: Vec<Said>,
    /// What was left behind.
    pub branches: Vec<Branch>,
    /// The session.
    pub info: SessionInfo,
    /// Whether it is a sub-agent's.
    pub is_agent: bool,
    /// Records.
    pub accounting: Accounting,
    /// What was odd.
    pub diagnostics: Diagnostics,
    places: HashMap<String, usize>,
}

impl Records for Fold {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        self.take(serde_json::from_str(text)?, place);
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        self.damaged();
    }
}

impl Fold {
    /// Counts a record that cannot be read.
    pub fn damaged(&mut self) {
        self.accounting.damaged();
    }

    /// Takes a record.
    pub fn take(&mut self, line: Line, place: Place) {
        if line.stray != Text::Absent {
            let told = format!("record {} is no JSON object", place.record);
            self.diagnostics.add(DiagCode::RecordDamaged, place, told);
            return self.damaged();
        }
        if let Some(field) = line.fault() {
            let told = format!("`{field}` of record {}", place.record);
            self.diagnostics.add(DiagCode::FieldWrongType, place, told);
        }
        let kind = line.kind.get().unwrap_or_default();
        match &line {
            Line { set: Some(set), .. } => self.set(set, place),
            Line { rewind: Text::Is(id), .. } => self.rewind(id),
            _ if is_message(&line) => {
                self.accounting.used();
                self.put(line, place);
            }
            Line { session: Text::Is(_), .. } if kind.is_empty() => {
                self.accounting.used();
                self.head(&line);
                let list = line.messages.and_then(|raw| serde_json::from_str::<List<Line>>(raw.get()).ok());
                if let Some(list) = list.filter(|list| list.items.iter().any(is_message)) {
                    self.replace(list.items, place);
                }
            }
            _ => {
                let kind = if kind.is_empty() { "(no type)" } else { kind };
                self.accounting.unknown(kind);
                let told = format!("`{kind}` of record {}", place.record);
                self.diagnostics.add(DiagCode::RecordTypeUnknown, place, told);
            }
        }
    }

    /// Takes over what a head says of the session.
    pub fn head(&mut self, line: &Line) {
        if let Some(id) = line.session.owned() {
            self.info.id = id;
        }
        self.is_agent |= line.role.0.get() == Some("subagent");
        self.know(&line.summary.0, &line.directories.0);
    }

    fn know(&mut self, summary: &Text, directories: &List<Text>) {
        self.info.title = summary.owned().or(self.info.title.take());
        let first = directories.items.first().and_then(Text::owned);
        self.info.cwd = self.info.cwd.take().or(first);
    }

    fn set(&mut self, set: &Set, place: Place) {
        self.know(&set.summary.0, &set.directories.0);
        let list = set.messages.map(|raw| serde_json::from_str::<List<Line>>(raw.get()).unwrap_or_default().items);
        match list {
            // A list of anything else must not take the messages away.
            Some(list) if !list.is_empty() && !list.iter().any(is_message) => {
                let told = format!("no message in the list of record {}", place.record);
                self.diagnostics.add(DiagCode::RecordDamaged, place, told);
                self.damaged();
            }
            Some(list) => {
                self.accounting.used();
                self.replace(list, place);
            }
            None if set.summary.0.get().is_some() => self.accounting.used(),
            None => self.accounting.skipped("$set"),
        }
    }

    /// Adds a message, or replaces the one with its id in its place.
    fn put(&mut self, line: Line, place: Place) {
        if line.kind.get() == Some("qwen") {
            self.info.agent = Some("Qwen Code".to_string());
        }
        let said = said(line, place);
        let known = said.id.as_ref().and_then(|id| self.places.get(id)).copied();
        match known {
            Some(at) => {
                let first = self.messages[at].place;
                self.messages[at] = Said { place: first, ..said };
            }
            None => {
                if let Some(id) = &said.id {
                    self.places.insert(id.clone(), self.messages.len());
                }
                self.messages.push(said);
            }
        }
    }

    /// Takes out a message and all after it; all of them where it is not known.
    fn rewind(&mut self, id: &str) {
        self.accounting.used();
        self.cut(self.places.get(id).copied().unwrap_or(0));
    }

    fn cut(&mut self, from: usize) {
        let left = self.messages.split_off(from.min(self.messages.len()));
        if left.is_empty() {
            return;
        }
        for id in left.iter().filter_map(|said| said.id.as_ref()) {
            self.places.remove(id);
        }
        let opening = left.iter().find(|said| said.kind == Kind::User).map(|said| shorten(&said.text, 80).into_owned());
        self.branches.push(Branch {
            after: self.messages.last().and_then(|said| said.id.clone()),
            records: left.len() as u64,
            opening: opening.unwrap_or_default(),
        });
    }

    /// A new list of messages. One that ends earlier than the known one was rewound; any other is what the model is
    /// shown from now on: what happened before stays as it was told, and what is new in the list is added.
    fn replace(&mut self, list: Vec<Line>, place: Place) {
        let ids: Vec<Option<&str>> = list.iter().map(|line| line.id.get()).collect();
        let known = self.messages.iter().map(|said| said.id.as_deref());
        if ids.len() <= self.messages.len() && ids.iter().copied().eq(known.take(ids.len())) {
            return self.cut(ids.len());
        }
        let shown = !self.messages.is_empty();
        if shown {
            self.messages.push(notice(NoticeKind::Compaction, String::new(), place));
        }
        for line in list {
            let new = line.id.get().is_none_or(|id| !self.places.contains_key(id));
            if new && is_message(&line) {
                self.put(line, place);
            }
        }
    }
}

/// Beginnings of texts under the user's role that the harness put there.
#[rustfmt::skip]
const INJECTED: &[(&str, NoticeKind)] = &[
    ("<session_context>",                           NoticeKind::Meta),
    ("<state_snapshot>",                            NoticeKind::Compaction),
    ("This is the Gemini CLI. We are setting up",   NoticeKind::Meta),
];

fn is_message(line: &Line) -> bool {
    TYPES.contains(&line.kind.get().unwrap_or_default())
}

fn notice(kind: NoticeKind, text: String, place: Place) -> Said {
    Said {
        id: None,
        session: None,
        time: None,
        place,
        kind: Kind::Notice(kind),
        text,
        context: String::new(),
        placeholders: Vec::new(),
        thought: String::new(),
        model: None,
        usage: Usage::default(),
        calls: Vec::new(),
    }
}

fn said(line: Line, place: Place) -> Said {
    let time = line.time.get().and_then(Timestamp::parse);
    let whole = line.prompt.owned().unwrap_or_else(|| line.content.said());
    let shown = line.display.0.said();
    // What the user typed, and beside it what was made of that (contents of files that it names).
    let (text, context) = if shown.is_empty() || shown == whole { (whole, String::new()) } else { (shown, whole) };
    let injected = INJECTED.iter().find(|(words, _)| text.trim_start().starts_with(words));
    let kind = match line.kind.get().unwrap_or_default() {
        kind if is_model(kind) => Kind::Model,
        "error" => Kind::Notice(NoticeKind::Fault),
        "user" => injected.map_or(Kind::User, |row| Kind::Notice(row.1)),
        _ => Kind::Notice(NoticeKind::Meta),
    };
    let thoughts = line.thoughts.items.iter().map(|thought| {
        let parts = [thought.subject.get(), thought.description.get(), thought.stray.get()];
        parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
    });
    let thought = [line.content.thought()].into_iter().chain(thoughts).filter(|t| !t.is_empty()).collect::<Vec<_>>();
    Said {
        id: line.id.owned(),
        session: line.session.owned(),
        time,
        kind,
        text,
        context,
        placeholders: line.content.placeholders(),
        thought: thought.join("\n"),
        model: line.model.owned(),
        usage: line.tokens.0.usage(),
        calls: line.calls.items.into_iter().map(|call| called(&call, place)).collect(),
        ..notice(NoticeKind::Meta, String::new(), place)
    }
}

fn called(call: &ToolCall, place: Place) -> Call {
    let name = call.name.get().unwrap_or("(no name)").to_string();
    let kind = kind_of(&name);
    let status = call.status.get().unwrap_or_default();
    let (text, error) = call.result.0.result();
    // A call that still waits or runs has no result yet.
    let over = matches!(status, "success" | "error" | "cancelled") || !text.is_empty();
    let result = over.then(|| ResultOf {
        time: call.time.get().and_then(Timestamp::parse),
        spawned: call.agent.owned(),
        ..ResultOf::new(text.as_str(), place).ended(ending(kind, status, &text, error))
    });
    let input = call.args.map(|raw| fields(raw.get())).unwrap_or_default();
    Call { id: call.id.owned(), name, kind, input, result }
}
