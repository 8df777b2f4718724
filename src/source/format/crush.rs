//! The database of Crush: sessions, and messages made of parts. Results come under a role of their own. A sub-agent is a
//! session whose id ends in the id of the call that started it; sessions that only thought of a title are left out. Tokens
//! are those of the last request, so that only the cost is told. Forks add columns: none but the first ones is relied on.

use std::collections::HashMap;

use super::{Card, Format, Recorded};
use crate::{
    base::{diag::DiagCode, error::Error, locate::Locator, time::Timestamp},
    model::{
        builder::{Origin, ResultOf, SessionBuilder},
        message::{Aliases, Cut, Exit, NoticeKind, Outcome, ToolKind, Usage},
        session::Session,
    },
    source::{
        Parsed, agents,
        database::{Database, Row},
        exit_words,
        fields::{compact, fields},
        lenient::{Any, Flag, List, Number, Raw, Text, lenient},
        open::Input,
        seen::Seen,
        sniff::Sniff,
        tool_names::kind_of,
    },
};

/// See the module.
pub struct Crush;

impl Format for Crush {
    fn name(&self) -> &'static str {
        "crush"
    }

    fn about(&self) -> &'static str {
        "the database of Crush (SQLite)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "Crush",
            versions: "its database since 2025",
            records: &[
                Recorded::Times,
                Recorded::Models,
                Recorded::Cost,
                Recorded::Exits,
                Recorded::Failures,
                Recorded::Todos,
                Recorded::Reasoning,
                Recorded::Subagents,
                Recorded::Compactions,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let messages = seen.has_table("messages", &["id", "session_id", "role", "parts"]);
        match messages && seen.has_table("sessions", &["id", "title", "prompt_tokens"]) {
            true => Sniff::Yes(92, "its tables `sessions` and `messages` with `parts`".into()),
            false => Sniff::No("no tables `sessions` and `messages` with `parts`".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let database = input.database()?;
        let mut parsed = Parsed::default();
        let begun = begun(self.name(), &database, &mut parsed);
        let mut sessions = Vec::new();
        for session in begun {
            match session.info.id.starts_with("title-") {
                true => parsed.unassigned.merge(&titles(session, &database).accounting),
                false => sessions.push(messages(session, &database)),
            }
        }
        let call = |session: &Session| session.info.id.rsplit("$$").next().map(str::to_string);
        for session in agents::families(sessions, call) {
            parsed.add(session);
        }
        Ok(parsed)
    }
}

lenient! {
    /// A part of a message.
    struct Part<'a> {
        kind: Text<'a> = "type",
        data: Data<'a> = "data",
    }
}

lenient! {
    /// What it holds, of any type.
    struct Data<'a> {
        text: Any<Text<'a>> = "text",
        thinking: Text<'a> = "thinking",
        id: Any<Text<'a>> = "id",
        name: Text<'a> = "name",
        input: Raw<'a> = "input",
        call: Text<'a> = "tool_call_id",
        content: Any<Text<'a>> = "content",
        metadata: Raw<'a> = "metadata",
        is_error: Flag = "is_error",
        reason: Text<'a> = "reason",
        message: Any<Text<'a>> = "message",
        details: Any<Text<'a>> = "details",
        command: Any<Text<'a>> = "command",
        output: Any<Text<'a>> = "output",
        exit_code: Any<Number> = "exit_code",
        mime: Any<Text<'a>> = "mime_type",
        url: Any<Text<'a>> = "url",
        path: Any<Text<'a>> = "path",
    }
}

lenient! {
    /// What a tool tells besides its output.
    struct Metadata<'a> {
        todos: Raw<'a> = "todos",
        end: Any<Number> = "end_time",
    }
}

/// The sessions of the database, by the time of their creation, before their messages are read.
fn begun(format: &'static str, database: &Database, parsed: &mut Parsed) -> Vec<SessionBuilder> {
    let select = database.select("sessions", &["id", "parent_session_id", "title", "cost"]);
    let order = if database.has("sessions", "created_at") { "created_at, id" } else { "id" };
    let mut begun = Vec::new();
    let known = database.rows(&format!("SELECT {select} FROM sessions ORDER BY {order}"), &[], |row| {
        let text = |at| row.text(at).map(|t| t.into_owned()).filter(|t| !t.is_empty());
        let mut session = SessionBuilder::new(format);
        session.info.id = text(0).unwrap_or_default();
        session.info.parent = text(1);
        session.info.title = text(2);
        session.info.records_outcome = true;
        let cost = row.number(3).filter(|cost| *cost > 0.0);
        session.info.usage = cost.map(|cost| Usage { cost: Some(cost), ..Usage::default() });
        begun.push(session);
    });
    for fault in [known, database.index("messages", "session_id")].into_iter().filter_map(Result::err) {
        parsed.diagnostics.add(DiagCode::RecordDamaged, Locator::default(), fault);
    }
    begun
}

