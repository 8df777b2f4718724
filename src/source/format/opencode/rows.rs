//! The second generation of opencode's database: one table of rows by their number, each a prompt, a response, or
//! something that happened.

use std::{borrow::Cow, collections::BTreeSet};

use super::{
    call::{self, moment, of_exit, words},
    message::fault,
    shape::{Item, Row, Status, no_object},
};
use crate::{
    base::{diag::DiagCode, locate::Locator, time::Timestamp},
    model::{
        builder::{Origin, ResultOf, SessionBuilder},
        message::{Aliases, Cut, Exit, NoticeKind, Outcome, Usage},
    },
    source::{database::Database, fields::fields, tool_names::kind_of},
    text::cut_mark,
};

/// Types of rows that say nothing of the conversation.
const SILENT: &[&str] = &["agent-switched", "location-switched", "model-switched"];

/// Reads the rows of a session; their ids.
pub(super) fn read(session: &mut SessionBuilder, database: &Database, id: &str) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    let order = if database.has("session_message", "seq") { "seq, id" } else { "id" };
    let query = format!("SELECT id, type, data FROM session_message WHERE session_id = ?1 ORDER BY {order}");
    database.each(session, &query, id, |session, row| {
        let text = |at| row.text(at).map(Cow::into_owned).unwrap_or_default();
        let (id, kind, data) = (text(0), text(1), text(2));
        let place = Locator { record: ids.len() as u32 + 1, ..Locator::default() };
        ids.insert(id.clone());
        match serde_json::from_str::<Row>(&data) {
            Ok(row) if !no_object(&row.stray) => Told { session, place, id, row }.tell(&kind),
            Ok(_) => damaged(session, place, format!("row {id:?} is no object")),
            Err(error) => damaged(session, place, format!("row {id:?}: {error}")),
        }
    });
    ids
}

fn damaged(session: &mut SessionBuilder, place: Locator, told: String) {
    session.diagnostics.add(DiagCode::RecordDamaged, place, told);
    session.accounting.damaged();
}

/// A row on its way into the session.
struct Told<'s, 'd> {
    session: &'s mut SessionBuilder,
    place: Locator,
    id: String,
    row: Row<'d>,
}

impl Told<'_, '_> {
    fn tell(&mut self, kind: &str) {
        if let Some(field) = self.row.fault() {
            let told = format!("`{field}` of row {:?}", self.id);
            self.session.diagnostics.add(DiagCode::FieldWrongType, self.place, told);
        }
        match kind {
            "user" => self.user(),
            "assistant" => self.response(),
            "shell" => self.shell(),
            "compaction" => self.compaction(),
            "system" | "synthetic" | "skill" => {
                let text = self.row.text.take().or(self.row.name.0.take()).unwrap_or_default();
                self.notice(NoticeKind::Meta, text);
            }
            "idle" => match self.row.outcome.get() {
                Some("interrupted") => self.notice(NoticeKind::Interruption, String::new()),
                Some("failed") => self.notice(NoticeKind::Fault, "the turn failed".to_string()),
                _ => self.session.accounting.skipped(kind),
            },
            kind if SILENT.contains(&kind) => self.session.accounting.skipped(kind),
            kind => {
                self.session.diagnostics.add(
                    DiagCode::RecordTypeUnknown,
                    self.place,
                    format!("a row of type {kind:?}"),
                );
                self.session.accounting.unknown(kind);
            }
        }
    }

    fn time(&self) -> Option<Timestamp> {
        moment(self.row.time.created)
    }

    fn notice(&mut self, kind: NoticeKind, text: String) {
        let time = self.time();
        self.session.notice(kind, self.place, time, text);
        self.session.accounting.used();
    }

    fn origin(&self, time: Option<Timestamp>) -> Origin {
        Origin {
            ids: Aliases { message: Some(self.id.clone()), ..Aliases::default() },
            turn: Some(self.id.clone()),
            time: time.or(self.time()),
            place: self.place,
            ..Origin::default()
        }
    }

