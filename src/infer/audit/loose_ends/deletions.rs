//! Deletions of what was neither made nor looked at here.

use super::{Watch, end};
use crate::{
    base::{ids::MessageIdx, path::base_name},
    infer::audit::ledger::Ledger,
    model::{
        audit::{LooseEnd, Shown},
        facts::{FileAct, FileTouch},
    },
    text::terms::terms,
};

/// A file that was deleted and that nothing before made, listed or named.
pub static FOREIGN: Watch = Watch {
    name: "foreign-deletion",
    about: "A file was deleted that nothing shown before creates, lists or names.",
    example: "`rm -f build.py notes.txt` where no message before holds `notes.txt`",
    limits: "Paths behind variables and globs; what a script deletes; whether the file existed at all.",
    find,
};

fn find(log: &Ledger) -> Vec<LooseEnd> {
    let deleted = log.facts.files.iter().filter(|f| f.act == FileAct::Deleted && f.foreign && f.succeeded);
    deleted.filter(|f| !named_before(log, f)).map(|f| told_of(log, f)).collect()
}

fn told_of(log: &Ledger, f: &FileTouch) -> LooseEnd {
    let before = MessageIdx(f.message.0.saturating_sub(1));
    let range = Shown::Searched(log.session.searched(MessageIdx(0), before));
    let mut found = end(log, &FOREIGN, f.evidence.clone(), "deleted; nothing shown before creates or lists it", range);
    found.log.push(log.session.whole(f.message));
    // What is announced stands before the call.
    let from = MessageIdx(f.message.0.saturating_sub(2));
    found.omitted = !log.tells(from, |text| names(text, base_name(&f.path)));
    found
}

/// Whether a text names a file, by its name or by the words of it: "the old port list" is `old-port-list.md`.
fn names(text: &str, name: &str) -> bool {
    let words = terms(name.rsplit_once('.').map_or(name, |(stem, _)| stem));
    let parts = || words.iter().filter(|word| !word.contains(['-', '_', '.']));
    let said = terms(text);
    text.contains(name)
        || parts().count() > 1 && parts().filter(|word| said.contains(*word)).count() * 3 >= parts().count() * 2
}

/// Whether any earlier message names the file: it was looked at, then, or made.
fn named_before(log: &Ledger, f: &FileTouch) -> bool {
    let name = base_name(&f.path);
    let earlier = &log.session.messages[..f.message.at()];
    earlier.iter().flat_map(|msg| &msg.parts).any(|p| p.text.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_its_words() {
        assert!(names("The old port list is obsolete now.", "old-port-list.md") && names("rm a.txt", "a.txt"));
        assert!(!names("Clean up the list", "old-port-list.md") && !names("the framework", "framework.txt"));
    }
}
