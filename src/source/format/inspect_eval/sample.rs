//! One sample: its messages in order, with what its events tell of them.

use std::{cell::Cell, collections::HashMap};

use serde_json::value::RawValue;

use crate::{
    base::{diag::DiagCode, locate::Locator, time::Timestamp},
    model::{
        builder::SessionBuilder,
        message::{Exit, NoticeKind, Outcome, ToolKind, Usage},
        session::Session,
    },
    source::{
        chat::{
            content::Piece,
            message::{Message, Role},
            moment::{self, Moment},
            tell::{Turn, count, outcome, tell as tell_turns},
            usage,
        },
        document::{Document, Item},
        lenient::{Any, Flag, List, Number, Raw, Text, lenient},
        tool_names::kind_of,
    },
};

/// What the log tells of all its samples.
#[derive(Debug, Default)]
pub struct Header {
    task: Option<String>,
    model: Option<String>,
    version: Option<String>,
}

lenient! {
    struct Eval<'a> {
        task: Any<Text<'a>> = "task",
        model: Any<Text<'a>> = "model",
        packages: Any<Packages<'a>> = "packages",
    }
}

lenient! {
    struct Packages<'a> {
        inspect: Any<Text<'a>> = "inspect_ai",
    }
}

impl Header {
    /// Out of the object `eval`.
    pub fn of(raw: Option<&str>) -> Self {
        let eval: Eval = raw.and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
        Self { task: eval.task.0.owned(), model: eval.model.0.owned(), version: eval.packages.0.inspect.0.owned() }
    }
}

/// Long texts by the name under which messages refer to them.
#[derive(Debug, Default)]
pub struct Attachments {
    texts: HashMap<String, Attached>,
    /// Bytes of texts that were put in more than one place.
    repeated: Cell<usize>,
    /// References that stay: beyond [`REPEATED`], or to a text that the log does not hold.
    left: Cell<u64>,
}

#[derive(Debug)]
struct Attached {
    text: String,
    told: Cell<bool>,
}

/// How a reference begins.
const REFERENCE: &str = "attachment://";
/// Most bytes of texts that are put in a second place and further ones: a short log could refer to one long text
/// endlessly.
const REPEATED: usize = 8 << 20;

impl Attachments {
    /// Adds one.
    pub fn insert(&mut self, name: &str, raw: &str) {
        if let Ok(text) = serde_json::from_str::<String>(raw) {
            self.texts.insert(name.to_string(), Attached { text, told: Cell::new(false) });
        }
    }

    /// Puts the texts in the place of references; each stands on a line of its own.
    fn resolve(&self, text: &mut String) {
        if !text.contains(REFERENCE) {
            return;
        }
        let line = |line| self.attached(line).unwrap_or(line);
        let lines: Vec<&str> = text.split('\n').map(line).collect();
        *text = lines.join("\n");
    }

    /// The text that a line refers to, as long as there is room for it.
    fn attached(&self, line: &str) -> Option<&str> {
        let name = line.strip_prefix(REFERENCE)?.trim_end();
        let attached =
            self.texts.get(name).filter(|attached| !attached.told.replace(true) || self.fits(&attached.text));
        self.left.set(self.left.get() + u64::from(attached.is_none()));
        Some(&attached?.text)
    }

    /// Whether there is room to put a text in another place; then it is taken.
    fn fits(&self, text: &str) -> bool {
        let repeated = self.repeated.get() + text.len();
        let fits = repeated <= REPEATED;
        if fits {
            self.repeated.set(repeated);
        }
        fits
    }
}

/// A sample as it lies in the log.
#[derive(Default)]
pub struct Sample<'a> {
    /// What its member is called.
    pub name: String,
    /// Where in the file it begins.
    pub from: usize,
    /// Its messages.
    pub messages: Vec<&'a Item<'a>>,
    /// Its events.
    pub events: Vec<&'a Item<'a>>,
    /// Texts that are referred to.
    pub attachments: Attachments,
    /// Its other members, as they stand.
    pub fields: Vec<(&'a str, &'a str)>,
}

