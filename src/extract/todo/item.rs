//! One item of a list in JSON, and the list that holds it, under the names that producers give them.

use super::status;
use crate::{
    base::span::ByteSpan,
    model::{
        evidence::Evidence,
        todo::{Provenance, TodoItem, TodoStatus},
    },
    text::partial_json::{Node, Value},
};

/// Names of the field that holds the list.
pub(super) const LIST_FIELDS: &[&str] = &[
    "todos",
    "plan",
    "items",
    "tasks",
    "todo_list",
    "todoList",
    "newTodos",
    "finalTodos",
    "task_list",
    "steps",
    "entries",
    "phases",
    "list",
    "checklist",
    "task_progress",
    "content",
];
/// Names of the field that holds what holds the list.
pub(super) const HOLDERS: &[&str] =
    &["success", "result", "details", "plan", "args", "arguments", "input", "params", "parameters", "rawInput"];
/// Names of the field that holds an item's text, the better first.
const CONTENT_FIELDS: &[&str] =
    &["content", "step", "subject", "title", "text", "task", "name", "task_description", "description"];
/// Names of the field that holds a status word.
const STATUS_FIELDS: &[&str] = &["status", "state"];
/// Names of the field that is true for a finished item, where there are no words.
const DONE_FIELDS: &[&str] = &["completed", "done"];
/// Names of the field that holds the items of a phase.
const PHASE_ITEMS: &[&str] = &["tasks", "items", "todos"];
/// Names of the field that names a phase.
const PHASE_NAMES: &[&str] = &["name", "phase", "title"];

/// An item as one side of a call shows it.
pub(super) struct Shown {
    /// "" where only its id is shown.
    pub content: String,
    pub content_cut: bool,
    pub status: ShownStatus,
    pub priority: Option<String>,
    pub id: Option<String>,
    pub group: Option<String>,
    pub evidence: Evidence,
}

/// A status as one side of a call shows it.
#[derive(Clone)]
pub(super) struct ShownStatus {
    /// What it means, where it is shown.
    pub means: TodoStatus,
    /// The producer's word, as far as shown.
    pub raw: String,
    /// Whether the word is shown only in part.
    pub cut: bool,
}

impl ShownStatus {
    /// Nothing is shown.
    pub fn none() -> Self {
        Self { means: TodoStatus::NotShown, raw: String::new(), cut: false }
    }

    /// Whether it is shown in full.
    pub fn is_whole(&self) -> bool {
        !self.raw.is_empty() && !self.cut
    }
}

impl Shown {
    pub fn item(self, known: Provenance) -> TodoItem {
        let (status, known) = match self.status.cut {
            true => status::of_cut(&self.status.raw)
                .map_or((TodoStatus::NotShown, known), |status| (status, Provenance::Inferred)),
            false => (self.status.means, known),
        };
        TodoItem {
            content: self.content,
            content_cut: self.content_cut,
            status,
            status_raw: self.status.raw,
            priority: self.priority,
            id: self.id,
            group: self.group,
            known,
            evidence: self.evidence,
        }
    }
}

/// The list itself, or the one that an object holds under a known name.
pub(super) fn list_node<'n, 'a>(node: &'n Node<'a>) -> Option<&'n Node<'a>> {
    /// Objects in objects.
    const DEEPEST: usize = 4;
    inside(node, DEEPEST)
}

fn inside<'n, 'a>(node: &'n Node<'a>, deepest: usize) -> Option<&'n Node<'a>> {
    match node.value {
        Value::List(_) => Some(node),
        Value::Object(_) if deepest > 0 => {
            let list = |name: &&str| node.get(name).filter(|n| matches!(n.value, Value::List(_)));
            let held = |name: &&str| inside(node.get(name)?, deepest - 1);
            LIST_FIELDS.iter().find_map(list).or_else(|| HOLDERS.iter().find_map(held))
        }
        _ => None,
    }
}

/// The items of a list, each with the phase that it is in; `None` for a list that is nobody's task list.
pub(super) fn members<'n, 'a>(list: &'n Node<'a>) -> Option<Vec<(Option<&'n str>, &'n Node<'a>)>> {
    let nodes = list.list()?;
    if !nodes.is_empty() && nodes.iter().all(|n| !matches!(n.value, Value::Object(_) | Value::Text(_))) {
        return None;
    }
    let phase = |node: &'n Node<'a>| {
        let items = PHASE_ITEMS.iter().find_map(|name| node.get(name)?.list());
        let name = PHASE_NAMES.iter().find_map(|name| node.get(name)?.text());
        match items {
            Some(items) => items.iter().map(|item| (name, item)).collect(),
            None => vec![(None, node)],
        }
    };
    Some(nodes.iter().flat_map(phase).collect())
}

/// An item of a list; `None` when it shows neither a text nor an id. `elided`: the part is shown only in part, so that
/// three dots at the end of a text stand for what was left out.
pub(super) fn item(
    node: &Node,
    group: Option<&str>,
    elided: bool,
    cite: impl Fn(ByteSpan, &str) -> Evidence,
) -> Option<Shown> {
    let text = |names: &[&str]| {
        names.iter().filter_map(|n| node.get(n)).find(|n| n.text().is_some_and(|text| !text.trim().is_empty()))
    };
    let content = if node.text().is_some() { Some(node) } else { text(CONTENT_FIELDS) };
    let words = content.and_then(Node::text).unwrap_or_default();
    let id = node.get("id").and_then(|n| match &n.value {
        Value::Text(id) if n.whole => Some(id.to_string()),
        Value::Number(id) if n.whole => Some(id.to_string()),
        _ => None,
    });
    if content.is_none() && id.is_none() {
        return None;
    }
    Some(Shown {
        content: words.to_string(),
        content_cut: content.is_some_and(|n| !n.whole) || elided && (words.ends_with("...") || words.ends_with('…')),
        status: status_of(node),
        priority: text(&["priority"]).filter(|n| n.whole).and_then(Node::text).map(str::to_string),
        id,
        group: group.or_else(|| text(&["phase", "group"])?.text()).map(str::to_string),
        evidence: cite(content.unwrap_or(node).inner(), words),
    })
}

fn status_of(node: &Node) -> ShownStatus {
    let word = STATUS_FIELDS.iter().find_map(|name| Some((node.get(name)?.text()?, node.get(name)?.whole)));
    let flag = || {
        DONE_FIELDS.iter().find_map(|name| match node.get(name)?.value {
            Value::Bool(done) => Some(done),
            _ => None,
        })
    };
    match word {
        Some((raw, whole)) => ShownStatus { means: status::of_shown(raw), raw: raw.to_string(), cut: !whole },
        None => flag().map_or_else(ShownStatus::none, |done| ShownStatus {
            means: status::of_flag(done),
            raw: done.to_string(),
            cut: false,
        }),
    }
}
