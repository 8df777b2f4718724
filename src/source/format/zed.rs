//! Threads of Zed's agent: a database in which each thread is one JSON document, mostly compressed. Messages have no
//! times. Threads of agents that Zed only talks to (ACP) are not in it. Older threads hold segments and lists of tool
//! uses, in which results stand in the message after the one that made the calls.

use std::{borrow::Cow, collections::HashMap, io::Read};

use super::{Card, Format, Recorded};
use crate::{
    base::{diag::DiagCode, error::Error, locate::Locator},
    model::{
        builder::{Origin, ResultOf, SessionBuilder},
        message::{Aliases, Cut, NoticeKind, Outcome, ToolKind, Usage},
        session::Session,
    },
    source::{
        Parsed, agents,
        database::Database,
        document::{Item, Source},
        exit_words,
        fields::fields,
        lenient::{Any, Flag, List, Map, Number, Raw, Text, lenient},
        open::Input,
        packed::Codec,
        seen::Seen,
        sniff::Sniff,
        tool_names::kind_of,
    },
};

/// See the module.
pub struct Zed;

impl Format for Zed {
    fn name(&self) -> &'static str {
        "zed"
    }

    fn about(&self) -> &'static str {
        "the database of Zed's agent threads (SQLite)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "Zed",
            versions: "threads 0.1 to 0.3",
            records: &[
                Recorded::Models,
                Recorded::Tokens,
                Recorded::Exits,
                Recorded::Failures,
                Recorded::Todos,
                Recorded::Reasoning,
                Recorded::Subagents,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        match seen.has_table("threads", &["id", "data_type", "data"]) {
            true => Sniff::Yes(92, "its table `threads` with `data_type` and `data`".into()),
            false => Sniff::No("no table `threads` with `data_type` and `data`".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let database = input.database()?;
        let mut parsed = Parsed::default();
        let mut sessions = Vec::new();
        for id in threads(&database, &mut parsed) {
            sessions.push(read(self.name(), &database, &id));
        }
        for session in agents::families(sessions, |_| None) {
            parsed.add(session);
        }
        Ok(parsed)
    }
}

fn threads(database: &Database, parsed: &mut Parsed) -> Vec<String> {
    let mut ids = Vec::new();
    let columns: Vec<&str> = ["created_at", "updated_at"].into_iter().filter(|c| database.has("threads", c)).collect();
    let order = columns.first().map_or("id".to_string(), |column| format!("{column}, id"));
    let query = format!("SELECT id FROM threads ORDER BY {order}");
    let read = database.rows(&query, &[], |row| ids.extend(row.text(0).map(Cow::into_owned)));
    for fault in [read, database.index("threads", "id")].into_iter().filter_map(Result::err) {
        parsed.diagnostics.add(DiagCode::RecordDamaged, Locator::default(), fault);
    }
    ids
}

fn read(format: &'static str, database: &Database, id: &str) -> Session {
    let mut session = SessionBuilder::new(format);
    session.info.id = id.to_string();
    session.info.records_outcome = true;
    let select = database.select("threads", &["summary", "parent_id", "folder_paths", "data"]);
    let mut data = Vec::new();
    database.each(&mut session, &format!("SELECT {select} FROM threads WHERE id = ?1"), id, |session, row| {
        let text = |at| row.text(at).map(Cow::into_owned).filter(|t| !t.is_empty());
        session.info.title = text(0);
        session.info.parent = text(1);
        // One folder a line; the first is where commands run.
        session.info.cwd = text(2).and_then(|paths| paths.lines().next().map(str::to_string));
        data = row.bytes(3).unwrap_or_default().to_vec();
    });
    match unpacked(&data) {
        Ok(bytes) => thread(&mut session, &bytes),
        Err(fault) => {
            session.diagnostics.add(DiagCode::RecordDamaged, Locator::default(), format!("thread {id}: {fault}"));
            session.accounting.damaged();
        }
    }
    session.finish()
}

/// The document, expanded as its first bytes say.
fn unpacked(data: &[u8]) -> std::io::Result<Vec<u8>> {
    let Some(codec) = Codec::of(data) else { return Ok(data.to_vec()) };
    let mut bytes = Vec::new();
    codec.decode(data)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

lenient! {
    /// A model.
    struct Model<'a> {
        model: Text<'a> = "model",
    }
}

lenient! {
    /// Tokens of the whole thread.
    struct Tokens<'a> {
        input: Number = "input_tokens",
        output: Number = "output_tokens",
        read: Number = "cache_read_input_tokens",
        write: Number = "cache_creation_input_tokens",
    }
}

