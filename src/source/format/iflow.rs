//! Sessions that iFlow CLI keeps: records like those of Claude Code around results like those of Gemini CLI. A response
//! that makes several calls is written again for each, so that a call stands in two records; parents name the prompt
//! rather than the record before, so that the order is the file's.

use std::collections::{HashMap, HashSet};

use super::{
    Card, Format, Recorded,
    google::parts::{Content, ending},
};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        error::Error,
        locate::Locator,
        time::Timestamp,
    },
    model::{
        accounting::Accounting,
        builder::{Origin, ResultOf, SessionBuilder},
        message::{Aliases, NoticeKind, ToolKind, Usage},
        session::SessionInfo,
    },
    source::{
        Parsed,
        agents::{self, Agent},
        fields::{compact, fields},
        frame::{Records, checked, json_lines},
        lenient::{Any, Flag, List, Number, Raw, Text, lenient},
        open::Input,
        seen::{Seen, at, has, text},
        sniff::Sniff,
        tool_names::kind_of,
    },
};

/// See the module.
pub struct IFlow;

impl Format for IFlow {
    fn name(&self) -> &'static str {
        "iflow"
    }

    fn about(&self) -> &'static str {
        "sessions of iFlow CLI (`session-*.jsonl`)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "iFlow CLI",
            versions: "0.4",
            records: &[
                Recorded::Times,
                Recorded::Models,
                Recorded::Tokens,
                Recorded::Exits,
                Recorded::Failures,
                Recorded::Cwd,
                Recorded::Branch,
                Recorded::Todos,
                Recorded::Subagents,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let (own, lines) = seen.vote(|line| has(line, &["uuid", "parentUuid", "sessionId", "message"]));
        let response = |line: &crate::text::partial_json::Node| {
            let id = at(line, &["message", "id"]).and_then(|id| id.text()).unwrap_or_default();
            id.starts_with("response-") || text(line, "sessionId").starts_with("session-")
        };
        match seen.vote(response).0 {
            0 => Sniff::No("no message whose id begins with `response-`".into()),
            _ if own * 2 >= lines => Sniff::Yes(90, format!("{own} of {lines} sampled lines are its records")),
            _ => Sniff::No(format!("only {own} of {lines} sampled lines are its records")),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let mut loader = Loader::new(self.name());
        let mut diagnostics = Diagnostics::default();
        json_lines(input, &mut diagnostics, &mut loader)?;
        Ok(loader.finish(input.stem(), diagnostics))
    }
}

lenient! {
    /// A line.
    struct Record<'a> {
        uuid: Text<'a> = "uuid",
        session: Text<'a> = "sessionId",
        time: Text<'a> = "timestamp",
        kind: Text<'a> = "type",
        sidechain: Flag = "isSidechain",
        message: Message<'a> = "message",
        cwd: Text<'a> = "cwd",
        branch: Text<'a> = "gitBranch",
        version: Text<'a> = "version",
        result: Any<Used<'a>> = "toolUseResult",
    }
}

lenient! {
    /// A message.
    struct Message<'a> {
        id: Text<'a> = "id",
        model: Text<'a> = "model",
        content: Any<List<Block<'a>>> = "content",
        usage: Any<Tokens<'a>> = "usage",
    }
}

lenient! {
    /// A message whose content is a text.
    struct Plain<'a> {
        message: Words<'a> = "message",
    }
}

lenient! {
    /// Its text.
    struct Words<'a> {
        content: Any<Text<'a>> = "content",
    }
}

lenient! {
    /// A block of a message.
    struct Block<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        input: Raw<'a> = "input",
        call: Text<'a> = "tool_use_id",
        content: Raw<'a> = "content",
        error: Flag = "is_error",
    }
}

lenient! {
    /// What a tool returned.
    struct Returned<'a> {
        parts: Any<Content<'a>> = "responseParts",
        display: Raw<'a> = "resultDisplay",
    }
}

lenient! {
    /// What the screen was shown, where it is an object.
    struct Display<'a> {
        todos: Raw<'a> = "todos",
    }
}

lenient! {
    /// How a call ended.
    struct Used<'a> {
        status: Text<'a> = "status",
    }
}

lenient! {
    /// Tokens of a response; all are 0 where they are not known.
    struct Tokens<'a> {
        input: Number = "input_tokens",
        output: Number = "output_tokens",
    }
}

/// A conversation that is being told.
struct Conversation {
    session: SessionBuilder,
    met: HashSet<String>,
    tools: HashMap<String, ToolKind>,
}

struct Loader {
    main: Conversation,
    agent: Option<Conversation>,
    accounting: Accounting,
    diagnostics: Diagnostics,
    info: SessionInfo,
    format: &'static str,
}

impl Conversation {
    fn new(format: &'static str) -> Self {
        Self { session: SessionBuilder::new(format), met: HashSet::new(), tools: HashMap::new() }
    }
}

impl Records for Loader {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        let record: Record = serde_json::from_str(text)?;
        if !checked(&record.stray, record.fault(), place, &mut self.diagnostics) {
            self.lost(place);
            return Ok(());
        }
        let plain: Option<Plain> = serde_json::from_str(text).ok();
        let said = plain.and_then(|plain| plain.message.content.0.owned());
        self.take(&record, said, place);
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        self.accounting.damaged();
    }
}

impl Loader {
    fn new(format: &'static str) -> Self {
        Self {
            main: Conversation::new(format),
            agent: None,
            accounting: Accounting::default(),
            diagnostics: Diagnostics::default(),
            info: SessionInfo::default(),
            format,
        }
    }

