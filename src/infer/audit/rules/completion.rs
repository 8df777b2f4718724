//! That all is done, and that checks pass.

use std::sync::LazyLock;

use super::{Judgement, Ledger, Rule, Statement, is_intent};
use crate::{
    model::{
        audit::{ClaimKind, Ruling},
        command::CommandRun,
        facts::FileAct,
        todo::TodoStatus,
    },
    text::pattern::Regex,
};

/// That all is done, beside what was asked to be run and never was.
pub static ASKED: Rule = Rule {
    name: "asked-and-not-run",
    kind: ClaimKind::Completion,
    about: "A text says that all is done; the user or the approved plan named a command to run that never ran.",
    example: "\"All done.\" where the plan says to check with `app export --dry-run` and nothing ran it: not shown",
    limits: "A command that ran in another form (other flags, through a script) is taken for not run; only commands in code spans and fences count.",
    against: "",
    missing: "a command that was asked for never ran",
    judge: asked,
};

/// That all is done, beside an open task list.
pub static OPEN: Rule = Rule {
    name: "done-with-open-items",
    kind: ClaimKind::Completion,
    about: "A text says that all is done; the last task list before it has items that are neither completed nor cancelled.",
    example: "\"All tasks are complete.\" where the last list shows one item pending: contradicted",
    limits: "A list that was left behind and never updated says nothing of the work; it is named, not weighed.",
    against: "the last task list before it has open items",
    missing: "",
    judge: open,
};

/// That checks pass, before the last change.
pub static STALE: Rule = Rule {
    name: "checked-before-the-last-change",
    kind: ClaimKind::Test,
    about: "A report says that tests, lints or a build pass, or any text that they fail; the last such run stands before the last change of the code.",
    example: "\"All tests pass.\" where a file was edited after the last run: not shown",
    limits: "Changes of documents do not count; a change that no test can see does.",
    against: "",
    missing: "the last run of a check stands before the last change",
    judge: stale,
};

/// `All done.`, `Everything is complete`, `全部完成`
static ALL_DONE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\W*(?:all (?:tasks |items |steps |of it |changes )?(?:are |is )?(?:done|complete|completed|finished)|everything(?:'s| is) (?:done|complete|in place)|all \w+ (?:tasks|items|steps) (?:are )?(?:done|complete|completed))\b|全部完成|所有任务已完成").expect("valid")
});

fn says_all_done(said: &Statement) -> bool {
    said.reports && ALL_DONE.is_match(said.text) && !is_intent(said.text)
}

fn open(log: &Ledger, said: &Statement) -> Option<Judgement> {
    if !says_all_done(said) {
        return None;
    }
    let list = log.facts.todos.iter().rfind(|list| list.message < said.message)?;
    let unfinished = |status: &TodoStatus| matches!(status, TodoStatus::Pending | TodoStatus::InProgress);
    let left = list.items.iter().filter(|item| unfinished(&item.status)).count();
    (left > 0).then(|| {
        let why = format!("the last task list before it has {left} open");
        Judgement::new(Ruling::Contradicted, why, vec![log.session.whole(list.message)])
    })
}

fn asked(log: &Ledger, said: &Statement) -> Option<Judgement> {
    if !says_all_done(said) {
        return None;
    }
    let asked = log.asked_for(said.message);
    let missing: Vec<&str> = asked
        .iter()
        .map(|command| log.session.quoted(command))
        .filter(|command| log.command(command, said.message).is_none())
        .collect();
    let first = missing.first()?;
    let why = match missing.len() {
        1 => format!("`{first}` was asked for and never ran"),
        n => format!("{n} commands were asked for and never ran, `{first}` among them"),
    };
    Some(Judgement::new(Ruling::NotShown, why, vec![log.all_before(said.message)]))
}

/// `All tests pass`, `lint is clean`, `the build succeeds`
static PASSES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:tests?|test suite|checks?|lint(?:s|ing)?|build|ci)\b[^.\n]{0,30}\b(?:pass(?:es|ed)?|passing|green|clean|succeed(?:s|ed)?)\b").expect("valid")
});

/// `the compilation has issues`, `tests still fail`
static FAILS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:tests?|checks?|build|compilation|lint)\b[^.\n]{0,20}\b(?:fails?|failing|has issues|have issues|is broken|crash(?:es)?)\b").expect("valid")
});

/// Classes of commands that check.
const CHECKS: &[&str] = &["unit-test", "compile", "lint"];

fn stale(log: &Ledger, said: &Statement) -> Option<Judgement> {
    let told = said.reports && PASSES.is_match(said.text) || FAILS.is_match(said.text);
    if !told || is_intent(said.text) {
        return None;
    }
    let checks = |run: &&CommandRun| run.parts.iter().any(|p| CHECKS.contains(&p.class.0.as_str()));
    let last = log.ran(said.message).find(checks)?;
    let code = |path: &str| {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        !matches!(ending, "md" | "txt" | "rst" | "log" | "json" | "yml" | "yaml" | "toml" | "lock")
    };
    let mut changes = log.facts.files.iter().rev().filter(|f| f.message < said.message);
    let change =
        changes.find(|f| matches!(f.act, FileAct::Edited | FileAct::Written) && f.succeeded && code(&f.path))?;
    (change.message > last.end()).then(|| {
        let why = "the last run of a check stands before the last change";
        Judgement::new(Ruling::NotShown, why, vec![log.session.whole(last.message), change.evidence.clone()])
    })
}
