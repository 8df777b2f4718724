//! From a file or a folder to sessions.

use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        error::Error,
        locate::Locator,
    },
    model::{builder::SessionBuilder, message::NoticeKind, session::Session},
    source::{
        Parsed,
        document::{Document, Item, Source},
        frame::{Records, json_lines},
        json::padding,
        lenient::{Any, List, Raw, Text, lenient},
        open::Input,
    },
    text::partial_json::{Node, Value},
};

use super::{v0, v1};

/// Names of the fields that hold events.
const LISTS: &[&str] = &["trajectory", "history", "events"];

lenient! {
    /// What tells whose event it is.
    struct Probe<'a> {
        kind: Any<Text<'a>> = "kind",
        source: Any<Raw<'a>> = "source",
    }
}

lenient! {
    /// A row of an evaluation, but for its events.
    struct Row<'a> {
        instance: Any<Text<'a>> = "instance_id",
        error: Any<Text<'a>> = "error",
        metadata: Any<Metadata<'a>> = "metadata",
        metrics: Any<v0::Metrics<'a>> = "metrics",
    }
}

lenient! {
    struct Metadata<'a> {
        agent: Any<Text<'a>> = "agent_class",
        llm: Any<Llm<'a>> = "llm_config",
    }
}

lenient! {
    struct Llm<'a> {
        model: Any<Text<'a>> = "model",
    }
}

lenient! {
    /// `base_state.json` of V1, `metadata.json` of V0.
    struct State<'a> {
        id: Any<Text<'a>> = "id",
        conversation: Any<Text<'a>> = "conversation_id",
        title: Any<Text<'a>> = "title",
        agent: Any<StateAgent<'a>> = "agent",
        workspace: Any<Workspace<'a>> = "workspace",
    }
}

lenient! {
    struct StateAgent<'a> {
        llm: Any<Llm<'a>> = "llm",
    }
}

lenient! {
    struct Workspace<'a> {
        cwd: Any<Text<'a>> = "working_dir",
    }
}

/// Reads a file; of one with a single event, its folder.
pub fn read(format: &'static str, input: &Input) -> Result<Parsed, Error> {
    let bytes = input.bytes()?;
    if let Some(rows) = rows(format, input, &bytes)? {
        return Ok(rows);
    }
    let source = Source::of(&bytes);
    let document = source.cut(LISTS);
    let mut parsed = Parsed::default();
    let mut session = SessionBuilder::new(format);
    source.report(&document, &mut session.diagnostics, &mut parsed.unassigned);
    session.info.id = input.stem().to_string();
    let items = items(&document);
    if items.is_empty() && document.field("source").is_some() {
        parsed.sessions.push(folder(format, input));
        return Ok(parsed);
    }
    events(&mut session, items.iter().map(|item| (item.raw, item.place, item.whole)));
    if let Ok(row) = serde_json::from_str::<Row>(whole_object(&document).as_str()) {
        about(&mut session, &row);
    }
    parsed.sessions.push(session.finish());
    Ok(parsed)
}

fn items<'d, 'a>(document: &'d Document<'a>) -> &'d [Item<'a>] {
    let name = LISTS.iter().find(|name| !document.list(name).is_empty()).copied().unwrap_or_default();
    document.list(name)
}

/// The members around the events, as an object.
fn whole_object(document: &Document) -> String {
    let members = document.fields.iter().map(|(key, raw)| format!("{}:{raw}", serde_json::Value::from(key.as_ref())));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

/// The rows of an evaluation; `None` when these are none.
fn rows(format: &'static str, input: &Input, bytes: &[u8]) -> Result<Option<Parsed>, Error> {
    let bytes = &bytes[padding(bytes)..];
    let first = bytes.split(|b| *b == b'\n').map(<[u8]>::trim_ascii).find(|line| !line.is_empty()).unwrap_or_default();
    let Ok(text) = std::str::from_utf8(first) else { return Ok(None) };
    let whole = first.starts_with(b"{") && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    if !whole || !text.contains("\"history\"") {
        return Ok(None);
    }
    let mut lines = Rows { format, stem: input.stem(), parsed: Parsed::default() };
    let mut diagnostics = Diagnostics::default();
    json_lines(input, &mut diagnostics, &mut lines)?;
    let mut parsed = lines.parsed;
    parsed.diagnostics.extend(diagnostics);
    Ok(Some(parsed))
}

struct Rows<'s> {
    format: &'static str,
    stem: &'s str,
    parsed: Parsed,
}

impl Records for Rows<'_> {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        let row: Row = serde_json::from_str(text)?;
        let source = Source::of(text.as_bytes());
        let document = source.cut(LISTS);
        let items = items(&document);
        if items.is_empty() {
            self.parsed.unassigned.skipped("no events");
            return Ok(());
        }
        let mut session = SessionBuilder::new(self.format);
        session.info.id = format!("{}-{}", self.stem, place.record);
        // Events of one row share its place; a line would be no name for one of them.
        let place = Locator { line: 0, ..place };
        events(&mut session, items.iter().map(|item| (item.raw, place, item.whole)));
        about(&mut session, &row);
        // The row is the record.
        session.accounting = Default::default();
        session.accounting.used();
        self.parsed.sessions.push(session.finish());
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        self.parsed.unassigned.damaged();
    }
}

