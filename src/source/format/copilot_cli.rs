//! Events of GitHub Copilot's command-line agent (`events.jsonl`): each links the one before it; a call stands in the
//! message that asks for it and again where its execution starts. The task list is a table that the agent writes with
//! SQL; the database beside the log holds its last state. Tokens are whole only in the closing record.

use std::collections::{BTreeMap, HashSet};

use serde_json::{json, value::RawValue};

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
        message::{Aliases, Cut, Exit, NoticeKind, Outcome, ToolKind, Usage},
    },
    source::{
        Parsed,
        agents::{self, Agent},
        exit_words::flagged,
        fields::fields,
        frame::{Records, checked, json_lines},
        lenient::{Any, Flag, List, Number, Raw, Text, lenient},
        open::Input,
        seen::{Seen, has, text},
        sniff::Sniff,
        tool_names::kind_of,
    },
    text::cut_mark,
};

/// See the module.
pub struct CopilotCli;

/// Events that give nothing to the session. Sorted.
const BOOKKEEPING: &[&str] = &[
    "assistant.intent",
    "assistant.message_delta",
    "assistant.reasoning_delta",
    "assistant.turn_end",
    "assistant.turn_start",
    "assistant.usage",
    "hook.end",
    "hook.start",
    "permission.completed",
    "permission.requested",
    "session.auto_mode_resolved",
    "session.binary_asset",
    "session.compaction_start",
    "session.context_changed",
    "session.handoff",
    "session.idle",
    "session.import_legacy",
    "session.info",
    "session.snapshot_rewind",
    "session.todos_changed",
    "session.tools_updated",
    "session.usage_checkpoint",
    "session.usage_info",
    "session.warning",
    "session.workspace_file_changed",
    "subagent.completed",
    "subagent.deselected",
    "subagent.failed",
    "subagent.selected",
    "system.message",
    "system.notification",
    "tool.execution_partial_result",
    "tool.execution_progress",
    "tool.user_requested",
    "user_input.completed",
    "user_input.requested",
];

lenient! {
    /// A line.
    pub struct Event<'a> {
        kind: Text<'a> = "type",
        id: Text<'a> = "id",
        time: Text<'a> = "timestamp",
        agent: Any<Text<'a>> = "agentId",
        data: Data<'a> = "data",
    }
}

lenient! {
    /// Data of an event of any type.
    pub struct Data<'a> {
        session: Text<'a> = "sessionId",
        version: Text<'a> = "copilotVersion",
        selected: Any<Text<'a>> = "selectedModel",
        context: Context<'a> = "context",
        content: Any<Text<'a>> = "content",
        source: Any<Text<'a>> = "source",
        message_id: Any<Text<'a>> = "messageId",
        reasoning: Any<Text<'a>> = "reasoningText",
        model: Any<Text<'a>> = "model",
        output_tokens: Any<Number> = "outputTokens",
        requests: List<Request<'a>> = "toolRequests",
        call: Text<'a> = "toolCallId",
        tool: Text<'a> = "toolName",
        arguments: Raw<'a> = "arguments",
        success: Flag = "success",
        result: Returned<'a> = "result",
        error: Any<Failure<'a>> = "error",
        shell: Any<Shell<'a>> = "shellExecution",
        agent_name: Any<Text<'a>> = "agentName",
        summary: Any<Text<'a>> = "summaryContent",
        message: Any<Text<'a>> = "message",
        reason: Any<Text<'a>> = "reason",
        previous_mode: Any<Text<'a>> = "previousMode",
        new_mode: Any<Text<'a>> = "newMode",
        operation: Any<Text<'a>> = "operation",
        new_model: Any<Text<'a>> = "newModel",
        title: Any<Text<'a>> = "title",
        done: Any<Text<'a>> = "summary",
        metrics: Raw<'a> = "modelMetrics",
    }
}

lenient! {
    /// Where a session runs.
    pub struct Context<'a> {
        cwd: Text<'a> = "cwd",
        branch: Text<'a> = "branch",
    }
}

lenient! {
    /// A call that a message asks for.
    pub struct Request<'a> {
        id: Text<'a> = "toolCallId",
        name: Text<'a> = "name",
        arguments: Raw<'a> = "arguments",
    }
}

lenient! {
    /// What a tool returned.
    pub struct Returned<'a> {
        content: Text<'a> = "content",
        detailed: Any<Text<'a>> = "detailedContent",
        contents: List<Part<'a>> = "contents",
    }
}

lenient! {
    /// A part of what a tool returned.
    pub struct Part<'a> {
        kind: Text<'a> = "type",
        exit: Any<Number> = "exitCode",
    }
}