impl<'a> Sample<'a> {
    /// Takes over what a document holds of it.
    pub fn add(&mut self, document: &'a Document<'a>) {
        self.messages.extend(document.list("messages"));
        self.events.extend(document.list("events"));
        for (key, raw) in &document.fields {
            match &**key {
                "attachments" => {
                    let all: std::collections::BTreeMap<String, &RawValue> =
                        serde_json::from_str(raw).unwrap_or_default();
                    all.iter().for_each(|(name, raw)| self.attachments.insert(name, raw.get()));
                }
                key => self.fields.push((key, raw)),
            }
        }
    }

    fn field(&self, name: &str) -> Option<&'a str> {
        self.fields.iter().rev().find(|(key, _)| *key == name).map(|(_, raw)| *raw)
    }

    /// A text, or a number as written.
    fn word(&self, name: &str) -> Option<String> {
        let raw = self.field(name)?;
        serde_json::from_str::<String>(raw).ok().or_else(|| raw.parse::<f64>().is_ok().then(|| raw.to_string()))
    }
}

lenient! {
    /// An event of any kind.
    struct Event<'a> {
        kind: Text<'a> = "event",
        time: Moment<'a> = "timestamp",
        completed: Moment<'a> = "completed",
        id: Any<Text<'a>> = "id",
        model: Any<Text<'a>> = "model",
        output: Any<Output<'a>> = "output",
        error: Any<Raw<'a>> = "error",
        failed: Any<Flag> = "failed",
        result: Any<Number> = "result",
        action: Any<Text<'a>> = "action",
        decision: Any<Text<'a>> = "decision",
        call: Any<Named<'a>> = "call",
        message: Any<Text<'a>> = "message",
        summary: Any<Text<'a>> = "summary",
    }
}

lenient! {
    struct Named<'a> {
        id: Any<Text<'a>> = "id",
    }
}

lenient! {
    struct Output<'a> {
        choices: Any<List<Choice<'a>>> = "choices",
        usage: Any<usage::Usage<'a>> = "usage",
    }
}

lenient! {
    struct Choice<'a> {
        message: Any<Named<'a>> = "message",
    }
}

lenient! {
    /// An error of a tool, of a model or of the sample.
    struct Failure<'a> {
        kind: Any<Text<'a>> = "type",
        message: Any<Text<'a>> = "message",
    }
}

/// What events tell of a response.
#[derive(Default)]
struct Response {
    time: Option<Timestamp>,
    usage: Option<Usage>,
    model: Option<String>,
}

/// What events tell of a call.
#[derive(Default)]
struct Ended {
    time: Option<Timestamp>,
    failed: Option<bool>,
    kind: String,
    denied: bool,
    /// Statuses of the commands that it ran.
    exits: Vec<i32>,
}

/// What the events tell.
#[derive(Default)]
struct Told {
    responses: HashMap<String, Response>,
    calls: HashMap<String, Ended>,
    /// By the message after which they stand.
    notices: Vec<(Option<String>, Turn)>,
    started: Option<Timestamp>,
}

/// Tells a sample.
pub fn tell(format: &'static str, header: &Header, sample: Sample) -> Session {
    let mut session = SessionBuilder::new(format);
    session.info.records_outcome = true;
    about(&mut session, header, &sample);
    let events = events(&mut session, &sample);
    let mut turns = Vec::new();
    let mut notices = events.notices.into_iter().peekable();
    let mut last: Option<String> = None;
    for (i, item) in sample.messages.iter().enumerate() {
        while let Some((_, notice)) = notices.next_if(|(after, _)| after.is_none() || *after == last) {
            turns.push(notice);
        }
        // Of a sample in pieces each piece counts for itself.
        let place = Locator { record: i as u32 + 1, line: 0, bytes: item.place.bytes.shift(sample.from) };
        let message = item.whole.then(|| serde_json::from_str::<Message>(item.raw).ok()).flatten();
        let Some(message) = message else {
            session.accounting.damaged();
            continue;
        };
        if let Some(field) = message.fault() {
            session.diagnostics.add(DiagCode::FieldWrongType, place, format!("`{field}` of a message"));
        }
        let call = call_of(item.raw);
        let mut turn = Turn::of(message, place);
        turn.pieces.iter_mut().for_each(|piece| resolve(&sample.attachments, piece));
        match (&turn.role, turn.id.as_ref().and_then(|id| events.responses.get(id))) {
            (Role::Assistant, Some(response)) => {
                turn.time = response.time;
                turn.usage = response.usage;
                turn.model = response.model.clone().or(turn.model);
            }
            (Role::Tool, _) => returned(&mut turn, &call, &events.calls),
            (Role::User, _) if turns.iter().all(|turn: &Turn| turn.role == Role::System) => turn.time = events.started,
            _ => {}
        }
        last.clone_from(&turn.id);
        turns.push(turn);
    }
    turns.extend(notices.map(|(_, notice)| notice));
    if let left @ 1.. = sample.attachments.left.get() {
        let told = format!("{left} references to texts that stand elsewhere, or are not in the log");
        session.diagnostics.add(DiagCode::ContentCut, Locator::default(), told);
    }
    let told = tell_turns(&mut session, turns);
    count(&mut session, told);
    ends(&mut session, &sample);
    session.finish()
}

