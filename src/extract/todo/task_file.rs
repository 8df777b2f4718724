//! A task list in a file of its own: `brain/<id>/task.md`, written whole and edited in place. Only the tools' own words
//! are followed; the file itself is no part of the log.

use super::{Write, markdown_list};
use crate::{
    base::span::ByteSpan,
    model::{
        message::Part,
        todo::{Provenance, TodoItem, TodoSnapshot, TodoSource},
    },
    text::partial_json,
};

/// Names of the field that holds the path.
const PATHS: &[&str] = &["TargetFile", "target_file", "file_path", "filePath", "path"];
/// Names of the field that holds the whole text.
const WHOLE: &[&str] = &["CodeContent", "content", "contents", "file_text"];
/// Names of the field that holds what is replaced.
const OLD: &[&str] = &["TargetContent", "old_string", "old_str"];
/// Names of the field that holds what takes its place.
const NEW: &[&str] = &["ReplacementContent", "new_string", "new_str"];
/// Name of the field that holds several replacements.
const SEVERAL: &str = "ReplacementChunks";

/// The file so far.
#[derive(Default)]
pub(super) struct TaskFile {
    text: String,
    /// Whether the text is all of it.
    whole: bool,
    items: Vec<TodoItem>,
}

impl TaskFile {
    /// Whether a call is about such a file.
    pub fn is_meant(write: Write) -> bool {
        let Some((_, path)) = write.input(PATHS) else { return false };
        let mut names = path.text.rsplit(['/', '\\']);
        names.next() == Some("task.md") && names.next().is_some() && names.next() == Some("brain")
    }

    /// Follows a write or an edit; the list after it, unless the call did neither.
    pub fn apply(&mut self, write: Write) -> Option<TodoSnapshot> {
        let source = if let Some((_, whole)) = write.input(WHOLE) {
            (self.text, self.whole) = (whole.text.clone(), whole.cut.is_none());
            TodoSource::FullList
        } else {
            let edits = edits(write)?;
            edits.into_iter().for_each(|(old, new)| self.edit(&old, &new));
            TodoSource::Folded
        };
        self.items = self.read(write);
        Some(TodoSnapshot {
            message: write.at,
            tool: write.call.name.clone(),
            source,
            items: self.items.iter().cloned().collect(),
            complete: self.whole,
        })
    }

    fn edit(&mut self, old: &str, new: &str) {
        match self.text.find(old).filter(|_| !old.is_empty()) {
            Some(at) => self.text.replace_range(at..at + old.len(), new),
            // The file is another than the log shows: only what was just written is known to stand in it.
            None => (self.text, self.whole) = (new.to_string(), false),
        }
    }

    fn read(&self, write: Write) -> Vec<TodoItem> {
        let entries = markdown_list::task_list(&self.text);
        let items = entries.into_iter().map(|entry| {
            let group = entry.group.map(str::to_string);
            let before = self
                .items
                .iter()
                .find(|item| item.content == entry.text && item.status_raw == entry.mark && item.group == group);
            let here = quoted(write, entry.text);
            match (here, before) {
                (None, Some(before)) => TodoItem { known: Provenance::Folded, ..before.clone() },
                (here, _) => TodoItem {
                    content: entry.text.to_string(),
                    content_cut: false,
                    status: entry.status,
                    status_raw: entry.mark.to_string(),
                    priority: None,
                    id: None,
                    group,
                    known: Provenance::Input,
                    evidence: here.unwrap_or_else(|| write.session.whole(write.at)),
                },
            }
        });
        items.collect()
    }
}

/// Where the new text of a call shows an item.
fn quoted(write: Write, words: &str) -> Option<crate::model::evidence::Evidence> {
    let (part, text) = write.input(WHOLE).or_else(|| write.input(NEW)).or_else(|| write.input(&[SEVERAL]))?;
    let at = text.text.find(words)?;
    Some(write.evidence(part, ByteSpan::new(at, at + words.len())))
}

/// The replacements of a call: what was, what is.
fn edits(write: Write) -> Option<Vec<(String, String)>> {
    let text = |found: Option<(usize, &Part)>| found.map(|(_, part)| part.text.clone());
    if let Some(new) = text(write.input(NEW)) {
        return Some(vec![(text(write.input(OLD)).unwrap_or_default(), new)]);
    }
    let (_, several) = write.input(&[SEVERAL])?;
    let partial = partial_json::read(&several.text);
    let one = |node: &partial_json::Node| {
        let field = |names: &[&str]| names.iter().find_map(|name| node.get(name)?.text().map(str::to_string));
        Some((field(OLD).unwrap_or_default(), field(NEW)?))
    };
    Some(partial.node?.list()?.iter().filter_map(one).collect())
}
