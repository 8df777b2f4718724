//! *How it went*: where did the time go? The phases as one strip, then what the agent itself gave as causes and results.

use super::{claims, section};
use crate::{
    base::ids::StepIdx,
    model::{
        article::{Block, Claim, Section},
        facts::{Statement, StatementKind},
        phase::{Phase, PhaseKind},
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
    // Neighbours of one kind (a new aim lies between them) are one stretch of the strip.
    let mut told: Vec<(PhaseKind, StepIdx, StepIdx)> = told.into_iter().map(|p| (p.kind, p.from, p.to)).collect();
    told.dedup_by(|later, earlier| {
        let joins = later.0 == earlier.0 && later.1.0 == earlier.2.0 + 1;
        if joins {
            earlier.2 = later.2;
        }
        joins
    });
    if told.len() < 2 {
        return None;
    }
    let mut shown = told.clone();
    shown.sort_by_key(|p| std::cmp::Reverse((p.2.0 - p.1.0, u32::MAX - p.1.0)));
    shown.truncate(STRIP);
    shown.sort_by_key(|p| p.1);
    let phrase = m.inferred("phase-strip").weighing(6);
    let phrase = if shown.len() < told.len() { phrase.say("The longest phases: ") } else { phrase.say("Phases: ") };
    phrase
        .list(shown, " · ", " · ", |p: Phrase, (kind, from, to)| {
            p.word(kind.word()).range(m.first_of(from), m.last_of(to))
        })
        .say(".")
        .end()
}

/// The statements that tell most, in the order of the log.
fn told<'a>(m: &Material<'a>) -> Vec<&'a Statement> {
    let mut picked: Vec<&Statement> = Vec::new();
    for (kind, most) in KINDS {
        let of_kind = |s: &&Statement| {
            let words = m.session.quoted(&s.evidence);
            s.kind == *kind
                && m.told(s.message)
                && figures::whole_sentence(words)
                && !leans(words)
                && !m.tells_of_deleted(words)
        };
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

/// Whether a sentence leans on the one before it: "It merged with an author."
fn leans(words: &str) -> bool {
    let first = words.split_whitespace().next().unwrap_or("");
    ["He", "It", "She", "They", "Those"].contains(&first)
}

fn quoted(m: &Material, s: &Statement) -> Option<Claim> {
    let words = shortened(m.session, &s.evidence, 36);
    // What is left of a long sentence may end where its point begins.
    if m.session.quoted(&words).ends_with([':', '：']) {
        return None;
    }
    let weight = if s.kind == StatementKind::Cause { 6 } else { 5 };
    m.stated("statement-quoted").weighing(weight).quote(&words).refs([s.message]).say(".").end()
}
