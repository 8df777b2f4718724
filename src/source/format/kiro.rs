//! Sessions of Kiro and of the Amazon Q command line that it grew out of: their database, in which a conversation is one
//! JSON document of turns (a request of the user with the answer to it); the JSON Lines of Kiro's newer command line with
//! a small file beside; and the history files of Kiro's editor, which hold the texts only. One conversation may stand in
//! the database under several directories: the newest counts.

use std::{borrow::Cow, collections::HashMap};

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
        message::{Aliases, NoticeKind, Outcome, ToolKind},
        session::Session,
    },
    source::{
        Parsed,
        database::Database,
        document::Source,
        exit_words,
        fields::{compact, fields},
        frame::{Records, json_lines, wrong_type},
        lenient::{Any, List, Number, Raw, Text, lenient},
        open::Input,
        seen::{self, Seen, has},
        sniff::Sniff,
        tool_names::kind_of,
    },
    text::partial_json::Node,
};

/// See the module.
pub struct Kiro;

/// Kinds of the lines of the newer command line.
const KINDS: &[&str] = &["AssistantMessage", "Prompt", "ToolResults"];
/// What the result of a task list begins with.
const TODO_STATE: &str = "TODO LIST STATE: ";

impl Format for Kiro {
    fn name(&self) -> &'static str {
        "kiro"
    }

    fn about(&self) -> &'static str {
        "sessions of Kiro and the Amazon Q command line (database, JSONL, JSON)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "Kiro",
            versions: "the databases of Amazon Q and Kiro CLI, JSONL of Kiro CLI, histories of Kiro's editor (texts only)",
            records: &[
                Recorded::Times,
                Recorded::Models,
                Recorded::Exits,
                Recorded::Failures,
                Recorded::Cwd,
                Recorded::Todos,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        if seen.has_table("conversations_v2", &["conversation_id", "value"]) {
            return Sniff::Yes(92, "its table `conversations_v2`".into());
        }
        let (own, lines) = seen
            .vote(|line| KINDS.contains(&seen::text(line, "kind")) && seen::at(line, &["data", "content"]).is_some());
        if own > 0 && own * 2 >= lines {
            return Sniff::Yes(90, format!("{own} of {lines} sampled lines are its records"));
        }
        let turns = seen.document().and_then(|d| d.get("history")).and_then(Node::list).unwrap_or_default();
        let own = turns
            .iter()
            .any(|turn| has(turn, &["message"]) && (has(turn, &["promptLogs"]) || has(turn, &["executionId"])));
        match own && seen.document().is_some_and(|d| has(d, &["sessionId"])) {
            true => Sniff::Yes(88, "a history of messages with `promptLogs` or `executionId`".into()),
            false => Sniff::No("no table `conversations_v2`, no lines with its kinds, no such history".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        if !input.sample()?.tables.is_empty() {
            return Ok(conversations(self.name(), &*input.database()?));
        }
        let bytes = input.bytes()?;
        let source = Source::of(&bytes);
        let document = source.cut(&["history"]);
        if !document.has_list("history") {
            return lines(self.name(), input);
        }
        let mut parsed = Parsed::default();
        let mut session = begin(self.name(), document.string("sessionId").unwrap_or_else(|| input.stem().to_string()));
        session.info.title = document.string("title");
        session.info.cwd = document.string("workspaceDirectory");
        // The editor keeps what its tools did elsewhere.
        session.info.records_outcome = false;
        for item in document.list("history") {
            match serde_json::from_str::<Entry>(item.raw).ok().filter(|_| item.whole) {
                Some(entry) => entry.tell(&mut session, item.place),
                None => session.accounting.damaged(),
            }
        }
        source.report(&document, &mut session.diagnostics, &mut parsed.unassigned);
        parsed.sessions.push(session.finish());
        Ok(parsed)
    }
}

fn begin(format: &'static str, id: String) -> SessionBuilder {
    let mut session = SessionBuilder::new(format);
    session.info.id = id;
    session.info.records_outcome = true;
    session
}

lenient! {
    /// A message of the editor's history.
    struct Entry<'a> {
        message: Said<'a> = "message",
    }
}

lenient! {
    /// What it says.
    struct Said<'a> {
        role: Text<'a> = "role",
        id: Any<Text<'a>> = "id",
        content: Raw<'a> = "content",
    }
}

