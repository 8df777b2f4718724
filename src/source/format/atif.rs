//! Agent Trajectory Interchange Format (Harbor, VS Code, Devin, NeMo and others): one document `{schema_version, agent,
//! steps}`. Converters differ in what they make of an agent: results without the id of their call, a response spread over
//! several steps of one time, texts that only say "Executed Bash", outputs that stand twice in one result. Sub-agents may
//! be embedded; steps that a continued trajectory repeats are marked and passed over.

use super::{Card, Format, Recorded};
use crate::{
    base::{diag::DiagCode, error::Error, locate::Locator, time::Timestamp},
    model::{
        builder::{Field, Origin, ResultOf, SessionBuilder},
        message::{Aliases, Cut, Exit, NoticeKind, Outcome, Usage},
        session::Session,
    },
    source::{
        Parsed,
        chat::{
            content::{Content, Piece},
            message::Arguments,
            moment::{self, Moment},
            said,
            tell::outcome,
            text_calls,
        },
        document::{Document, Source},
        lenient::{Any, Flag, List, Number, Text, lenient},
        open::Input,
        seen::{Seen, has, text},
        sniff::Sniff,
        tool_names::kind_of_call,
    },
    text::{cut_mark, partial_json::Node},
};

/// See the module.
pub struct Atif;

impl Format for Atif {
    fn name(&self) -> &'static str {
        "atif"
    }

    fn about(&self) -> &'static str {
        "Agent Trajectory Interchange Format: trajectories of Harbor, VS Code and others"
    }

    fn card(&self) -> Card {
        Card {
            agent: "",
            versions: "ATIF-v1.0 to v1.8",
            records: &[
                Recorded::Times,
                Recorded::Models,
                Recorded::Tokens,
                Recorded::Cost,
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
        let Some(document) = seen.document() else { return Sniff::No("no document".into()) };
        let version = text(document, "schema_version");
        if version.starts_with("ATIF-v") {
            return Sniff::Yes(97, format!("`schema_version` is {version}"));
        }
        let steps = document.get("steps").and_then(Node::list).unwrap_or_default();
        let own = steps.iter().filter(|step| has(step, &["step_id", "source"])).count();
        match own * 2 > steps.len() && has(document, &["agent"]) {
            true => Sniff::Yes(80, format!("{own} of {} steps have `step_id` and `source`", steps.len())),
            false => Sniff::No("no `schema_version` of ATIF".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let bytes = input.bytes()?;
        let source = Source::of(&bytes);
        let document = source.cut(LISTS);
        let mut parsed = Parsed::default();
        let mut session = SessionBuilder::new(self.name());
        source.report(&document, &mut session.diagnostics, &mut parsed.unassigned);
        let root = Root { format: self.name(), fallback: input.stem(), from: 0, depth: 0 };
        parsed.sessions.push(root.tell(session, &document));
        Ok(parsed)
    }
}

const LISTS: &[&str] = &["steps", "subagent_trajectories"];
/// Trajectories embedded in each other deeper than this are passed over.
const DEEPEST: usize = 8;

lenient! {
    /// `agent`.
    struct Agent<'a> {
        name: Text<'a> = "name",
        version: Text<'a> = "version",
        model: Text<'a> = "model_name",
        extra: Any<AgentExtra<'a>> = "extra",
    }
}

lenient! {
    /// What converters add to it.
    struct AgentExtra<'a> {
        cwds: Any<List<Text<'a>>> = "cwds",
        branches: Any<List<Text<'a>>> = "git_branches",
    }
}

lenient! {
    /// A step.
    struct Step<'a> {
        time: Moment<'a> = "timestamp",
        source: Text<'a> = "source",
        message: Content<'a> = "message",
        model: Text<'a> = "model_name",
        reasoning: Text<'a> = "reasoning_content",
        calls: List<Call<'a>> = "tool_calls",
        observation: Observation<'a> = "observation",
        metrics: Any<Metrics<'a>> = "metrics",
        copied: Flag = "is_copied_context",
        extra: Any<StepExtra<'a>> = "extra",
    }
}

lenient! {
    struct Call<'a> {
        id: Any<Text<'a>> = "tool_call_id",
        name: Text<'a> = "function_name",
        arguments: Arguments<'a> = "arguments",
    }
}

