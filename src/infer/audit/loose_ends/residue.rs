//! Comments that a change left behind when it was taken back.

use std::sync::LazyLock;

use super::{Watch, end};
use crate::{
    base::path::same_file,
    infer::audit::{edits::Edit, ledger::Ledger},
    model::{
        audit::{LooseEnd, Shown},
        evidence::Evidence,
        facts::FileAct,
    },
    text::pattern::Regex,
};

/// A comment that speaks of what is gone.
pub static RESIDUE: Watch = Watch {
    name: "left-by-a-reverted-change",
    about: "A comment came with a change and names something of it; a later edit took out every other line that names it, and the last reading of the file still shows the comment.",
    example: "`# one pass over the Ring-Buffer` where the ring buffer was given up again",
    limits: "Only comments, only names of two capitals with a hyphen between (a plain word may mean anything), only files that are read after the later edit.",
    find,
};

/// `Tensor-Core`; not `re-use`.
static NAME: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b[A-Z][A-Za-z0-9]+-[A-Z][A-Za-z0-9]+\b").expect("valid"));

/// How lines of comments begin.
const MARKS: &[&str] = &["#", "//", "--", "/*", "* ", ";;", "%"];

fn is_comment(line: &str) -> bool {
    MARKS.iter().any(|mark| line.starts_with(mark)) && !line.starts_with("#include") && !line.starts_with("#define")
}

fn find(log: &Ledger) -> Vec<LooseEnd> {
    let edits = log.edits();
    let mut found: Vec<LooseEnd> = Vec::new();
    for (at, first) in edits.iter().enumerate() {
        for comment in first.added.iter().filter(|line| is_comment(line)) {
            let named = NAME.find(comment).map(|name| name.as_str());
            let left = named.and_then(|name| left_over(log, &edits[at..], comment, name));
            found.extend(left);
        }
    }
    found
}

/// The comment in the last reading of its file, where the first of the edits brought it and a later one took the rest.
fn left_over(log: &Ledger, edits: &[Edit], comment: &str, name: &str) -> Option<LooseEnd> {
    let (first, later) = edits.split_first()?;
    let mut here = later.iter().filter(|edit| same_file(&edit.touch.path, &first.touch.path)).peekable();
    let names = |line: &&&str| line.contains(name) && **line != comment;
    let others: Vec<&&str> = first.added.iter().filter(names).collect();
    let gone = |line: &&&str, by: &[&Edit]| by.iter().any(|edit| edit.removed.contains(*line));
    here.peek()?;
    let here: Vec<&Edit> = here.collect();
    let back = here.iter().rposition(|edit| edit.removed.iter().any(|line| others.contains(&line)))?;
    let stays = here.iter().any(|edit| edit.removed.contains(&comment) || edit.added.iter().any(|l| l.contains(name)));
    if others.is_empty() || stays || !others.iter().all(|line| gone(line, &here)) {
        return None;
    }
    let reverted = here[back].touch;
    let seen = last_sight(log, here[back], comment, name)?;
    let mut found = end(log, &RESIDUE, seen.clone(), "left over from what was taken back", Shown::Nothing);
    found.log = vec![seen, log.session.whole(first.touch.message), log.session.whole(reverted.message)];
    found.why = format!("names {name}, which came with it and was taken out; it still stands in the last reading");
    Some(found)
}

/// Where the last reading of a file after an edit shows a line, and the name in no line that is no comment.
fn last_sight(log: &Ledger, edit: &Edit, line: &str, name: &str) -> Option<Evidence> {
    let same = |path: &str| same_file(path, &edit.touch.path);
    let later = || log.facts.files.iter().filter(|f| f.message > edit.touch.message && f.succeeded && same(&f.path));
    if later().any(|f| !matches!(f.act, FileAct::Read | FileAct::Edited)) {
        return None;
    }
    let read = later().rfind(|f| f.act == FileAct::Read)?;
    let output = log.session.message(read.message).output();
    let alone = output.lines().filter(|l| l.contains(name)).all(|l| l.contains(line));
    log.session.cite_words(read.message, line).filter(|_| alone && output.contains(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_words() {
        assert!(NAME.is_match("# via Tensor-Core dot") && !NAME.is_match("# re-use it, non-null"));
        assert!(is_comment("# a") && is_comment("// a") && !is_comment("#include <a>") && !is_comment("a = 1"));
    }
}
