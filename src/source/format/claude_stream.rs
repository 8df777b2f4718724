//! Output of `claude -p --output-format stream-json`: JSON Lines in the order of what happened, without a tree and
//! mostly without times. Sub-agents stand inline, marked by the call that started them. What responses cost is told by their
//! records as far as it was known when they were written; the total, sub-agents included, by the closing record.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    Card, Format, Recorded,
    anthropic::{
        blocks::{Content, Message},
        emit::{Around, emit},
        structured::ToolUseResult,
        turn::{Piece, Role, Turn},
    },
    claude_code::probes,
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
        builder::SessionBuilder,
        message::{NoticeKind, Usage},
        session::{Session, SessionInfo},
    },
    source::{
        Parsed,
        agents::{self, Agent},
        frame::{Records, checked, json_lines},
        lenient::{Any, Flag, List, Map, Number, Text, lenient},
        open::Input,
        seen::Seen,
        sniff::Sniff,
    },
};

/// See the module.
pub struct ClaudeStream;

impl Format for ClaudeStream {
    fn name(&self) -> &'static str {
        "claude-stream-json"
    }

    fn about(&self) -> &'static str {
        "output of `claude -p --output-format stream-json`"
    }

    fn card(&self) -> Card {
        Card {
            agent: "Claude Code",
            versions: "1.0 to 2.1",
            records: &[
                Recorded::Models,
                Recorded::Tokens,
                Recorded::Cost,
                Recorded::Exits,
                Recorded::Failures,
                Recorded::Cwd,
                Recorded::Todos,
                Recorded::Reasoning,
                Recorded::Subagents,
                Recorded::Compactions,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let sample = seen.sample;
        let (mut own, mut lines) = (0, 0);
        probes(sample, |probe| {
            lines += 1;
            own += usize::from(probe.is_stream() && probe.kind_in(TYPES));
        });
        match own {
            0 => Sniff::No("no record with `type` and `session_id`".into()),
            own if own * 2 >= lines => Sniff::Yes(82, format!("{own} of {lines} sampled lines are its records")),
            own => Sniff::No(format!("only {own} of {lines} sampled lines are its records")),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let mut loader = Loader::default();
        let mut diagnostics = Diagnostics::default();
        json_lines(input, &mut diagnostics, &mut loader)?;
        Ok(loader.finish(self.name(), input.stem(), diagnostics))
    }
}

/// Types of its records; Claude Code 1.0 to 2.1. Sorted.
const TYPES: &[&str] = &[
    "assistant",
    "auth_status",
    "control_request",
    "control_response",
    "keep_alive",
    "prompt_suggestion",
    "rate_limit_event",
    "result",
    "stream_event",
    "system",
    "tool_progress",
    "tool_use_summary",
    "user",
];

/// What a record without a type is counted as.
const UNTYPED: &str = "(no type)";

lenient! {
    /// A line of any type.
    pub struct Record<'a> {
        kind: Text<'a> = "type",
        subtype: Text<'a> = "subtype",
        session: Text<'a> = "session_id",
        uuid: Text<'a> = "uuid",
        parent_tool: Text<'a> = "parent_tool_use_id",
        message: Message<'a> = "message",
        result: Any<ToolUseResult<'a>> = "tool_use_result",
        time: Text<'a> = "timestamp",
        cwd: Text<'a> = "cwd",
        model: Text<'a> = "model",
        version: Text<'a> = "claude_code_version",
        synthetic: Flag = "isSynthetic",
        is_error: Flag = "is_error",
        final_text: Any<Text<'a>> = "result",
        errors: List<Text<'a>> = "errors",
        error: Any<Text<'a>> = "error",
        summary: Any<Text<'a>> = "summary",
        /// What the run cost so far.
        total_cost: Any<Number> = "total_cost_usd",
        /// What the run cost so far, by model.
        models: Any<Map<'a, ModelUsage<'a>>> = "modelUsage",
    }
}

lenient! {
    /// What one model cost.
    pub struct ModelUsage<'a> {
        input: Number = "inputTokens",
        output: Number = "outputTokens",
        read: Number = "cacheReadInputTokens",
        write: Number = "cacheCreationInputTokens",
    }
}

