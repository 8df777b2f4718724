//! Events of V0: an action, or an observation that names its cause.

use std::collections::HashMap;

use crate::{
    base::{diag::DiagCode, locate::Locator, time::Timestamp},
    model::{
        builder::{Field, Origin, ResultOf, SessionBuilder},
        message::{Aliases, Cut, Exit, NoticeKind, Outcome, ToolKind, Usage},
    },
    source::{
        chat::{
            content::Content,
            message::Arguments,
            moment::{self, Moment},
            tell::outcome,
            usage,
        },
        fields::compact,
        lenient::{Any, Flag, List, Number, Raw, Text, lenient},
        tool_names::kind_of_call,
    },
    text::cut_mark,
};

lenient! {
    /// An event of either sort.
    struct Event<'a> {
        id: Any<Number> = "id",
        time: Moment<'a> = "timestamp",
        source: Text<'a> = "source",
        action: Text<'a> = "action",
        observation: Text<'a> = "observation",
        args: Arguments<'a> = "args",
        content: Content<'a> = "content",
        message: Any<Text<'a>> = "message",
        cause: Any<Number> = "cause",
        extras: Any<Extras<'a>> = "extras",
        success: Any<Flag> = "success",
        tool: Any<ToolMeta<'a>> = "tool_call_metadata",
        metrics: Any<Metrics<'a>> = "llm_metrics",
    }
}

lenient! {
    /// The arguments that are not only passed through.
    struct Args<'a> {
        content: Any<Content<'a>> = "content",
        thought: Any<Text<'a>> = "thought",
        final_thought: Any<Text<'a>> = "final_thought",
        summary: Any<Text<'a>> = "summary",
        images: Any<List<Text<'a>>> = "image_urls",
        name: Any<Text<'a>> = "name",
        arguments: Arguments<'a> = "arguments",
    }
}

lenient! {
    /// What stands beside an observation's content.
    struct Extras<'a> {
        metadata: Any<Metadata<'a>> = "metadata",
        exit_code: Any<Number> = "exit_code",
        tasks: Any<Raw<'a>> = "task_list",
    }
}

lenient! {
    struct Metadata<'a> {
        exit_code: Any<Number> = "exit_code",
        cwd: Any<Text<'a>> = "working_dir",
    }
}

lenient! {
    /// Which call of which response the event is.
    struct ToolMeta<'a> {
        name: Any<Text<'a>> = "function_name",
        call: Any<Text<'a>> = "tool_call_id",
        response: Any<Response<'a>> = "model_response",
    }
}

lenient! {
    struct Response<'a> {
        id: Any<Text<'a>> = "id",
        model: Any<Text<'a>> = "model",
        choices: Any<List<Choice<'a>>> = "choices",
        usage: Any<usage::Usage<'a>> = "usage",
    }
}

lenient! {
    struct Choice<'a> {
        message: Any<Answer<'a>> = "message",
    }
}

lenient! {
    struct Answer<'a> {
        reasoning: Any<Text<'a>> = "reasoning_content",
    }
}

lenient! {
    /// Sums over the session so far.
    pub struct Metrics<'a> {
        cost: Any<Number> = "accumulated_cost",
        tokens: Any<Tokens<'a>> = "accumulated_token_usage",
    }
}

lenient! {
    pub struct Tokens<'a> {
        prompt: Any<Number> = "prompt_tokens",
        completion: Any<Number> = "completion_tokens",
        read: Any<Number> = "cache_read_tokens",
        write: Any<Number> = "cache_write_tokens",
    }
}

impl Metrics<'_> {
    /// The sums; the cached tokens stand among those of the prompt. A cost of zero is one that was not known.
    pub fn usage(&self) -> Option<Usage> {
        let tokens = &self.tokens.0;
        let read = tokens.read.0.count();
        let usage = Usage {
            input: tokens.prompt.0.count().map(|all| all.saturating_sub(read.unwrap_or(0))),
            output: tokens.completion.0.count(),
            cache_read: read,
            cache_write: tokens.write.0.count(),
            reasoning: None,
            cost: self.cost.0.get().filter(|cost| *cost > 0.0),
        };
        (usage.input.unwrap_or(0) + usage.output.unwrap_or(0) > 0 || usage.cost.is_some()).then_some(usage)
    }
}

