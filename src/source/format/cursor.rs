//! The key-value database of Cursor's editor: a conversation is a composer, which lists its bubbles in order; each bubble
//! is a value of its own. Nothing of it is documented, and inputs and results of tools are mostly JSON inside of strings.
//! Bubbles that the composer does not list were deleted or generated anew; empty composers are common.

use std::{borrow::Cow, collections::HashMap};

use super::{Card, Format, Recorded};
use crate::{
    base::{diag::DiagCode, error::Error, locate::Locator, time::Timestamp},
    model::{
        builder::{Field, Origin, ResultOf, SessionBuilder},
        message::{Aliases, Exit, NoticeKind, Outcome, ToolKind, Usage},
        session::Session,
    },
    source::{
        Parsed, agents,
        chat::moment,
        database::Database,
        exit_words,
        fields::{compact, fields},
        lenient::{Any, List, Number, Raw, Text, lenient},
        open::Input,
        seen::Seen,
        sniff::Sniff,
        tool_names::kind_of,
    },
};

/// See the module.
pub struct Cursor;

impl Format for Cursor {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn about(&self) -> &'static str {
        "the database of Cursor's editor (`state.vscdb`)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "Cursor",
            versions: "composers since 2024",
            records: &[
                Recorded::Times,
                Recorded::Models,
                Recorded::Tokens,
                Recorded::Exits,
                Recorded::Failures,
                Recorded::Todos,
                Recorded::Reasoning,
                Recorded::Subagents,
                Recorded::Compactions,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        match seen.has_table("cursorDiskKV", &["key", "value"]) {
            true => Sniff::Yes(88, "its table `cursorDiskKV`".into()),
            false => Sniff::No("no table `cursorDiskKV`".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let database = input.database()?;
        let mut parsed = Parsed::default();
        let mut sessions = Vec::new();
        for composer in keys(&database, &mut parsed) {
            sessions.push(read(self.name(), &database, &composer));
        }
        // A composer names those below it, not the other way round.
        let mut parents: HashMap<String, String> = HashMap::new();
        for (session, below) in &sessions {
            parents.extend(below.iter().map(|id| (id.clone(), session.info.id.clone())));
        }
        let mut sessions: Vec<Session> = sessions.into_iter().map(|(session, _)| session).collect();
        for session in &mut sessions {
            session.info.parent = parents.remove(&session.info.id);
        }
        sessions.sort_by_key(|session| (session.started(), session.info.id.clone()));
        for session in agents::families(sessions, |_| None) {
            parsed.add(session);
        }
        Ok(parsed)
    }
}

lenient! {
    /// A conversation.
    struct Composer<'a> {
        id: Text<'a> = "composerId",
        name: Any<Text<'a>> = "name",
        headers: List<Header<'a>> = "fullConversationHeadersOnly",
        /// The bubbles themselves, in older versions.
        conversation: List<Raw<'a>> = "conversation",
        model: Any<Model<'a>> = "modelConfig",
        below: Any<List<Text<'a>>> = "subComposerIds",
        summary: Any<Summary<'a>> = "latestConversationSummary",
    }
}

lenient! {
    /// A bubble's place in its conversation.
    struct Header<'a> {
        id: Text<'a> = "bubbleId",
    }
}

lenient! {
    /// A model.
    struct Model<'a> {
        name: Any<Text<'a>> = "modelName",
    }
}

lenient! {
    /// The summary that stands for the conversation so far.
    struct Summary<'a> {
        inner: Any<SummaryText<'a>> = "summary",
        last: Any<Text<'a>> = "lastBubbleId",
    }
}

lenient! {
    /// Its text, and the last bubble for which it stands.
    struct SummaryText<'a> {
        text: Any<Text<'a>> = "summary",
        last: Any<Text<'a>> = "truncationLastBubbleIdInclusive",
    }
}

lenient! {
    /// A turn, or a call with its result.
    struct Bubble<'a> {
        id: Text<'a> = "bubbleId",
        kind: Number = "type",
        text: Text<'a> = "text",
        created: Raw<'a> = "createdAt",
        thinking: Any<Thinking<'a>> = "thinking",
        tokens: Any<Tokens<'a>> = "tokenCount",
        model: Any<Model<'a>> = "modelInfo",
        tool: Any<Tool<'a>> = "toolFormerData",
    }
}

lenient! {
    /// Reasoning.
    struct Thinking<'a> {
        text: Any<Text<'a>> = "text",
    }
}

lenient! {
    /// Tokens; zeros where nothing is known.
    struct Tokens<'a> {
        input: Any<Number> = "inputTokens",
        output: Any<Number> = "outputTokens",
    }
}

