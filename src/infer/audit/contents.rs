//! What is known of a file's content at a time: shown whole by a reading, written whole, and edited since in words that
//! the log holds. Whatever else may have touched it makes it unknown.

use std::sync::LazyLock;

use super::{
    edits,
    ledger::{Ledger, holds_word},
};
use crate::{
    base::{
        ids::MessageIdx,
        path::{base_name, same_file},
    },
    model::{
        command::CommandRun,
        facts::{FileAct, FileTouch},
        message::{Message, PartKind, ToolKind},
    },
    text::pattern::Regex,
};

/// A known content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Content {
    /// The text.
    pub text: String,
    /// The reading or writing that shows it whole.
    pub since: MessageIdx,
    /// The last edit after that, or the same message.
    pub last: MessageIdx,
}

/// The touches of a file before a message, by its path or the end of it.
pub fn touches<'a>(log: &Ledger<'a>, path: &str, before: MessageIdx) -> impl DoubleEndedIterator<Item = &'a FileTouch> {
    log.files_before(before).iter().filter(move |f| f.succeeded && same_file(&f.path, path))
}

/// The content of a file before a message; `None` where any of it is not known.
pub fn of(log: &Ledger, path: &str, before: MessageIdx) -> Option<Content> {
    // Back to the last sight of the whole, then forward through the edits since.
    let mut since = Vec::new();
    for touch in touches(log, path, before).rev() {
        let message = log.session.message(touch.message);
        let whole = match touch.act {
            FileAct::Edited => None,
            FileAct::Read => shown_whole(message),
            FileAct::Written => Some(written(message)?),
            FileAct::Restored | FileAct::Moved | FileAct::Deleted => return None,
        };
        if let Some(text) = whole {
            let content = Content { text, since: touch.message, last: touch.message };
            let known = since
                .into_iter()
                .rev()
                .try_fold(content, |content, at| edited(content, log.session.message(at), at))?;
            return Some(known).filter(|content| !disturbed(log, path, content.last, before));
        }
        if touch.act == FileAct::Edited {
            since.push(touch.message);
        }
    }
    None
}

/// Names of the fields that hold the whole of a new file.
const WHOLE: &[&str] = &["content", "file_text", "contents", "text"];

fn written(message: &Message) -> Option<String> {
    let tool = message.tool() == Some(ToolKind::Write) || message.input("file_text").is_some();
    let field = WHOLE.iter().find_map(|name| message.input_at(name)).filter(|_| tool)?;
    let part = &message.parts[field];
    part.cut.is_none().then(|| part.text.clone())
}

fn edited(content: Content, message: &Message, at: MessageIdx) -> Option<Content> {
    let (old, new) = edits::replaced(message)?;
    let all = message.input("replace_all").or(message.input("replaceAll")) == Some("true");
    let text = match content.text.contains(old) && !old.is_empty() {
        true if all => content.text.replace(old, new),
        true => content.text.replacen(old, new, 1),
        false => return None,
    };
    Some(Content { text, last: at, ..content })
}

/// Fields by which a reading asks for a part of a file.
const PARTLY: &[&str] =
    &["offset", "limit", "view_range", "start_line", "end_line", "startLine", "endLine", "line_range"];

/// Lines that a reading tool shows at most: behind that many there may be more.
const MOST: usize = 1990;

/// `  12→text`, `00012| text`, `12: text`
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^ *0*(\d+)(?:→|\t|: |:$|\| ?)(.*)$").expect("valid"));

/// The text of a file that a reading tool shows from its first line on without a cut.
fn shown_whole(message: &Message) -> Option<String> {
    let partly = PARTLY.iter().any(|name| message.input(name).is_some());
    let output = message.part(PartKind::Output).filter(|part| part.cut.is_none())?;
    if message.tool() != Some(ToolKind::Read) || partly {
        return None;
    }
    let mut lines = Vec::new();
    for line in output.text.lines() {
        match NUMBERED.captures(line) {
            Some(found) if found[1].parse() == Ok(lines.len() + 1) => lines.push(found.get(2)?.as_str().to_string()),
            // Before the first and behind the last line the tool speaks.
            None if lines.is_empty() || !line.starts_with(' ') => {}
            _ => return None,
        }
    }
    let more = output.text.contains("truncated") || output.text.contains("more lines");
    (!lines.is_empty() && lines.len() < MOST && !more).then(|| lines.join("\n") + "\n")
}

/// Whether a command after a message may have changed a file: it names it and does more than look, or moves the whole tree.
fn disturbed(log: &Ledger, path: &str, after: MessageIdx, before: MessageIdx) -> bool {
    let at = |message: MessageIdx| log.facts.commands.partition_point(|run| run.message < message);
    let between = log.facts.commands.get(at(after)..at(before)).unwrap_or_default();
    let ran = |run: &&CommandRun| after < run.message && run.ran;
    let looks = |class: &str| LOOKS.binary_search(&class).is_ok();
    between.iter().filter(ran).any(|run| {
        let names = holds_word(&run.line, base_name(path)) && run.parts.iter().any(|part| !looks(&part.class.0));
        names || TREE.is_match(&run.line)
    })
}

/// Classes of commands that leave files as they are; sorted.
const LOOKS: &[&str] = &[
    "compile",
    "copy",
    "diff",
    "help",
    "lint",
    "list",
    "noop",
    "read",
    "search",
    "time",
    "unit-test",
    "vcs-read",
    "vcs-write",
];

/// `git checkout main`, `cargo fmt`
static TREE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\bgit (?:checkout|switch|reset|stash|pull|merge|rebase|revert|restore|clean|apply|cherry-pick)\b|\bsed -i\b|\bpatch\b")
        .expect("valid")
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(LOOKS.is_sorted());
    }

    #[test]
    fn numbers_of_lines_are_told_from_lines() {
        let of = |line: &str| NUMBERED.captures(line).map(|c| (c[1].to_string(), c[2].to_string()));
        assert_eq!(of("   12→let a = 1;"), Some(("12".into(), "let a = 1;".into())));
        assert_eq!(of("00003| ## Micro"), Some(("3".into(), "## Micro".into())));
        assert_eq!(of("(End of file - total 5 lines)"), None);
        assert!(TREE.is_match("git checkout main") && !TREE.is_match("git commit -m x"));
    }
}
