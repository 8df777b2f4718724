//! Tools that write increments (`TaskCreate`, `TaskUpdate`, `TaskList`), folded into the whole list as of each call.

use std::sync::LazyLock;

use regex::Regex;

use super::{evidence, known_status, status};
use crate::{
    base::{ids::MessageIdx, span::ByteSpan},
    model::{
        message::{Message, PartKind, ToolCall},
        session::Session,
        todo::{Provenance, TodoItem, TodoSnapshot, TodoSource, TodoStatus},
    },
    text::partial_json::{self, Node, Value},
};

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
    items: Vec<TodoItem>,
    /// An update named a task that was never seen: there are more than these.
    more: bool,
}

impl Tasks {
    /// Applies a call; the list after it, if it changed anything.
    pub fn apply(
        &mut self,
        session: &Session,
        at: MessageIdx,
        message: &Message,
        call: &ToolCall,
    ) -> Option<TodoSnapshot> {
        // A call without a result may never have run.
        call.result_at?;
        let changed = match call.name.to_ascii_lowercase().as_str() {
            "taskcreate" => self.create(session, at, message, call),
            "taskupdate" => self.update(session, at, message),
            "tasklist" => self.resync(session, at, message, call),
            _ => false,
        };
        changed.then(|| TodoSnapshot {
            message: at,
            tool: call.name.clone(),
            source: TodoSource::Folded,
            items: self.items.clone(),
            complete: !self.more,
        })
    }

    fn create(&mut self, session: &Session, at: MessageIdx, message: &Message, call: &ToolCall) -> bool {
        let stored = stored(call, "task");
        let named = NUMBER.captures(message.output());
        let id = stored.as_ref().and_then(|t| member(t, "id")).or_else(|| named.as_ref().map(|n| n[1].to_string()));
        let told = named.as_ref().and_then(|n| n.get(2));
        let (content, evidence) = if let Some(part) = message.input_at("subject") {
            let text = &message.parts[part].text;
            (text.clone(), evidence(session, at, part, ByteSpan::new(0, text.len())))
        } else if let (Some(told), Some(part)) = (told, message.part_at(PartKind::Output)) {
            (told.as_str().trim().to_string(), evidence(session, at, part, ByteSpan::new(told.start(), told.end())))
        } else if let Some(subject) = stored.as_ref().and_then(|t| member(t, "subject")) {
            (subject, session.whole(at))
        } else {
            return false;
        };
        let raw = stored.as_ref().and_then(|t| member(t, "status"));
        let (status, raw) = raw.map_or((TodoStatus::Pending, "pending".to_string()), |raw| (status::of(&raw), raw));
        self.items.retain(|item| item.id.is_none() || item.id != id);
        self.items.push(TodoItem {
            content,
            content_cut: false,
            status,
            status_raw: raw,
            priority: None,
            id,
            known: Provenance::Input,
            evidence,
        });
        self.carry(at);
        true
    }

    fn update(&mut self, session: &Session, at: MessageIdx, message: &Message) -> bool {
        let output = message.output();
        // Some versions report a miss as a plain result.
        if output.to_lowercase().contains("not found") {
            return false;
        }
        let named = ["taskId", "task_id", "id"].iter().find_map(|f| message.input(f)).map(str::to_string);
        let summary = || message.input("summary").and_then(|s| Some(SUMMARY.captures(s)?[1].to_string()));
        let Some(id) = named.or_else(summary) else { return false };
        let raw = message.input("status").map(str::to_string);
        let subject = message.input_at("subject");
        // A page that shows the call as a summary says that the status changed, but not to what.
        let hidden = raw.is_none() && message.input("summary").is_some() && output.contains("status");
        let Some(place) = self.items.iter().position(|item| item.id.as_deref() == Some(&id)) else {
            let missed = !self.more && !self.items.is_empty();
            self.more = true;
            return missed;
        };
        if raw.as_deref() == Some("deleted") {
            self.items.remove(place);
            self.carry(at);
            return true;
        }
        let item = &mut self.items[place];
        if let Some(part) = subject {
            let text = &message.parts[part].text;
            item.content = text.clone();
            item.evidence = evidence(session, at, part, ByteSpan::new(0, text.len()));
        }
        if let Some(raw) = &raw {
            item.status = known_status(raw);
            item.status_raw = raw.clone();
        } else if hidden {
            item.status = TodoStatus::NotShown;
            item.status_raw = String::new();
        }
        self.carry(at);
        self.items[place].known = Provenance::Input;
        raw.is_some() || subject.is_some() || hidden
    }

    /// Takes the list over from a listing, which tells all of it.
    fn resync(&mut self, session: &Session, at: MessageIdx, message: &Message, call: &ToolCall) -> bool {
        let listed = match stored(call, "tasks") {
            Some(node) => from_stored(session, at, &node),
            None => from_rows(session, at, message),
        };
        let Some(mut listed) = listed else { return false };
        let seen = |items: &[TodoItem]| -> Vec<_> {
            items.iter().map(|i| (i.id.clone(), i.content.clone(), i.status)).collect()
        };
        let changed = seen(&listed) != seen(&self.items) || self.more;
        std::mem::swap(&mut self.items, &mut listed);
        self.more = false;
        changed
    }

    /// What this call did not touch is known from earlier ones.
    fn carry(&mut self, at: MessageIdx) {
        for item in &mut self.items {
            if item.evidence.message() != at {
                item.known = Provenance::Folded;
            }
        }
    }
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

fn from_stored(session: &Session, at: MessageIdx, node: &Node) -> Option<Vec<TodoItem>> {
    let tasks = node.list()?;
    let items = tasks.iter().filter_map(|task| {
        let raw = member(task, "status").unwrap_or_default();
        let content = member(task, "subject").or_else(|| member(task, "content"))?;
        let at = session.cite_words(at, &content).unwrap_or_else(|| session.whole(at));
        Some(listed(content, raw, member(task, "id"), at))
    });
    Some(items.collect())
}

fn from_rows(session: &Session, at: MessageIdx, message: &Message) -> Option<Vec<TodoItem>> {
    let part = message.part_at(PartKind::Output)?;
    let text = &message.parts[part].text;
    let items: Vec<TodoItem> = ROW
        .captures_iter(text)
        .filter_map(|row| {
            let content = row.get(3)?;
            let place = evidence(session, at, part, ByteSpan::new(content.start(), content.end()));
            Some(listed(content.as_str().to_string(), row[2].to_string(), Some(row[1].to_string()), place))
        })
        .collect();
    (!items.is_empty()).then_some(items)
}

fn listed(content: String, raw: String, id: Option<String>, evidence: crate::model::evidence::Evidence) -> TodoItem {
    TodoItem {
        content,
        content_cut: false,
        status: known_status(&raw),
        status_raw: raw,
        priority: None,
        id,
        known: Provenance::Output,
        evidence,
    }
}
