//! That all is done, and that checks pass.

use std::{collections::BTreeSet, sync::LazyLock};

use super::{Judgement, Ledger, Rule, Statement, is_intent};
use crate::{
    base::ids::MessageIdx,
    model::{
        audit::{ClaimKind, Ruling},
        command::CommandRun,
        facts::FileAct,
        message::{MessageKind, PartKind, ToolKind},
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
    short: "",
    judge: asked,
};

/// That all is done, beside an open task list.
pub static OPEN: Rule = Rule {
    name: "done-with-open-items",
    kind: ClaimKind::Completion,
    about: "A text says that all is done; the last task list before it has items that are neither completed nor cancelled.",
    example: "\"All tasks are complete.\" where the last list shows one item pending: contradicted",
    limits: "A list that was left behind and never updated says nothing of the work; it is named, not weighed.",
    short: "the last task list before it has open items",
    judge: open,
};

/// That checks pass, before the last change.
pub static STALE: Rule = Rule {
    name: "checked-before-the-last-change",
    kind: ClaimKind::Test,
    about: "A report says that tests, lints or a build pass, or any text that they fail; the last such run stands before the last change of the code.",
    example: "\"All tests pass.\" where a file was edited after the last run: not shown",
    limits: "Changes of documents do not count; a change that no test can see does.",
    short: "",
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

/// `` `make check` ``, or a line of a fence.
static SPAN: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"`([^`\n]{4,100})`").expect("valid"));

fn asked(log: &Ledger, said: &Statement) -> Option<Judgement> {
    if !says_all_done(said) {
        return None;
    }
    let missing: Vec<String> = commands_asked_for(log, said.message)
        .into_iter()
        .filter(|command| {
            let words: Vec<&str> = command.split_whitespace().collect();
            log.command(&words, Some(said.message)).is_none()
        })
        .collect();
    let first = missing.first()?;
    let why = match missing.len() {
        1 => format!("`{first}` was asked for and never ran"),
        n => format!("{n} commands were asked for and never ran, `{first}` among them"),
    };
    Some(Judgement::new(Ruling::NotShown, why, vec![log.all_before(said.message)]))
}

/// Commands in code spans of the last request that holds some, or of the plan that was handed over: those whose program
/// ran in this session, with something behind it.
fn commands_asked_for(log: &Ledger, before: MessageIdx) -> Vec<String> {
    let programs: BTreeSet<&str> =
        log.ran(before).flat_map(|run| &run.parts).map(|part| part.program.as_str()).collect();
    let asks = |at: &MessageIdx| {
        let message = log.session.message(*at);
        message.kind == MessageKind::User || message.tool() == Some(ToolKind::Plan)
    };
    for at in log.session.indices().rev().filter(|at| *at < before).filter(asks) {
        let message = log.session.message(at);
        let kinds = [PartKind::Prose, PartKind::Input];
        let texts = message.parts.iter().filter(|part| kinds.contains(&part.kind));
        let spans =
            texts.flat_map(|part| SPAN.captures_iter(&part.text)).filter_map(|found| Some(found.get(1)?.as_str()));
        let known = |command: &str| {
            let mut words = command.split_whitespace();
            words.next().is_some_and(|program| programs.contains(program)) && words.next().is_some()
        };
        let commands = spans.flat_map(|span| span.split([';', '|', '&'])).map(|c| c.trim().trim_start_matches("$ "));
        let found: Vec<String> = commands.filter(|command| known(command)).map(str::to_owned).collect();
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
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
