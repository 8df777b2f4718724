//! Events of Kimi Code: prompts, what is added to the context, steps with their texts, calls and results.

use std::collections::BTreeSet;

use super::{Content, Draft, Part, Tokens, ending};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        locate::Locator,
        time::Timestamp,
    },
    model::{
        accounting::Accounting,
        builder::{ResultOf, SessionBuilder},
        message::{NoticeKind, Outcome},
        session::{Session, SessionInfo},
    },
    source::{
        frame::{Records, checked},
        lenient::{Any, Flag, Number, Raw, Text, lenient},
        open::Input,
    },
};

lenient! {
    /// A line.
    struct Line<'a> {
        kind: Text<'a> = "type",
        time: Number = "time",
        input: Content<'a> = "input",
        origin: Any<From<'a>> = "origin",
        message: Any<Message<'a>> = "message",
        event: Event<'a> = "event",
        model: Text<'a> = "model",
        alias: Text<'a> = "modelAlias",
        usage: Any<Tokens<'a>> = "usage",
        scope: Text<'a> = "usageScope",
        summary: Any<Text<'a>> = "summary",
        call: Text<'a> = "toolCallId",
        result: Any<Approval<'a>> = "result",
        reason: Any<Text<'a>> = "reason",
    }
}

lenient! {
    /// Where a message comes from.
    struct From<'a> {
        kind: Text<'a> = "kind",
    }
}

lenient! {
    /// A message of the context.
    struct Message<'a> {
        role: Text<'a> = "role",
        content: Content<'a> = "content",
        origin: Any<From<'a>> = "origin",
    }
}

lenient! {
    /// What the user decided of a call.
    struct Approval<'a> {
        decision: Text<'a> = "decision",
    }
}

lenient! {
    /// An event of the loop.
    struct Event<'a> {
        kind: Text<'a> = "type",
        uuid: Text<'a> = "uuid",
        step: Text<'a> = "stepUuid",
        part: Part<'a> = "part",
        call: Text<'a> = "toolCallId",
        name: Text<'a> = "name",
        args: Raw<'a> = "args",
        display: Any<Display<'a>> = "display",
        result: Returned<'a> = "result",
        usage: Any<Tokens<'a>> = "usage",
    }
}

lenient! {
    /// What the screen is shown of a call.
    struct Display<'a> {
        cwd: Text<'a> = "cwd",
        plan: Text<'a> = "plan",
    }
}

lenient! {
    /// What a tool returned.
    struct Returned<'a> {
        output: Content<'a> = "output",
        error: Flag = "isError",
        note: Any<Text<'a>> = "note",
    }
}

/// Types that hold nothing for the session. Sorted.
#[rustfmt::skip]
const SILENT: &[&str] = &[
    "full_compaction.begin", "full_compaction.complete", "llm.tools_snapshot", "metadata", "micro_compaction.apply",
    "permission.set_mode", "plan_mode.enter", "plan_mode.exit", "session.meta", "tools.set_active_tools",
    "tools.update_store",
];

/// Takes in a file.
#[derive(Default)]
pub struct Code {
    draft: Draft,
    cwd: Option<String>,
    refused: BTreeSet<String>,
    accounting: Accounting,
    diagnostics: Diagnostics,
}

impl Records for Code {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        let line: Line = serde_json::from_str(text)?;
        if !checked(&line.stray, line.fault(), place, &mut self.diagnostics) {
            self.lost(place);
            return Ok(());
        }
        match self.take(&line, place) {
            None => self.accounting.used(),
            Some("") => {
                let kind = line.event.kind.get().or(line.kind.get()).unwrap_or("(no type)");
                self.diagnostics.add(DiagCode::RecordTypeUnknown, place, format!("`{kind}` on line {}", place.line));
                self.accounting.unknown(kind);
            }
            Some(skipped) => self.accounting.skipped(skipped),
        }
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        self.accounting.damaged();
    }
}

