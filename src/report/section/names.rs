//! *Names*: what do I need to repeat it? One line, each with the first message that holds it.

use super::{claims, section};
use crate::{
    model::{
        article::{Block, Claim, Section},
        facts::{Name, NameKind},
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
    let reach = |n: &&Name| m.subject.is_none() || m.told(n.evidence.message());
    let mut told: Vec<&Name> = m.facts.names.iter().filter(reach).filter(|n| is_there(m, n)).collect();
    told.sort_by_key(|n| (std::cmp::Reverse(n.mentions), n.evidence.message(), n.text.clone()));
    told.truncate(MOST);
    told.sort_by_key(|n| (n.kind, n.evidence.message(), n.text.clone()));
    m.stated("names")
        .weighing(4)
        .list(told, ", ", ", ", |p: Phrase, n| p.code(&n.evidence).say(" (").number(n.evidence.message()).say(")"))
        .say(".")
        .end()
}

/// Whether a name is still that of something: not of a file that was deleted, nor of a placeholder.
fn is_there(m: &Material, name: &Name) -> bool {
    let value = name.text.split_once('=').map_or("", |(_, value)| value);
    let stands_for_another =
        ["MY_", "YOUR_", "my_", "your_"].iter().any(|own| value.starts_with(own) || name.text.starts_with(own));
    let deleted = name.kind == NameKind::File && m.tells_of_deleted(&name.text);
    !stands_for_another && !deleted
}