    fn user(&mut self) {
        let text = self.row.text.take().unwrap_or_default();
        if text.trim().is_empty() {
            return self.session.accounting.skipped("no text and no call");
        }
        let placeholder = cut_mark::is_placeholder(&text);
        let origin = self.origin(None);
        self.session.user(origin, text);
        if placeholder {
            self.session.cut_last(Cut::Placeholder);
        }
        self.session.accounting.used();
    }

    fn response(&mut self) {
        let before = self.session.len();
        let model = self.row.model.0.id.owned().or(self.row.model.0.model.owned());
        let mut usage = Some(self.row.tokens.usage(self.row.cost));
        let mut reasoning = String::new();
        for item in std::mem::take(&mut self.row.content.items) {
            if item.kind.get() == Some("reasoning") {
                let (text, _) = words(item.text).unwrap_or_default();
                reasoning += if reasoning.is_empty() || text.is_empty() { "" } else { "\n\n" };
                reasoning += &text;
                continue;
            }
            let mut origin = self.origin(moment(item.time.created));
            origin.model.clone_from(&model);
            self.item(item, origin, &mut reasoning, &mut usage);
        }
        let noticed = fault(&self.row.error.0);
        let silent = self.session.len() == before && noticed.is_none();
        match silent {
            true => self.session.accounting.skipped("no text and no call"),
            false => self.session.accounting.used(),
        }
        if let Some((kind, text)) = noticed {
            self.session.notice(kind, self.place, self.time(), text);
        }
    }

    fn item(&mut self, item: Item, mut origin: Origin, reasoning: &mut String, usage: &mut Option<Usage>) {
        match item.kind.get().unwrap_or_default() {
            "text" => {
                let Some((text, cut)) = words(item.text).filter(|(text, _)| !text.trim().is_empty()) else { return };
                origin.reasoning = std::mem::take(reasoning);
                origin.usage = usage.take();
                self.session.text(origin, text);
                if let Some(cut) = cut {
                    self.session.cut_last(cut);
                }
            }
            "tool" => {
                origin.reasoning = std::mem::take(reasoning);
                origin.usage = usage.take();
                origin.ids.call = item.id.owned();
                let name = item.name.get().unwrap_or("unknown");
                self.session.call(origin, name, kind_of(name), call::input(&item.state));
                if let Some(result) = call::result(name, &item.state, &item.time, self.place) {
                    self.session.result_of_last(result);
                }
            }
            other => {
                let told = format!("content of type {other:?} was passed over");
                self.session.diagnostics.add(DiagCode::RecordTypeUnknown, self.place, told);
            }
        }
    }

    /// A command that the user ran in the session.
    fn shell(&mut self) {
        let mut origin = self.origin(None);
        origin.ids.call = self.row.shell.owned();
        let command = self.row.command.map(|raw| fields(&format!("{{\"command\":{}}}", raw.get())));
        self.session.call(origin, "shell", kind_of("shell"), command.unwrap_or_default());
        self.session.accounting.used();
        let exit = match self.row.exit.0 {
            Status::Code(code) => Exit::Code(code),
            Status::Killed => Exit::Killed,
            Status::Absent => Exit::NotRecorded,
        };
        if self.row.output.is_none() && exit == Exit::NotRecorded {
            return;
        }
        let (text, cut) = words(self.row.output).unwrap_or_default();
        let outcome = if exit == Exit::NotRecorded { Outcome::NotRecorded } else { of_exit(exit) };
        let time = moment(self.row.time.completed);
        let (place, spawned, extra) = (self.place, None, Vec::new());
        self.session.result_of_last(ResultOf { text, cut, outcome, exit, time, place, spawned, extra });
    }

    fn compaction(&mut self) {
        match self.row.status.0.get() {
            Some("running") => self.session.accounting.skipped("compaction"),
            Some("failed") => {
                let told = fault(&self.row.error.0).map(|(_, text)| text).unwrap_or_default();
                self.notice(NoticeKind::Fault, format!("the compaction failed {told}").trim_end().to_string());
            }
            _ => {
                let text = self.row.summary.0.take().or(self.row.text.take()).unwrap_or_default();
                self.notice(NoticeKind::Compaction, text);
            }
        }
    }
}
