//! Telemetry of OpenClaw: what its gateway does, one event per line. A run of the agent begins with a copy of the
//! messages so far, which holds what the events leave out (texts, results, times): the copies tell the story up to the
//! last of them, the events go on from there. Sub-agents have keys of their own. Sessions themselves are in pi's format.

use std::collections::{BTreeMap, HashSet};

use super::{Card, Format, Recorded};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        error::Error,
        locate::Locator,
        time::Timestamp,
    },
    model::{
        accounting::Accounting,
        builder::{Field, Origin, ResultOf, SessionBuilder},
        message::{NoticeKind, Outcome, Usage},
        session::SessionInfo,
    },
    source::{
        Parsed,
        agents::{self, Agent},
        exit_words,
        fields::fields,
        frame::{Records, checked, json_lines},
        lenient::{Any, Flag, List, Number, Raw, Text, lenient},
        open::Input,
        seen::{Seen, has, text},
        sniff::Sniff,
        tool_names::kind_of,
    },
};

/// See the module.
pub struct OpenClaw;

impl Format for OpenClaw {
    fn name(&self) -> &'static str {
        "openclaw"
    }

    fn about(&self) -> &'static str {
        "telemetry of OpenClaw (`telemetry.jsonl`)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "OpenClaw",
            versions: "2026",
            records: &[
                Recorded::Times,
                Recorded::Models,
                Recorded::Tokens,
                Recorded::Cost,
                Recorded::Failures,
                Recorded::Reasoning,
                Recorded::Subagents,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let (own, lines) = seen.vote(|line| TYPES.contains(&text(line, "type")));
        let marked = seen.vote(|line| has(line, &["sessionKey", "agentId"])).0;
        match own {
            0 => Sniff::No("no event of an agent, a tool or a message".into()),
            own if marked > 0 && own * 2 >= lines => {
                Sniff::Yes(90, format!("{own} of {lines} sampled lines are its events"))
            }
            own => {
                Sniff::No(format!("{own} of {lines} sampled lines look like its events, but none has a `sessionKey`"))
            }
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let mut loader = Loader::default();
        let mut diagnostics = Diagnostics::default();
        json_lines(input, &mut diagnostics, &mut loader)?;
        Ok(loader.finish(self.name(), input.stem(), diagnostics))
    }
}

/// Types of events. Sorted.
const TYPES: &[&str] = &[
    "agent.end",
    "agent.start",
    "llm.usage",
    "message.in",
    "message.out",
    "message.sending",
    "tool.end",
    "tool.start",
];

lenient! {
    /// A line.
    struct Event<'a> {
        kind: Text<'a> = "type",
        key: Text<'a> = "sessionKey",
        prompt: Text<'a> = "prompt",
        messages: Raw<'a> = "messages",
        tool: Text<'a> = "toolName",
        params: Raw<'a> = "params",
        success: Flag = "success",
        error: Any<Text<'a>> = "error",
        content: Any<Text<'a>> = "content",
    }
}

lenient! {
    /// A message of a copy.
    struct Copied<'a> {
        role: Text<'a> = "role",
        content: Raw<'a> = "content",
        time: Number = "timestamp",
        model: Text<'a> = "model",
        usage: Any<Tokens<'a>> = "usage",
        call: Text<'a> = "toolCallId",
        error: Flag = "isError",
    }
}

lenient! {
    /// A part of its content.
    struct Part<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        thinking: Text<'a> = "thinking",
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        arguments: Raw<'a> = "arguments",
    }
}

lenient! {
    /// Tokens of a response.
    struct Tokens<'a> {
        input: Number = "input",
        output: Number = "output",
        read: Number = "cacheRead",
        written: Number = "cacheWrite",
        cost: Any<Cost<'a>> = "cost",
    }
}

lenient! {
    /// What it cost.
    struct Cost<'a> {
        total: Number = "total",
    }
}

lenient! {
    /// What starting a sub-agent returns.
    struct Started<'a> {
        key: Text<'a> = "childSessionKey",
    }
}

/// Something that happened.
enum Act {
    User(String),
    Text(String),
    Call(String, Vec<Field>, Option<ResultOf>),
    Result(String, ResultOf),
    Notice(NoticeKind, String),
}

/// One conversation: what the copies told, and what events told since.
#[derive(Default)]
struct Conversation {
    told: Vec<(Origin, Act)>,
    since: Vec<(Origin, Act)>,
    met: HashSet<String>,
}

#[derive(Default)]
struct Loader {
    /// By key, the main conversation under "".
    conversations: BTreeMap<String, Conversation>,
    accounting: Accounting,
    diagnostics: Diagnostics,
    id: String,
}

