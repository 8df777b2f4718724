//! What test runners say at their end: passed, failed, skipped. Quality, never performance. A runner that gives the
//! same counts twice (by suite and in all, by file and by test) is counted once.

use std::sync::LazyLock;

use crate::text::pattern::{Regex, RegexSet};
use regex::Captures;

use super::{
    clean::{Kind, Page},
    signs::DIGIT,
};

/// `2 passed; 0 failed; 1 ignored`, `1 failed, 209 passed, 3 skipped in 18.42s`
static COUNTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(\d{1,7}) (passed|failed|skipped|ignored|measured|errors?|xfailed|xpassed|deselected|todo|passing|failing|pending)\b")
        .expect("fixed pattern")
});

/// `209 passed in 18.42s`, `== 1 error in 0.31s ==`
static PYTEST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*=*\s*\d{1,7} \w+(?:, \d+ \w+)* in ([\d.]+)s(?: \([\d:]+\))?\s*=*$").expect("fixed pattern")
});

/// `# pass 2`, `ℹ fail 0`
static TAP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:#|ℹ)? *(pass|fail|skipped|cancelled|todo) (\d{1,7})$").expect("fixed pattern")
});

/// A line of a runner, and what its groups count. Where `total` is set, what it holds less the others passed.
struct Summary {
    like: &'static str,
    gives: &'static [(usize, &'static str)],
    total: usize,
}

