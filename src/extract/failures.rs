//! Failures, from their first sight to the change after which they were gone.
//!
//! A failure is an error line in a tool's output (forms in `error_lines`), known again by its signature. It is gone when
//! the same check later ends well without it, or ends otherwise and later well; what was changed between the last sight
//! and that run is told, what changed it is not: that is the reader's conclusion. Source code, listings, diffs and
//! documents that are read hold the word error for other reasons and are not searched.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use crate::text::pattern::Regex;

use super::{
    Extractor,
    changes::Stretch,
    error_lines::{ErrorLine, Weight, error_lines, last_line, line_at, signature},
    sentence_cues::STATEMENTS,
};
use crate::{
    base::{ids::MessageIdx, path::base_name, span::ByteSpan},
    model::{
        command::{CommandRun, SimpleCommand},
        evidence::Evidence,
        facts::{Change, Facts, Failure, StatementKind},
        message::{Exit, Message, MessageKind, PartKind, ToolKind},
        session::Session,
    },
    text::{
        harness::{self, printed},
        sentence::sentences,
        terms::terms,
    },
};

/// See the module.
pub struct Failures;

impl Extractor for Failures {
    fn name(&self) -> &'static str {
        "failures"
    }

    fn about(&self) -> &'static str {
        "Failures, from their first sight to the change after which they were gone"
    }

    fn run(&self, session: &Session, facts: &mut Facts) {
        let ledger = Ledger::of(session, facts);
        facts.failures = ledger.failures();
    }
}

/// Most error lines taken from one output.
const MOST: usize = 24;
/// Most failures told of one output: the rest of a wall of errors follows from the first ones.
const EACH: usize = 3;

/// Classes of commands whose output is other people's text.
const READERS: &[&str] = &["read", "search", "list", "vcs-read", "diff", "help", "noop", "web", "time"];

/// Classes of commands that check nothing, whatever files they name.
const IDLE: &[&str] = &[
    "noop",
    "help",
    "list",
    "read",
    "search",
    "vcs-read",
    "diff",
    "copy",
    "write-heredoc",
    "edit-inplace",
    "delete",
    "free",
    "vcs-write",
    "kill",
    "stop",
    "wait",
    "time",
];

/// Classes of commands whose exit status is an answer, not a failure.
const ANSWERS: &[&str] =
    &["search", "diff", "list", "read", "vcs-read", "help", "noop", "kill", "stop", "wait", "poll"];

