//! Sessions of Goose: its database, and the JSON Lines of the time before it. Both hold the same messages of camel-case
//! blocks; a result stands in a message under the user's role. What a tool returned may stand twice, once for the model
//! and once for the user: only the first was seen by the model. After a compaction messages stay that the model no longer
//! sees, and some come that the user does not see.

use std::collections::HashMap;

use super::{Card, Format, Recorded};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        error::Error,
        locate::Locator,
        time::Timestamp,
    },
    model::{
        builder::{Origin, ResultOf, SessionBuilder},
        message::{Aliases, Cut, NoticeKind, Outcome, ToolKind, Usage},
        session::Session,
    },
    source::{
        Parsed, agents,
        database::{Database, Row},
        exit_words,
        fields::fields,
        frame::{Records, json_lines, wrong_type},
        lenient::{Any, Flag, List, Number, Raw, Text, lenient},
        open::Input,
        seen::{self, Seen, has},
        sniff::Sniff,
        tool_names::kind_of,
    },
    text::partial_json::{Node, Value},
};

/// See the module.
pub struct Goose;

impl Format for Goose {
    fn name(&self) -> &'static str {
        "goose"
    }

    fn about(&self) -> &'static str {
        "sessions of Goose (its database, or the JSONL before it)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "Goose",
            versions: "1.x: schemas to 17 of its database, and the JSONL before it",
            records: &[
                Recorded::Times,
                Recorded::Models,
                Recorded::Tokens,
                Recorded::Cost,
                Recorded::Failures,
                Recorded::Cwd,
                Recorded::Todos,
                Recorded::Reasoning,
                Recorded::Subagents,
                Recorded::Compactions,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        if seen.has_table("messages", &["session_id", "role", "content_json"]) && seen.has_table("sessions", &["id"]) {
            return Sniff::Yes(93, "its tables `sessions` and `messages` with `content_json`".into());
        }
        let about = seen.lines().first().is_some_and(|line| has(line, &["working_dir", "message_count"]));
        let (own, lines) = seen.vote(|line| is_message(line) || has(line, &["working_dir", "message_count"]));
        match (own, about) {
            (0, _) => Sniff::No("no line with `role`, `created` in seconds and blocks of `content`".into()),
            (own, _) if own * 2 < lines => Sniff::No(format!("only {own} of {lines} sampled lines are its messages")),
            (own, true) => Sniff::Yes(91, format!("{own} of {lines} sampled lines are its records")),
            (own, false) => Sniff::Yes(78, format!("{own} of {lines} sampled lines are its messages")),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        if input.sample()?.tables.is_empty() {
            return lines(self.name(), input);
        }
        let database = input.database()?;
        let mut parsed = Parsed::default();
        let sessions = sessions(self.name(), &database, &mut parsed.diagnostics);
        for session in agents::families(sessions, |_| None) {
            parsed.add(session);
        }
        Ok(parsed)
    }
}

/// A message by its shape: the time is a number, and the blocks have types.
fn is_message(line: &Node) -> bool {
    let blocks = line.get("content").and_then(Node::list).unwrap_or_default();
    let timed = line.get("created").is_some_and(|n| matches!(n.value, Value::Number(_)));
    timed && ["user", "assistant"].contains(&seen::text(line, "role")) && blocks.iter().all(|b| has(b, &["type"]))
}

lenient! {
    /// A message; of the first line, what is known of the session.
    struct Message<'a> {
        id: Text<'a> = "id",
        role: Text<'a> = "role",
        created: Number = "created",
        content: List<Block<'a>> = "content",
        metadata: Any<Metadata<'a>> = "metadata",
        working_dir: Text<'a> = "working_dir",
        description: Text<'a> = "description",
        name: Any<Text<'a>> = "name",
        parent: Any<Text<'a>> = "parent_session_id",
        input: Number = "accumulated_input_tokens",
        output: Number = "accumulated_output_tokens",
        cost: Number = "accumulated_cost",
    }
}

lenient! {
    /// Who sees a message.
    struct Metadata<'a> {
        user: Flag = "userVisible",
        agent: Flag = "agentVisible",
    }
}

lenient! {
    /// A block of any type.
    struct Block<'a> {
        kind: Text<'a> = "type",
        id: Text<'a> = "id",
        text: Text<'a> = "text",
        thinking: Text<'a> = "thinking",
        msg: Text<'a> = "msg",
        mime: Text<'a> = "mimeType",
        call: Call<'a> = "toolCall",
        result: Returned<'a> = "toolResult",
    }
}

lenient! {
    /// What the model asked for.
    struct Call<'a> {
        value: Any<Asked<'a>> = "value",
        error: Any<Text<'a>> = "error",
    }
}

