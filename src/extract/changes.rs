//! What was changed between the last sight of a failure and the run that shows it gone: edits of files, packages,
//! environment and flags. What of it made the failure go is the reader's conclusion; whether it changed the work or only
//! what checks it is told with it.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    base::{ids::MessageIdx, path::base_name, span::ByteSpan},
    model::{
        command::{CommandRun, SimpleCommand},
        facts::{Change, ChangeOf, Facts, FileAct, FileTouch},
        message::ToolKind,
        session::Session,
    },
};

/// Most changes kept for one failure.
const MOST: usize = 6;

/// Classes of commands that no edit of an unnamed file is likely to mend.
const UNTOUCHED: &[&str] =
    &["vcs-write", "vcs-read", "publish", "http-probe", "web", "download", "clone", "pkg-install", "net-query"];

/// The stretch between the run that failed and the one that did not.
pub struct Stretch<'a> {
    /// The log.
    pub session: &'a Session,
    /// What was read off it so far.
    pub facts: &'a Facts,
    /// Last sight of the failure.
    pub failing: MessageIdx,
    /// The run that shows it gone.
    pub gone: MessageIdx,
}

impl Stretch<'_> {
    /// Everything that was changed, latest last. `same` says whether both runs are of one check.
    pub fn changes(&self, same: bool) -> Vec<Change> {
        let mut found = self.edits();
        found.extend(self.installs());
        if let Some((before, after)) = self.before().zip(self.after()).filter(|_| same) {
            found.extend(self.switches(before, after));
        }
        found.sort_by(|a, b| a.evidence.cmp(&b.evidence));
        found.split_off(found.len().saturating_sub(MOST))
    }

    fn before(&self) -> Option<&CommandRun> {
        self.facts.run_behind(self.failing)
    }

    fn after(&self) -> Option<&CommandRun> {
        self.facts.run_behind(self.gone)
    }

    /// The last edit of each file that the failing output or either command names; of any few files when none is named.
    /// An edit of a test is always among them: a test that passes because it was bent is another story.
    fn edits(&self) -> Vec<Change> {
        let line_of = |run: Option<&CommandRun>| run.map_or(String::new(), |r| r.line.clone());
        let output = self.session.message(self.failing).output();
        let shown = [output.to_string(), line_of(self.before()), line_of(self.after())];
        let mut latest: BTreeMap<&str, &FileTouch> = BTreeMap::new();
        let between =
            self.facts.files.iter().filter(|f| f.message > self.failing && f.message <= self.gone && f.succeeded);
        for touch in between.filter(|f| matches!(f.act, FileAct::Edited | FileAct::Written)) {
            let tool = matches!(self.session.message(touch.message).tool(), Some(ToolKind::Edit | ToolKind::Write));
            if tool || touch.message < self.gone && touch.act == FileAct::Edited {
                latest.insert(base_name(&touch.path), touch);
            }
        }
        let named = |name: &str| shown.iter().any(|s| s.contains(name));
        let untouched = self.before().is_some_and(|r| UNTOUCHED.contains(&r.class.0.as_str()));
        let any = !latest.keys().any(|name| named(name)) && latest.len() <= 3 && !untouched;
        let tested = self.before().is_some_and(tests);
        let chosen = latest.into_iter().filter(|(name, touch)| {
            named(name) || any && touch.act == FileAct::Edited || tested && is_test(&touch.path)
        });
        chosen.filter_map(|(name, touch)| self.edit(name, touch)).collect()
    }

    fn edit(&self, name: &str, touch: &FileTouch) -> Option<Change> {
        let (part, span) = touch.evidence.quote()?;
        let start = span.start + touch.path.trim_end_matches('/').len().checked_sub(name.len())?;
        let evidence = self.session.cite(touch.message, part, ByteSpan::new(start, start + name.len()))?;
        let of = match self.before() {
            _ if is_test(&touch.path) => ChangeOf::Test,
            Some(run) if runs(run, name) => ChangeOf::Script,
            _ => ChangeOf::Work,
        };
        Some(Change { message: touch.message, what: name.to_string(), evidence, of })
    }

    /// Packages installed between.
    fn installs(&self) -> Vec<Change> {
        let ran = self.facts.commands.iter().filter(|r| r.message > self.failing && r.message < self.gone && r.ran);
        let parts = ran.flat_map(|r| r.parts.iter().map(move |p| (r, p)));
        parts
            .filter(|(_, p)| p.class.0 == "pkg-install")
            .filter_map(|(run, part)| {
                let package = part.args.iter().rev().find(|a| !a.starts_with('-') && a.len() > 2)?;
                let evidence = self.session.cite_words(run.message, package)?;
                Some(Change { message: run.message, what: package.clone(), evidence, of: ChangeOf::Work })
            })
            .collect()
    }

    /// Environment and flags that the later run has and the failing one has not.
    fn switches(&self, before: &CommandRun, after: &CommandRun) -> Vec<Change> {
        let old: BTreeSet<String> = before.parts.iter().flat_map(settings).collect();
        let mut new: Vec<String> = after.parts.iter().flat_map(settings).filter(|s| !old.contains(s)).collect();
        new.dedup();
        let cite = |what: String| {
            let evidence = self.session.cite_words(after.message, &what)?;
            Some(Change { message: after.message, what, evidence, of: ChangeOf::Work })
        };
        new.into_iter().filter_map(cite).take(3).collect()
    }
}

