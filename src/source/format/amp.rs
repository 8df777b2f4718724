//! Threads that Amp kept on disk until early 2026, and that its program still exports: one document, messages of
//! Anthropic's shape, but for results, which hold how a tool ran. Times stand at some messages only.

use super::{
    Card, Format, Recorded,
    anthropic::said::{Said, classify},
};
use crate::{
    base::{diag::Diagnostics, error::Error, locate::Locator, time::Timestamp},
    model::{
        builder::{Origin, ResultOf, SessionBuilder},
        message::{Aliases, Cut, Exit, Outcome, Usage},
    },
    source::{
        Parsed,
        document::{Document, Item, Source},
        exit_words::ending,
        fields::{compact, fields},
        frame::checked,
        lenient::{Any, List, Number, Raw, Text, lenient},
        open::Input,
        seen::{Seen, has, text},
        sniff::Sniff,
        tool_names::kind_of,
    },
};

/// See the module.
pub struct Amp;

lenient! {
    /// A message.
    pub struct Message<'a> {
        role: Text<'a> = "role",
        id: Any<Number> = "messageId",
        content: List<Block<'a>> = "content",
        usage: Tokens<'a> = "usage",
        meta: Meta<'a> = "meta",
    }
}

lenient! {
    /// What is known of the sending.
    pub struct Meta<'a> {
        sent: Number = "sentAt",
    }
}

lenient! {
    /// Tokens of a response, and its model.
    pub struct Tokens<'a> {
        model: Text<'a> = "model",
        input: Number = "inputTokens",
        output: Number = "outputTokens",
        cache_read: Number = "cacheReadInputTokens",
        cache_write: Number = "cacheCreationInputTokens",
        time: Text<'a> = "timestamp",
    }
}

lenient! {
    /// A block of a message.
    pub struct Block<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        thinking: Text<'a> = "thinking",
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        input: Raw<'a> = "input",
        answers: Text<'a> = "toolUseID",
        run: Run<'a> = "run",
    }
}

lenient! {
    /// How a tool ran.
    pub struct Run<'a> {
        status: Text<'a> = "status",
        result: Raw<'a> = "result",
        error: Raw<'a> = "error",
    }
}

lenient! {
    /// A result or an error that is an object.
    pub struct Returned<'a> {
        output: Any<Text<'a>> = "output",
        message: Any<Text<'a>> = "message",
        exit: Any<Number> = "exitCode",
    }
}

impl Format for Amp {
    fn name(&self) -> &'static str {
        "amp"
    }

    fn about(&self) -> &'static str {
        "threads of Amp, as kept on disk until 2026 and as exported"
    }

    fn card(&self) -> Card {
        Card {
            agent: "Amp",
            versions: "threads of 2025 and early 2026",
            records: &[
                Recorded::Times,
                Recorded::Models,
                Recorded::Tokens,
                Recorded::Exits,
                Recorded::Failures,
                Recorded::Cwd,
                Recorded::Todos,
                Recorded::Reasoning,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        match seen.document() {
            Some(node) if text(node, "id").starts_with("T-") && has(node, &["v", "messages"]) => {
                Sniff::Yes(93, "`v`, `messages` and an `id` that begins with `T-`".into())
            }
            _ => Sniff::No("no object with `v`, `messages` and an `id` that begins with `T-`".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let bytes = input.bytes()?;
        let source = Source::of(&bytes);
        let document = source.cut(&["messages"]);
        let mut session = SessionBuilder::new(self.name());
        session.info.id = document.string("id").unwrap_or_else(|| input.stem().to_string());
        session.info.title = document.string("title");
        session.info.cwd = cwd(&document);
        session.info.records_outcome = true;
        for item in document.list("messages") {
            let thread = session.info.id.clone();
            message(&mut session, &thread, item);
        }
        let (mut diagnostics, mut unassigned) = (Diagnostics::default(), Default::default());
        source.report(&document, &mut diagnostics, &mut unassigned);
        session.diagnostics.extend(diagnostics);
        Ok(Parsed { sessions: vec![session.finish()], unassigned, ..Default::default() })
    }
}

/// The first folder of the environment.
fn cwd(document: &Document) -> Option<String> {
    lenient! {
        struct Env<'a> { initial: Initial<'a> = "initial" }
    }
    lenient! {
        struct Initial<'a> { trees: List<Tree<'a>> = "trees" }
    }
    lenient! {
        struct Tree<'a> { uri: Text<'a> = "uri" }
    }
    let env: Env = serde_json::from_str(document.field("env")?).ok()?;
    let uri = env.initial.trees.items.first()?.uri.owned()?;
    Some(uri.strip_prefix("file://").unwrap_or(&uri).to_string())
}

