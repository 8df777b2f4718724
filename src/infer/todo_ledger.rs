//! The life of each item over the session: first seen, started, finished, reworded, dropped, reopened. An item that
//! comes back after it was gone is the same item. Told of the lists that a todo tool keeps; of checklists, else of plans,
//! only where there are no others.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    todo_delta::{Chain, is_closed},
    todo_match::{Beginnings, Text},
};
use crate::{
    base::ids::MessageIdx,
    model::todo::{LedgerEntry, Sight, TodoDelta, TodoItem, TodoSnapshot, TodoStatus},
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
    latest: Vec<usize>,
    /// Message of the latest list.
    at: Option<MessageIdx>,
    /// Lives that a cut list did not show: they may still be on it.
    unseen: Vec<usize>,
    /// Lives by their texts, also by those that they had.
    texts: Beginnings,
    /// Lives by their texts without case, punctuation and tail.
    bare: BTreeMap<String, BTreeSet<usize>>,
}

struct Life {
    entry: LedgerEntry,
    /// Whether its text is shown only in part so far.
    cut: bool,
}

impl Book {
    fn turn(&mut self, list: &TodoSnapshot, delta: &TodoDelta) {
        let before = std::mem::take(&mut self.latest);
        let mut known: Vec<Option<usize>> = vec![None; list.items.len()];
        let mut here = vec![false; self.lives.len()];
        for (f, t, _) in delta.pairs.iter() {
            known[t] = before.get(f).copied();
            known[t].into_iter().for_each(|life| here[life] = true);
        }
        let mut away = here.iter().filter(|here| !**here).count();
        for (item, known) in list.items.iter().zip(known) {
            let returning = || if away == 0 { None } else { self.returning(item, &here) };
            let life = known.or_else(returning).unwrap_or(self.lives.len());
            if life == self.lives.len() {
                self.lives.push(Life::opened(list.message, item));
                here.push(true);
                self.name(life);
            } else if !here[life] {
                (here[life], away) = (true, away - 1);
            }
            if self.lives[life].see(list.message, self.at, item) {
                self.name(life);
            }
            self.latest.push(life);
        }
        self.at = Some(list.message);
        let gone: Vec<usize> = before.iter().chain(&self.unseen).copied().filter(|life| !here[*life]).collect();
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

    /// Puts a life under the text that it has now.
    fn name(&mut self, life: usize) {
        let text = self.lives[life].text();
        self.texts.add(life, text.raw, text.cut);
        if !text.bare().is_empty() {
            self.bare.entry(text.bare().to_string()).or_default().insert(life);
        }
    }

    /// The life of an item that was on an earlier list, but is not `here`; the most recent one.
    fn returning(&self, item: &TodoItem, here: &[bool]) -> Option<usize> {
        let text = Text::of(&item.content, item.content_cut);
        let groups = self.texts.akin(text.raw, text.cut).chain(self.bare.get(text.bare()));
        // A life stands also under texts that it had once.
        let fits = |life: &&usize| !here[**life] && text.is_other_sight_of(&self.lives[**life].text());
        groups.filter_map(|group| group.iter().rev().find(fits)).max().copied()
    }
}

impl Life {
    fn opened(message: MessageIdx, item: &TodoItem) -> Self {
        let entry = LedgerEntry {
            content: item.content.clone(),
            group: item.group.clone(),
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

    fn text(&self) -> Text<'_> {
        Text::of(&self.entry.content, self.cut)
    }

    /// Takes one sight of the item in; whether its text is another now. `before`: the list before this one.
    fn see(&mut self, message: MessageIdx, before: Option<MessageIdx>, item: &TodoItem) -> bool {
        let reworded = self.reword(item);
        let entry = &mut self.entry;
        if item.group.is_some() && entry.group != item.group {
            entry.group.clone_from(&item.group);
        }
        entry.dropped = None;
        match entry.seen.last_mut() {
            Some(sight) if sight.status == item.status && (Some(sight.last) == before || sight.last == message) => {
                sight.last = message;
            }
            _ => entry.seen.push(Sight { first: message, last: message, status: item.status }),
        }
        entry.evidence.truncate(1);
        if entry.evidence[0] != item.evidence {
            entry.evidence.push(item.evidence.clone());
        }
        let (old, new) = (entry.last, item.status);
        if entry.history.is_empty() || new != TodoStatus::NotShown && new != old {
            entry.history.push((message, new));
        }
        if new == TodoStatus::NotShown {
            return reworded;
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
        reworded
    }

    /// The latest text stands, except that a display cut neither replaces a longer sight of the same text nor counts as
    /// an earlier wording of it.
    fn reword(&mut self, item: &TodoItem) -> bool {
        if self.entry.content == item.content {
            return false;
        }
        let (old, new) = (Text::of(&self.entry.content, self.cut), Text::of(&item.content, item.content_cut));
        if new.begins(&old) {
            return false;
        }
        if !old.begins(&new) {
            self.entry.earlier.push(self.entry.content.clone());
        }
        self.entry.content.clone_from(&item.content);
        self.entry.earlier.retain(|text| *text != item.content);
        self.cut = item.content_cut;
        true
    }
}
