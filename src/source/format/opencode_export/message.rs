//! One message of the export: its parts in order become user texts, assistant texts, calls with their results, and
//! notices.

use serde_json::value::RawValue;

use super::shape::{Failure, MessageInfo, Metadata, Part, State, Times};
use crate::{
    base::{diag::DiagCode, locate::Locator, time::Timestamp},
    model::{
        builder::{Origin, ResultOf, SessionBuilder},
        message::{Aliases, Cut, Exit, NoticeKind, Outcome},
    },
    source::{
        cut_input::shown_fields,
        fields::{compact, fields},
        loose::Loose,
        tool_names::kind_of,
    },
    text::cut_mark,
};

/// How a text that the harness puts in the user's place begins.
const HARNESS_TEXTS: &[&str] = &[
    "# AGENTS.md instructions",
    "<INSTRUCTIONS>",
    "<command-message>",
    "<command-name>",
    "<environment_context>",
    "<local-command-stdout>",
    "<permissions instructions>",
    "<system-reminder>",
    "<user_instructions>",
];

/// How the error of a refused call begins or what it holds, lower case.
const REFUSALS: &[&str] =
    &["rejected permission", "user rejected", "user dismissed", "denied by", "rule which prevents"];

/// `info` of a message.
#[derive(Default)]
pub(super) struct Head {
    info: MessageInfo,
    /// Unix milliseconds.
    pub created: Option<f64>,
}

impl Head {
    /// Reads it; an `info` that is no object is as good as none.
    pub fn read(raw: &str) -> Self {
        let info: MessageInfo = serde_json::from_str(raw).unwrap_or_default();
        let created = info.time.as_ref().and_then(|t| t.created.as_ref().copied());
        Self { info, created }
    }

    /// The message's id.
    pub fn id(&self) -> Option<&str> {
        self.info.id.as_ref().map(String::as_str)
    }

    /// Whether a person wrote it.
    pub fn is_user(&self) -> bool {
        self.info.role.as_ref().is_some_and(|role| role == "user")
    }
}

/// Adds a message to the session, up to the part `until` (excluded) where one is named, and counts its record.
pub(super) fn read(session: &mut SessionBuilder, head: &Head, parts: &[&str], place: Locator, until: Option<&str>) {
    let before = session.len();
    if let Some(model) = head.info.model.as_ref() {
        session.model(model);
    }
    if let Some(cwd) = head.info.path.as_ref().and_then(|p| p.cwd.as_ref()) {
        session.info.cwd.get_or_insert_with(|| cwd.clone());
    }
    if head.info.id.is_wrong() || head.info.role.is_wrong() || head.info.time.is_wrong() {
        session.diagnostics.add(DiagCode::FieldWrongType, place, "id, role or time of a message");
    }
    let mut reader = Reader { session, head, place, reasoning: String::new(), noticed: false };
    for raw in parts {
        match serde_json::from_str::<Part>(raw) {
            Ok(part) if until.is_some() && part.id.as_ref().map(String::as_str) >= until => break,
            Ok(part) => reader.part(part),
            Err(error) => reader.session.diagnostics.add(DiagCode::FieldWrongType, place, format!("a part: {error}")),
        }
    }
    reader.fault(&head.info.error);
    let noticed = reader.noticed;
    if session.len() > before {
        session.accounting.used();
    } else if noticed {
        session.accounting.skipped("notice");
    } else {
        session.accounting.skipped("no text and no call");
    }
}

/// Beginning of the first text of a message.
pub(super) fn opening(parts: &[&str]) -> String {
    const LONGEST: usize = 80;
    let text = parts.iter().filter_map(|raw| serde_json::from_str::<Part>(raw).ok()).find_map(|p| words(p.text));
    text.map(|(text, _)| text.chars().take(LONGEST).collect()).unwrap_or_default()
}

struct Reader<'a> {
    session: &'a mut SessionBuilder,
    head: &'a Head,
    place: Locator,
    reasoning: String,
    noticed: bool,
}