lenient! {
    /// A message, tagged by who speaks; in older versions with a role.
    struct Message<'a> {
        user: Raw<'a> = "User",
        agent: Raw<'a> = "Agent",
        role: Text<'a> = "role",
        id: Raw<'a> = "id",
        segments: List<Segment<'a>> = "segments",
        uses: List<Use<'a>> = "tool_uses",
        results: List<Answer<'a>> = "tool_results",
    }
}

lenient! {
    /// A piece of an older message.
    struct Segment<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
    }
}

lenient! {
    /// What a speaker says.
    struct Speech<'a> {
        id: Text<'a> = "id",
        content: List<Piece<'a>> = "content",
        results: Map<'a, Answer<'a>> = "tool_results",
    }
}

lenient! {
    /// A piece, tagged by its kind.
    struct Piece<'a> {
        text: Any<Text<'a>> = "Text",
        thinking: Any<Thinking<'a>> = "Thinking",
        call: Raw<'a> = "ToolUse",
        mention: Any<Mention<'a>> = "Mention",
        image: Raw<'a> = "Image",
        redacted: Raw<'a> = "RedactedThinking",
    }
}

lenient! {
    /// Reasoning.
    struct Thinking<'a> {
        text: Text<'a> = "text",
    }
}

lenient! {
    /// Something that the user named.
    struct Mention<'a> {
        uri: Map<'a, Place<'a>> = "uri",
    }
}

lenient! {
    /// Where it is.
    struct Place<'a> {
        abs_path: Any<Text<'a>> = "abs_path",
        path: Any<Text<'a>> = "path",
        url: Any<Text<'a>> = "url",
        name: Any<Text<'a>> = "name",
    }
}

impl Mention<'_> {
    /// What was named, or what kind of thing.
    fn named(&self) -> Option<&str> {
        let (kind, place) = self.uri.items.first()?;
        let names = [&place.abs_path, &place.path, &place.url, &place.name];
        names.into_iter().find_map(|name| name.0.get()).or(Some(kind))
    }
}

lenient! {
    /// A call.
    struct Use<'a> {
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        raw: Any<Text<'a>> = "raw_input",
        input: Raw<'a> = "input",
    }
}

lenient! {
    /// What came of a call.
    struct Answer<'a> {
        id: Text<'a> = "tool_use_id",
        is_error: Flag = "is_error",
        content: Raw<'a> = "content",
        output: Raw<'a> = "output",
    }
}

/// Tells a document.
fn thread(session: &mut SessionBuilder, bytes: &[u8]) {
    let source = Source::of(bytes);
    let document = source.cut(&["messages"]);
    let (mut diagnostics, mut around) = Default::default();
    source.report(&document, &mut diagnostics, &mut around);
    session.diagnostics.extend(diagnostics);
    session.accounting.merge(&around);
    let field = |name| document.field(name).unwrap_or("null");
    session.info.title = document.string("title").or_else(|| document.string("summary")).or(session.info.title.take());
    let model: Model = serde_json::from_str(field("model")).unwrap_or_default();
    session.model(model.model.get().unwrap_or_default());
    let tokens: Tokens = serde_json::from_str(field("cumulative_token_usage")).unwrap_or_default();
    session.info.usage = usage(&tokens);
    let mut tools = HashMap::new();
    for (i, item) in document.list("messages").iter().enumerate() {
        message(session, &mut tools, item, i + 1 == document.list("messages").len());
    }
}

