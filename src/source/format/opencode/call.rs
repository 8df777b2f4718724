//! A call and its result, alike in all that opencode writes.

use serde_json::value::RawValue;

use super::shape::{Metadata, State, Status, Times};
use crate::{
    base::{locate::Locator, time::Timestamp},
    model::{
        builder::{Field, ResultOf},
        message::{Cut, Exit, Outcome},
    },
    source::{
        cut_input::shown_fields,
        fields::{compact, fields},
        lenient::{Number, Raw, Text, lenient},
    },
    text::cut_mark,
};

/// How the error of a refused call begins or what it holds, lower case.
const REFUSALS: &[&str] =
    &["rejected permission", "user rejected", "user dismissed", "denied by", "rule which prevents"];

/// Unix milliseconds as a time.
pub(super) fn moment(millis: Number) -> Option<Timestamp> {
    millis.get().filter(|t| t.is_finite()).map(|t| Timestamp::from_millis(t as i64))
}

/// The input of a call as fields. While it is still being written it is a text that ends anywhere.
pub(super) fn input(state: &State) -> Vec<Field> {
    let raw = state.input.map_or("", RawValue::get);
    let torn: Option<String> = match raw.starts_with('"') {
        true => serde_json::from_str(raw).ok(),
        false => None,
    };
    let mut input = if torn.is_some() { Vec::new() } else { fields(raw) };
    if input.is_empty()
        && let Some(text) = torn.as_deref().or(state.raw.get())
    {
        input = shown_fields(text).0;
    }
    let redacted = input.len() == 1 && input[0].name.as_deref() == Some("redacted");
    for field in &mut input {
        if field.cut.is_none() && (redacted || cut_mark::is_placeholder(&field.text)) {
            field.cut = Some(Cut::Placeholder);
        }
    }
    input
}

/// A text that may be redacted: a string, or a placeholder object.
pub(super) fn words(raw: Raw) -> Option<(String, Option<Cut>)> {
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

/// The result of a call, once it has one; `time` is the call's own, where the state has none.
pub(super) fn result(tool: &str, state: &State, time: &Times, place: Locator) -> Option<ResultOf> {
    let shown = !state.content.0.items.is_empty();
    let failed = match state.status.get() {
        Some("completed") => false,
        Some("error") => true,
        Some(_) => return None,
        // A status of another type or none: what else is there tells.
        None if state.error.is_some() => true,
        None if state.output.is_some() || shown => false,
        None => return None,
    };
    let (text, placeholder) = if failed {
        failure(state.error).or_else(|| words(state.output)).unwrap_or_else(|| content(state))
    } else {
        words(state.output).unwrap_or_else(|| content(state))
    };
    let metadata = metadata(state);
    let exit = exit(metadata, &text);
    Some(ResultOf {
        cut: placeholder.or_else(|| {
            let by_tool = metadata.truncated.0.set() || cut_mark::by_tool(&text);
            by_tool.then_some(Cut::ByTool)
        }),
        outcome: outcome(tool, failed, &text, metadata, exit),
        exit,
        time: moment(state.time.end).or(moment(time.completed)),
        place,
        spawned: spawned(tool, metadata, &text),
        extra: extra(metadata, state.input.is_some_and(|raw| holds_list(raw.get()))),
        text,
    })
}

/// What the tool told besides; early versions of the second generation call it `structured`.
fn metadata<'s, 'a>(state: &'s State<'a>) -> &'s Metadata<'a> {
    let early = &state.structured.0;
    let used = early.exit.0 != Status::Absent || early.session.0.get().is_some() || early.todos.is_some();
    if used { early } else { &state.metadata }
}

/// The text of an error: a string, or an object with a message.
fn failure(raw: Raw) -> Option<(String, Option<Cut>)> {
    lenient! {
        struct Told<'a> {
            message: Text<'a> = "message",
        }
    }
    let told = raw.and_then(|raw| serde_json::from_str::<Told>(raw.get()).ok());
    told.and_then(|mut told| told.message.take()).map(|text| (text, None)).or_else(|| words(raw))
}

/// An output that is given in pieces.
fn content(state: &State) -> (String, Option<Cut>) {
    let mut cut = None;
    let mut pieces = Vec::new();
    for piece in &state.content.0.items {
        match piece.text.get() {
            Some(text) => pieces.push(text.to_string()),
            None => {
                cut = Some(Cut::Placeholder);
                let kind = piece.kind.get().unwrap_or("something");
                pieces.push(format!("[{kind} {}]", piece.mime.get().unwrap_or("of unknown type")));
            }
        }
    }
    (pieces.join("\n"), cut)
}

/// Whether the input holds the task list as a list, so that nothing else need be kept.
fn holds_list(input: &str) -> bool {
    lenient! {
        struct Input<'a> {
            todos: Raw<'a> = "todos",
        }
    }
    serde_json::from_str::<Input>(input).is_ok_and(|i| i.todos.is_some_and(|t| t.get().starts_with('[')))
}

fn exit(metadata: &Metadata, output: &str) -> Exit {
    match metadata.exit.0 {
        Status::Killed => Exit::Killed,
        Status::Code(code) => Exit::Code(code),
        Status::Absent if output.contains("bash tool terminated command after exceeding timeout") => Exit::Killed,
        Status::Absent => Exit::NotRecorded,
    }
}

fn outcome(tool: &str, failed: bool, text: &str, metadata: &Metadata, exit: Exit) -> Outcome {
    if metadata.interrupted.0.set() || text == "Tool execution aborted" {
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
    of_exit(exit)
}

/// How a command ended that the harness does not call failed.
pub(super) fn of_exit(exit: Exit) -> Outcome {
    match exit {
        Exit::Code(0) | Exit::NotRecorded | Exit::Running => Outcome::Ok,
        Exit::Code(_) => Outcome::Failed,
        Exit::Killed => Outcome::Interrupted,
    }
}

/// Id of the session that a `task` call started or resumed.
fn spawned(tool: &str, metadata: &Metadata, output: &str) -> Option<String> {
    if !matches!(tool, "task" | "agent" | "subagent") {
        return None;
    }
    let named = || output.lines().next()?.strip_prefix("task_id: ")?.split_whitespace().next().map(str::to_string);
    metadata.session.0.owned().or_else(|| metadata.session_also.0.owned()).or_else(named)
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
