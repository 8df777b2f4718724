//! Task lists as of each message that wrote one: full lists, increments folded into full lists, plans and checklists.
//! A call that failed, or whose list cannot be read, gives no snapshot: the last good one stands.

mod list;
mod markdown_list;
mod status;
mod tasks;

use super::Extractor;
use crate::{
    base::{ids::MessageIdx, span::ByteSpan},
    model::{
        evidence::Evidence,
        facts::Facts,
        message::{Message, MessageKind, Outcome, ToolCall, ToolKind},
        session::Session,
        todo::{Provenance, TodoItem, TodoSnapshot, TodoSource, TodoStatus},
    },
};
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
        let mut tasks = tasks::Tasks::default();
        let mut user_spoke = false;
        for (at, message) in session.iter() {
            let snapshot = match (&message.call, message.kind) {
                (Some(call), _) if may_have_worked(session, call) => from_call(session, at, message, call, &mut tasks),
                (Some(_), _) => None,
                (None, MessageKind::User) if !user_spoke => {
                    user_spoke = true;
                    handed_over(session, at, message)
                }
                (None, MessageKind::User) => None,
                (None, _) => checklist(session, at, message),
            };
            facts.todos.extend(snapshot.filter(|s| !s.items.is_empty() || s.source == TodoSource::FullList));
        }
    }
}

/// Whether the call took effect as far as the log says. In formats that do not record how a call ended every call counts;
/// in the others a call without a result does not.
fn may_have_worked(session: &Session, call: &ToolCall) -> bool {
    match call.outcome {
        Outcome::Ok => true,
        Outcome::NotRecorded => call.result_at.is_some() || !session.info.records_outcome,
        Outcome::Failed | Outcome::Denied | Outcome::Interrupted => false,
    }
}

/// Tools that tell the list without writing it.
const READERS: &[&str] = &["read_todos", "readtodos", "taskget", "todo_read", "todoread"];

fn from_call(
    session: &Session,
    at: MessageIdx,
    message: &Message,
    call: &ToolCall,
    tasks: &mut tasks::Tasks,
) -> Option<TodoSnapshot> {
    let name = call.name.to_ascii_lowercase();
    match call.kind {
        ToolKind::Todo if READERS.contains(&name.as_str()) => None,
        ToolKind::Todo if name.starts_with("task") && !name.contains('_') => tasks.apply(session, at, message, call),
        ToolKind::Todo => {
            let list = list::read(session, at, message, call)?;
            Some(TodoSnapshot {
                message: at,
                tool: call.name.clone(),
                source: TodoSource::FullList,
                items: list.items,
                complete: list.complete,
            })
        }
        ToolKind::Plan => {
            let part = message.input_at("plan")?;
            plan(session, at, part, 0, &call.name)
        }
        _ => None,
    }
}

/// How a user hands a plan of an earlier session over.
const HANDED_OVER: &str = "Implement the following plan:";

fn handed_over(session: &Session, at: MessageIdx, message: &Message) -> Option<TodoSnapshot> {
    let text = message.prose();
    let start = text.len() - text.trim_start().len();
    let rest = text[start..].strip_prefix(HANDED_OVER)?;
    let part = message.part_at(crate::model::message::PartKind::Prose)?;
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
    let part = message.part_at(crate::model::message::PartKind::Prose)?;
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
    let items = entries.into_iter().map(|e| item_of(session, at, part, from, e)).collect();
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
        known: Provenance::Input,
        evidence: evidence(session, at, part, entry.span.shift(from)),
    }
}

/// The bytes of a part as evidence, or the message as a whole where they are no quotation.
fn evidence(session: &Session, at: MessageIdx, part: usize, span: ByteSpan) -> Evidence {
    session.cite(at, part, span).unwrap_or_else(|| session.whole(at))
}

/// What a status word means, and whether it is shown at all.
fn known_status(raw: &str) -> TodoStatus {
    if raw.is_empty() { TodoStatus::NotShown } else { status::of(raw) }
}