fn usage(tokens: &Tokens) -> Option<Usage> {
    let counts = [tokens.input, tokens.output, tokens.read, tokens.write].map(Number::count);
    let [input, output, cache_read, cache_write] = counts;
    let known = counts.iter().flatten().any(|n| *n > 0);
    known.then_some(Usage { input, output, cache_read, cache_write, ..Usage::default() })
}

fn message(session: &mut SessionBuilder, tools: &mut HashMap<String, ToolKind>, item: &Item, last: bool) {
    let read = item.whole.then(|| serde_json::from_str::<Message>(item.raw).ok()).flatten();
    let Some(message) = read else {
        // That a document ends early is told once, with its end.
        if item.whole || !last {
            session.diagnostics.add(DiagCode::RecordDamaged, item.place, "a message is damaged");
        }
        return session.accounting.damaged();
    };
    if let Some(field) = message.fault() {
        session.diagnostics.add(DiagCode::FieldWrongType, item.place, format!("`{field}` of a message"));
    }
    let before = session.len();
    let results = message.results.items.len();
    let mut one = One { session, id: None, place: item.place, thought: String::new(), tools };
    match (message.user, message.agent, message.role.get(), message.stray.get()) {
        (Some(raw), ..) => one.user(serde_json::from_str(raw.get()).unwrap_or_default()),
        (_, Some(raw), ..) => one.agent(serde_json::from_str(raw.get()).unwrap_or_default()),
        (.., Some(_), _) => one.older(message),
        // The user went on without saying anything.
        (.., Some("Resume")) => return session.accounting.skipped("resume"),
        _ => {
            session.diagnostics.add(DiagCode::RecordTypeUnknown, item.place, "a message of nobody that is known");
            return session.accounting.unknown("(no speaker)");
        }
    }
    match session.len() > before || results > 0 {
        true => session.accounting.used(),
        false => session.accounting.skipped("no text and no call"),
    }
}

/// A message on its way into the session.
struct One<'s> {
    session: &'s mut SessionBuilder,
    id: Option<String>,
    place: Locator,
    thought: String,
    /// What the tools of calls do, by the calls' ids.
    tools: &'s mut HashMap<String, ToolKind>,
}