lenient! {
    /// A piece of it.
    struct Piece<'a> {
        text: Any<Text<'a>> = "text",
    }
}

impl Entry<'_> {
    fn tell(self, session: &mut SessionBuilder, place: Locator) {
        if let Some(field) = self.fault() {
            session.diagnostics.add(DiagCode::FieldWrongType, place, format!("`{field}` of a message"));
        }
        let raw = self.message.content.map_or("", |raw| raw.get());
        let text = serde_json::from_str::<String>(raw).unwrap_or_else(|_| {
            let pieces: List<Piece> = serde_json::from_str(raw).unwrap_or_default();
            pieces.items.iter().filter_map(|p| p.text.0.get()).collect::<Vec<_>>().join("\n")
        });
        let origin = Origin {
            ids: Aliases { message: self.message.id.0.owned(), ..Aliases::default() },
            place,
            ..Origin::default()
        };
        match self.message.role.get() {
            _ if text.trim().is_empty() => return session.accounting.skipped("no text and no call"),
            Some("user") => session.user(origin, text),
            Some("assistant") => session.text(origin, text),
            _ => session.notice(NoticeKind::Meta, place, None, text),
        }
        session.accounting.used();
    }
}

lenient! {
    /// A conversation of the database.
    struct Conversation<'a> {
        history: List<Turn<'a>> = "history",
        model: Any<Model<'a>> = "model_info",
        summary: Raw<'a> = "latest_summary",
    }
}

lenient! {
    /// A model.
    struct Model<'a> {
        id: Any<Text<'a>> = "model_id",
        name: Any<Text<'a>> = "model_name",
    }
}

lenient! {
    /// A request and its answer.
    struct Turn<'a> {
        user: User<'a> = "user",
        assistant: Assistant<'a> = "assistant",
        request: Any<Request<'a>> = "request_metadata",
    }
}

lenient! {
    /// The side of the user.
    struct User<'a> {
        content: Content<'a> = "content",
        time: Any<Text<'a>> = "timestamp",
        context: Any<Context<'a>> = "env_context",
    }
}

lenient! {
    /// What the request was.
    struct Content<'a> {
        prompt: Prompt<'a> = "Prompt",
        results: Results<'a> = "ToolUseResults",
        cancelled: Results<'a> = "CancelledToolUses",
    }
}

lenient! {
    /// A prompt.
    struct Prompt<'a> {
        text: Text<'a> = "prompt",
    }
}

lenient! {
    /// Results of the calls before, and with cancelled ones the prompt that the user gave instead.
    struct Results<'a> {
        results: List<Answer<'a>> = "tool_use_results",
        prompt: Any<Text<'a>> = "prompt",
    }
}

lenient! {
    /// What came of a call.
    struct Answer<'a> {
        id: Text<'a> = "tool_use_id",
        id_also: Text<'a> = "toolUseId",
        content: List<Shown<'a>> = "content",
        status: Text<'a> = "status",
    }
}

lenient! {
    /// A piece of an output, tagged or with a kind.
    struct Shown<'a> {
        text: Any<Text<'a>> = "Text",
        json: Raw<'a> = "Json",
        kind: Text<'a> = "kind",
        data: Raw<'a> = "data",
    }
}

lenient! {
    /// What a command left.
    struct Ran<'a> {
        status: Any<Number> = "exit_status",
        out: Any<Text<'a>> = "stdout",
        err: Any<Text<'a>> = "stderr",
    }
}

lenient! {
    /// Where the user was.
    struct Context<'a> {
        state: Any<State<'a>> = "env_state",
    }
}

lenient! {
    /// The directory.
    struct State<'a> {
        cwd: Any<Text<'a>> = "current_working_directory",
    }
}

lenient! {
    /// The side of the model: a text, or a text with calls.
    struct Assistant<'a> {
        response: Reply<'a> = "Response",
        uses: Reply<'a> = "ToolUse",
    }
}

lenient! {
    /// What it says.
    struct Reply<'a> {
        id: Any<Text<'a>> = "message_id",
        content: Text<'a> = "content",
        uses: List<Use<'a>> = "tool_uses",
    }
}

lenient! {
    /// A call.
    struct Use<'a> {
        id: Text<'a> = "id",
        id_also: Text<'a> = "toolUseId",
        name: Text<'a> = "name",
        args: Raw<'a> = "args",
        input: Raw<'a> = "input",
    }
}