    fn take(&mut self, record: &Record, said: Option<String>, place: Locator) {
        let info = &mut self.info;
        if let Some(id) = record.session.owned() {
            info.id = id;
        }
        info.cwd = info.cwd.take().or_else(|| record.cwd.owned());
        info.branch = record.branch.owned().or(info.branch.take());
        info.version = record.version.owned().or(info.version.take());
        let kind = record.kind.get().unwrap_or_default();
        let into = match record.sidechain.set() {
            true => self.agent.get_or_insert_with(|| Conversation::new(self.format)),
            false => &mut self.main,
        };
        match kind {
            "user" | "assistant" => {
                self.accounting.used();
                into.take(record, kind == "user", said, place);
            }
            "system" | "summary" | "file-history-snapshot" => self.accounting.skipped("bookkeeping"),
            _ => {
                let kind = if kind.is_empty() { "(no type)" } else { kind };
                self.diagnostics.add(DiagCode::RecordTypeUnknown, place, format!("`{kind}` on line {}", place.line));
                self.accounting.unknown(kind);
            }
        }
    }

    fn finish(self, stem: &str, diagnostics: Diagnostics) -> Parsed {
        let mut main = self.main.session;
        let models = std::mem::take(&mut main.info.models);
        main.info = SessionInfo { format: self.format, models, records_outcome: true, ..self.info };
        if main.info.id.is_empty() {
            main.info.id = stem.to_string();
        }
        main.accounting = self.accounting;
        main.diagnostics.extend(self.diagnostics);
        main.diagnostics.extend(diagnostics);
        let id = main.info.id.clone();
        let agents = self.agent.map(|agent| {
            let mut session = agent.session;
            session.info.id = format!("{id}/sidechain");
            session.info.parent = Some(id);
            session.info.records_outcome = true;
            Agent { spawned_by: None, session: session.finish() }
        });
        let session = agents::attach(main.finish(), agents.into_iter().collect());
        Parsed { sessions: vec![session], ..Parsed::default() }
    }
}

/// Beginnings of texts under the user's role that the harness put there.
const INJECTED: &[(&str, NoticeKind)] = &[
    ("<system-reminder>", NoticeKind::Meta),
    ("<command-name>", NoticeKind::Meta),
    ("[Request interrupted", NoticeKind::Interruption),
];

impl Conversation {
    fn take(&mut self, record: &Record, by_user: bool, said: Option<String>, place: Locator) {
        let time = record.time.get().and_then(Timestamp::parse);
        let tokens = &record.message.usage.0;
        let usage = Usage { input: tokens.input.count(), output: tokens.output.count(), ..Usage::default() };
        let mut origin = Origin {
            ids: Aliases { message: record.uuid.owned(), ..Aliases::default() },
            turn: record.message.id.owned().or(record.uuid.owned()),
            time,
            place,
            model: record.message.model.owned(),
            cwd: record.cwd.owned(),
            branch: record.branch.owned(),
            // Zeros stand for what is not known.
            usage: Some(usage).filter(|usage| usage.input.unwrap_or(0) + usage.output.unwrap_or(0) > 0),
            ..Origin::default()
        };
        if let Some(text) = said {
            return self.say(origin, by_user, text);
        }
        for block in &record.message.content.0.items {
            match block.kind.get().unwrap_or_default() {
                "text" => self.say(origin.clone(), by_user, block.text.owned().unwrap_or_default()),
                "tool_use" => {
                    let id = block.id.owned();
                    if id.as_ref().is_some_and(|id| !self.met.insert(id.clone())) {
                        continue;
                    }
                    let name = block.name.get().unwrap_or("(no name)");
                    let mut of = origin.clone();
                    if let Some(id) = &id {
                        self.tools.insert(id.clone(), kind_of(name));
                    }
                    of.ids.call = id;
                    let input = block.input.map(|raw| fields(raw.get())).unwrap_or_default();
                    self.session.call(of, name, kind_of(name), input);
                }
                "tool_result" => self.result(block, record.result.0.status.get().unwrap_or_default(), time, place),
                _ => continue,
            }
            origin.usage = None;
        }
    }

    fn say(&mut self, origin: Origin, by_user: bool, text: String) {
        if text.trim().is_empty() {
            return;
        }
        match INJECTED.iter().find(|(words, _)| by_user && text.trim_start().starts_with(words)) {
            Some((_, kind)) => self.session.notice(*kind, origin.place, origin.time, text),
            None if by_user => self.session.user(origin, text),
            None => self.session.text(origin, text),
        }
    }

    fn result(&mut self, block: &Block, status: &str, time: Option<Timestamp>, place: Locator) {
        let id = block.call.get().unwrap_or_default();
        let raw = block.content.map_or("null", |raw| raw.get());
        let returned: Returned = serde_json::from_str(raw).unwrap_or_default();
        let (text, error) = match returned.stray.owned() {
            Some(text) => (text, false),
            None if raw.starts_with('[') => serde_json::from_str::<Content>(raw).unwrap_or_default().result(),
            None => returned.parts.0.result(),
        };
        let kind = self.tools.get(id).copied().unwrap_or(ToolKind::Other);
        let told = ending(kind, status, &text, error || block.error.set());
        let shown: Option<Display> = returned.display.and_then(|raw| serde_json::from_str(raw.get()).ok());
        let todos = shown.and_then(|shown| shown.todos).map(|raw| ("todos", compact(raw.get())));
        let extra = todos.into_iter().collect();
        self.session.result(id, ResultOf { time, extra, ..ResultOf::new(text, place).ended(told) });
    }
}
