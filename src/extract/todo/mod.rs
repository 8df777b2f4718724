//! Task lists as of each message that wrote one: full lists, increments folded into full lists, plans and checklists.
//! Who writes them is known by the tool's name and the shape of its arguments, whatever log they stand in. A call that
//! failed gives no snapshot, and one whose list cannot be read gives a diagnostic: the last good list stands.

mod board;
mod item;
mod list;
mod markdown_list;
mod merge;
mod sql;
mod status;
mod task_file;
mod tasks;

use std::sync::LazyLock;

use regex::Regex;

use super::Extractor;
use crate::{
    base::{diag::DiagCode, ids::MessageIdx, span::ByteSpan},
    model::{
        evidence::Evidence,
        facts::Facts,
        message::{Message, MessageKind, Outcome, Part, PartKind, ToolCall, ToolKind},
        session::Session,
        todo::{Items, Provenance, TodoItem, TodoSnapshot, TodoSource},
    },
};
use board::Board;
use list::List;
use markdown_list::Entry;

/// See the module.
pub struct Todos;

impl Extractor for Todos {
    fn name(&self) -> &'static str {
        "todos"
    }

    fn about(&self) -> &'static str {
        "Task lists: snapshots of todo tools, folded increments, plans and checklists"
    }

    fn run(&self, session: &Session, facts: &mut Facts) {
        let mut kept = Kept::default();
        let mut user_spoke = false;
        for (at, message) in session.iter() {
            let found = match (&message.call, message.kind) {
                (Some(call), _) => kept.call(Write { session, at, message, call }),
                (None, MessageKind::User) if !user_spoke => {
                    user_spoke = true;
                    handed_over(session, at, message).into()
                }
                (None, MessageKind::User) => Found::Nothing,
                (None, _) => checklist(session, at, message).into(),
            };
            match found {
                Found::List(list) => facts.todos.extend(Some(list).filter(tells)),
                Found::Unreadable(why) => {
                    let tool = message.call.as_ref().map_or("", |call| &call.name);
                    facts.diagnostics.add(DiagCode::TodoUnreadable, message.place, format!("{tool}: {why}"));
                }
                Found::Nothing => {}
            }
        }
    }
}

/// What a message holds of task lists.
enum Found {
    Nothing,
    List(TodoSnapshot),
    /// It wrote a list, and why that is not known.
    Unreadable(&'static str),
}

impl From<Option<TodoSnapshot>> for Found {
    fn from(list: Option<TodoSnapshot>) -> Self {
        list.map_or(Found::Nothing, Found::List)
    }
}

/// Whether a list says anything: an item, or that a tool keeps none.
fn tells(list: &TodoSnapshot) -> bool {
    let empty = || list.source == TodoSource::FullList || list.source == TodoSource::Folded && list.complete;
    !list.items.is_empty() || empty()
}

/// A call in its place.
#[derive(Clone, Copy)]
struct Write<'a> {
    session: &'a Session,
    at: MessageIdx,
    message: &'a Message,
    call: &'a ToolCall,
}

impl<'a> Write<'a> {
    /// The bytes of a part as evidence, or the message as a whole where they are no quotation.
    fn evidence(&self, part: usize, span: ByteSpan) -> Evidence {
        evidence(self.session, self.at, part, span)
    }

    /// The place of some words in the message, else the message as a whole.
    fn words(&self, words: &str) -> Evidence {
        self.session.cite_words(self.at, words).unwrap_or_else(|| self.session.whole(self.at))
    }

    /// The first input field of some names, and its position.
    fn input(&self, names: &[&str]) -> Option<(usize, &'a Part)> {
        let part = names.iter().find_map(|name| self.message.input_at(name))?;
        Some((part, &self.message.parts[part]))
    }

    /// The tool's name in lower case, without the name of its server.
    fn tool(&self) -> String {
        let lower = self.call.name.to_ascii_lowercase();
        let bare = lower.rsplit("__").next().unwrap_or(&lower);
        bare.rsplit(['.', ':', '/']).next().unwrap_or(bare).to_string()
    }

    /// Whether the call took effect as far as the log says. In formats that do not record how a call ended every call
    /// counts; in the others a call without a result does not.
    fn may_have_worked(&self) -> bool {
        let ended = match self.call.outcome {
            Outcome::Ok => true,
            Outcome::NotRecorded => self.call.result_at.is_some() || !self.session.info.records_outcome,
            Outcome::Failed | Outcome::Denied | Outcome::Interrupted => false,
        };
        ended && !FAILED.is_match(self.message.output())
    }