lenient! {
    struct Observation<'a> {
        results: List<Returned<'a>> = "results",
    }
}

lenient! {
    /// A result.
    struct Returned<'a> {
        call: Any<Text<'a>> = "source_call_id",
        content: Content<'a> = "content",
        agents: Any<List<AgentRef<'a>>> = "subagent_trajectory_ref",
        extra: Any<ResultExtra<'a>> = "extra",
    }
}

lenient! {
    /// Names the trajectory of a sub-agent.
    struct AgentRef<'a> {
        trajectory: Text<'a> = "trajectory_id",
        session: Text<'a> = "session_id",
    }
}

lenient! {
    /// What producers add to a result, since the format has no field for it.
    struct ResultExtra<'a> {
        exit_code: Any<Number> = "exit_code",
        returncode: Any<Number> = "returncode",
        is_error: Any<Flag> = "is_error",
        failed: Any<Flag> = "tool_result_is_error",
    }
}

lenient! {
    /// What they add to a step.
    struct StepExtra<'a> {
        cwd: Any<Text<'a>> = "cwd",
        failed: Any<Flag> = "tool_result_is_error",
        result: Any<ResultMeta<'a>> = "tool_result_metadata",
    }
}

lenient! {
    struct ResultMeta<'a> {
        raw: Any<RawResult<'a>> = "raw_tool_result",
    }
}

lenient! {
    /// A result as the model saw it, before the converter wrote more into it.
    struct RawResult<'a> {
        content: Any<Content<'a>> = "content",
        is_error: Any<Flag> = "is_error",
    }
}

lenient! {
    struct Metrics<'a> {
        prompt: Any<Number> = "prompt_tokens",
        completion: Any<Number> = "completion_tokens",
        cached: Any<Number> = "cached_tokens",
        cost: Any<Number> = "cost_usd",
        extra: Any<MetricsExtra<'a>> = "extra",
        total_prompt: Any<Number> = "total_prompt_tokens",
        total_completion: Any<Number> = "total_completion_tokens",
        total_cached: Any<Number> = "total_cached_tokens",
        total_cost: Any<Number> = "total_cost_usd",
    }
}

lenient! {
    struct MetricsExtra<'a> {
        written: Any<Number> = "cache_creation_input_tokens",
        total_written: Any<Number> = "total_cache_creation_input_tokens",
        reasoning: Any<Number> = "reasoning_tokens",
    }
}

lenient! {
    /// The answer of Terminus: commands written into the text.
    struct Terminus<'a> {
        analysis: Any<Text<'a>> = "analysis",
        plan: Any<Text<'a>> = "plan",
        commands: Any<List<Keys<'a>>> = "commands",
    }
}

lenient! {
    struct Keys<'a> {
        keystrokes: Text<'a> = "keystrokes",
        duration: Any<Number> = "duration",
    }
}

impl Metrics<'_> {
    /// Tokens; the cached ones stand among those of the prompt. Zeros of a response that failed are no counts.
    fn usage(&self) -> Option<Usage> {
        let count = |a: &Any<Number>, b: &Any<Number>| a.0.count().or(b.0.count());
        let (prompt, completion) =
            (count(&self.prompt, &self.total_prompt), count(&self.completion, &self.total_completion));
        if prompt.unwrap_or(0) == 0 && completion.unwrap_or(0) == 0 {
            return None;
        }
        let cached = count(&self.cached, &self.total_cached);
        Some(Usage {
            input: prompt.map(|all| all.saturating_sub(cached.unwrap_or(0))),
            output: completion,
            cache_read: cached,
            cache_write: count(&self.extra.0.written, &self.extra.0.total_written),
            reasoning: self.extra.0.reasoning.0.count(),
            cost: self.cost.0.get().or(self.total_cost.0.get()),
        })
    }
}

/// A trajectory: the document's own, or an embedded one.
struct Root<'a> {
    format: &'static str,
    fallback: &'a str,
    /// Where in the file it begins.
    from: usize,
    depth: usize,
}

