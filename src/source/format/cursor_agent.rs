//! Output of `cursor-agent -p --output-format stream-json`: JSON Lines in the order of what happened. A call is one record
//! when it starts and one when it is completed, its tool named by the key that holds it (`shellToolCall`). With partial
//! output a text comes in pieces, which carry a time, and then once more as a whole, which does not.

use std::collections::HashSet;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{
    Card, Format, Recorded,
    anthropic::{blocks::Message, turn::Piece},
};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        error::Error,
        locate::Locator,
        time::Timestamp,
    },
    model::{
        builder::{Origin, ResultOf, SessionBuilder},
        message::{Aliases, Exit, NoticeKind, Outcome, Usage},
    },
    source::{
        Parsed,
        exit_words::ending,
        fields::{compact, fields},
        frame::{Records, checked, json_lines},
        lenient::{Any, Flag, Lenient, Number, Raw, Text, lenient, scalars},
        open::Input,
        sections::Responses,
        seen::{Seen, has, text},
        sniff::Sniff,
        tool_names::kind_of,
    },
};

/// See the module.
pub struct CursorAgent;

/// Types of records that give nothing to the session.
const BOOKKEEPING: &[&str] = &["connection", "heartbeat", "interaction_query", "retry"];

lenient! {
    /// A line of any type.
    pub struct Record<'a> {
        kind: Text<'a> = "type",
        subtype: Text<'a> = "subtype",
        session: Text<'a> = "session_id",
        cwd: Text<'a> = "cwd",
        model: Any<Text<'a>> = "model",
        message: Message<'a> = "message",
        text: Text<'a> = "text",
        time: Any<Number> = "timestamp_ms",
        call: Text<'a> = "call_id",
        response: Any<Text<'a>> = "model_call_id",
        tool: Tool<'a> = "tool_call",
        is_error: Flag = "is_error",
        result: Any<Text<'a>> = "result",
        usage: Tokens<'a> = "usage",
    }
}

lenient! {
    /// Tokens of the whole run.
    pub struct Tokens<'a> {
        input: Number = "inputTokens",
        output: Number = "outputTokens",
        cache_read: Number = "cacheReadTokens",
        cache_write: Number = "cacheWriteTokens",
    }
}

lenient! {
    /// What a tool was given and what it returned.
    pub struct Inside<'a> {
        name: Any<Text<'a>> = "name",
        args: Raw<'a> = "args",
        arguments: Any<Text<'a>> = "arguments",
        result: Ended<'a> = "result",
    }
}

lenient! {
    /// How a call ended: one of these.
    pub struct Ended<'a> {
        success: Raw<'a> = "success",
        failure: Raw<'a> = "failure",
        error: Raw<'a> = "error",
        rejected: Raw<'a> = "rejected",
        timeout: Raw<'a> = "timeout",
        aborted: Raw<'a> = "aborted",
    }
}

lenient! {
    /// What a tool returned, as far as it is text.
    pub struct Returned<'a> {
        content: Any<Text<'a>> = "content",
        output: Any<Text<'a>> = "output",
        stdout: Any<Text<'a>> = "stdout",
        stderr: Any<Text<'a>> = "stderr",
        message: Any<Text<'a>> = "message",
        error: Any<Text<'a>> = "error",
        error_message: Any<Text<'a>> = "errorMessage",
        reason: Any<Text<'a>> = "reason",
        exit: Any<Number> = "exitCode",
        todos: Raw<'a> = "todos",
    }
}

/// A call: the key that ends in `ToolCall`, or `function`, and what stands under it.
#[derive(Debug, Default)]
pub struct Tool<'a> {
    key: String,
    inside: Inside<'a>,
    wrong: bool,
}

impl Lenient for Tool<'_> {
    fn wrong(&self) -> bool {
        self.wrong || self.inside.wrong()
    }
}

impl<'a> Deserialize<'a> for Tool<'a> {
    fn deserialize<D: Deserializer<'a>>(deserializer: D) -> Result<Self, D::Error> {
        struct Shape;
        impl<'a> Visitor<'a> for Shape {
            type Value = Tool<'a>;
            scalars!('a, Tool<'a>, |text| Tool { wrong: text != Text::Absent, ..Tool::default() });
            fn visit_seq<A: serde::de::SeqAccess<'a>>(self, mut seq: A) -> Result<Tool<'a>, A::Error> {
                while seq.next_element::<serde::de::IgnoredAny>()?.is_some() {}
                Ok(Tool { wrong: true, ..Tool::default() })
            }
            fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Tool<'a>, A::Error> {
                let mut tool = Tool::default();
                while let Some((key, raw)) = map.next_entry::<String, &RawValue>()? {
                    let own = key.ends_with("ToolCall") || key == "function";
                    if own && tool.key.is_empty() {
                        tool.inside = serde_json::from_str(raw.get()).unwrap_or_default();
                        tool.key = key;
                    }
                }
                Ok(tool)
            }
        }
        deserializer.deserialize_any(Shape)
    }
}

