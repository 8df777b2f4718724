//! A whole task list out of one call: its input, its output, and what the producer stored beside them, each read as far
//! as it goes and laid together by index.

use super::{
    Write,
    item::{self, HOLDERS, LIST_FIELDS, Shown, ShownStatus, list_node, members},
    markdown_list,
};
use crate::{
    base::span::ByteSpan,
    model::{
        message::{Cut, Part, PartKind},
        todo::{Provenance, TodoItem},
    },
    text::{cut_mark, partial_json},
};

/// What stands before the whole list in results that also say something else.
const STATE: &str = "TODO LIST STATE:";

/// A list as far as it is shown.
pub(super) struct List {
    /// Its items in order.
    pub items: Vec<TodoItem>,
    /// Whether its end is shown.
    pub complete: bool,
}

/// The list that a call wrote; `None` when it holds none that can be read. Its input is followed, and where that is cut
/// what else tells the list.
pub(super) fn written(write: Write) -> Option<List> {
    let other = || output(write).or_else(|| stored(write));
    match (asked(write), output(write)) {
        (Some(input), None) if input.is_whole() => Some(input.list(Provenance::Input)),
        (Some(input), None) => match stored(write) {
            Some(stored) => Some(merge(input, stored)),
            None => Some(input.list(Provenance::Input)),
        },
        (Some(input), Some(output)) => Some(merge(input, output)),
        (None, _) => Some(other()?.list(Provenance::Output)),
    }
}

/// The list that the result of a call tells: as stored, else in its output.
pub(super) fn told(write: Write) -> Option<List> {
    let rows = || side(write, write.message.part_at(PartKind::Output)?, 0);
    Some(stored(write).or_else(|| output(write)).or_else(rows)?.list(Provenance::Output))
}

/// The list in the input of a call.
pub(super) fn asked(write: Write) -> Option<Side> {
    let mut parts = write.message.parts.iter().enumerate().filter(|(_, p)| p.kind == PartKind::Input);
    parts.find_map(|(i, part)| holds_list(part).then(|| side(write, i, 0)).flatten())
}

/// Whether an input part is one that lists stand in.
pub(super) fn holds_list(part: &Part) -> bool {
    part.name.as_deref().is_none_or(|name| LIST_FIELDS.contains(&name) || HOLDERS.contains(&name))
}

/// The list in JSON in the output.
fn output(write: Write) -> Option<Side> {
    let part = write.message.part_at(PartKind::Output)?;
    let text = &write.message.parts[part].text;
    match text.find(STATE) {
        Some(at) => side(write, part, at + STATE.len()),
        None => text.starts_with(['[', '{']).then(|| side(write, part, 0)).flatten(),
    }
}

/// The list as the producer stored it beside the output.
fn stored(write: Write) -> Option<Side> {
    let (_, json) = write.call.extra.iter().find(|(name, _)| *name == "todos")?;
    let partial = partial_json::read(json);
    let node = list_node(partial.node.as_ref()?)?;
    let items = members(node)?;
    let shown = items.iter().filter_map(|(group, n)| item::item(n, *group, false, |_, words| write.words(words)));
    Some(Side { shown: shown.collect(), complete: node.whole })
}

/// One side of a call.
pub(super) struct Side {
    pub shown: Vec<Shown>,
    complete: bool,
}

impl Side {
    fn is_whole(&self) -> bool {
        self.complete && self.shown.iter().all(|s| !s.content_cut && !s.status.cut)
    }

    fn list(self, known: Provenance) -> List {
        let items = self.shown.into_iter().filter(|s| !s.content.is_empty()).map(|s| s.item(known)).collect();
        List { items, complete: self.complete }
    }
}

/// A part from one of its bytes on.
fn side(write: Write, part: usize, from: usize) -> Option<Side> {
    let of = write.message.parts.get(part)?;
    if of.cut == Some(Cut::Placeholder) {
        return None;
    }
    let end = cut_end(of);
    let text = of.text.get(from..end)?;
    if markdown_list::begins_with_box(text) {
        return written_out(write, part, from..end);
    }
    let partial = partial_json::read(text);
    let json = partial.node.as_ref().and_then(list_node).and_then(|node| Some((node, members(node)?)));
    let Some((node, items)) = json else {
        return written_out(write, part, from..end);
    };
    // A text that breaks off in bare dots shows them as part of what it shows; a counted mark is the page's own.
    let dots = if cut_mark::counted(&of.text).is_none() { of.text.trim_end().len() } else { end };
    let cite = |span: ByteSpan, _: &str| {
        let span = span.shift(from);
        let to = if span.end == end { dots.max(end) } else { span.end };
        write.evidence(part, ByteSpan::new(span.start, to))
    };
    let shown = items.iter().filter_map(|(group, n)| item::item(n, *group, of.cut.is_some(), cite)).collect();
    Some(Side { shown, complete: node.whole })
}

/// Where the shown text ends: before the mark of the cut, if it is cut.
fn cut_end(part: &Part) -> usize {
    match part.cut {
        Some(Cut::End) => cut_mark::at_end(&part.text).map_or(part.text.len(), |mark| mark.start),
        _ => part.text.len(),
    }
}

/// A list written as lines: `[x] one`. A text without a character is a list without an item.
fn written_out(write: Write, part: usize, range: std::ops::Range<usize>) -> Option<Side> {
    let of = &write.message.parts[part];
    let text = of.text.get(range.clone())?;
    let entries = markdown_list::task_list(text);
    let emptied = of.kind == PartKind::Input && of.cut.is_none() && text.trim().is_empty();
    if entries.is_empty() && !emptied {
        return None;
    }
    let shown = entries.into_iter().map(|entry| Shown {
        content: entry.text.to_string(),
        content_cut: of.cut.is_some() && range.start + entry.span.end == range.end,
        status: ShownStatus { means: entry.status, raw: entry.mark.to_string(), cut: false },
        priority: None,
        id: None,
        group: entry.group.map(str::to_string),
        evidence: write.evidence(part, entry.span.shift(range.start)),
    });
    Some(Side { shown: shown.collect(), complete: of.cut.is_none() })
}

/// Lays input and output of one call together. The input is followed where they differ; the output fills in what the
/// input does not show.
fn merge(input: Side, output: Side) -> List {
    let complete = input.complete || output.complete;
    let with_text = |side: Vec<Shown>| side.into_iter().filter(|s| !s.content.is_empty());
    let mut output = with_text(output.shown);
    let mut items: Vec<TodoItem> = Vec::new();
    for mine in with_text(input.shown) {
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
    let (status, known) = match (mine.status.is_whole(), theirs.status.is_whole()) {
        (true, true) if mine.status.raw == theirs.status.raw => (mine.status, Provenance::Both),
        (true, _) => (mine.status, Provenance::Input),
        (false, true) => (theirs.status, Provenance::Output),
        (false, false) if theirs.status.raw.len() > mine.status.raw.len() => (theirs.status, Provenance::Output),
        (false, false) => (mine.status, Provenance::Input),
    };
    let priority = mine.priority.or(theirs.priority);
    let id = mine.id.or(theirs.id);
    let group = mine.group.or(theirs.group);
    Shown { content, content_cut, status, priority, id, group, evidence }.item(known)
}
