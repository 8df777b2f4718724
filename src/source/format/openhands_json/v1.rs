//! Events of V1: each names its kind; an observation names the call that it answers.

use std::collections::HashMap;

use crate::{
    base::{diag::DiagCode, locate::Locator, time::Timestamp},
    model::{
        builder::{Origin, ResultOf, SessionBuilder},
        message::{Aliases, Cut, Exit, NoticeKind, Outcome},
    },
    source::{
        chat::{
            content::{Content, Piece},
            message::{Arguments, Message},
            moment::{self, Moment},
            said,
            tell::outcome,
        },
        fields::compact,
        lenient::{Any, Flag, List, Number, Raw, Text, lenient},
        tool_names::kind_of_call,
    },
    text::cut_mark,
};

/// Kinds of events.
#[rustfmt::skip]
pub const KINDS: &[&str] = &[
    "ActionEvent", "AgentErrorEvent", "Condensation", "CondensationRequest", "CondensationSummaryEvent",
    "ConversationErrorEvent", "ConversationStateUpdateEvent", "LLMCompletionLogEvent", "MessageEvent",
    "ObservationEvent", "PauseEvent", "SystemPromptEvent", "TokenEvent", "UserRejectObservation",
];

lenient! {
    /// An event of any kind.
    struct Event<'a> {
        id: Text<'a> = "id",
        time: Moment<'a> = "timestamp",
        source: Text<'a> = "source",
        message: Any<Message<'a>> = "llm_message",
        thought: Content<'a> = "thought",
        reasoning: Any<Text<'a>> = "reasoning_content",
        thinking: Any<List<Thinking<'a>>> = "thinking_blocks",
        action: Arguments<'a> = "action",
        tool: Text<'a> = "tool_name",
        call: Text<'a> = "tool_call_id",
        written: Any<Written<'a>> = "tool_call",
        response: Any<Text<'a>> = "llm_response_id",
        action_id: Any<Text<'a>> = "action_id",
        observation: Any<Observation<'a>> = "observation",
        error: Any<Text<'a>> = "error",
        detail: Any<Text<'a>> = "detail",
        rejection: Any<Text<'a>> = "rejection_reason",
        summary: Any<Text<'a>> = "summary",
    }
}

lenient! {
    struct Thinking<'a> {
        thinking: Any<Text<'a>> = "thinking",
    }
}

lenient! {
    /// The call as the model wrote it.
    struct Written<'a> {
        name: Any<Text<'a>> = "name",
        arguments: Arguments<'a> = "arguments",
    }
}

lenient! {
    struct Finish<'a> {
        message: Any<Text<'a>> = "message",
    }
}

lenient! {
    struct Observation<'a> {
        content: Any<Content<'a>> = "content",
        output: Any<Content<'a>> = "output",
        error: Any<Text<'a>> = "error",
        exit_code: Any<Number> = "exit_code",
        timeout: Any<Flag> = "timeout",
        is_error: Any<Flag> = "is_error",
        metadata: Any<Metadata<'a>> = "metadata",
        tasks: Any<Raw<'a>> = "task_list",
    }
}

lenient! {
    struct Metadata<'a> {
        exit_code: Any<Number> = "exit_code",
        cwd: Any<Text<'a>> = "working_dir",
    }
}

/// Tells events.
#[derive(Default)]
pub struct Teller {
    /// Messages by the id of their action's event.
    calls: HashMap<String, usize>,
    cwd: Option<String>,
}

impl Teller {
    /// Tells an event.
    pub fn event(&mut self, session: &mut SessionBuilder, kind: &str, raw: &str, place: Locator) {
        let Ok(mut event) = serde_json::from_str::<Event>(raw) else { return session.accounting.damaged() };
        if let Some(field) = event.fault() {
            session.diagnostics.add(DiagCode::FieldWrongType, place, format!("`{field}` of an event"));
        }
        let time = moment::of(event.time.0);
        match kind {
            "MessageEvent" => self.message(session, &mut event, place, time),
            "ActionEvent" => self.action(session, &mut event, place, time),
            "ObservationEvent" | "AgentErrorEvent" | "UserRejectObservation" => {
                return self.result(session, kind, &mut event, place, time);
            }
            "Condensation" | "CondensationSummaryEvent" => {
                session.notice(NoticeKind::Compaction, place, time, event.summary.0.take().unwrap_or_default());
            }
            "PauseEvent" => session.notice(NoticeKind::Interruption, place, time, ""),
            "ConversationErrorEvent" => {
                session.notice(NoticeKind::Fault, place, time, event.detail.0.take().unwrap_or_default());
            }
            "SystemPromptEvent" => return session.accounting.skipped("system-prompt"),
            kind if KINDS.contains(&kind) => return session.accounting.skipped("state"),
            kind => {
                session.diagnostics.add(DiagCode::RecordTypeUnknown, place, format!("an event `{kind}`"));
                return session.accounting.unknown(kind);
            }
        }
        session.accounting.used();
    }

    fn origin(&self, event: &mut Event, place: Locator, time: Option<Timestamp>) -> Origin {
        let thinking = event.thinking.0.items.iter_mut().find_map(|block| block.thinking.0.take());
        Origin {
            ids: Aliases { message: event.id.owned(), ..Default::default() },
            turn: event.response.0.owned().or(event.id.owned()),
            time,
            place,
            reasoning: event.reasoning.0.take().filter(|text| !text.is_empty()).or(thinking).unwrap_or_default(),
            cwd: self.cwd.clone(),
            ..Default::default()
        }
    }

