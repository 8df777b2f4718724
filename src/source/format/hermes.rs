//! Sessions of Hermes Agent: its database, and the export of it (one session a line, or a document of them). Both hold the
//! same rows, role messages in columns: calls as a JSON text, contents of several kinds as JSON behind a mark. A row that
//! is not `active` was rewound, or archived by a compaction, which writes what it keeps once more; a compaction may also
//! go on in a session of its own. What tools return is JSON: of a command its output and its status.

use std::collections::HashSet;

use super::{Card, Format, Recorded};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        error::Error,
        locate::Locator,
        time::Timestamp,
    },
    model::{
        builder::SessionBuilder,
        message::{Exit, NoticeKind, Outcome, Usage},
        session::Session,
    },
    source::{
        Parsed, agents,
        chat::{
            content::Piece,
            message::{Message, Role},
            tell::{Turn, count, tell},
        },
        database::{Database, Row},
        document::Source,
        fields::compact,
        frame::{Records, checked, json_lines, wrong_type},
        lenient::{Any, Flag, List, Number, Raw, Text, lenient},
        open::Input,
        seen::{Seen, has},
        sniff::Sniff,
    },
    text::partial_json::Node,
};

/// See the module.
pub struct Hermes;

impl Format for Hermes {
    fn name(&self) -> &'static str {
        "hermes"
    }

    fn about(&self) -> &'static str {
        "sessions of Hermes Agent (its database, or `hermes sessions export`)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "Hermes",
            versions: "schemas to 30 of its database, exports of 2026",
            records: &[
                Recorded::Times,
                Recorded::Models,
                Recorded::Tokens,
                Recorded::Cost,
                Recorded::Exits,
                Recorded::Failures,
                Recorded::Cwd,
                Recorded::Branch,
                Recorded::Todos,
                Recorded::Reasoning,
                Recorded::Subagents,
                Recorded::Compactions,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let messages = seen.has_table("messages", &["session_id", "role", "content", "tool_calls", "timestamp"]);
        if messages && seen.has_table("sessions", &["id", "source", "started_at"]) {
            return Sniff::Yes(93, "its tables `sessions` and `messages` with `tool_calls`".into());
        }
        let document = seen.document();
        let listed = document.and_then(Node::list).unwrap_or_default();
        let (own, lines) = seen.vote(is_export);
        match document.is_some_and(is_export) || listed.iter().any(is_export) || own > 0 && own * 2 >= lines {
            true => Sniff::Yes(92, "sessions with `source`, `started_at` and `messages`".into()),
            false => Sniff::No("no session with `source`, `started_at` and `messages`".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let mut parsed = Parsed::default();
        let sessions = match input.sample()?.tables.is_empty() {
            true => exported(self.name(), input, &mut parsed)?,
            false => stored(self.name(), input.database()?.as_ref(), &mut parsed.diagnostics),
        };
        for session in agents::families(sessions, |_| None) {
            parsed.add(session);
        }
        Ok(parsed.settled())
    }
}

/// A session of an export by its keys.
fn is_export(node: &Node) -> bool {
    has(node, &["id", "source", "started_at", "messages"])
}

lenient! {
    /// A session; of an export, with its messages.
    struct About<'a> {
        id: Text<'a> = "id",
        source: Text<'a> = "source",
        model: Any<Text<'a>> = "model",
        config: Any<Raw<'a>> = "model_config",
        parent: Any<Text<'a>> = "parent_session_id",
        title: Any<Text<'a>> = "title",
        cwd: Any<Text<'a>> = "cwd",
        branch: Any<Text<'a>> = "git_branch",
        input: Any<Number> = "input_tokens",
        output: Any<Number> = "output_tokens",
        cache_read: Any<Number> = "cache_read_tokens",
        cache_write: Any<Number> = "cache_write_tokens",
        reasoning: Any<Number> = "reasoning_tokens",
        actual: Any<Number> = "actual_cost_usd",
        estimated: Any<Number> = "estimated_cost_usd",
        messages: Any<List<One<'a>>> = "messages",
    }
}

/// Columns of a session, named as the fields of [`About`].
#[rustfmt::skip]
const ABOUT: &[&str] = &[
    "id", "source", "model", "model_config", "parent_session_id", "title", "cwd", "git_branch", "input_tokens",
    "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens", "actual_cost_usd",
    "estimated_cost_usd",
];

