//! Ticked boxes of reports: `- [x] I have run …`.

use std::sync::LazyLock;

use super::{Judgement, Ledger, Rule, Statement};
use crate::{
    model::{
        audit::{ClaimKind, Ruling},
        facts::{FileAct, FileTouch},
    },
    text::pattern::Regex,
};

/// A command that a ticked box says was run.
pub static RUN: Rule = Rule {
    name: "ticked-run",
    kind: ClaimKind::Command,
    about: "A ticked box says that a command was run; no such command stands before it.",
    example: "`- [x] I have run `make docs`` where `make docs` never ran, or ran only later: contradicted",
    limits: "A command that was run under another name (an alias, a script that calls it) is not seen.",
    against: "no such command ran before it",
    missing: "",
    judge: run,
};

/// Tests that a ticked box says were added.
pub static TESTS: Rule = Rule {
    name: "ticked-tests",
    kind: ClaimKind::Completion,
    about: "A ticked box says that tests were added; no file of tests was changed before it.",
    example: "`- [x] I have added tests` where no test file was touched: contradicted",
    limits: "Tests inside files of code are taken for none, unless the edit itself holds the word test.",
    against: "no file of tests was changed before it",
    missing: "",
    judge: tests,
};

/// A document that a ticked box says was read.
pub static READ: Rule = Rule {
    name: "ticked-read",
    kind: ClaimKind::Command,
    about: "A ticked box says that a document was read; nothing opened it before.",
    example: "`- [x] I have read CONTRIBUTING` where no call opened it: not shown",
    limits: "What a session before this one read is not known.",
    against: "",
    missing: "nothing opened it before",
    judge: read,
};

/// `- [x] I have run `make docs` to update …`
static RAN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:run|ran|executed)\b[^`\n]{0,30}`([^`\n]{2,80})`").expect("valid"));

/// `- [x] I have added tests that prove …`
static ADDED_TESTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:added|wrote|written|extended|updated)\b[^.\n]{0,30}\btests?\b").expect("valid")
});

/// `- [x] I have read the [CONTRIBUTING](…)`
static HAVE_READ: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\bread\b(?: and \w+)? (?:the |our |your )?[\[`*]*([A-Za-z][\w.-]{3,40})").expect("valid")
});

/// `#[test]`, `def test_sum(`, `func TestSum(`, `it("sums", …`
static TEST_CODE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"#\[(?:\w+::)?test\]|\bdef test_|\bfunc Test[A-Z]|\b(?:it|test|describe)\(["'`]|@Test\b|\bassert"#)
        .expect("valid")
});

/// The words of a ticked box.
fn ticked<'t>(said: &Statement<'t>) -> Option<&'t str> {
    let before = said.around[..said.span.start].trim_end();
    let ticked = before.ends_with("[x]") || before.ends_with("[X]");
    (ticked || said.text.starts_with("[x]") || said.text.starts_with("[X]")).then_some(said.text)
}

fn run(log: &Ledger, said: &Statement) -> Option<Judgement> {
    let found = RAN.captures(ticked(said)?)?;
    let command = found.get(1)?.as_str();
    if let Some(run) = log.command(command, said.message) {
        return Some(Judgement::new(Ruling::Supported, format!("`{command}` ran"), vec![run]));
    }
    let later = log.command(command, log.end());
    let why = if later.is_some() { format!("`{command}` first ran later") } else { format!("`{command}` never ran") };
    Some(Judgement::new(Ruling::Contradicted, why, vec![later.unwrap_or_else(|| log.all_before(said.message))]))
}

fn tests(log: &Ledger, said: &Statement) -> Option<Judgement> {
    if !ADDED_TESTS.is_match(ticked(said)?) {
        return None;
    }
    let of_tests = |path: &str| {
        let lower = path.to_lowercase();
        ["test", "spec", "fixture", "snap"].iter().any(|word| lower.contains(word))
    };
    if let Some(touch) = log.changed(said.message, of_tests) {
        return Some(Judgement::new(Ruling::Supported, "a file of tests was changed", vec![touch.evidence.clone()]));
    }
    // An edit of a file of code may add tests to it.
    let adds = |f: &FileTouch| log.session.message(f.message).parts.iter().any(|part| TEST_CODE.is_match(&part.text));
    let inside = log.first(("tests", ""), said.message, || {
        let adding = log.facts.files.iter().find(|f| f.act != FileAct::Read && adds(f));
        adding.map(|f| f.evidence.clone())
    });
    inside.is_none().then(|| {
        Judgement::new(Ruling::Contradicted, "no file of tests was changed before", vec![log.all_before(said.message)])
    })
}

fn read(log: &Ledger, said: &Statement) -> Option<Judgement> {
    let found = HAVE_READ.captures(ticked(said)?)?;
    let name = found.get(1)?.as_str();
    Some(match log.opened(name, said.message) {
        Some(place) => Judgement::new(Ruling::Supported, format!("{name} was opened"), vec![place]),
        None => Judgement::new(
            Ruling::NotShown,
            format!("nothing opened {name} before"),
            vec![log.all_before(said.message)],
        ),
    })
}
