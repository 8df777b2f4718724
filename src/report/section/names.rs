//! *Names*: what do I need to repeat it? One line, by what they are the name of, each with the first message that holds it.

use super::{claims, section};
use crate::{
    model::{
        article::{Block, Claim, Section},
        facts::{Name, NameKind},
    },
    report::{Material, phrase::Phrase},
};

/// The kinds of names, as a reader looks for them, and most names of each.
const GROUPS: &[(NameKind, &str, usize)] = &[
    (NameKind::Model, "models ", 3),
    (NameKind::Hardware, "hardware ", 3),
    (NameKind::Version, "versions ", 3),
    (NameKind::Host, "hosts ", 3),
    (NameKind::Service, "services ", 3),
    (NameKind::File, "files ", 4),
    (NameKind::Setting, "settings ", 8),
    (NameKind::Environment, "environment ", 3),
    (NameKind::Url, "addresses ", 3),
    (NameKind::Revision, "commits ", 3),
];

/// See the module.
pub fn make(m: &Material) -> Option<Section> {
    section("Names", vec![Block::Paragraph(claims([line(m)]))])
}

fn line<'a>(m: &Material<'a>) -> Option<Claim> {
    let groups: Vec<(&'static str, Vec<&Name>)> = GROUPS
        .iter()
        .map(|(kind, lead, most)| (*lead, of_kind(m, *kind, *most)))
        .filter(|(_, all)| !all.is_empty())
        .collect();
    let phrase = m.stated("names").weighing(4);
    let name = |p: Phrase<'a>, n: &Name| p.code(&n.evidence).say(" (").number(n.evidence.message()).say(")");
    phrase.list(groups, "; ", "; ", |p: Phrase<'a>, (lead, all)| p.say(lead).list(all, ", ", ", ", name)).say(".").end()
}

/// The most mentioned names of a kind, in the order of the log.
fn of_kind<'a>(m: &Material<'a>, kind: NameKind, most: usize) -> Vec<&'a Name> {
    let reach = |n: &&Name| m.subject.is_none() || m.told(n.evidence.message());
    let mut told: Vec<&Name> =
        m.facts.names.iter().filter(|n| n.kind == kind).filter(reach).filter(|n| is_needed(m, n)).collect();
    told.sort_by_key(|n| (std::cmp::Reverse(n.mentions), n.evidence.message(), n.text.clone()));
    told.truncate(most);
    told.sort_by_key(|n| (n.evidence.message(), n.text.clone()));
    told
}

/// Whether a reader needs a name to repeat the work: a setting that was given to something, or that is met again.
fn is_needed(m: &Material, name: &Name) -> bool {
    let given = || m.facts.commands.iter().any(|run| run.ran && run.line.contains(&name.text));
    let valued = name.text.contains(['=', ' ']);
    let needed = match name.kind {
        NameKind::Setting => valued && (name.mentions > 1 || given()),
        NameKind::Environment => name.mentions > 1 || given(),
        _ => true,
    };
    needed && is_there(m, name)
}

/// Whether a name is still that of something: not of a file that was deleted, nor of a placeholder.
fn is_there(m: &Material, name: &Name) -> bool {
    let value = name.text.split_once('=').map_or("", |(_, value)| value);
    let stands_for_another =
        ["MY_", "YOUR_", "my_", "your_"].iter().any(|own| value.starts_with(own) || name.text.starts_with(own));
    let deleted = name.kind == NameKind::File && m.tells_of_deleted(&name.text);
    !stands_for_another && !deleted
}