    fn snapshot(&self, tool: &str, list: List) -> TodoSnapshot {
        TodoSnapshot {
            message: self.at,
            tool: tool.to_string(),
            source: TodoSource::FullList,
            items: list.items.into_iter().collect(),
            complete: list.complete,
        }
    }
}

/// `Failed to modify todos`, `Error: todos must be an array`, `<tool_use_error>`: a failure that a result tells in words,
/// also where it is recorded as a success.
static FAILED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^\s*(?:<tool_use_error>|inputvalidationerror|error:|error\s*$|failed to \w+ (?:the )?(?:todo|task|plan))",
    )
    .expect("valid")
});

/// Tools that tell the list without writing it.
const READERS: &[&str] = &["get_todos", "read_todos", "readtodos", "todo_read", "todoread"];
/// Names of the field that says what a tool of several operations is to do.
const OPERATIONS: &[&str] = &["op", "operation", "command", "action"];
/// Operations that tell the list without changing it.
const VIEWS: &[&str] = &["get", "list", "lookup", "read", "show", "view"];
/// Operations whose arguments are the whole list.
const WHOLE: &[&str] = &["create", "init", "plan", "set", "update_all", "write"];
/// Operations of [`WHOLE`] whose result may say more than the arguments: the statuses that the tool gave the items.
const BEGINNINGS: &[&str] = &["create", "init"];
/// A checklist that any call of some agents carries along.
const RIDER: &str = "task_progress";

/// What the calls so far make of the lists that are kept by increments.
#[derive(Default)]
struct Kept {
    tasks: tasks::Tasks,
    sql: sql::Tables,
    file: task_file::TaskFile,
    /// The latest list that was written whole, and what was merged into it.
    list: Board,
}

impl Kept {
    fn call(&mut self, write: Write) -> Found {
        let tool = write.tool();
        if let Some((part, _)) = write.input(&[RIDER]) {
            return rider(write, part);
        }
        if tool == sql::TOOL {
            return self.sql.apply(write);
        }
        if task_file::TaskFile::is_meant(write) {
            return write.may_have_worked().then(|| self.file.apply(write)).flatten().into();
        }
        let writes_lists = match write.call.kind {
            ToolKind::Todo => true,
            ToolKind::Plan => is_structured(write),
            ToolKind::Other => (tool.contains("todo") || is_update(write, &tool)) && list::asked(write).is_some(),
            _ => false,
        };
        match write.call.kind {
            _ if !write.may_have_worked() => Found::Nothing,
            _ if writes_lists && tasks::TOOLS.contains(&tool.as_str()) => self.tasks.apply(write, &tool),
            _ if writes_lists => self.listed(write, &tool),
            ToolKind::Plan => write
                .message
                .input_at("plan")
                .and_then(|part| plan(write.session, write.at, part, 0, &write.call.name))
                .into(),
            _ => Found::Nothing,
        }
    }

    /// A call of a tool that works on one list.
    fn listed(&mut self, write: Write, tool: &str) -> Found {
        let operation = write.input(OPERATIONS).map(|(_, part)| part.text.trim().to_ascii_lowercase());
        let operation = operation.as_deref();
        let bare = write.message.part(PartKind::Input).is_none();
        if bare || READERS.contains(&tool) || operation.is_some_and(|o| VIEWS.contains(&o)) {
            return self.viewed(write);
        }
        let merges = write.input(&["merge"]).is_some_and(|(_, part)| part.text == "true");
        let list = match operation {
            _ if merges => list::told(write),
            Some(operation) if BEGINNINGS.contains(&operation) => list::told(write).or_else(|| list::written(write)),
            Some(operation) if WHOLE.contains(&operation) => list::written(write),
            Some(_) => list::told(write),
            None if write.input(&["ops"]).is_some() => list::told(write),
            None => list::written(write),
        };
        match list {
            Some(list) => Found::List(self.whole(write, list)),
            None if merges => match merge::apply(&mut self.list, write) {
                Some(list) => Found::List(list),
                None => Found::Unreadable("the items to merge cannot be read"),
            },
            None => Found::Unreadable("the list cannot be read"),
        }
    }