const fn summary(like: &'static str, gives: &'static [(usize, &'static str)]) -> Summary {
    Summary { like, gives, total: 0 }
}

const fn of_total(like: &'static str, gives: &'static [(usize, &'static str)]) -> Summary {
    Summary { like, gives, total: 1 }
}

/// Whole lines, by runner. A row that gives nothing is known and passed over.
#[rustfmt::skip]
const SUMMARIES: &[Summary] = &[
    // Jest and Vitest say it of files too, Maven of every class before the whole.
    summary(r"(?:Test Suites|Test Files|Snapshots):?\s+.*", &[]),
    // How long the whole run took.
    summary(r"Duration\s+[\d.]+m?s \(transform .*\)", &[]),
    summary(r"Finished in [\d.]+ seconds? \(files took .*\)", &[]),
    summary(r"(?:\[\w+\] )?Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+, Time elapsed: .*", &[]),
    of_total(r"(?:\[\w+\] )?Tests run: (\d+), +Failures: (\d+)(?:, Errors: (\d+))?(?:, Skipped: (\d+))?", &[(2, "failed"), (3, "errors"), (4, "skipped")]),
    // Gradle, JUnit.
    of_total(r"(\d+) tests? completed(?:, (\d+) failed)?(?:, (\d+) skipped)?", &[(2, "failed"), (3, "skipped")]),
    summary(r"\[ +(\d+) tests successful +\]", &[(1, "passed")]),
    summary(r"\[ +(\d+) tests failed +\]", &[(1, "failed")]),
    summary(r"\[ +(\d+) tests skipped +\]", &[(1, "skipped")]),
    // CTest: its share of 100 is no count, the total is the third figure.
    summary(r"Total Test time \(real\) = +[\d.]+ sec", &[]),
    // RSpec, minitest.
    of_total(r"(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, (\d+) errors? occurred outside of examples)?", &[(2, "failed"), (3, "pending"), (4, "errors")]),
    of_total(r"(\d+) (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors, (\d+) skips", &[(2, "failed"), (3, "errors"), (4, "skipped")]),
    // PHPUnit, JUnit 4.
    summary(r"OK \((\d+) tests?(?:, \d+ assertions?)?\)", &[(1, "passed")]),
    of_total(r"Tests: (\d+), Assertions: \d+(?:, Errors: (\d+))?(?:, Failures: (\d+))?(?:, \w+: \d+)*?(?:, Skipped: (\d+))?\.", &[(2, "errors"), (3, "failed"), (4, "skipped")]),
    // .NET.
    summary(r"(?:Passed|Failed)!\s+- Failed:\s+(\d+), Passed:\s+(\d+), Skipped:\s+(\d+), Total:.*", &[(1, "failed"), (2, "passed"), (3, "skipped")]),
    // GoogleTest.
    summary(r"\[ +PASSED +\] (\d+) tests?\.", &[(1, "passed")]),
    summary(r"\[ +FAILED +\] (\d+) tests?, listed below:", &[(1, "failed")]),
    summary(r"\[ +SKIPPED +\] (\d+) tests?, listed below:", &[(1, "skipped")]),
    // Mocha, Bun, Playwright: a line each.
    summary(r"(\d+) passing(?: \(.*\))?", &[(1, "passed")]),
    summary(r"(\d+) failing", &[(1, "failed")]),
    summary(r"(\d+) pending", &[(1, "pending")]),
    summary(r" +(\d+) pass", &[(1, "passed")]),
    summary(r" +(\d+) fail", &[(1, "failed")]),
    summary(r" +(\d+) skip", &[(1, "skipped")]),
    summary(r"  +(\d+) failed", &[(1, "failed")]),
    summary(r"  +(\d+) flaky", &[(1, "flaky")]),
    summary(r"  +(\d+) skipped", &[(1, "skipped")]),
    // Packages of `go test`: without -v it names no tests.
    summary(r"(ok)\s+[\w./~-]+\s+(?:[\d.]+s|\(cached\))(?:\s+coverage: .*|\s+\[no tests to run\])?", &[(1, "packages passed")]),
    summary(r"(FAIL)\t[\w./~-]+(?:\s+[\d.]+s|\s+\[(?:build|setup) failed\])", &[(1, "packages failed")]),
];

/// `99% tests passed, 1 tests failed out of 120`
static CTEST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*\d+% tests passed, (\d{1,7}) tests? failed out of (\d{1,7})\s*$").expect("fixed pattern")
});

/// `Ran 12 tests in 0.004s`
static RAN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^Ran (\d{1,7}) tests? in ([\d.]+)s$").expect("fixed pattern"));

/// `OK`, `OK (skipped=1)`, `FAILED (failures=2, errors=1)`
static OUTCOME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:OK|FAILED)(?: \((\w[\w ]*=\d+(?:, \w[\w ]*=\d+)*)\))?$").expect("fixed pattern"));

/// `--- FAIL: TestRoute (0.02s)`
static GO: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^--- (PASS|FAIL|SKIP): \S+ \([\d.]+s\)$").expect("fixed pattern"));

static PATTERNS: LazyLock<(RegexSet, Vec<Regex>)> = LazyLock::new(|| {
    let all: Vec<String> = SUMMARIES.iter().map(|s| format!(r"^\s*?(?:{})\s*$", s.like)).collect();
    let each = all.iter().map(|p| Regex::new(p).expect("fixed pattern")).collect();
    (RegexSet::new(&all).expect("fixed patterns"), each)
});

/// Words of which at least one stands in every line that is counted here.
#[rustfmt::skip]
pub const MARKS: &[&str] = &[
    " pass", " fail", " skip", " ignored", " measured", " error", " xfailed", " xpassed", " deselected", " todo",
    " pending", " flaky", " successful", " completed", "pass ", "fail ", "skipped ", "cancelled ", "todo ",
    "Test Suites", "Test Files", "Snapshots", "Total Test time", "Tests run: ", "Tests: ", "(transform ", "(files took ",
    "Failed:", "PASSED", "FAILED", "SKIPPED", "OK (", "FAIL\t", "--- FAIL: ", "--- PASS: ", "--- SKIP: ", "Ran ",
    "ok ", "ok\t",
];

/// Whether a text without a digit counts something all the same: `ok  x.org/a  (cached)`.
pub fn in_words_alone(text: &str) -> bool {
    text.lines().any(|line| (line.starts_with("ok") || line.starts_with("FAIL\t")) && known(line, &mut Vec::new()))
}

/// Adds the counts of a line that has a mark; true when it has some.
pub fn read(page: &Page, line: usize, counts: &mut Vec<(String, f64)>) -> bool {
    let text = page.text(line);
    let counted = page.signs(line).any(DIGIT) || text.starts_with(['o', 'F']);
    if page.kind(line) != Kind::Text || text.len() > 300 || !counted {
        return false;
    }
    known(text, counts) || in_words(text, counts) || of_unittest(page, line, counts)
}

/// A line of one runner's own.
fn known(text: &str, counts: &mut Vec<(String, f64)>) -> bool {
    if let Some(found) = CTEST.captures(text) {
        let (failed, total) = (figure(&found, 1), figure(&found, 2));
        sum(counts, "passed", (total - failed).max(0.0));
        sum(counts, "failed", failed);
        return true;
    }
    if let Some(found) = GO.captures(text) {
        sum(counts, named(&found[1].to_lowercase()), 1.0);
        return true;
    }
    let (set, each) = &*PATTERNS;
    let Some(at) = set.matches(text).iter().next() else { return false };
    let (row, Some(found)) = (&SUMMARIES[at], each[at].captures(text)) else { return false };
    let told = row.gives.iter().filter(|(group, _)| found.get(*group).is_some());
    let told: Vec<(&str, f64)> = told.map(|(group, name)| (*name, figure(&found, *group))).collect();
    if row.total > 0 {
        let others: f64 = told.iter().map(|t| t.1).sum();
        sum(counts, "passed", (figure(&found, row.total) - others).max(0.0));
    }
    told.into_iter().for_each(|(name, n)| sum(counts, name, n));
    true
}

/// A count; a word in its place stands for one.
fn figure(found: &Captures, group: usize) -> f64 {
    found.get(group).and_then(|m| m.as_str().parse().ok()).unwrap_or(1.0)
}

/// Counts with their words, where the line says that they are of tests.
fn in_words(text: &str, counts: &mut Vec<(String, f64)>) -> bool {
    let mut all = Vec::new();
    for one in COUNTS.captures_iter(text) {
        add(&mut all, &one[2], &one[1]);
    }
    let pytest = PYTEST.captures(text).filter(|_| !all.is_empty());
    let told = ["passed", "passing", "test", "Test", "=="].iter().any(|w| text.contains(w)) || pytest.is_some();
    let summary = !all.is_empty() && told;
    if summary {
        all.iter().for_each(|(name, n)| sum(counts, name, *n));
        pytest.into_iter().for_each(|found| sum(counts, "duration_s", figure(&found, 1)));
    }
    match TAP.captures(text) {
        Some(one) if !summary => add(counts, &one[1], &one[2]),
        _ => summary,
    }
}

/// Python's `unittest` says how many ran, and below how many of them did not pass.
fn of_unittest(page: &Page, line: usize, counts: &mut Vec<(String, f64)>) -> bool {
    let Some(ran) = RAN.captures(page.text(line)) else { return false };
    let outcome = (line + 1..line + 4).find_map(|at| OUTCOME.captures(page.text(at)));
    let Some(outcome) = outcome else { return false };
    let mut passed = figure(&ran, 1);
    for pair in outcome.get(1).map_or("", |m| m.as_str()).split(", ").filter_map(|pair| pair.split_once('=')) {
        let n = pair.1.parse().unwrap_or(0.0);
        passed -= n;
        sum(counts, if pair.0 == "failures" { "failed" } else { pair.0 }, n);
    }
    sum(counts, "passed", passed.max(0.0));
    sum(counts, "duration_s", figure(&ran, 2));
    true
}

fn add(counts: &mut Vec<(String, f64)>, word: &str, figure: &str) -> bool {
    let Ok(value) = figure.parse::<f64>() else { return false };
    sum(counts, named(word), value);
    true
}

/// One word for what runners call differently.
fn named(word: &str) -> &str {
    match word {
        "pass" | "passing" => "passed",
        "fail" | "failing" => "failed",
        "skip" => "skipped",
        "error" => "errors",
        other => other,
    }
}

/// Adds to the count of a name.
pub fn sum(counts: &mut Vec<(String, f64)>, name: &str, value: f64) {
    match counts.iter_mut().find(|(n, _)| n == name) {
        Some((_, sum)) => *sum += value,
        None => counts.push((name.to_string(), value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::bench::marks::Marks;

    fn counts(text: &str) -> String {
        let page = Page::new(text);
        let mut counts = Vec::new();
        let marks = Marks::find(text, &page);
        for line in (0..page.lines.len()).filter(|line| marks.of_runner(*line)) {
            read(&page, line, &mut counts);
        }
        counts.iter().map(|(name, n)| format!("{n} {name}")).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn sums_over_binaries() {
        let text = "test result: ok. 2 passed; 0 failed; 1 ignored\ntest result: ok. 3 passed; 0 failed\n";
        assert_eq!(counts(text), "5 passed, 0 failed, 1 ignored");
        assert!(!COUNTS.is_match("12 failures were passed on"));
        assert!(!TAP.is_match("passed 2 cars"));
    }

    #[test]
    fn every_runner_is_counted_once() {
        for (text, want) in [
            ("== 1 failed, 9 passed in 1.50s ==\n", "1 failed, 9 passed, 1.5 duration_s"),
            ("1 error in 0.31s\n", "1 errors, 0.31 duration_s"),
            (
                "Test Suites: 1 failed, 2 passed, 3 total\nTests:       1 failed, 4 passed, 5 total\n",
                "1 failed, 4 passed",
            ),
            (" Test Files  2 passed (2)\n      Tests  7 passed | 1 skipped (8)\n", "7 passed, 1 skipped"),
            ("  12 passing (30ms)\n  2 failing\n", "12 passed, 2 failed"),
            ("99% tests passed, 1 tests failed out of 120\n", "119 passed, 1 failed"),
            (
                "Tests run: 4, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in A\nTests run: 9, Failures: 1, Errors: 0, Skipped: 2\n",
                "6 passed, 1 failed, 0 errors, 2 skipped",
            ),
            ("14 examples, 2 failures, 1 pending\n", "11 passed, 2 failed, 1 pending"),
            (
                "--- FAIL: TestA (0.01s)\nFAIL\tx.org/a\t0.1s\nok  \tx.org/b\t0.2s\n",
                "1 failed, 1 packages failed, 1 packages passed",
            ),
            (
                "Ran 5 tests in 0.01s\n\nFAILED (failures=1, errors=1)\n",
                "1 failed, 1 errors, 3 passed, 0.01 duration_s",
            ),
            ("# pass 2\n# fail 0\n", "2 passed, 0 failed"),
            ("ok  \tx.org/a\t(cached)\nok  \tx.org/b\t(cached)\n", "2 packages passed"),
            ("ok then 5 of them\nit is 12 pending reviews\n", ""),
        ] {
            assert_eq!(counts(text), want, "{text}");
        }
    }

    #[test]
    fn what_is_no_summary() {
        assert!(!CTEST.is_match("50% passed"));
        assert!(!RAN.is_match("Ran 5 laps in 3s"));
        assert!(!OUTCOME.is_match("OK, done"));
        assert!(!GO.is_match("    --- PASS: TestA/b (0.00s)"));
        assert!(!PYTEST.is_match("built in 3.1s"));
    }
}
