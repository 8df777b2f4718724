//! Entries taken in one by one, and told as a session along the tree.

use std::collections::HashSet;

use serde_json::json;

use super::{
    record::{BOOKKEEPING, Block, Content, Entry, Message, Phase, Usage as Written},
    tree::{Link, order},
};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        locate::Locator,
        time::Timestamp,
    },
    model::{
        accounting::Accounting,
        builder::{Field, Origin, ResultOf, SessionBuilder},
        message::{Aliases, Cut, Exit, NoticeKind, Outcome, ToolKind, Usage},
        session::{Session, SessionInfo},
    },
    source::{
        exit_words::flagged,
        fields::fields,
        frame::{Records, checked},
        tool_names::kind_of,
    },
    text::cut_mark,
};

/// How the text begins that OpenClaw puts in the user's place.
const INTERNAL: &str = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>";

/// How much of a user's text is kept for a branch.
const OPENING: usize = 120;

/// What an entry gives.
#[derive(Debug)]
enum Told {
    Nothing(&'static str),
    Info,
    Notice(NoticeKind, String),
    User(String, Vec<String>),
    Assistant(Box<Answer>),
    Result { call: String, result: ResultOf },
    Ran { name: String, command: String, result: ResultOf },
}

/// A response of the model.
#[derive(Debug, Default)]
struct Answer {
    pieces: Vec<Piece>,
    model: Option<String>,
    response: Option<String>,
    usage: Option<Usage>,
    end: Option<(NoticeKind, String)>,
}

#[derive(Debug)]
enum Piece {
    Thought(String),
    Said(String),
    Call { id: Option<String>, name: String, input: String },
}

/// Takes in a file.
#[derive(Debug, Default)]
pub struct Loader {
    info: SessionInfo,
    accounting: Accounting,
    diagnostics: Diagnostics,
    links: Vec<Link>,
    told: Vec<(Told, Option<Timestamp>)>,
    ids: HashSet<String>,
    end: Option<String>,
}

impl Records for Loader {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        let mut entry: Entry = serde_json::from_str(text)?;
        self.take(&mut entry, place);
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        self.accounting.damaged();
    }
}

impl Loader {
    fn take(&mut self, entry: &mut Entry, place: Locator) {
        if !checked(&entry.stray, entry.fault(), place, &mut self.diagnostics) {
            return self.accounting.damaged();
        }
        let kind = entry.kind.take().unwrap_or_default();
        match kind.as_str() {
            "session" => return self.header(entry),
            "title" => {
                self.info.title = self.info.title.take().or(entry.title.0.owned());
                return self.accounting.used();
            }
            _ => {}
        }
        if let Some(id) = entry.id.owned()
            && !self.ids.insert(id)
        {
            self.diagnostics.add(DiagCode::RecordRepeated, place, format!("id on line {} stood before", place.line));
            return self.accounting.skipped("repeated");
        }
        self.end = None;
        if kind == "leaf" && entry.append_mode.0.get() != Some("side") {
            // What is appended at the side goes on where it is; any other one moves the end of the conversation.
            self.end = entry.target.0.owned();
        }
        let told = self.told(&kind, entry, place);
        if !matches!(told, Some(Told::Nothing("leaf"))) {
            self.link(entry, place, told.as_ref());
            let time = entry.time.get().and_then(Timestamp::parse);
            self.told.push((told.unwrap_or(Told::Nothing("")), time));
        } else {
            self.accounting.skipped("leaf");
        }
    }

    fn header(&mut self, entry: &Entry) {
        self.accounting.used();
        let info = &mut self.info;
        if info.id.is_empty() {
            info.id = entry.id.owned().unwrap_or_default();
        }
        info.cwd = info.cwd.take().or_else(|| entry.cwd.owned());
        info.title = info.title.take().or_else(|| entry.title.0.owned());
        info.version = info.version.take().or_else(|| entry.version.0.count().map(|v| format!("format {v}")));
        info.continues = entry.parent_session.0.owned().or_else(|| entry.branched_from.0.owned());
    }

    fn link(&mut self, entry: &Entry, place: Locator, told: Option<&Told>) {
        let message =
            matches!(told, Some(Told::User(..) | Told::Assistant(_) | Told::Result { .. } | Told::Ran { .. }));
        let opening = match told {
            Some(Told::User(text, _)) => Some(text.chars().take(OPENING).collect()),
            _ => None,
        };
        self.links.push(Link { id: entry.id.owned(), parent: entry.parent.owned(), place, message, opening });
    }

