//! What changed between consecutive task lists. Lists of one kind are compared with each other: a checklist in a text
//! says nothing about the list that the todo tool keeps. Nothing is concluded from what a cut list does not show.

use std::collections::BTreeMap;

use super::{Inference, Options, todo_ledger, todo_match};
use crate::model::{
    facts::Facts,
    findings::Findings,
    session::Session,
    todo::{ListEvent, Pairing, Pairs, TodoChange, TodoDelta, TodoItem, TodoSnapshot, TodoSource, TodoStatus},
};

/// See the module.
pub struct TodoDeltas;

impl Inference for TodoDeltas {
    fn name(&self) -> &'static str {
        "todo-delta"
    }

    fn about(&self) -> &'static str {
        "What changed between consecutive task lists, and the life of each item"
    }

    fn run(&self, _session: &Session, facts: &Facts, _options: &Options, findings: &mut Findings) {
        findings.deltas = deltas(&facts.todos);
        findings.ledger = todo_ledger::ledger(&facts.todos, &findings.deltas);
    }
}

/// Lists that are compared with each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Chain {
    /// Kept by a todo tool.
    Kept,
    /// Written as plans.
    Planned,
    /// Ticked off in texts.
    Ticked,
}

impl Chain {
    pub(super) fn of(snapshot: &TodoSnapshot) -> Self {
        match snapshot.source {
            TodoSource::FullList | TodoSource::Folded => Chain::Kept,
            TodoSource::Plan => Chain::Planned,
            TodoSource::Checklist => Chain::Ticked,
        }
    }
}

/// One delta per snapshot, against the one before it in its chain.
pub fn deltas(snapshots: &[TodoSnapshot]) -> Vec<TodoDelta> {
    let mut last: BTreeMap<Chain, usize> = BTreeMap::new();
    let between = |(to, snapshot)| {
        let from = last.insert(Chain::of(snapshot), to);
        match from {
            Some(from) => TodoDelta { from: Some(from), to, ..delta(&snapshots[from], snapshot) },
            None => TodoDelta { to, ..first(snapshot) },
        }
    };
    snapshots.iter().enumerate().map(between).collect()
}

fn first(snapshot: &TodoSnapshot) -> TodoDelta {
    TodoDelta {
        from: None,
        to: 0,
        pairs: Pairs::default(),
        changes: (0..snapshot.items.len()).map(|to| TodoChange::Added { to }).collect(),
        events: vec![ListEvent::Created],
        unseen: Vec::new(),
    }
}

/// What changed from one list to the next; `from` and `to` of the result are for the caller to set.
pub fn delta(from: &TodoSnapshot, to: &TodoSnapshot) -> TodoDelta {
    let pairs = todo_match::pairs(from, to);
    let stays = staying(&pairs, from.items.len());
    let (old, new): (Vec<&TodoItem>, Vec<&TodoItem>) = (from.items.iter().collect(), to.items.iter().collect());
    let mut earlier: Vec<Option<(usize, Pairing)>> = vec![None; new.len()];
    let mut gone = vec![true; old.len()];
    for (f, t, how) in pairs.iter() {
        earlier[t] = Some((f, how));
        gone[f] = false;
    }
    let mut changes = Vec::new();
    for (t, earlier) in earlier.into_iter().enumerate() {
        let Some((f, how)) = earlier else {
            changes.push(TodoChange::Added { to: t });
            continue;
        };
        let (old, new) = (old[f], new[t]);
        if old.content != new.content && how != Pairing::Prefix {
            changes.push(TodoChange::Reworded { from: f, to: t });
        }
        if old.status != new.status && shown(old) && shown(new) {
            changes.push(TodoChange::Status { from: f, to: t });
        }
        if !stays[f] {
            changes.push(TodoChange::Reordered { from: f, to: t });
        }
    }
    let gone = (0..old.len()).filter(|f| gone[*f]);
    let (removed, unseen) = if to.complete { (gone.collect(), Vec::new()) } else { (Vec::new(), gone.collect()) };
    changes.extend(removed.iter().map(|from: &usize| TodoChange::Removed { from: *from }));
    let events = events(from, to, &pairs, &changes);
    TodoDelta { from: None, to: 0, pairs, changes, events, unseen }
}