impl Tool<'_> {
    /// Name of the tool: the key without its ending.
    fn name(&self) -> String {
        match (self.key.strip_suffix("ToolCall"), self.inside.name.0.get()) {
            (None | Some("mcp"), Some(name)) => name.to_string(),
            (Some(name), _) if !name.is_empty() => name.to_string(),
            _ => "tool".to_string(),
        }
    }

    fn input(&self) -> &str {
        self.inside.args.map(RawValue::get).or(self.inside.arguments.0.get()).unwrap_or("")
    }
}

impl Format for CursorAgent {
    fn name(&self) -> &'static str {
        "cursor-agent"
    }

    fn about(&self) -> &'static str {
        "output of `cursor-agent -p --output-format stream-json`"
    }

    fn card(&self) -> Card {
        Card {
            agent: "Cursor",
            versions: "cursor-agent of 2025 and 2026",
            records: &[
                Recorded::Times,
                Recorded::Models,
                Recorded::Tokens,
                Recorded::Exits,
                Recorded::Failures,
                Recorded::Cwd,
                Recorded::Todos,
                Recorded::Reasoning,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let (calls, _) = seen.vote(|n| text(n, "type") == "tool_call" && has(n, &["call_id", "tool_call"]));
        let (own, of) = seen.vote(|n| {
            let known =
                matches!(text(n, "type"), "system" | "user" | "assistant" | "thinking" | "tool_call" | "result");
            known && has(n, &["session_id"]) && !has(n, &["uuid"]) && !has(n, &["parent_tool_use_id"])
        });
        match (calls, own) {
            (1.., own) if own * 2 >= of => {
                Sniff::Yes(93, format!("{calls} `tool_call` lines, {own} of {of} are its records"))
            }
            // Without a call the shape is that of others too: half of the lines say less than another's whole.
            (0, own) if own * 2 >= of && own > 1 => {
                let score = if own == of { 84 } else { 70 };
                Sniff::Yes(score, format!("{own} of {of} lines are its records"))
            }
            _ => Sniff::No("no `tool_call` lines with `call_id`".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let mut loader = Loader { session: SessionBuilder::new(self.name()), ..Loader::default() };
        let mut diagnostics = Diagnostics::default();
        json_lines(input, &mut diagnostics, &mut loader)?;
        loader.flush();
        let mut session = loader.session;
        session.diagnostics.extend(diagnostics);
        session.info.records_outcome = true;
        if session.info.id.is_empty() {
            session.info.id = input.stem().to_string();
        }
        Ok(Parsed { sessions: vec![session.finish()], ..Default::default() })
    }
}

#[derive(Default)]
struct Loader {
    session: SessionBuilder,
    responses: Responses,
    /// A text that comes in pieces, and where it begins.
    pieces: String,
    begun: Option<(Locator, Option<Timestamp>)>,
    thought: String,
    started: HashSet<String>,
}

impl Records for Loader {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        let mut record: Record = serde_json::from_str(text)?;
        if checked(&record.stray, record.fault(), place, &mut self.session.diagnostics) {
            self.take(&mut record, place);
        } else {
            self.session.accounting.damaged();
        }
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        self.session.accounting.damaged();
    }
}

impl Loader {
    fn take(&mut self, record: &mut Record, place: Locator) {
        if self.session.info.id.is_empty() {
            self.session.info.id = record.session.owned().unwrap_or_default();
        }
        let time = record.time.0.get().and_then(Timestamp::from_number);
        let kind = record.kind.get().unwrap_or("(no type)").to_string();
        if kind != "assistant" {
            self.flush();
        }
        match kind.as_str() {
            "system" => {
                self.session.info.cwd = self.session.info.cwd.take().or_else(|| record.cwd.owned());
                self.session.model(record.model.0.get().unwrap_or_default());
            }
            "user" => self.user(record, time, place),
            "assistant" => self.assistant(record, time, place),
            "thinking" => self.thought += record.text.get().unwrap_or_default(),
            "tool_call" => self.call(record, time, place),
            "result" => return self.result(record, place),
            kind if BOOKKEEPING.contains(&kind) => return self.session.accounting.skipped(kind),
            kind => {
                let told = format!("`{kind}` on line {}", place.line);
                self.session.diagnostics.add(DiagCode::RecordTypeUnknown, place, told);
                return self.session.accounting.unknown(kind);
            }
        }
        self.session.accounting.used();
    }

    fn user(&mut self, record: &mut Record, time: Option<Timestamp>, place: Locator) {
        self.responses.user();
        for piece in std::mem::take(&mut record.message.content).pieces() {
            if let Piece::Said(text) = piece
                && !text.trim().is_empty()
            {
                self.session.user(Origin { time, place, ..Default::default() }, text);
            }
        }
    }

    /// A piece of a text, a whole one that repeats the pieces, or a whole one of its own.
    fn assistant(&mut self, record: &mut Record, time: Option<Timestamp>, place: Locator) {
        let said = std::mem::take(&mut record.message.content).pieces().into_iter();
        let text: String = said.filter_map(|p| if let Piece::Said(text) = p { Some(text) } else { None }).collect();
        if time.is_some() {
            self.begun.get_or_insert((place, time));
            self.pieces += &text;
            return;
        }
        if text != self.pieces {
            self.flush();
            self.begun = Some((place, None));
            self.pieces = text;
        }
        self.flush();
    }

    /// Tells the text that came in pieces.
    fn flush(&mut self) {
        let (text, begun) = (std::mem::take(&mut self.pieces), self.begun.take());
        if let Some((place, time)) = begun
            && !text.trim().is_empty()
        {
            let (turn, reasoning) = (self.responses.text(), std::mem::take(&mut self.thought));
            self.session.text(Origin { time, place, turn, reasoning, ..Default::default() }, text);
        }
    }

    fn call(&mut self, record: &mut Record, time: Option<Timestamp>, place: Locator) {
        let id = record.call.take().unwrap_or_default();
        let name = record.tool.name();
        if id.is_empty() || self.started.insert(id.clone()) {
            let ids = Aliases { call: Some(id.clone()).filter(|id| !id.is_empty()), ..Default::default() };
            let (turn, reasoning) = (self.responses.call(), std::mem::take(&mut self.thought));
            let origin = Origin { ids, time, place, turn, reasoning, ..Default::default() };
            self.session.call(origin, &name, kind_of(&name), fields(record.tool.input()));
        }
        if record.subtype.get() == Some("completed") {
            let result = ResultOf { time, ..returned(&record.tool.inside.result, place) };
            match id.is_empty() {
                true => self.session.result_of_last(result),
                false => self.session.result(&id, result),
            };
        }
    }

    /// The closing record: tokens of the run; its text repeats the last one.
    fn result(&mut self, record: &Record, place: Locator) {
        let usage = Usage {
            input: record.usage.input.count(),
            output: record.usage.output.count(),
            cache_read: record.usage.cache_read.count(),
            cache_write: record.usage.cache_write.count(),
            ..Default::default()
        };
        if !usage.is_empty() {
            self.session.info.usage = Some(usage);
        }
        if record.is_error.set() {
            let text = record.result.0.get().or(record.subtype.get()).unwrap_or_default();
            self.session.notice(NoticeKind::Fault, place, None, text);
        }
        self.session.accounting.used();
    }
}

fn returned(ended: &Ended, place: Locator) -> ResultOf {
    let (raw, outcome) = match ended {
        Ended { success: Some(raw), .. } => (raw.get(), Outcome::Ok),
        Ended { failure: Some(raw), .. } | Ended { error: Some(raw), .. } => (raw.get(), Outcome::Failed),
        Ended { rejected: Some(raw), .. } => (raw.get(), Outcome::Denied),
        Ended { timeout: Some(raw), .. } => (raw.get(), Outcome::Failed),
        Ended { aborted: Some(raw), .. } => (raw.get(), Outcome::Interrupted),
        _ => ("", Outcome::NotRecorded),
    };
    let mut told: Returned = serde_json::from_str(raw).unwrap_or_default();
    let exit = match told.exit.0.whole() {
        Some(code) => Exit::Code(code as i32),
        None if ended.timeout.is_some() => Exit::Killed,
        None => Exit::NotRecorded,
    };
    let text = text_of(&mut told).unwrap_or_else(|| compact(raw));
    let outcome = match (outcome, exit) {
        (Outcome::Ok, Exit::Code(code)) if code != 0 => Outcome::Failed,
        (Outcome::NotRecorded, _) => ending(&text).0,
        (outcome, _) => outcome,
    };
    let mut result = ResultOf::new(text, place).ended((outcome, exit));
    if let Some(todos) = told.todos.filter(|raw| raw.get().starts_with('[')) {
        result.extra.push(("todos", compact(todos.get())));
    }
    result
}

/// What a result says: its content, or what it wrote to both streams, or its message.
fn text_of(told: &mut Returned) -> Option<String> {
    if let Some(text) = told.stray.take().or_else(|| told.content.0.take()) {
        return Some(text);
    }
    let streams = (told.stdout.0.take(), told.stderr.0.take());
    if let (Some(out), err) = streams {
        let err = err.filter(|err| !err.is_empty()).unwrap_or_default();
        let gap = if out.is_empty() || err.is_empty() || out.ends_with('\n') { "" } else { "\n" };
        return Some(format!("{out}{gap}{err}"));
    }
    let rest = [&mut told.output, &mut told.error_message, &mut told.error, &mut told.message, &mut told.reason];
    rest.into_iter().find_map(|text| text.0.take())
}