/// Counts the messages of a session that thought of a title.
fn titles(mut session: SessionBuilder, database: &Database) -> Session {
    let id = session.info.id.clone();
    database.each(&mut session, "SELECT id FROM messages WHERE session_id = ?1", &id, |session, _| {
        session.accounting.skipped("title");
    });
    session.finish()
}

fn messages(mut session: SessionBuilder, database: &Database) -> Session {
    let columns = ["id", "role", "parts", "model", "created_at", "is_summary_message"];
    let select = database.select("messages", &columns);
    // Messages of one second keep the order in which they were written.
    let order = if database.has("messages", "created_at") { "created_at, rowid" } else { "rowid" };
    let query = format!("SELECT {select} FROM messages WHERE session_id = ?1 ORDER BY {order}");
    let id = session.info.id.clone();
    let mut record = 0;
    let mut tools = HashMap::new();
    database.each(&mut session, &query, &id, |session, row| {
        record += 1;
        let place = Locator { record, ..Locator::default() };
        One::of(row, place).read(session, &row.text(2).unwrap_or_default(), &mut tools);
    });
    session.finish()
}

/// A message on its way into the session.
struct One {
    id: Option<String>,
    model: Option<String>,
    time: Option<Timestamp>,
    place: Locator,
    user: bool,
    summary: bool,
    thought: Option<String>,
}

impl One {
    fn of(row: &Row, place: Locator) -> Self {
        let text = |at| row.text(at).map(|t| t.into_owned()).filter(|t| !t.is_empty());
        let user = text(1).as_deref() == Some("user");
        Self {
            id: text(0),
            model: text(3).filter(|_| !user),
            time: row.number(4).and_then(Timestamp::from_number),
            place,
            user,
            summary: row.number(5).is_some_and(|n| n != 0.0),
            thought: None,
        }
    }

    fn read(mut self, session: &mut SessionBuilder, parts: &str, tools: &mut HashMap<String, ToolKind>) {
        let parts = match serde_json::from_str::<List<Part>>(parts) {
            Ok(parts) => parts,
            Err(error) => {
                let told = format!("message {:?}: {error}", self.id.as_deref().unwrap_or_default());
                session.diagnostics.add(DiagCode::RecordDamaged, self.place, told);
                return session.accounting.damaged();
            }
        };
        let fault = parts.items.iter().find_map(Part::fault);
        if let Some(field) = fault.or_else(|| crate::source::lenient::Lenient::wrong(&parts).then_some("parts")) {
            session.diagnostics.add(DiagCode::FieldWrongType, self.place, format!("`{field}` of a message"));
        }
        let mut gave = false;
        for part in parts.items {
            gave |= self.part(session, part, tools);
        }
        match gave {
            true => session.accounting.used(),
            false => session.accounting.skipped("no text and no call"),
        }
    }

    /// Tells a part; whether it gave anything.
    fn part(&mut self, session: &mut SessionBuilder, part: Part, tools: &mut HashMap<String, ToolKind>) -> bool {
        let mut data = part.data;
        match part.kind.get().unwrap_or_default() {
            "text" => return self.text(session, data.text.0.take().unwrap_or_default()),
            "reasoning" => self.thought = data.thinking.take().filter(|t| !t.is_empty()),
            "tool_call" => {
                let name = data.name.get().unwrap_or("unknown");
                let id = data.id.0.owned();
                tools.extend(id.clone().map(|id| (id, kind_of(name))));
                session.call(self.origin(id), name, kind_of(name), input(data.input));
            }
            "tool_result" => self.result(session, data, tools),
            "finish" => return self.finish(session, &data),
            "shell_command" => self.shell(session, data),
            "image_url" | "binary" if self.user => {
                let what = data.mime.0.get().or(data.path.0.get()).or(data.url.0.get()).unwrap_or("of unknown type");
                session.user(self.origin(None), format!("[image {what}]"));
                session.cut_last(Cut::Placeholder);
            }
            "binary" | "image_url" => return false,
            other => {
                let told = format!("a part of type {other:?} was passed over");
                session.diagnostics.add(DiagCode::RecordTypeUnknown, self.place, told);
                return false;
            }
        }
        true
    }