impl Code {
    /// Takes an event: nothing when it was used, else why it was passed over, "" when it is not known.
    fn take(&mut self, line: &Line, place: Locator) -> Option<&'static str> {
        let time = line.time.get().and_then(Timestamp::from_number);
        match line.kind.get().unwrap_or_default() {
            "turn.prompt" | "turn.steer" => match line.origin.0.kind.get() {
                None | Some("user") => self.draft.user(&line.input, place, time),
                _ => self.draft.notice(NoticeKind::Meta, &line.input.said(), place, time),
            },
            "context.append_message" => return self.message(&line.message.0, place, time),
            "context.append_loop_event" => return self.event(&line.event, place, time),
            "context.apply_compaction" => {
                self.draft.notice(NoticeKind::Compaction, line.summary.0.get().unwrap_or_default(), place, time);
            }
            "config.update" | "llm.request" => {
                let named = line.alias.owned().or(line.model.owned());
                match named.filter(|name| self.draft.model.as_ref() != Some(name)) {
                    Some(name) => self.draft.model = Some(name),
                    None => return Some("unchanged-setting"),
                }
            }
            "usage.record" if line.scope.get() == Some("session") => self.draft.beside.add(&line.usage.0.usage()),
            "usage.record" => return Some("mirror"),
            "permission.record_approval_result" => {
                let refused = !matches!(line.result.0.decision.get(), Some("approved") | None);
                match (refused, line.call.owned()) {
                    (true, Some(call)) => _ = self.refused.insert(call),
                    _ => return Some("approval"),
                }
            }
            "turn.ended" => match line.reason.0.get() {
                Some(reason @ ("cancelled" | "interrupted" | "aborted")) => {
                    self.draft.notice(NoticeKind::Interruption, reason, place, time);
                }
                Some(reason @ ("failed" | "error")) => self.draft.notice(NoticeKind::Fault, reason, place, time),
                _ => return Some("turn.ended"),
            },
            kind => return Some(SILENT.iter().find(|known| **known == kind).unwrap_or(&"")),
        }
        None
    }

    /// A message of the context. A prompt stands there once more.
    fn message(&mut self, message: &Message, place: Locator, time: Option<Timestamp>) -> Option<&'static str> {
        let text = message.content.said();
        let by_user = matches!(message.origin.0.kind.get(), None | Some("user"));
        match message.role.get() {
            Some("user") if by_user && self.draft.was_asked(&text) => return Some("mirror"),
            Some("user") if by_user => self.draft.user(&message.content, place, time),
            Some("user") => self.draft.notice(NoticeKind::Meta, &text, place, time),
            _ => return Some("context"),
        }
        None
    }

    fn event(&mut self, event: &Event, place: Locator, time: Option<Timestamp>) -> Option<&'static str> {
        match event.kind.get().unwrap_or_default() {
            "step.begin" => {
                self.draft.begin(event.uuid.owned().unwrap_or_else(|| format!("record {}", place.record)));
                return Some("step.begin");
            }
            "content.part" => match event.part.think.get() {
                Some(think) => self.draft.think(think),
                None => {
                    let text = event.part.text.get().unwrap_or_default();
                    self.draft.text(text, event.uuid.owned(), place, time);
                    // A part is whole here.
                    self.draft.open = false;
                }
            },
            "tool.call" => {
                self.cwd = self.cwd.take().or_else(|| event.display.0.cwd.owned());
                let arguments = event.args.map_or("", |raw| raw.get());
                let name = event.name.get().unwrap_or("(no name)");
                self.draft.call(event.call.owned(), name, arguments, place, time);
                if let Some(plan) = event.display.0.plan.get() {
                    self.draft.plan(plan);
                }
            }
            "tool.result" => {
                let id = event.call.get().unwrap_or_default();
                let output = event.result.output.said();
                let note = event.result.note.0.get().unwrap_or_default();
                let flag = event.result.error.get().or(Some(false));
                let (mut outcome, exit) = ending(&output, note, flag);
                if self.refused.remove(id) {
                    outcome = Outcome::Denied;
                }
                let text = if output.is_empty() { note.to_string() } else { output };
                let given = ResultOf { time, ..ResultOf::new(text, place).ended((outcome, exit)) };
                if let Some(code) = self.draft.result(id, given) {
                    self.diagnostics.add(code, place, format!("line {}: of call {id:?}", place.line));
                }
            }
            "step.end" => match event.usage.0.usage() {
                usage if usage.is_empty() => return Some("step.end"),
                usage => self.draft.spend(usage),
            },
            _ => return Some(""),
        }
        None
    }

    /// The session.
    pub fn finish(self, format: &'static str, input: &Input) -> Session {
        let mut session = SessionBuilder::new(format);
        let (id, parent) = names(input);
        let agent = Some("Kimi Code".to_string());
        session.info = SessionInfo { id, parent, agent, format, cwd: self.cwd, ..SessionInfo::default() };
        session.info.records_outcome = true;
        session.accounting = self.accounting;
        session.diagnostics = self.diagnostics;
        self.draft.tell(&mut session);
        session.finish()
    }
}

/// Id of the session, and of the one that started it: a file lies in `<session>/agents/<agent>/`, the main agent's in
/// `main`.
fn names(input: &Input) -> (String, Option<String>) {
    let mut folders = input.name.rsplit(['/', '\\']).skip(1);
    let (agent, agents, session) = (folders.next(), folders.next(), folders.next());
    match (agent, agents, session) {
        (Some("main"), Some("agents"), Some(session)) => (session.to_string(), None),
        (Some(agent), Some("agents"), Some(session)) => (format!("{session}/{agent}"), Some(session.to_string())),
        _ => (input.stem().to_string(), None),
    }
}