lenient! {
    /// What is known of a request.
    struct Request<'a> {
        start: Any<Number> = "request_start_timestamp_ms",
        end: Any<Number> = "stream_end_timestamp_ms",
        model: Any<Text<'a>> = "model_id",
    }
}

/// The conversations of the database, by the time of their creation. Of one that stands there several times the newest
/// counts; the turns of the others are counted as repeated.
fn conversations(format: &'static str, database: &Database) -> Parsed {
    let mut parsed = Parsed::default();
    let select = database.select("conversations_v2", &["conversation_id", "key", "value", "created_at"]);
    let order = if database.has("conversations_v2", "updated_at") { "updated_at DESC" } else { "rowid DESC" };
    let mut told: Vec<(f64, Session)> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    let query = format!("SELECT {select} FROM conversations_v2 ORDER BY {order}");
    let read = database.rows(&query, &[], |row| {
        let text = |at| row.text(at).map(Cow::into_owned).unwrap_or_default();
        let (id, cwd, value) = (text(0), text(1), text(2));
        let conversation: Conversation = match serde_json::from_str(&value) {
            Ok(conversation) => conversation,
            Err(error) => {
                let place = Locator { record: told.len() as u32 + 1, ..Locator::default() };
                parsed.diagnostics.add(DiagCode::RecordDamaged, place, format!("conversation {id}: {error}"));
                return parsed.unassigned.damaged();
            }
        };
        if let Some(at) = known.get(&id) {
            let again = conversation.history.items.len();
            (0..again).for_each(|_| told[*at].1.accounting.skipped("repeated"));
            return;
        }
        known.insert(id.clone(), told.len());
        let mut session = begin(format, id);
        session.info.cwd = Some(cwd).filter(|cwd| !cwd.is_empty());
        told.push((row.number(3).unwrap_or_default(), conversation.tell(session)));
    });
    if let Err(fault) = read {
        parsed.diagnostics.add(DiagCode::RecordDamaged, Locator::default(), fault);
    }
    told.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.info.id.cmp(&b.1.info.id)));
    told.into_iter().for_each(|(_, session)| parsed.add(session));
    parsed
}

impl Conversation<'_> {
    fn tell(self, mut session: SessionBuilder) -> Session {
        if let Some(field) = self.fault() {
            let told = format!("`{field}` of a conversation");
            session.diagnostics.add(DiagCode::FieldWrongType, Locator::default(), told);
        }
        session.model(self.model.0.id.0.get().or(self.model.0.name.0.get()).unwrap_or_default());
        let mut teller = Teller { session, tools: HashMap::new(), place: Locator::default(), time: None, cwd: None };
        for turn in self.history.items {
            teller.place.record += 1;
            teller.turn(turn);
        }
        if let Some(summary) = self.summary {
            // A summary and what it stands for, or the summary alone.
            let told = serde_json::from_str::<(String, serde::de::IgnoredAny)>(summary.get()).map(|told| told.0);
            let text = told.or_else(|_| serde_json::from_str(summary.get())).unwrap_or_default();
            teller.session.notice(NoticeKind::Compaction, Locator::default(), None, text);
        }
        teller.session.finish()
    }
}

/// Tells turns into a session.
struct Teller {
    session: SessionBuilder,
    /// What the tools of unanswered calls do.
    tools: HashMap<String, ToolKind>,
    place: Locator,
    time: Option<Timestamp>,
    cwd: Option<String>,
}

impl Teller {
    fn turn(&mut self, turn: Turn) {
        let before = self.session.len();
        if let Some(field) = turn.fault() {
            self.session.diagnostics.add(DiagCode::FieldWrongType, self.place, format!("`{field}` of a turn"));
        }
        let Turn { user, assistant, request, .. } = turn;
        let at = |n: &Any<Number>| n.0.get().and_then(Timestamp::from_number);
        self.time = user.time.0.get().and_then(Timestamp::parse_zoneless).or(at(&request.0.start));
        self.cwd = user.context.0.state.0.cwd.0.owned().or(self.cwd.take());
        let results = [&user.content.results, &user.content.cancelled].map(|results| results.results.items.len());
        for answer in user.content.results.results.items {
            self.answer(answer, None);
        }
        for answer in user.content.cancelled.results.items {
            self.answer(answer, Some(Outcome::Interrupted));
        }
        for text in [user.content.prompt.text.owned(), user.content.cancelled.prompt.0.owned()].into_iter().flatten() {
            let origin = self.origin(None, None);
            self.session.user(origin, text);
        }
        self.time = at(&request.0.end).or(self.time);
        let model = request.0.model.0.owned();
        for reply in [assistant.response, assistant.uses] {
            self.reply(reply, model.as_deref());
        }
        match self.session.len() > before || results.iter().sum::<usize>() > 0 {
            true => self.session.accounting.used(),
            false => self.session.accounting.skipped("no text and no call"),
        }
    }

