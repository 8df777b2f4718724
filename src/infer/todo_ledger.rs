//! The life of each item over the session: first seen, started, finished, reworded, dropped, reopened. An item that
//! comes back after it was gone is the same item. Told of the lists that a todo tool keeps; of checklists, else of plans,
//! only where there are no others.

use std::collections::BTreeMap;

use super::{
    todo_delta::{Chain, is_closed},
    todo_match::bare,
};
use crate::{
    base::ids::MessageIdx,
    model::todo::{LedgerEntry, TodoDelta, TodoItem, TodoSnapshot, TodoStatus},
};

/// Entries in order of first sight.
pub(super) fn ledger(snapshots: &[TodoSnapshot], deltas: &[TodoDelta]) -> Vec<LedgerEntry> {
    let held = |chain: Chain| snapshots.iter().any(|s| Chain::of(s) == chain);
    let Some(chain) = [Chain::Kept, Chain::Ticked, Chain::Planned].into_iter().find(|c| held(*c)) else {
        return Vec::new();
    };
    let mut book = Book::default();
    for delta in deltas.iter().filter(|d| Chain::of(&snapshots[d.to]) == chain) {
        book.turn(&snapshots[delta.to], delta);
    }
    book.entries
}

#[derive(Default)]
struct Book {
    entries: Vec<LedgerEntry>,
    /// Entry of each item of the latest list, by position.
    latest: BTreeMap<usize, usize>,
    /// Entries that a cut list did not show: they may still be on it.
    unseen: Vec<usize>,
}

impl Book {
    fn turn(&mut self, list: &TodoSnapshot, delta: &TodoDelta) {
        let before = std::mem::take(&mut self.latest);
        let paired: BTreeMap<usize, usize> = delta.pairs.iter().map(|(f, t, _)| (*t, *f)).collect();
        for (t, item) in list.items.iter().enumerate() {
            let known = paired.get(&t).and_then(|f| before.get(f)).copied().or_else(|| self.returning(item));
            let entry = known.unwrap_or_else(|| {
                self.entries.push(opened(list.message, item));
                self.entries.len() - 1
            });
            see(&mut self.entries[entry], list.message, item);
            self.latest.insert(t, entry);
        }
        let here: Vec<usize> = self.latest.values().copied().collect();
        let gone = before.values().chain(&self.unseen).copied().filter(|e| !here.contains(e)).collect::<Vec<_>>();
        if !list.complete {
            self.unseen = gone;
            return;
        }
        self.unseen.clear();
        for entry in gone {
            let entry = &mut self.entries[entry];
            if !is_closed(entry.last) {
                entry.dropped.get_or_insert(list.message);
            }
        }
    }

    /// The entry of an item that was on an earlier list, but not on the latest.
    fn returning(&self, item: &TodoItem) -> Option<usize> {
        let text = bare(&item.content);
        let absent = |e: &usize| !self.latest.values().any(|here| here == e);
        (0..self.entries.len()).rev().filter(absent).find(|e| {
            let old = &self.entries[*e];
            old.content == item.content || !text.is_empty() && bare(&old.content) == text
        })
    }
}

fn opened(message: MessageIdx, item: &TodoItem) -> LedgerEntry {
    LedgerEntry {
        content: item.content.clone(),
        earlier: Vec::new(),
        first: message,
        started: None,
        finished: None,
        reopened: Vec::new(),
        dropped: None,
        last: TodoStatus::NotShown,
        history: Vec::new(),
        evidence: vec![item.evidence.clone()],
    }
}

/// Takes one sight of an item in.
fn see(entry: &mut LedgerEntry, message: MessageIdx, item: &TodoItem) {
    entry.dropped = None;
    reword(entry, item);
    entry.evidence.truncate(1);
    if entry.evidence[0] != item.evidence {
        entry.evidence.push(item.evidence.clone());
    }
    let (old, new) = (entry.last, item.status);
    if entry.history.is_empty() || new != TodoStatus::NotShown && new != old {
        entry.history.push((message, new));
    }
    if new == TodoStatus::NotShown {
        return;
    }
    if is_closed(old) && !is_closed(new) {
        entry.reopened.push(message);
        entry.finished = None;
    }
    if new == TodoStatus::InProgress {
        entry.started.get_or_insert(message);
    }
    if new == TodoStatus::Completed && old != TodoStatus::Completed {
        entry.finished = Some(message);
    } else if new != TodoStatus::Completed {
        entry.finished = None;
    }
    entry.last = new;
}

/// A display-cut text never replaces a longer one that it begins.
fn reword(entry: &mut LedgerEntry, item: &TodoItem) {
    let shown = item.content.trim_end_matches(['.', '…']);
    if entry.content == item.content || item.content_cut && entry.content.starts_with(shown) {
        return;
    }
    let begun = entry.content.trim_end_matches(['.', '…']);
    if !item.content.starts_with(begun) && !entry.earlier.contains(&entry.content) {
        entry.earlier.push(entry.content.clone());
    } else if item.content.starts_with(begun) && !entry.content.ends_with(['.', '…']) && !item.content_cut {
        // The text grew: an item that took its result on.
        entry.earlier.push(entry.content.clone());
    }
    entry.content.clone_from(&item.content);
    entry.earlier.retain(|text| *text != item.content);
}
