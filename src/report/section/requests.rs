//! *Requests*: did it do what I asked? The user's words; what came of them only where the log shows it.

use super::{claims, section};
use crate::{
    model::{
        article::{Block, Claim, Section},
        facts::{Request, RequestKind},
    },
    report::{Material, material::announces, phrase::shortened},
};

/// Most requests that are listed.
const MOST: usize = 7;

/// See the module.
pub fn make(m: &Material) -> Option<Section> {
    let aim = m.aim().map(|r| r.evidence.clone());
    let due = m.facts.requests.iter().filter(|r| {
        m.told(r.message)
            && !matches!(r.kind, RequestKind::Affirmation | RequestKind::Remark)
            && Some(&r.evidence) != aim.as_ref()
            && m.session.quoted(&r.evidence).split_whitespace().count() >= 3
            && !announces(m.session.quoted(&r.evidence))
    });
    let mut due: Vec<&Request> = due.collect();
    due.sort_by_key(|r| std::cmp::Reverse(weight(r)));
    due.truncate(MOST);
    due.sort_by_key(|r| (r.message, r.evidence.clone()));
    section("Requests", vec![Block::List(claims(due.into_iter().map(|r| item(m, r))))])
}

fn weight(r: &Request) -> u8 {
    match r.kind {
        RequestKind::Correction => 8,
        RequestKind::Constraint => 7,
        RequestKind::Goal => 6,
        RequestKind::Asks => 5,
        RequestKind::Affirmation | RequestKind::Remark => 0,
    }
}

fn item(m: &Material, r: &Request) -> Option<Claim> {
    // Only what the assistant concedes is surely an objection.
    let lead = if r.conceded.is_some() { "Objection: " } else { "" };
    let phrase = m
        .stated("user-words")
        .weighing(weight(r))
        .say(lead)
        .quote(&shortened(m.session, &r.evidence, 30))
        .refs([r.message]);
    match &r.conceded {
        Some(words) => phrase
            .say("; the assistant concedes: ")
            .quote(&shortened(m.session, words, 14))
            .refs([words.message()])
            .say(".")
            .end(),
        None => phrase.say(".").end(),
    }
}