    fn origin(&self, message: Option<String>, call: Option<String>) -> Origin {
        Origin {
            ids: Aliases { message: message.clone(), call, ..Aliases::default() },
            turn: message.or_else(|| Some(self.place.record.to_string())),
            time: self.time,
            place: self.place,
            cwd: self.cwd.clone(),
            ..Origin::default()
        }
    }

    fn reply(&mut self, mut reply: Reply, model: Option<&str>) {
        let id = reply.id.0.owned();
        if let Some(text) = reply.content.take().filter(|text| !text.trim().is_empty()) {
            let origin = Origin { model: model.map(str::to_string), ..self.origin(id.clone(), None) };
            self.session.text(origin, text);
        }
        for call in reply.uses.items {
            self.call(&call, id.clone(), model);
        }
    }

    fn call(&mut self, call: &Use, message: Option<String>, model: Option<&str>) {
        let name = call.name.get().unwrap_or("unknown");
        let kind = kind_of(name);
        let id = call.id.owned().or(call.id_also.owned());
        self.tools.extend(id.clone().map(|id| (id, kind)));
        let input = call.args.or(call.input).map_or_else(Vec::new, |raw| fields(raw.get()));
        let origin = Origin { model: model.map(str::to_string), ..self.origin(message, id) };
        self.session.call(origin, name, kind, input);
    }

    /// `ended` is how calls ended of which the text does not say it.
    fn answer(&mut self, answer: Answer, ended: Option<Outcome>) {
        let Some(id) = answer.id.owned().or(answer.id_also.owned()) else {
            let told = "a result without the id of its call";
            return self.session.diagnostics.add(DiagCode::ResultWithoutCall, self.place, told);
        };
        let kind = self.tools.remove(&id).unwrap_or(ToolKind::Other);
        let failed = answer.status.get().map(|status| status.eq_ignore_ascii_case("error"));
        let (text, code) = shown(&answer);
        let (outcome, exit) = match code {
            Some(0) => (Outcome::Ok, crate::model::message::Exit::Code(0)),
            Some(code) => (Outcome::Failed, crate::model::message::Exit::Code(code)),
            None if kind == ToolKind::Shell && failed == Some(false) => exit_words::ending(&text),
            None => exit_words::flagged(&text, failed),
        };
        let todos = text.trim_start().strip_prefix(TODO_STATE).and_then(tasks);
        let result = ResultOf {
            text,
            cut: None,
            outcome: ended.unwrap_or(outcome),
            exit,
            time: self.time,
            place: self.place,
            spawned: None,
            extra: todos.map(|list| ("todos", list)).into_iter().collect(),
        };
        self.session.result(&id, result);
    }
}

/// The text of a result, and the exit status of a command that it tells.
fn shown(answer: &Answer) -> (String, Option<i32>) {
    let mut pieces = Vec::new();
    let mut code = None;
    for piece in &answer.content.items {
        let data = piece.data.map_or("", |raw| raw.get());
        let told = match piece.kind.get() {
            Some("text") => serde_json::from_str::<String>(data).ok(),
            _ => piece.text.0.get().map(str::to_string),
        };
        let json = piece.json.map(|raw| raw.get()).or((piece.kind.get() == Some("json")).then_some(data));
        match (told, json) {
            (Some(text), _) => pieces.push(text),
            (None, Some(json)) => {
                let ran: Ran = serde_json::from_str(json).unwrap_or_default();
                code = code.or(ran.status.0.whole().and_then(|code| i32::try_from(code).ok()));
                let streams: Vec<&str> = [ran.out.0.get(), ran.err.0.get()].into_iter().flatten().collect();
                pieces.push(if streams.is_empty() { compact(json) } else { streams.concat() });
            }
            (None, None) => {}
        }
    }
    (pieces.join("\n"), code)
}

