//! `sessions --json`: `turnpoint.sessions/1`, one document a session.

use serde::Serialize;

use crate::{base::time::Timestamp, model::message::Usage, render::plain::sessions::Row};

/// The document. What the log does not record is `null`.
#[derive(Serialize)]
pub struct Document<'a> {
    schema: &'static str,
    id: &'a str,
    agent: &'a str,
    format: &'static str,
    title: Option<&'a str>,
    project: Option<&'a str>,
    parent: Option<&'a str>,
    started: Option<String>,
    ended: Option<String>,
    seconds: Option<i64>,
    messages: usize,
    steps: usize,
    todo_snapshots: usize,
    usage: Tokens,
    input: &'a str,
}

/// Tokens and cost as recorded.
#[derive(Serialize)]
pub struct Tokens {
    input: Option<u64>,
    output: Option<u64>,
    cache_read: Option<u64>,
    cache_write: Option<u64>,
    reasoning: Option<u64>,
    cost_usd: Option<f64>,
}

impl From<&Usage> for Tokens {
    fn from(usage: &Usage) -> Self {
        Self {
            input: usage.input,
            output: usage.output,
            cache_read: usage.cache_read,
            cache_write: usage.cache_write,
            reasoning: usage.reasoning,
            cost_usd: usage.cost,
        }
    }
}

impl<'a> Document<'a> {
    /// Of a row of the list.
    pub fn new(row: &'a Row) -> Self {
        let long = row.started.zip(row.ended).map(|(from, to)| (to.millis() - from.millis()) / 1000);
        Self {
            schema: "turnpoint.sessions/1",
            id: &row.id,
            agent: &row.agent,
            format: row.format,
            title: row.title.as_deref(),
            project: row.project.as_deref(),
            parent: row.parent.as_deref(),
            started: row.started.map(Timestamp::iso),
            ended: row.ended.map(Timestamp::iso),
            seconds: long,
            messages: row.messages,
            steps: row.steps,
            todo_snapshots: row.todos,
            usage: Tokens::from(&row.usage),
            input: &row.input,
        }
    }
}