    /// What an entry gives; `None` for one of an unknown type, which is counted here.
    fn told(&mut self, kind: &str, entry: &mut Entry, place: Locator) -> Option<Told> {
        Some(match kind {
            "message" => return self.message(&mut entry.message, place),
            "compaction" => Told::Notice(NoticeKind::Compaction, entry.summary.take().unwrap_or_default()),
            "branch_summary" => Told::Notice(NoticeKind::Meta, entry.summary.take().unwrap_or_default()),
            "custom_message" => Told::Notice(NoticeKind::Meta, std::mem::take(&mut entry.content).flat().0),
            "custom" if entry.custom.get() == Some("user_todo_edit") => {
                let list = todos(&entry.data.0.phases.items);
                Told::Notice(NoticeKind::Meta, format!("the user edited the task list: {list}"))
            }
            "model_change" => Told::Info,
            "session_info" => {
                self.info.title = entry.name.0.owned().or(self.info.title.take());
                Told::Info
            }
            "session_init" => {
                self.info.agent = entry.agent.0.owned();
                Told::Info
            }
            kind => match BOOKKEEPING.iter().find(|known| **known == kind) {
                Some(known) => Told::Nothing(known),
                None => return self.unknown(kind, place),
            },
        })
    }

    fn unknown(&mut self, kind: &str, place: Locator) -> Option<Told> {
        let kind = if kind.is_empty() { "(no type)" } else { kind };
        self.diagnostics.add(DiagCode::RecordTypeUnknown, place, format!("`{kind}` on line {}", place.line));
        self.accounting.unknown(kind);
        None
    }

    fn message(&mut self, message: &mut Message, place: Locator) -> Option<Told> {
        let content = std::mem::take(&mut message.content);
        Some(match message.role.get().unwrap_or_default() {
            "user" => user(message, content),
            "assistant" => Told::Assistant(Box::new(answer(message, content))),
            "toolResult" => returned(message, content, place),
            "bashExecution" | "pythonExecution" => ran(message, place),
            "compactionSummary" => Told::Notice(NoticeKind::Compaction, message.summary.take().unwrap_or_default()),
            "branchSummary" => Told::Notice(NoticeKind::Meta, message.summary.take().unwrap_or_default()),
            "custom" | "hookMessage" | "fileMention" | "developer" => Told::Notice(NoticeKind::Meta, content.flat().0),
            role => return self.unknown(&format!("message {role}"), place),
        })
    }

    /// Tells the session.
    pub fn finish(mut self, format: &'static str, stem: &str, mut diagnostics: Diagnostics) -> Session {
        let (kept, branches) = order(&self.links, self.end.as_deref(), &mut self.diagnostics);
        diagnostics.extend(self.diagnostics);
        let mut session = SessionBuilder::new(format);
        session.info = SessionInfo { format, records_outcome: true, ..self.info };
        if session.info.id.is_empty() {
            session.info.id = stem.to_string();
        }
        (session.accounting, session.diagnostics, session.branches) = (self.accounting, diagnostics, branches);
        let mut told: Vec<_> = self.told.into_iter().map(Some).collect();
        for at in kept {
            if let Some((told, time)) = told[at].take() {
                tell(&mut session, &self.links[at], told, time);
            }
        }
        for (told, _) in told.into_iter().flatten() {
            match told {
                Told::Nothing("") => {}
                Told::Nothing(reason) => session.accounting.skipped(reason),
                _ => session.accounting.skipped("abandoned-branch"),
            }
        }
        session.finish()
    }
}

fn user(message: &Message, content: Content) -> Told {
    let (text, images) = content.flat();
    match message.provenance.is_some() && text.starts_with(INTERNAL) {
        true => Told::Notice(NoticeKind::Meta, text),
        false => Told::User(text, images),
    }
}

fn answer(message: &mut Message, content: Content) -> Answer {
    let end = match message.stop.get() {
        Some("aborted") => Some(NoticeKind::Interruption),
        Some("error") => Some(NoticeKind::Fault),
        _ => None,
    };
    Answer {
        pieces: content.blocks.into_iter().filter_map(piece).collect(),
        model: message.model.owned(),
        response: message.response.0.owned(),
        usage: Some(usage(&message.usage)).filter(|u| !u.is_empty()),
        end: end.map(|kind| (kind, message.error.0.take().unwrap_or_default())),
    }
}

fn piece(mut block: Block) -> Option<Piece> {
    if let Some(text) = block.stray.take() {
        return Some(Piece::Said(text));
    }
    match block.kind.get()? {
        "text" => block.text.take().map(Piece::Said),
        "thinking" => block.thinking.take().map(Piece::Thought),
        "toolCall" => Some(Piece::Call {
            id: block.id.owned(),
            name: block.name.take().unwrap_or_default(),
            input: block.arguments.map_or("", |raw| raw.get()).to_string(),
        }),
        _ => None,
    }
}

fn usage(written: &Written) -> Usage {
    Usage {
        input: written.input.count(),
        output: written.output.count(),
        cache_read: written.cache_read.count(),
        cache_write: written.cache_write.count(),
        reasoning: written.reasoning.0.count(),
        cost: written.cost.total.get(),
    }
}

