//! What a session leaves behind that may need an action: each kind by a named rule that says what it cannot see. What a
//! text of the agent tells of it is kept beside it; what none tells is an omission.

mod deletions;
mod dropped;
mod jobs;
mod left_out;
mod red;
mod residue;
mod unrun;
mod worse;

pub(super) use unrun::UNRUN;

use super::ledger::Ledger;
use crate::model::{
    audit::{LooseEnd, Shown},
    evidence::Evidence,
    session::Session,
};

/// A rule.
pub struct Watch {
    /// Name, kebab-case.
    pub name: &'static str,
    /// What it looks for, in a sentence.
    pub about: &'static str,
    /// What it tells, and of what.
    pub example: &'static str,
    /// What it cannot see.
    pub limits: &'static str,
    find: fn(&Ledger) -> Vec<LooseEnd>,
}

/// All rules, what costs most to overlook first.
pub static WATCHES: &[&Watch] = &[
    &jobs::UNREADY,
    &worse::WORSE,
    &red::RED,
    &left_out::LEFT_OUT,
    &UNRUN,
    &deletions::FOREIGN,
    &residue::RESIDUE,
    &dropped::DROPPED,
];

/// Everything that they find, by rule.
pub(super) fn of(log: &Ledger) -> Vec<LooseEnd> {
    WATCHES.iter().flat_map(|watch| (watch.find)(log)).collect()
}

/// The clause for a person: what an article says, with what it shows.
fn clause(session: &Session, short: &str, shown: &Shown) -> String {
    match shown {
        Shown::Words(words) => format!("{short}{}", session.quoted(words).trim()),
        _ => short.trim_end_matches([':', ' ']).to_string(),
    }
}

/// What a rule found, told by its wording alone.
fn end(log: &Ledger, watch: &Watch, what: Evidence, short: &'static str, shown: Shown) -> LooseEnd {
    let why = clause(log.session, short, &shown);
    let place = match &shown {
        Shown::Words(words) => words.clone(),
        Shown::Searched(range) => range.clone(),
        Shown::Nothing | Shown::Change { .. } => what.clone(),
    };
    LooseEnd { rule: watch.name, what, why, short, shown, log: vec![place], omitted: true }
}
