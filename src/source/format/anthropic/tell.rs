//! Messages of Anthropic's shape told for producers other than Claude Code: what a result says of its end is its error
//! flag, where it has one, and the words of the harness; silence proves nothing.

use super::turn::{Answer, Piece};
use crate::{
    base::diag::DiagCode,
    model::{
        builder::{Origin, ResultOf, SessionBuilder},
        message::{Cut, NoticeKind},
    },
    source::{exit_words::flagged, fields::fields, tool_names::kind_of},
    text::cut_mark,
};

/// Tells the pieces of a user's message: texts are prompts, unless `notice` says what else they are. Gives the number of
/// things told.
pub fn user(
    session: &mut SessionBuilder,
    origin: &Origin,
    pieces: Vec<Piece>,
    notice: impl Fn(&str) -> Option<NoticeKind>,
) -> usize {
    let mut told = 0;
    let mut placeholders = Vec::new();
    let mut prompts = 0;
    for piece in pieces {
        match piece {
            Piece::Said(text) if text.trim().is_empty() => continue,
            Piece::Said(text) => match notice(&text) {
                Some(kind) => session.notice(kind, origin.place, origin.time, text),
                None => {
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
    for piece in pieces {
        let mut origin = origin.clone();
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
                session.call(origin, &name, kind_of(&name), fields(&input));
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
