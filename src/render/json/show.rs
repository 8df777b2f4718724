//! `show --json`: `turnpoint.show/1`.

use serde::Serialize;

use crate::{
    base::ids::MessageIdx,
    model::{
        message::{Cut, Exit, Part, PartKind},
        session::Session,
    },
};

/// The document.
#[derive(Serialize)]
pub struct Document<'a> {
    schema: &'static str,
    session: &'a str,
    numbering: &'static str,
    messages: Vec<View<'a>>,
}

#[derive(Serialize)]
struct View<'a> {
    message: u32,
    step: u32,
    id: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit: Option<i32>,
    record: u32,
    #[serde(skip_serializing_if = "is_zero")]
    line: u32,
    parts: Vec<PartView<'a>>,
}

#[derive(Serialize)]
struct PartView<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<&'static str>,
}

impl<'a> Document<'a> {
    /// The document of the messages at `picks`.
    pub fn new(session: &'a Session, picks: &[MessageIdx]) -> Self {
        Self {
            schema: "turnpoint.show/1",
            session: &session.info.id,
            numbering: session.numbering.name(),
            messages: picks.iter().map(|at| View::new(session, *at)).collect(),
        }
    }
}

impl<'a> View<'a> {
    fn new(session: &'a Session, at: MessageIdx) -> Self {
        let message = session.message(at);
        let call = message.call.as_ref();
        Self {
            message: message.number,
            step: session.step_of(at).0,
            id: session.public_id(at),
            kind: message.kind.word(),
            tool: call.map(|c| c.name.as_str()),
            time: message.time.map(|t| t.iso()),
            outcome: call.and_then(|c| c.outcome.word()),
            exit: call.and_then(|c| match c.exit {
                Exit::Code(code) => Some(code),
                _ => None,
            }),
            record: message.place.record,
            line: message.place.line,
            parts: message.parts.iter().map(PartView::new).collect(),
        }
    }
}

impl<'a> PartView<'a> {
    fn new(part: &'a Part) -> Self {
        let kind = match part.kind {
            PartKind::Prose => "prose",
            PartKind::Reasoning => "reasoning",
            PartKind::Input => "input",
            PartKind::Output => "output",
        };
        let cut = part.cut.map(|cut| match cut {
            Cut::End => "end",
            Cut::ByTool => "by-tool",
            Cut::Placeholder => "placeholder",
        });
        Self { kind, name: part.name.as_deref(), text: &part.text, cut }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference over")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}