/// Arguments that the harness adds to what the model gave.
#[rustfmt::skip]
const ADDED: &[&str] = &[
    "blocking", "confirmation_state", "cwd", "final_thought", "hidden", "image_urls", "impl_source", "include_extra",
    "is_confirmed", "is_input", "is_static", "keep_prompt", "kernel_init_code", "security_risk", "thought",
    "translated_ipython_code", "view_range", "wait_for_response",
];

/// Names of tools where no call of the model is recorded with the action.
#[rustfmt::skip]
const NAMES: &[(&str, &str)] = &[
    ("browse", "browser"), ("browse_interactive", "browser"), ("edit", "str_replace_editor"), ("read", "read"),
    ("run", "execute_bash"), ("run_ipython", "execute_ipython_cell"), ("task_tracking", "task_tracker"),
];

/// Left in an output that V0 cut in the middle.
const TRUNCATED: &str = "[... Observation truncated due to length ...]";

/// Tells events.
#[derive(Default)]
pub struct Teller {
    /// Messages by the id of their action.
    calls: HashMap<u64, usize>,
    /// Response whose reasoning and tokens are told.
    response: Option<String>,
    cwd: Option<String>,
    usage: Option<Usage>,
}

impl Teller {
    /// Tells an event.
    pub fn event(&mut self, session: &mut SessionBuilder, raw: &str, place: Locator) {
        let Ok(event) = serde_json::from_str::<Event>(raw) else { return session.accounting.damaged() };
        if let Some(field) = event.fault() {
            session.diagnostics.add(DiagCode::FieldWrongType, place, format!("`{field}` of an event"));
        }
        self.usage = event.metrics.0.usage().or(self.usage.take());
        let time = moment::of(event.time.0);
        match (event.action.owned(), event.observation.owned()) {
            (Some(action), _) => self.action(session, &action, event, place, time),
            (None, Some(observation)) => self.observation(session, &observation, event, place, time),
            (None, None) => session.accounting.skipped("state"),
        }
    }

    /// What the last event told of the whole session.
    pub fn finish(self, session: &mut SessionBuilder) {
        session.info.usage = self.usage;
    }

    fn origin(&mut self, event: &Event, place: Locator, time: Option<Timestamp>) -> Origin {
        let response = &event.tool.0.response.0;
        let id = response.id.0.owned();
        let (mut reasoning, mut usage) = (String::new(), None);
        if id.is_some() && self.response != id {
            let answer = response.choices.0.items.first();
            reasoning = answer.and_then(|choice| choice.message.0.reasoning.0.owned()).unwrap_or_default();
            usage = response.usage.0.get();
            self.response.clone_from(&id);
        }
        Origin {
            ids: Aliases { call: event.tool.0.call.0.owned(), ..Default::default() },
            turn: id.or_else(|| Some(format!("event {}", event.id.0.count().unwrap_or(u64::from(place.record))))),
            time,
            place,
            reasoning,
            usage,
            model: response.model.0.owned(),
            cwd: self.cwd.clone(),
            ..Default::default()
        }
    }

    fn action(
        &mut self,
        session: &mut SessionBuilder,
        action: &str,
        event: Event,
        place: Locator,
        time: Option<Timestamp>,
    ) {
        let mut args: Args = event.args.0.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
        let by_user = event.source.get() == Some("user");
        match action {
            "system" => return session.accounting.skipped("system-prompt"),
            "null" | "change_agent_state" | "agent_state_changed" | "condensation_request" | "loop_recovery" => {
                return session.accounting.skipped("state");
            }
            "recall" => return session.accounting.skipped("recall"),
            "condensation" => {
                session.notice(NoticeKind::Compaction, place, time, args.summary.0.take().unwrap_or_default());
            }
            "message" => {
                let text = std::mem::take(&mut args.content.0).flat().0;
                let mut origin = self.origin(&event, place, time);
                if by_user {
                    origin.turn = None;
                    session.user(origin, text);
                    args.images.0.items.iter().for_each(|_| session.placeholder("[image]".to_string()));
                } else if !text.trim().is_empty() {
                    session.text(origin, text);
                }
            }
            "finish" | "reject" => {
                let last = [args.final_thought.0.take(), args.thought.0.take(), event.message.0.owned()];
                let text = last.into_iter().flatten().find(|text| !text.trim().is_empty()).unwrap_or_default();
                let mut origin = self.origin(&event, place, time);
                origin.ids.call = None;
                session.text(origin, text);
            }
            _ => self.call(session, action, &event, args, place, time),
        }
        session.accounting.used();
    }

