//! *What broke*: would I hit it again? First and last sight, the change after which it was gone, what proved it; open
//! ones stay open.

use super::{
    section, table,
    title::{mending, one_sight},
};
use crate::{
    model::{
        article::{ArticleRow, Section},
        facts::{Change, ChangeOf, Failure},
    },
    report::{
        Material,
        phrase::{Phrase, shortened},
    },
};

/// Most rows that the section holds.
const MOST: usize = 6;

/// See the module.
pub fn make(m: &Material) -> Option<Section> {
    let mut told: Vec<&Failure> =
        m.facts.failures.iter().filter(|f| !f.tooling && matters(f) && f.seen.iter().any(|at| m.told(*at))).collect();
    told.retain(|f| one_sight(m, f));
    told.sort_by_key(|f| std::cmp::Reverse(weight(f)));
    told.truncate(MOST);
    told.sort_by_key(|f| f.seen[0]);
    let rows = told.into_iter().filter_map(|f| row(m, f)).collect();
    section("What broke", vec![table(&["problem", "first", "last", "change after which it was gone", "proof"], rows)])
}

/// Solved, or met again: a single failed probe that nobody came back to is no story.
fn matters(f: &Failure) -> bool {
    f.gone.is_some() || f.seen.len() > 1
}

/// Failures that took changes and were seen gone tell most; then repeated ones.
fn weight(f: &Failure) -> (bool, usize, usize) {
    (f.gone.is_some() && !f.changes.is_empty(), f.seen.len().min(5), f.changes.len().min(3))
}

fn row(m: &Material, f: &Failure) -> Option<ArticleRow> {
    let last = *f.seen.iter().rfind(|at| m.subject.is_none() || m.told(**at)).unwrap_or(&f.seen[0]);
    let weight = if f.gone.is_some() { 7 } else { 6 };
    let phrase = m
        .derived("failure-story")
        .weighing(weight)
        .plain(&shortened(m.session, &f.evidence, 12))
        .cell()
        .number(f.seen[0])
        .cell()
        .number(last)
        .cell();
    // What is not traced proves nothing: there are many ways to be rid of a problem.
    let Some(gone) = f.gone else {
        return phrase.say("not traced").cell().say("–").row();
    };
    let phrase = match mending(m, f) {
        Some(change) => changed(phrase, change, f),
        None => phrase.say("not traced"),
    };
    let phrase = phrase.cell();
    // What fails otherwise no longer fails so: it proves that this problem is gone, not that all is well.
    if f.fails_differently {
        return phrase.say("fails differently in ").number(gone).row();
    }
    match f.proof.as_ref().filter(|proof| tells(m.session.quoted(proof))) {
        Some(proof) => phrase.plain(&shortened(m.session, proof, 8)).say(" (").number(gone).say(")").row(),
        None if f.proof.is_some() => phrase.say("gone in ").number(gone).row(),
        None => phrase.say("not seen again in ").number(gone).row(),
    }
}

/// The change with its message; where it is no change of the work, what it is. A test that was edited as well is named.
fn changed<'a>(phrase: Phrase<'a>, change: &Change, f: &Failure) -> Phrase<'a> {
    let named = |phrase: Phrase<'a>, c: &Change| {
        let phrase = phrase.code(&c.evidence);
        let phrase = match c.of {
            ChangeOf::Work => phrase,
            ChangeOf::Test => phrase.say(", a test"),
            ChangeOf::Script => phrase.say(", which the command runs"),
        };
        phrase.say(" (").number(c.message).say(")")
    };
    let test = f.changes.iter().rfind(|c| c.of == ChangeOf::Test).filter(|_| change.of == ChangeOf::Work);
    let phrase = named(phrase, change);
    match test {
        Some(test) => named(phrase.say("; "), test),
        None => phrase,
    }
}

/// Whether a line says something by itself: words that outnumber its figures.
fn tells(line: &str) -> bool {
    let (words, figures): (Vec<&str>, Vec<&str>) =
        line.split_whitespace().partition(|w| w.chars().filter(|c| c.is_alphabetic()).count() >= 2);
    !words.is_empty() && words.len() >= figures.len()
}
