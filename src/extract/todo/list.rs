//! A whole task list out of one call: its input, its output, and what the producer stored beside them, each read as far
//! as it goes and laid together by index.

use super::{evidence, known_status, markdown_list, status};
use crate::{
    base::{ids::MessageIdx, span::ByteSpan},
    model::{
        evidence::Evidence,
        message::{Cut, Message, Part, PartKind, ToolCall},
        session::Session,
        todo::{Provenance, TodoItem, TodoStatus},
    },
    text::{
        cut_mark,
        partial_json::{self, Node, Value},
    },
};

/// Names of the field that holds the list.
const LIST_FIELDS: &[&str] =
    &["todos", "plan", "items", "tasks", "todo_list", "newTodos", "todoList", "checklist", "task_progress", "steps"];
/// Names of the field that holds an item's text, the better first.
const CONTENT_FIELDS: &[&str] =
    &["content", "step", "subject", "title", "text", "task", "name", "description", "task_description"];
/// Names of the field that holds a status word.
const STATUS_FIELDS: &[&str] = &["status", "state"];
/// Names of the field that is true for a finished item, where there are no words.
const DONE_FIELDS: &[&str] = &["completed", "done"];

/// A list as far as it is shown.
pub(super) struct List {
    /// Its items in order.
    pub items: Vec<TodoItem>,
    /// Whether its end is shown.
    pub complete: bool,
}

/// The list that a call wrote; `None` when it holds none that can be read.
pub(super) fn read(session: &Session, at: MessageIdx, message: &Message, call: &ToolCall) -> Option<List> {
    // Where the producer keeps the whole list beside the output, the input holds a change of it or nothing better.
    if let Some(list) = stored(session, at, call) {
        return Some(list);
    }
    let input = message.parts.iter().enumerate().filter(|(_, p)| p.kind == PartKind::Input).find_map(|(i, p)| {
        let named = p.name.as_deref().is_none_or(|name| LIST_FIELDS.contains(&name));
        named.then(|| side(session, at, i, p)).flatten()
    });
    let output = message.part_at(PartKind::Output).and_then(|i| {
        let part = &message.parts[i];
        part.text.starts_with(['[', '{']).then(|| side(session, at, i, part)).flatten()
    });
    match (input, output) {
        (Some(input), Some(output)) => Some(merge(input, output)),
        (Some(input), None) => Some(input.list(Provenance::Input)),
        (None, Some(output)) => Some(output.list(Provenance::Output)),
        (None, None) => None,
    }
}

/// The list as the producer stored it beside the output; no text to quote.
fn stored(session: &Session, at: MessageIdx, call: &ToolCall) -> Option<List> {
    let (_, json) = call.extra.iter().find(|(name, _)| *name == "todos")?;
    let partial = partial_json::read(json);
    let node = list_node(partial.node.as_ref()?)?;
    let shown = node.list()?.iter().filter_map(|n| item(n, false, |_| session.whole(at))).collect();
    Some(Side { shown, complete: node.whole }.list(Provenance::Output))
}

/// One side of a call.
struct Side {
    shown: Vec<Shown>,
    complete: bool,
}

/// An item as one side shows it.
struct Shown {
    content: String,
    content_cut: bool,
    /// "" when not shown.
    raw: String,
    raw_cut: bool,
    priority: Option<String>,
    id: Option<String>,
    evidence: Evidence,
}

impl Side {
    fn list(self, known: Provenance) -> List {
        List { items: self.shown.into_iter().map(|s| s.item(known)).collect(), complete: self.complete }
    }
}

impl Shown {
    fn item(self, known: Provenance) -> TodoItem {
        let (status, known) = match self.raw_cut {
            true => status::of_cut(&self.raw).map_or((TodoStatus::NotShown, known), |s| (s, Provenance::Inferred)),
            false => (known_status(&self.raw), known),
        };
        TodoItem {
            content: self.content,
            content_cut: self.content_cut,
            status,
            status_raw: self.raw,
            priority: self.priority,
            id: self.id,
            known,
            evidence: self.evidence,
        }
    }
}

fn side(session: &Session, at: MessageIdx, part: usize, of: &Part) -> Option<Side> {
    if of.cut == Some(Cut::Placeholder) {
        return None;
    }
    let end = cut_end(of);
    let text = &of.text[..end];
    let partial = partial_json::read(text);
    let Some(node) = partial.node.as_ref().and_then(list_node) else {
        return written_out(session, at, part, of);
    };
    let nodes = node.list()?;
    // An item that is neither an object nor a text is nobody's list.
    if !nodes.is_empty() && nodes.iter().all(|n| !matches!(n.value, Value::Object(_) | Value::Text(_))) {
        return written_out(session, at, part, of);
    }
    // A text that breaks off in bare dots shows them as part of what it shows; a counted mark is the page's own.
    let dots = if cut_mark::counted(&of.text).is_none() { of.text.trim_end().len() } else { end };
    let cite = |span: ByteSpan| {
        let to = if span.end == end { dots.max(end) } else { span.end };
        evidence(session, at, part, ByteSpan::new(span.start, to))
    };
    let shown = nodes.iter().filter_map(|n| item(n, of.cut.is_some(), cite)).collect();
    Some(Side { shown, complete: node.whole })
}

