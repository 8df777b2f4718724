//! A session of the first generation: its messages in order, what the user took back, and the sessions below it.

use std::{borrow::Cow, collections::HashMap};

use super::{
    message::{self, Found, Head, Told},
    shape::{Revert, SessionInfo, no_object},
};
use crate::{
    base::{diag::DiagCode, locate::Locator},
    model::{
        builder::SessionBuilder,
        session::{Branch, Session},
    },
    source::agents::{self, Agent},
};

/// A message as it was found.
pub(super) struct Message<'a> {
    /// Its id, where that is not (only) in the message itself.
    pub id: Option<Cow<'a, str>>,
    /// JSON of what is known of it.
    pub info: Cow<'a, str>,
    /// Its parts in order.
    pub parts: Vec<Found<'a>>,
    /// Where.
    pub place: Locator,
}

/// Begins a session by what is known of it.
pub(super) fn begin(format: &'static str, info: &SessionInfo, id: &str) -> SessionBuilder {
    let mut session = SessionBuilder::new(format);
    session.info.id = id.to_string();
    session.info.title = info.title.owned();
    session.info.cwd = info.directory.owned();
    session.info.version = info.version.owned();
    session.info.parent = info.parent.owned();
    session.info.records_outcome = true;
    if let Some(field) = info.fault().or_else(|| no_object(&info.revert.stray).then_some("revert")) {
        let told = format!("`{field}` of the session");
        session.diagnostics.add(DiagCode::FieldWrongType, Locator::default(), told);
    }
    session
}

/// Tells the messages in order, those apart that the user took back. Each counts as a record.
pub(super) fn tell(session: &mut SessionBuilder, found: &[Message], revert: &Revert) {
    let mut messages: Vec<(Head, &[Found])> =
        found.iter().map(|m| (Head::read(m.id.as_deref(), &m.info, m.place), &m.parts[..])).collect();
    in_order(&mut messages);
    let (from, part) = (revert.message.get(), revert.part.get());
    let mut undone = Undone::default();
    for (head, parts) in messages {
        let at = head.id();
        if from.is_some() && (at > from || at == from && part.is_none()) {
            undone.add(&head, parts);
            session.accounting.skipped("reverted");
            continue;
        }
        let until = part.filter(|_| from.is_some() && at == from);
        if until.is_none() {
            undone.after = at.map(str::to_string);
        }
        match message::tell(session, &head, parts, until) {
            Told::Messages => session.accounting.used(),
            Told::Notices => session.accounting.skipped("notice"),
            Told::Nothing => session.accounting.skipped("no text and no call"),
        }
    }
    session.branches.extend(undone.branch());
}

/// By time of creation, then id; a message without a time keeps its place behind the one before it.
fn in_order(messages: &mut [(Head, &[Found])]) {
    let mut last = f64::NEG_INFINITY;
    for (head, _) in messages.iter_mut() {
        last = *head.created.get_or_insert(last);
    }
    messages.sort_by(|(a, _), (b, _)| {
        let by_time = a.created.partial_cmp(&b.created).unwrap_or(std::cmp::Ordering::Equal);
        by_time.then_with(|| match (a.id(), b.id()) {
            (Some(a), Some(b)) => a.cmp(b),
            _ => std::cmp::Ordering::Equal,
        })
    });
}

/// Messages that the user took back.
#[derive(Default)]
struct Undone {
    after: Option<String>,
    records: u64,
    opening: String,
}

impl Undone {
    fn add(&mut self, head: &Head, parts: &[Found]) {
        self.records += 1;
        if self.opening.is_empty() && head.is_user() {
            self.opening = message::opening(parts);
        }
    }

    fn branch(self) -> Option<Branch> {
        (self.records > 0).then_some(Branch { after: self.after, records: self.records, opening: self.opening })
    }
}

/// Hangs sessions below those that they name as their parents; one whose parent is not among them stands for itself.
/// Nothing else is changed in their order.
pub(super) fn families(sessions: Vec<Session>) -> Vec<Session> {
    let place: HashMap<String, usize> = sessions.iter().enumerate().map(|(i, s)| (s.info.id.clone(), i)).collect();
    let parents: Vec<Option<usize>> =
        sessions.iter().map(|s| s.info.parent.as_ref().and_then(|p| place.get(p).copied())).collect();
    let heads: Vec<usize> = (0..sessions.len()).map(|i| head_of(i, &parents)).collect();
    let mut by_head: Vec<Vec<(usize, Session)>> = sessions.iter().map(|_| Vec::new()).collect();
    for (i, session) in sessions.into_iter().enumerate() {
        by_head[heads[i]].push((i, session));
    }
    by_head.into_iter().enumerate().filter_map(|(head, family)| grown(head, family, &parents)).collect()
}

/// The session at the top of the one at `i`; itself when its parents run in a circle.
fn head_of(i: usize, parents: &[Option<usize>]) -> usize {
    const DEEPEST: usize = 64;
    let mut at = i;
    for _ in 0..DEEPEST {
        match parents[at] {
            Some(above) => at = above,
            None => return at,
        }
    }
    i
}

/// One family as a tree; parents come before their children.
fn grown(head: usize, family: Vec<(usize, Session)>, parents: &[Option<usize>]) -> Option<Session> {
    let depth = |i: usize| {
        let above = |at: &usize| parents[*at].filter(|_| *at != head);
        std::iter::successors(Some(i), above).take(64).count()
    };
    let mut family = family;
    family.sort_by_key(|(i, _)| (if *i == head { 0 } else { depth(*i) }, *i));
    let mut members = family.into_iter().map(|(_, session)| session);
    let main = members.next()?;
    let members: Vec<Session> = members.collect();
    let mut calls: HashMap<String, String> = HashMap::new();
    for message in std::iter::once(&main).chain(&members).flat_map(|s| &s.messages) {
        if let (Some(call), Some(id)) = (&message.call, &message.ids.call)
            && let Some(spawned) = &call.spawned
        {
            calls.entry(spawned.clone()).or_insert_with(|| id.clone());
        }
    }
    let agent = |session: Session| Agent { spawned_by: calls.get(&session.info.id).cloned(), session };
    Some(agents::attach(main, members.into_iter().map(agent).collect()))
}
