//! From a file to conversations, wherever in it they lie: a document, a list, rows of a data set, lines.

use serde_json::value::RawValue;

use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        error::Error,
        locate::Locator,
    },
    model::{builder::SessionBuilder, message::NoticeKind, session::Session},
    source::{
        Parsed,
        chat::{
            message::Message,
            sniff::LISTS,
            tell::{Turn, count, tell},
            usage::Usage,
        },
        document::{Document, Item, Source},
        frame::{Records, json_lines},
        open::Input,
    },
};

/// Names of the fields that name a conversation, the most specific first.
const IDS: &[&str] =
    &["traj_id", "trajectory_id", "session_id", "conversation_id", "thread_id", "id", "uuid", "instance_id", "task_id"];
/// Names of the fields that hold a title.
const TITLES: &[&str] = &["title", "instance_id", "task", "task_id"];
/// Names of the fields that name the model.
const MODELS: &[&str] = &["model", "model_name"];
/// What a row tells of how the run ended.
const ENDS: &[&str] = &["exit_status", "resolved", "target", "reward", "score"];

/// Reads a file of any of the shapes.
pub fn read(format: &'static str, input: &Input) -> Result<Parsed, Error> {
    let bytes = input.bytes()?;
    if are_lines(&bytes) {
        let mut lines = Lines { format, stem: input.stem(), ..Default::default() };
        let mut diagnostics = Diagnostics::default();
        json_lines(input, &mut diagnostics, &mut lines)?;
        return Ok(lines.finish(diagnostics));
    }
    Ok(document(format, input.stem(), &Source::of(&bytes)))
}

/// Whether the first line is a whole object by itself: one record of many, or all there is.
fn are_lines(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|b| *b == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let first = first.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(first);
    first.starts_with(b"{") && serde_json::from_slice::<serde::de::IgnoredAny>(first).is_ok()
}

fn document(format: &'static str, stem: &str, source: &Source) -> Parsed {
    let document = source.cut(LISTS);
    let mut parsed = Parsed::default();
    source.report(&document, &mut parsed.diagnostics, &mut parsed.unassigned);
    let items = document.list("");
    if items.iter().find(|item| item.whole).is_some_and(|item| is_row(item.raw)) {
        for (i, item) in items.iter().enumerate() {
            match item.whole {
                true => row(format, &name(stem, i, items.len()), item.raw, item.place, &mut parsed),
                false => parsed.unassigned.damaged(),
            }
        }
        return parsed;
    }
    let mut session = SessionBuilder::new(format);
    session.diagnostics.extend(std::mem::take(&mut parsed.diagnostics));
    let text = written_list(&document);
    let inner = text.as_ref().map(|text| Source::of(text.as_bytes()));
    let inner = inner.as_ref().map(|source| source.cut(&[]));
    let mut turns = Vec::new();
    let lists = inner.iter().flat_map(|inner| inner.list(""));
    for item in items.iter().chain(lists_of(&document)).chain(lists) {
        match item.whole {
            true => turns.extend(turn(&mut session, item.raw, item.place)),
            false => session.accounting.damaged(),
        }
    }
    let told = tell(&mut session, turns);
    count(&mut session, told);
    parsed.sessions.push(finish(session, &document, stem));
    parsed
}

/// Items of the lists of an object: of `input` and `output` both, of the others the first that holds any.
fn lists_of<'d, 'a>(document: &'d Document<'a>) -> impl Iterator<Item = &'d Item<'a>> {
    let name = LISTS.iter().find(|name| !document.list(name).is_empty()).copied().unwrap_or_default();
    let second = if name == "input" { "output" } else { "" };
    let second = if second.is_empty() { &[] } else { document.list(second) };
    let first = if name.is_empty() { &[] } else { document.list(name) };
    first.iter().chain(second)
}

/// The list as data sets keep it: as a text.
fn written_list(document: &Document) -> Option<String> {
    LISTS.iter().filter_map(|name| document.string(name)).find(|text| text.trim_start().starts_with('['))
}

/// Whether an item of a list is a conversation of its own.
fn is_row(raw: &str) -> bool {
    let source = Source::of(raw.as_bytes());
    let document = source.cut(LISTS);
    document.field("role").is_none() && (lists_of(&document).next().is_some() || written_list(&document).is_some())
}