impl Reader<'_> {
    fn part(&mut self, part: Part) {
        if [&part.id, &part.kind, &part.call, &part.tool].iter().any(|field| field.is_wrong()) {
            self.session.diagnostics.add(DiagCode::FieldWrongType, self.place, "a field of a part");
        }
        match part.kind.as_ref().map_or("", String::as_str) {
            "text" => self.text(part),
            "reasoning" => {
                let (text, _) = words(part.text).unwrap_or_default();
                if !self.reasoning.is_empty() && !text.is_empty() {
                    self.reasoning.push_str("\n\n");
                }
                self.reasoning.push_str(&text);
            }
            "tool" => self.tool(part),
            "compaction" => self.notice(NoticeKind::Compaction, &part.time, String::new()),
            "retry" => self.fault(&part.error),
            "subtask" => {
                let said = part.description.get().or(part.prompt.get()).unwrap_or_default();
                self.notice(NoticeKind::Meta, &part.time, said);
            }
            "step-start" | "step-finish" | "snapshot" | "patch" | "file" | "agent" => {}
            other => self.session.diagnostics.add(
                DiagCode::RecordTypeUnknown,
                self.place,
                format!("a part of type {other:?} was passed over"),
            ),
        }
    }

    fn text(&mut self, part: Part) {
        let Some((text, cut)) = words(part.text) else {
            self.session.diagnostics.add(DiagCode::FieldWrongType, self.place, "a text part without text");
            return;
        };
        if text.trim().is_empty() {
            return;
        }
        let user = self.head.is_user();
        if self.head.info.summary == Loose::Is(true) {
            return self.notice(NoticeKind::Compaction, &part.time, text);
        }
        let flagged = part.synthetic == Loose::Is(true) || part.ignored == Loose::Is(true);
        if flagged || user && HARNESS_TEXTS.iter().any(|mark| text.trim_start().starts_with(mark)) {
            return self.notice(NoticeKind::Meta, &part.time, text);
        }
        let origin = self.origin(part.id, None, &part.time);
        if user {
            self.session.user(origin, text);
        } else {
            self.session.text(origin, text);
        }
        if let Some(cut) = cut {
            self.session.cut_last(cut);
        }
    }

    fn tool(&mut self, part: Part) {
        let state: State = part.state.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
        if part.state.is_none() || state.status.is_wrong() || state.metadata.is_wrong() {
            self.session.diagnostics.add(DiagCode::FieldWrongType, self.place, "the state of a call");
        }
        let name = part.tool.get().unwrap_or_else(|| "unknown".to_string());
        let started = state
            .time
            .as_ref()
            .and_then(|t| t.start.as_ref().copied())
            .map_or(part.time, |start| Loose::Is(Times { start: Loose::Is(start), ..Default::default() }));
        let origin = self.origin(part.id, part.call.get(), &started);
        let mut input = state.input.map_or_else(Vec::new, |raw| fields(raw.get()));
        if input.is_empty()
            && let Some(raw) = state.raw.as_ref()
        {
            input = shown_fields(raw).0;
        }
        let redacted = input.len() == 1 && input[0].name.as_deref() == Some("redacted");
        for field in &mut input {
            if field.cut.is_none() && (redacted || cut_mark::is_placeholder(&field.text)) {
                field.cut = Some(Cut::Placeholder);
            }
        }
        self.session.call(origin, &name, kind_of(&name), input);
        if let Some(result) = result(&name, state, self.place) {
            self.session.result_of_last(result);
        }
    }

    fn fault(&mut self, error: &Loose<Failure>) {
        let Some(error) = error.as_ref() else { return };
        let name = error.name.as_ref().map_or("", String::as_str);
        let told = error.data.as_ref().and_then(|d| d.message.as_ref()).map_or("", String::as_str);
        let kind = if name == "MessageAbortedError" { NoticeKind::Interruption } else { NoticeKind::Fault };
        let text = [name, told].iter().filter(|s| !s.is_empty()).copied().collect::<Vec<_>>().join(": ");
        self.notice(kind, &Loose::Absent, text);
    }

    fn notice(&mut self, kind: NoticeKind, time: &Loose<Times>, text: String) {
        self.noticed = true;
        let time = self.time(time);
        self.session.notice(kind, self.place, time, text);
    }

    fn origin(&mut self, part: Loose<String>, call: Option<String>, time: &Loose<Times>) -> Origin {
        let message = self.head.id().map(str::to_string);
        Origin {
            number: None,
            ids: Aliases { message: message.clone(), part: part.get(), call, also: Vec::new() },
            turn: message,
            time: self.time(time),
            place: self.place,
            reasoning: std::mem::take(&mut self.reasoning),
            ..Default::default()
        }
    }

    /// When a part began, else when its message was created.
    fn time(&self, part: &Loose<Times>) -> Option<Timestamp> {
        let began = part.as_ref().and_then(|t| t.start.as_ref().copied());
        began.or(self.head.created).filter(|t| t.is_finite()).map(|t| Timestamp::from_millis(t as i64))
    }
}

