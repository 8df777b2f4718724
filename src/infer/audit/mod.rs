//! The audit: what the agent said of its work, held against its own log.
//!
//! Texts of the assistant and reports inside tool inputs are cut into statements; each is shown to the rules, and each
//! that knows its kind speaks. Agents are mostly right, so a rule that is not sure says nothing:
//! `contradicted` needs two statements about one thing, and what is only missing is `not shown`.

mod ledger;
mod rules;
mod statements;

pub use rules::{RULES, Rule};

use crate::model::{
    audit::{Claimed, Ruling},
    facts::Facts,
    session::Session,
};

/// Judges what the agent said, in the order in which it stands in the log.
pub fn audit(session: &Session, facts: &Facts) -> Vec<Claimed> {
    asked(session, facts, |_| true)
}

/// What the log contradicts, in the same order. Only the rules that can contradict are asked.
pub fn accusations(session: &Session, facts: &Facts) -> Vec<Claimed> {
    let mut all = asked(session, facts, Rule::can_contradict);
    all.retain(|claim| claim.ruling == Ruling::Contradicted);
    all
}

fn asked(session: &Session, facts: &Facts, of: impl Fn(&Rule) -> bool) -> Vec<Claimed> {
    let log = ledger::Ledger::of(session, facts);
    let rules: Vec<&Rule> = RULES.iter().copied().filter(|rule| of(rule)).collect();
    let said = statements::of(session, facts);
    said.iter().flat_map(|statement| rules.iter().filter_map(|rule| rule.judged(&log, statement))).collect()
}
