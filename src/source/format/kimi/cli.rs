//! Events of Kimi CLI. Texts and arguments come in pieces; sub-agents speak through the call that started them.

use std::collections::BTreeMap;

use super::{Content, Draft, Tokens, ending, wire::session_name};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        locate::Locator,
        time::Timestamp,
    },
    model::{
        accounting::Accounting,
        builder::{ResultOf, SessionBuilder},
        message::NoticeKind,
        session::{Session, SessionInfo},
    },
    source::{
        agents::{self, Agent},
        fields::compact,
        frame::{Records, checked, wrong_type},
        lenient::{Any, Flag, List, Number, Raw, Text, lenient},
        open::Input,
    },
};

lenient! {
    /// A line.
    struct Line<'a> {
        kind: Text<'a> = "type",
        time: Number = "timestamp",
        message: Event<'a> = "message",
    }
}

lenient! {
    /// An event.
    struct Event<'a> {
        kind: Text<'a> = "type",
        payload: Payload<'a> = "payload",
    }
}

lenient! {
    /// What an event holds.
    struct Payload<'a> {
        input: Content<'a> = "user_input",
        n: Number = "n",
        kind: Any<Text<'a>> = "type",
        text: Any<Text<'a>> = "text",
        think: Any<Text<'a>> = "think",
        id: Any<Text<'a>> = "id",
        function: Function<'a> = "function",
        piece: Text<'a> = "arguments_part",
        call: Text<'a> = "tool_call_id",
        value: Value<'a> = "return_value",
        usage: Any<Tokens<'a>> = "token_usage",
        error: Any<Text<'a>> = "error_type",
        content: Any<Text<'a>> = "content",
        parent: Text<'a> = "parent_tool_call_id",
        old_parent: Text<'a> = "task_tool_call_id",
        agent: Text<'a> = "agent_id",
        agent_kind: Text<'a> = "subagent_type",
        event: Raw<'a> = "event",
    }
}

lenient! {
    /// What is called.
    struct Function<'a> {
        name: Text<'a> = "name",
        arguments: Text<'a> = "arguments",
    }
}

lenient! {
    /// What a tool returned.
    struct Value<'a> {
        error: Flag = "is_error",
        output: Content<'a> = "output",
        message: Text<'a> = "message",
        display: Any<List<Display<'a>>> = "display",
    }
}

lenient! {
    /// What the screen is shown of it.
    struct Display<'a> {
        kind: Text<'a> = "type",
        items: Raw<'a> = "items",
    }
}

/// Types of events that hold nothing for the session. Sorted.
#[rustfmt::skip]
const SILENT: &[&str] = &[
    "ApprovalRequest", "ApprovalRequestResolved", "ApprovalResponse", "BtwBegin", "BtwEnd", "CompactionEnd",
    "HookRequest", "HookResolved", "HookTriggered", "MCPLoadingBegin", "MCPLoadingEnd", "MCPStatusSnapshot",
    "Notification", "QuestionRequest", "QuestionResponse", "StepBegin", "ToolCallRequest", "TurnEnd",
];

/// Takes in a file.
#[derive(Default)]
pub struct Cli {
    main: Draft,
    /// Sub-agents by the call that started them: their id, their kind, what they did.
    agents: BTreeMap<String, (Option<String>, Option<String>, Draft)>,
    accounting: Accounting,
    diagnostics: Diagnostics,
}

impl Records for Cli {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        let line: Line = serde_json::from_str(text)?;
        if !checked(&line.stray, None, place, &mut self.diagnostics) {
            self.lost(place);
            return Ok(());
        }
        if line.kind.get() == Some("metadata") {
            self.accounting.skipped("metadata");
            return Ok(());
        }
        wrong_type(line.fault().or(line.message.payload.fault()), place, &mut self.diagnostics);
        let time = line.time.get().and_then(Timestamp::from_number);
        let payload = &line.message.payload;
        let fate = match line.message.kind.get() {
            Some("SubagentEvent") => self.agent(payload, place, time),
            kind => take(&mut self.main, kind.unwrap_or_default(), payload, place, time),
        };
        match fate {
            Ok(None) => self.accounting.used(),
            Ok(Some(code)) => {
                self.accounting.used();
                self.diagnostics.add(code, place, format!("line {}", place.line));
            }
            Err("") => {
                let kind = line.message.kind.get().filter(|kind| !kind.is_empty()).unwrap_or("(no type)");
                self.diagnostics.add(DiagCode::RecordTypeUnknown, place, format!("`{kind}` on line {}", place.line));
                self.accounting.unknown(kind);
            }
            Err(skipped) => self.accounting.skipped(skipped),
        }
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        self.accounting.damaged();
    }
}

