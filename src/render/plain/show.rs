//! `show` for a person: the messages themselves, safe for a terminal, each under a line that says what it is.

use crate::{
    base::ids::MessageIdx,
    model::{
        message::{Cut, Message, MessageKind, Part, PartKind},
        session::Session,
    },
    text::quote::{terminal, terminal_line},
};

/// The messages at `picks`, in that order.
pub fn render(session: &Session, picks: &[MessageIdx]) -> String {
    let mut out = String::new();
    for at in picks {
        if !out.is_empty() {
            out.push('\n');
        }
        out += &header(session, *at);
        out.push('\n');
        for part in &session.message(*at).parts {
            out += &body(part);
        }
    }
    out
}

/// `── 12 · tool Bash · 2026-04-14T08:32:59Z · failed, exit 255 · toolu_01…`
fn header(session: &Session, at: MessageIdx) -> String {
    let message = session.message(at);
    let mut pieces = vec![format!("── {}", message.number), what(message)];
    pieces.extend(message.time.map(|t| t.iso()));
    pieces.extend(ended(message));
    pieces.push(terminal_line(&session.public_id(at)));
    pieces.join(" · ")
}

/// `user`, `assistant`, `tool Bash`.
pub(super) fn what(message: &Message) -> String {
    match (message.kind, &message.call) {
        (MessageKind::Tool, Some(call)) => format!("tool {}", terminal_line(&call.name)),
        (kind, _) => kind.word().to_string(),
    }
}

/// `failed, exit 255`; nothing for texts and for calls of which the log does not say it.
pub(in crate::render) fn ended(message: &Message) -> Option<String> {
    let call = message.call.as_ref()?;
    if call.result_at.is_none() {
        return Some("no result in the log".to_string());
    }
    let words: Vec<String> =
        [call.outcome.word().map(str::to_string), call.exit.words()].into_iter().flatten().collect();
    (!words.is_empty()).then(|| words.join(", "))
}

fn body(part: &Part) -> String {
    let mut text = terminal(&part.text);
    text.truncate(text.trim_end().len());
    match part.cut {
        Some(Cut::End) => text += &format!(" […] ({})", Cut::End.words()),
        Some(cut) => text += &format!(" ({})", cut.words()),
        None => {}
    }
    match part.kind {
        PartKind::Prose => format!("{text}\n"),
        PartKind::Reasoning => labelled("reasoning", &text),
        PartKind::Output => labelled("output", &text),
        PartKind::Input => labelled(&terminal_line(part.name.as_deref().unwrap_or("input")), &text),
    }
}

/// `name: value`, or the value below its name where it has several lines.
fn labelled(name: &str, text: &str) -> String {
    if text.contains('\n') { format!("{name}:\n{text}\n") } else { format!("{name}: {text}\n") }
}