impl Record<'_> {
    /// The total that it tells.
    fn total(&self) -> Option<Usage> {
        let mut sum = Usage { cost: self.total_cost.0.get(), ..Usage::default() };
        for (_, model) in &self.models.0.items {
            let [input, output, cache_read, cache_write] =
                [model.input, model.output, model.read, model.write].map(Number::count);
            sum.add(&Usage { input, output, cache_read, cache_write, ..Usage::default() });
        }
        (!sum.is_empty()).then_some(sum)
    }
}

/// One run: its main conversation and the sub-agents by the call that started them, in order of their first record.
#[derive(Debug, Default)]
struct Run {
    info: SessionInfo,
    accounting: Accounting,
    turns: Vec<Turn>,
    agents: Vec<(String, Vec<Turn>)>,
    seen: BTreeSet<String>,
    /// Working directory by the last record that begins a run.
    cwd: Option<Arc<str>>,
}

/// Takes in a file; several runs may stand in it one after the other.
#[derive(Debug, Default)]
pub(super) struct Loader {
    runs: Vec<Run>,
    unassigned: Accounting,
    diagnostics: Diagnostics,
}

impl Records for Loader {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        self.take(&mut serde_json::from_str(text)?, place);
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        match self.runs.last_mut() {
            Some(run) => run.accounting.damaged(),
            None => self.unassigned.damaged(),
        }
    }
}

impl Loader {
    fn take(&mut self, record: &mut Record, place: Locator) {
        if !checked(&record.stray, record.fault(), place, &mut self.diagnostics) {
            return self.lost(place);
        }
        let content = std::mem::take(&mut record.message.content);
        let record = &*record;
        let kind = record.kind.get().unwrap_or(UNTYPED);
        if !TYPES.contains(&kind) {
            self.diagnostics.add(DiagCode::RecordTypeUnknown, place, format!("`{kind}` on line {}", place.line));
        }
        let repeated = self.run(record).take(record, content, place);
        if repeated {
            self.diagnostics.add(DiagCode::RecordRepeated, place, format!("uuid on line {} stood before", place.line));
        }
    }

    /// The run that a record belongs to: the one of its session id, else the last.
    fn run(&mut self, record: &Record) -> &mut Run {
        let id = record.session.get().unwrap_or_default();
        let at = self.runs.iter().rposition(|run| id.is_empty() || run.info.id == id || run.info.id.is_empty());
        let at = at.unwrap_or_else(|| {
            self.runs.push(Run::default());
            self.runs.len() - 1
        });
        let run = &mut self.runs[at];
        if run.info.id.is_empty() {
            run.info.id = id.to_string();
        }
        run
    }

    /// The sessions of the file.
    pub(super) fn finish(mut self, format: &'static str, stem: &str, mut diagnostics: Diagnostics) -> Parsed {
        diagnostics.extend(self.diagnostics);
        let sessions = self.runs.drain(..).map(|run| run.tell(format, stem)).collect();
        Parsed { sessions, unassigned: self.unassigned, diagnostics }.settled()
    }
}

impl Run {
    /// Takes a record; says whether it stood before.
    fn take(&mut self, record: &Record, content: Content, place: Locator) -> bool {
        let kind = record.kind.get().unwrap_or(UNTYPED);
        if let Some(uuid) = record.uuid.owned()
            && matches!(kind, "user" | "assistant")
            && !self.seen.insert(uuid)
        {
            self.accounting.skipped("repeated");
            return true;
        }
        match kind {
            "user" => self.turn(record, Role::User, content, place),
            "assistant" => self.turn(record, Role::Assistant, content, place),
            "system" => self.system(record, place),
            "result" => self.result(record, place),
            kind if TYPES.contains(&kind) => self.accounting.skipped(kind),
            kind => self.accounting.unknown(kind),
        }
        false
    }

