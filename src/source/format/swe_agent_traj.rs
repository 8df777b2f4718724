//! SWE-agent `.traj`: `{trajectory, history, info}`. The steps are the run; of the history only the task and the ids of
//! calls are taken, since it repeats the steps and may hold demonstrations. Each step may carry the whole prompt once
//! more (`query`), which is passed over unbuilt. No times; a step tells no exit status.

use std::collections::{HashMap, VecDeque};

use super::{Card, Format, Recorded};
use crate::{
    base::{diag::DiagCode, error::Error, locate::Locator},
    model::{
        builder::{Field, Origin, ResultOf, SessionBuilder},
        message::{Aliases, Cut, NoticeKind, Outcome, ToolKind, Usage},
    },
    source::{
        Parsed,
        chat::{
            content::{Content, Piece},
            message::Message,
            tell::outcome,
        },
        document::{Document, Item, Source},
        lenient::{Any, Flag, Number, Text, lenient},
        open::Input,
        seen::{Seen, has},
        sniff::Sniff,
        tool_names::kind_of_call,
    },
    text::{cut_mark, partial_json::Node},
};

/// See the module.
pub struct SweAgentTraj;

impl Format for SweAgentTraj {
    fn name(&self) -> &'static str {
        "swe-agent-traj"
    }

    fn about(&self) -> &'static str {
        "trajectories of SWE-agent (`.traj`)"
    }

    fn card(&self) -> Card {
        Card { agent: "SWE-agent", versions: "0.5 to 1.1", records: &[Recorded::Tokens, Recorded::Cost, Recorded::Cwd] }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let steps = seen.document().and_then(|d| d.get("trajectory")).and_then(Node::list).unwrap_or_default();
        let own = steps.iter().filter(|step| has(step, &["action", "observation"])).count();
        match own * 2 > steps.len() {
            true => Sniff::Yes(92, format!("{own} of {} steps have `action` and `observation`", steps.len())),
            false => Sniff::No("no `trajectory` of actions and observations".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let bytes = input.bytes()?;
        let source = Source::of(&bytes);
        let document = source.cut(&["trajectory", "history"]);
        let mut parsed = Parsed::default();
        let mut session = SessionBuilder::new(self.name());
        source.report(&document, &mut session.diagnostics, &mut parsed.unassigned);
        session.info.id = input.stem().to_string();
        session.info.agent = Some("SWE-agent".to_string());
        let mut known = history(&mut session, document.list("history"));
        for (i, item) in document.list("trajectory").iter().enumerate() {
            match item.whole.then(|| serde_json::from_str::<Step>(item.raw)) {
                Some(Ok(step)) => self::step(&mut session, step, i, item.place, &mut known),
                _ => session.accounting.damaged(),
            }
        }
        info(&mut session, &document);
        parsed.sessions.push(session.finish());
        Ok(parsed)
    }
}

lenient! {
    /// A step of the run.
    struct Step<'a> {
        action: Text<'a> = "action",
        observation: Content<'a> = "observation",
        response: Text<'a> = "response",
        thought: Text<'a> = "thought",
        state: Any<State<'a>> = "state",
    }
}

lenient! {
    /// Where the shell stood before the step; older versions write it as a text that holds the object.
    struct State<'a> {
        cwd: Any<Text<'a>> = "working_dir",
        open: Any<Text<'a>> = "open_file",
    }
}

lenient! {
    /// What marks an entry of the history.
    struct Entry<'a> {
        role: Text<'a> = "role",
        demo: Flag = "is_demo",
        action: Any<Text<'a>> = "action",
        thought: Any<Text<'a>> = "thought",
    }
}

lenient! {
    struct Info<'a> {
        exit_status: Text<'a> = "exit_status",
        version: Text<'a> = "swe_agent_version",
        stats: Any<Stats<'a>> = "model_stats",
        input: Any<Number> = "input_tokens",
        output: Any<Number> = "output_tokens",
        cost: Any<Number> = "total_cost",
    }
}

lenient! {
    struct Stats<'a> {
        cost: Any<Number> = "instance_cost",
        sent: Any<Number> = "tokens_sent",
        received: Any<Number> = "tokens_received",
        calls: Any<Number> = "api_calls",
    }
}

/// A call as the history holds it: id, name, input.
type Called = (Option<String>, String, Vec<Field>);
/// Calls by the action and the thought of their step.
type Known = HashMap<(String, String), VecDeque<Called>>;

/// Takes the task and the calls out of the history.
fn history(session: &mut SessionBuilder, items: &[Item]) -> Known {
    let mut known = Known::new();
    let mut asked = false;
    for item in items {
        let entry: Entry = match item.whole.then(|| serde_json::from_str(item.raw)) {
            Some(Ok(entry)) => entry,
            _ => {
                session.accounting.damaged();
                continue;
            }
        };
        match entry.role.get() {
            _ if entry.demo.set() => session.accounting.skipped("demonstration"),
            Some("system") => session.accounting.skipped("system-prompt"),
            Some("user") if !asked => {
                asked = true;
                session.accounting.used();
                task(session, item);
            }
            Some("assistant") => {
                asked = true;
                session.accounting.skipped("told by a step");
                calls(&mut known, &entry, item.raw);
            }
            _ => session.accounting.skipped("told by a step"),
        }
    }
    known
}

fn task(session: &mut SessionBuilder, item: &Item) {
    let Ok(message) = serde_json::from_str::<Message>(item.raw) else { return };
    for piece in message.pieces() {
        let origin = Origin { place: item.place, ..Default::default() };
        match piece {
            Piece::Said(text) => session.user(origin, text),
            Piece::Placeholder(text) => session.placeholder(text),
            _ => {}
        }
    }
}