fn returned(message: &mut Message, content: Content, place: Locator) -> Told {
    let (mut text, images) = content.flat();
    let details = &message.details.0;
    let (mut outcome, mut exit) = flagged(&text, message.is_error.get());
    if let Some(code) = details.exit.whole() {
        exit = Exit::Code(code as i32);
        outcome = if code == 0 { outcome } else { Outcome::Failed };
    } else if details.status.get() == Some("running")
        && kind_of(message.tool.get().unwrap_or_default()) == ToolKind::Shell
    {
        exit = Exit::Running;
    }
    let by_tool = details.truncation.truncated.set() || cut_mark::by_tool(&text);
    let mut cut = by_tool.then_some(Cut::ByTool);
    for image in images {
        text += if text.is_empty() { "" } else { "\n" };
        text += &image;
        cut = cut.or(Some(Cut::Placeholder));
    }
    let mut extra = Vec::new();
    if !details.phases.items.is_empty() && message.is_error.get() != Some(true) {
        extra.push(("todos", todos(&details.phases.items)));
    }
    let spawned = details.child.owned();
    let result = ResultOf { cut, spawned, extra, ..ResultOf::new(text, place) }.ended((outcome, exit));
    Told::Result { call: message.call.take().unwrap_or_default(), result }
}

/// A task list by phases as one list, each item with the name of its phase.
fn todos(phases: &[Phase]) -> String {
    let items = phases.iter().flat_map(|phase| {
        phase.tasks.items.iter().map(|task| {
            let mut item = json!({ "content": task.content.get(), "status": task.status.get() });
            for (name, text) in [("id", &task.id.0), ("blocker", &task.blocker.0), ("phase", &phase.name)] {
                if let Some(text) = text.get() {
                    item[name] = text.into();
                }
            }
            item
        })
    });
    serde_json::Value::Array(items.collect()).to_string()
}

/// A command that the user ran in the agent's place.
fn ran(message: &mut Message, place: Locator) -> Told {
    let (outcome, exit) = match (message.cancelled.set(), message.exit.whole()) {
        (true, _) => (Outcome::Interrupted, Exit::Killed),
        (false, Some(0)) => (Outcome::Ok, Exit::Code(0)),
        (false, Some(code)) => (Outcome::Failed, Exit::Code(code as i32)),
        (false, None) => (Outcome::NotRecorded, Exit::NotRecorded),
    };
    let text = message.output.take().unwrap_or_default();
    let cut = message.truncated.set().then_some(Cut::ByTool);
    Told::Ran {
        name: message.role.take().unwrap_or_default(),
        command: message.command.take().or_else(|| message.code.0.take()).unwrap_or_default(),
        result: ResultOf { cut, ..ResultOf::new(text, place) }.ended((outcome, exit)),
    }
}

fn tell(session: &mut SessionBuilder, link: &Link, told: Told, time: Option<Timestamp>) {
    let ids = Aliases { message: link.id.clone(), ..Default::default() };
    let origin = Origin { ids, time, place: link.place, ..Default::default() };
    match told {
        Told::Nothing("") => return,
        Told::Nothing(reason) => return session.accounting.skipped(reason),
        Told::Info => {}
        Told::Notice(kind, text) => session.notice(kind, link.place, time, text),
        Told::User(text, images) => said(session, origin, text, images),
        Told::Assistant(answer) => answered(session, origin, *answer),
        Told::Result { call, result } => {
            let result = ResultOf { time, ..result };
            // A call without an id is answered next.
            if call.is_empty() {
                session.result_of_last(result);
            } else {
                session.result(&call, result);
            }
        }
        Told::Ran { name, command, result } => {
            let field = Field { name: Some("command".into()), text: command, cut: None };
            session.call(origin, &name, ToolKind::Shell, vec![field]);
            session.result_of_last(ResultOf { time, ..result });
        }
    }
    session.accounting.used();
}

fn said(session: &mut SessionBuilder, origin: Origin, text: String, mut images: Vec<String>) {
    if text.trim().is_empty() {
        if images.is_empty() {
            return;
        }
        session.user(origin, images.remove(0));
        session.cut_last(Cut::Placeholder);
    } else {
        session.user(origin, text);
    }
    images.into_iter().for_each(|image| session.placeholder(image));
}

fn answered(session: &mut SessionBuilder, origin: Origin, answer: Answer) {
    let mut thought = String::new();
    let mut usage = answer.usage;
    let turn = origin.ids.message.clone().or(answer.response).or_else(|| Some(format!("L{}", origin.place.line)));
    for piece in answer.pieces {
        let mut origin = Origin { turn: turn.clone(), model: answer.model.clone(), ..origin.clone() };
        match piece {
            Piece::Thought(text) if text.is_empty() => {}
            Piece::Thought(text) => {
                thought += if thought.is_empty() { "" } else { "\n" };
                thought += &text;
            }
            Piece::Said(text) if text.trim().is_empty() => {}
            Piece::Said(text) => {
                (origin.reasoning, origin.usage) = (std::mem::take(&mut thought), usage.take());
                session.text(origin, text);
            }
            Piece::Call { id, name, input } => {
                (origin.reasoning, origin.usage) = (std::mem::take(&mut thought), usage.take());
                origin.ids.call = id;
                session.call(origin, &name, kind_of(&name), fields(&input));
            }
        }
    }
    if let Some((kind, text)) = answer.end {
        session.notice(kind, origin.place, origin.time, text);
    }
}
