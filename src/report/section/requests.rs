//! *Requests*: did it do what I asked? The user's words; what came of them only where the log shows it.

use super::{claims, section};
use crate::{
    model::{
        article::{Block, Claim, Section},
        facts::{Request, RequestKind},
    },
    report::{Material, aims, material::announces, phrase::shortened},
};

/// Most requests that are listed.
const MOST: usize = 7;

/// See the module.
pub fn make(m: &Material) -> Option<Section> {
    // What stands in *In short* is not told again.
    let told = aims::told(m);
    let told: Vec<_> = match m.subject {
        Some(_) => m.aim().into_iter().map(|r| r.evidence.clone()).collect(),
        None => [told.first, told.heaviest, told.last].into_iter().flatten().map(|r| r.evidence.clone()).collect(),
    };
    let due = m.facts.requests.iter().filter(|r| {
        let words = m.session.quoted(&r.evidence);
        m.told(r.message)
            && !matches!(r.kind, RequestKind::Affirmation | RequestKind::Remark)
            && !told.contains(&r.evidence)
            && (words.split_whitespace().count() >= 3 || is_all(m, r))
            && !announces(words)
            // A heading, or what only opens a list.
            && !words.ends_with([':', '：'])
    });
    let mut due: Vec<&Request> = due.collect();
    due.sort_by_key(|r| std::cmp::Reverse(weight(r)));
    due.truncate(MOST);
    due.sort_by_key(|r| (r.message, r.evidence.clone()));
    section("Requests", vec![Block::List(claims(due.into_iter().map(|r| item(m, r))))])
}

/// Whether a short request is all that the user said: "ship it" is an order, and often the last one.
fn is_all(m: &Material, r: &Request) -> bool {
    r.kind == RequestKind::Goal && m.session.message(r.message).prose().split_whitespace().count() <= SHORT
}

/// A user's text of so many words is a word of command.
const SHORT: usize = 4;

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
            .say("; the agent concedes: ")
            .quote(&shortened(m.session, words, 14))
            .refs([words.message()])
            .say(".")
            .end(),
        None => phrase.say(".").end(),
    }
}
