//! *Plan against outcome*: what silently changed or vanished? Only items that did not simply go from pending to
//! completed.

use super::section;
use crate::{
    model::{
        article::{Block, Claim, Section},
        todo::{LedgerEntry, TodoStatus},
    },
    report::{
        Material,
        phrase::{Phrase, shortened},
    },
};

/// Most items that are listed.
const MOST: usize = 6;

/// See the module.
pub fn make(m: &Material) -> Option<Section> {
    let told = m.findings.ledger.iter().filter(|e| e.first <= m.to);
    let items = told.filter_map(|e| reopened(m, e).or_else(|| cancelled(m, e)).or_else(|| reworded(m, e)));
    section("Plan against outcome", vec![Block::List(items.take(MOST).collect())])
}

fn named<'a>(m: &Material<'a>, entry: &LedgerEntry, rule: &'static str) -> Option<Phrase<'a>> {
    let evidence = entry.evidence.last()?;
    let words = m.session.cite_words(evidence.message(), &entry.content).unwrap_or_else(|| evidence.clone());
    Some(m.derived(rule).weighing(6).quote(&shortened(m.session, &words, 16)))
}

fn reopened(m: &Material, entry: &LedgerEntry) -> Option<Claim> {
    let again = *entry.reopened.iter().find(|at| m.told(**at))?;
    named(m, entry, "item-reopened")?.say(" was closed and is open again").refs([entry.first, again]).say(".").end()
}

fn cancelled(m: &Material, entry: &LedgerEntry) -> Option<Claim> {
    let (at, _) = *entry.history.iter().rfind(|(at, status)| *status == TodoStatus::Cancelled && m.told(*at))?;
    named(m, entry, "item-cancelled")?.say(" was cancelled").refs([entry.first, at]).say(".").end()
}

fn reworded(m: &Material, entry: &LedgerEntry) -> Option<Claim> {
    let before = entry.earlier.first()?;
    let first = m.session.cite_words(entry.first, before)?;
    let last = entry.evidence.last()?.message();
    if !m.told(last) {
        return None;
    }
    let now = m.session.cite_words(last, &entry.content)?;
    m.derived("item-reworded")
        .weighing(4)
        .quote(&shortened(m.session, &first, 14))
        .refs([entry.first])
        .say(" became ")
        .quote(&shortened(m.session, &now, 14))
        .refs([last])
        .say(".")
        .end()
}