impl Root<'_> {
    fn tell(&self, mut session: SessionBuilder, document: &Document) -> Session {
        let agent: Agent = document.field("agent").and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
        self.info(&mut session, document, &agent);
        let mut teller = Teller {
            session: &mut session,
            time: None,
            response: 0,
            thought: String::new(),
            kept: Default::default(),
            begun: false,
        };
        for item in document.list("steps") {
            let place = Locator { bytes: item.place.bytes.shift(self.from), ..item.place };
            match item.whole.then(|| serde_json::from_str::<Step>(item.raw)) {
                Some(Ok(step)) => teller.step(step, place),
                _ => teller.session.accounting.damaged(),
            }
        }
        if session.info.models.is_empty()
            && let Some(model) = agent.model.get()
        {
            session.model(model);
        }
        for item in document.list("subagent_trajectories") {
            match item.whole && self.depth < DEEPEST {
                true => {
                    let inner = self.embedded(&mut session, item.raw, self.from + item.place.bytes.start);
                    session.subagents.push(inner);
                }
                false => session.accounting.damaged(),
            }
        }
        let mut session = session.finish();
        link(&mut session);
        session
    }

    fn embedded(&self, parent: &mut SessionBuilder, raw: &str, from: usize) -> Session {
        let source = Source::of(raw.as_bytes());
        let document = source.cut(LISTS);
        let mut session = SessionBuilder::new(self.format);
        session.info.parent = Some(parent.info.id.clone());
        let fallback = format!("{}-{}", parent.info.id, parent.subagents.len() + 1);
        Root { format: self.format, fallback: &fallback, from, depth: self.depth + 1 }.tell(session, &document)
    }

    fn info(&self, session: &mut SessionBuilder, document: &Document, agent: &Agent) {
        // A run has one session id; its embedded trajectories are told apart by ids of their own.
        let names = if self.depth == 0 { ["session_id", "trajectory_id"] } else { ["trajectory_id", "session_id"] };
        let info = &mut session.info;
        info.id = names.iter().find_map(|name| document.string(name)).unwrap_or_else(|| self.fallback.to_string());
        info.agent = agent.name.owned();
        info.version = agent.version.owned();
        info.cwd = agent.extra.0.cwds.0.items.first().and_then(Text::owned);
        info.branch = agent.extra.0.branches.0.items.first().and_then(Text::owned);
        let totals = document.field("final_metrics").and_then(|raw| serde_json::from_str::<Metrics>(raw).ok());
        info.usage = totals.and_then(|totals| totals.usage());
        if let Some(field) = agent.fault() {
            session.diagnostics.add(DiagCode::FieldWrongType, Locator::default(), format!("`{field}` of the agent"));
        }
    }
}

/// Notes in each sub-agent the call that started it.
fn link(session: &mut Session) {
    for message in &session.messages {
        let Some(spawned) = message.call.as_ref().and_then(|call| call.spawned.as_ref()) else { continue };
        if let Some(agent) = session.subagents.iter_mut().find(|agent| agent.info.id == *spawned) {
            agent.info.spawned_by.clone_from(&message.ids.call);
            let title = message.input("description").map(str::to_string);
            agent.info.title = agent.info.title.take().or(title);
        }
    }
}

struct Teller<'a> {
    session: &'a mut SessionBuilder,
    /// Time of the model's last step.
    time: Option<Timestamp>,
    response: usize,
    /// Reasoning of the response, which converters repeat on each of its steps.
    thought: String,
    /// Reasoning and tokens of the response that no message has yet.
    kept: (String, Option<Usage>),
    begun: bool,
}