impl Records for Loader {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        let event: Event = serde_json::from_str(text)?;
        if !checked(&event.stray, event.fault(), place, &mut self.diagnostics) {
            self.lost(place);
            return Ok(());
        }
        self.take(&event, place);
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        self.accounting.damaged();
    }
}

impl Loader {
    fn take(&mut self, event: &Event, place: Locator) {
        let key = event.key.get().unwrap_or_default();
        if self.id.is_empty() && !key.contains(":subagent:") {
            self.id = key.to_string();
        }
        // A channel has a key of its own for the conversation of the main agent.
        let key = if key.contains(":subagent:") { key } else { "" };
        let into = self.conversations.entry(key.to_string()).or_default();
        let origin = Origin { place, ..Origin::default() };
        match event.kind.get().unwrap_or_default() {
            "agent.start" => {
                if let Some(messages) = event.messages {
                    into.copied(messages.get(), place);
                }
                let prompt = event.prompt.get().unwrap_or_default();
                match into.was_asked(prompt) || prompt.trim().is_empty() {
                    true => {}
                    false if prompt.starts_with("[Inter-session message]") => {
                        into.since.push((origin, Act::Notice(NoticeKind::Meta, prompt.to_string())));
                    }
                    false => into.since.push((origin, Act::User(prompt.to_string()))),
                }
            }
            "tool.start" => {
                let name = event.tool.get().unwrap_or("(no name)").to_string();
                let input = event.params.map(|raw| fields(raw.get())).unwrap_or_default();
                into.since.push((origin, Act::Call(name, input, None)));
            }
            "tool.end" => {
                if !into.ended(event, place) {
                    self.diagnostics.add(DiagCode::ResultWithoutCall, place, format!("line {}", place.line));
                }
            }
            "message.out" => {
                let text = event.content.0.get().unwrap_or_default();
                if text.trim().is_empty() || into.has_said(text) {
                    return self.accounting.skipped("mirror");
                }
                into.since.push((origin, Act::Text(text.to_string())));
            }
            "message.in" | "message.sending" => return self.accounting.skipped("mirror"),
            "agent.end" | "llm.usage" => return self.accounting.skipped("run"),
            kind => {
                let kind = if kind.is_empty() { "(no type)" } else { kind };
                self.diagnostics.add(DiagCode::RecordTypeUnknown, place, format!("`{kind}` on line {}", place.line));
                return self.accounting.unknown(kind);
            }
        }
        self.accounting.used();
    }

    fn finish(mut self, format: &'static str, stem: &str, diagnostics: Diagnostics) -> Parsed {
        let mut main = SessionBuilder::new(format);
        let id = if self.id.is_empty() { stem.to_string() } else { self.id };
        main.info = SessionInfo { id: id.clone(), format, records_outcome: true, ..SessionInfo::default() };
        main.accounting = self.accounting;
        main.diagnostics = diagnostics;
        main.diagnostics.extend(self.diagnostics);
        self.conversations.remove("").unwrap_or_default().tell(&mut main);
        let agents = self.conversations.into_iter().map(|(key, conversation)| {
            let mut session = SessionBuilder::new(format);
            session.info.id = key;
            session.info.parent = Some(id.clone());
            session.info.records_outcome = true;
            conversation.tell(&mut session);
            Agent { spawned_by: None, session: session.finish() }
        });
        let session = agents::attach(main.finish(), agents.collect());
        Parsed { sessions: vec![session], ..Parsed::default() }
    }
}

impl Conversation {
    /// A copy of the messages so far: what is new in it, in place of what events told of that.
    fn copied(&mut self, messages: &str, place: Locator) {
        let Ok(list) = serde_json::from_str::<List<Raw>>(messages) else { return };
        let before = self.told.len();
        for raw in list.items.into_iter().flatten() {
            let Ok(message) = serde_json::from_str::<Copied>(raw.get()) else { continue };
            let (role, call) = (message.role.get().unwrap_or_default(), message.call.get().unwrap_or_default());
            let time = message.time.get().map_or(String::new(), |time| time.to_string());
            if self.met.insert(format!("{role} {time} {call}")) {
                self.message(&message, place);
            }
        }
        // A copy without anything new does not hold what happened since the last one.
        if self.told.len() > before {
            self.since.clear();
        }
    }

