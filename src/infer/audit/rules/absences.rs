//! That something is nowhere, was there before, or was put elsewhere.

use std::sync::LazyLock;

use super::{Judgement, Ledger, Rule, Statement, is_intent};
use crate::{
    model::{
        audit::{ClaimKind, Ruling},
        command::CommandRun,
        message::Message,
    },
    text::pattern::Regex,
};

/// Something that is said to have been there before.
pub static PRE_EXISTING: Rule = Rule {
    name: "pre-existing",
    kind: ClaimKind::File,
    about: "A fault or a piece of code is called older than the change; nothing looked at the state before.",
    example: "\"These warnings are pre-existing.\" without a run or a look at the code of before: not shown",
    limits: "A look at the history counts, whatever it looked at.",
    against: "",
    missing: "nothing looked at the state before",
    judge: pre_existing,
};

/// Something that is said to have been filed.
pub static FILED: Rule = Rule {
    name: "filed",
    kind: ClaimKind::Command,
    about: "An issue or a follow-up is called filed; no call files one.",
    example: "\"Filed as a follow-up.\" without a call that makes an issue: not shown",
    limits: "A call of any time counts, for whatever it was made.",
    against: "",
    missing: "no call makes an issue or a ticket",
    judge: filed,
};

/// That nothing does something, without a search.
pub static UNSEARCHED: Rule = Rule {
    name: "unsearched",
    kind: ClaimKind::Absence,
    about: "Something in a code span is said to be nowhere, or done by nobody; nothing searched for it.",
    example: "\"Nothing tests `flush_all`.\" where no search names it: not shown",
    limits: "A search counts wherever it looked.",
    against: "",
    missing: "no search names it",
    judge: unsearched,
};

/// `pre-existing`, `not introduced in this PR`, `not related to my changes`
static OLDER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:pre-?existing|not introduced (?:in|by) (?:this|our|my)|(?:not|un)[ -]?related to (?:this|our|my) change|not part of this (?:PR|change)|already (?:failing|broken) before|was there from (?:day one|the start))").expect("valid")
});

/// Programs and options that look at a state before.
const HISTORY: &[&str] = &[
    "git blame",
    "git stash",
    "git worktree",
    "git show",
    "git log -S",
    "git log -p",
    "git checkout",
    "git switch",
    "git diff main",
    "git diff origin",
    "git diff master",
];

fn pre_existing(log: &Ledger, said: &Statement) -> Option<Judgement> {
    let found = OLDER.find(said.text)?;
    if is_intent(said.text) {
        return None;
    }
    let looks = |run: &CommandRun| HISTORY.iter().any(|words| run.line.contains(words));
    let looked = log.first(("history", ""), said.message, || log.first_run(looks));
    looked.is_none().then(|| {
        let why = format!("\"{}\": nothing looked at the state before", found.as_str());
        Judgement::new(Ruling::NotShown, why, vec![log.all_before(said.message)]).by(said, [found.range()])
    })
}

/// `Filed as a follow-up`, `opened an issue for it`
static FILED_IT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:filed (?:as|an?|it|this)|(?:opened|created|raised) an? (?:issue|ticket|bug report))\b")
        .expect("valid")
});

fn filed(log: &Ledger, said: &Statement) -> Option<Judgement> {
    let found = FILED_IT.find(said.text)?;
    if is_intent(said.text) {
        return None;
    }
    let issue = |text: &str| text.contains("issue create") || text.contains("/issues");
    let called = log.first(("issue", "command"), log.end(), || log.first_run(|run| issue(&run.line)));
    let by_name = |m: &Message| m.call.as_ref().is_some_and(|call| call.name.to_lowercase().contains("issue"));
    let by_tool = log.first(("issue", "tool"), log.end(), || log.first_message(by_name));
    (called.is_none() && by_tool.is_none()).then(|| {
        let why = format!("\"{}\": no call makes an issue or a ticket", found.as_str());
        Judgement::new(Ruling::NotShown, why, vec![log.all_before(said.message)]).by(said, [found.range()])
    })
}

/// `nothing tested that `x` …`, `nobody calls `x``
static NOWHERE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:nothing(?: else)?|nobody|no one|no other \w+|nowhere)\b[^`\n]{0,60}`([A-Za-z_][\w:.]{3,60})(?:\(\))?`").expect("valid")
});

fn unsearched(log: &Ledger, said: &Statement) -> Option<Judgement> {
    let found = NOWHERE.captures(said.text)?;
    let name = found.get(1)?;
    if is_intent(said.text) || log.searched_for(name.as_str(), said.message) {
        return None;
    }
    let why = format!("no search names `{}`", name.as_str());
    Some(Judgement::new(Ruling::NotShown, why, vec![log.all_before(said.message)]).by(said, [name.range()]))
}