    /// A call that only asks for the list: a list is told where its result shows another one than the last.
    fn viewed(&mut self, write: Write) -> Found {
        let Some(list) = list::told(write).filter(|list| !list.items.is_empty()) else { return Found::Nothing };
        let told = list.items.iter().map(|i| (&i.content, i.status));
        if told.eq(self.list.items().iter().map(|i| (&i.content, i.status))) {
            return Found::Nothing;
        }
        Found::List(self.whole(write, list))
    }

    fn whole(&mut self, write: Write, list: List) -> TodoSnapshot {
        let snapshot = write.snapshot(&write.call.name, list);
        self.list.replace(snapshot.items.clone(), snapshot.complete);
        snapshot
    }
}

/// Whether a plan is handed over as entries rather than as prose.
fn is_structured(write: Write) -> bool {
    let object = |(_, part): (usize, &Part)| part.text.starts_with(['[', '{']);
    write.input(&["entries"]).is_some() || write.input(&["plan"]).is_some_and(object)
}

/// Whether this is the notice by which an agent tells its client the plan (`sessionUpdate: "plan"`).
fn is_update(write: Write, tool: &str) -> bool {
    const PLANS: &[&str] = &["plan", "plan_update"];
    PLANS.contains(&tool)
        || write.input(&["sessionUpdate"]).is_some_and(|(_, part)| PLANS.contains(&part.text.as_str()))
}

/// A checklist among the arguments of another tool. It is taken over before the tool runs, so that only a call that was
/// never made gives none.
fn rider(write: Write, part: usize) -> Found {
    let of = &write.message.parts[part];
    let entries = markdown_list::task_list(&of.text);
    match write.call.outcome {
        Outcome::Denied | Outcome::Interrupted => Found::Nothing,
        _ if of.text.trim().is_empty() => Found::Nothing,
        _ if entries.is_empty() => Found::Unreadable("the checklist that the call carries cannot be read"),
        _ => snapshot(write.session, write.at, part, 0, entries, RIDER, TodoSource::FullList).into(),
    }
}

/// How a user hands a plan of an earlier session over.
const HANDED_OVER: &str = "Implement the following plan:";

fn handed_over(session: &Session, at: MessageIdx, message: &Message) -> Option<TodoSnapshot> {
    let text = message.prose();
    let start = text.len() - text.trim_start().len();
    let rest = text[start..].strip_prefix(HANDED_OVER)?;
    let part = message.part_at(PartKind::Prose)?;
    plan(session, at, part, text.len() - rest.len(), "plan")
}

fn plan(session: &Session, at: MessageIdx, part: usize, from: usize, tool: &str) -> Option<TodoSnapshot> {
    let text = session.message(at).parts.get(part)?.text.get(from..)?;
    let entries = markdown_list::plan(text);
    snapshot(session, at, part, from, entries, tool, TodoSource::Plan)
}

fn checklist(session: &Session, at: MessageIdx, message: &Message) -> Option<TodoSnapshot> {
    /// One ticked line is no list.
    const FEWEST: usize = 2;
    let part = message.part_at(PartKind::Prose)?;
    let text = message.prose();
    if !text.contains("[x]") && !text.contains("[ ]") && !text.contains("[X]") {
        return None;
    }
    let entries = markdown_list::checklist(text);
    if entries.len() < FEWEST {
        return None;
    }
    snapshot(session, at, part, 0, entries, "checklist", TodoSource::Checklist)
}

fn snapshot(
    session: &Session,
    at: MessageIdx,
    part: usize,
    from: usize,
    entries: Vec<Entry>,
    tool: &str,
    source: TodoSource,
) -> Option<TodoSnapshot> {
    if entries.is_empty() {
        return None;
    }
    let complete = session.message(at).parts[part].cut.is_none();
    let items: Items = entries.into_iter().map(|e| item_of(session, at, part, from, e)).collect();
    Some(TodoSnapshot { message: at, tool: tool.to_string(), source, items, complete })
}

fn item_of(session: &Session, at: MessageIdx, part: usize, from: usize, entry: Entry) -> TodoItem {
    TodoItem {
        content: entry.text.to_string(),
        content_cut: false,
        status: entry.status,
        status_raw: entry.mark.to_string(),
        priority: None,
        id: None,
        group: entry.group.map(str::to_string),
        known: Provenance::Input,
        evidence: evidence(session, at, part, entry.span.shift(from)),
    }
}

/// The bytes of a part as evidence, or the message as a whole where they are no quotation.
fn evidence(session: &Session, at: MessageIdx, part: usize, span: ByteSpan) -> Evidence {
    session.cite(at, part, span).unwrap_or_else(|| session.whole(at))
}
