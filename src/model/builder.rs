//! The sink that every format pushes into. It numbers messages, pairs results with calls, groups steps, and keeps the
//! promises of [`Session`]; formats stay short.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use super::{
    accounting::Accounting,
    message::{
        Aliases, Cut, Exit, Message, MessageKind, Notice, NoticeKind, Outcome, Part, PartKind, Setting, ToolCall,
        ToolKind, Usage,
    },
    session::{Branch, Numbering, Session, SessionInfo, Step},
};
use crate::base::{
    diag::{DiagCode, Diagnostics},
    ids::MessageIdx,
    locate::Locator,
    time::Timestamp,
};

/// What a format knows of a message besides its text.
#[derive(Clone, Default, Debug)]
pub struct Origin {
    /// The log's own number, where it has one.
    pub number: Option<u32>,
    /// The producer's ids.
    pub ids: Aliases,
    /// Model response that it belongs to.
    pub turn: Option<String>,
    /// When it was recorded.
    pub time: Option<Timestamp>,
    /// Its record.
    pub place: Locator,
    /// The model's reasoning that led to it, "" when there is none.
    pub reasoning: String,
    /// Model that wrote it, where the record says so.
    pub model: Option<String>,
    /// Working directory, where the record says so.
    pub cwd: Option<String>,
    /// Version-control branch, where the record says so.
    pub branch: Option<String>,
    /// Tokens and cost of the response that it begins. Give it once per response, or each time: of one turn only the
    /// first is kept.
    pub usage: Option<Usage>,
}

/// A field of a tool's input.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// Name; `None` for an input that is no object.
    pub name: Option<String>,
    /// Decoded text, or compact JSON where the value is no string.
    pub text: String,
    /// Set when it is shown only in part.
    pub cut: Option<Cut>,
}

/// What a tool returned.
#[derive(Clone, Debug)]
pub struct ResultOf {
    /// The text that the agent saw.
    pub text: String,
    /// Set when it is shown only in part.
    pub cut: Option<Cut>,
    /// How the call ended.
    pub outcome: Outcome,
    /// Exit status.
    pub exit: Exit,
    /// When it was recorded.
    pub time: Option<Timestamp>,
    /// Its record.
    pub place: Locator,
    /// Session id of a started sub-agent.
    pub spawned: Option<String>,
    /// Structured extras; see [`ToolCall::extra`].
    pub extra: Vec<(&'static str, String)>,
}

impl ResultOf {
    /// A text of which nothing else is known.
    pub fn new(text: impl Into<String>, place: Locator) -> Self {
        Self {
            text: text.into(),
            cut: None,
            outcome: Outcome::NotRecorded,
            exit: Exit::NotRecorded,
            time: None,
            place,
            spawned: None,
            extra: Vec::new(),
        }
    }

    /// The same with the end of the call.
    pub fn ended(self, (outcome, exit): (Outcome, Exit)) -> Self {
        Self { outcome, exit, ..self }
    }
}

/// Collects one session.
#[derive(Debug, Default)]
pub struct SessionBuilder {
    /// Filled by the format while it reads.
    pub info: SessionInfo,
    /// Filled by the format while it reads.
    pub accounting: Accounting,
    /// Filled by the format while it reads.
    pub diagnostics: Diagnostics,
    /// Left-behind branches.
    pub branches: Vec<Branch>,
    /// Sub-agents.
    pub subagents: Vec<Session>,
    messages: Vec<Message>,
    notices: Vec<Notice>,
    calls: HashMap<String, u32>,
    /// Texts that many messages share.
    shared: BTreeSet<Arc<str>>,
    own_numbers: bool,
    /// In bracketed text each block is a step of its own.
    pub texts_stand_alone: bool,
}

impl SessionBuilder {
    /// An empty session of a format.
    pub fn new(format: &'static str) -> Self {
        Self { info: SessionInfo { format, ..Default::default() }, ..Default::default() }
    }

    /// How many messages there are so far.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether nothing was pushed yet.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Whether any message told what its response cost: a total that stands elsewhere is then no news.
    pub fn has_usage(&self) -> bool {
        self.messages.iter().any(|message| message.usage.is_some())
    }

