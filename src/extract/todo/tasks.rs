//! Tools that write increments (`TaskCreate`, `TaskUpdate`, `TaskList`), folded into the whole list as of each call.

use std::sync::LazyLock;

use crate::text::pattern::Regex;

use super::{Found, Write, board::Board, status};
use crate::{
    base::span::ByteSpan,
    model::{
        evidence::Evidence,
        message::{PartKind, ToolCall},
        todo::{Provenance, TodoItem, TodoStatus},
    },
    text::partial_json::{self, Node, Value},
};

/// The tools, in lower case.
pub(super) const TOOLS: &[&str] = &["taskcreate", "taskget", "tasklist", "taskupdate"];

/// `Task #3 created successfully: Write the reader`, `Updated task #3 status`.
static NUMBER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"#(\d+)\b(?: created successfully: (.+))?").expect("valid"));
/// `taskId=3` in an input that is shown as a summary only.
static SUMMARY: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\btask_?[iI]d=(\d+)\b").expect("valid"));
/// `#3 [in_progress] Write the reader` in the result of a listing.
static ROW: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^\s*#?(\d+)[.:]?\s+\[([a-z_ -]+)\]\s+(\S.*?)\s*$").expect("valid"));

/// The list so far.
#[derive(Default)]
pub(super) struct Tasks {
    /// There are more than these where an update named a task that was never seen.
    board: Board,
}

impl Tasks {
    /// Applies a call; the list after it, if it changed anything.
    pub fn apply(&mut self, write: Write, tool: &str) -> Found {
        // A call without a result may never have run.
        if write.call.result_at.is_none() {
            return Found::Nothing;
        }
        let changed = match tool {
            "taskcreate" => match created(write) {
                Some(item) => self.create(item),
                None => return Found::Unreadable("the task that it creates cannot be read"),
            },
            "taskupdate" => self.update(write),
            "tasklist" => self.resync(write),
            _ => false,
        };
        changed.then(|| self.board.snapshot(&write)).into()
    }

    fn create(&mut self, item: TodoItem) -> bool {
        self.board.turn();
        if let Some(at) = item.id.as_deref().and_then(|id| self.board.find(id)) {
            self.board.remove(at);
        }
        self.board.push(item);
        true
    }

    fn update(&mut self, write: Write) -> bool {
        let (message, output) = (write.message, write.message.output());
        // Some versions report a miss as a plain result.
        if output.to_lowercase().contains("not found") {
            return false;
        }
        let named = write.input(&["taskId", "task_id", "id"]).map(|(_, part)| part.text.clone());
        let summary = || message.input("summary").and_then(|s| Some(SUMMARY.captures(s)?[1].to_string()));
        let Some(id) = named.or_else(summary) else { return false };
        let raw = message.input("status").map(str::to_string);
        let subject = write.input(&["subject"]);
        // A page that shows the call as a summary says that the status changed, but not to what.
        let hidden = raw.is_none() && message.input("summary").is_some() && output.contains("status");
        let Some(place) = self.board.find(&id) else {
            let missed = !self.board.more && !self.board.items().is_empty();
            self.board.more = true;
            return missed;
        };
        if raw.is_none() && subject.is_none() && !hidden {
            return false;
        }
        self.board.turn();
        if raw.as_deref() == Some("deleted") {
            self.board.remove(place);
            return true;
        }
        let mut item = TodoItem { known: Provenance::Input, ..self.board.items()[place].clone() };
        if let Some((part, subject)) = subject {
            item.content.clone_from(&subject.text);
            item.evidence = write.evidence(part, ByteSpan::new(0, subject.text.len()));
        }
        if let Some(raw) = raw {
            (item.status, item.status_raw) = (status::of_shown(&raw), raw);
        } else if hidden {
            (item.status, item.status_raw) = (TodoStatus::NotShown, String::new());
        }
        self.board.set(place, item);
        true
    }

    /// Takes the list over from a listing, which tells all of it.
    fn resync(&mut self, write: Write) -> bool {
        let listed = match stored(write.call, "tasks") {
            Some(node) => from_stored(write, &node),
            None => from_rows(write),
        };
        let Some(listed) = listed else { return false };
        let told = listed.iter().map(|i| (&i.id, &i.content, i.status));
        let same = told.eq(self.board.items().iter().map(|i| (&i.id, &i.content, i.status)));
        if same && !self.board.more {
            return false;
        }
        self.board.replace(listed.into_iter().collect(), true);
        true
    }
}

/// The task that a call creates.
fn created(write: Write) -> Option<TodoItem> {
    let stored = stored(write.call, "task");
    let member = |name: &str| stored.as_ref().and_then(|task| member(task, name));
    let named = NUMBER.captures(write.message.output());
    let id = member("id").or_else(|| named.as_ref().map(|n| n[1].to_string()));
    let told = named.as_ref().and_then(|n| n.get(2)).zip(write.message.part_at(PartKind::Output));
    let (content, evidence) = if let Some((part, subject)) = write.input(&["subject"]) {
        (subject.text.clone(), write.evidence(part, ByteSpan::new(0, subject.text.len())))
    } else if let Some((told, part)) = told {
        (told.as_str().trim().to_string(), write.evidence(part, ByteSpan::new(told.start(), told.end())))
    } else {
        (member("subject")?, write.session.whole(write.at))
    };
    // The tool gives every new task this status.
    let raw = member("status").unwrap_or_else(|| "pending".to_string());
    Some(TodoItem {
        content,
        content_cut: false,
        status: status::of_shown(&raw),
        status_raw: raw,
        priority: None,
        id,
        group: None,
        known: Provenance::Input,
        evidence,
    })
}

/// Structured result of the producer, by name.
fn stored<'a>(call: &'a ToolCall, name: &str) -> Option<Node<'a>> {
    let (_, json) = call.extra.iter().find(|(key, _)| *key == name)?;
    partial_json::read(json).node
}

/// A text or number of an object, as text.
fn member(node: &Node, name: &str) -> Option<String> {
    match &node.get(name)?.value {
        Value::Text(text) => Some(text.to_string()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn from_stored(write: Write, node: &Node) -> Option<Vec<TodoItem>> {
    let tasks = node.list()?;
    let items = tasks.iter().filter_map(|task| {
        let raw = member(task, "status").unwrap_or_default();
        let content = member(task, "subject").or_else(|| member(task, "content"))?;
        let evidence = write.words(&content);
        Some(listed(content, raw, member(task, "id"), evidence))
    });
    Some(items.collect())
}

fn from_rows(write: Write) -> Option<Vec<TodoItem>> {
    let part = write.message.part_at(PartKind::Output)?;
    let text = &write.message.parts[part].text;
    let items: Vec<TodoItem> = ROW
        .captures_iter(text)
        .filter_map(|row| {
            let content = row.get(3)?;
            let place = write.evidence(part, ByteSpan::new(content.start(), content.end()));
            Some(listed(content.as_str().to_string(), row[2].to_string(), Some(row[1].to_string()), place))
        })
        .collect();
    (!items.is_empty()).then_some(items)
}

fn listed(content: String, raw: String, id: Option<String>, evidence: Evidence) -> TodoItem {
    TodoItem {
        content,
        content_cut: false,
        status: status::of_shown(&raw),
        status_raw: raw,
        priority: None,
        id,
        group: None,
        known: Provenance::Output,
        evidence,
    }
}
