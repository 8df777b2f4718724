//! A session of the first generation: its messages in order, what the user took back, and the sessions below it.

use std::borrow::Cow;

use super::{
    message::{self, Found, Head, Told},
    shape::{Revert, SessionInfo, no_object},
};
use crate::{
    base::{diag::DiagCode, locate::Locator},
    model::{builder::SessionBuilder, session::Branch},
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
    // Each head is let go when its message is told: they are large, and the session grows meanwhile.
    let mut messages: Vec<(Box<Head>, &[Found])> =
        found.iter().map(|m| (Box::new(Head::read(m.id.as_deref(), &m.info, m.place)), &m.parts[..])).collect();
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
fn in_order(messages: &mut [(Box<Head>, &[Found])]) {
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
