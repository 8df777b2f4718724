//! Commands that were asked for and never ran.

use std::sync::LazyLock;

use super::{Watch, end};
use crate::{
    infer::audit::ledger::Ledger,
    model::{
        audit::{LooseEnd, Shown},
        evidence::Evidence,
    },
    text::pattern::Regex,
};

/// A command that a request or an approved plan says to run, and that never ran.
pub static UNRUN: Watch = Watch {
    name: "asked-and-never-run",
    about: "A request or the approved plan says to run a command; no such command ran to the end of the log.",
    example: "\"Then run `make verify`.\" where `make verify` never ran and no text says so",
    limits: "A command that ran in another form (other flags, through a script); commands outside of code spans; earlier requests than the last one that names a command.",
    find,
};

/// `then run `, `- check it with `; not `when I run `.
static ORDERS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:^|[.;:!,-]|\b(?:please|and|then|also|must|should|always|to|finally|done))\W*(?:re-?)?(?:run|execute|verify|check|validate|test)(?: (?:it|that|this|everything|the \w+))?(?: (?:with|using|by running|via))?\W*$").expect("valid")
});

/// Headings below which a plan says how the work is checked.
static CHECKS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?im)^#{1,6} .*\b(?:verif\w*|validation|test(?:s|ing)?|how to check)\b").expect("valid")
});

/// What stands for something else in a command line: `<name>`, `{file}`, `…`.
const PLACES: [char; 5] = ['<', '{', '…', '*', '$'];

fn find(log: &Ledger) -> Vec<LooseEnd> {
    let missing = log.asked_for(log.last()).into_iter().filter(|command| ordered(log, command)).filter(|command| {
        let line = log.session.quoted(command);
        !line.contains(PLACES)
            && log.command(line, log.end()).is_none()
            && !log.tells(command.message(), |text| text.contains(line))
    });
    missing.map(|command| told_of(log, command)).collect()
}

fn told_of(log: &Ledger, command: Evidence) -> LooseEnd {
    let range = Shown::Searched(log.session.searched(command.message(), log.last()));
    let mut found = end(log, &UNRUN, command.clone(), "asked for; never run", range);
    found.log.push(log.session.whole(command.message()));
    found
}

/// Whether what stands before a command tells to run it.
fn ordered(log: &Ledger, command: &Evidence) -> bool {
    let Some((part, span)) = command.quote() else { return false };
    let before = &log.session.message(command.message()).parts[part].text[..span.start];
    let line = before.rsplit('\n').next().unwrap_or(before);
    let heading = before.rfind("\n#").map_or("", |at| before[at + 1..].lines().next().unwrap_or(""));
    ORDERS.is_match(line.trim_end_matches('`')) || CHECKS.is_match(heading)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_told_from_reports() {
        assert!(
            ORDERS.is_match("Then run ") && ORDERS.is_match("When done check with ") && ORDERS.is_match("1. Run: ")
        );
        assert!(!ORDERS.is_match("When I run ") && !ORDERS.is_match("It fails in "));
        assert!(CHECKS.is_match("## Verification") && !CHECKS.is_match("## Parser"));
    }
}