/// The later list as the delta tells it: the earlier one with the changes applied, new texts and statuses taken from
/// `to`. Text and status of every item agree with `to`, except that a status which `to` does not show stays as it was.
pub fn apply(delta: &TodoDelta, from: &TodoSnapshot, to: &TodoSnapshot) -> Vec<TodoItem> {
    let mut kept: Vec<TodoItem> = from.items.iter().cloned().collect();
    let mut slots: Vec<Option<TodoItem>> = vec![None; to.items.len()];
    let mut moved = vec![false; kept.len()];
    delta.unseen.iter().for_each(|f| moved[*f] = true);
    for (f, t, how) in delta.pairs.iter() {
        // A display cut shows another length of one text, and a status may come into sight: neither is a change.
        if how == Pairing::Prefix {
            kept[f].content.clone_from(&to.items[t].content);
        }
        if !shown(&kept[f]) {
            kept[f].status = to.items[t].status;
        }
    }
    for change in &delta.changes {
        match *change {
            TodoChange::Added { to: t } => slots[t] = Some(to.items[t].clone()),
            TodoChange::Removed { from: f } => moved[f] = true,
            TodoChange::Reworded { from: f, to: t } => kept[f].content.clone_from(&to.items[t].content),
            TodoChange::Status { from: f, to: t } => kept[f].status = to.items[t].status,
            TodoChange::Reordered { .. } => {}
        }
    }
    for change in &delta.changes {
        if let TodoChange::Reordered { from: f, to: t } = *change {
            slots[t] = Some(kept[f].clone());
            moved[f] = true;
        }
    }
    let mut rest = kept.into_iter().enumerate().filter(|(f, _)| !moved[*f]).map(|(_, item)| item);
    let mut list: Vec<TodoItem> = slots.into_iter().filter_map(|slot| slot.or_else(|| rest.next())).collect();
    list.extend(rest);
    list
}

fn shown(item: &TodoItem) -> bool {
    item.status != TodoStatus::NotShown
}

/// Of each earlier position, whether it is of a pair that keeps its order: one of a longest rising run, the earliest
/// one on a tie.
fn staying(pairs: &Pairs, earlier: usize) -> Vec<bool> {
    if pairs.in_order() {
        return vec![true; earlier];
    }
    let mut in_order: Vec<(usize, usize)> = pairs.iter().map(|(f, t, _)| (f, t)).collect();
    in_order.sort_unstable();
    // tails[n] is the pair that ends the best run of length n + 1; before[i] the pair that it follows.
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; in_order.len()];
    for (i, (_, t)) in in_order.iter().enumerate() {
        let length = tails.partition_point(|end| in_order[*end].1 < *t);
        before[i] = length.checked_sub(1).map(|previous| tails[previous]);
        if length == tails.len() { tails.push(i) } else { tails[length] = i }
    }
    let mut stays = vec![false; earlier];
    let mut at = tails.last().copied();
    while let Some(i) = at {
        stays[in_order[i].0] = true;
        at = before[i];
    }
    stays
}

/// Whether an item needs no more work, by the agent's own word.
pub(super) fn is_closed(status: TodoStatus) -> bool {
    matches!(status, TodoStatus::Completed | TodoStatus::Cancelled | TodoStatus::Deleted)
}

fn events(from: &TodoSnapshot, to: &TodoSnapshot, pairs: &Pairs, changes: &[TodoChange]) -> Vec<ListEvent> {
    let (mut closed, mut begun, mut reopened, mut dropped) = (0, 0, 0, 0);
    for change in changes {
        match *change {
            TodoChange::Status { from: f, to: t } => {
                let (old, new) = (from.items[f].status, to.items[t].status);
                closed += usize::from(!is_closed(old) && is_closed(new));
                reopened += usize::from(is_closed(old) && !is_closed(new));
                begun += usize::from(new == TodoStatus::InProgress);
            }
            TodoChange::Added { to: t } => begun += usize::from(to.items[t].status == TodoStatus::InProgress),
            TodoChange::Removed { from: f } => {
                let old = from.items[f].status;
                dropped += usize::from(!is_closed(old) && old != TodoStatus::NotShown);
            }
            TodoChange::Reworded { .. } | TodoChange::Reordered { .. } => {}
        }
    }
    let all_closed = |list: &TodoSnapshot| list.complete && list.items.iter().all(|i| is_closed(i.status));
    let held = [
        (ListEvent::Replaced, to.complete && !to.items.is_empty() && pairs.len() * 2 < from.items.len()),
        (ListEvent::ClosedAll, !to.items.is_empty() && all_closed(to) && !all_closed(from)),
        (ListEvent::Handover, closed > 0 && begun > 0),
        (ListEvent::Opened, closed == 0 && begun > 0),
        (ListEvent::Closed, closed > 0 && begun == 0),
        (ListEvent::Reopened, reopened > 0),
        (ListEvent::Dropped, dropped > 0),
    ];
    held.into_iter().filter(|(_, holds)| *holds).map(|(event, _)| event).collect()
}
