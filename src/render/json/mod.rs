//! The JSON shapes of the program: separate structs with a schema name, not the model.

use serde::Serialize;

use crate::{base::ids::MessageIdx, model::session::Session};

pub mod audit;
pub mod benchmarks;
pub mod check;
pub mod compare;
pub mod inspect;
pub mod manifest;
pub mod phases;
pub mod series;
pub mod sessions;
pub mod show;
pub mod todos;

/// By which ids other tools know a message: its own or its call's, its response's where the log has one, its line in the
/// log where it lies on one.
#[derive(Serialize)]
struct Ids<'a> {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

impl<'a> Ids<'a> {
    /// `message` names its response and its line, `known` the id: for a step that of the message it is about.
    fn new(session: &'a Session, message: MessageIdx, known: MessageIdx) -> Self {
        let of = session.message(message);
        Self {
            id: session.public_id(known),
            message_id: of.ids.message.as_deref(),
            line: (of.place.line > 0).then_some(of.place.line),
        }
    }
}

/// A document as one line of JSON. Control characters and those that reorder or hide text are escaped, so that a
/// terminal that prints it is safe; the values are the same.
pub fn line(document: &impl Serialize) -> String {
    let text = serde_json::to_string(document).expect("plain data");
    if text.is_ascii() && !text.contains('\u{7f}') {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let acts = c.is_control()
            || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
        match acts {
            true => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => out.push(c),
        }
    }
    out
}