lenient! {
    /// A message.
    struct One<'a> {
        id: Any<Number> = "id",
        role: Text<'a> = "role",
        content: Any<Raw<'a>> = "content",
        calls: Any<Raw<'a>> = "tool_calls",
        call_id: Any<Text<'a>> = "tool_call_id",
        tool: Any<Text<'a>> = "tool_name",
        time: Any<Number> = "timestamp",
        reasoning: Any<Text<'a>> = "reasoning",
        reasoning_content: Any<Text<'a>> = "reasoning_content",
        finish: Any<Text<'a>> = "finish_reason",
        active: Any<Number> = "active",
        compacted: Any<Number> = "compacted",
    }
}

/// Columns of a message, named as the fields of [`One`].
#[rustfmt::skip]
const ONE: &[&str] = &[
    "id", "role", "content", "tool_calls", "tool_call_id", "tool_name", "timestamp", "reasoning", "reasoning_content",
    "finish_reason", "active", "compacted",
];

/// A row as a JSON object, so that rows and exports are read by one reader.
fn object(row: &Row, columns: &[&str]) -> String {
    let mut fields = serde_json::Map::new();
    for (at, name) in columns.iter().enumerate() {
        let value = match (row.number(at), row.text(at)) {
            (Some(number), _) => serde_json::Number::from_f64(number).map(serde_json::Value::Number),
            (None, Some(text)) => Some(serde_json::Value::String(text.into_owned())),
            (None, None) => None,
        };
        fields.extend(value.map(|value| ((*name).to_string(), value)));
    }
    serde_json::Value::Object(fields).to_string()
}

/// The sessions of a database, by the time of their beginning.
fn stored(format: &'static str, database: &Database, diagnostics: &mut Diagnostics) -> Vec<Session> {
    let mut begun = Vec::new();
    let query = format!("SELECT {} FROM sessions ORDER BY started_at, id", database.select("sessions", ABOUT));
    let known = database.rows(&query, &[], |row| {
        let object = object(row, ABOUT);
        begun.push(begin(format, &serde_json::from_str(&object).unwrap_or_default()));
    });
    for fault in [known, database.index("messages", "session_id")].into_iter().filter_map(Result::err) {
        diagnostics.add(DiagCode::RecordDamaged, Locator::default(), fault);
    }
    let query = format!("SELECT {} FROM messages WHERE session_id = ?1 ORDER BY id", database.select("messages", ONE));
    let read = |mut session: SessionBuilder| {
        let id = session.info.id.clone();
        let mut rows = Rows::default();
        database.each(&mut session, &query, &id, |session, row| {
            let place = Locator { record: rows.read + 1, ..Locator::default() };
            let object = object(row, ONE);
            rows.row(session, &serde_json::from_str(&object).unwrap_or_default(), place);
        });
        rows.tell(&mut session);
        session.finish()
    };
    begun.into_iter().map(read).collect()
}

/// The sessions of an export: a line each, or the items of a document.
fn exported(format: &'static str, input: &Input, parsed: &mut Parsed) -> Result<Vec<Session>, Error> {
    let bytes = input.bytes()?;
    let source = Source::of(&bytes);
    let first = source.text().lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let mut exports = Exports { format, parsed, sessions: Vec::new() };
    if serde_json::from_str::<About>(first).is_ok_and(|about| about.stray == Text::Absent) {
        let mut diagnostics = Diagnostics::default();
        json_lines(input, &mut diagnostics, &mut exports)?;
        let sessions = exports.sessions;
        parsed.diagnostics.extend(diagnostics);
        return Ok(sessions);
    }
    let document = source.cut(&[]);
    source.report(&document, &mut exports.parsed.diagnostics, &mut exports.parsed.unassigned);
    let items = source.one_or_list(&document, "messages", &mut exports.parsed.unassigned);
    for (text, place) in items {
        if let Err(error) = exports.record(&text, place) {
            exports.parsed.diagnostics.add(DiagCode::RecordDamaged, place, error.to_string());
            exports.lost(place);
        }
    }
    Ok(exports.sessions)
}

