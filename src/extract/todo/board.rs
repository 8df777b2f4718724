//! A list that is kept by increments, as of the latest of them.

use super::Write;
use crate::model::todo::{Items, Provenance, TodoItem, TodoSnapshot, TodoSource};

/// The list so far. Items that a call leaves alone are shared between the snapshots before and after it.
#[derive(Clone, Default)]
pub(super) struct Board {
    /// Its items in order.
    items: Items,
    /// Whether there are more than these.
    pub more: bool,
    /// Positions of the items that the latest call told; the others are known from earlier ones.
    fresh: Vec<usize>,
}

impl Board {
    /// Its items in order.
    pub fn items(&self) -> &Items {
        &self.items
    }

    /// Where the item of an id stands.
    pub fn find(&self, id: &str) -> Option<usize> {
        self.items.iter().position(|item| item.id.as_deref() == Some(id))
    }

    /// A further call: what earlier ones told is known from them.
    pub fn turn(&mut self) {
        for at in std::mem::take(&mut self.fresh) {
            if let Some(item) = self.items.get(at) {
                let item = TodoItem { known: Provenance::Folded, ..item.clone() };
                self.items.set(at, item);
            }
        }
    }

    /// Puts an item at the end.
    pub fn push(&mut self, item: TodoItem) {
        self.fresh.push(self.items.len());
        self.items.push(item);
    }

    /// Puts another item in the place of one.
    pub fn set(&mut self, at: usize, item: TodoItem) {
        self.fresh.push(at);
        self.items.set(at, item);
    }

    /// Takes an item off.
    pub fn remove(&mut self, at: usize) {
        self.items.remove(at);
        self.fresh.retain(|fresh| *fresh != at);
        self.fresh.iter_mut().filter(|fresh| **fresh > at).for_each(|fresh| *fresh -= 1);
    }

    /// Takes a whole list over.
    pub fn replace(&mut self, items: Items, complete: bool) {
        self.fresh = (0..items.len()).collect();
        (self.items, self.more) = (items, !complete);
    }

    /// Nothing is known of it any more.
    pub fn forget(&mut self) {
        self.replace(Items::default(), false);
        self.more = true;
    }

    /// The whole list as of a call.
    pub fn snapshot(&self, write: &Write) -> TodoSnapshot {
        TodoSnapshot {
            message: write.at,
            tool: write.call.name.clone(),
            source: TodoSource::Folded,
            items: self.items.clone(),
            complete: !self.more,
        }
    }
}