    /// Whether the last message is a call without a result.
    pub fn awaits_result(&self) -> bool {
        self.messages.last().and_then(|m| m.call.as_ref()).is_some_and(|call| call.result_at.is_none())
    }

    /// Adds a user text.
    pub fn user(&mut self, origin: Origin, text: impl Into<String>) {
        self.push(origin, MessageKind::User, vec![prose(text.into(), None)], None);
    }

    /// Adds an assistant text.
    pub fn text(&mut self, origin: Origin, text: impl Into<String>) {
        self.push(origin, MessageKind::Text, vec![prose(text.into(), None)], None);
    }

    /// Adds a tool call. Its result follows by [`SessionBuilder::result`] under the same call id, or at once.
    pub fn call(&mut self, origin: Origin, name: &str, kind: ToolKind, input: Vec<Field>) {
        let parts =
            input.into_iter().map(|f| Part { kind: PartKind::Input, name: f.name, text: f.text, cut: f.cut }).collect();
        let call = ToolCall {
            name: name.to_string(),
            kind,
            outcome: Outcome::NotRecorded,
            exit: Exit::NotRecorded,
            result_at: None,
            ended: None,
            spawned: None,
            extra: Vec::new(),
        };
        if let Some(id) = &origin.ids.call {
            self.calls.insert(id.clone(), self.messages.len() as u32);
        }
        self.push(origin, MessageKind::Tool, parts, Some(call));
    }

    /// Gives the call with this id its result. Says whether there was such a call still without one.
    pub fn result(&mut self, call_id: &str, result: ResultOf) -> bool {
        let Some(at) = self.calls.get(call_id).copied() else {
            self.diagnostics.add(
                DiagCode::ResultWithoutCall,
                result.place,
                format!("result of {call_id:?} belongs to no call seen"),
            );
            return false;
        };
        self.settle(at as usize, result)
    }

    /// Gives the last pushed call its result, for formats in which it follows at once.
    pub fn result_of_last(&mut self, result: ResultOf) -> bool {
        match self.messages.len().checked_sub(1) {
            Some(at) => self.settle(at, result),
            None => false,
        }
    }

    /// Gives the call that is message `at` (counted from 0) its result, for formats in which results follow by position.
    pub fn result_at(&mut self, at: usize, result: ResultOf) -> bool {
        at < self.messages.len() && self.settle(at, result)
    }

    fn settle(&mut self, at: usize, result: ResultOf) -> bool {
        let message = &mut self.messages[at];
        let Some(call) = message.call.as_mut() else { return false };
        if call.result_at.is_some() {
            self.diagnostics.add(DiagCode::ResultRepeated, result.place, "a second result of one call was passed over");
            return false;
        }
        call.outcome = result.outcome;
        call.exit = result.exit;
        call.result_at = Some(result.place);
        call.ended = result.time;
        call.spawned = result.spawned;
        call.extra = result.extra;
        // Nothing follows it: room for it and no more.
        message.parts.reserve_exact(1);
        message.parts.push(Part { kind: PartKind::Output, name: None, text: result.text, cut: result.cut });
        true
    }

    /// Adds something that is no message.
    pub fn notice(&mut self, kind: NoticeKind, place: Locator, time: Option<Timestamp>, text: impl Into<String>) {
        self.notices.push(Notice { kind, before: self.messages.len() as u32, place, time, text: text.into() });
    }

    /// Adds a model to those used.
    pub fn model(&mut self, name: &str) {
        if !name.is_empty() && !self.info.models.iter().any(|m| m == name) {
            self.info.models.push(name.to_string());
        }
    }