lenient! {
    /// Why a call failed.
    pub struct Failure<'a> {
        message: Text<'a> = "message",
        code: Any<Text<'a>> = "code",
    }
}

lenient! {
    /// How a command ended.
    pub struct Shell<'a> {
        exit: Number = "exitCode",
    }
}

lenient! {
    /// Tokens of a model in the closing record.
    pub struct Metrics<'a> {
        usage: Tokens<'a> = "usage",
    }
}

lenient! {
    /// Tokens; those of the prompt include what was read from and written to caches.
    pub struct Tokens<'a> {
        input: Number = "inputTokens",
        output: Number = "outputTokens",
        cache_read: Number = "cacheReadTokens",
        cache_write: Number = "cacheWriteTokens",
        reasoning: Number = "reasoningTokens",
    }
}

impl Format for CopilotCli {
    fn name(&self) -> &'static str {
        "copilot-cli"
    }

    fn about(&self) -> &'static str {
        "events of GitHub Copilot CLI (`events.jsonl`)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "GitHub Copilot CLI",
            versions: "0.0.330 to 1.0",
            records: &[
                Recorded::Times,
                Recorded::Models,
                Recorded::Tokens,
                Recorded::Exits,
                Recorded::Failures,
                Recorded::Cwd,
                Recorded::Branch,
                Recorded::Todos,
                Recorded::Reasoning,
                Recorded::Subagents,
                Recorded::Compactions,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let (starts, _) = seen.vote(|n| text(n, "type") == "session.start" && has(n, &["data"]));
        let (own, of) = seen
            .vote(|n| text(n, "type").contains('.') && has(n, &["id", "timestamp", "data"]) && has(n, &["parentId"]));
        match (starts, own) {
            (1.., own) if own * 2 >= of => Sniff::Yes(93, format!("`session.start`, {own} of {of} lines are events")),
            (_, own) if own * 2 >= of && own > 0 => Sniff::Yes(80, format!("{own} of {of} lines are its events")),
            _ => Sniff::No("no events with dotted `type`, `id`, `parentId` and `data`".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let mut loader = Loader::new(self.name());
        let mut diagnostics = Diagnostics::default();
        json_lines(input, &mut diagnostics, &mut loader)?;
        let mut main = loader.main;
        main.session.diagnostics.extend(diagnostics);
        let id = main.session.info.id.clone();
        let stem = if input.stem() == "events" { input.folder_name() } else { input.stem() };
        main.session.info.id = if id.is_empty() { stem.to_string() } else { id };
        main.session.info.records_outcome = true;
        main.session.info.title = main.session.info.title.take().or_else(|| title(input));
        if let Some(rows) = last_todos(input) {
            let text = format!("the task list at the end: {rows}");
            main.session.notice(NoticeKind::Meta, Locator::default(), None, text);
        }
        let parent = main.session.info.id.clone();
        let agents = loader.agents.into_iter().map(|(key, mut told)| {
            told.session.info.id = key;
            told.session.info.parent = Some(parent.clone());
            told.session.info.records_outcome = true;
            Agent { spawned_by: told.spawned_by, session: told.session.finish() }
        });
        let agents = agents.collect();
        Ok(Parsed { sessions: vec![agents::attach(main.session.finish(), agents)], ..Default::default() })
    }
}

/// The title in `workspace.yaml` beside the events.
fn title(input: &Input) -> Option<String> {
    let bytes = input.beside("workspace.yaml")?.bytes().ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)).map(|v| v.trim().trim_matches('"'));
    value("name:").or_else(|| value("summary:")).filter(|title| !title.is_empty()).map(str::to_string)
}

/// Rows of the task list in the database beside the events.
fn last_todos(input: &Input) -> Option<String> {
    let database = input.beside("session.db")?.database().ok()?;
    if !["id", "title", "status"].iter().all(|column| database.has("todos", column)) {
        return None;
    }
    let mut rows = Vec::new();
    let text = |row: &crate::source::database::Row, at| row.text(at).map(|text| text.into_owned());
    let read = database.rows("SELECT id, title, status FROM todos ORDER BY rowid", &[], |row| {
        rows.push(json!({ "id": text(row, 0), "title": text(row, 1), "status": text(row, 2) }));
    });
    (read.is_ok() && !rows.is_empty()).then(|| serde_json::Value::Array(rows).to_string())
}

/// The main session or a sub-agent's.
struct Told {
    session: SessionBuilder,
    calls: HashSet<String>,
    spawned_by: Option<String>,
    thought: String,
}

struct Loader {
    format: &'static str,
    main: Told,
    agents: Vec<(String, Told)>,
}