lenient! {
    /// A call.
    struct Tool<'a> {
        name: Text<'a> = "name",
        call: Text<'a> = "toolCallId",
        status: Text<'a> = "status",
        decision: Text<'a> = "userDecision",
        args: Raw<'a> = "rawArgs",
        params: Raw<'a> = "params",
        result: Raw<'a> = "result",
        error: Raw<'a> = "error",
    }
}

lenient! {
    /// What a tool returned, as far as tools agree.
    struct Returned<'a> {
        output: Any<Text<'a>> = "output",
        contents: Any<Text<'a>> = "contents",
        exit: Any<Number> = "exitCode",
        exit_also: Any<Number> = "exitCodeV2",
        rejected: Any<crate::source::lenient::Flag> = "rejected",
        seen: Any<Text<'a>> = "modelVisibleErrorMessage",
        shown: Any<Text<'a>> = "clientVisibleErrorMessage",
    }
}

/// Keys of the composers.
fn keys(database: &Database, parsed: &mut Parsed) -> Vec<String> {
    let mut keys = Vec::new();
    let query = "SELECT key FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;' ORDER BY key";
    let read = database.rows(query, &[], |row| keys.extend(row.text(0).map(Cow::into_owned)));
    for fault in [read, database.index("cursorDiskKV", "key")].into_iter().filter_map(Result::err) {
        parsed.diagnostics.add(DiagCode::RecordDamaged, Locator::default(), fault);
    }
    keys
}

/// A composer's session, and the ids of those below it.
fn read(format: &'static str, database: &Database, key: &str) -> (Session, Vec<String>) {
    let mut session = SessionBuilder::new(format);
    session.info.id = key.strip_prefix("composerData:").unwrap_or(key).to_string();
    session.info.records_outcome = true;
    let mut raw = String::new();
    database.each(&mut session, "SELECT value FROM cursorDiskKV WHERE key = ?1", key, |_, row| {
        raw = row.text(0).unwrap_or_default().into_owned();
    });
    let composer: Composer = match serde_json::from_str(&raw) {
        Ok(composer) => composer,
        // A composer that was emptied is left as a key without a value.
        Err(_) if raw.trim().is_empty() => Composer::default(),
        Err(error) => {
            session.diagnostics.add(DiagCode::RecordDamaged, Locator::default(), format!("{key}: {error}"));
            Composer::default()
        }
    };
    if let Some(field) = composer.fault() {
        session.diagnostics.add(DiagCode::FieldWrongType, Locator::default(), format!("`{field}` of {key}"));
    }
    session.info.title = composer.name.0.owned();
    session.model(composer.model.0.name.0.get().filter(|name| *name != "default").unwrap_or_default());
    bubbles(&mut session, database, &composer);
    let below = composer.below.0.items.iter().filter_map(Text::owned).collect();
    (session.finish(), below)
}

/// Tells the bubbles of a composer in its order.
fn bubbles(session: &mut SessionBuilder, database: &Database, composer: &Composer) {
    let prefix = format!("bubbleId:{}:", session.info.id);
    let mut values: HashMap<String, String> = HashMap::new();
    // The sign after the colon ends the range.
    let query = "SELECT key, value FROM cursorDiskKV WHERE key >= ?1 AND key < substr(?1, 1, length(?1) - 1) || ';'";
    database.each(session, query, &prefix, |_, row| {
        let id = row.text(0).and_then(|key| key.strip_prefix(&prefix).map(str::to_string));
        values.extend(id.map(|id| (id, row.text(1).unwrap_or_default().into_owned())));
    });
    let mut teller = Teller { session, summary: &composer.summary.0, record: 0 };
    for header in &composer.headers.items {
        let Some(id) = header.id.get() else { continue };
        match values.remove(id) {
            Some(raw) => teller.bubble(id, &raw),
            None => teller.gone(id),
        }
    }
    if composer.headers.items.is_empty() {
        for raw in composer.conversation.items.iter().flatten() {
            teller.bubble("", raw.get());
        }
    }
    (0..values.len()).for_each(|_| session.accounting.skipped("not in the conversation"));
}

struct Teller<'s, 'c> {
    session: &'s mut SessionBuilder,
    summary: &'c Summary<'c>,
    record: u32,
}

impl Teller<'_, '_> {
    fn place(&mut self) -> Locator {
        self.record += 1;
        Locator { record: self.record, ..Locator::default() }
    }

    /// A bubble that is listed but not there.
    fn gone(&mut self, id: &str) {
        let place = self.place();
        self.session.diagnostics.add(DiagCode::ParentMissing, place, format!("bubble {id:?} is not in the database"));
    }

