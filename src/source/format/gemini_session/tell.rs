//! Folded messages told to the session builder.

use std::collections::BTreeMap;

use super::fold::{Fold, Kind, Said};
use crate::{
    base::diag::Diagnostics,
    model::{
        builder::{Origin, SessionBuilder},
        message::{Aliases, Cut, NoticeKind, Usage},
        session::SessionInfo,
    },
    source::{Parsed, open::Input},
};

/// The session of a file.
pub fn sessions(fold: Fold, format: &'static str, input: &Input, diagnostics: Diagnostics) -> Parsed {
    let mut session = SessionBuilder::new(format);
    session.info = SessionInfo { format, records_outcome: true, ..fold.info };
    if session.info.id.is_empty() {
        session.info.id = input.stem().to_string();
    }
    // A sub-agent's file lies in a folder named by the session that started it.
    session.info.parent = Some(input.folder_name().to_string()).filter(|name| fold.is_agent && name.contains('-'));
    session.accounting = fold.accounting;
    session.diagnostics = diagnostics;
    session.diagnostics.extend(fold.diagnostics);
    session.branches = fold.branches;
    fold.messages.into_iter().for_each(|said| tell(&mut session, said));
    Parsed { sessions: vec![session.finish()], ..Parsed::default() }
}

/// The sessions of a list of prompts.
pub fn prompts(fold: Fold, format: &'static str, mut diagnostics: Diagnostics) -> Parsed {
    diagnostics.extend(fold.diagnostics);
    let mut order: BTreeMap<String, usize> = BTreeMap::new();
    let mut sessions: Vec<SessionBuilder> = Vec::new();
    for said in fold.messages {
        let id = said.session.clone().unwrap_or_default();
        let at = *order.entry(id.clone()).or_insert_with(|| {
            let mut session = SessionBuilder::new(format);
            session.info.id = id;
            sessions.push(session);
            sessions.len() - 1
        });
        sessions[at].accounting.used();
        tell(&mut sessions[at], said);
    }
    // Each prompt is counted with its session; what gave none stays with the file.
    let mut unassigned = fold.accounting;
    let used = std::mem::take(&mut unassigned.used);
    unassigned.read -= used;
    let sessions = sessions.into_iter().map(SessionBuilder::finish).collect();
    Parsed { sessions, unassigned, diagnostics }
}

fn tell(session: &mut SessionBuilder, said: Said) {
    let origin = |call: Option<String>, also: bool, usage: Option<Usage>, reasoning: String| Origin {
        ids: Aliases { message: said.id.clone().filter(|_| also), call, ..Aliases::default() },
        turn: said.id.clone().or_else(|| Some(format!("record {}", said.place.record))),
        time: said.time,
        place: said.place,
        model: said.model.clone().filter(|_| said.kind == Kind::Model),
        usage,
        reasoning,
        ..Origin::default()
    };
    match said.kind {
        Kind::Notice(kind) => session.notice(kind, said.place, said.time, said.text),
        Kind::User => {
            if !said.context.is_empty() {
                session.notice(NoticeKind::Meta, said.place, said.time, said.context.as_str());
            }
            let mut placeholders = said.placeholders.iter().cloned();
            let bare = said.text.trim().is_empty().then(|| placeholders.next()).flatten();
            if bare.is_none() && said.text.trim().is_empty() {
                return;
            }
            session.user(origin(None, true, None, String::new()), bare.clone().unwrap_or_else(|| said.text.clone()));
            if bare.is_some() {
                session.cut_last(Cut::Placeholder);
            }
            placeholders.for_each(|placeholder| session.placeholder(placeholder));
        }
        Kind::Model => {
            let (mut usage, mut thought) = (Some(said.usage), said.thought.clone());
            let speaks = !said.text.trim().is_empty();
            if speaks {
                session.text(origin(None, true, usage.take(), std::mem::take(&mut thought)), said.text.as_str());
            }
            for call in said.calls.iter() {
                let of = origin(call.id.clone(), !speaks, usage.take(), std::mem::take(&mut thought));
                session.call(of, &call.name, call.kind, call.input.clone());
                if let Some(result) = &call.result {
                    session.result_of_last(result.clone());
                }
            }
        }
    }
}