/// Reads a row into a session.
fn row(format: &'static str, fallback: &str, raw: &str, place: Locator, parsed: &mut Parsed) {
    // Messages of one row share its place; a line would be no name for one of them.
    let place = Locator { line: 0, ..place };
    let source = Source::of(raw.as_bytes());
    let document = source.cut(LISTS);
    let text = written_list(&document);
    let inner = text.as_ref().map(|text| Source::of(text.as_bytes()));
    let inner = inner.as_ref().map(|source| source.cut(&[]));
    let mut session = SessionBuilder::new(format);
    let items = lists_of(&document).chain(inner.iter().flat_map(|inner| inner.list("")));
    let mut turns = Vec::new();
    for item in items {
        match item.whole {
            true => turns.extend(turn(&mut session, item.raw, place)),
            false => session.diagnostics.add(DiagCode::RecordTorn, place, "the list of messages ends early"),
        }
    }
    if turns.is_empty() {
        parsed.unassigned.skipped("no messages");
        return;
    }
    tell(&mut session, turns);
    session.accounting.used();
    parsed.sessions.push(finish(session, &document, fallback));
}

/// A message out of its JSON; one that is no object costs itself only.
fn turn(session: &mut SessionBuilder, raw: &str, place: Locator) -> Option<Turn> {
    let message: Message = match serde_json::from_str(raw) {
        Ok(message) => message,
        Err(error) => {
            session.diagnostics.add(DiagCode::RecordDamaged, place, format!("a message: {error}"));
            session.accounting.damaged();
            return None;
        }
    };
    if let Some(field) = message.fault() {
        session.diagnostics.add(DiagCode::FieldWrongType, place, format!("`{field}` of a message"));
    }
    Some(Turn::of(message, place))
}

/// What the fields around the list tell.
fn finish(mut session: SessionBuilder, document: &Document, fallback: &str) -> Session {
    let field = |names: &[&str]| names.iter().find_map(|name| word(document.field(name)?));
    session.info.id = field(IDS).unwrap_or_else(|| fallback.to_string());
    session.info.title = field(TITLES).filter(|title| *title != session.info.id || document.field("id").is_none());
    session.info.cwd = field(&["cwd"]);
    session.info.agent = field(&["agent"]);
    if let Some(model) = field(MODELS) {
        session.model(&model);
    }
    let usage = document.field("usage").and_then(|raw| serde_json::from_str::<Usage>(raw).ok());
    session.info.usage = usage.and_then(|usage| usage.get());
    for name in ENDS {
        if let Some(end) = document.field(name).and_then(|raw| word(raw).or_else(|| flag(raw))) {
            session.notice(NoticeKind::Meta, Locator::default(), None, format!("{name}: {end}"));
        }
    }
    session.finish()
}

/// A text or a number.
fn word(raw: &str) -> Option<String> {
    match serde_json::from_str::<String>(raw) {
        Ok(text) => Some(text).filter(|text| !text.trim().is_empty()),
        Err(_) => raw.parse::<f64>().is_ok().then(|| raw.to_string()),
    }
}

fn flag(raw: &str) -> Option<String> {
    matches!(raw, "true" | "false").then(|| raw.to_string())
}

/// The name of a row that has none.
fn name(stem: &str, i: usize, of: usize) -> String {
    if of == 1 { stem.to_string() } else { format!("{stem}-{}", i + 1) }
}

/// Takes in lines: rows, or the messages of one conversation.
#[derive(Default)]
struct Lines<'s> {
    format: &'static str,
    stem: &'s str,
    rows: Parsed,
    turns: Vec<Turn>,
    session: SessionBuilder,
    lost: u64,
}

impl Records for Lines<'_> {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        serde_json::from_str::<&RawValue>(text)?;
        match is_row(text) {
            true => {
                let fallback = format!("{}-{}", self.stem, place.record);
                row(self.format, &fallback, text, place, &mut self.rows);
            }
            false => self.turns.extend(turn(&mut self.session, text, place)),
        }
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        self.lost += 1;
    }
}

impl Lines<'_> {
    fn finish(mut self, diagnostics: Diagnostics) -> Parsed {
        let mut parsed = self.rows;
        if parsed.sessions.is_empty() {
            let mut session = self.session;
            session.info.format = self.format;
            session.info.id = self.stem.to_string();
            session.diagnostics.extend(diagnostics);
            (0..self.lost).for_each(|_| session.accounting.damaged());
            let told = tell(&mut session, self.turns);
            count(&mut session, told);
            parsed.sessions.push(session.finish());
            return parsed;
        }
        (0..self.lost).for_each(|_| parsed.unassigned.damaged());
        self.turns.drain(..).for_each(|_| parsed.unassigned.skipped("no messages"));
        if let [only] = parsed.sessions.as_mut_slice()
            && only.info.id == format!("{}-1", self.stem)
        {
            only.info.id = self.stem.to_string();
        }
        parsed.diagnostics.extend(diagnostics);
        parsed.diagnostics.extend(self.session.diagnostics);
        parsed
    }
}
