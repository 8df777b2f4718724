//! Session files of Factory's Droid: JSON Lines, a `session_start` record, then `message` records of Anthropic's shape.
//! Tokens and model stand in a settings file beside it.

use super::{
    Card, Format, Recorded,
    anthropic::{blocks::Message, said::classify, tell},
};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        error::Error,
        locate::Locator,
        time::Timestamp,
    },
    model::{
        builder::{Origin, SessionBuilder},
        message::{Aliases, NoticeKind, Usage},
    },
    source::{
        Parsed,
        frame::{Records, checked, json_lines},
        lenient::{Any, Number, Text, lenient},
        open::Input,
        seen::{Seen, at, has, text},
        sniff::Sniff,
    },
};

/// See the module.
pub struct Droid;

/// Types of records that give nothing to the session.
const BOOKKEEPING: &[&str] = &["session_end", "settings_state", "todo_state"];

lenient! {
    /// A line of any type.
    pub struct Record<'a> {
        kind: Text<'a> = "type",
        id: Text<'a> = "id",
        time: Text<'a> = "timestamp",
        title: Any<Text<'a>> = "title",
        session_title: Any<Text<'a>> = "sessionTitle",
        cwd: Text<'a> = "cwd",
        summary: Any<Text<'a>> = "summaryText",
        message: Message<'a> = "message",
    }
}

lenient! {
    /// The settings beside it.
    pub struct Settings<'a> {
        model: Text<'a> = "model",
        tokens: Tokens<'a> = "tokenUsage",
    }
}

lenient! {
    /// Tokens of the whole session.
    pub struct Tokens<'a> {
        input: Number = "inputTokens",
        output: Number = "outputTokens",
        cache_read: Number = "cacheReadTokens",
        cache_write: Number = "cacheCreationTokens",
        thinking: Number = "thinkingTokens",
    }
}

impl Format for Droid {
    fn name(&self) -> &'static str {
        "droid"
    }

    fn about(&self) -> &'static str {
        "session files of Factory's Droid (JSONL)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "Droid",
            versions: "2025 to 2026",
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
        let header = seen.lines().iter().any(|n| text(n, "type") == "session_start" && has(n, &["id"]));
        let (own, of) = seen.vote(|n| {
            text(n, "type") == "message" && has(n, &["id", "timestamp"]) && at(n, &["message", "content"]).is_some()
        });
        match (header, own) {
            (true, _) => Sniff::Yes(91, format!("a `session_start` record, {own} of {of} lines are messages")),
            _ => Sniff::No("no `session_start` record".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let mut loader = Loader { session: SessionBuilder::new(self.name()) };
        let mut diagnostics = Diagnostics::default();
        json_lines(input, &mut diagnostics, &mut loader)?;
        let mut session = loader.session;
        session.diagnostics.extend(diagnostics);
        session.info.records_outcome = true;
        if session.info.id.is_empty() {
            session.info.id = input.stem().to_string();
        }
        let settings = input.beside(&format!("{}.settings.json", input.stem())).and_then(|file| file.bytes().ok());
        if let Some(bytes) = settings
            && let Ok(settings) = serde_json::from_slice::<Settings>(&bytes)
        {
            session.model(settings.model.get().unwrap_or_default());
            session.info.usage = Some(usage(&settings.tokens)).filter(|usage| !usage.is_empty());
        }
        Ok(Parsed { sessions: vec![session.finish()], ..Default::default() })
    }
}

fn usage(tokens: &Tokens) -> Usage {
    Usage {
        input: tokens.input.count(),
        output: tokens.output.count(),
        cache_read: tokens.cache_read.count(),
        cache_write: tokens.cache_write.count(),
        reasoning: tokens.thinking.count(),
        cost: None,
    }
}

struct Loader {
    session: SessionBuilder,
}

impl Records for Loader {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        let mut record: Record = serde_json::from_str(text)?;
        if checked(&record.stray, record.fault(), place, &mut self.session.diagnostics) {
            self.take(&mut record, place);
        } else {
            self.session.accounting.damaged();
        }
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        self.session.accounting.damaged();
    }
}

impl Loader {
    fn take(&mut self, record: &mut Record, place: Locator) {
        let time = record.time.get().and_then(Timestamp::parse);
        match record.kind.get().unwrap_or("(no type)") {
            "session_start" => {
                let info = &mut self.session.info;
                info.id = record.id.owned().unwrap_or_default();
                info.title = record.session_title.0.owned().or_else(|| record.title.0.owned());
                info.cwd = record.cwd.owned();
                self.session.accounting.used();
            }
            "message" => self.message(record, time, place),
            "compaction_state" => {
                let summary = record.summary.0.take().unwrap_or_default();
                self.session.notice(NoticeKind::Compaction, place, time, summary);
                self.session.accounting.used();
            }
            kind if BOOKKEEPING.contains(&kind) => self.session.accounting.skipped(kind),
            kind => {
                let told = format!("`{kind}` on line {}", place.line);
                self.session.diagnostics.add(DiagCode::RecordTypeUnknown, place, told);
                self.session.accounting.unknown(kind);
            }
        }
    }

    fn message(&mut self, record: &mut Record, time: Option<Timestamp>, place: Locator) {
        let id = record.id.owned();
        let ids = Aliases { message: id.clone(), ..Default::default() };
        let model = record.message.model.owned();
        let origin = Origin { ids, time, place, turn: id, model, ..Default::default() };
        let pieces = std::mem::take(&mut record.message.content).pieces();
        let told = match record.message.role.get() {
            Some("assistant") => tell::assistant(&mut self.session, &origin, pieces),
            _ => tell::user(&mut self.session, &origin, pieces, classify),
        };
        match told {
            0 => self.session.accounting.skipped("no text and no call"),
            _ => self.session.accounting.used(),
        }
    }
}
