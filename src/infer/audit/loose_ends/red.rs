//! Checks that failed in their last run.

use std::sync::LazyLock;

use super::{Watch, end};
use crate::{
    base::ids::MessageIdx,
    infer::audit::ledger::Ledger,
    model::{
        audit::{LooseEnd, Shown},
        command::CommandRun,
        message::Exit,
    },
    text::pattern::Regex,
};

/// A check whose last run failed by its exit status.
pub static RED: Watch = Watch {
    name: "check-left-red",
    about: "Tests, a build or a lint failed in their last run, by the exit status of a command that ran nothing else.",
    example: "`make test` ends with 2 and is not run again",
    limits: "Checks behind a pipe or a `;`, and logs that record no exit status; a check under another name may have passed since.",
    find,
};

fn find(log: &Ledger) -> Vec<LooseEnd> {
    let mut last: Vec<(&str, &CommandRun)> = Vec::new();
    for run in log.facts.commands.iter().filter(|run| run.ran) {
        let Some(by) = run.only_check().map(|part| part.called.as_str()) else { continue };
        match last.iter_mut().find(|(known, _)| *known == by) {
            Some((_, known)) => *known = run,
            None => last.push((by, run)),
        }
    }
    let failed = |run: &CommandRun| {
        let message = log.session.message(run.end());
        let exit = message.call.as_ref().map(|call| call.exit);
        matches!(exit, Some(Exit::Code(code)) if code != 0) && !NOTHING.is_match(message.output())
    };
    // The call that a log ends with is told as that.
    let open = last.into_iter().filter(|(_, run)| failed(run) && run.end() != log.last());
    let told = log.last_telling(|text| FAILS.is_match(text));
    open.filter_map(|(by, run)| told_of(log, by, run, told)).collect()
}

fn told_of(log: &Ledger, by: &str, run: &CommandRun, told: Option<MessageIdx>) -> Option<LooseEnd> {
    let later = Shown::Searched(log.session.searched(run.end(), log.last()));
    let what = log.session.cite_words(run.message, by)?;
    let mut found = end(log, &RED, what, "failed in its last run, by its exit status", later);
    found.log.extend([log.session.whole(run.message), log.session.whole(run.end())]);
    found.omitted = told < Some(run.end());
    Some(found)
}

/// `no tests ran`: a status that says that there was nothing to check.
static NOTHING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\bno tests? (?:ran|found|files? found|to run)\b|\bcollected 0 items\b").expect("valid")
});

/// `two tests still fail`, `the build is broken`; not `no failures`
static FAILS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:fail(?:s|ed|ing|ures?)?|broken|errors?|red|crash(?:es|ed)?|timed? ?out|does(?:n['’]t| not) (?:build|compile|pass|work)|could(?:n['’]t| not)|unable|not installed|missing)\b|失败|错误|报错").expect("valid")
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tells_of_a_failure() {
        assert!(FAILS.is_match("Two tests still fail.") && FAILS.is_match("the build is broken"));
        assert!(!FAILS.is_match("All done, the parser is faster."));
    }
}