    fn origin(&mut self, call: Option<String>) -> Origin {
        Origin {
            ids: Aliases { message: self.id.clone(), call, ..Aliases::default() },
            turn: self.id.clone(),
            time: self.time,
            place: self.place,
            reasoning: self.thought.take().unwrap_or_default(),
            model: self.model.clone(),
            ..Origin::default()
        }
    }

    fn text(&mut self, session: &mut SessionBuilder, text: String) -> bool {
        match () {
            () if text.trim().is_empty() => return false,
            () if self.summary => session.notice(NoticeKind::Compaction, self.place, self.time, text),
            () if self.user => session.user(self.origin(None), text),
            () => session.text(self.origin(None), text),
        }
        true
    }

    fn result(&self, session: &mut SessionBuilder, mut data: Data, tools: &mut HashMap<String, ToolKind>) {
        let Some(id) = data.call.owned() else {
            session.diagnostics.add(DiagCode::ResultWithoutCall, self.place, "a result without the id of its call");
            return;
        };
        let kind = tools.remove(&id).unwrap_or(ToolKind::Other);
        let text = data.content.0.take().unwrap_or_default();
        let metadata = decoded(data.metadata);
        let metadata: Metadata = serde_json::from_str(&metadata).unwrap_or_default();
        let (outcome, exit) = ending(kind, &text, data.is_error.get());
        let todos = metadata.todos.map(|raw| ("todos", compact(raw.get())));
        let result = ResultOf {
            text,
            cut: None,
            outcome,
            exit,
            time: metadata.end.0.get().and_then(Timestamp::from_number).or(self.time),
            place: self.place,
            spawned: None,
            extra: todos.into_iter().collect(),
        };
        session.result(&id, result);
    }

    /// The end of a response: only one that went wrong is told.
    fn finish(&self, session: &mut SessionBuilder, data: &Data) -> bool {
        let kind = match data.reason.get() {
            Some("canceled") => NoticeKind::Interruption,
            Some("content_filter" | "error" | "max_tokens") => NoticeKind::Fault,
            _ => return false,
        };
        let words = [data.reason.get(), data.message.0.get(), data.details.0.get()];
        let words: Vec<&str> = words.into_iter().flatten().filter(|w| !w.is_empty()).collect();
        session.notice(kind, self.place, self.time, words.join(": "));
        true
    }

    /// A command that the user ran in the session.
    fn shell(&mut self, session: &mut SessionBuilder, mut data: Data) {
        let command = data.command.0.take().unwrap_or_default();
        let field = serde_json::json!({ "command": command }).to_string();
        session.call(self.origin(None), "shell", ToolKind::Shell, fields(&field));
        let code = data.exit_code.0.whole().and_then(|code| i32::try_from(code).ok());
        let outcome = match code {
            Some(0) => Outcome::Ok,
            Some(_) => Outcome::Failed,
            None => Outcome::NotRecorded,
        };
        session.result_of_last(ResultOf {
            text: data.output.0.take().unwrap_or_default(),
            cut: None,
            outcome,
            exit: code.map_or(Exit::NotRecorded, Exit::Code),
            time: self.time,
            place: self.place,
            spawned: None,
            extra: Vec::new(),
        });
    }
}

/// A value that is written as a text of JSON, or as JSON itself.
fn decoded(raw: Raw) -> String {
    let raw = raw.map_or("", |raw| raw.get());
    serde_json::from_str(raw).unwrap_or_else(|_| raw.to_string())
}

fn input(raw: Raw) -> Vec<crate::model::builder::Field> {
    fields(&decoded(raw))
}

/// How a call ended. The shell tells a status other than 0 before the directory in which it ended.
fn ending(tool: ToolKind, text: &str, is_error: Option<bool>) -> (Outcome, Exit) {
    let before_directory = text.trim_end().strip_suffix("</cwd>").and_then(|t| t.rfind("<cwd>").map(|at| &t[..at]));
    let (outcome, exit) = exit_words::flagged(before_directory.unwrap_or(text), is_error);
    let lower = text.get(..text.len().min(200)).unwrap_or_default().to_lowercase();
    match outcome {
        Outcome::Failed if lower.starts_with("user denied permission") => (Outcome::Denied, exit),
        Outcome::NotRecorded if tool != ToolKind::Shell => (Outcome::Ok, exit),
        outcome => (outcome, exit),
    }
}
