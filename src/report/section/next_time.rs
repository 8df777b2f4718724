//! *Next time*: what do I tell the agent tomorrow? A failure that came back, and the form that worked.

use super::{claims, section};
use crate::{
    model::{
        article::{Block, Claim, Section},
        facts::Failure,
    },
    report::{
        Material,
        phrase::{Phrase, shortened},
    },
};

/// A failure seen this often is worth a line.
const OFTEN: usize = 3;

/// See the module.
pub fn make(m: &Material) -> Option<Section> {
    let often = m.facts.failures.iter().filter(|f| f.seen.len() >= OFTEN && f.gone.is_some() && !f.changes.is_empty());
    let mut often: Vec<&Failure> = often.collect();
    often.sort_by_key(|f| (std::cmp::Reverse(f.seen.len()), f.seen[0]));
    section("Next time", vec![Block::List(claims(often.into_iter().take(2).map(|f| line(m, f))))])
}

fn line(m: &Material, f: &Failure) -> Option<Claim> {
    let phrase = m.derived("failure-repeated").weighing(5).quote(&shortened(m.session, &f.evidence, 16));
    let phrase = phrase.say(" came up ").count(f.seen.len()).say(" times").refs(f.seen.iter().copied().take(5));
    match (f.gone, f.changes.last()) {
        (Some(gone), Some(change)) => phrase
            .say("; what helped: ")
            .list([change], "", "", |p: Phrase, c| p.code(&c.evidence))
            .refs([gone])
            .say(".")
            .end(),
        _ => phrase.say(".").end(),
    }
}
