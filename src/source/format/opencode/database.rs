//! The database of opencode, in either generation: since 1.2 rows of messages and parts, since 2.0 rows of one kind. A
//! database may hold a session in both, with the same ids; then the second is read, and the rows of the first are
//! counted as repeated.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap},
};

use super::{
    super::{Card, Format},
    STORED,
    message::Found,
    rows,
    session::{self, Message},
    shape::{Revert, SessionInfo},
};
use crate::{
    base::{diag::DiagCode, error::Error, locate::Locator},
    model::{builder::SessionBuilder, session::Session},
    source::{Parsed, agents, database::Database, lenient::Text, open::Input, seen::Seen, sniff::Sniff},
};

/// See the module.
pub struct OpencodeDatabase;

impl Format for OpencodeDatabase {
    fn name(&self) -> &'static str {
        "opencode-database"
    }

    fn about(&self) -> &'static str {
        "the database of opencode since 1.2 (SQLite)"
    }

    fn card(&self) -> Card {
        Card { agent: "opencode", versions: "1.2 to 2.0", records: STORED }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let first = FIRST.is_in(seen);
        let second = SECOND.is_in(seen);
        match first || second {
            true => Sniff::Yes(93, "its tables of sessions and messages with `session_id` and `data`".into()),
            false => Sniff::No("no tables `session`, `message`, `part`, nor `session_v2`, `session_message`".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let database = input.database()?;
        let mut parsed = Parsed::default();
        let sessions = known(&database, &mut parsed);
        let mut told = Vec::with_capacity(sessions.len());
        for known in &sessions {
            told.push(read(self.name(), &database, known));
        }
        agents::families(told, |_| None).into_iter().for_each(|session| parsed.add(session));
        Ok(parsed)
    }
}

/// The tables of a generation.
struct Tables {
    session: &'static str,
    /// Tables with rows by session; the first holds the messages.
    rows: &'static [&'static str],
}

const FIRST: Tables = Tables { session: "session", rows: &["message", "part"] };
const SECOND: Tables = Tables { session: "session_v2", rows: &["session_message"] };

impl Tables {
    fn is_in(&self, seen: &Seen) -> bool {
        seen.has_table(self.session, &["id"])
            && self.rows.iter().all(|t| seen.has_table(t, &["id", "session_id", "data"]))
    }

    fn are_in(&self, database: &Database) -> bool {
        database.has(self.session, "id")
            && self.rows.iter().all(|t| database.has(t, "session_id") && database.has(t, "data"))
    }
}

/// What is known of a session: its columns, owned.
#[derive(Default)]
struct Known {
    id: String,
    parent: Option<String>,
    title: Option<String>,
    directory: Option<String>,
    version: Option<String>,
    revert: Option<String>,
    forked: Option<String>,
    created: f64,
}

/// The sessions of both generations, each once, by time of creation and id.
fn known(database: &Database, parsed: &mut Parsed) -> Vec<Known> {
    let mut known: HashMap<String, Known> = HashMap::new();
    for tables in [SECOND, FIRST].iter().filter(|tables| tables.are_in(database)) {
        let columns = ["id", "parent_id", "title", "directory", "version", "revert", "fork_session_id", "time_created"];
        let query = format!("SELECT {} FROM \"{}\"", database.select(tables.session, &columns), tables.session);
        let fault = database.rows(&query, &[], |row| {
            let text = |at| row.text(at).map(Cow::into_owned).filter(|t| !t.is_empty());
            let Some(id) = text(0) else { return };
            let session = Known {
                parent: text(1),
                title: text(2),
                directory: text(3),
                version: text(4),
                revert: text(5),
                forked: text(6),
                created: row.number(7).unwrap_or_default(),
                id: id.clone(),
            };
            known.entry(id).or_insert(session);
        });
        if let Err(fault) = fault {
            parsed.diagnostics.add(DiagCode::RecordDamaged, Locator::default(), fault);
        }
        for table in tables.rows {
            if let Err(fault) = database.index(table, "session_id") {
                parsed.diagnostics.add(DiagCode::RecordDamaged, Locator::default(), fault);
            }
        }
    }
    let mut known: Vec<Known> = known.into_values().collect();
    known.sort_by(|a, b| a.created.total_cmp(&b.created).then_with(|| a.id.cmp(&b.id)));
    known
}

fn read(format: &'static str, database: &Database, known: &Known) -> Session {
    let text = |text: &Option<String>| text.clone().map_or(Text::Absent, |t| Text::Is(Cow::Owned(t)));
    let info = SessionInfo {
        parent: text(&known.parent),
        title: text(&known.title),
        directory: text(&known.directory),
        version: text(&known.version),
        revert: known.revert.as_deref().and_then(|raw| serde_json::from_str::<Revert>(raw).ok()).unwrap_or_default(),
        ..SessionInfo::default()
    };
    let mut session = session::begin(format, &info, &known.id);
    session.info.continues.clone_from(&known.forked);
    let newer = if SECOND.are_in(database) { rows::read(&mut session, database, &known.id) } else { BTreeSet::new() };
    if FIRST.are_in(database) {
        match newer.is_empty() {
            true => first(&mut session, database, &known.id, &info.revert),
            false => repeated(&mut session, database, &known.id, &newer),
        }
    }
    session.finish()
}

/// Reads the rows of the first generation.
fn first(session: &mut SessionBuilder, database: &Database, id: &str, revert: &Revert) {
    let mut parts: HashMap<String, Vec<Found>> = HashMap::new();
    let query = "SELECT message_id, id, data FROM part WHERE session_id = ?1 ORDER BY id";
    database.each(session, query, id, |_, row| {
        let text = |at| row.text(at).unwrap_or_default().into_owned();
        let found = Found { id: Some(Cow::Owned(text(1))), raw: Cow::Owned(text(2)), place: Locator::default() };
        parts.entry(text(0)).or_default().push(found);
    });
    let mut messages = Vec::new();
    let query = "SELECT id, data FROM message WHERE session_id = ?1 ORDER BY id";
    database.each(session, query, id, |session, row| {
        let text = |at| row.text(at).unwrap_or_default().into_owned();
        let (id, info) = (text(0), text(1));
        let place = Locator { record: messages.len() as u32 + 1, ..Locator::default() };
        if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(&info) {
            session.diagnostics.add(DiagCode::RecordDamaged, place, format!("message {id:?}: {error}"));
        }
        let mut parts = parts.remove(&id).unwrap_or_default();
        parts.iter_mut().for_each(|part| part.place = place);
        messages.push(Message { id: Some(Cow::Owned(id)), info: Cow::Owned(info), parts, place });
    });
    if !parts.is_empty() {
        let told = format!("parts of {} messages that are not there", parts.len());
        session.diagnostics.add(DiagCode::ParentMissing, Locator::default(), told);
    }
    session::tell(session, &messages, revert);
}

/// Counts the rows of the first generation of a session that was read in the second.
fn repeated(session: &mut SessionBuilder, database: &Database, id: &str, newer: &BTreeSet<String>) {
    database.each(session, "SELECT id FROM message WHERE session_id = ?1", id, |session, row| {
        let again = row.text(0).is_some_and(|id| newer.contains(&*id));
        session.accounting.skipped(if again { "repeated" } else { "earlier generation" });
    });
}