/// What became of an event: used, with what is odd about it; else why it was passed over, "" when it is not known.
type Fate = Result<Option<DiagCode>, &'static str>;

fn take(draft: &mut Draft, kind: &str, payload: &Payload, place: Locator, time: Option<Timestamp>) -> Fate {
    match kind {
        "TurnBegin" | "SteerInput" => draft.user(&payload.input, place, time),
        "StepBegin" => {
            // Steps are counted anew in each turn.
            draft.begin(format!("record {}", place.record));
            return Err("StepBegin");
        }
        "StepInterrupted" => draft.notice(NoticeKind::Interruption, "", place, time),
        "StepRetry" => draft.notice(NoticeKind::Fault, payload.error.0.get().unwrap_or_default(), place, time),
        "CompactionBegin" => draft.notice(NoticeKind::Compaction, "", place, time),
        "ContentPart" => match payload.kind.0.get() {
            Some("think") => draft.think(payload.think.0.get().unwrap_or_default()),
            _ => draft.text(payload.text.0.get().unwrap_or_default(), None, place, time),
        },
        "ToolCall" => {
            let (name, arguments) = (&payload.function.name, &payload.function.arguments);
            let name = name.get().unwrap_or("(no name)");
            draft.call(payload.id.0.owned(), name, arguments.get().unwrap_or_default(), place, time);
        }
        "ToolCallPart" => {
            if !draft.more(payload.piece.get().unwrap_or_default()) {
                return Err("ToolCallPart");
            }
        }
        "ToolResult" => return Ok(draft.result(payload.call.get().unwrap_or_default(), given(payload, place, time))),
        "StatusUpdate" => {
            let usage = payload.usage.0.usage();
            if usage.is_empty() {
                return Err("StatusUpdate");
            }
            draft.spend(usage);
        }
        "PlanDisplay" => {
            let plan = payload.content.0.get().unwrap_or_default();
            if !draft.plan(plan) {
                draft.notice(NoticeKind::Meta, plan, place, time);
            }
        }
        kind => return Err(SILENT.iter().find(|known| **known == kind).unwrap_or(&"")),
    }
    Ok(None)
}

fn given(payload: &Payload, place: Locator, time: Option<Timestamp>) -> ResultOf {
    let value = &payload.value;
    let (output, message) = (value.output.said(), value.message.get().unwrap_or_default());
    let told = ending(&output, message, value.error.get());
    let todos =
        value.display.0.items.iter().find(|shown| shown.kind.get() == Some("todo")).and_then(|shown| shown.items);
    let extra = todos.map(|items| ("todos", compact(items.get()))).into_iter().collect();
    let text = if output.is_empty() { message.to_string() } else { output };
    ResultOf { time, extra, ..ResultOf::new(text, place).ended(told) }
}

impl Cli {
    fn agent(&mut self, payload: &Payload, place: Locator, time: Option<Timestamp>) -> Fate {
        let call = payload.parent.owned().or(payload.old_parent.owned()).or(payload.agent.owned());
        let inner: Option<Event> = payload.event.and_then(|raw| serde_json::from_str(raw.get()).ok());
        let (Some(call), Some(inner)) = (call, inner) else { return Err("SubagentEvent") };
        let agent = self.agents.entry(call).or_default();
        agent.0 = agent.0.take().or_else(|| payload.agent.owned());
        agent.1 = agent.1.take().or_else(|| payload.agent_kind.owned());
        take(&mut agent.2, inner.kind.get().unwrap_or_default(), &inner.payload, place, time)
    }

    /// The session.
    pub fn finish(self, format: &'static str, input: &Input) -> Session {
        let mut session = SessionBuilder::new(format);
        let id = session_name(input).unwrap_or_else(|| input.stem().to_string());
        session.info = SessionInfo { id: id.clone(), format, records_outcome: true, ..SessionInfo::default() };
        session.accounting = self.accounting;
        session.diagnostics = self.diagnostics;
        self.main.tell(&mut session);
        let agents = self.agents.into_iter().map(|(call, (agent, kind, draft))| {
            let mut session = SessionBuilder::new(format);
            let id_of = agent.unwrap_or_else(|| call.clone());
            session.info = SessionInfo { id: id_of, title: kind, format, ..SessionInfo::default() };
            session.info.records_outcome = true;
            draft.tell(&mut session);
            Agent { spawned_by: Some(call), session: session.finish() }
        });
        agents::attach(session.finish(), agents.collect())
    }
}