impl Teller<'_> {
    fn step(&mut self, mut step: Step, place: Locator) {
        if let Some(field) = step.fault() {
            self.session.diagnostics.add(DiagCode::FieldWrongType, place, format!("`{field}` of a step"));
        }
        if step.copied.set() {
            if !self.begun {
                self.begun = true;
                self.session.notice(NoticeKind::Compaction, place, moment::of(step.time.0), "");
            }
            return self.session.accounting.skipped("copied-context");
        }
        let before = self.session.len();
        let used = match step.source.get() {
            Some("system") if !self.begun => return self.session.accounting.skipped("system-prompt"),
            Some("agent") => self.agent(&mut step, place),
            Some(who @ ("user" | "system")) => self.other(who == "user", &mut step, place),
            who => {
                let who = who.unwrap_or("(no source)").to_string();
                self.session.diagnostics.add(DiagCode::RecordTypeUnknown, place, format!("a step of `{who}`"));
                return self.session.accounting.unknown(&who);
            }
        };
        self.begun = true;
        match used || self.session.len() > before {
            true => self.session.accounting.used(),
            false => self.session.accounting.skipped("empty"),
        }
    }

    /// A prompt, or what the harness told.
    fn other(&mut self, user: bool, step: &mut Step, place: Locator) -> bool {
        self.time = None;
        let time = moment::of(step.time.0);
        let mut used = false;
        let first = self.session.len();
        for piece in std::mem::take(&mut step.message).pieces() {
            let origin = Origin { time, place, ..Default::default() };
            match piece {
                Piece::Said(text) if text.trim().is_empty() => continue,
                Piece::Said(text) if user => match said::classify(&text).map(str::to_string) {
                    Ok(prompt) => self.session.user(origin, prompt),
                    Err(kind) => self.session.notice(kind, place, time, text),
                },
                Piece::Placeholder(text) if user && self.session.len() > first => self.session.placeholder(text),
                Piece::Placeholder(text) if user => {
                    self.session.user(origin, text);
                    self.session.cut_last(Cut::Placeholder);
                }
                Piece::Said(text) => self.session.notice(NoticeKind::Meta, place, time, text),
                _ => continue,
            }
            used = true;
        }
        for returned in std::mem::take(&mut step.observation.results.items) {
            self.session.notice(NoticeKind::Meta, place, time, returned.content.flat().0);
            used = true;
        }
        used
    }

    /// Tells a step of the model; whether it holds anything. What a step without texts and calls was measured and
    /// reasoned goes to the next step of its response.
    fn agent(&mut self, step: &mut Step, place: Locator) -> bool {
        let time = moment::of(step.time.0);
        let mut usage = step.metrics.0.usage();
        // Steps of one time of which only the first was measured are one response.
        if !(time.is_some() && time == self.time && usage.is_none()) {
            self.response += 1;
            self.thought.clear();
            self.kept = Default::default();
        }
        self.time = time;
        let thought = step.reasoning.take().unwrap_or_default();
        let mut reasoning = std::mem::take(&mut self.kept.0);
        if thought != self.thought {
            reasoning.push_str(&thought);
        }
        self.thought = thought;
        usage = usage.or(self.kept.1.take());
        let holds = usage.is_some() || !reasoning.is_empty();
        let before = self.session.len();
        let (texts, calls) = self.said(step);
        let response = format!("response {}", self.response);
        let model = step.model.owned();
        let cwd = step.extra.0.cwd.0.owned();
        let mut origin = |call: Option<String>| Origin {
            ids: Aliases { call, ..Default::default() },
            turn: Some(response.clone()),
            time,
            place,
            reasoning: std::mem::take(&mut reasoning),
            model: model.clone(),
            cwd: cwd.clone(),
            usage,
            ..Default::default()
        };
        for text in texts {
            self.session.text(origin(None), text);
        }
        let mut open = Vec::new();
        for (id, name, input) in calls {
            open.push((self.session.len(), id.clone()));
            self.session.call(origin(id), &name, kind_of_call(&name, &input), input);
        }
        let results = std::mem::take(&mut step.observation.results.items);
        let rest = origin(None);
        if self.session.len() == before && results.is_empty() {
            self.kept = (rest.reasoning, rest.usage);
            return holds;
        }
        self.results(step, results, open, place, time, rest);
        true
    }

    /// Texts and calls of a step. Where the format's own list of calls is empty, they may stand in the text.
    fn said(&mut self, step: &mut Step) -> (Vec<String>, Vec<Called>) {
        let calls: Vec<Called> = std::mem::take(&mut step.calls.items)
            .into_iter()
            .map(|mut call| (call.id.0.owned(), call.name.take().unwrap_or_default(), call.arguments.fields()))
            .collect();
        let message = std::mem::take(&mut step.message).flat().0;
        let filler = |(id, name, _): &Called| message == format!("Executed {name} {}", id.as_deref().unwrap_or(""));
        if calls.iter().any(filler) || message.trim().is_empty() {
            return (Vec::new(), calls);
        }
        if !calls.is_empty() || step.observation.results.items.is_empty() {
            return (vec![message], calls);
        }
        written(&message).unwrap_or_else(|| (vec![message], Vec::new()))
    }

    fn results(
        &mut self,
        step: &mut Step,
        results: Vec<Returned>,
        mut open: Vec<(usize, Option<String>)>,
        place: Locator,
        time: Option<Timestamp>,
        mut origin: Origin,
    ) {
        let single = results.len() == 1;
        for mut returned in results {
            let id = returned.call.0.owned();
            let raw = if single { std::mem::take(&mut step.extra.0.result.0.raw.0) } else { RawResult::default() };
            let step_failed = if single { step.extra.0.failed.0 } else { Flag::Absent };
            let result = result(&mut returned, raw, step_failed, place, time);
            self.session.info.records_outcome |= result.outcome != Outcome::NotRecorded;
            let at = open.iter().position(|(_, call)| id.is_some() && *call == id);
            let at = match (at, &id) {
                (Some(at), _) => Some(open.remove(at).0),
                // Without ids the last result of a step with several commands is what the terminal showed after all.
                (None, None) if single => open.pop().map(|call| call.0),
                (None, None) if !open.is_empty() => Some(open.remove(0).0),
                (None, None) => None,
                (None, Some(id)) => {
                    self.session.result(id, result);
                    continue;
                }
            };
            match at {
                Some(at) => _ = self.session.result_at(at, result),
                None => {
                    // The agent acted by its text alone.
                    let next = Origin { turn: origin.turn.clone(), time, place, ..Default::default() };
                    let origin = std::mem::replace(&mut origin, next);
                    self.session.call(origin, "observation", kind_of_call("observation", &[]), Vec::new());
                    self.session.result_of_last(result);
                }
            }
        }
    }
}