struct Exports<'p> {
    format: &'static str,
    parsed: &'p mut Parsed,
    sessions: Vec<Session>,
}

impl Records for Exports<'_> {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        let about: About = serde_json::from_str(text)?;
        if !checked(&about.stray, about.fault(), place, &mut self.parsed.diagnostics) {
            self.parsed.unassigned.damaged();
            return Ok(());
        }
        let mut session = begin(self.format, &about);
        let mut rows = Rows::default();
        for one in &about.messages.0.items {
            // Messages of one session share its place; a line would be no name for one of them.
            rows.row(&mut session, one, Locator { line: 0, ..place });
        }
        rows.tell(&mut session);
        // The session is the record.
        session.accounting = Default::default();
        match rows.read {
            0 => self.parsed.unassigned.skipped("no messages"),
            _ => {
                session.accounting.used();
                self.sessions.push(session.finish());
            }
        }
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        self.parsed.unassigned.damaged();
    }
}

lenient! {
    /// What of the model's settings tells of the session.
    struct Config<'a> {
        delegated: Any<Text<'a>> = "_delegate_from",
    }
}

fn begin(format: &'static str, about: &About) -> SessionBuilder {
    let text = |field: &Any<Text>| field.0.owned().filter(|text| !text.is_empty());
    let mut session = SessionBuilder::new(format);
    session.info.id = about.id.owned().unwrap_or_default();
    session.info.title = text(&about.title);
    session.info.cwd = text(&about.cwd);
    session.info.branch = text(&about.branch);
    session.info.records_outcome = true;
    session.info.usage = usage(about);
    session.model(about.model.0.get().unwrap_or_default());
    let config = decoded(about.config.0);
    let config: Config = serde_json::from_str(&config).unwrap_or_default();
    let agent = about.source.get() == Some("subagent") || config.delegated.0.get().is_some();
    // Only an agent was started by its parent; any other session goes on where its parent stopped.
    match agent {
        true => session.info.parent = text(&about.parent).or(text(&config.delegated)),
        false => session.info.continues = text(&about.parent),
    }
    session
}

/// Tokens and cost of the whole session. A count of 0 is the column's default and says nothing.
fn usage(about: &About) -> Option<Usage> {
    let count = |field: &Any<Number>| field.0.whole().and_then(|n| u64::try_from(n).ok()).filter(|n| *n > 0);
    let cost = |field: &Any<Number>| field.0.get().filter(|cost| *cost > 0.0);
    let usage = Usage {
        input: count(&about.input),
        output: count(&about.output),
        cache_read: count(&about.cache_read),
        cache_write: count(&about.cache_write),
        reasoning: count(&about.reasoning),
        cost: cost(&about.actual).or(cost(&about.estimated)),
    };
    (!usage.is_empty()).then_some(usage)
}

/// What stands before JSON in a column of texts; the older mark begins with a zero byte.
const MARKS: &[&str] = &["\0json:", "\u{1}json:"];

/// The rows of a session on their way into it.
#[derive(Default)]
struct Rows {
    read: u32,
    turns: Vec<Turn>,
    /// What a compaction archived: role, time in milliseconds, content.
    archived: HashSet<(String, Option<i64>, String)>,
    in_archive: bool,
}

impl Rows {
    fn row(&mut self, session: &mut SessionBuilder, one: &One, place: Locator) {
        self.read += 1;
        if !checked(&one.stray, one.fault(), place, &mut session.diagnostics) {
            return session.accounting.damaged();
        }
        let active = one.active.0.get().is_none_or(|n| n != 0.0);
        let archived = one.compacted.0.get().is_some_and(|n| n != 0.0);
        let time = one.time.0.get().and_then(Timestamp::from_number);
        let content = decoded(one.content.0);
        let role = one.role.get().unwrap_or_default();
        let same = (role.to_string(), time.map(Timestamp::millis), content.clone());
        if !active && !archived {
            return session.accounting.skipped("rewound");
        }
        if archived {
            self.in_archive = true;
            self.archived.insert(same);
        } else {
            if std::mem::take(&mut self.in_archive) {
                self.turns.push(Turn::notice(NoticeKind::Compaction, String::new(), place, time));
            }
            // What a compaction keeps is written once more.
            if self.archived.contains(&same) {
                return session.accounting.skipped("repeated");
            }
        }
        let calls = decoded(one.calls.0);
        if !calls.is_empty() && serde_json::from_str::<Vec<serde::de::IgnoredAny>>(&calls).is_err() {
            wrong_type(Some("tool_calls"), place, &mut session.diagnostics);
        }
        match role {
            "user" | "assistant" | "tool" | "system" => self.turns.push(turn(one, role, &content, time, place)),
            other => {
                let told = format!("a message of role {other:?} was passed over");
                session.diagnostics.add(DiagCode::RecordTypeUnknown, place, told);
                session.accounting.unknown(other);
            }
        }
    }

