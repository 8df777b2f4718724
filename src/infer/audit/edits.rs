//! Edits of files line by line: what each took out and what it put in.

use crate::model::{
    facts::{Facts, FileAct, FileTouch},
    message::{Message, PartKind},
    session::Session,
};

/// A change of a part of a file that went through.
pub struct Edit<'a> {
    /// The touch of the file that it is.
    pub touch: &'a FileTouch,
    /// Lines that stood there and do not any more, without their indentation.
    pub removed: Vec<&'a str>,
    /// Lines that stand there since.
    pub added: Vec<&'a str>,
}

/// Names of the fields that hold what is replaced and by what.
const REPLACED: &[&str] = &["old_string", "oldString", "old_str", "oldText"];
const PUT: &[&str] = &["new_string", "newString", "new_str", "newText"];

/// All edits whose words the log holds, in order.
pub fn of<'a>(session: &'a Session, facts: &'a Facts) -> Vec<Edit<'a>> {
    let edited = facts.files.iter().filter(|f| f.act == FileAct::Edited && f.succeeded);
    edited.filter_map(|touch| edit(session.message(touch.message), touch)).collect()
}

fn edit<'a>(message: &'a Message, touch: &'a FileTouch) -> Option<Edit<'a>> {
    let fields = replaced(message).map(|(old, new)| (lines(old), lines(new)));
    let (old, new) = fields.or_else(|| patched(message, &touch.path))?;
    let without = |lines: &[&'a str], other: &[&'a str]| {
        lines.iter().copied().filter(|line| !line.is_empty() && !other.contains(line)).collect()
    };
    Some(Edit { touch, removed: without(&old, &new), added: without(&new, &old) })
}

/// What an edit replaces and by what, where its fields hold both.
pub fn replaced(message: &Message) -> Option<(&str, &str)> {
    let field = |names: &[&str]| names.iter().find_map(|name| message.input(name));
    Some((field(REPLACED)?, field(PUT)?))
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).collect()
}

/// The lines of a patch that belong to a file.
fn patched<'a>(message: &'a Message, path: &str) -> Option<(Vec<&'a str>, Vec<&'a str>)> {
    let mut inputs = message.parts.iter().filter(|p| p.kind == PartKind::Input);
    let text = inputs.find(|p| p.text.contains("*** Update File: "))?.text.as_str();
    let (mut old, mut new, mut inside) = (Vec::new(), Vec::new(), false);
    for line in text.lines() {
        if let Some(head) = line.strip_prefix("*** ") {
            inside = head.strip_prefix("Update File: ").is_some_and(|named| named.trim() == path);
        } else if inside {
            match line.as_bytes().first() {
                Some(b'-') => old.push(line[1..].trim()),
                Some(b'+') => new.push(line[1..].trim()),
                _ => {}
            }
        }
    }
    Some((old, new))
}
