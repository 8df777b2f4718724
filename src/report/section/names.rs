//! *Names*: what do I need to repeat it? One line, each with the first message that holds it.

use super::{claims, section};
use crate::{
    model::{
        article::{Block, Claim, Section},
        facts::Name,
    },
    report::{Material, phrase::Phrase},
};

/// Most names that are given.
const MOST: usize = 14;

/// See the module.
pub fn make(m: &Material) -> Option<Section> {
    section("Names", vec![Block::Paragraph(claims([line(m)]))])
}

fn line(m: &Material) -> Option<Claim> {
    let mut told: Vec<&Name> =
        m.facts.names.iter().filter(|n| m.subject.is_none() || m.told(n.evidence.message())).collect();
    told.sort_by_key(|n| (std::cmp::Reverse(n.mentions), n.evidence.message(), n.text.clone()));
    told.truncate(MOST);
    told.sort_by_key(|n| (n.kind, n.evidence.message(), n.text.clone()));
    m.stated("names")
        .weighing(4)
        .list(told, ", ", ", ", |p: Phrase, n| p.code(&n.evidence).say(" (").number(n.evidence.message()).say(")"))
        .say(".")
        .end()
}