lenient! {
    /// A tool and its input.
    struct Asked<'a> {
        name: Text<'a> = "name",
        arguments: Raw<'a> = "arguments",
    }
}

lenient! {
    /// What came of it. `value` was a bare list in older versions.
    struct Returned<'a> {
        status: Text<'a> = "status",
        value: Raw<'a> = "value",
        error: Raw<'a> = "error",
    }
}

lenient! {
    /// What a tool returned.
    struct Output<'a> {
        content: List<Shown<'a>> = "content",
        is_error: Flag = "isError",
    }
}

lenient! {
    /// A piece of it.
    struct Shown<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        mime: Text<'a> = "mimeType",
        resource: Any<Resource<'a>> = "resource",
        annotations: Any<Annotations<'a>> = "annotations",
    }
}

lenient! {
    /// A file in an output.
    struct Resource<'a> {
        uri: Text<'a> = "uri",
        text: Text<'a> = "text",
    }
}

lenient! {
    /// For whom a piece is.
    struct Annotations<'a> {
        audience: Any<List<Text<'a>>> = "audience",
    }
}

/// Beginnings of results by which Goose says that the user refused, or the mode did.
const REFUSALS: &[&str] = &["The user has declined to run this tool", "Let the user know the tool call was skipped"];

/// Reads messages into a session.
#[derive(Default)]
struct Reader {
    /// What the tools of unanswered calls do.
    tools: HashMap<String, ToolKind>,
    /// Whether the message before was one that the user does not see.
    hidden: bool,
}

impl Reader {
    /// Tells a message; whether it gave anything.
    fn message(&mut self, session: &mut SessionBuilder, message: Message, place: Locator) -> bool {
        let time = message.created.get().and_then(Timestamp::from_number);
        let user = message.role.get() == Some("user");
        let hidden = message.metadata.0.user.get() == Some(false);
        // The first that only the model sees replaces the conversation so far; what follows it explains it.
        let kind = if self.hidden { NoticeKind::Meta } else { NoticeKind::Compaction };
        self.hidden = hidden;
        let mut one = One { id: message.id.owned(), time, place, user, hidden: hidden.then_some(kind), thought: None };
        let mut gave = false;
        for block in message.content.items {
            if let Some(field) = block.fault() {
                session.diagnostics.add(DiagCode::FieldWrongType, place, format!("`{field}` of a block"));
            }
            gave |= self.block(session, &mut one, block);
        }
        gave
    }

    fn block(&mut self, session: &mut SessionBuilder, one: &mut One, mut block: Block) -> bool {
        match block.kind.get().unwrap_or_default() {
            "text" => {
                let text = block.text.take().unwrap_or_default();
                return one.said(session, text);
            }
            "thinking" => one.thought = block.thinking.take(),
            "toolRequest" | "frontendToolRequest" => self.call(session, one, &block),
            "toolResponse" => self.result(session, one, block),
            "image" if one.user => {
                let text = format!("[image {}]", block.mime.get().unwrap_or("of unknown type"));
                session.user(one.origin(None), text);
                session.cut_last(Cut::Placeholder);
            }
            "conversationCompacted" | "summarizationRequested" => {
                session.notice(NoticeKind::Compaction, one.place, one.time, block.msg.take().unwrap_or_default());
            }
            "contextLengthExceeded" => {
                session.notice(NoticeKind::Fault, one.place, one.time, block.msg.take().unwrap_or_default());
            }
            "systemNotification" => {
                session.notice(NoticeKind::Meta, one.place, one.time, block.msg.take().unwrap_or_default());
            }
            "actionRequired" | "image" | "redactedThinking" | "toolConfirmationRequest" => return false,
            other => {
                let told = format!("a block of type {other:?} was passed over");
                session.diagnostics.add(DiagCode::RecordTypeUnknown, one.place, told);
                return false;
            }
        }
        true
    }

    fn call(&mut self, session: &mut SessionBuilder, one: &mut One, block: &Block) {
        let asked = &block.call.value.0;
        let name = asked.name.get().unwrap_or("unknown");
        let kind = kind_of(name);
        if let Some(id) = block.id.owned() {
            self.tools.insert(id, kind);
        }
        let origin = one.origin(block.id.owned());
        session.call(origin, name, kind, asked.arguments.map_or_else(Vec::new, |raw| fields(raw.get())));
        // A call that could not be read has no answer but this.
        if let Some(error) = block.call.error.0.owned() {
            session.result_of_last(ended(error, None, Outcome::Failed, one));
        }
    }