    fn message(&self, session: &mut SessionBuilder, event: &mut Event, place: Locator, time: Option<Timestamp>) {
        let source = event.source.owned().unwrap_or_default();
        let mut origin = self.origin(event, place, time);
        let first = session.len();
        for piece in std::mem::take(&mut event.message.0).pieces() {
            let next = Origin { reasoning: std::mem::take(&mut origin.reasoning), ..origin.clone() };
            match (piece, source.as_str()) {
                (Piece::Said(text), _) if text.trim().is_empty() => {}
                (Piece::Said(text), "agent") => session.text(next, text),
                (Piece::Said(text), "user") => match said::classify(&text) {
                    Ok(prompt) => {
                        let prompt = prompt.to_string();
                        session.user(Origin { turn: None, ..next }, prompt);
                    }
                    Err(kind) => session.notice(kind, place, time, text),
                },
                (Piece::Said(text), _) => session.notice(NoticeKind::Meta, place, time, text),
                (Piece::Placeholder(text), _) if session.len() > first => session.placeholder(text),
                (Piece::Thought(text), _) => origin.reasoning = text,
                _ => {}
            }
        }
    }

    fn action(&mut self, session: &mut SessionBuilder, event: &mut Event, place: Locator, time: Option<Timestamp>) {
        let mut origin = self.origin(event, place, time);
        let thought = std::mem::take(&mut event.thought).flat().0;
        if !thought.trim().is_empty() {
            session.text(origin.clone(), thought);
            origin.reasoning.clear();
        }
        let written = std::mem::take(&mut event.written.0);
        let name = event.tool.owned().or(written.name.0.owned()).unwrap_or_default();
        let finish = event.action.0.filter(|_| name == "finish").or(written.arguments.0.filter(|_| name == "finish"));
        if let Some(raw) = finish {
            let finish: Finish = serde_json::from_str(raw.get()).unwrap_or_default();
            if let Some(text) = finish.message.0.owned() {
                return session.text(origin, text);
            }
        }
        let mut input = event.action.fields();
        if input.is_empty() {
            input = written.arguments.fields();
        }
        let added = |name: Option<&str>| matches!(name, Some("kind" | "security_risk" | "summary"));
        input.retain(|field| !added(field.name.as_deref()) && field.text != "null");
        let kind = kind_of_call(&name, &input);
        origin.ids.call = event.call.owned();
        if let Some(id) = event.id.owned() {
            self.calls.insert(id, session.len());
        }
        session.call(origin, &name, kind, input);
    }

    fn result(
        &mut self,
        session: &mut SessionBuilder,
        kind: &str,
        event: &mut Event,
        place: Locator,
        time: Option<Timestamp>,
    ) {
        let mut seen = std::mem::take(&mut event.observation.0);
        self.cwd = seen.metadata.0.cwd.0.owned().or(self.cwd.take());
        let (mut text, mut placeholder) = std::mem::take(&mut seen.content.0).flat();
        if text.is_empty() {
            (text, placeholder) = std::mem::take(&mut seen.output.0).flat();
        }
        let instead = [seen.error.0.take(), event.error.0.take(), event.rejection.0.take()];
        if text.is_empty() {
            text = instead.into_iter().flatten().find(|text| !text.is_empty()).unwrap_or_default();
        }
        let at = event.action_id.0.get().and_then(|id| self.calls.get(id)).copied();
        let (outcome, exit) = ended(kind, &seen, &text);
        let cut = if placeholder { Some(Cut::Placeholder) } else { cut_mark::by_tool(&text).then_some(Cut::ByTool) };
        let extra = seen.tasks.0.map(|raw| ("todos", compact(raw.get()))).into_iter().collect();
        let told = text.clone();
        let result = ResultOf { text, cut, outcome, exit, time, place, spawned: None, extra };
        match (at, event.call.get()) {
            (Some(at), _) => _ = session.result_at(at, result),
            _ if event.tool.get() == Some("finish") => return session.accounting.skipped("state"),
            (None, Some(call)) => _ = session.result(call, result),
            (None, None) => session.notice(NoticeKind::Fault, place, time, told),
        }
        session.accounting.used();
    }
}

/// How the call ended. An exit code of -1 stands for a command that still runs after its soft limit of time.
fn ended(kind: &str, seen: &Observation, text: &str) -> (Outcome, Exit) {
    let code = seen.exit_code.0.whole().or(seen.metadata.0.exit_code.0.whole());
    match (kind, code.and_then(|code| i32::try_from(code).ok())) {
        ("UserRejectObservation", _) => (Outcome::Denied, Exit::NotRecorded),
        ("AgentErrorEvent", _) => (Outcome::Failed, Exit::NotRecorded),
        (_, Some(0)) if !seen.is_error.0.set() => (Outcome::Ok, Exit::Code(0)),
        (_, Some(-1)) if seen.timeout.0.set() => (Outcome::NotRecorded, Exit::Running),
        (_, Some(-1)) => (Outcome::NotRecorded, Exit::NotRecorded),
        (_, Some(code)) => (Outcome::Failed, Exit::Code(code)),
        (_, None) => outcome(text, Some(seen.is_error.0.set())),
    }
}