    fn tell(&mut self, session: &mut SessionBuilder) {
        let turns = std::mem::take(&mut self.turns);
        let notices: Vec<bool> = turns.iter().map(|turn| turn.notice.is_some()).collect();
        let told = tell(session, turns);
        let rows = told.into_iter().zip(notices).filter(|(_, notice)| !notice).map(|(told, _)| told);
        count(session, rows.collect());
    }
}

/// A message, with the result of a call taken out of its JSON.
fn turn(one: &One, role: &str, content: &str, time: Option<Timestamp>, place: Locator) -> Turn {
    let raw = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    let content = match MARKS.iter().find_map(|mark| content.strip_prefix(mark)).and_then(raw) {
        Some(blocks) => blocks,
        None => serde_json::Value::String(content.to_string()),
    };
    let thought = one.reasoning_content.0.get().or(one.reasoning.0.get()).filter(|text| !text.is_empty());
    let message = serde_json::json!({
        "role": role,
        "content": content,
        "tool_calls": raw(&decoded(one.calls.0)),
        "tool_call_id": one.call_id.0.get(),
        "name": one.tool.0.get(),
        "reasoning_content": thought,
    });
    let message = message.to_string();
    let mut turn = Turn::of(serde_json::from_str::<Message>(&message).unwrap_or_default(), place);
    turn.id = one.id.0.whole().map(|id| id.to_string());
    turn.time = time;
    if turn.role == Role::Tool {
        returned(&mut turn);
    }
    turn
}

lenient! {
    /// What a tool returned.
    struct Returned<'a> {
        output: Any<Text<'a>> = "output",
        content: Any<Text<'a>> = "content",
        exit: Any<Number> = "exit_code",
        error: Any<Text<'a>> = "error",
        success: Any<Flag> = "success",
        todos: Any<Raw<'a>> = "todos",
    }
}

/// Takes output, status and task list of a result out of its JSON.
fn returned(turn: &mut Turn) {
    let Some(Piece::Result(answer)) = turn.pieces.iter_mut().find(|piece| matches!(piece, Piece::Result(_))) else {
        return;
    };
    let text = std::mem::take(&mut answer.text);
    let Ok(returned) = serde_json::from_str::<Returned>(&text) else {
        answer.text = text;
        return;
    };
    let error = returned.error.0.get().filter(|error| !error.is_empty());
    let code = returned.exit.0.whole().and_then(|code| i32::try_from(code).ok());
    let failed = code.is_some_and(|code| code != 0) || error.is_some() || returned.success.0.get() == Some(false);
    let exit = code.map_or(Exit::NotRecorded, Exit::Code);
    turn.ended = Some((if failed { Outcome::Failed } else { Outcome::Ok }, exit));
    turn.extra.extend(returned.todos.0.map(|raw| ("todos", compact(raw.get()))));
    let shown = returned.output.0.get().or(returned.content.0.get()).filter(|shown| !shown.is_empty());
    answer.text = match (shown, error) {
        (Some(shown), None) => shown.to_string(),
        (Some(shown), Some(error)) => format!("{shown}\n{error}"),
        (None, Some(error)) => error.to_string(),
        (None, None) if code.is_some() => String::new(),
        (None, None) => text.clone(),
    };
}

/// A value that is written as a text of JSON or of anything else, or as JSON itself.
fn decoded(raw: Raw) -> String {
    let raw = raw.map_or("", |raw| raw.get());
    serde_json::from_str(raw).unwrap_or_else(|_| if raw == "null" { String::new() } else { raw.to_string() })
}
