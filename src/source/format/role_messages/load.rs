//! From a file to conversations, wherever in it they lie: a document, a list, rows of a data set, lines.

use std::io::BufRead;

use serde_json::value::RawValue;

use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        error::Error,
        locate::Locator,
    },
    model::{accounting::Accounting, builder::SessionBuilder, message::NoticeKind, session::Session},
    source::{
        Parsed,
        chat::{
            message::Message,
            sniff::LISTS,
            tell::{Turn, count, tell},
            usage::Usage,
        },
        document::{Document, Item, Source},
        frame::{LINE_CAP, Lines, Records, json_lines},
        json::{padding, text_of},
        open::{Input, unreadable},
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
    if are_lines(input)? {
        let mut loader = Loader { format, stem: input.stem(), ..Default::default() };
        let mut diagnostics = Diagnostics::default();
        json_lines(input, &mut diagnostics, &mut loader)?;
        return Ok(loader.finish(diagnostics));
    }
    Ok(document(format, input.stem(), &Source::of(&input.bytes()?)))
}

/// Whether the first line is a whole object by itself: one record of many, or all there is.
fn are_lines(input: &Input) -> Result<bool, Error> {
    let fail = |e: std::io::Error| unreadable(&input.name, &e);
    let begins = |bytes: &[u8]| bytes[padding(bytes)..].trim_ascii_start().starts_with(b"{");
    let mut reader = input.reader()?;
    // A list may be one long line, which need not be read to know that it is none.
    if !begins(reader.fill_buf().map_err(fail)?) {
        return Ok(false);
    }
    let mut lines = Lines::new(reader, LINE_CAP);
    while let Some(line) = lines.next_line().map_err(fail)? {
        let (text, _) = text_of(line.bytes);
        if !text.trim().is_empty() {
            return Ok(serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok());
        }
    }
    Ok(false)
}

fn document(format: &'static str, stem: &str, source: &Source) -> Parsed {
    let document = source.cut(LISTS);
    let mut parsed = Parsed::default();
    source.report(&document, &mut parsed.diagnostics, &mut parsed.unassigned);
    let items = document.list("");
    if items.first().is_some_and(|item| is_row(&Source::of(item.raw.as_bytes()).cut(LISTS))) {
        for (i, item) in items.iter().enumerate() {
            let source = Source::of(item.raw.as_bytes());
            row(format, &name(stem, i, items.len()), &source.cut(LISTS), item.place, &mut parsed);
        }
        return parsed;
    }
    let mut session = SessionBuilder::new(format);
    session.diagnostics.extend(std::mem::take(&mut parsed.diagnostics));
    let text = written_list(&document);
    let inner = text.as_ref().map(|text| Source::of(text.as_bytes()));
    let inner = inner.as_ref().map(|source| source.cut(&[]));
    let lists = inner.iter().flat_map(|inner| inner.list(""));
    let mut odd = Odd::default();
    let turns = items.iter().chain(lists_of(&document)).chain(lists).filter_map(|item| match item.whole {
        true => odd.turn(item.raw, item.place),
        false => {
            odd.accounting.damaged();
            None
        }
    });
    let told = tell(&mut session, turns);
    odd.report(&mut session);
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
fn is_row(document: &Document) -> bool {
    document.field("role").is_none() && (lists_of(document).next().is_some() || written_list(document).is_some())
}

/// Reads a row into a session.
fn row(format: &'static str, fallback: &str, document: &Document, place: Locator, parsed: &mut Parsed) {
    // Messages of one row share its place; a line would be no name for one of them.
    let place = Locator { line: 0, ..place };
    let text = written_list(document);
    let inner = text.as_ref().map(|text| Source::of(text.as_bytes()));
    let inner = inner.as_ref().map(|source| source.cut(&[]));
    let mut session = SessionBuilder::new(format);
    let items = lists_of(document).chain(inner.iter().flat_map(|inner| inner.list("")));
    let mut odd = Odd::default();
    let turns = items.filter_map(|item| match item.whole {
        true => odd.turn(item.raw, place),
        false => {
            odd.diagnostics.add(DiagCode::RecordTorn, place, "the list of messages ends early");
            None
        }
    });
    if tell(&mut session, turns).is_empty() {
        parsed.unassigned.skipped("no messages");
        return;
    }
    odd.report(&mut session);
    session.accounting.used();
    parsed.sessions.push(finish(session, document, fallback));
}

/// What is odd about messages, while the session takes them in one by one.
#[derive(Default)]
struct Odd {
    diagnostics: Diagnostics,
    accounting: Accounting,
}

impl Odd {
    /// A message out of its JSON; one that is no object costs itself only.
    fn turn(&mut self, raw: &str, place: Locator) -> Option<Turn> {
        let message: Message = match serde_json::from_str(raw) {
            Ok(message) => message,
            Err(error) => {
                self.diagnostics.add(DiagCode::RecordDamaged, place, format!("a message: {error}"));
                self.accounting.damaged();
                return None;
            }
        };
        if let Some(field) = message.fault() {
            self.diagnostics.add(DiagCode::FieldWrongType, place, format!("`{field}` of a message"));
        }
        Some(Turn::of(message, place))
    }

    fn report(self, session: &mut SessionBuilder) {
        session.diagnostics.extend(self.diagnostics);
        session.accounting.merge(&self.accounting);
    }
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
struct Loader<'s> {
    format: &'static str,
    stem: &'s str,
    rows: Parsed,
    turns: Vec<Turn>,
    odd: Odd,
    lost: u64,
}

impl Records for Loader<'_> {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        serde_json::from_str::<&RawValue>(text)?;
        let source = Source::of(text.as_bytes());
        let document = source.cut(LISTS);
        match is_row(&document) {
            true => {
                let fallback = format!("{}-{}", self.stem, place.record);
                row(self.format, &fallback, &document, place, &mut self.rows);
            }
            false => self.turns.extend(self.odd.turn(text, place)),
        }
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        self.lost += 1;
    }
}

impl Loader<'_> {
    fn finish(mut self, diagnostics: Diagnostics) -> Parsed {
        let mut parsed = self.rows;
        if parsed.sessions.is_empty() {
            let mut session = SessionBuilder::new(self.format);
            session.info.id = self.stem.to_string();
            self.odd.report(&mut session);
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
        parsed.diagnostics.extend(self.odd.diagnostics);
        parsed
    }
}