lenient! {
    /// What a tool's message says of its call.
    struct CallOf<'a> {
        id: Any<Text<'a>> = "tool_call_id",
        function: Any<Text<'a>> = "function",
        error: Any<Failure<'a>> = "error",
    }
}

/// Id, tool and kind of error of the call that a message answers.
fn call_of(raw: &str) -> (String, String, String) {
    let call: CallOf = serde_json::from_str(raw).unwrap_or_default();
    let text = |text: Text| text.owned().unwrap_or_default();
    (text(call.id.0), text(call.function.0), text(call.error.0.kind.0))
}

fn about(session: &mut SessionBuilder, header: &Header, sample: &Sample) {
    let (id, epoch) = (sample.word("id"), sample.word("epoch"));
    let named = || Some(format!("{}_epoch_{}", id.as_ref()?, epoch.as_deref().unwrap_or("1")));
    session.info.id = named().or(sample.word("uuid")).unwrap_or_else(|| sample.name.clone());
    session.info.agent = Some("Inspect".to_string());
    session.info.version.clone_from(&header.version);
    session.info.title = match (&header.task, &id) {
        (Some(task), Some(id)) => Some(format!("{task} {id}")),
        (task, _) => task.clone(),
    };
    if let Some(model) = &header.model {
        session.model(model);
    }
    let by_model: HashMap<String, &RawValue> =
        sample.field("model_usage").and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
    let mut names: Vec<&String> = by_model.keys().collect();
    names.sort();
    let mut sum = Usage::default();
    for name in names {
        let usage = serde_json::from_str::<usage::Usage>(by_model[name].get()).ok();
        sum.add(&usage.and_then(|usage| usage.get()).unwrap_or_default());
    }
    session.info.usage = (!sum.is_empty()).then_some(sum);
}

fn events(session: &mut SessionBuilder, sample: &Sample) -> Told {
    let mut told =
        Told { started: sample.word("started_at").and_then(|t| Timestamp::parse_zoneless(&t)), ..Told::default() };
    let (mut last, mut running): (Option<String>, Option<String>) = (None, None);
    for item in sample.events.iter().filter(|item| item.whole) {
        let Ok(mut event) = serde_json::from_str::<Event>(item.raw) else { continue };
        let place = Locator { bytes: item.place.bytes.shift(sample.from), ..item.place };
        if let Some(field) = event.fault() {
            session.diagnostics.add(DiagCode::FieldWrongType, place, format!("`{field}` of an event"));
        }
        let time = moment::of(event.completed.0).or(moment::of(event.time.0));
        told.started = told.started.or(time);
        let notice = match event.kind.get().unwrap_or_default() {
            "model" => {
                running = None;
                let choice = event.output.0.choices.0.items.first();
                if let Some(id) = choice.and_then(|choice| choice.message.0.id.0.owned()) {
                    let usage = event.output.0.usage.0.get();
                    told.responses.insert(id.clone(), Response { time, usage, model: event.model.0.owned() });
                    last = Some(id);
                }
                failure(event.error.0).map(|(_, text)| (NoticeKind::Fault, text))
            }
            "tool" => {
                running = event.id.0.owned();
                if let Some(id) = &running {
                    let call = told.calls.entry(id.clone()).or_default();
                    let error = failure(event.error.0);
                    call.time = time;
                    call.failed = Some(error.is_some() || event.failed.0.set());
                    call.kind = error.map(|(kind, _)| kind).unwrap_or_default();
                }
                None
            }
            "sandbox" if event.action.0.get() == Some("exec") => {
                let code = event.result.0.whole().and_then(|code| i32::try_from(code).ok());
                let call = running.as_ref().and_then(|id| told.calls.get_mut(id));
                if let (Some(call), Some(code)) = (call, code) {
                    call.exits.push(code);
                }
                None
            }
            "approval" => {
                let refused = matches!(event.decision.0.get(), Some("reject" | "terminate"));
                if let Some(id) = event.call.0.id.0.owned().filter(|_| refused) {
                    told.calls.entry(id).or_default().denied = true;
                }
                None
            }
            "compaction" => Some((NoticeKind::Compaction, event.summary.0.take().unwrap_or_default())),
            "interrupt" => Some((NoticeKind::Interruption, event.message.0.take().unwrap_or_default())),
            "sample_limit" => Some((NoticeKind::Fault, event.message.0.take().unwrap_or_default())),
            "error" => failure(event.error.0).map(|(_, text)| (NoticeKind::Fault, text)),
            _ => None,
        };
        if let Some((kind, mut text)) = notice {
            sample.attachments.resolve(&mut text);
            told.notices.push((last.clone(), Turn::notice(kind, text, place, time)));
        }
    }
    told
}

