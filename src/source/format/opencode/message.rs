//! One message of the first generation: its parts in order become user texts, assistant texts, calls with their results,
//! and notices.

use std::borrow::Cow;

use super::{
    call::{self, moment, words},
    shape::{Failure, MessageInfo, Part, Times, no_object},
};
use crate::{
    base::{diag::DiagCode, locate::Locator, time::Timestamp},
    model::{
        builder::{Origin, SessionBuilder},
        message::{Aliases, NoticeKind, Usage},
    },
    source::{
        lenient::{Number, Text},
        tool_names::kind_of,
    },
    text::partial_json::{self, Node, Value},
};

/// How a text that the harness puts in the user's place begins.
const HARNESS_TEXTS: &[&str] = &[
    "# AGENTS.md instructions",
    "<INSTRUCTIONS>",
    "<command-message>",
    "<command-name>",
    "<environment_context>",
    "<local-command-stdout>",
    "<permissions instructions>",
    "<system-reminder>",
    "<user_instructions>",
];

/// A part as it was found.
pub(super) struct Found<'a> {
    /// Its id, where that is not (only) in the part itself.
    pub id: Option<Cow<'a, str>>,
    /// JSON.
    pub raw: Cow<'a, str>,
    /// Where.
    pub place: Locator,
}

/// What is known of a message besides its parts.
#[derive(Default)]
pub(super) struct Head<'a> {
    info: MessageInfo<'a>,
    id: Option<String>,
    /// Unix milliseconds.
    pub created: Option<f64>,
    /// Where.
    pub place: Locator,
}

/// What became of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Told {
    /// Messages of the session.
    Messages,
    /// Only notices.
    Notices,
    /// Nothing.
    Nothing,
}

impl<'a> Head<'a> {
    /// Reads it; an `info` that is no object is as good as none. `id` is the one by which the store knows it.
    pub fn read(id: Option<&str>, raw: &'a str, place: Locator) -> Self {
        let info: MessageInfo = serde_json::from_str(raw).unwrap_or_else(|_| as_far_as_shown(raw));
        let created = info.time.created.get();
        let id = id.map(str::to_string).or_else(|| info.id.owned());
        Self { info, id, created, place }
    }

    /// Of a message of the model of which only the id is known.
    pub fn of_response(id: Option<String>, created: Option<f64>, place: Locator) -> Self {
        let info = MessageInfo { role: Text::Is(Cow::Borrowed("assistant")), ..MessageInfo::default() };
        Self { info, id, created, place }
    }

    /// The message's id.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Whether a person wrote it.
    pub fn is_user(&self) -> bool {
        self.info.role.get() == Some("user")
    }

    /// Name of a field that holds a value of another type.
    fn fault(&self) -> Option<&'static str> {
        let info = &self.info;
        let odd = [("time", &info.time.stray), ("path", &info.path.stray), ("tokens", &info.tokens.stray)];
        info.fault().or_else(|| odd.iter().find(|(_, stray)| no_object(stray)).map(|(name, _)| *name))
    }
}

/// Who wrote a message and when, of one that ends early.
fn as_far_as_shown(raw: &str) -> MessageInfo<'_> {
    let node = partial_json::read(raw).node;
    let node = node.as_ref();
    let role = node.and_then(|n| n.get("role")).filter(|n| n.whole).and_then(Node::text).map(str::to_string);
    let created = node.and_then(|n| n.get("time")?.get("created")).filter(|n| n.whole);
    let created = created.and_then(|n| if let Value::Number(text) = n.value { text.parse().ok() } else { None });
    MessageInfo {
        role: role.map_or(Text::Absent, |role| Text::Is(Cow::Owned(role))),
        time: Times { created: created.map_or(Number::Absent, Number::Is), ..Times::default() },
        ..MessageInfo::default()
    }
}

/// Adds a message to the session, up to the part `until` (excluded) where one is named.
pub(super) fn tell(session: &mut SessionBuilder, head: &Head, parts: &[Found], until: Option<&str>) -> Told {
    let before = session.len();
    if let Some(model) = head.info.model.get() {
        session.model(model);
    }
    if let Some(field) = head.fault() {
        session.diagnostics.add(DiagCode::FieldWrongType, head.place, format!("`{field}` of a message"));
    }
    let parts: Vec<(Part, Locator)> = parts.iter().filter_map(|found| read(session, found, until)).collect();
    let usage = Some(usage(&head.info, &parts));
    let mut reader = Reader { session, head, place: head.place, reasoning: String::new(), noticed: false, usage };
    for (part, place) in parts {
        reader.place = place;
        reader.part(part);
    }
    reader.place = head.place;
    reader.fault(&head.info.error.0);
    let noticed = reader.noticed;
    match session.len() > before {
        true => Told::Messages,
        false if noticed => Told::Notices,
        false => Told::Nothing,
    }
}

fn read<'f>(session: &mut SessionBuilder, found: &'f Found, until: Option<&str>) -> Option<(Part<'f>, Locator)> {
    match serde_json::from_str::<Part>(&found.raw) {
        Ok(mut part) => {
            if let Some(id) = &found.id {
                part.id = Text::Is(Cow::Borrowed(id));
            }
            let undone = until.is_some() && part.id.get() >= until;
            (!undone).then_some((part, found.place))
        }
        Err(error) => {
            session.diagnostics.add(DiagCode::FieldWrongType, found.place, format!("a part: {error}"));
            None
        }
    }
}