impl One<'_> {
    fn origin(&mut self, call: Option<String>) -> Origin {
        Origin {
            ids: Aliases { message: self.id.clone(), call, ..Aliases::default() },
            turn: Some(self.place.record.to_string()),
            place: self.place,
            reasoning: std::mem::take(&mut self.thought),
            ..Origin::default()
        }
    }

    fn check(&mut self, speech: &Speech) {
        if let Some(field) = speech.fault().or_else(|| speech.content.items.iter().find_map(Piece::fault)) {
            self.session.diagnostics.add(DiagCode::FieldWrongType, self.place, format!("`{field}` of a speech"));
        }
    }

    fn user(&mut self, speech: Speech) {
        self.check(&speech);
        self.id = speech.id.owned();
        let mut text = String::new();
        let mut images = 0;
        for piece in &speech.content.items {
            text += piece.text.0.get().unwrap_or_default();
            if let Some(name) = piece.mention.0.named() {
                text += &format!("[@{name}]");
            }
            images += usize::from(piece.image.is_some());
        }
        if !text.trim().is_empty() {
            let origin = self.origin(None);
            self.session.user(origin, text);
        } else if images > 0 {
            let origin = self.origin(None);
            self.session.user(origin, "[image]");
            self.session.cut_last(Cut::Placeholder);
        }
    }

    fn agent(&mut self, speech: Speech) {
        self.check(&speech);
        let results = speech.results.items;
        for piece in speech.content.items {
            if let Some(text) = piece.text.0.owned() {
                self.text(text);
            } else if let Some(raw) = piece.call {
                let call: Use = serde_json::from_str(raw.get()).unwrap_or_default();
                let answer = results.iter().find(|(id, _)| Some(&**id) == call.id.get()).map(|(_, answer)| answer);
                let kind = self.call(&call);
                if let Some(answer) = answer {
                    let result = self.result(answer, kind);
                    self.session.result_of_last(result);
                }
            } else if let Some(text) = piece.thinking.0.text.get().or(piece.thinking.0.stray.get()) {
                self.think(text);
            } else if piece.redacted.is_none() && piece.image.is_none() {
                let told = "a piece of no known type was passed over";
                self.session.diagnostics.add(DiagCode::RecordTypeUnknown, self.place, told);
            }
        }
    }

    fn text(&mut self, text: String) {
        if !text.trim().is_empty() {
            let origin = self.origin(None);
            self.session.text(origin, text);
        }
    }

    fn think(&mut self, text: &str) {
        self.thought += if self.thought.is_empty() { "" } else { "\n" };
        self.thought += text;
    }

    fn call(&mut self, call: &Use) -> ToolKind {
        let name = call.name.get().unwrap_or("unknown");
        let written = call.input.map(|raw| raw.get()).filter(|raw| *raw != "{}");
        let input = written.or(call.raw.0.get()).unwrap_or_default();
        let origin = self.origin(call.id.owned());
        self.session.call(origin, name, kind_of(name), fields(input));
        kind_of(name)
    }

    fn result(&self, answer: &Answer, kind: ToolKind) -> ResultOf {
        let (text, cut) = shown(answer);
        let (outcome, exit) = exit_words::flagged(&text, answer.is_error.get());
        let silent = outcome == Outcome::Ok && kind == ToolKind::Shell && !text.starts_with("Command executed");
        ResultOf {
            // A command counts as run whatever its status, unless the words say how it ended.
            outcome: if silent && answer.is_error.get() == Some(false) { exit_words::ending(&text).0 } else { outcome },
            text,
            cut,
            exit,
            time: None,
            place: self.place,
            spawned: None,
            extra: Vec::new(),
        }
    }

    /// A message of an older thread: its results belong to the calls of the one before.
    fn older(&mut self, message: Message) {
        self.id = message.id.map(|raw| raw.get().trim_matches('"').to_string());
        for answer in &message.results.items {
            if let Some(id) = answer.id.get() {
                let kind = self.tools.remove(id).unwrap_or(ToolKind::Other);
                let result = self.result(answer, kind);
                self.session.result(id, result);
            }
        }
        for mut segment in message.segments.items {
            let text = segment.text.take().unwrap_or_default();
            match (segment.kind.get(), message.role.get()) {
                (Some("thinking"), _) => self.think(&text),
                (_, Some("user")) if !text.trim().is_empty() => {
                    let origin = self.origin(None);
                    self.session.user(origin, text);
                }
                (_, Some("assistant")) => self.text(text),
                (_, Some("system")) => self.session.notice(NoticeKind::Meta, self.place, None, text),
                _ => {}
            }
        }
        for call in &message.uses.items {
            let kind = self.call(call);
            self.tools.extend(call.id.owned().map(|id| (id, kind)));
        }
    }
}

/// What the model saw of a result: a text, a tagged piece, or a list of such.
fn shown(answer: &Answer) -> (String, Option<Cut>) {
    let Some(raw) = answer.content.or(answer.output).map(|raw| raw.get()) else { return (String::new(), None) };
    let pieces: Vec<Piece> = match raw.starts_with('[') {
        true => serde_json::from_str::<List<Piece>>(raw).unwrap_or_default().items,
        false => serde_json::from_str(raw).into_iter().collect(),
    };
    let mut cut = None;
    let told = pieces.iter().map(|piece| match piece.text.0.get().or(piece.stray.get()) {
        Some(text) => text.to_string(),
        None => {
            cut = Some(Cut::Placeholder);
            "[image]".to_string()
        }
    });
    (told.collect::<Vec<_>>().join("\n"), cut)
}