/// Whether a command runs tests.
fn tests(run: &CommandRun) -> bool {
    run.parts.iter().any(|part| part.class.0 == "unit-test")
}

/// Whether a command runs a script of that name.
fn runs(run: &CommandRun, name: &str) -> bool {
    run.invocation.as_ref().is_some_and(|invocation| base_name(&invocation.by) == name)
}

/// Whether a path is that of a test, as the tools of the languages know them: `a_test.go`, `test_a.py`, `a.spec.ts`,
/// anything under `tests/`; not `latest.py`.
pub fn is_test(path: &str) -> bool {
    const FOLDERS: &[&str] = &["__tests__", "integration_test", "integration_tests", "spec", "specs", "test", "tests"];
    let name = base_name(path);
    let stem = name.split('.').next().unwrap_or(name);
    let marked = |mark: &str| name.split('.').skip(1).any(|part| part == mark);
    let folders = path.strip_suffix(name).unwrap_or("");
    stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_spec")
        || name.ends_with("Test.java")
        || name.ends_with("Tests.cs")
        || marked("test")
        || marked("spec")
        || folders.split(['/', '\\']).any(|folder| FOLDERS.contains(&folder))
}

/// Environment and flags of a command as they are written.
fn settings(part: &SimpleCommand) -> Vec<String> {
    let env = part.env.iter().map(|(name, value)| format!("{name}={value}"));
    let flags = part.args.windows(2).map(|w| (w[0].as_str(), Some(w[1].as_str())));
    let last = part.args.last().map(|a| (a.as_str(), None));
    let flags = flags.chain(last).filter(|(flag, _)| flag.starts_with("--") && flag.len() > 3);
    let flags = flags.map(|(flag, value)| match value {
        Some(value) if !flag.contains('=') && !value.starts_with('-') && !value.is_empty() => format!("{flag} {value}"),
        _ => flag.to_string(),
    });
    env.chain(flags).filter(|s| s.len() < 80).collect()
}

#[cfg(test)]
mod tests_of_paths {
    use super::is_test;

    #[test]
    fn tests_are_known_by_their_paths() {
        for path in ["a_test.go", "x/test_a.py", "a.spec.ts", "tests/it/a.rs", "src/__tests__/b.js", "ATest.java"] {
            assert!(is_test(path), "{path}");
        }
        for path in ["latest.py", "contest.go", "src/a.rs", "testing.md", "attest/a.py"] {
            assert!(!is_test(path), "{path}");
        }
    }
}
