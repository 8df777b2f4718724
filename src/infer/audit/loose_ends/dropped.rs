//! Items that left the task list without being closed.

use super::{Watch, end};
use crate::{
    infer::audit::ledger::Ledger,
    model::{
        audit::{LooseEnd, Shown},
        todo::{LedgerEntry, ListEvent, TodoChange, TodoDelta, TodoStatus},
    },
    text::terms::terms,
};

/// An item that was on one list and is not on the next, open when last shown.
pub static DROPPED: Watch = Watch {
    name: "item-dropped",
    about: "An item of the task list is gone from the next list, though it was last shown open.",
    example: "\"Compare the two layouts\", pending in one list and missing from the next",
    limits: "A list that is replaced as a whole, or gains as many items as it loses, is another plan; an item that is reworded beyond recognition counts as gone.",
    find,
};

/// Most items that are told, the last ones: of a list that changes all the time more say nothing.
const MOST: usize = 12;

fn find(log: &Ledger) -> Vec<LooseEnd> {
    let mut last: Vec<LooseEnd> =
        log.findings.ledger.iter().rev().filter_map(|entry| gone(log, entry)).take(MOST).collect();
    last.reverse();
    last
}

fn gone(log: &Ledger, entry: &LedgerEntry) -> Option<LooseEnd> {
    let gone = entry.dropped.filter(|_| entry.last != TodoStatus::NotShown)?;
    let last = entry.seen.last()?.last;
    let to = log.facts.todos.iter().position(|s| s.message == gone)?;
    let delta = log.findings.deltas.iter().find(|d| d.to == to)?;
    if delta.events.contains(&ListEvent::Replaced) || replanned(delta) || terms(&entry.content).is_empty() {
        return None;
    }
    let words = log.session.cite_words(last, &entry.content).or_else(|| entry.evidence.last().cloned())?;
    let short = match entry.last {
        TodoStatus::InProgress => "last shown as in progress; not in the later list",
        TodoStatus::Pending => "last shown as pending; not in the later list",
        _ => "last shown open; not in the later list",
    };
    let mut found = end(log, &DROPPED, words, short, Shown::Nothing);
    found.log = vec![log.session.whole(last), log.session.whole(gone)];
    found.omitted = !log.tells(gone, |text| speaks_of(text, &entry.content));
    Some(found)
}

/// Whether a list gains as many items as it loses: then others stand in their place.
fn replanned(delta: &TodoDelta) -> bool {
    let of = |fits: fn(&TodoChange) -> bool| delta.changes.iter().filter(|change| fits(change)).count();
    let gained = of(|change| matches!(change, TodoChange::Added { .. }));
    gained > 0 && gained >= of(|change| matches!(change, TodoChange::Removed { .. }))
}

/// Whether a text holds most of the words of an item.
fn speaks_of(text: &str, item: &str) -> bool {
    let (said, wanted) = (terms(text), terms(item));
    !wanted.is_empty() && wanted.intersection(&said).count() * 3 >= wanted.len() * 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_speaks_of_an_item_by_most_of_its_words() {
        assert!(speaks_of("The header layouts compare well.", "Compare header layouts"));
        assert!(!speaks_of("The header is mended.", "Compare header layouts"));
    }
}