impl Records for Loader {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        let mut event: Event = serde_json::from_str(text)?;
        if !checked(&event.stray, event.fault(), place, &mut self.main.session.diagnostics) {
            self.main.session.accounting.damaged();
            return Ok(());
        }
        if event.kind.get() == Some("subagent.started") {
            self.started(&event);
            return Ok(());
        }
        let into = match event.agent.0.get() {
            Some(key) => self.agent(key),
            None => &mut self.main,
        };
        into.take(&mut event, place);
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        self.main.session.accounting.damaged();
    }
}

impl Loader {
    fn new(format: &'static str) -> Self {
        Self { format, main: Told::new(format), agents: Vec::new() }
    }

    fn agent(&mut self, key: &str) -> &mut Told {
        let at = self.agents.iter().position(|(known, _)| known == key).unwrap_or_else(|| {
            self.agents.push((key.to_string(), Told::new(self.format)));
            self.agents.len() - 1
        });
        &mut self.agents[at].1
    }

    /// A sub-agent begins: its events carry its id; older ones stand among the others and are told apart by nothing.
    fn started(&mut self, event: &Event) {
        let Some(key) = event.agent.0.get() else { return self.main.session.accounting.skipped("subagent.started") };
        let told = self.agent(key);
        told.spawned_by = event.data.call.owned();
        told.session.info.agent = event.data.agent_name.0.owned();
        told.session.accounting.used();
    }
}

impl Told {
    fn new(format: &'static str) -> Self {
        let session = SessionBuilder::new(format);
        Self { session, calls: HashSet::new(), spawned_by: None, thought: String::new() }
    }

    fn take(&mut self, event: &mut Event, place: Locator) {
        let time = event.time.get().and_then(Timestamp::parse);
        let ids = Aliases { message: event.id.owned(), ..Default::default() };
        let origin = Origin { ids, time, place, ..Default::default() };
        let data = &mut event.data;
        let kind = event.kind.get().unwrap_or("(no type)");
        match kind {
            "session.start" | "session.resume" => self.start(data),
            "session.title_changed" => self.session.info.title = data.title.0.owned(),
            "session.model_change" => self.session.model(data.new_model.0.get().unwrap_or_default()),
            "user.message" => self.user(data, origin),
            "assistant.message" => self.message(data, origin),
            "assistant.reasoning" => self.think(data.content.0.get()),
            "tool.execution_start" => {
                let (id, name) = (data.call.owned(), data.tool.take().unwrap_or_default());
                self.call(origin, id, &name, data.arguments);
            }
            "tool.execution_complete" => self.complete(data, origin),
            "session.shutdown" => self.session.info.usage = totals(data.metrics).or(self.session.info.usage),
            kind => match notice(kind, data) {
                Some((kind, text)) => self.session.notice(kind, place, time, text),
                None if BOOKKEEPING.binary_search(&kind).is_ok() => return self.session.accounting.skipped(kind),
                None => {
                    let told = format!("`{kind}` on line {}", place.line);
                    self.session.diagnostics.add(DiagCode::RecordTypeUnknown, place, told);
                    return self.session.accounting.unknown(kind);
                }
            },
        }
        self.session.accounting.used();
    }

    fn start(&mut self, data: &Data) {
        self.session.model(data.selected.0.get().unwrap_or_default());
        let info = &mut self.session.info;
        if info.id.is_empty() {
            info.id = data.session.owned().unwrap_or_default();
        }
        info.version = info.version.take().or_else(|| data.version.owned());
        info.cwd = info.cwd.take().or_else(|| data.context.cwd.owned());
        info.branch = info.branch.take().or_else(|| data.context.branch.owned());
    }

    fn user(&mut self, data: &mut Data, origin: Origin) {
        let text = data.content.0.take().unwrap_or_default();
        // Skills and hooks speak in the user's place and name themselves.
        let other = data.source.0.get().is_some_and(|source| !matches!(source, "user" | "keyboard" | "cli" | "prompt"));
        if other {
            self.session.notice(NoticeKind::Meta, origin.place, origin.time, text);
        } else if !text.trim().is_empty() {
            self.session.user(origin, text);
        }
    }

    fn think(&mut self, text: Option<&str>) {
        let text = text.unwrap_or_default();
        // The reasoning of a message may stand in a record of its own besides.
        if !text.is_empty() && !self.thought.contains(text) {
            self.thought += if self.thought.is_empty() { "" } else { "\n" };
            self.thought += text;
        }
    }