    fn push(&mut self, origin: Origin, kind: MessageKind, mut parts: Vec<Part>, call: Option<ToolCall>) {
        let number = origin.number.unwrap_or(self.messages.len() as u32 + 1);
        self.own_numbers |= origin.number.is_some();
        if !origin.reasoning.is_empty() {
            parts.insert(0, Part { kind: PartKind::Reasoning, name: None, text: origin.reasoning, cut: None });
        }
        if let Some(model) = &origin.model {
            self.model(model);
        }
        for (known, now) in [(&mut self.info.cwd, &origin.cwd), (&mut self.info.branch, &origin.branch)] {
            if known.is_none() {
                known.clone_from(now);
            }
        }
        let again = origin.turn.is_some() && self.messages.last().is_some_and(|m| m.turn == origin.turn);
        let usage = origin.usage.filter(|usage| !again && !usage.is_empty()).map(Box::new);
        let setting =
            Setting { model: self.share(origin.model), cwd: self.share(origin.cwd), branch: self.share(origin.branch) };
        self.messages.push(Message {
            number,
            kind,
            ids: origin.ids,
            turn: origin.turn,
            time: origin.time,
            place: origin.place,
            parts,
            call,
            setting,
            usage,
        });
    }

    /// One copy of a text, however many messages have it.
    fn share(&mut self, text: Option<String>) -> Option<Arc<str>> {
        let text = text.filter(|t| !t.is_empty())?;
        if let Some(known) = self.shared.get(text.as_str()) {
            return Some(known.clone());
        }
        let new: Arc<str> = text.into();
        self.shared.insert(new.clone());
        Some(new)
    }

    /// Marks the first prose part of the last message as cut.
    pub fn cut_last(&mut self, cut: Cut) {
        if let Some(part) =
            self.messages.last_mut().and_then(|m| m.parts.iter_mut().rfind(|p| p.kind == PartKind::Prose))
        {
            part.cut = Some(cut);
        }
    }

    /// Adds what stands for an image or a document to the last message.
    pub fn placeholder(&mut self, text: String) {
        if let Some(message) = self.messages.last_mut() {
            message.parts.push(prose(text, Some(Cut::Placeholder)));
        }
    }

    /// Freezes the session: groups steps, indexes ids and numbers, notes calls without result.
    pub fn finish(mut self) -> Session {
        // Let go before the other index is made.
        self.calls = HashMap::new();
        for message in &self.messages {
            if message.call.as_ref().is_some_and(|c| c.result_at.is_none()) {
                self.diagnostics.add(DiagCode::CallWithoutResult, message.place, format!("message {}", message.number));
            }
        }
        let steps = group(&self.messages, self.texts_stand_alone);
        Session {
            by_id: by_id(&self.messages),
            by_number: by_number(&self.messages),
            info: self.info,
            messages: self.messages,
            steps,
            numbering: if self.own_numbers { Numbering::Own } else { Numbering::Counted },
            notices: self.notices,
            branches: self.branches,
            subagents: self.subagents,
            accounting: self.accounting,
            diagnostics: self.diagnostics,
        }
    }
}

fn prose(text: String, cut: Option<Cut>) -> Part {
    Part { kind: PartKind::Prose, name: None, text, cut }
}

/// Messages by the producer's ids. A call id names one call; a message id may cover several messages and then names the
/// first.
pub(super) fn by_id(messages: &[Message]) -> HashMap<String, MessageIdx> {
    let mut found = HashMap::new();
    for (i, message) in messages.iter().enumerate() {
        let ids = &message.ids;
        for id in [&ids.call, &ids.part, &ids.message].into_iter().flatten().chain(&ids.also) {
            found.entry(id.clone()).or_insert(MessageIdx(i as u32));
        }
    }
    found
}

/// Messages by their printed numbers.
pub(super) fn by_number(messages: &[Message]) -> HashMap<u32, MessageIdx> {
    let mut found = HashMap::new();
    for (i, message) in messages.iter().enumerate() {
        found.entry(message.number).or_insert(MessageIdx(i as u32));
    }
    found
}

/// An assistant text directly before a tool call of the same turn counts with that call.
pub(super) fn group(messages: &[Message], texts_stand_alone: bool) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (i, message) in messages.iter().enumerate() {
        let at = MessageIdx(i as u32);
        let joins = !texts_stand_alone
            && message.kind == MessageKind::Tool
            && i > 0
            && messages[i - 1].kind == MessageKind::Text
            && messages[i - 1].turn.is_some()
            && messages[i - 1].turn == message.turn;
        match steps.last_mut() {
            Some(last) if joins => last.main = at,
            _ => steps.push(Step { first: at, main: at }),
        }
    }
    steps
}