    fn result(&mut self, session: &mut SessionBuilder, one: &One, block: Block) {
        let Some(id) = block.id.owned() else {
            session.diagnostics.add(DiagCode::ResultWithoutCall, one.place, "a result without the id of its call");
            return;
        };
        let shell = self.tools.remove(&id) == Some(ToolKind::Shell);
        let (text, cut, error) = returned(&block.result);
        let refused = REFUSALS.iter().any(|words| text.starts_with(words));
        let (outcome, exit) = match error {
            _ if refused => (Outcome::Denied, exit_words::ending("").1),
            // A command that ran is a success whatever its status: only its own words tell.
            false if shell => exit_words::ending(&text),
            error => exit_words::flagged(&text, Some(error)),
        };
        session.result(&id, ResultOf { exit, ..ended(text, cut, outcome, one) });
    }
}

/// A message on its way into the session.
struct One {
    id: Option<String>,
    time: Option<Timestamp>,
    place: Locator,
    user: bool,
    /// What its texts are, when the user does not see it.
    hidden: Option<NoticeKind>,
    thought: Option<String>,
}

impl One {
    fn origin(&mut self, call: Option<String>) -> Origin {
        Origin {
            ids: Aliases { message: self.id.clone(), call, ..Aliases::default() },
            turn: Some(self.id.clone().unwrap_or_else(|| self.place.record.to_string())),
            time: self.time,
            place: self.place,
            reasoning: self.thought.take().unwrap_or_default(),
            ..Origin::default()
        }
    }

    fn said(&mut self, session: &mut SessionBuilder, text: String) -> bool {
        if text.trim().is_empty() {
            return false;
        }
        let info = self.user && text.trim_start().starts_with("<info-msg>");
        match self.hidden.or(info.then_some(NoticeKind::Meta)) {
            Some(kind) => session.notice(kind, self.place, self.time, text),
            None if self.user => session.user(self.origin(None), text),
            None => session.text(self.origin(None), text),
        }
        true
    }
}

fn ended(text: String, cut: Option<Cut>, outcome: Outcome, one: &One) -> ResultOf {
    let exit = exit_words::ending(&text).1;
    ResultOf { text, cut, outcome, exit, time: one.time, place: one.place, spawned: None, extra: Vec::new() }
}

/// The text that the model saw, whether a placeholder stands in it, and whether the call failed.
fn returned(result: &Returned) -> (String, Option<Cut>, bool) {
    let failed = result.status.get() == Some("error");
    let raw = result.value.map_or("null", |raw| raw.get());
    let output = match raw.starts_with('[') {
        true => Output { content: serde_json::from_str(raw).unwrap_or_default(), ..Output::default() },
        false => serde_json::from_str::<Output>(raw).unwrap_or_default(),
    };
    if output.content.items.is_empty() {
        let told = result.error.or(result.value).map_or("", |raw| raw.get());
        let told = serde_json::from_str(told).unwrap_or_else(|_| told.to_string());
        return (if failed { told } else { String::new() }, None, failed);
    }
    let mut cut = None;
    let mut pieces = Vec::new();
    for piece in &output.content.items {
        let audience = &piece.annotations.0.audience.0.items;
        if !audience.is_empty() && !audience.iter().any(|who| who.get() == Some("assistant")) {
            continue;
        }
        match piece.text.get().or(piece.resource.0.text.get()) {
            Some(text) => pieces.push(text.to_string()),
            None => {
                cut = Some(Cut::Placeholder);
                let what = piece.mime.get().or(piece.resource.0.uri.get()).unwrap_or("of unknown type");
                pieces.push(format!("[{} {what}]", piece.kind.get().unwrap_or("something")));
            }
        }
    }
    (pieces.join("\n"), cut, failed || output.is_error.set())
}

/// Takes in JSON Lines.
struct Lines {
    session: SessionBuilder,
    reader: Reader,
    diagnostics: Diagnostics,
}

impl Records for Lines {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        let message: Message = serde_json::from_str(text)?;
        wrong_type(message.fault(), place, &mut self.diagnostics);
        let accounting = &mut self.session.accounting;
        if message.role.get().is_some() {
            match self.reader.message(&mut self.session, message, place) {
                true => self.session.accounting.used(),
                false => self.session.accounting.skipped("no text and no call"),
            }
        } else if message.working_dir.get().is_some() || message.description.get().is_some() {
            accounting.used();
            let info = &mut self.session.info;
            info.cwd = message.working_dir.owned();
            info.title = message.description.owned().or(message.name.0.owned());
            info.parent = message.parent.0.owned();
            info.usage = total(message.input, message.output, message.cost);
        } else {
            self.diagnostics.add(DiagCode::RecordTypeUnknown, place, format!("line {} has no role", place.line));
            accounting.unknown("(no role)");
        }
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        self.session.accounting.damaged();
    }
}