fn message(session: &mut SessionBuilder, thread: &str, item: &Item) {
    let place = item.place;
    let parsed = serde_json::from_str::<Message>(item.raw);
    let message = match parsed {
        Ok(message) if checked(&message.stray, message.fault(), place, &mut session.diagnostics) => message,
        _ => return session.accounting.damaged(),
    };
    let tokens = &message.usage;
    let sent = message.meta.sent.get().and_then(Timestamp::from_number);
    let id = message.id.0.count().map(|n| format!("{thread}/{n}"));
    let origin = Origin {
        ids: Aliases { message: id.clone(), ..Default::default() },
        time: sent.or_else(|| tokens.time.get().and_then(Timestamp::parse)),
        place,
        turn: id.or_else(|| Some(format!("item {}", place.record))),
        model: tokens.model.owned(),
        usage: Some(usage(tokens)),
        ..Default::default()
    };
    let assistant = message.role.get() == Some("assistant");
    let mut teller = Teller { session, origin, assistant, thought: String::new(), told: 0 };
    message.content.items.into_iter().for_each(|block| teller.block(block));
    let told = teller.told;
    match told {
        0 => session.accounting.skipped("no text and no call"),
        _ => session.accounting.used(),
    }
}

fn usage(tokens: &Tokens) -> Usage {
    Usage {
        input: tokens.input.count(),
        output: tokens.output.count(),
        cache_read: tokens.cache_read.count(),
        cache_write: tokens.cache_write.count(),
        ..Default::default()
    }
}

struct Teller<'s> {
    session: &'s mut SessionBuilder,
    origin: Origin,
    assistant: bool,
    thought: String,
    told: usize,
}

impl Teller<'_> {
    fn origin(&mut self, call: Option<String>) -> Origin {
        let usage = self.origin.usage.take().filter(|_| self.assistant);
        let mut origin = Origin { reasoning: std::mem::take(&mut self.thought), usage, ..self.origin.clone() };
        origin.ids.call = call;
        origin
    }

    fn block(&mut self, mut block: Block) {
        match block.kind.get().unwrap_or_default() {
            "text" => self.said(block.text.take().unwrap_or_default()),
            "thinking" => return self.thought += block.thinking.get().unwrap_or_default(),
            "tool_use" => {
                let name = block.name.take().unwrap_or_default();
                let origin = self.origin(block.id.owned());
                let input = fields(block.input.map_or("", |raw| raw.get()));
                self.session.call(origin, &name, kind_of(&name), input);
            }
            "tool_result" => {
                let result = result(&block.run, self.origin.place);
                let result = ResultOf { time: self.origin.time, ..result };
                self.session.result(block.answers.get().unwrap_or_default(), result);
            }
            "image" if !self.assistant => {
                let origin = self.origin(None);
                self.session.user(origin, "[image]");
                self.session.cut_last(Cut::Placeholder);
            }
            _ => return,
        }
        self.told += 1;
    }

    fn said(&mut self, text: String) {
        if text.trim().is_empty() {
            return;
        }
        if self.assistant {
            let origin = self.origin(None);
            return self.session.text(origin, text);
        }
        match classify(&text) {
            Said::Prompt(text) => {
                let text = text.into_owned();
                let origin = self.origin(None);
                self.session.user(origin, text);
            }
            Said::Notice(kind, text) => self.session.notice(kind, self.origin.place, self.origin.time, text),
        }
    }
}

/// What a run returned: a text, an object with output and exit status, or anything else as JSON.
fn result(run: &Run, place: Locator) -> ResultOf {
    let raw = run.result.or(run.error).map_or("", |raw| raw.get());
    let mut returned: Returned = serde_json::from_str(raw).unwrap_or_default();
    let text = returned.stray.take().or_else(|| returned.output.0.take()).or_else(|| returned.message.0.take());
    let text = text.unwrap_or_else(|| if raw == "null" { String::new() } else { compact(raw) });
    let (words, mut exit) = ending(&text);
    if let Some(code) = returned.exit.0.whole() {
        exit = Exit::Code(code as i32);
    }
    let outcome = match run.status.get() {
        Some("done") if matches!(exit, Exit::Code(code) if code != 0) => Outcome::Failed,
        Some("done") => Outcome::Ok,
        Some("error") => Outcome::Failed,
        Some("cancelled") => Outcome::Interrupted,
        Some("rejected-by-user") => Outcome::Denied,
        _ => words,
    };
    ResultOf::new(text, place).ended((outcome, exit))
}
