//! `inspect --json`: `turnpoint.inspect/1`.

use std::collections::BTreeMap;

use serde::Serialize;

use super::sessions::Tokens;
use crate::{
    base::{diag::Diagnostics, time::Timestamp},
    model::{
        accounting::Accounting,
        facts::Facts,
        message::{NoticeKind, ToolKind},
        session::{Branch, Session},
    },
    render::plain::inspect,
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
    agent: Option<String>,
    models: Vec<String>,
    version: Option<String>,
    project: Option<String>,
    branch: Option<String>,
    started: Option<String>,
    ended: Option<String>,
    parent: Option<String>,
    continues: Option<String>,
    also: Vec<String>,
    usage: Tokens,
    messages: usize,
    steps: usize,
    tool_calls: usize,
    todo_calls: usize,
    todo_snapshots: usize,
    records: Records,
    reasons: Reasons,
    subagents: Vec<Subagent>,
    branches: Vec<Left>,
    compactions: usize,
    /// What the log does not tell, one clause each.
    missing: Vec<String>,
    diagnostics: Vec<Diag>,
}

/// Why records were skipped, and of which types the unknown ones are.
#[derive(Serialize)]
struct Reasons {
    skipped: BTreeMap<String, u64>,
    unknown: BTreeMap<String, u64>,
}

#[derive(Serialize)]
struct Subagent {
    id: String,
    parent: Option<String>,
    spawned_by: Option<String>,
    title: Option<String>,
    messages: usize,
}

#[derive(Serialize)]
struct Left {
    after: Option<String>,
    records: u64,
    opening: String,
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
    /// The document of a reading; `facts[i]` is what was read off session `i`.
    pub fn new(
        format: &'static str,
        sessions: &[Session],
        facts: &[Facts],
        unassigned: &Accounting,
        diagnostics: &Diagnostics,
        redactions: &[Redaction],
    ) -> Self {
        Self {
            schema: "turnpoint.inspect/1",
            format,
            sessions: sessions.iter().zip(facts).map(|(s, f)| View::new(s, f)).collect(),
            unassigned: (unassigned.read > 0).then(|| Records::new(unassigned)),
            diagnostics: diags(diagnostics),
            redactions: redactions.iter().map(|r| Redacted { marker: r.marker.clone(), places: r.places }).collect(),
        }
    }
}

impl View {
    fn new(session: &Session, facts: &Facts) -> Self {
        let mut odd = session.diagnostics.clone();
        odd.extend(facts.diagnostics.clone());
        let all = session.tree();
        let sum = session.tree_accounting();
        let count = |wanted: fn(ToolKind) -> bool, of: &[&Session]| {
            of.iter().flat_map(|s| &s.messages).filter(|m| m.tool().is_some_and(wanted)).count()
        };
        Self {
            id: session.info.id.clone(),
            title: session.info.title.clone(),
            agent: session.info.agent.clone(),
            models: session.info.models.clone(),
            version: session.info.version.clone(),
            project: session.info.cwd.clone(),
            branch: session.info.branch.clone(),
            started: session.started().map(Timestamp::iso),
            ended: session.ended().map(Timestamp::iso),
            parent: session.info.parent.clone(),
            continues: session.info.continues.clone(),
            also: session.info.also.clone(),
            usage: Tokens::from(&session.usage()),
            messages: session.messages.len(),
            steps: session.steps.len(),
            tool_calls: count(|_| true, &[session]),
            todo_calls: count(|k| k == ToolKind::Todo, &all),
            todo_snapshots: facts.todos.len(),
            records: Records::new(&sum),
            reasons: Reasons { skipped: sum.skipped, unknown: sum.unknown },
            subagents: all[1..].iter().map(|agent| Subagent::new(agent)).collect(),
            branches: session.branches.iter().map(Left::new).collect(),
            compactions: session.notices.iter().filter(|n| n.kind == NoticeKind::Compaction).count(),
            missing: inspect::missing(session),
            diagnostics: diags(&odd),
        }
    }
}

impl Subagent {
    fn new(agent: &Session) -> Self {
        let info = &agent.info;
        Self {
            id: info.id.clone(),
            parent: info.parent.clone(),
            spawned_by: info.spawned_by.clone(),
            title: info.title.clone(),
            messages: agent.messages.len(),
        }
    }
}

impl Left {
    fn new(branch: &Branch) -> Self {
        Self { after: branch.after.clone(), records: branch.records, opening: branch.opening.clone() }
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
