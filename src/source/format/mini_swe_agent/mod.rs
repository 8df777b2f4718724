//! mini-swe-agent trajectories: role messages with `extra` beside each. Version 1 writes the command into a fence of the
//! text and hands the result back as the user, tagged by templates that users change; version 2 calls a `bash` tool whose
//! result is a small JSON text; runs on the responses interface keep whole responses as messages. Early files are a
//! bare list.

pub mod console;
pub mod log;
mod text_mode;

use self::text_mode::{TextMode, ended};
use super::{Card, Format, Recorded};
use crate::{
    base::{diag::DiagCode, error::Error, locate::Locator, time::Timestamp},
    model::{
        builder::SessionBuilder,
        message::{Cut, NoticeKind, Usage},
    },
    source::{
        Parsed,
        chat::{
            content::{Answer, Piece},
            message::{Message, Role},
            moment::{self, Moment},
            tell::{Told, Turn, count, tell},
            usage,
        },
        document::{Document, Item, Source},
        lenient::{Any, List, Number, Raw, Text, lenient},
        open::Input,
        seen::{Seen, has, text},
        sniff::Sniff,
    },
    text::partial_json::Node,
};

/// See the module.
pub struct MiniSweAgent;

/// What its prompts tell the model to write at the end, and what it writes its commands in.
const MARKS: &[&str] = &["COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "```mswea_bash_command"];

impl Format for MiniSweAgent {
    fn name(&self) -> &'static str {
        "mini-swe-agent"
    }

    fn about(&self) -> &'static str {
        "trajectories of mini-swe-agent (`.traj.json`)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "mini-swe-agent",
            versions: "1.0 to 2.4",
            records: &[
                Recorded::Times,
                Recorded::Models,
                Recorded::Tokens,
                Recorded::Cost,
                Recorded::Exits,
                Recorded::Failures,
                Recorded::Reasoning,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let Some(document) = seen.document() else { return Sniff::No("no document".into()) };
        let version = text(document, "trajectory_format");
        if version.starts_with("mini-swe-agent") {
            return Sniff::Yes(97, format!("`trajectory_format` is {version}"));
        }
        let messages = document.get("messages").unwrap_or(document).list().unwrap_or_default();
        // The one at the sample's end may not show its content.
        let whole = messages.iter().filter(|message| message.whole).count();
        if document.get("info").is_some_and(|info| has(info, &["mini_version"])) && !messages.is_empty() {
            return Sniff::Yes(95, "messages, and an `info` with `mini_version`".into());
        }
        let said = |message: &Node, words: &str| text(message, "content").contains(words);
        let roles = messages.iter().filter(|message| has(message, &["role", "content"])).count();
        let returned = messages.iter().filter(|m| text(m, "content").starts_with("<returncode>")).count();
        let marked = messages.iter().take(4).any(|message| MARKS.iter().any(|mark| said(message, mark)));
        match roles * 10 >= whole * 8 && (marked || returned > 1) && roles > 0 {
            true => Sniff::Yes(86, format!("{roles} messages with the marks of its prompts")),
            false => Sniff::No("no `trajectory_format`, and none of the marks of its prompts".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let bytes = input.bytes()?;
        let source = Source::of(&bytes);
        let document = source.cut(&["messages"]);
        let mut parsed = Parsed::default();
        let mut session = SessionBuilder::new(self.name());
        source.report(&document, &mut session.diagnostics, &mut parsed.unassigned);
        session.info.id = input.stem().to_string();
        session.info.agent = Some("mini-swe-agent".to_string());
        session.info.records_outcome = true;
        let mut loader =
            Loader { session: &mut session, turns: Vec::new(), notices: Vec::new(), text_mode: TextMode::default() };
        for item in document.list("messages").iter().chain(document.list("")) {
            loader.item(item);
        }
        let ended = loader.finish();
        info(&mut session, &document, ended);
        parsed.sessions.push(session.finish());
        Ok(parsed)
    }
}

lenient! {
    /// What stands beside the fields of a message.
    struct Beside<'a> {
        object: Any<Text<'a>> = "object",
        output: Any<List<Raw<'a>>> = "output",
        extra: Any<Extra<'a>> = "extra",
    }
}

lenient! {
    struct Extra<'a> {
        time: Moment<'a> = "timestamp",
        cost: Any<Number> = "cost",
        response: Any<Response<'a>> = "response",
        returncode: Any<Number> = "returncode",
        exception: Any<Text<'a>> = "exception_info",
        exit_status: Any<Text<'a>> = "exit_status",
    }
}

lenient! {
    struct Response<'a> {
        id: Any<Text<'a>> = "id",
        model: Any<Text<'a>> = "model",
        usage: Any<usage::Usage<'a>> = "usage",
    }
}

lenient! {
    /// The text of a tool's message in version 2.
    struct Output<'a> {
        returncode: Any<Number> = "returncode",
        output: Any<Text<'a>> = "output",
        head: Any<Text<'a>> = "output_head",
        tail: Any<Text<'a>> = "output_tail",
        elided: Any<Number> = "elided_chars",
        exception: Any<Text<'a>> = "exception_info",
    }
}

lenient! {
    struct Info<'a> {
        version: Any<Text<'a>> = "mini_version",
        exit_status: Any<Text<'a>> = "exit_status",
        stats: Any<Stats<'a>> = "model_stats",
        config: Any<Config<'a>> = "config",
    }
}

lenient! {
    struct Stats<'a> {
        cost: Any<Number> = "instance_cost",
        calls: Any<Number> = "api_calls",
    }
}

lenient! {
    struct Config<'a> {
        model: Any<ModelConfig<'a>> = "model",
        environment: Any<EnvironmentConfig<'a>> = "environment",
    }
}

lenient! {
    struct ModelConfig<'a> {
        name: Any<Text<'a>> = "model_name",
    }
}

lenient! {
    struct EnvironmentConfig<'a> {
        cwd: Any<Text<'a>> = "cwd",
    }
}

struct Loader<'a> {
    session: &'a mut SessionBuilder,
    turns: Vec<Turn>,
    /// Exit statuses, told behind the messages.
    notices: Vec<(Locator, Option<Timestamp>, String)>,
    text_mode: TextMode,
}

impl Loader<'_> {
    fn item(&mut self, item: &Item) {
        let read =
            || Some((serde_json::from_str::<Message>(item.raw).ok()?, serde_json::from_str::<Beside>(item.raw).ok()?));
        let Some((message, beside)) = item.whole.then(read).flatten() else {
            return self.session.accounting.damaged();
        };
        if let Some(field) = message.fault() {
            self.session.diagnostics.add(DiagCode::FieldWrongType, item.place, format!("`{field}` of a message"));
        }
        let extra = beside.extra.0;
        let time = moment::of(extra.time.0).or(message.time());
        if let (Role::Unknown(role), Some(status)) = (message.role(), extra.exit_status.0.get())
            && role == "exit"
        {
            self.notices.push((item.place, time, status.to_string()));
            return self.session.accounting.used();
        }
        if beside.object.0.get() == Some("response") {
            return self.response(&beside.output.0, message, &extra, item.place, time);
        }
        let mut turn = Turn::of(message, item.place);
        turn.time = time;
        turn.model = turn.model.or(extra.response.0.model.0.owned());
        if turn.role == Role::Assistant {
            turn.usage = usage_of(&extra, turn.usage);
        }
        self.text_mode.turn(&mut turn);
        returned(&mut turn, &extra);
        self.turns.push(turn);
    }

    /// A whole response of the responses interface.
    fn response(&mut self, items: &List<Raw>, around: Message, extra: &Extra, place: Locator, time: Option<Timestamp>) {
        let mut usage = usage_of(extra, around.usage());
        for raw in items.items.iter().flatten() {
            let Ok(message) = serde_json::from_str::<Message>(raw.get()) else { continue };
            let mut turn = Turn::of(message, place);
            turn.time = time;
            turn.model = around.model();
            turn.item = true;
            turn.usage = usage;
            // Given to the first message of the response.
            usage = if turn.pieces.iter().all(|p| matches!(p, Piece::Thought(_))) { usage } else { None };
            self.turns.push(turn);
        }
        self.text_mode = TextMode::default();
    }

    /// Tells the messages; whether one of them told how the run ended.
    fn finish(self) -> bool {
        let turns = self.turns;
        let places: Vec<u32> = turns.iter().map(|turn| turn.place.record).collect();
        let told = tell(self.session, turns);
        // The items of one response are one record.
        let mut records: Vec<Told> = Vec::new();
        for (i, one) in told.into_iter().enumerate() {
            match i > 0 && places[i] == places[i - 1] {
                true if one == Told::Used => *records.last_mut().expect("one before") = one,
                true => {}
                false => records.push(one),
            }
        }
        count(self.session, records);
        let ended = !self.notices.is_empty();
        for (place, time, status) in self.notices {
            self.session.notice(NoticeKind::Meta, place, time, format!("exit_status: {status}"));
        }
        ended
    }
}

/// Tokens and cost of a response.
fn usage_of(extra: &Extra, own: Option<Usage>) -> Option<Usage> {
    let mut usage = extra.response.0.usage.0.get().or(own).unwrap_or_default();
    usage.cost = extra.cost.0.get().or(usage.cost);
    (!usage.is_empty()).then_some(usage)
}

/// How the calls ended whose results a turn holds, and their outputs out of the JSON text around them.
fn returned(turn: &mut Turn, extra: &Extra) {
    let failed = extra.exception.0.owned().is_some();
    let mut code = extra.returncode.0.whole();
    for piece in &mut turn.pieces {
        let Piece::Result(answer) = piece else { continue };
        let text = answer.text.clone();
        if text.trim_start().starts_with('{')
            && let Ok(output) = serde_json::from_str::<Output>(&text)
            && output.returncode.0.get().is_some()
        {
            code = code.or(output.returncode.0.whole());
            unwrap(answer, output);
        }
        turn.ended = ended(&answer.text, code.and_then(|code| i32::try_from(code).ok()), failed);
    }
}

/// The output itself; of a long one, beginning and end.
fn unwrap(answer: &mut Answer, mut output: Output) {
    let elided = output.elided.0.count();
    answer.text = match (output.output.0.take(), output.head.0.take(), output.tail.0.take()) {
        (Some(text), ..) => text,
        (None, Some(head), tail) => {
            answer.cut = Some(Cut::ByTool);
            let left = elided.map_or(String::new(), |n| format!("\n[elided_chars: {n}]\n"));
            format!("{head}{left}{}", tail.unwrap_or_default())
        }
        _ => String::new(),
    };
    if let (true, Some(exception)) = (answer.text.is_empty(), output.exception.0.take()) {
        answer.text = exception;
    }
}

/// What is told of the run as a whole.
fn info(session: &mut SessionBuilder, document: &Document, ended: bool) {
    let Some(info) = document.field("info").and_then(|raw| serde_json::from_str::<Info>(raw).ok()) else { return };
    session.info.version = info.version.0.owned();
    session.info.cwd = info.config.0.environment.0.cwd.0.owned();
    if session.info.models.is_empty()
        && let Some(model) = info.config.0.model.0.name.0.get()
    {
        session.model(model);
    }
    let stats = &info.stats.0;
    if !session.has_usage() && stats.calls.0.get() != Some(0.0) {
        session.info.usage = stats.cost.0.get().map(|cost| Usage { cost: Some(cost), ..Default::default() });
    }
    if let Some(status) = info.exit_status.0.owned().filter(|_| !ended) {
        session.notice(NoticeKind::Meta, Locator::default(), None, format!("exit_status: {status}"));
    }
}