/// A text that may be redacted: a string, or a placeholder object.
fn words(raw: Option<&RawValue>) -> Option<(String, Option<Cut>)> {
    let raw = raw?.get();
    match serde_json::from_str::<String>(raw) {
        Ok(text) => {
            let cut = cut_mark::is_placeholder(&text).then_some(Cut::Placeholder);
            Some((text, cut))
        }
        Err(_) if raw.starts_with('{') => Some((compact(raw), Some(Cut::Placeholder))),
        Err(_) => None,
    }
}

/// The result of a call, once it has one.
fn result(tool: &str, state: State, place: Locator) -> Option<ResultOf> {
    let failed = match state.status.as_ref().map(String::as_str) {
        Some("completed") => false,
        Some("error") => true,
        Some(_) => return None,
        // A status of another type or none: what else is there tells.
        None if state.error.is_some() => true,
        None if state.output.is_some() => false,
        None => return None,
    };
    let (text, placeholder) =
        words(if failed { state.error.or(state.output) } else { state.output }).unwrap_or_default();
    let input_is_list = state.input.is_some_and(|raw| holds_list(raw.get()));
    let metadata = state.metadata.get().unwrap_or_default();
    let exit = exit(&metadata, &text);
    Some(ResultOf {
        cut: placeholder.or_else(|| {
            let by_tool = metadata.truncated == Loose::Is(true) || cut_mark::by_tool(&text);
            by_tool.then_some(Cut::ByTool)
        }),
        outcome: outcome(tool, failed, &text, &metadata, exit),
        exit,
        time: state
            .time
            .as_ref()
            .and_then(|t| t.end.as_ref().copied())
            .filter(|t| t.is_finite())
            .map(|t| Timestamp::from_millis(t as i64)),
        place,
        spawned: spawned(tool, &metadata, &text),
        extra: extra(&metadata, input_is_list),
        text,
    })
}

/// Whether the input holds the task list as a list, so that nothing else need be kept.
fn holds_list(input: &str) -> bool {
    #[derive(serde::Deserialize)]
    struct Input<'a> {
        #[serde(borrow, default)]
        todos: Option<&'a RawValue>,
    }
    serde_json::from_str::<Input>(input).is_ok_and(|i| i.todos.is_some_and(|t| t.get().starts_with('[')))
}

fn exit(metadata: &Metadata, output: &str) -> Exit {
    match metadata.exit.map(RawValue::get) {
        Some("null") => Exit::Killed,
        Some(code) => code.parse().map_or(Exit::NotRecorded, Exit::Code),
        None if output.contains("bash tool terminated command after exceeding timeout") => Exit::Killed,
        None => Exit::NotRecorded,
    }
}

fn outcome(tool: &str, failed: bool, text: &str, metadata: &Metadata, exit: Exit) -> Outcome {
    if metadata.interrupted == Loose::Is(true) || text == "Tool execution aborted" {
        return Outcome::Interrupted;
    }
    let lower = text.get(..text.len().min(400)).unwrap_or(text).to_lowercase();
    if failed && REFUSALS.iter().any(|mark| lower.contains(mark)) {
        return Outcome::Denied;
    }
    // `invalid` stands for a tool that does not exist or input that does not fit; it completes all the same.
    if failed || tool == "invalid" {
        return Outcome::Failed;
    }
    match exit {
        Exit::Code(0) | Exit::NotRecorded | Exit::Running => Outcome::Ok,
        Exit::Code(_) => Outcome::Failed,
        Exit::Killed => Outcome::Interrupted,
    }
}

/// Id of the session that a `task` call started or resumed.
fn spawned(tool: &str, metadata: &Metadata, output: &str) -> Option<String> {
    if tool != "task" {
        return None;
    }
    let named = || output.lines().next()?.strip_prefix("task_id: ")?.split_whitespace().next().map(str::to_string);
    metadata.session.as_ref().cloned().or_else(named)
}

fn extra(metadata: &Metadata, input_is_list: bool) -> Vec<(&'static str, String)> {
    let mut extra = Vec::new();
    if let Some(todos) = metadata.todos.map(RawValue::get).filter(|t| t.starts_with('[') && !input_is_list) {
        extra.push(("todos", compact(todos)));
    }
    if let Some(answers) = metadata.answers.map(RawValue::get).filter(|a| a.starts_with('[')) {
        extra.push(("answers", compact(answers)));
    }
    extra
}