/// `PASS`, `12 passed`, `server is fired up and ready`; not `PASSWORD`.
static SUCCESS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:PASS(?:ED)?|OK|SUCCESS)\b|(?i)\b[1-9]\d* (?:tests? )?pass(?:ed|ing)\b|\btest result: ok\b|(?m:^ok\s+[\w./~-]+\s+(?:[\d.]+s|\(cached\)))|\ball (?:\w+ )?(?:tests?|checks?) pass|\bready\b|\bstartup complete\b|\bbuil[dt] (?:success|succeeded)|\bsuccessfully\b|\bfinished `|\benabled\b|✓")
        .expect("valid")
});

/// Marks that stand for what is not shown, or for no output at all; not `...` in a line.
static CUT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\s*(?:\.\.\. \(\d+ more chars\)|\(no output\)|<system>Command executed successfully\.</system>|(?:Shell cwd was reset to|Session cwd remains) [^\n]*)\s*$").expect("valid")
});

/// `cmd/a.go:12:3: ineffectual assignment`; not `12:30: lunch`.
static LOCATED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^\s*[\w./@-]+\.[a-zA-Z]\w{0,4}:\d+(?::\d+)?:? [^\n]{8,}$").expect("valid"));

/// `Diff in src/a.rs:12:`, `@@ -1,3 +1,4 @@`, `+++ b/a.go`; not `+ cargo test`.
static DIFF: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^(?:Diff in \S+|@@ -\d+(?:,\d+)? \+\d+|\+\+\+ \S+|diff --git |would reformat )").expect("valid")
});

/// "No stash entries found.", "nothing to commit, working tree clean", "Already up to date.": an answer that there is
/// nothing; not "No module named x".
static NOTHING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\W*(?:(?:no|0) (?:[\w./-]+ ){0,3}(?:found|entries|matches|results|changes|differences|output|updates|items)\b|nothing (?:to|was|found)\b|(?:everything|already) up[ -]to[ -]date\b|none\W*$)").expect("valid")
});

struct Sight {
    message: MessageIdx,
    evidence: Evidence,
    line: String,
    tooling: bool,
}

/// Where each failure was seen, and the commands by what they check.
struct Ledger<'a> {
    session: &'a Session,
    facts: &'a Facts,
    /// Sights by signature, in the order of first sights.
    sights: Vec<(String, Vec<Sight>)>,
    /// Messages that show a failure of the work.
    failing: BTreeSet<MessageIdx>,
    /// Positions of commands by key and by target.
    checks: BTreeMap<String, Vec<usize>>,
}

impl<'a> Ledger<'a> {
    fn of(session: &'a Session, facts: &'a Facts) -> Self {
        let mut ledger = Self { session, facts, sights: Vec::new(), failing: BTreeSet::new(), checks: BTreeMap::new() };
        for (i, run) in facts.commands.iter().enumerate() {
            for check in checks_of(run) {
                ledger.checks.entry(check).or_default().push(i);
            }
        }
        let mut by_signature: BTreeMap<String, usize> = BTreeMap::new();
        for (at, message) in session.iter().filter(|(_, m)| m.kind == MessageKind::Tool) {
            let (sights, failed) = seen_in(session, at, message, ledger.facts.run_of(at));
            if failed {
                ledger.failing.insert(at);
            }
            for sight in sights {
                let key = signature(&sight.line);
                let next = ledger.sights.len();
                let known = *by_signature.entry(key.clone()).or_insert(next);
                if known == next {
                    ledger.sights.push((key, Vec::new()));
                }
                ledger.sights[known].1.push(sight);
            }
        }
        ledger
    }

    fn failures(&self) -> Vec<Failure> {
        self.sights.iter().map(|(signature, sights)| self.failure(signature, sights)).collect()
    }

    fn failure(&self, signature: &str, sights: &[Sight]) -> Failure {
        let mut seen: Vec<MessageIdx> = sights.iter().map(|s| s.message).collect();
        seen.dedup();
        let last = *seen.last().expect("a failure has a sight");
        let tooling = sights.iter().all(|s| s.tooling);
        let gone = if tooling { None } else { self.gone(&seen, &sights[0].line) };
        let changes = gone.as_ref().map_or_else(Vec::new, |g| self.changes(last, g.at));
        let until = gone.as_ref().map_or(MessageIdx(last.0 + 4), |g| g.at);
        Failure {
            line: shortened(&sights[0].line),
            signature: signature.to_string(),
            cause: if tooling { None } else { self.cause(seen[0], until, &sights[0].line) },
            evidence: sights[0].evidence.clone(),
            fails_differently: gone.as_ref().is_some_and(|g| g.differently),
            gone: gone.as_ref().map(|g| g.at),
            proof: gone.and_then(|g| g.proof),
            seen,
            changes,
            tooling,
        }
    }

    /// What was changed between the last sight and the run that shows the failure gone.
    fn changes(&self, failing: MessageIdx, gone: MessageIdx) -> Vec<Change> {
        let pair = self.facts.run_behind(failing).zip(self.facts.run_behind(gone));
        let same = pair.is_some_and(|(a, b)| checks_of(a).iter().any(|c| checks_of(b).contains(c)));
        Stretch { session: self.session, facts: self.facts, failing, gone }.changes(same)
    }

    /// The first run after the last sight that shows the failure gone.
    fn gone(&self, seen: &[MessageIdx], line: &str) -> Option<Gone> {
        let last = *seen.last()?;
        let failing = self.facts.run_behind(last);
        let same: BTreeSet<usize> = failing
            .map(checks_of)
            .unwrap_or_default()
            .iter()
            .filter_map(|c| self.checks.get(c))
            .flatten()
            .copied()
            .filter(|i| self.facts.commands[*i].message > last)
            .filter(|i| failing.is_some_and(|f| covers(&self.facts.commands[*i], f)))
            .collect();
        let mut otherwise = None;
        for i in same {
            let run = &self.facts.commands[i];
            match self.end_of(run) {
                End::Well(proof) => {
                    let gone = Gone { at: run.end(), proof, differently: false };
                    return Some(otherwise.unwrap_or(gone));
                }
                // Without an error line of its own the same failure may stand in what is not shown.
                End::Badly(Some(proof)) => {
                    otherwise.get_or_insert(Gone { at: run.end(), proof: Some(proof), differently: true });
                }
                End::Badly(None) | End::Unknown => {}
            }
        }
        self.counted_none(last, line)
    }

    /// How a run ended, as far as the log says: what went on in the background ends with its last poll.
    fn end_of(&self, run: &CommandRun) -> End {
        let message = self.session.message(run.end());
        let Some(call) = message.call.as_ref().filter(|_| run.ran) else { return End::Unknown };
        let Some(part) = message.part_at(PartKind::Output) else { return End::Unknown };
        let output = message.parts[part].text.as_str();
        if call.exit == Exit::Running || message.input("run_in_background") == Some("true") {
            return End::Unknown;
        }
        let messages: Vec<MessageIdx> = std::iter::once(run.message).chain(run.polls.iter().copied()).collect();
        let failed = matches!(call.exit, Exit::Code(n) if n != 0) || call.exit == Exit::Killed;
        if failed || messages.iter().any(|at| self.failing.contains(at)) {
            let shown = self.sights.iter().flat_map(|(_, s)| s).find(|s| messages.contains(&s.message) && !s.tooling);
            return End::Badly(shown.map(|s| s.evidence.clone()));
        }
        let output = CUT.find(output).map_or(output, |m| &output[..m.start()]);
        let success = SUCCESS.find_iter(output).last().map(|m| line_at(output, m.start()));
        let proof = success.and_then(|s| self.session.cite(run.end(), part, trimmed(output, s)));
        // A line that says nothing of success proves nothing; that the same command prints the failure no more is all
        // that can be said. Of what it leaves running nothing is known.
        let leaves = run.parts.iter().any(|part| part.background);
        match proof {
            Some(proof) => End::Well(Some(proof)),
            None if leaves => End::Unknown,
            None if call.exit == Exit::Code(0) || last_line(output).is_some() => End::Well(None),
            None => End::Unknown,
        }
    }

    /// A later count of the failure's own word that came out as zero: `grep -c IO_PAGE_FAULT` prints 0.
    fn counted_none(&self, last: MessageIdx, line: &str) -> Option<Gone> {
        let line = line.to_lowercase();
        let after = self.facts.commands.iter().filter(|r| r.message > last && r.ran);
        for run in after {
            if !run.parts.iter().any(|p| counted(p).is_some_and(|word| line.contains(&word))) {
                continue;
            }
            let message = self.session.message(run.message);
            let output = message.output();
            let zero = !output.trim().is_empty() && output.split_whitespace().last() == Some("0");
            let all = output.split_whitespace().filter(|w| w.chars().all(|c| c.is_ascii_digit())).all(|w| w == "0");
            if zero && all {
                let part = message.part_at(PartKind::Output)?;
                let proof = last_line(output).and_then(|s| self.session.cite(run.message, part, trimmed(output, s)));
                return Some(Gone { at: run.message, proof, differently: false });
            }
        }
        None
    }

    /// The assistant's sentence that names the cause, from the first sight to two messages after the proof.
    fn cause(&self, first: MessageIdx, gone: MessageIdx, line: &str) -> Option<Evidence> {
        let own = terms(line);
        let to = (gone.at() + 3).min(self.session.messages.len());
        let range = (first.at() + 1)..to.max(first.at() + 1);
        let texts = range.map(|i| MessageIdx(i as u32)).filter(|i| self.session.message(*i).kind == MessageKind::Text);
        let mut near = None;
        for at in texts.take(12) {
            let message = self.session.message(at);
            let Some(part) = message.part_at(PartKind::Prose) else { continue };
            let text = &message.parts[part].text;
            for sentence in sentences(text) {
                let words = sentence.span.of(text).unwrap_or("");
                if STATEMENTS.kind(words) != Some(StatementKind::Cause) || words.ends_with('?') {
                    continue;
                }
                let cited = self.session.cite(at, part, sentence.span);
                if terms(words).intersection(&own).next().is_some() {
                    return cited;
                }
                if at.0 <= first.0 + 2 || (at >= gone && at.0 <= gone.0 + 1) {
                    near = near.or(cited);
                }
            }
        }
        near
    }
}

struct Gone {
    at: MessageIdx,
    proof: Option<Evidence>,
    differently: bool,
}

enum End {
    Well(Option<Evidence>),
    Badly(Option<Evidence>),
    Unknown,
}

/// The failures that one call shows, the ones that say most; and whether the work failed in it.
fn seen_in(session: &Session, at: MessageIdx, message: &Message, run: Option<&CommandRun>) -> (Vec<Sight>, bool) {
    let (Some(call), Some(part)) = (&message.call, message.part_at(PartKind::Output)) else {
        return (Vec::new(), false);
    };
    let output = message.parts[part].text.as_str();
    let work = match call.kind {
        ToolKind::Shell => !run.is_some_and(reads_only),
        ToolKind::Job => true,
        _ => false,
    };
    let lines = error_lines(if work { output } else { head_of(output) }, MOST);
    let lines: Vec<ErrorLine> =
        lines.into_iter().filter(|e| !run.is_some_and(|r| answers(r, e.span.of(output).unwrap_or("")))).collect();
    let failed = work && lines.iter().any(|l| l.weight != Weight::Tooling);
    let mut forms = BTreeSet::new();
    let mut known = BTreeSet::new();
    let told = strongest(&lines).into_iter().filter(|e| work || e.span.start <= HEAD_SLACK);
    let mut found: Vec<Sight> = told
        .filter(|e| !is_bare(e, output) && !e.span.of(output).is_some_and(harness::is_status))
        .filter_map(|e| {
            let line = e.span.of(output)?.to_string();
            let first = known.insert(signature(&line)) && (repeats(&line) || forms.insert(e.form));
            let tooling = e.weight == Weight::Tooling || !work;
            first.then_some(Sight { message: at, evidence: session.cite(at, part, e.span)?, line, tooling })
        })
        .take(EACH)
        .collect();
    drop_repeats(&mut found);
    if found.is_empty() && work {
        found.extend(by_exit(session, at, message, run));
    }
    let failed = failed || found.iter().any(|s| !s.tooling);
    (found, failed)
}

/// The lines of the strongest kind that there is.
fn strongest(lines: &[ErrorLine]) -> Vec<ErrorLine> {
    let of = |w: Weight| lines.iter().copied().filter(move |l| l.weight == w).collect::<Vec<_>>();
    let kinds = [Weight::Named, Weight::Overtaken, Weight::Summary, Weight::Tooling, Weight::Exit];
    let best = kinds.into_iter().map(of).find(|l| !l.is_empty()).unwrap_or_default();
    match best.last() {
        Some(last) if matches!(last.weight, Weight::Summary | Weight::Exit) => vec![*last],
        _ => best,
    }
}

/// Drops what says no more than an earlier line of the same output.
fn drop_repeats(found: &mut Vec<Sight>) {
    let mut said: Vec<BTreeSet<String>> = Vec::new();
    found.retain(|sight| {
        let own = terms(&sight.line);
        let new = own.is_empty() || repeats(&sight.line) || !said.iter().any(|earlier| own.is_subset(earlier));
        said.push(own);
        new
    });
}

/// Verdict lines name one failing test each; other forms say one thing, however often they are printed.
fn repeats(line: &str) -> bool {
    ["FAILED ", "FAIL ", "--- FAIL: ", "not ok ", "test "].iter().any(|v| line.starts_with(v))
}

/// A line that says only that something failed: an ordinary exit status, the head of a trace that is cut.
fn is_bare(error: &ErrorLine, output: &str) -> bool {
    let line = error.span.of(output).unwrap_or("");
    let digits: String = line.chars().filter(char::is_ascii_digit).collect();
    let bare_exit =
        error.weight == Weight::Exit && (line.starts_with("Traceback") || matches!(digits.as_str(), "" | "1" | "2"));
    bare_exit || matches!(line, "FAIL" | "FAILED")
}

/// How far from its beginning a refusal stands in the result of a file tool.
const HEAD_SLACK: usize = 24;

fn head_of(output: &str) -> &str {
    output.char_indices().nth(300).map_or(output, |(end, _)| &output[..end])
}

/// A failing exit status without an error line: the last line of the output stands for it.
fn by_exit(session: &Session, at: MessageIdx, message: &Message, run: Option<&CommandRun>) -> Option<Sight> {
    let run = run.filter(|r| r.ran && !ANSWERS.contains(&r.class.0.as_str()))?;
    let failed = matches!(message.call.as_ref()?.exit, Exit::Code(n) if n != 0 && n != 130 && n != 141);
    let part = message.part_at(PartKind::Output).filter(|_| failed)?;
    let output = message.parts[part].text.as_str();
    let output = &output[..printed(output).end];
    let output = CUT.find(output).map_or(output, |m| &output[..m.start()]);
    // What a formatter would change is shown as a diff: its lines are the work's, not the failure's.
    if DIFF.is_match(output) {
        return None;
    }
    let located = LOCATED.find(output).map(|m| line_at(output, m.start()));
    let span = trimmed(output, located.or_else(|| last_line(output))?);
    let tells = |l: &&str| l.len() < 400 && !harness::is_status(l) && !answers(run, l) && !NOTHING.is_match(l);
    let line = span.of(output).filter(tells)?.to_string();
    Some(Sight { message: at, evidence: session.cite(at, part, span)?, line, tooling: run.class.0 == "unknown" })
}

/// Whether a line is the answer that a command gives in words of its own: `ls a || echo "a not found"`. To ask is not to
/// fail.
fn answers(run: &CommandRun, line: &str) -> bool {
    run.parts.windows(2).any(|pair| {
        let asks = READERS.contains(&pair[0].class.0.as_str()) && pair[0].program != "echo";
        asks && pair[1].program == "echo" && pair[1].args.join(" ").trim() == line.trim()
    })
}

/// Whether a command only shows files that others wrote. A change of folder prints nothing: what stands under it is of a
/// command that the log does not show.
fn reads_only(run: &CommandRun) -> bool {
    let mut working = run.parts.iter().filter(|p| p.program != "cd").peekable();
    working.peek().is_some() && working.all(|p| READERS.contains(&p.class.0.as_str()))
}

/// What a run checks: its key, and the scripts, modules and logs that it names.
fn checks_of(run: &CommandRun) -> Vec<String> {
    const SCRIPTS: &[&str] =
        &["py", "sh", "js", "mjs", "cjs", "ts", "rb", "pl", "jl", "cu", "cpp", "c", "go", "log", "out", "err"];
    let mut found = BTreeSet::from([run.key.clone()]);
    for part in run.parts.iter().filter(|p| !IDLE.contains(&p.class.0.as_str())) {
        let module = part.args.iter().position(|a| a == "-m").and_then(|i| part.args.get(i + 1));
        found.extend(module.map(|m| format!("-m {m}")));
        for word in part.args.iter().chain(&part.writes) {
            let name = base_name(word);
            let scripted = name.rsplit_once('.').is_some_and(|(stem, e)| !stem.is_empty() && SCRIPTS.contains(&e));
            if scripted && name.len() < 80 && !name.contains(char::is_whitespace) {
                found.insert(name.to_string());
            }
        }
        if PROBES.contains(&part.class.0.as_str()) {
            found.insert(format!("{} on {}", part.program, part.on.join(" ")));
        }
        if RUNNERS.contains(&part.class.0.as_str()) {
            let sub = part.args.first().filter(|a| a.chars().all(char::is_alphanumeric)).map_or("", String::as_str);
            found.insert(format!("{} {sub}", part.program));
        }
    }
    found.into_iter().collect()
}

/// Classes whose program and sub-command name a check by themselves.
const RUNNERS: &[&str] = &["unit-test", "compile", "lint"];

/// Classes whose program asks one thing of one host, whatever its flags.
const PROBES: &[&str] = &["hw-query", "service-control"];

/// Whether a later run checks at least what the failing one checked: it names no path or test of its own beyond it.
fn covers(later: &CommandRun, failing: &CommandRun) -> bool {
    let named = |run: &CommandRun| -> BTreeSet<String> {
        let parts = run.parts.iter().filter(|p| RUNNERS.contains(&p.class.0.as_str()));
        parts.flat_map(|p| p.args.iter().filter(|a| !a.starts_with('-')).cloned()).collect()
    };
    let reads = later.parts.iter().all(|p| READERS.contains(&p.class.0.as_str()));
    !reads && (later.key == failing.key || named(later).is_subset(&named(failing)))
}

/// The word that a `grep -c` counts, in lower case.
fn counted(part: &SimpleCommand) -> Option<String> {
    let grep = matches!(part.program.as_str(), "grep" | "egrep" | "rg" | "zgrep");
    let counts =
        part.args.iter().any(|a| a == "--count" || (a.starts_with('-') && !a.starts_with("--") && a.contains('c')));
    let pattern = part.args.iter().find(|a| !a.starts_with('-'))?;
    let plain = pattern.len() >= 3 && pattern.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-' || c == ' ');
    (grep && counts && plain).then(|| pattern.to_lowercase())
}

fn trimmed(text: &str, span: ByteSpan) -> ByteSpan {
    let line = span.of(text).unwrap_or("");
    let start = span.start + line.len() - line.trim_start().len();
    ByteSpan::new(start, start + line.trim().len())
}

/// The line up to a word boundary before 160 characters.
fn shortened(line: &str) -> String {
    match line.char_indices().nth(160) {
        None => line.to_string(),
        Some((end, _)) => line[..end].rsplit_once(' ').map_or(&line[..end], |(kept, _)| kept).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn success_lines_are_known() {
        assert!(SUCCESS.is_match("PASS"));
        assert!(SUCCESS.is_match("go: building\nok  \tx.org/a\t0.3s") && !SUCCESS.is_match("ok then, 5 of 3s"));
        assert!(!SUCCESS.is_match("PASSWORD"));
        assert!(CUT.is_match("a\n... (12 more chars)"));
        assert!(!CUT.is_match("a ... b"));
        assert!(DIFF.is_match("Diff in src/a.rs:12:\n-a\n+b") && !DIFF.is_match("+ cargo test"));
        assert!(
            NOTHING.is_match("No stash entries found.") && NOTHING.is_match("nothing to commit, working tree clean")
        );
        assert!(!NOTHING.is_match("No module named x"));
        assert!(LOCATED.is_match("cmd/a.go:12:3: ineffectual assignment"));
        assert!(!LOCATED.is_match("12:30: lunch is over"));
    }
}