/// The tasks of a list as its tool writes them.
fn tasks(state: &str) -> Option<String> {
    lenient! {
        struct Known<'a> {
            tasks: Raw<'a> = "tasks",
        }
    }
    let mut states = serde_json::Deserializer::from_str(state).into_iter::<Known>();
    states.next()?.ok()?.tasks.map(|raw| compact(raw.get()))
}

lenient! {
    /// A line of the newer command line.
    struct Line<'a> {
        kind: Text<'a> = "kind",
        data: LineData<'a> = "data",
    }
}

lenient! {
    /// What it holds.
    struct LineData<'a> {
        id: Any<Text<'a>> = "message_id",
        content: List<Block<'a>> = "content",
    }
}

lenient! {
    /// A block of a line.
    struct Block<'a> {
        kind: Text<'a> = "kind",
        data: Raw<'a> = "data",
    }
}

lenient! {
    /// The small file beside.
    struct Beside<'a> {
        id: Text<'a> = "session_id",
        cwd: Text<'a> = "cwd",
        title: Text<'a> = "title",
    }
}

/// Takes in JSON Lines.
struct Lines {
    teller: Teller,
    diagnostics: Diagnostics,
}

impl Records for Lines {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        let line: Line = serde_json::from_str(text)?;
        wrong_type(line.fault(), place, &mut self.diagnostics);
        self.teller.place = place;
        let kind = line.kind.get().unwrap_or_default();
        if !KINDS.contains(&kind) {
            self.diagnostics.add(DiagCode::RecordTypeUnknown, place, format!("`{kind}` on line {}", place.line));
            self.teller.session.accounting.unknown(if kind.is_empty() { "(no kind)" } else { kind });
            return Ok(());
        }
        let mut gave = false;
        for block in line.data.content.items {
            gave |= self.block(kind == "Prompt", line.data.id.0.owned(), &block);
        }
        match gave {
            true => self.teller.session.accounting.used(),
            false => self.teller.session.accounting.skipped("no text and no call"),
        }
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        self.teller.session.accounting.damaged();
    }
}

impl Lines {
    /// Tells a block; whether it gave anything.
    fn block(&mut self, user: bool, message: Option<String>, block: &Block) -> bool {
        let data = block.data.map_or("null", |raw| raw.get());
        match block.kind.get().unwrap_or_default() {
            "text" => {
                let text: String = serde_json::from_str(data).unwrap_or_default();
                if text.trim().is_empty() {
                    return false;
                }
                let origin = self.teller.origin(message, None);
                match user {
                    true => self.teller.session.user(origin, text),
                    false => self.teller.session.text(origin, text),
                }
            }
            "toolUse" => self.teller.call(&serde_json::from_str(data).unwrap_or_default(), message, None),
            "toolResult" => self.teller.answer(serde_json::from_str(data).unwrap_or_default(), None),
            other => {
                let told = format!("a block of kind {other:?} was passed over");
                self.diagnostics.add(DiagCode::RecordTypeUnknown, self.teller.place, told);
                return false;
            }
        }
        true
    }
}

fn lines(format: &'static str, input: &Input) -> Result<Parsed, Error> {
    let beside = input.beside(&format!("{}.json", input.stem())).and_then(|file| file.bytes().ok()).unwrap_or_default();
    let beside: Beside = serde_json::from_slice(&beside).unwrap_or_default();
    let mut session = begin(format, beside.id.owned().unwrap_or_else(|| input.stem().to_string()));
    session.info.title = beside.title.owned();
    session.info.cwd = beside.cwd.owned();
    let teller = Teller { session, tools: HashMap::new(), place: Locator::default(), time: None, cwd: None };
    let mut lines = Lines { teller, diagnostics: Diagnostics::default() };
    let mut diagnostics = Diagnostics::default();
    json_lines(input, &mut diagnostics, &mut lines)?;
    let mut session = lines.teller.session;
    session.diagnostics.extend(diagnostics);
    session.diagnostics.extend(lines.diagnostics);
    Ok(Parsed { sessions: vec![session.finish()], ..Parsed::default() })
}