    fn bubble(&mut self, id: &str, raw: &str) {
        let place = self.place();
        let mut bubble: Bubble = match serde_json::from_str(raw) {
            Ok(bubble) => bubble,
            Err(error) => {
                self.session.diagnostics.add(DiagCode::RecordDamaged, place, format!("bubble {id:?}: {error}"));
                return self.session.accounting.damaged();
            }
        };
        if let Some(field) = bubble.fault() {
            self.session.diagnostics.add(DiagCode::FieldWrongType, place, format!("`{field}` of bubble {id:?}"));
        }
        let id = if id.is_empty() { bubble.id.owned() } else { Some(id.to_string()) };
        let before = self.session.len();
        let time = moment::of(bubble.created);
        let user = bubble.kind.get() == Some(1.0);
        let mut origin =
            Origin { ids: Aliases { message: id.clone(), ..Aliases::default() }, time, place, ..Origin::default() };
        if !user {
            origin.model = bubble.model.0.name.0.owned().filter(|name| name != "default");
            origin.usage = usage(&bubble.tokens.0);
            origin.reasoning = bubble.thinking.0.text.0.owned().unwrap_or_default();
        }
        let text = bubble.text.take().filter(|text| !text.trim().is_empty());
        match text {
            Some(text) if user => self.session.user(origin.clone(), text),
            Some(text) => {
                self.session.text(origin.clone(), text);
                (origin.usage, origin.reasoning) = (None, String::new());
            }
            None => {}
        }
        if bubble.tool.0.name.get().is_some() {
            self.call(origin, &bubble.tool.0);
        }
        match self.session.len() > before {
            true => self.session.accounting.used(),
            false => self.session.accounting.skipped("no text and no call"),
        }
        self.summary_after(id.as_deref(), place, time);
    }

    fn summary_after(&mut self, id: Option<&str>, place: Locator, time: Option<Timestamp>) {
        let last = self.summary.inner.0.last.0.get().or(self.summary.last.0.get());
        if last.is_some() && last == id {
            let text = self.summary.inner.0.text.0.owned().unwrap_or_default();
            self.session.notice(NoticeKind::Compaction, place, time, text);
        }
    }

    fn call(&mut self, mut origin: Origin, tool: &Tool) {
        let name = tool.name.get().unwrap_or("unknown");
        let kind = kind_of(name);
        origin.ids.call = tool.call.owned();
        let place = origin.place;
        self.session.call(origin, name, kind, input(tool));
        let status = tool.status.get().unwrap_or_default();
        if !matches!(status, "completed" | "error" | "cancelled") && tool.result.is_none() {
            return;
        }
        let told = decoded(tool.result.or(tool.error));
        let returned: Returned = serde_json::from_str(&told).unwrap_or_default();
        let (outcome, exit) = ending(tool, kind, &returned);
        let text = [&returned.output, &returned.contents, &returned.seen, &returned.shown];
        let text = text.into_iter().find_map(|t| t.0.get().map(str::to_string)).unwrap_or_else(|| compact(&told));
        let (spawned, extra) = (None, Vec::new());
        let time = None;
        self.session.result_of_last(ResultOf { text, cut: None, outcome, exit, time, place, spawned, extra });
    }
}

fn usage(tokens: &Tokens) -> Option<Usage> {
    let count = |n: &Any<Number>| n.0.count().filter(|n| *n > 0);
    let usage = Usage { input: count(&tokens.input), output: count(&tokens.output), ..Usage::default() };
    (!usage.is_empty()).then_some(usage)
}

/// JSON inside of a string, or JSON itself.
fn decoded(raw: Raw) -> String {
    let raw = raw.map_or("", |raw| raw.get());
    serde_json::from_str(raw).unwrap_or_else(|_| raw.to_string())
}

/// The input as the model wrote it, else as the editor understood it.
fn input(tool: &Tool) -> Vec<Field> {
    let written = decoded(tool.args);
    let whole = serde_json::from_str::<serde::de::IgnoredAny>(&written).is_ok() && written.trim() != "{}";
    fields(&if whole { written } else { decoded(tool.params) })
}

fn ending(tool: &Tool, kind: ToolKind, returned: &Returned) -> (Outcome, Exit) {
    let code = returned.exit.0.whole().or(returned.exit_also.0.whole()).and_then(|code| i32::try_from(code).ok());
    let exit = code.map_or(Exit::NotRecorded, Exit::Code);
    let outcome = match (tool.status.get().unwrap_or_default(), code) {
        _ if tool.decision.get() == Some("rejected") || returned.rejected.0.set() => Outcome::Denied,
        ("error", _) => Outcome::Failed,
        ("cancelled", _) => Outcome::Interrupted,
        (_, Some(0)) => Outcome::Ok,
        (_, Some(_)) => Outcome::Failed,
        ("completed", None) if kind != ToolKind::Shell => Outcome::Ok,
        _ => return exit_words::ending(returned.output.0.get().unwrap_or_default()),
    };
    (outcome, exit)
}
