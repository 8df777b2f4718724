//! `todos --json`: `turnpoint.todos/1`. Messages are named by their printed number and by the producer's id; positions
//! of items and snapshots count from 0.

use serde::Serialize;

use crate::{
    base::ids::MessageIdx,
    model::{
        session::Session,
        todo::{
            Items, LedgerEntry, ListEvent, Pairing, Provenance, TodoChange, TodoDelta, TodoItem, TodoSnapshot,
            TodoSource, TodoStatus,
        },
    },
};

/// The document of one session.
#[derive(Serialize)]
pub struct Document<'a> {
    schema: &'static str,
    session: &'a str,
    format: &'static str,
    numbering: &'static str,
    snapshots: Vec<Snapshot<'a>>,
    deltas: Vec<Delta<'a>>,
    ledger: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Snapshot<'a> {
    message: u32,
    step: u32,
    id: String,
    tool: &'a str,
    kind: &'static str,
    items: Vec<Item<'a>>,
    complete: bool,
}

#[derive(Serialize)]
struct Item<'a> {
    content: &'a str,
    #[serde(skip_serializing_if = "is_false")]
    content_cut: bool,
    /// `null` when the log does not show it.
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    status_raw: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    /// The phase or heading that it stands under.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
    provenance: &'static str,
}

#[derive(Serialize)]
struct Delta<'a> {
    /// Positions in `snapshots`.
    from: Option<usize>,
    to: usize,
    from_message: Option<u32>,
    to_message: u32,
    events: Vec<&'static str>,
    changes: Vec<Change<'a>>,
    pairs: Vec<Pair>,
    /// Positions of earlier items that a cut later list does not show.
    unseen: Vec<usize>,
}

#[derive(Serialize)]
struct Change<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<usize>,
    content: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<&'a str>,
}

#[derive(Serialize)]
struct Pair {
    from: usize,
    to: usize,
    by: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
}

#[derive(Serialize)]
struct Entry<'a> {
    content: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
    earlier: &'a [String],
    first: u32,
    started: Option<u32>,
    finished: Option<u32>,
    reopened: Vec<u32>,
    dropped: Option<u32>,
    /// `null` when no list shows it.
    r#final: Option<&'static str>,
    history: Vec<Sight>,
}

#[derive(Serialize)]
struct Sight {
    message: u32,
    status: Option<&'static str>,
}

impl<'a> Document<'a> {
    /// The document of a session's snapshots, the deltas between them, and the ledger.
    pub fn new(
        session: &'a Session,
        snapshots: &'a [TodoSnapshot],
        deltas: &'a [TodoDelta],
        ledger: &'a [LedgerEntry],
    ) -> Self {
        Self {
            schema: "turnpoint.todos/1",
            session: &session.info.id,
            format: session.info.format,
            numbering: session.numbering.name(),
            snapshots: snapshots.iter().map(|s| snapshot(session, s)).collect(),
            deltas: deltas.iter().map(|d| delta(session, snapshots, d)).collect(),
            ledger: ledger.iter().map(|e| entry(session, e)).collect(),
        }
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

fn number(session: &Session, at: MessageIdx) -> u32 {
    session.message(at).number
}

fn shown(status: TodoStatus) -> Option<&'static str> {
    (status != TodoStatus::NotShown).then(|| status.word())
}

fn snapshot<'a>(session: &Session, of: &'a TodoSnapshot) -> Snapshot<'a> {
    Snapshot {
        message: number(session, of.message),
        step: session.step_of(of.message).0,
        id: session.public_id(of.message),
        tool: &of.tool,
        kind: match of.source {
            TodoSource::FullList => "list",
            TodoSource::Folded => "folded",
            TodoSource::Plan => "plan",
            TodoSource::Checklist => "checklist",
        },
        items: of.items.iter().map(item).collect(),
        complete: of.complete,
    }
}