    fn message(&mut self, message: &Copied, place: Locator) {
        let time = message.time.get().and_then(Timestamp::from_number);
        let turn = Some(format!("{} {}", place.record, self.told.len()));
        let mut origin = Origin { place, time, turn, model: message.model.owned(), ..Origin::default() };
        let raw = message.content.map_or("null", |raw| raw.get());
        let parts: List<Part> = serde_json::from_str(raw).unwrap_or_default();
        let plain: Text = serde_json::from_str(raw).unwrap_or_default();
        let texts = || {
            let of = parts.items.iter().filter_map(|part| part.text.get().or(part.stray.get()));
            plain.owned().unwrap_or_else(|| of.collect::<Vec<_>>().join("\n"))
        };
        match message.role.get().unwrap_or_default() {
            "user" => self.told.push((origin, Act::User(texts()))),
            "toolResult" => {
                let text = texts();
                let started: Option<Started> = serde_json::from_str(&text).ok();
                let (said, exit) = exit_words::ending(&text);
                let outcome = match message.error.get() {
                    Some(true) => Outcome::Failed,
                    Some(false) if said == Outcome::NotRecorded => Outcome::Ok,
                    _ => said,
                };
                let spawned = started.and_then(|started| started.key.owned());
                let given = ResultOf { time, spawned, ..ResultOf::new(text, place).ended((outcome, exit)) };
                self.told.push((origin, Act::Result(message.call.owned().unwrap_or_default(), given)));
            }
            "assistant" => {
                let usage = message.usage.0.usage();
                origin.usage = Some(usage).filter(|usage| !usage.is_empty());
                for part in &parts.items {
                    match part.kind.get().unwrap_or_default() {
                        "thinking" => origin.reasoning.push_str(part.thinking.get().unwrap_or_default()),
                        "toolCall" => {
                            let mut of = first(&mut origin);
                            of.ids.call = part.id.owned();
                            let input = part.arguments.map(|raw| fields(raw.get())).unwrap_or_default();
                            let name = part.name.get().unwrap_or("(no name)").to_string();
                            self.told.push((of, Act::Call(name, input, None)));
                        }
                        _ => {
                            let text = part.text.owned().unwrap_or_default();
                            if !text.trim().is_empty() {
                                let of = first(&mut origin);
                                self.told.push((of, Act::Text(text)));
                            }
                        }
                    }
                }
            }
            _ => self.told.push((origin, Act::Notice(NoticeKind::Meta, texts()))),
        }
    }

    /// Whether the last thing that was said is this prompt.
    fn was_asked(&self, prompt: &str) -> bool {
        let last = self.told.iter().chain(&self.since).next_back();
        matches!(last, Some((_, Act::User(known) | Act::Notice(_, known))) if known == prompt)
    }

    fn has_said(&self, text: &str) -> bool {
        const BACK: usize = 8;
        let recent = self.told.iter().chain(&self.since).rev().take(BACK);
        recent.into_iter().any(|(_, act)| matches!(act, Act::Text(known) if known == text))
    }

    /// The first call of the tool that has not ended yet.
    fn ended(&mut self, event: &Event, place: Locator) -> bool {
        let name = event.tool.get().unwrap_or("(no name)");
        let open = self.since.iter_mut().find_map(|(_, act)| match act {
            Act::Call(known, _, result @ None) if known == name => Some(result),
            _ => None,
        });
        let outcome = match event.success.get() {
            Some(true) => Outcome::Ok,
            Some(false) => Outcome::Failed,
            None => Outcome::NotRecorded,
        };
        let Some(open) = open else {
            // A copy that was taken meanwhile holds the call.
            return !self.told.is_empty();
        };
        let text = event.error.0.get().unwrap_or_default();
        *open = Some(ResultOf { outcome, ..ResultOf::new(text, place) });
        true
    }

    fn tell(self, session: &mut SessionBuilder) {
        for (origin, act) in self.told.into_iter().chain(self.since) {
            match act {
                Act::User(text) => session.user(origin, text),
                Act::Text(text) => session.text(origin, text),
                Act::Notice(kind, text) => session.notice(kind, origin.place, origin.time, text),
                Act::Result(id, given) => _ = session.result(&id, given),
                Act::Call(name, input, result) => {
                    session.call(origin, &name, kind_of(&name), input);
                    if let Some(result) = result {
                        session.result_of_last(result);
                    }
                }
            }
        }
    }
}

/// The origin of the next part of a response: its tokens and its reasoning are told once.
fn first(origin: &mut Origin) -> Origin {
    let rest = Origin { usage: None, reasoning: String::new(), ..origin.clone() };
    std::mem::replace(origin, rest)
}

impl Tokens<'_> {
    fn usage(&self) -> Usage {
        Usage {
            input: self.input.count(),
            output: self.output.count(),
            cache_read: self.read.count(),
            cache_write: self.written.count(),
            reasoning: None,
            cost: self.cost.0.total.get(),
        }
    }
}
