//! *How it went*: where did the time go? The phases as one strip, then what the agent itself gave as causes and results.

use super::{claims, section};
use crate::{
    base::ids::{MessageIdx, StepIdx},
    model::{
        article::{Block, Claim, Section},
        facts::{FileAct, Statement, StatementKind},
        phase::{Phase, PhaseKind},
    },
    report::{
        Material, checks, figures,
        phrase::{Phrase, shortened},
        reported,
    },
    text::terms::terms,
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

/// The statements that tell most, in the order of the log: what this session found, as it stood in the end.
fn told<'a>(m: &Material<'a>) -> Vec<&'a Statement> {
    let mut picked: Vec<&Statement> = Vec::new();
    let (own, said) = (begins(m), reported::first(m));
    for (kind, most) in KINDS {
        let of_kind = |s: &&Statement| {
            let words = m.session.quoted(&s.evidence);
            s.kind == *kind
                && m.told(s.message)
                && own.is_none_or(|own| own < s.message)
                && (s.kind != StatementKind::Completion || checked(m, s))
                && figures::whole_sentence(words)
                && !leans(words)
                && !(m.subject.is_none() && said.contains(&s.evidence))
                && !m.tells_of_deleted(words)
                && !taken_back(m, s)
        };
        let mut all: Vec<&Statement> = m.facts.statements.iter().filter(of_kind).collect();
        all.sort_by_key(|s| std::cmp::Reverse((figures::density(m.session.quoted(&s.evidence)), s.message)));
        // Of claims that all is done, a retrospective needs one.
        let most = if *kind == StatementKind::Completion && m.subject.is_none() { 1 } else { *most };
        picked.extend(all.into_iter().take(most));
    }
    picked.sort_by_key(|s| (s.message, s.evidence.clone()));
    let mut picked = last_of_each(m, picked);
    // A report tells how things are, not how it went: one of its figures is enough.
    let closing = m.closing().filter(|_| m.subject.is_none());
    let mut reports = picked.iter().filter(|s| Some(s.message) == closing).count();
    picked.retain(|s| Some(s.message) != closing || std::mem::replace(&mut reports, 0) > 0);
    picked
}

/// Kinds of statements that are quoted here, and how many of each at most.
const KINDS: &[(StatementKind, usize)] =
    &[(StatementKind::Cause, 3), (StatementKind::Finding, 5), (StatementKind::Completion, 2)];

/// The message from which on the session tells of its own work: its first change or check, where it first read what an
/// earlier session left. Before that it repeats what it read.
fn begins(m: &Material) -> Option<MessageIdx> {
    let change = m.facts.files.iter().find(|f| f.succeeded && f.act != FileAct::Read).map(|f| f.message);
    let check = m.facts.commands.iter().find(|c| c.ran && c.parts.iter().any(checks::is_check)).map(|c| c.message);
    let first = change.into_iter().chain(check).min()?;
    let left = |text: &str| {
        let text = text.to_lowercase();
        LEFT.iter().any(|word| text.contains(word))
    };
    let read = |at: MessageIdx| {
        let message = m.session.message(at);
        message.resumes() || message.path().or(message.command()).is_some_and(left)
    };
    m.session.indices().take_while(|at| *at < first).any(read).then_some(first)
}

/// What files are called in which one session leaves word for the next.
const LEFT: &[&str] = &["hand-off", "handoff", "handover", "memories", "memory"];

/// Whether a claim that something is done stands behind a check that passed; near a subject the reader sees that himself.
fn checked(m: &Material, s: &Statement) -> bool {
    m.subject.is_some()
        || checks::last(m).is_some_and(|check| check.end == checks::End::Passed && check.run.end() <= s.message)
}

/// Whether a later concession gives a statement up, or speaks of the same things.
fn taken_back(m: &Material, s: &Statement) -> bool {
    let own = terms(m.session.quoted(&s.evidence));
    m.facts.statements.iter().filter(|c| c.kind == StatementKind::Concession && c.message > s.message).any(|c| {
        let gives_up = c.about.is_some_and(|about| m.facts.statements[about].evidence == s.evidence);
        gives_up || terms(m.session.quoted(&c.evidence)).intersection(&own).count() >= SAME
    })
}

/// Two sentences that share so many terms speak of one thing.
const SAME: usize = 2;

/// Of statements that say much the same only the last.
fn last_of_each<'a>(m: &Material, all: Vec<&'a Statement>) -> Vec<&'a Statement> {
    let of = |s: &Statement| terms(m.session.quoted(&s.evidence));
    let repeats = |one: &Statement, later: &Statement| {
        let (a, b) = (of(one), of(later));
        one.evidence == later.evidence || a.intersection(&b).count() * 2 > a.len().min(b.len())
    };
    let kept = all.iter().enumerate().filter(|(i, s)| !all[i + 1..].iter().any(|later| repeats(s, later)));
    kept.map(|(_, s)| *s).collect()
}

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
