//! Lists that a call changes item by item (`merge: true`): items are known by their id, and what a call does not name
//! stays as it was.

use super::{Write, board::Board, item::Shown, list};
use crate::model::todo::{Provenance, TodoItem, TodoSnapshot, TodoStatus};

/// Applies the items in the input of a call; `None` when none can be read.
pub(super) fn apply(board: &mut Board, write: Write) -> Option<TodoSnapshot> {
    let asked = list::asked(write)?;
    board.turn();
    asked.shown.into_iter().for_each(|shown| one(board, shown));
    Some(board.snapshot(&write))
}

fn one(board: &mut Board, shown: Shown) {
    let known = match &shown.id {
        Some(id) => board.find(id),
        None => board.items().iter().position(|item| item.content == shown.content),
    };
    let Some(at) = known else {
        // An item that is named by its id alone stands on the list, but is not shown.
        if shown.content.is_empty() {
            board.more = true
        } else {
            board.push(shown.item(Provenance::Input))
        }
        return;
    };
    let old = board.items()[at].clone();
    let new = shown.item(Provenance::Input);
    let (content, content_cut, evidence) = match new.content.is_empty() {
        true => (old.content, old.content_cut, old.evidence),
        false => (new.content, new.content_cut, new.evidence),
    };
    let (status, status_raw, known) = match new.status {
        TodoStatus::NotShown => (old.status, old.status_raw, Provenance::Folded),
        status => (status, new.status_raw, new.known),
    };
    let (priority, id, group) = (new.priority.or(old.priority), new.id.or(old.id), new.group.or(old.group));
    board.set(at, TodoItem { content, content_cut, status, status_raw, priority, id, group, known, evidence });
}