fn total(input: Number, output: Number, cost: Number) -> Option<Usage> {
    let count = |n: Number| n.count().filter(|n| *n > 0);
    let cost = cost.get().filter(|c| *c > 0.0);
    let usage = Usage { input: count(input), output: count(output), cost, ..Usage::default() };
    (!usage.is_empty()).then_some(usage)
}

fn lines(format: &'static str, input: &Input) -> Result<Parsed, Error> {
    let mut session = SessionBuilder::new(format);
    session.info.id = input.stem().to_string();
    session.info.records_outcome = true;
    let mut lines = Lines { session, reader: Reader::default(), diagnostics: Diagnostics::default() };
    let mut diagnostics = Diagnostics::default();
    json_lines(input, &mut diagnostics, &mut lines)?;
    lines.session.diagnostics.extend(diagnostics);
    lines.session.diagnostics.extend(lines.diagnostics);
    Ok(Parsed { sessions: vec![lines.session.finish()], ..Parsed::default() })
}

/// The sessions of a database, by the time of their creation.
fn sessions(format: &'static str, database: &Database, diagnostics: &mut Diagnostics) -> Vec<Session> {
    let columns = [
        "id",
        "parent_session_id",
        "name",
        "description",
        "working_dir",
        "model_config_json",
        "accumulated_input_tokens",
        "accumulated_output_tokens",
        "accumulated_cost",
    ];
    let order = if database.has("sessions", "created_at") { "created_at, id" } else { "id" };
    let query = format!("SELECT {} FROM sessions ORDER BY {order}", database.select("sessions", &columns));
    let mut begun = Vec::new();
    let known = database.rows(&query, &[], |row| begun.push(begin(format, row)));
    let indexed = database.index("messages", "session_id");
    for fault in [known, indexed].into_iter().filter_map(Result::err) {
        diagnostics.add(DiagCode::RecordDamaged, Locator::default(), fault);
    }
    begun.into_iter().map(|session| messages(session, database)).collect()
}

fn begin(format: &'static str, row: &Row) -> SessionBuilder {
    lenient! {
        struct Model<'a> {
            name: Text<'a> = "model_name",
        }
    }
    let text = |at| row.text(at).map(|t| t.into_owned()).filter(|t| !t.is_empty());
    let number = |at| row.number(at).map_or(Number::Absent, Number::Is);
    let mut session = SessionBuilder::new(format);
    session.info.id = text(0).unwrap_or_default();
    session.info.parent = text(1);
    session.info.title = text(2).or(text(3));
    session.info.cwd = text(4);
    session.info.records_outcome = true;
    session.info.usage = total(number(6), number(7), number(8));
    let config = text(5).unwrap_or_default();
    let model: Model = serde_json::from_str(&config).unwrap_or_default();
    session.model(model.name.get().unwrap_or_default());
    session
}

fn messages(mut session: SessionBuilder, database: &Database) -> Session {
    let columns = ["message_id", "role", "content_json", "created_timestamp", "metadata_json", "id"];
    let select = database.select("messages", &columns);
    let order = ["created_timestamp", "id"].into_iter().filter(|c| database.has("messages", c)).collect::<Vec<_>>();
    let order = if order.is_empty() { "rowid".to_string() } else { order.join(", ") };
    let query = format!("SELECT {select} FROM messages WHERE session_id = ?1 ORDER BY {order}");
    let id = session.info.id.clone();
    let mut reader = Reader::default();
    let mut record = 0;
    database.each(&mut session, &query, &id, |session, row| {
        record += 1;
        let place = Locator { record, ..Locator::default() };
        let text = |at| row.text(at).unwrap_or_default();
        let (role, content, metadata) = (text(1), text(2), text(4));
        let content = match serde_json::from_str::<List<Block>>(&content) {
            Ok(content) => content,
            Err(error) => {
                session.diagnostics.add(DiagCode::RecordDamaged, place, format!("row {}: {error}", text(5)));
                return session.accounting.damaged();
            }
        };
        let message = Message {
            id: row.text(0).map_or(Text::Absent, Text::Is),
            role: Text::Is(role),
            created: row.number(3).map_or(Number::Absent, Number::Is),
            content,
            metadata: Any(serde_json::from_str(&metadata).unwrap_or_default()),
            ..Message::default()
        };
        if let Some(field) = message.fault() {
            session.diagnostics.add(DiagCode::FieldWrongType, place, format!("`{field}` of row {}", text(5)));
        }
        match reader.message(session, message, place) {
            true => session.accounting.used(),
            false => session.accounting.skipped("no text and no call"),
        }
    });
    session.finish()
}
