//! Deletions of what was neither made nor looked at here.

use super::{Watch, end};
use crate::{
    base::{ids::MessageIdx, path::base_name},
    infer::audit::ledger::Ledger,
    model::{
        audit::{LooseEnd, Shown},
        facts::{FileAct, FileTouch},
    },
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
    found.omitted = !log.tells(f.message, |text| text.contains(base_name(&f.path)));
    found
}

/// Whether any earlier message names the file: it was looked at, then, or made.
fn named_before(log: &Ledger, f: &FileTouch) -> bool {
    let name = base_name(&f.path);
    let earlier = &log.session.messages[..f.message.at()];
    earlier.iter().flat_map(|msg| &msg.parts).any(|p| p.text.contains(name))
}
