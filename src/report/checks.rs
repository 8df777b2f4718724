//! The last check: which command of this session ran tests last, and how that run ended.
//!
//! Test counts that a file, a page or a text shows were counted by somebody else; a check is a command that ran here. What
//! a run says first may be green where its end is red: told is the verdict, from its exit status and all its counts. Where
//! the signs do not agree there is no verdict.

use super::Material;
use crate::model::{
    command::{CommandRun, SimpleCommand},
    evidence::Evidence,
    facts::{ChangeOf, Failure},
    message::Exit,
    metric::{PlacedQuality, failing},
};

/// The last run of a check, with its verdict.
pub struct Check<'a> {
    /// The run.
    pub run: &'a CommandRun,
    /// What of its line checked, where only one thing can be meant: `go test` of `go test ./... && golangci-lint run`.
    pub by: Option<&'a str>,
    /// How it ended.
    pub end: End,
    /// The line that says so, where the run printed one.
    pub line: Option<&'a Evidence>,
    /// What it counts in all, where that line says only a part of it: of a pass no zeros.
    pub counts: Vec<(&'a str, f64)>,
}

/// How a check ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// It counts passes, no failure, and no sign speaks against it; or its exit status says so, and it counts nothing.
    Passed,
    /// It counts failures.
    Failed,
    /// It counts none, and its exit status says that it failed.
    Status,
}

/// Classes of commands whose test counts are their own.
const CHECKS: &[&str] = &[
    "compile",
    "container-run",
    "eval-bench",
    "lint",
    "microbench",
    "script-run",
    "unit-test",
    "unknown",
    "vcs-write",
];

/// The last check of the stretch; `None` where there is none, and where the log does not tell how it ended.
pub fn last<'a>(m: &Material<'a>) -> Option<Check<'a>> {
    let ran = |run: &&CommandRun| run.ran && m.told(run.message) && m.told(run.end());
    let run = m.facts.commands.iter().filter(ran).rfind(|run| is_test(run) || !counts(m, run).is_empty())?;
    verdict(m, run)
}

/// Whether a command runs tests, whatever it prints.
fn is_test(run: &CommandRun) -> bool {
    run.parts.iter().any(|part| part.class.0 == "unit-test")
}

/// Whether a part of a command runs something that may check the work.
pub fn is_check(part: &SimpleCommand) -> bool {
    CHECKS.contains(&part.class.0.as_str())
}

/// What a run counted, by itself or in its polls.
fn counts<'a>(m: &Material<'a>, run: &CommandRun) -> Vec<&'a PlacedQuality> {
    if !run.parts.iter().any(is_check) {
        return Vec::new();
    }
    let own = |q: &&PlacedQuality| q.at.message == run.message || run.polls.contains(&q.at.message);
    m.facts.quality.iter().filter(own).collect()
}

fn verdict<'a>(m: &Material<'a>, run: &'a CommandRun) -> Option<Check<'a>> {
    let counted = counts(m, run);
    let exit = m.session.message(run.end()).call.as_ref()?.exit;
    let red = counted.iter().rfind(|q| failing(&q.counts) > 0.0);
    let shows =
        |f: &&Failure| !f.tooling && (f.seen.contains(&run.message) || f.seen.iter().any(|at| run.polls.contains(at)));
    let failure = m.facts.failures.iter().rfind(shows);
    let green = counted.iter().rfind(|q| q.counts.iter().any(|(name, n)| name.ends_with("passed") && *n > 0.0));
    // A test that passes since it, and not the work, was edited says nothing of the work.
    let bent = |f: &Failure| {
        f.gone == Some(run.end()) && !f.changes.is_empty() && f.changes.iter().all(|c| c.of != ChangeOf::Work)
    };
    let green = green.filter(|_| !m.facts.failures.iter().any(bent));
    let (end, line) = match (red, exit) {
        (_, Exit::Running) => return None,
        (Some(red), _) => (End::Failed, Some(&red.evidence)),
        (None, Exit::Code(0)) if failure.is_none() && counted.is_empty() && tells_by_status(run) => (End::Passed, None),
        (None, Exit::Code(0) | Exit::NotRecorded) if failure.is_none() => (End::Passed, Some(&green?.evidence)),
        (None, Exit::Code(0) | Exit::NotRecorded) => return None,
        // Behind a pipe or a `;` the status is that of another command.
        (None, _) if run.parts.iter().all(|part| part.status_hidden || !is_check(part)) => return None,
        (None, _) => (End::Status, failure.map(|f| &f.evidence)),
    };
    let counts = green.filter(|_| end == End::Passed).map_or(Vec::new(), |q| in_all(m, q));
    Some(Check { run, by: named(run), end, line, counts })
}

/// Whether the exit status of a run is that of its tests.
fn tells_by_status(run: &CommandRun) -> bool {
    run.parts.iter().filter(|part| part.class.0 == "unit-test").all(|part| !part.status_hidden && !part.background)
}

/// What a run counts in all, where the line that is quoted of it gives a part: of many packages each has a line.
fn in_all<'a>(m: &Material<'a>, counted: &'a PlacedQuality) -> Vec<(&'a str, f64)> {
    let line = m.session.quoted(&counted.evidence);
    let told = |n: f64| n <= 1.0 || line.split(|c: char| !c.is_ascii_digit()).any(|word| word.parse() == Ok(n));
    let all: Vec<(&str, f64)> =
        counted.counts.iter().filter(|(_, n)| *n > 0.0).map(|(name, n)| (name.as_str(), *n)).collect();
    let partly = all.iter().any(|(name, n)| name.ends_with("passed") && !told(*n));
    if partly { all } else { Vec::new() }
}

/// What of a line ran the tests, or else is the only thing in it that checks: what a line ends with may be another tool.
fn named(run: &CommandRun) -> Option<&str> {
    let tests = run.parts.iter().filter(|part| part.class.0 == "unit-test");
    let checks = run.parts.iter().filter(|part| is_check(part));
    let mut all: Vec<&str> = if is_test(run) {
        tests.map(|p| p.called.as_str()).collect()
    } else {
        checks.map(|p| p.called.as_str()).collect()
    };
    all.sort_unstable();
    all.dedup();
    <[&str; 1]>::try_from(all).ok().map(|[only]| only)
}
