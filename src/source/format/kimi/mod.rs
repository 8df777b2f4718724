//! What the formats of Kimi share: contents made of parts, results, and a draft in which a message waits for what is
//! told of it later (its tokens, its result, the rest of a streamed text).

pub mod context;
pub mod wire;

mod cli;
mod code;

use std::collections::HashMap;

use crate::{
    base::{diag::DiagCode, locate::Locator, time::Timestamp},
    model::{
        builder::{Origin, ResultOf, SessionBuilder},
        message::{Cut, Exit, NoticeKind, Outcome, ToolKind, Usage},
    },
    source::{
        exit_words,
        fields::fields,
        lenient::{self, Length, Number, Text, lenient},
        tool_names::kind_of,
    },
};

lenient! {
    /// A part of a content.
    struct Part<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        think: Text<'a> = "think",
        image: Link<'a> = "image_url",
    }
}

lenient! {
    /// Where an image is; its data are measured, not kept.
    struct Link<'a> {
        url: Length = "url",
        id: Text<'a> = "id",
    }
}

lenient! {
    /// Tokens of a step.
    struct Tokens<'a> {
        input: Number = "input_other",
        output: Number = "output",
        read: Number = "input_cache_read",
        written: Number = "input_cache_creation",
        input_code: Number = "inputOther",
        read_code: Number = "inputCacheRead",
        written_code: Number = "inputCacheCreation",
    }
}

impl Tokens<'_> {
    fn usage(&self) -> Usage {
        Usage {
            input: self.input.count().or(self.input_code.count()),
            output: self.output.count(),
            cache_read: self.read.count().or(self.read_code.count()),
            cache_write: self.written.count().or(self.written_code.count()),
            ..Usage::default()
        }
    }
}

/// What is said, part by part.
type Content<'a> = lenient::Content<Part<'a>>;

impl Content<'_> {
    /// Its texts.
    fn said(&self) -> String {
        self.blocks.iter().filter_map(|part| part.text.get().or(part.stray.get())).collect::<Vec<_>>().join("\n")
    }

    /// How many images it shows.
    fn images(&self) -> usize {
        self.blocks.iter().filter(|part| part.kind.get() == Some("image_url")).count()
    }

    fn thought(&self) -> String {
        self.blocks.iter().filter_map(|part| part.think.get()).collect::<Vec<_>>().join("\n")
    }
}

/// Words by which the harness tells that the user refused a call.
const REFUSED: &[&str] = &["The tool call is rejected by the user", "rejected by the user", "Tool execution rejected"];

/// How a call ended: by the words of its output, else by its flag.
fn ending(output: &str, message: &str, error: Option<bool>) -> (Outcome, Exit) {
    if [output, message].iter().any(|text| REFUSED.iter().any(|words| text.starts_with(words))) {
        return (Outcome::Denied, Exit::NotRecorded);
    }
    for text in [message, output] {
        // "Command failed with exit code: 1." ends in a full stop, which the number leaves alone.
        let told = exit_words::ending(text);
        if told.1 != Exit::NotRecorded {
            return told;
        }
    }
    let outcome = match error {
        Some(true) => Outcome::Failed,
        Some(false) => Outcome::Ok,
        None => exit_words::ending(output).0,
    };
    (outcome, Exit::NotRecorded)
}

/// What stands for an image.
const IMAGE: &str = "<image>";

/// A message that waits.
enum What {
    User(String, usize),
    Text(String),
    Call { name: String, arguments: String, plan: Option<String>, result: Option<ResultOf> },
    Notice(NoticeKind, String),
}

struct Entry {
    what: What,
    origin: Origin,
}

/// Messages of one conversation that is being read.
#[derive(Default)]
struct Draft {
    entries: Vec<Entry>,
    calls: HashMap<String, usize>,
    thought: String,
    /// Name of the current step, and where its messages begin.
    step: String,
    begins: usize,
    /// Whether the last text or call is still being streamed.
    open: bool,
    model: Option<String>,
    /// Tokens of no step.
    beside: Usage,
}

impl Draft {
    fn origin(&self, place: Locator, time: Option<Timestamp>) -> Origin {
        Origin { place, time, ..Origin::default() }
    }

    fn user(&mut self, content: &Content, place: Locator, time: Option<Timestamp>) {
        self.open = false;
        self.thought.clear();
        let (text, images) = (content.said(), content.images());
        if !text.trim().is_empty() || images > 0 {
            let origin = self.origin(place, time);
            self.entries.push(Entry { what: What::User(text, images), origin });
        }
    }

    /// Whether the last thing that was said is this prompt.
    fn was_asked(&self, text: &str) -> bool {
        let last = self.entries.iter().rev().find(|entry| !matches!(entry.what, What::Notice(..)));
        matches!(last, Some(Entry { what: What::User(known, _), .. }) if known == text)
    }