/// Id, name and input of a call.
type Called = (Option<String>, String, Vec<Field>);

/// Texts and calls of an answer that holds its commands as text.
fn written(message: &str) -> Option<(Vec<String>, Vec<Called>)> {
    if message.trim_start().starts_with('{') {
        let mut terminus: Terminus = serde_json::from_str(message).ok()?;
        let texts = [terminus.analysis.0.take(), terminus.plan.0.take()].into_iter().flatten();
        let texts: Vec<String> = texts.filter(|text| !text.trim().is_empty()).collect();
        let calls = terminus.commands.0.items.into_iter().map(|mut keys| {
            let mut input = vec![Field { name: Some("keystrokes".into()), text: keys.keystrokes.take()?, cut: None }];
            let duration = keys.duration.0.get().map(|seconds| seconds.to_string());
            input.extend(duration.map(|text| Field { name: Some("duration".into()), text, cut: None }));
            Some((None, "bash_command".to_string(), input))
        });
        let calls: Vec<Called> = calls.flatten().collect();
        return (!calls.is_empty())
            .then(|| (if texts.is_empty() { Vec::new() } else { vec![texts.join("\n\n")] }, calls));
    }
    let pieces = text_calls::split(message).or_else(|| text_calls::fenced(message))?;
    let (mut texts, mut calls) = (Vec::new(), Vec::new());
    for piece in pieces {
        match piece {
            Piece::Said(text) => texts.push(text),
            Piece::Call(call) => calls.push((call.id, call.name, call.input)),
            _ => {}
        }
    }
    Some((texts, calls))
}

fn result(
    returned: &mut Returned,
    raw: RawResult,
    step_failed: Flag,
    place: Locator,
    time: Option<Timestamp>,
) -> ResultOf {
    let (mut text, mut placeholder) = std::mem::take(&mut returned.content).flat();
    let (seen, stands_in) = raw.content.0.flat();
    if !seen.is_empty() && text.starts_with(&seen) {
        (text, placeholder) = (seen, stands_in);
    }
    let extra = &returned.extra.0;
    let code = extra.exit_code.0.whole().or(extra.returncode.0.whole());
    let flags = [extra.is_error.0, extra.failed.0, raw.is_error.0, step_failed];
    let (outcome, exit) = match code.and_then(|code| i32::try_from(code).ok()) {
        Some(0) => (Outcome::Ok, Exit::Code(0)),
        Some(code) => (Outcome::Failed, Exit::Code(code)),
        None => outcome(&text, flags.iter().find_map(|flag| flag.get())),
    };
    let spawned = returned.agents.0.items.first().and_then(|agent| agent.trajectory.owned().or(agent.session.owned()));
    let cut = if placeholder { Some(Cut::Placeholder) } else { cut_mark::by_tool(&text).then_some(Cut::ByTool) };
    ResultOf { text, cut, outcome, exit, time, place, spawned, extra: Vec::new() }
}
