//! `inspect --json`: `turnpoint.inspect/1`.

use serde::Serialize;

use crate::{
    base::diag::Diagnostics,
    model::{accounting::Accounting, message::ToolKind, session::Session},
    text::redact::Redaction,
};

/// The document.
#[derive(Serialize)]
pub struct Document {
    schema: &'static str,
    format: &'static str,
    sessions: Vec<View>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unassigned: Option<Records>,
    diagnostics: Vec<Diag>,
    redactions: Vec<Redacted>,
}

#[derive(Serialize)]
struct Redacted {
    marker: String,
    places: u64,
}

#[derive(Serialize)]
struct View {
    id: String,
    title: Option<String>,
    messages: usize,
    steps: usize,
    tool_calls: usize,
    todo_calls: usize,
    todo_snapshots: usize,
    records: Records,
    diagnostics: Vec<Diag>,
}

#[derive(Serialize)]
struct Records {
    read: u64,
    used: u64,
    skipped: u64,
    unknown: u64,
    damaged: u64,
}

#[derive(Serialize)]
struct Diag {
    code: &'static str,
    count: u64,
    first: String,
}

impl Document {
    /// The document of a reading; `snapshots[i]` is the number of todo snapshots of session `i`.
    pub fn new(
        format: &'static str,
        sessions: &[Session],
        snapshots: &[usize],
        unassigned: &Accounting,
        diagnostics: &Diagnostics,
        redactions: &[Redaction],
    ) -> Self {
        Self {
            schema: "turnpoint.inspect/1",
            format,
            sessions: sessions.iter().zip(snapshots).map(|(s, n)| View::new(s, *n)).collect(),
            unassigned: (unassigned.read > 0).then(|| Records::new(unassigned)),
            diagnostics: diags(diagnostics),
            redactions: redactions.iter().map(|r| Redacted { marker: r.marker.clone(), places: r.places }).collect(),
        }
    }
}

impl View {
    fn new(session: &Session, snapshots: usize) -> Self {
        let all = session.tree();
        let count = |wanted: fn(ToolKind) -> bool, of: &[&Session]| {
            of.iter().flat_map(|s| &s.messages).filter(|m| m.tool().is_some_and(wanted)).count()
        };
        Self {
            id: session.info.id.clone(),
            title: session.info.title.clone(),
            messages: session.messages.len(),
            steps: session.steps.len(),
            tool_calls: count(|_| true, &[session]),
            todo_calls: count(|k| k == ToolKind::Todo, &all),
            todo_snapshots: snapshots,
            records: Records::new(&session.tree_accounting()),
            diagnostics: diags(&session.diagnostics),
        }
    }
}

impl Records {
    fn new(a: &Accounting) -> Self {
        Self { read: a.read, used: a.used, skipped: a.skipped_total(), unknown: a.unknown_total(), damaged: a.damaged }
    }
}

fn diags(all: &Diagnostics) -> Vec<Diag> {
    all.iter()
        .map(|(code, count, kept)| Diag {
            code: code.name(),
            count,
            first: kept.first().map(|d| format!("record {}: {}", d.place.record, d.detail)).unwrap_or_default(),
        })
        .collect()
}
