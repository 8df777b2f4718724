//! The audit: what the agent said of its work, held against its own log.
//!
//! Texts of the assistant and reports inside tool inputs are cut into statements; each is shown to the rules, and each
//! that knows its kind speaks. Agents are mostly right, so a rule that is not sure says nothing:
//! `contradicted` needs two statements about one thing, and what is only missing is `not shown`.

mod ledger;
mod rules;
mod statements;

pub use rules::{RULES, Rule};

use crate::model::{audit::Claimed, facts::Facts, session::Session};

/// Judges what the agent said, in the order in which it stands in the log.
pub fn audit(session: &Session, facts: &Facts) -> Vec<Claimed> {
    let log = ledger::Ledger::of(session, facts);
    let said = statements::of(session, facts);
    said.iter().flat_map(|statement| rules::judged(&log, statement)).collect()
}
