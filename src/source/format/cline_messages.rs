//! `<session>.messages.json` of Cline's SDK and program, version 1: one document, messages of Anthropic's shape. Times
//! and tokens stand at responses only.

use super::{
    Card, Format, Recorded,
    anthropic::{
        blocks::Content,
        said::{Said, classify},
        tell,
    },
};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        error::Error,
        time::Timestamp,
    },
    model::{
        builder::{Origin, SessionBuilder},
        message::{Aliases, Usage},
    },
    source::{
        Parsed,
        document::{Item, Source},
        frame::checked,
        lenient::{Any, Number, Text, lenient},
        open::Input,
        seen::{Seen, has, text},
        sniff::Sniff,
    },
};

/// See the module.
pub struct ClineMessages;

/// Who a session is of.
const AGENTS: &[&str] = &["lead", "subagent", "teammate"];

lenient! {
    /// A message.
    pub struct Message<'a> {
        id: Text<'a> = "id",
        role: Text<'a> = "role",
        content: Content<'a> = "content",
        time: Any<Number> = "ts",
        model: Model<'a> = "modelInfo",
        metrics: Metrics<'a> = "metrics",
    }
}

lenient! {
    /// The model of a response.
    pub struct Model<'a> {
        id: Text<'a> = "id",
    }
}

lenient! {
    /// Tokens and cost.
    pub struct Metrics<'a> {
        input: Number = "inputTokens",
        output: Number = "outputTokens",
        cache_read: Number = "cacheReadTokens",
        cache_write: Number = "cacheWriteTokens",
        cost: Number = "cost",
    }
}

impl Format for ClineMessages {
    fn name(&self) -> &'static str {
        "cline-messages"
    }

    fn about(&self) -> &'static str {
        "`messages.json` of Cline's SDK and program"
    }

    fn card(&self) -> Card {
        Card {
            agent: "Cline",
            versions: "messages version 1",
            records: &[
                Recorded::Times,
                Recorded::Models,
                Recorded::Tokens,
                Recorded::Cost,
                Recorded::Failures,
                Recorded::Reasoning,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let own = |n: &_| has(n, &["version", "sessionId", "messages"]) && AGENTS.contains(&text(n, "agent"));
        match seen.document() {
            Some(node) if own(node) => Sniff::Yes(93, "`version`, `agent`, `sessionId` and `messages`".into()),
            _ => Sniff::No("no object with `version`, `agent`, `sessionId` and `messages`".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let bytes = input.bytes()?;
        let source = Source::of(&bytes);
        let document = source.cut(&["messages"]);
        let mut session = SessionBuilder::new(self.name());
        session.info.id = document.string("sessionId").unwrap_or_else(|| input.stem().to_string());
        session.info.agent = document.string("agent").map(|agent| format!("Cline ({agent})"));
        session.info.version = document.field("version").map(|v| format!("messages {v}"));
        session.info.records_outcome = true;
        for item in document.list("messages") {
            message(&mut session, item);
        }
        let (mut diagnostics, mut unassigned) = (Diagnostics::default(), Default::default());
        source.report(&document, &mut diagnostics, &mut unassigned);
        session.diagnostics.extend(diagnostics);
        Ok(Parsed { sessions: vec![session.finish()], unassigned, ..Default::default() })
    }
}

fn message(session: &mut SessionBuilder, item: &Item) {
    let place = item.place;
    let parsed = serde_json::from_str::<Message>(item.raw);
    let mut message = match parsed {
        Ok(message) if checked(&message.stray, message.fault(), place, &mut session.diagnostics) => message,
        _ => return session.accounting.damaged(),
    };
    let id = message.id.owned();
    let ids = Aliases { message: id.clone(), ..Default::default() };
    let time = message.time.0.get().and_then(Timestamp::from_number);
    let turn = id.or_else(|| Some(format!("message {}", place.record)));
    let (model, usage) = (message.model.id.owned(), Some(usage(&message.metrics)));
    let origin = Origin { ids, time, place, turn, model, usage, ..Default::default() };
    let pieces = std::mem::take(&mut message.content).pieces();
    let told = match message.role.get() {
        Some("assistant") => tell::assistant(session, &origin, pieces),
        Some("user") => tell::user(session, &Origin { usage: None, ..origin }, pieces, prompt),
        role => {
            let role = role.unwrap_or("(no role)");
            session.diagnostics.add(DiagCode::RecordTypeUnknown, place, format!("a message of role {role}"));
            return session.accounting.unknown(role);
        }
    };
    match told {
        0 => session.accounting.skipped("no text and no call"),
        _ => session.accounting.used(),
    }
}

/// A prompt without the element that Cline puts around it.
fn prompt(text: &str) -> Said<'_> {
    let inner = text.trim().strip_prefix("<user_input").and_then(|t| t.split_once('>'));
    match inner.and_then(|(_, rest)| rest.trim_end().strip_suffix("</user_input>")) {
        Some(inner) => Said::Prompt(inner.trim().into()),
        None => classify(text),
    }
}

fn usage(metrics: &Metrics) -> Usage {
    Usage {
        input: metrics.input.count(),
        output: metrics.output.count(),
        cache_read: metrics.cache_read.count(),
        cache_write: metrics.cache_write.count(),
        reasoning: None,
        cost: metrics.cost.get(),
    }
}