/// Kind and words of an error; some are a bare text.
fn failure(raw: Raw) -> Option<(String, String)> {
    let failure: Failure = serde_json::from_str(raw?.get()).ok()?;
    let text = failure.message.0.owned().or(failure.stray.owned())?;
    Some((failure.kind.0.owned().unwrap_or_default(), text))
}

fn resolve(attachments: &Attachments, piece: &mut Piece) {
    match piece {
        Piece::Said(text) | Piece::Thought(text) => attachments.resolve(text),
        Piece::Result(answer) => attachments.resolve(&mut answer.text),
        Piece::Call(call) => call.input.iter_mut().for_each(|field| attachments.resolve(&mut field.text)),
        Piece::Placeholder(_) | Piece::Unknown(_) => {}
    }
}

/// How a call ended. That a command failed is no error of the tool: only the status of the one command it ran tells.
fn returned(turn: &mut Turn, (id, function, error): &(String, String, String), calls: &HashMap<String, Ended>) {
    let none = Ended::default();
    let call = calls.get(id).unwrap_or(&none);
    turn.time = call.time.or(turn.time);
    let kind = if call.kind.is_empty() { error } else { &call.kind };
    for piece in &turn.pieces {
        let Piece::Result(answer) = piece else { continue };
        let failed = answer.is_error.unwrap_or(false) || call.failed == Some(true);
        let shell = kind_of(function) == ToolKind::Shell;
        turn.ended = Some(match (kind.as_str(), call.exits.as_slice()) {
            _ if call.denied => (Outcome::Denied, Exit::NotRecorded),
            ("approval", _) => (Outcome::Denied, Exit::NotRecorded),
            ("timeout", _) if shell => (Outcome::Failed, Exit::Killed),
            (_, [0]) if shell && !failed => (Outcome::Ok, Exit::Code(0)),
            (_, [code]) if shell && *code != 0 => (Outcome::Failed, Exit::Code(*code)),
            _ if failed => outcome(&answer.text, Some(true)),
            _ if shell => outcome(&answer.text, None),
            _ => (Outcome::Ok, Exit::NotRecorded),
        });
    }
}

lenient! {
    struct Score<'a> {
        value: Any<Raw<'a>> = "value",
    }
}

/// How the sample ended: scores, an error, a limit.
fn ends(session: &mut SessionBuilder, sample: &Sample) {
    let place = Locator::default();
    if let Some(raw) = sample.field("error")
        && let Some((_, text)) = serde_json::from_str(raw).ok().and_then(failure)
    {
        session.notice(NoticeKind::Fault, place, None, text);
    }
    let scores: std::collections::BTreeMap<String, &RawValue> =
        sample.field("scores").and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
    for (name, raw) in scores {
        let score: Score = serde_json::from_str(raw.get()).unwrap_or_default();
        if let Some(value) = score.value.0 {
            let value = serde_json::from_str::<String>(value.get()).unwrap_or_else(|_| value.get().to_string());
            session.notice(NoticeKind::Meta, place, None, format!("score {name}: {value}"));
        }
    }
}
