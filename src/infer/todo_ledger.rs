//! The life of each item over the session: first seen, started, finished, reworded, dropped, reopened. An item that
//! comes back after it was gone is the same item. Told of the lists that a todo tool keeps; of checklists, else of plans,
//! only where there are no others.

use std::collections::BTreeMap;

use super::{
    todo_delta::{Chain, is_closed},
    todo_match::Text,
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
    book.lives.into_iter().map(|life| life.entry).collect()
}

#[derive(Default)]
struct Book {
    lives: Vec<Life>,
    /// Life of each item of the latest list, by position.
    latest: BTreeMap<usize, usize>,
    /// Lives that a cut list did not show: they may still be on it.
    unseen: Vec<usize>,
}

struct Life {
    entry: LedgerEntry,
    /// Whether its text is shown only in part so far.
    cut: bool,
}

impl Book {
    fn turn(&mut self, list: &TodoSnapshot, delta: &TodoDelta) {
        let before = std::mem::take(&mut self.latest);
        let paired: BTreeMap<usize, usize> = delta.pairs.iter().map(|(f, t, _)| (*t, *f)).collect();
        for (t, item) in list.items.iter().enumerate() {
            let known = paired.get(&t).and_then(|f| before.get(f)).copied().or_else(|| self.returning(item));
            let life = known.unwrap_or_else(|| {
                self.lives.push(Life::opened(list.message, item));
                self.lives.len() - 1
            });
            self.lives[life].see(list.message, item);
            self.latest.insert(t, life);
        }
        let here: Vec<usize> = self.latest.values().copied().collect();
        let gone: Vec<usize> = before.values().chain(&self.unseen).copied().filter(|e| !here.contains(e)).collect();
        if !list.complete {
            self.unseen = gone;
            return;
        }
        self.unseen.clear();
        for life in gone {
            let entry = &mut self.lives[life].entry;
            if !is_closed(entry.last) && entry.last != TodoStatus::NotShown {
                entry.dropped.get_or_insert(list.message);
            }
        }
    }

    /// The life of an item that was on an earlier list, but not on the latest; the most recent one.
    fn returning(&self, item: &TodoItem) -> Option<usize> {
        let absent = |life: &usize| !self.latest.values().any(|here| here == life);
        let text = Text::of(&item.content, item.content_cut);
        (0..self.lives.len()).rev().filter(absent).find(|life| {
            let life = &self.lives[*life];
            text.is_other_sight_of(&Text::of(&life.entry.content, life.cut))
        })
    }
}

impl Life {
    fn opened(message: MessageIdx, item: &TodoItem) -> Self {
        let entry = LedgerEntry {
            content: item.content.clone(),
            earlier: Vec::new(),
            first: message,
            started: None,
            finished: None,
            reopened: Vec::new(),
            dropped: None,
            last: TodoStatus::NotShown,
            history: Vec::new(),
            seen: Vec::new(),
            evidence: vec![item.evidence.clone()],
        };
        Self { entry, cut: item.content_cut }
    }

    /// Takes one sight of the item in.
    fn see(&mut self, message: MessageIdx, item: &TodoItem) {
        self.reword(item);
        let entry = &mut self.entry;
        entry.dropped = None;
        entry.seen.push((message, item.status));
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
        }
        if new == TodoStatus::InProgress {
            entry.started.get_or_insert(message);
        }
        match (old, new) {
            (TodoStatus::Completed, TodoStatus::Completed) => {}
            (_, TodoStatus::Completed) => entry.finished = Some(message),
            _ => entry.finished = None,
        }
        entry.last = new;
    }

    /// The latest text stands, except that a display cut neither replaces a longer sight of the same text nor counts as
    /// an earlier wording of it.
    fn reword(&mut self, item: &TodoItem) {
        let (old, new) = (Text::of(&self.entry.content, self.cut), Text::of(&item.content, item.content_cut));
        if old.raw == new.raw || new.begins(&old) && item.content_cut {
            return;
        }
        if !old.begins(&new) {
            self.entry.earlier.push(self.entry.content.clone());
        }
        self.entry.content.clone_from(&item.content);
        self.entry.earlier.retain(|text| *text != item.content);
        self.cut = item.content_cut;
    }
}