    fn message(&mut self, data: &mut Data, origin: Origin) {
        self.think(data.reasoning.0.get());
        let output = data.output_tokens.0.count();
        let usage = output.map(|output| Usage { output: Some(output), ..Default::default() });
        let turn = data.message_id.0.owned().or_else(|| origin.ids.message.clone());
        let mut origin = Origin { turn, model: data.model.0.owned(), usage, ..origin };
        if let Some(id) = data.message_id.0.owned() {
            origin.ids.also.push(id);
        }
        let text = data.content.0.take().unwrap_or_default();
        if !text.trim().is_empty() {
            let reasoning = std::mem::take(&mut self.thought);
            self.session.text(Origin { reasoning, ..origin.clone() }, text);
        }
        for request in std::mem::take(&mut data.requests.items) {
            let (id, name) = (request.id.owned(), request.name.get().unwrap_or_default().to_string());
            self.call(origin.clone(), id, &name, request.arguments);
        }
    }

    /// A call, unless it was told before.
    fn call(&mut self, mut origin: Origin, id: Option<String>, name: &str, arguments: Option<&RawValue>) {
        if let Some(id) = &id
            && !self.calls.insert(id.clone())
        {
            return;
        }
        let raw = arguments.map_or("", RawValue::get);
        let kind = match kind_of(name) {
            _ if name == "sql" && raw.contains("todo") => ToolKind::Todo,
            kind => kind,
        };
        origin.ids.call = id;
        origin.reasoning = std::mem::take(&mut self.thought);
        self.session.call(origin, name, kind, fields(raw));
    }

    fn complete(&mut self, data: &mut Data, origin: Origin) {
        let place = origin.place;
        let error = data.error.0.message.take();
        let detailed = data.result.detailed.0.take();
        let content = data.result.content.take().filter(|text| !text.is_empty());
        let text = content.or(detailed).or(error).unwrap_or_default();
        let (mut outcome, words) = flagged(&text, data.success.get().map(|success| !success));
        if data.error.0.code.0.get().is_some_and(|code| matches!(code, "rejected" | "denied")) {
            outcome = Outcome::Denied;
        }
        let parts = data.result.contents.items.iter();
        let parts = parts.filter(|part| matches!(part.kind.get(), Some("shell_exit" | "terminal")));
        let code = data.shell.0.exit.whole().or_else(|| parts.filter_map(|part| part.exit.0.whole()).next_back());
        let exit = code.map_or(words, |code| Exit::Code(code as i32));
        if matches!(exit, Exit::Code(code) if code != 0) && outcome == Outcome::Ok {
            outcome = Outcome::Failed;
        }
        let cut = cut_mark::by_tool(&text).then_some(Cut::ByTool);
        let result = ResultOf { cut, time: origin.time, ..ResultOf::new(text, place) }.ended((outcome, exit));
        self.session.result(data.call.get().unwrap_or_default(), result);
    }
}

/// What an event tells that is no message.
fn notice(kind: &str, data: &mut Data) -> Option<(NoticeKind, String)> {
    let said = |text: &mut Any<Text>| text.0.take().unwrap_or_default();
    Some(match kind {
        "session.compaction_complete" => (NoticeKind::Compaction, said(&mut data.summary)),
        "session.truncation" => (NoticeKind::Compaction, "the context was truncated".to_string()),
        "session.error" => (NoticeKind::Fault, said(&mut data.message)),
        "abort" => (NoticeKind::Interruption, said(&mut data.reason)),
        "session.mode_changed" => {
            let (from, to) = (said(&mut data.previous_mode), said(&mut data.new_mode));
            (NoticeKind::Meta, format!("mode {from} to {to}"))
        }
        "session.plan_changed" => (NoticeKind::Meta, format!("plan: {}", said(&mut data.operation))),
        "session.task_complete" => (NoticeKind::Meta, format!("task complete: {}", said(&mut data.done))),
        "skill.invoked" => (NoticeKind::Meta, said(&mut data.content)),
        _ => return None,
    })
}

/// Tokens of all models together; the prompt's without those of caches.
fn totals(metrics: Option<&RawValue>) -> Option<Usage> {
    let models: BTreeMap<String, Metrics> = serde_json::from_str(metrics?.get()).ok()?;
    let mut sum = Usage::default();
    for tokens in models.values().map(|model| &model.usage) {
        let (read, write) = (tokens.cache_read.count(), tokens.cache_write.count());
        let cached = read.unwrap_or(0) + write.unwrap_or(0);
        sum.add(&Usage {
            input: tokens.input.count().map(|input| input.saturating_sub(cached)),
            output: tokens.output.count(),
            cache_read: read,
            cache_write: write,
            reasoning: tokens.reasoning.count(),
            cost: None,
        });
    }
    (!sum.is_empty()).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_sorted_for_the_search() {
        assert!(BOOKKEEPING.is_sorted());
    }
}
