//! *How it went*: where did the time go? The phases as one strip, then what the agent itself gave as causes and results.

use super::{claims, section};
use crate::{
    model::{
        article::{Block, Claim, Section},
        facts::{Statement, StatementKind},
        phase::Phase,
    },
    report::{
        Material, figures,
        phrase::{Phrase, shortened},
    },
};

/// Most phases that the strip shows.
const STRIP: usize = 14;

/// See the module.
pub fn make(m: &Material) -> Option<Section> {
    let quotes = told(m).into_iter().map(|s| quoted(m, s));
    section("How it went", vec![Block::Paragraph(claims([strip(m)])), Block::List(claims(quotes))])
}

fn strip(m: &Material) -> Option<Claim> {
    let told: Vec<&Phase> =
        m.findings.phases.iter().filter(|p| m.told(m.first_of(p.from)) || m.told(m.last_of(p.to))).collect();
    if told.len() < 2 {
        return None;
    }
    let mut shown = told.clone();
    shown.sort_by_key(|p| std::cmp::Reverse((p.to.0 - p.from.0, u32::MAX - p.from.0)));
    shown.truncate(STRIP);
    shown.sort_by_key(|p| p.from);
    let phrase = m.inferred("phase-strip").weighing(6);
    let phrase = if shown.len() < told.len() { phrase.say("The longest phases: ") } else { phrase.say("Phases: ") };
    phrase
        .list(shown, " · ", " · ", |p: Phrase, phase| {
            let (first, last) = (m.first_of(phase.from), m.last_of(phase.to));
            p.word(phase.kind.word()).range(first, last)
        })
        .say(".")
        .end()
}

/// The statements that tell most, in the order of the log.
fn told<'a>(m: &Material<'a>) -> Vec<&'a Statement> {
    let mut picked: Vec<&Statement> = Vec::new();
    for (kind, most) in KINDS {
        let of_kind =
            |s: &&Statement| s.kind == *kind && m.told(s.message) && figures::telling_words(m, &s.evidence) >= 5;
        let mut all: Vec<&Statement> = m.facts.statements.iter().filter(of_kind).collect();
        all.sort_by_key(|s| std::cmp::Reverse((figures::density(m.session.quoted(&s.evidence)), s.message)));
        picked.extend(all.into_iter().take(*most));
    }
    picked.sort_by_key(|s| (s.message, s.evidence.clone()));
    picked.dedup_by(|a, b| a.evidence == b.evidence);
    picked
}

/// Kinds of statements that are quoted here, and how many of each at most.
const KINDS: &[(StatementKind, usize)] =
    &[(StatementKind::Cause, 3), (StatementKind::Finding, 5), (StatementKind::Completion, 2)];

fn quoted(m: &Material, s: &Statement) -> Option<Claim> {
    let lead = match s.kind {
        StatementKind::Cause => "Stated cause: ",
        StatementKind::Completion => "Stated as done: ",
        _ => "Stated result: ",
    };
    let weight = if s.kind == StatementKind::Cause { 6 } else { 5 };
    m.stated("statement-quoted")
        .weighing(weight)
        .say(lead)
        .quote(&shortened(m.session, &s.evidence, 36))
        .refs([s.message])
        .say(".")
        .end()
}
