//! Messages of Anthropic's shape told for producers other than Claude Code: what a result says of its end is its error
//! flag, where it has one, and the words of the harness; silence proves nothing.

use super::{
    said::Said,
    turn::{Answer, Piece},
};
use crate::{
    base::diag::DiagCode,
    model::{
        builder::{Field, Origin, ResultOf, SessionBuilder},
        message::Cut,
    },
    source::{exit_words::flagged, fields::fields, tool_names::kind_of},
    text::cut_mark,
};

/// Tells the pieces of a user's message: texts are prompts, unless `classify` says otherwise. Gives the number of
/// things told.
pub fn user(
    session: &mut SessionBuilder,
    origin: &Origin,
    pieces: Vec<Piece>,
    classify: impl Fn(&str) -> Said<'_>,
) -> usize {
    let mut told = 0;
    let mut placeholders = Vec::new();
    let mut prompts = 0;
    for piece in pieces {
        match piece {
            Piece::Said(text) if text.trim().is_empty() => continue,
            Piece::Said(text) => match classify(&text) {
                Said::Notice(kind, text) => session.notice(kind, origin.place, origin.time, text),
                Said::Prompt(text) => {
                    session.user(origin.clone(), text);
                    prompts += 1;
                }
            },
            Piece::Result(answer) => result(session, origin, answer),
            Piece::Placeholder(text) => {
                placeholders.push(text);
                continue;
            }
            Piece::Thought(_) | Piece::Call { .. } => continue,
        }
        told += 1;
    }
    for text in placeholders {
        if prompts > 0 {
            session.placeholder(text);
        } else if told == 0 {
            session.user(origin.clone(), text);
            session.cut_last(Cut::Placeholder);
            (prompts, told) = (1, 1);
        }
    }
    told
}

/// Tells the pieces of a response. Gives the number of things told.
pub fn assistant(session: &mut SessionBuilder, origin: &Origin, pieces: Vec<Piece>) -> usize {
    let mut thought = String::new();
    let mut told = 0;
    let mut usage = origin.usage;
    for piece in pieces {
        let mut origin = Origin { usage: None, ..origin.clone() };
        if !matches!(&piece, Piece::Thought(_)) && !matches!(&piece, Piece::Said(text) if text.trim().is_empty()) {
            origin.usage = usage.take();
        }
        match piece {
            Piece::Thought(text) => {
                thought += if thought.is_empty() { "" } else { "\n" };
                thought += &text;
                continue;
            }
            Piece::Said(text) if text.trim().is_empty() => continue,
            Piece::Said(text) => {
                origin.reasoning = std::mem::take(&mut thought);
                session.text(origin, text);
            }
            Piece::Call { id, name, input } => {
                origin.reasoning = std::mem::take(&mut thought);
                origin.ids.call = id;
                session.call(origin, &name, kind_of(&name), as_command(fields(&input)));
            }
            Piece::Result(answer) => result(session, &origin, answer),
            Piece::Placeholder(text) => {
                session.text(origin, text);
                session.cut_last(Cut::Placeholder);
            }
        }
        told += 1;
    }
    told
}

/// Fields of a tool that takes several commands at once (`commands`): as one command of several lines.
pub fn as_command(mut fields: Vec<Field>) -> Vec<Field> {
    let several = fields.iter_mut().find(|f| f.name.as_deref() == Some("commands"));
    if let Some(field) = several
        && let Ok(commands) = serde_json::from_str::<Vec<String>>(&field.text)
    {
        (field.name, field.text) = (Some("command".to_string()), commands.join("\n"));
    }
    fields
}

fn result(session: &mut SessionBuilder, origin: &Origin, answer: Answer) {
    let Answer { id, text, is_error, cut } = answer;
    let ended = flagged(&text, is_error);
    let cut = cut.or_else(|| cut_mark::by_tool(&text).then_some(Cut::ByTool));
    let result = ResultOf { cut, time: origin.time, ..ResultOf::new(text, origin.place) }.ended(ended);
    let settled = match &id {
        Some(id) => session.result(id, result),
        None => session.result_of_last(result),
    };
    if !settled && id.is_none() {
        session.diagnostics.add(DiagCode::ResultWithoutCall, origin.place, "a result without the id of its call");
    }
}