/// What the response cost: the sum over its steps; the message itself keeps only the last step's tokens.
fn usage(info: &MessageInfo, parts: &[(Part, Locator)]) -> Usage {
    let mut sum = Usage::default();
    for (part, _) in parts.iter().filter(|(part, _)| part.kind.get() == Some("step-finish")) {
        sum.add(&part.tokens.usage(part.cost));
    }
    if sum.is_empty() { info.tokens.usage(info.cost) } else { sum }
}

/// Beginning of the first text of a message.
pub(super) fn opening(parts: &[Found]) -> String {
    const LONGEST: usize = 80;
    let read = |found| serde_json::from_str::<Part>(found).ok().and_then(|part| words(part.text));
    let text = parts.iter().find_map(|found| read(&found.raw));
    text.map(|(text, _)| text.chars().take(LONGEST).collect()).unwrap_or_default()
}

struct Reader<'a, 'h> {
    session: &'a mut SessionBuilder,
    head: &'a Head<'h>,
    place: Locator,
    reasoning: String,
    noticed: bool,
    /// Of the response, for its first message.
    usage: Option<Usage>,
}

impl Reader<'_, '_> {
    fn part(&mut self, part: Part) {
        if let Some(field) = part.fault() {
            self.session.diagnostics.add(DiagCode::FieldWrongType, self.place, format!("`{field}` of a part"));
        }
        match part.kind.get().unwrap_or_default() {
            "text" => self.text(part),
            "reasoning" => {
                let (text, _) = words(part.text).unwrap_or_default();
                if !self.reasoning.is_empty() && !text.is_empty() {
                    self.reasoning.push_str("\n\n");
                }
                self.reasoning.push_str(&text);
            }
            "tool" => self.tool(part),
            "compaction" => self.notice(NoticeKind::Compaction, &part.time, String::new()),
            "retry" => self.fault(&part.error.0),
            "subtask" => {
                let said = part.description.0.owned().or(part.prompt.0.owned()).unwrap_or_default();
                self.notice(NoticeKind::Meta, &part.time, said);
            }
            "step-start" | "step-finish" | "snapshot" | "patch" | "file" | "agent" => {}
            other => self.session.diagnostics.add(
                DiagCode::RecordTypeUnknown,
                self.place,
                format!("a part of type {other:?} was passed over"),
            ),
        }
    }

    fn text(&mut self, part: Part) {
        let Some((text, cut)) = words(part.text) else {
            self.session.diagnostics.add(DiagCode::FieldWrongType, self.place, "a text part without text");
            return;
        };
        if text.trim().is_empty() {
            return;
        }
        let user = self.head.is_user();
        if self.head.info.summary.0.set() {
            return self.notice(NoticeKind::Compaction, &part.time, text);
        }
        let flagged = part.synthetic.set() || part.ignored.set();
        if flagged || user && HARNESS_TEXTS.iter().any(|mark| text.trim_start().starts_with(mark)) {
            return self.notice(NoticeKind::Meta, &part.time, text);
        }
        let origin = self.origin(&part, part.time.start);
        if user {
            self.session.user(origin, text);
        } else {
            self.session.text(origin, text);
        }
        if let Some(cut) = cut {
            self.session.cut_last(cut);
        }
    }

    fn tool(&mut self, part: Part) {
        let state = &part.state;
        let told = state.status.get().is_some() || state.output.is_some() || state.error.is_some();
        if no_object(&state.stray) || no_object(&state.metadata.stray) || !told {
            self.session.diagnostics.add(DiagCode::FieldWrongType, self.place, "the state of a call");
        }
        let name = part.tool.get().unwrap_or("unknown");
        let began = if state.time.start.get().is_some() { state.time.start } else { part.time.start };
        let origin = self.origin(&part, began);
        self.session.call(origin, name, kind_of(name), call::input(state));
        if let Some(result) = call::result(name, state, &part.time, self.place) {
            self.session.result_of_last(result);
        }
    }

    fn fault(&mut self, error: &Failure) {
        let Some((kind, text)) = fault(error) else { return };
        self.notice(kind, &Times::default(), text);
    }

    fn notice(&mut self, kind: NoticeKind, time: &Times, text: String) {
        self.noticed = true;
        let time = self.time(time.start);
        self.session.notice(kind, self.place, time, text);
    }

    fn origin(&mut self, part: &Part, began: Number) -> Origin {
        let message = self.head.id.clone();
        let mut origin = Origin {
            ids: Aliases { message: message.clone(), part: part.id.owned(), call: part.call.owned(), also: Vec::new() },
            turn: message,
            time: self.time(began),
            place: self.place,
            reasoning: std::mem::take(&mut self.reasoning),
            cwd: self.head.info.path.cwd.owned(),
            ..Origin::default()
        };
        if !self.head.is_user() {
            origin.model = self.head.info.model.owned();
            origin.usage = self.usage.take();
        }
        origin
    }

    /// When a part began, else when its message was created.
    fn time(&self, began: Number) -> Option<Timestamp> {
        moment(began).or(self.head.created.and_then(|t| moment(Number::Is(t))))
    }
}

/// An error of the provider as a notice; `None` where there is none.
pub(super) fn fault(error: &Failure) -> Option<(NoticeKind, String)> {
    let name = error.name.get().or(error.kind.get()).unwrap_or_default();
    let told = error.data.0.message.get().or(error.message.get()).unwrap_or_default();
    let text = [name, told].into_iter().filter(|s| !s.is_empty()).collect::<Vec<_>>().join(": ");
    let kind = if name == "MessageAbortedError" { NoticeKind::Interruption } else { NoticeKind::Fault };
    (!text.is_empty()).then_some((kind, text))
}