    fn notice(&mut self, kind: NoticeKind, text: &str, place: Locator, time: Option<Timestamp>) {
        self.open = false;
        let origin = self.origin(place, time);
        self.entries.push(Entry { what: What::Notice(kind, text.to_string()), origin });
    }

    /// A step of the model begins.
    fn begin(&mut self, name: String) {
        self.open = false;
        self.step = name;
        self.begins = self.entries.len();
        self.thought.clear();
    }

    fn think(&mut self, text: &str) {
        self.thought.push_str(text);
    }

    /// Origin of something that the model does.
    fn acting(&mut self, place: Locator, time: Option<Timestamp>) -> Origin {
        Origin {
            turn: Some(self.step.clone()),
            reasoning: std::mem::take(&mut self.thought),
            model: self.model.clone(),
            ..self.origin(place, time)
        }
    }

    /// A text of the model, or more of the one that is being streamed.
    fn text(&mut self, text: &str, part: Option<String>, place: Locator, time: Option<Timestamp>) {
        if let Some(Entry { what: What::Text(known), .. }) = self.entries.last_mut().filter(|_| self.open) {
            return known.push_str(text);
        }
        if text.trim().is_empty() {
            return;
        }
        let mut origin = self.acting(place, time);
        origin.ids.part = part;
        self.entries.push(Entry { what: What::Text(text.to_string()), origin });
        self.open = true;
    }

    fn call(&mut self, id: Option<String>, name: &str, arguments: &str, place: Locator, time: Option<Timestamp>) {
        let mut origin = self.acting(place, time);
        if let Some(id) = &id {
            self.calls.insert(id.clone(), self.entries.len());
        }
        origin.ids.call = id;
        let (name, arguments) = (name.to_string(), arguments.to_string());
        self.entries.push(Entry { what: What::Call { name, arguments, plan: None, result: None }, origin });
        self.open = true;
    }

    /// More of the arguments of the call that is being streamed.
    fn more(&mut self, piece: &str) -> bool {
        match self.entries.last_mut().filter(|_| self.open) {
            Some(Entry { what: What::Call { arguments, .. }, .. }) => arguments.push_str(piece),
            _ => return false,
        }
        true
    }

    /// The plan that the last call hands over.
    fn plan(&mut self, text: &str) -> bool {
        match self.entries.iter_mut().rev().map(|entry| &mut entry.what).find(|what| matches!(what, What::Call { .. }))
        {
            Some(What::Call { plan, name, .. }) if kind_of(name) == ToolKind::Plan => *plan = Some(text.to_string()),
            _ => return false,
        }
        true
    }

    /// Gives a call its result; what is odd about it.
    fn result(&mut self, id: &str, given: ResultOf) -> Option<DiagCode> {
        self.open = false;
        let entry = self.calls.get(id).and_then(|at| self.entries.get_mut(*at));
        match entry.map(|entry| &mut entry.what) {
            Some(What::Call { result: Some(_), .. }) => Some(DiagCode::ResultRepeated),
            Some(What::Call { result, .. }) => {
                *result = Some(given);
                None
            }
            _ => Some(DiagCode::ResultWithoutCall),
        }
    }

    /// Tokens of the current step.
    fn spend(&mut self, usage: Usage) {
        let begins = self.begins.min(self.entries.len());
        let acts = |entry: &&mut Entry| matches!(entry.what, What::Text(_) | What::Call { .. });
        match self.entries[begins..].iter_mut().find(acts) {
            Some(first) if first.origin.usage.is_none() => first.origin.usage = Some(usage),
            _ => self.beside.add(&usage),
        }
    }

    /// Tells it to the session.
    fn tell(self, session: &mut SessionBuilder) {
        let mut sum = self.beside;
        for entry in self.entries {
            if let Some(usage) = &entry.origin.usage {
                sum.add(usage);
            }
            let (place, time) = (entry.origin.place, entry.origin.time);
            match entry.what {
                What::User(text, images) => {
                    let bare = text.trim().is_empty();
                    session.user(entry.origin, if bare { IMAGE.to_string() } else { text });
                    if bare {
                        session.cut_last(Cut::Placeholder);
                    }
                    (usize::from(bare)..images).for_each(|_| session.placeholder(IMAGE.to_string()));
                }
                What::Text(text) => session.text(entry.origin, text),
                What::Notice(kind, text) => session.notice(kind, place, time, text),
                What::Call { name, arguments, plan, result } => {
                    let mut input = fields(&arguments);
                    let told = input.iter().any(|field| field.name.as_deref() == Some("plan"));
                    if let Some(plan) = plan.filter(|_| !told) {
                        let named = crate::model::builder::Field { name: Some("plan".into()), text: plan, cut: None };
                        input.push(named);
                    }
                    session.call(entry.origin, &name, kind_of(&name), input);
                    if let Some(result) = result {
                        session.result_of_last(result);
                    }
                }
            }
        }
        if !self.beside.is_empty() {
            session.info.usage = Some(sum);
        }
    }
}