    fn call(
        &mut self,
        session: &mut SessionBuilder,
        action: &str,
        event: &Event,
        mut args: Args,
        place: Locator,
        time: Option<Timestamp>,
    ) {
        let mut origin = self.origin(event, place, time);
        let thought = args.thought.0.take().filter(|text| action != "think" && !text.trim().is_empty());
        if let Some(thought) = thought {
            let mut own = origin.clone();
            own.ids.call = None;
            session.text(own, thought);
            origin.reasoning.clear();
            origin.usage = None;
        }
        let known = NAMES.iter().find(|row| row.0 == action).map_or(action, |row| row.1);
        let mut name = event.tool.0.name.0.get().unwrap_or(known).to_string();
        let mut input: Vec<Field> = event.args.fields();
        let kept =
            |f: &Field| f.name.as_deref().is_some_and(|n| n == "thought" && action == "think" || !ADDED.contains(&n));
        input.retain(|field| kept(field) && field.text != "null");
        if action == "call_tool_mcp" {
            name = args.name.0.take().unwrap_or(name);
            input = args.arguments.fields();
        }
        let kind = match action {
            "read" => ToolKind::Read,
            "write" => ToolKind::Write,
            _ => kind_of_call(&name, &input),
        };
        if let Some(id) = event.id.0.count() {
            self.calls.insert(id, session.len());
        }
        session.call(origin, &name, kind, input);
    }

    fn observation(
        &mut self,
        session: &mut SessionBuilder,
        observation: &str,
        mut event: Event,
        place: Locator,
        time: Option<Timestamp>,
    ) {
        let metadata = &event.extras.0.metadata.0;
        self.cwd = metadata.cwd.0.owned().or(self.cwd.take());
        let call = event.cause.0.count().and_then(|cause| self.calls.get(&cause)).copied();
        let text = std::mem::take(&mut event.content).flat().0;
        let Some(at) = call else {
            return match observation {
                "error" | "loop_detection" => {
                    session.notice(NoticeKind::Fault, place, time, text);
                    session.accounting.used();
                }
                "null" | "agent_state_changed" | "success" => session.accounting.skipped("state"),
                "recall" | "condense" | "think" => session.accounting.skipped(observation),
                _ if event.cause.0.count().is_some() => {
                    session.diagnostics.add(
                        DiagCode::ResultWithoutCall,
                        place,
                        "an observation whose cause is not there",
                    );
                    session.accounting.skipped("no call");
                }
                _ => {
                    session.notice(NoticeKind::Meta, place, time, text);
                    session.accounting.used();
                }
            };
        };
        let (outcome, exit) = ended(observation, &event, &text);
        let tasks = event.extras.0.tasks.0.map(|raw| compact(raw.get()));
        let cut = (text.contains(TRUNCATED) || cut_mark::by_tool(&text)).then_some(Cut::ByTool);
        let extra = tasks.map(|tasks| ("todos", tasks)).into_iter().collect();
        session.result_at(at, ResultOf { text, cut, outcome, exit, time, place, spawned: None, extra });
        session.accounting.used();
    }
}

/// How the call ended. An exit code of -1 stands for one that is not known: the command still runs, or was stopped.
fn ended(observation: &str, event: &Event, text: &str) -> (Outcome, Exit) {
    let extras = &event.extras.0;
    let code = extras.metadata.0.exit_code.0.whole().or(extras.exit_code.0.whole());
    match (observation, code.and_then(|code| i32::try_from(code).ok())) {
        ("user_rejected", _) => (Outcome::Denied, Exit::NotRecorded),
        ("error", _) => (Outcome::Failed, outcome(text, Some(true)).1),
        (_, Some(0)) => (Outcome::Ok, Exit::Code(0)),
        (_, Some(-1)) => match outcome(text, None) {
            (Outcome::NotRecorded, _) => (Outcome::NotRecorded, Exit::Running),
            told => told,
        },
        (_, Some(code)) => (Outcome::Failed, Exit::Code(code)),
        (_, None) => match event.success.0.get() {
            Some(success) => outcome(text, Some(!success)),
            None => match outcome(text, None) {
                (Outcome::NotRecorded, exit) => (Outcome::Ok, exit),
                told => told,
            },
        },
    }
}