fn about(session: &mut SessionBuilder, row: &Row) {
    if let Some(id) = row.instance.0.owned() {
        session.info.id.clone_from(&id);
        session.info.title = Some(id);
    }
    let metadata = &row.metadata.0;
    session.info.agent = metadata.agent.0.owned().or(session.info.agent.take());
    if session.info.models.is_empty()
        && let Some(model) = metadata.llm.0.model.0.get()
    {
        session.model(model);
    }
    session.info.usage = row.metrics.0.usage().or(session.info.usage.take());
    if let Some(error) = row.error.0.owned() {
        session.notice(NoticeKind::Fault, Locator::default(), None, error);
    }
}

/// A folder of events, one a file, in the order of their numbers: 10 comes after 9.
fn folder(format: &'static str, lead: &Input) -> Session {
    let mut session = SessionBuilder::new(format);
    let mut files = lead.folder(".");
    if files.is_empty() {
        files.push(lead.clone());
    }
    let texts: Vec<(Option<u64>, Vec<u8>)> =
        files.iter().filter_map(|file| Some((ordinal(file.file_name()), file.bytes().ok()?))).collect();
    let mut sources: Vec<(Option<u64>, Source)> = texts.iter().map(|(n, bytes)| (*n, Source::of(bytes))).collect();
    sources.sort_by_key(|(number, _)| number.unwrap_or(u64::MAX));
    let pieces: Vec<(&str, bool)> = sources.iter().map(|(_, source)| source.value()).collect();
    for (i, _) in pieces.iter().enumerate().filter(|(_, piece)| !piece.1) {
        let place = Locator { record: i as u32 + 1, ..Default::default() };
        session.diagnostics.add(DiagCode::RecordDamaged, place, format!("file {} of the folder is not whole", i + 1));
    }
    let places = (1..).map(|record| Locator { record, ..Default::default() });
    session.info.id = lead.stem().to_string();
    events(&mut session, pieces.into_iter().zip(places).map(|((raw, whole), place)| (raw, place, whole)));
    for beside in ["../base_state.json", "../metadata.json"] {
        let Some(bytes) = lead.beside(beside).and_then(|file| file.bytes().ok()) else { continue };
        let Ok(state) = serde_json::from_slice::<State>(&bytes) else { continue };
        let info = &mut session.info;
        if let Some(id) = state.id.0.owned().or(state.conversation.0.owned()) {
            info.id = id;
        }
        info.title = info.title.take().or(state.title.0.owned());
        info.cwd = info.cwd.take().or(state.workspace.0.cwd.0.owned());
        if let Some(model) = state.agent.0.llm.0.model.0.get() {
            session.model(model);
        }
    }
    session.finish()
}

/// The number in an event file's name: `12.json`, `event-00012-….json`.
pub fn ordinal(name: &str) -> Option<u64> {
    let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let digits = base.strip_prefix("event-").unwrap_or(base);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok()
}

/// A number of a sampled value.
pub fn number_of(node: &Node) -> Option<u64> {
    match &node.value {
        Value::Number(digits) => digits.parse().ok(),
        _ => None,
    }
}

/// Tells events in order; early evaluations keep them in pairs of action and observation.
fn events<'e>(session: &mut SessionBuilder, events: impl Iterator<Item = (&'e str, Locator, bool)>) {
    session.info.records_outcome = true;
    session.info.agent = Some("OpenHands".to_string());
    let (mut old, mut new) = (v0::Teller::default(), v1::Teller::default());
    for (raw, place, whole) in events {
        if !whole {
            session.accounting.damaged();
            continue;
        }
        let pair = raw.starts_with('[').then(|| serde_json::from_str::<List<Raw>>(raw).unwrap_or_default());
        let inner: Vec<&str> = match &pair {
            Some(pair) => pair.items.iter().flatten().map(|raw| raw.get()).collect(),
            None => vec![raw],
        };
        let records = session.accounting.clone();
        for raw in &inner {
            let probe: Probe = serde_json::from_str(raw).unwrap_or_default();
            match probe.kind.0.get() {
                Some(kind) => new.event(session, kind, raw, place),
                None if probe.source.0.is_some() => old.event(session, raw, place),
                None => {
                    session.diagnostics.add(DiagCode::RecordTypeUnknown, place, "neither action nor observation");
                    session.accounting.unknown("(no event)");
                }
            }
        }
        if pair.is_some() {
            // The pair is the record.
            session.accounting = records;
            session.accounting.used();
        }
    }
    old.finish(session);
}