fn item(of: &TodoItem) -> Item<'_> {
    Item {
        content: &of.content,
        content_cut: of.content_cut,
        status: shown(of.status),
        status_raw: &of.status_raw,
        priority: of.priority.as_deref(),
        id: of.id.as_deref(),
        group: of.group.as_deref(),
        provenance: match of.known {
            Provenance::Input => "input",
            Provenance::Output => "output",
            Provenance::Both => "both",
            Provenance::Inferred => "inferred",
            Provenance::Folded => "folded",
        },
    }
}

fn delta<'a>(session: &Session, snapshots: &'a [TodoSnapshot], of: &TodoDelta) -> Delta<'a> {
    let to = &snapshots[of.to];
    let from = of.from.map(|at| &snapshots[at]);
    Delta {
        from: of.from,
        to: of.to,
        from_message: from.map(|s| number(session, s.message)),
        to_message: number(session, to.message),
        events: of.events.iter().map(|e| event(*e)).collect(),
        changes: of.changes.iter().map(|c| change(from.map(|s| &s.items), &to.items, *c)).collect(),
        pairs: of.pairs.iter().map(|(f, t, how)| pair(f, t, how)).collect(),
        unseen: of.unseen.clone(),
    }
}

fn change<'a>(old: Option<&'a Items>, new: &'a Items, of: TodoChange) -> Change<'a> {
    let old = |from: usize| old.and_then(|items| items.get(from));
    let bare = |kind, from: Option<usize>, to: Option<usize>| {
        let item = to.map_or_else(|| from.and_then(old), |to| new.get(to));
        Change { kind, from, to, content: item.map_or("", |i| &i.content), before: None, after: None }
    };
    let before = |from: usize| old(from).and_then(|item| shown(item.status));
    match of {
        TodoChange::Added { to } => Change { after: shown(new[to].status), ..bare("added", None, Some(to)) },
        TodoChange::Removed { from } => Change { before: before(from), ..bare("removed", Some(from), None) },
        TodoChange::Reworded { from, to } => Change {
            before: old(from).map(|item| item.content.as_str()),
            after: Some(&new[to].content),
            ..bare("reworded", Some(from), Some(to))
        },
        TodoChange::Status { from, to } => {
            Change { before: before(from), after: shown(new[to].status), ..bare("status", Some(from), Some(to)) }
        }
        TodoChange::Reordered { from, to } => bare("reordered", Some(from), Some(to)),
    }
}

fn event(of: ListEvent) -> &'static str {
    match of {
        ListEvent::Created => "created",
        ListEvent::Replaced => "replaced",
        ListEvent::ClosedAll => "closed_all",
        ListEvent::Handover => "handover",
        ListEvent::Opened => "opened",
        ListEvent::Closed => "closed",
        ListEvent::Reopened => "reopened",
        ListEvent::Dropped => "dropped",
    }
}

fn pair(from: usize, to: usize, how: Pairing) -> Pair {
    let (by, score) = match how {
        Pairing::Id => ("id", None),
        Pairing::Exact => ("exact", None),
        Pairing::Normalised => ("normalised", None),
        Pairing::Prefix => ("prefix", None),
        Pairing::Reworded(score) => ("reworded", Some((score * 1000.0).round() / 1000.0)),
    };
    Pair { from, to, by, score }
}

fn entry<'a>(session: &Session, of: &'a LedgerEntry) -> Entry<'a> {
    let n = |at: MessageIdx| number(session, at);
    Entry {
        content: &of.content,
        group: of.group.as_deref(),
        earlier: &of.earlier,
        first: n(of.first),
        started: of.started.map(n),
        finished: of.finished.map(n),
        reopened: of.reopened.iter().copied().map(n).collect(),
        dropped: of.dropped.map(n),
        r#final: shown(of.last),
        history: of.history.iter().map(|(at, status)| Sight { message: n(*at), status: shown(*status) }).collect(),
    }
}