/// Where the shown text ends: before the mark of the cut, if it is cut.
fn cut_end(part: &Part) -> usize {
    match part.cut {
        Some(Cut::End) => cut_mark::at_end(&part.text).map_or(part.text.len(), |mark| mark.start),
        _ => part.text.len(),
    }
}

/// A list written as lines: `[x] one`.
fn written_out(session: &Session, at: MessageIdx, part: usize, of: &Part) -> Option<Side> {
    let entries = markdown_list::checklist(&of.text);
    if entries.is_empty() {
        return None;
    }
    let shown = entries.into_iter().map(|entry| Shown {
        content: entry.text.to_string(),
        content_cut: false,
        raw: entry.status.word().to_string(),
        raw_cut: false,
        priority: None,
        id: None,
        evidence: evidence(session, at, part, entry.span),
    });
    Some(Side { shown: shown.collect(), complete: of.cut.is_none() })
}

/// The list itself, or the one that an object holds under a known name.
fn list_node<'n, 'a>(node: &'n Node<'a>) -> Option<&'n Node<'a>> {
    match node.value {
        Value::List(_) => Some(node),
        Value::Object(_) => {
            LIST_FIELDS.iter().find_map(|name| node.get(name)).filter(|n| matches!(n.value, Value::List(_)))
        }
        _ => None,
    }
}

/// An item of the list; `None` when it shows no text. `elided`: the part is shown only in part, so that three dots at
/// the end of a text stand for what was left out.
fn item(node: &Node, elided: bool, cite: impl Fn(ByteSpan) -> Evidence) -> Option<Shown> {
    let text = |names: &[&str]| {
        names.iter().filter_map(|n| node.get(n)).find(|n| n.text().is_some_and(|text| !text.trim().is_empty()))
    };
    let content = if node.text().is_some() { node } else { text(CONTENT_FIELDS)? };
    let words = content.text()?;
    let status = STATUS_FIELDS.iter().find_map(|n| node.get(n)).filter(|n| n.text().is_some());
    let done = DONE_FIELDS.iter().find_map(|n| match node.get(n)?.value {
        Value::Bool(done) => Some(if done { "completed" } else { "pending" }),
        _ => None,
    });
    let id = node.get("id").and_then(|n| match &n.value {
        Value::Text(id) if n.whole => Some(id.to_string()),
        Value::Number(id) if n.whole => Some(id.to_string()),
        _ => None,
    });
    Some(Shown {
        content: words.to_string(),
        content_cut: !content.whole || elided && (words.ends_with("...") || words.ends_with('…')),
        raw: status.and_then(Node::text).or(done).unwrap_or_default().to_string(),
        raw_cut: status.is_some_and(|n| !n.whole),
        priority: text(&["priority"]).filter(|n| n.whole).and_then(Node::text).map(str::to_string),
        id,
        evidence: cite(content.inner()),
    })
}

/// Lays input and output of one call together. The input is followed where they differ; the output fills in what the
/// input does not show.
fn merge(input: Side, output: Side) -> List {
    let complete = input.complete || output.complete;
    let mut output = output.shown.into_iter();
    let mut items: Vec<TodoItem> = Vec::new();
    for mine in input.shown {
        items.push(match output.next() {
            Some(theirs) if begins_alike(&mine, &theirs) => both(mine, theirs),
            _ => mine.item(Provenance::Input),
        });
    }
    if !input.complete {
        items.extend(output.map(|theirs| theirs.item(Provenance::Output)));
    }
    List { items, complete }
}

/// Whether two sightings can be of one item: equal texts, or one the beginning of the other where it is cut.
fn begins_alike(a: &Shown, b: &Shown) -> bool {
    let bare = |s: &Shown| s.content.trim_end_matches(['.', '…']).to_string();
    match (a.content_cut, b.content_cut) {
        (false, false) => a.content == b.content,
        (true, _) if b.content.starts_with(&bare(a)) => true,
        (_, true) => a.content.starts_with(&bare(b)),
        (true, false) => false,
    }
}

fn both(mine: Shown, theirs: Shown) -> TodoItem {
    let (content, content_cut, evidence) = match (mine.content_cut, theirs.content_cut) {
        (true, false) => (theirs.content, false, theirs.evidence),
        (true, true) if theirs.content.len() > mine.content.len() => (theirs.content, true, theirs.evidence),
        (cut, _) => (mine.content, cut, mine.evidence),
    };
    let shows = |raw: &str, cut: bool| !raw.is_empty() && !cut;
    let (raw, raw_cut, known) = match (shows(&mine.raw, mine.raw_cut), shows(&theirs.raw, theirs.raw_cut)) {
        (true, true) if mine.raw == theirs.raw => (mine.raw, false, Provenance::Both),
        (true, _) => (mine.raw, false, Provenance::Input),
        (false, true) => (theirs.raw, false, Provenance::Output),
        (false, false) if theirs.raw.len() > mine.raw.len() => (theirs.raw, theirs.raw_cut, Provenance::Output),
        (false, false) => (mine.raw, mine.raw_cut, Provenance::Input),
    };
    let priority = mine.priority.or(theirs.priority);
    let id = mine.id.or(theirs.id);
    Shown { content, content_cut, raw, raw_cut, priority, id, evidence }.item(known)
}