    fn turn(&mut self, record: &Record, role: Role, content: Content, place: Locator) {
        self.accounting.used();
        let mut turn = Turn::new(role, place);
        turn.uuid = record.uuid.owned();
        turn.message_id = record.message.id.owned();
        turn.model = record.message.model.owned();
        turn.cwd.clone_from(&self.cwd);
        turn.usage = record.message.usage.0.usage(Number::Absent);
        turn.time = record.time.get().and_then(Timestamp::parse);
        turn.pieces = content.pieces();
        turn.pieces.extend(record.message.stray.owned().map(Piece::Said));
        turn.meta = record.synthetic.set();
        turn.api_error = role == Role::Assistant && record.error.0.get().is_some();
        turn.structured = record.result.0.keep(false);
        self.conversation(record).push(turn);
    }

    fn conversation(&mut self, record: &Record) -> &mut Vec<Turn> {
        let Some(call) = record.parent_tool.get() else { return &mut self.turns };
        let at = self.agents.iter().position(|(key, _)| key == call).unwrap_or_else(|| {
            self.agents.push((call.to_string(), Vec::new()));
            self.agents.len() - 1
        });
        &mut self.agents[at].1
    }

    fn system(&mut self, record: &Record, place: Locator) {
        let kind = match record.subtype.get().unwrap_or_default() {
            "init" => {
                let info = &mut self.info;
                info.cwd = info.cwd.take().or_else(|| record.cwd.owned());
                self.cwd = record.cwd.get().map(Arc::from).or(self.cwd.take());
                info.version = info.version.take().or_else(|| record.version.owned());
                return self.accounting.used();
            }
            "compact_boundary" => NoticeKind::Compaction,
            "api_error" | "api_retry" => NoticeKind::Fault,
            "task_notification" => NoticeKind::Meta,
            _ => return self.accounting.skipped("system"),
        };
        let text = record.summary.0.get().or(record.error.0.get()).or(record.subtype.get()).unwrap_or_default();
        self.accounting.used();
        self.turns.push(notice(kind, text.to_string(), place));
    }

    /// The closing record of a run. One that tells of success repeats the last text.
    fn result(&mut self, record: &Record, place: Locator) {
        // Each such record tells the total so far.
        self.info.usage = record.total().or(self.info.usage);
        let subtype = record.subtype.get().unwrap_or_default();
        if !record.is_error.set() && !subtype.starts_with("error") {
            return self.accounting.skipped("result");
        }
        self.accounting.used();
        let errors = record.errors.items.iter().filter_map(Text::get);
        let told: Vec<&str> = [subtype].into_iter().chain(record.final_text.0.get()).chain(errors).collect();
        self.turns.push(notice(NoticeKind::Fault, told.join(": "), place));
    }

    fn tell(self, format: &'static str, stem: &str) -> Session {
        let mut session = SessionBuilder::new(format);
        session.info = SessionInfo { format, ..self.info };
        if session.info.id.is_empty() {
            session.info.id = stem.to_string();
        }
        session.accounting = self.accounting;
        let id = session.info.id.clone();
        let names = names(&self.turns);
        emit(&mut session, self.turns, &Around { spawned: &names, stored: &|_| None });
        let agents = self.agents.into_iter().map(|(call, turns)| {
            let mut agent = SessionBuilder::new(format);
            agent.info.id = names.get(&call).unwrap_or(&call).clone();
            agent.info.parent = Some(id.clone());
            emit(&mut agent, turns, &Around { spawned: &BTreeMap::new(), stored: &|_| None });
            Agent { spawned_by: Some(call), session: agent.finish() }
        });
        let agents = agents.collect();
        agents::attach(session.finish(), agents)
    }
}

/// Ids of sub-agents by the call that started them, where a result tells.
fn names(turns: &[Turn]) -> BTreeMap<String, String> {
    let named = turns.iter().filter_map(|turn| {
        let agent = turn.structured.as_ref()?.agent.clone()?;
        Some((turn.answered().next()?.to_string(), agent))
    });
    named.collect()
}

fn notice(kind: NoticeKind, text: String, place: Locator) -> Turn {
    let mut turn = Turn::new(Role::Notice(kind), place);
    turn.pieces = vec![Piece::Said(text)];
    turn
}
