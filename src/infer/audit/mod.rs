//! The audit: what the agent said of its work, held against its own log.
//!
//! Texts of the assistant and reports inside tool inputs are cut into statements; each is shown to the rules, and each
//! that knows its kind speaks. Agents are mostly right, so a rule that is not sure says nothing:
//! `contradicted` needs two statements about one thing, and what is only missing is `not shown`.

mod contents;
mod edits;
mod entities;
mod ledger;
mod loose_ends;
mod rules;
mod statements;

pub use loose_ends::{WATCHES, Watch};
pub use rules::{RULES, Rule};

use std::collections::BTreeMap;

use crate::{
    base::ids::MessageIdx,
    model::{
        audit::{Audit, Claimed, LooseEnd, Ruling},
        evidence::Evidence,
        facts::Facts,
        findings::Findings,
        message::MessageKind,
        session::Session,
    },
};
use ledger::Ledger;
use statements::Statement;

/// Judges what the agent said, in the order in which it stands in the log.
pub fn audit(session: &Session, facts: &Facts, findings: &Findings) -> Audit {
    let log = Ledger::of(session, facts, findings);
    let mut claims = judged(&log, |_, _| true);
    link_repeats(session, &mut claims);
    let loose_ends = loose_ends(&log, &claims);
    Audit { claims, loose_ends }
}

/// The part of an audit that an article tells: what the log contradicts, and all that the closing text says. Elsewhere
/// only the rules that can contradict are asked.
pub fn for_article(session: &Session, facts: &Facts, findings: &Findings) -> Audit {
    let log = Ledger::of(session, facts, findings);
    let closing = closing(session);
    let closes = |at: MessageIdx| Some(at) == closing;
    let mut claims = judged(&log, |said, rule| rule.can_contradict() || closes(said.message));
    claims.retain(|claim| claim.ruling == Ruling::Contradicted || closes(claim.words.message()));
    link_repeats(session, &mut claims);
    let loose_ends = loose_ends(&log, &claims);
    Audit { claims, loose_ends }
}

/// What is left behind; what a claim already speaks of is told there.
fn loose_ends(log: &Ledger, claims: &[Claimed]) -> Vec<LooseEnd> {
    let mut all = loose_ends::of(log);
    let told = |end: &LooseEnd| {
        let names = |claim: &Claimed| claim.why.contains(log.session.quoted(&end.what));
        let of_runs = |claim: &&Claimed| [rules::ASKED.name, rules::TICKED.name].contains(&claim.rule);
        end.rule == loose_ends::UNRUN.name && claims.iter().filter(of_runs).any(names)
    };
    all.retain(|end| !told(end));
    all
}

/// The last text, where nothing follows it.
fn closing(session: &Session) -> Option<MessageIdx> {
    let (at, message) = session.iter().next_back()?;
    (message.kind == MessageKind::Text).then_some(at)
}

fn judged(log: &Ledger, asked: impl Fn(&Statement, &Rule) -> bool) -> Vec<Claimed> {
    let said = statements::of(log.session, log.facts);
    let asked = &asked;
    let rules = |said| RULES.iter().copied().filter(move |rule| asked(said, rule));
    said.iter().flat_map(|said| rules(said).filter_map(move |rule| rule.judged(log, said))).collect()
}

/// Names the first of the claims that say the same: the same words, judged alike by the same rule.
fn link_repeats(session: &Session, claims: &mut [Claimed]) {
    let mut first: BTreeMap<(&str, Ruling, String), Evidence> = BTreeMap::new();
    for claim in claims {
        let key = (claim.rule, claim.ruling, bare(session.quoted(&claim.words)));
        match first.get(&key) {
            Some(known) => claim.repeats = Some(known.clone()),
            None => _ = first.insert(key, claim.words.clone()),
        }
    }
}

/// Words and figures alone, in lower case.
fn bare(text: &str) -> String {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '.')).map(|word| word.trim_matches('.'));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ").to_lowercase()
}
