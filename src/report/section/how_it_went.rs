//! *How it went*: where did the time go? The phases as one strip, then what the agent itself gave as causes and results.

use super::{claims, section};
use crate::{
    model::{
        article::{Block, Claim, Section},
        facts::{Statement, StatementKind},
        phase::Phase,
    },
    report::{
        Material,
        phrase::{Phrase, shortened},
    },
};

/// Most phases that the strip shows.
const STRIP: usize = 14;
/// Most statements that are quoted.
const QUOTES: usize = 6;

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

/// Stated causes first, then stated results, in the order of the log.
fn told<'a>(m: &Material<'a>) -> Vec<&'a Statement> {
    let of = |kind| m.facts.statements.iter().filter(move |s| s.kind == kind && m.told(s.message));
    let mut picked: Vec<&Statement> = Vec::new();
    for kind in [StatementKind::Cause, StatementKind::Finding] {
        let all: Vec<&Statement> = of(kind).collect();
        let room =
            QUOTES.saturating_sub(picked.len()).min(if kind == StatementKind::Cause { QUOTES / 2 } else { QUOTES });
        picked.extend(all.into_iter().rev().filter(|s| overlap_free(m, s)).take(room));
    }
    picked.sort_by_key(|s| s.message);
    picked.dedup_by(|a, b| a.evidence == b.evidence);
    picked
}

/// Long enough to tell something by itself.
fn overlap_free(m: &Material, s: &Statement) -> bool {
    m.session.quoted(&s.evidence).split_whitespace().count() >= 5
}

fn quoted(m: &Material, s: &Statement) -> Option<Claim> {
    let lead = match s.kind {
        StatementKind::Cause => "Stated cause: ",
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