fn calls(known: &mut Known, entry: &Entry, raw: &str) {
    let (Some(action), Ok(message)) = (entry.action.0.get(), serde_json::from_str::<Message>(raw)) else { return };
    let thought = entry.thought.0.get().unwrap_or_default();
    let called = message.pieces().into_iter().find_map(|piece| match piece {
        Piece::Call(call) => Some((call.id, call.name, call.input)),
        _ => None,
    });
    if let Some(called) = called {
        known.entry((action.to_string(), thought.to_string())).or_default().push_back(called);
    }
}

fn step(session: &mut SessionBuilder, mut step: Step, i: usize, place: Locator, known: &mut Known) {
    if let Some(field) = step.fault() {
        session.diagnostics.add(DiagCode::FieldWrongType, place, format!("`{field}` of a step"));
    }
    if step.stray.get().is_some() {
        session.diagnostics.add(DiagCode::RecordTypeUnknown, place, "a step that is no object");
        return session.accounting.unknown("(no object)");
    }
    session.accounting.used();
    let state = std::mem::take(&mut step.state.0);
    let text = state.stray.get().unwrap_or_default().to_string();
    let state = if text.is_empty() { state } else { serde_json::from_str(&text).unwrap_or_default() };
    let origin = |call: Option<String>| Origin {
        ids: Aliases { call, ..Default::default() },
        turn: Some(format!("step {i}")),
        place,
        cwd: state.cwd.0.owned(),
        ..Default::default()
    };
    let thought = step.thought.take().unwrap_or_default();
    let action = step.action.take().unwrap_or_default();
    let said = if thought.trim().is_empty() && action.trim().is_empty() {
        step.response.take().unwrap_or_default()
    } else {
        thought.clone()
    };
    if !said.trim().is_empty() {
        session.text(origin(None), said);
    }
    let (text, placeholder) = step.observation.flat();
    if action.trim().is_empty() || action.starts_with("exit_") {
        if !text.trim().is_empty() || !action.is_empty() {
            let kind = if action.is_empty() { NoticeKind::Meta } else { NoticeKind::Fault };
            session.notice(kind, place, None, if text.is_empty() { action } else { text });
        }
        return;
    }
    let key = (action, thought);
    let called = known.get_mut(&key).and_then(VecDeque::pop_front);
    let (id, name, mut input) = called.unwrap_or_else(|| written(&key.0));
    let kind = kind_of_call(&name, &input);
    let open = state.open.0.get().filter(|open| !matches!(*open, "" | "n/a"));
    let pathless = !input.iter().any(|field| field.name.as_deref() == Some("path"));
    if let (ToolKind::Edit | ToolKind::Read, true, Some(open)) = (kind, pathless, open) {
        input.push(Field { name: Some("path".into()), text: open.to_string(), cut: None });
    }
    session.call(origin(id), &name, kind, input);
    let (outcome, exit) = outcome(&text, None);
    session.info.records_outcome |= outcome != Outcome::NotRecorded;
    let cut = if placeholder { Some(Cut::Placeholder) } else { cut_mark::by_tool(&text).then_some(Cut::ByTool) };
    session.result_of_last(ResultOf { text, cut, outcome, exit, time: None, place, spawned: None, extra: Vec::new() });
}

/// Commands of SWE-agent's own, which its shell understands besides a shell's; and whether a path follows.
#[rustfmt::skip]
const OWN: &[(&str, bool)] = &[
    ("create", true), ("edit", false), ("find_file", false), ("goto", false), ("insert", false), ("open", true),
    ("scroll_down", false), ("scroll_up", false), ("search_dir", false), ("search_file", false),
    ("str_replace_editor", false), ("submit", false), ("view_image", true),
];

/// An action as a call: one of SWE-agent's own commands under its name, else a line for the shell.
fn written(action: &str) -> Called {
    let mut words = action.split_whitespace();
    let first = words.next().unwrap_or_default();
    let own = OWN.iter().find(|(name, _)| *name == first);
    let mut input = vec![Field { name: Some("command".into()), text: action.to_string(), cut: None }];
    if first == "str_replace_editor" {
        // `str_replace_editor view /w/a.py --view_range 1 9`
        input[0].text = words.next().unwrap_or_default().to_string();
        input.push(Field { name: Some("arguments".into()), text: action.to_string(), cut: None });
    }
    let takes_path = own.is_some_and(|(_, path)| *path) || first == "str_replace_editor";
    if let Some(path) = words.next().filter(|_| takes_path) {
        input.push(Field { name: Some("path".into()), text: path.trim_matches(['"', '\'']).to_string(), cut: None });
    }
    (None, own.map_or("bash", |(name, _)| name).to_string(), input)
}

/// What is told of the run as a whole.
fn info(session: &mut SessionBuilder, document: &Document) {
    let Some(info) = document.field("info").and_then(|raw| serde_json::from_str::<Info>(raw).ok()) else { return };
    session.info.version = info.version.owned();
    let stats = &info.stats.0;
    // A replayed or human run asked no model.
    if stats.calls.0.get() != Some(0.0) {
        let usage = Usage {
            input: stats.sent.0.count().or(info.input.0.count()),
            output: stats.received.0.count().or(info.output.0.count()),
            cost: stats.cost.0.get().or(info.cost.0.get()),
            ..Default::default()
        };
        session.info.usage = (!usage.is_empty()).then_some(usage);
    }
    if let Some(status) = info.exit_status.get() {
        session.notice(NoticeKind::Meta, Locator::default(), None, format!("exit_status: {status}"));
    }
}
