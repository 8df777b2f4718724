//! What stands in several records told once: blocks of one response that are written again or grow from record to
//! record, and calls that are made anew under their id.

use std::collections::HashMap;

use super::turn::{Answer, Piece, Role, Turn};
use crate::base::locate::Locator;

/// Position of a block: its turn, and its place there.
type At = (usize, usize);

/// Folds the turns of a conversation. A block of one response counts once; a text that grew counts with its last form; a
/// call that was made anew before it had a result (the provider was asked again) counts with its last input. Each
/// stands at its first place. Returns the records that held an answered call again.
pub fn fold(turns: &mut [Turn]) -> Vec<Locator> {
    let mut fold = Fold::default();
    for i in 0..turns.len() {
        for piece in 0..turns[i].pieces.len() {
            fold.piece(turns, (i, piece));
        }
    }
    fold.again
}

#[derive(Default)]
struct Fold {
    /// Blocks by response.
    blocks: HashMap<String, Vec<At>>,
    /// Calls by id, and whether they have a result.
    calls: HashMap<String, (At, bool)>,
    again: Vec<Locator>,
}

impl Fold {
    fn piece(&mut self, turns: &mut [Turn], at: At) {
        let turn = &turns[at.0];
        let first = match &turn.pieces[at.1] {
            Piece::Result(Answer { id: Some(id), .. }) => {
                self.calls.entry(id.clone()).and_modify(|call| call.1 = true);
                None
            }
            _ if turn.role != Role::Assistant => None,
            Piece::Call { id: Some(id), input, .. } => self.call(turns, at, id, input),
            Piece::Said(_) | Piece::Thought(_) => self.text(turns, at),
            _ => None,
        };
        if let Some(first) = first {
            absorb(turns, first, at);
        }
    }

    /// The earlier form of a call.
    fn call(&mut self, turns: &[Turn], at: At, id: &str, input: &str) -> Option<At> {
        self.block(turns, at);
        let same = |first: At| matches!(&turns[first.0].pieces[first.1], Piece::Call { input: i, .. } if i == input);
        match self.calls.get(id) {
            Some((first, false)) => Some(*first),
            Some((first, true)) if same(*first) => {
                self.again.push(turns[at.0].place);
                Some(*first)
            }
            _ => {
                self.calls.insert(id.to_string(), (at, false));
                None
            }
        }
    }

    /// The text of another record of the same response that this one repeats, or continues directly.
    fn text(&mut self, turns: &[Turn], at: At) -> Option<At> {
        let blocks: &[At] =
            turns[at.0].message_id.as_ref().and_then(|id| self.blocks.get(id)).map_or(&[], Vec::as_slice);
        let last = blocks.last();
        let again = |first: &&At| match (&turns[first.0].pieces[first.1], &turns[at.0].pieces[at.1]) {
            _ if first.0 == at.0 => false,
            (Piece::Said(a), Piece::Said(b)) | (Piece::Thought(a), Piece::Thought(b)) => {
                a == b || last == Some(*first) && !a.is_empty() && b.starts_with(a.as_str())
            }
            _ => false,
        };
        let found = blocks.iter().rev().find(again).copied();
        if found.is_none() {
            self.block(turns, at);
        }
        found
    }

    /// Notes a block under its response.
    fn block(&mut self, turns: &[Turn], at: At) {
        if let Some(response) = &turns[at.0].message_id {
            self.blocks.entry(response.clone()).or_default().push(at);
        }
    }
}

/// Moves a later form of a block to its first place.
fn absorb(turns: &mut [Turn], first: At, later: At) {
    let form = std::mem::replace(&mut turns[later.0].pieces[later.1], Piece::Said(String::new()));
    turns[first.0].pieces[first.1] = form;
    if let Some(uuid) = turns[later.0].uuid.clone().filter(|u| Some(u) != turns[first.0].uuid.as_ref()) {
        turns[first.0].also.push(uuid);
    }
}
