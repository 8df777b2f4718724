//! *Check first*: what bites me this morning? At most five things that need an action, each checkable in a minute.

use std::sync::LazyLock;

use regex::Regex;

use super::{refused, section, table, unheeded};
use crate::{
    base::{
        ids::MessageIdx,
        path::{base_name, same_file},
    },
    model::{
        article::{ArticleRow, Piece, Section},
        audit::{Claimed, LooseEnd, Ruling, Shown},
        command::{CommandRun, SimpleCommand},
        evidence::Evidence,
        facts::{ChangeOf, Failure, FileAct, FileTouch, RequestKind},
        message::{Exit, Outcome, ToolKind},
        series::Reading,
        todo::{TodoSource, TodoStatus},
    },
    report::{
        Material, checks,
        figures::file_name,
        phrase::{Phrase, shortened},
        runs,
    },
    text::number,
};

/// Most rows that the section holds.
const MOST: usize = 5;

/// See the module.
pub fn make(m: &Material) -> Option<Section> {
    let rows = shortfalls(m)
        .chain(left(m, &JOBS))
        .chain(left(m, &WORSE))
        .chain(bent(m))
        .chain(forbidden(m))
        .chain(unheeded::rows(m))
        .chain(accused(m).filter_map(|claim| accusation(m, claim)))
        .chain(last_call(m))
        .chain(refused::rows(m))
        .chain(unchecked(m))
        .chain(untried(m))
        .chain(left(m, &LEFT_OUT))
        .chain(left(m, &UNRUN))
        .chain(rewritten(m))
        .chain(left(m, &DELETED))
        .chain(left(m, &RESIDUE))
        .chain(left(m, &DROPPED))
        .chain(unfinished(m))
        .map(|row| came_later(m, row))
        .take(MOST)
        .collect();
    section("Check first", vec![table(&["what", "what the log shows", "msg"], rows)])
}

/// A row with word of it where all that it tells came after the message that the article is about.
fn came_later(m: &Material, mut row: ArticleRow) -> ArticleRow {
    let seen = row.cells.last().into_iter().flatten().filter_map(|piece| match piece {
        Piece::Number(at) => Some(*at),
        _ => None,
    });
    let (Some(subject), Some(first)) = (m.subject, seen.min()) else { return row };
    if first > subject
        && let Some(cell) = row.cells.get_mut(1)
    {
        cell.insert(0, Piece::Glue("after this message: "));
    }
    row
}

/// What the closing text says is blocked, red or not done, besides what *In short* tells of it.
fn shortfalls<'a>(m: &'a Material) -> impl Iterator<Item = ArticleRow> + 'a {
    m.shortfalls().skip(1).take(SAID).filter_map(|said| {
        let words = said.parts.first().unwrap_or(&said.evidence);
        let phrase = m.stated("shortfall-stated").weighing(9).quote(&shortened(m.session, words, 24)).cell();
        row_of(phrase.say("the last text says so"), vec![said.message])
    })
}

/// Most sentences of the closing text that are rows.
const SAID: usize = 1;

/// What the agent said that its own log contradicts and that is told here, the last first: the closing text is read
/// before all others, and what was said again is told once.
pub fn accused<'a>(m: &'a Material) -> impl Iterator<Item = &'a Claimed> {
    let contradicted = |claim: &&Claimed| claim.ruling == Ruling::Contradicted && claim.repeats.is_none();
    m.audit.claims.iter().rev().filter(contradicted).take(ACCUSED)
}

/// Most contradicted statements that are rows.
const ACCUSED: usize = 2;

fn accusation(m: &Material, claim: &Claimed) -> Option<ArticleRow> {
    let phrase = m.derived("audit-contradicted").weighing(9).quote(&shortened(m.session, &claim.words, 16)).cell();
    let phrase = phrase.say(claim.short);
    let place = claim.log.first()?;
    match place.searched() {
        Some((from, to)) => row_of(phrase.searched(from, to), vec![claim.words.message()]),
        None => row_of(phrase.resting(place), vec![claim.words.message(), place.message()]),
    }
}

/// Tests that failed and pass since a test, and nothing else that is shown, was edited.
fn bent<'a>(m: &'a Material) -> impl Iterator<Item = ArticleRow> + 'a {
    let verdict = |f: &Failure| VERDICTS.iter().any(|v| f.line.starts_with(v));
    let bent =
        move |f: &&Failure| !f.tooling && !f.fails_differently && f.proof.is_some() && verdict(f) && only_tests(m, f);
    m.facts.failures.iter().filter(bent).filter_map(|f| {
        let (last, gone) = (*f.seen.last()?, f.gone?);
        let change = f.changes.iter().rfind(|c| c.of == ChangeOf::Test)?;
        let phrase = m.derived("test-edited").weighing(8).plain(&shortened(m.session, &f.evidence, 10)).cell();
        let phrase =
            phrase.say("passes after an edit of a test, ").code(&change.evidence).say("; no edit of another file");
        row_of(phrase.say(" shown between").searched(last, gone), vec![last, change.message, gone])
    })
}

/// How runners begin the line that calls a test failed. A test that does not compile is not bent but mended.
const VERDICTS: &[&str] = &["--- FAIL: ", "FAIL ", "FAILED ", "not ok ", "test ", "✕ ", "✗ ", "× "];

/// Whether the files that were edited between the last sight of a failure and its end are tests that were there before.
fn only_tests(m: &Material, f: &Failure) -> bool {
    let (Some(last), Some(gone)) = (f.seen.last(), f.gone) else { return false };
    let edited = |t: &&FileTouch| t.succeeded && matches!(t.act, FileAct::Edited | FileAct::Written);
    let between = || m.facts.files.iter().filter(edited).filter(|t| *last < t.message && t.message <= gone);
    let made_here = |path: &str| {
        let first = m.facts.files.iter().find(|t| same_file(&t.path, path));
        first.is_some_and(|t| t.act == FileAct::Written)
    };
    let tested = |path: &str| f.changes.iter().any(|c| c.of == ChangeOf::Test && base_name(path) == c.what);
    between().next().is_some() && between().all(|t| tested(&t.path) && !made_here(&t.path))
}

/// A wish that nothing be edited, and the edits that follow before the user speaks again.
fn forbidden<'a>(m: &'a Material) -> impl Iterator<Item = ArticleRow> + 'a {
    let wishes = m.facts.requests.iter().filter(|r| r.kind == RequestKind::Constraint);
    let broken = wishes.filter(|r| UNTOUCHED.is_match(m.session.quoted(&r.evidence))).filter_map(|r| {
        let until = m.next_user(r.message).unwrap_or(MessageIdx(m.last.0 + 1));
        let edited = |t: &&FileTouch| {
            t.succeeded
                && matches!(t.act, FileAct::Edited | FileAct::Written | FileAct::Deleted)
                && r.message < t.message
                && t.message < until
                && matches!(m.session.message(t.message).tool(), Some(ToolKind::Edit | ToolKind::Write))
        };
        let first = m.facts.files.iter().find(edited)?;
        let phrase = m.derived("edit-against-wish").weighing(9).quote(&shortened(m.session, &r.evidence, 14)).cell();
        row_of(phrase.say("edited after it: ").code(&file_name(m, first)), vec![r.message, first.message])
    });
    broken.take(1)
}

/// "Do not edit files.", "don't change any code"; not "do not edit the generated files by hand".
static UNTOUCHED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\W*(?:please )?(?:do not|don['’]?t|never) (?:edit|modify|change|touch|make)(?: any)?(?: files?| code| changes| edits| anything)(?: yet| here| now)?\W*$")
        .expect("valid")
});

/// A file that was edited again and again between runs of one command, and once more after the last of them, with nothing
/// run since.
fn unchecked(m: &Material) -> Option<ArticleRow> {
    let edits = |t: &&FileTouch| {
        t.succeeded && matches!(m.session.message(t.message).tool(), Some(ToolKind::Edit | ToolKind::Write))
    };
    let last = m.facts.files.iter().rfind(|t| edits(t) && !PROSE.iter().any(|end| t.path.ends_with(end)))?;
    let ran = |c: &&CommandRun| m.told(c.message) && c.ran && c.parts.iter().any(checks::is_check);
    let by = |c: &CommandRun| c.invocation.as_ref().map(|i| i.by.clone());
    let check = m.facts.commands.iter().rfind(|c| ran(c) && by(c).is_some())?;
    let again = m.facts.commands.iter().filter(|c| ran(c) && by(c) == by(check)).count() > 2;
    let before = m.facts.files.iter().any(|t| edits(&t) && same_file(&t.path, &last.path) && t.message < check.message);
    if check.end() > last.message || !again || !before || !quiet_after(m, last.message) || m.subject.is_some() {
        return None;
    }
    let named = m.session.cite_words(check.message, &by(check)?)?;
    let phrase = m.derived("edited-after-last-run").weighing(8).code(&file_name(m, last)).cell();
    let phrase = phrase.say("edited after the last run of ").code(&named).say("; nothing was run after it");
    row_of(phrase.searched(last.message, m.last), vec![check.message, last.message])
}

/// A program that was written here, with nothing run from its first line to the end of the log.
fn untried(m: &Material) -> Option<ArticleRow> {
    let changed = |t: &&FileTouch| {
        t.succeeded
            && matches!(m.session.message(t.message).tool(), Some(ToolKind::Edit | ToolKind::Write))
            && CODE.iter().any(|end| t.path.ends_with(end))
    };
    let first = m.facts.files.iter().find(changed)?;
    let last = m.facts.files.iter().rfind(|t| changed(t) && !m.facts.deleted_after(&t.path, t.message))?;
    if m.subject.is_some() || !quiet_after(m, first.message) {
        return None;
    }
    let phrase = m.derived("never-run").weighing(8).code(&file_name(m, last)).cell();
    let phrase = phrase.say("changed here; nothing was run after the first change");
    row_of(phrase.searched(first.message, m.last), vec![first.message, last.message])
}

/// Endings of files that are run or built.
#[rustfmt::skip]
const CODE: &[&str] = &[
    ".c", ".cc", ".cpp", ".cs", ".cu", ".go", ".h", ".hpp", ".java", ".js", ".jsx", ".kt", ".mjs", ".php", ".py", ".rb",
    ".rs", ".scala", ".sh", ".swift", ".ts", ".tsx", ".zig",
];

/// Whether nothing after a message tries out the work, as far as the log shows.
fn quiet_after(m: &Material, at: MessageIdx) -> bool {
    m.session.iter().skip(at.at() + 1).all(|(at, message)| match message.tool() {
        Some(ToolKind::Shell) => {
            m.facts.run_of(at).is_some_and(|run| run.parts.iter().all(|p| SILENT.contains(&p.class.0.as_str())))
        }
        Some(ToolKind::Other) => message.call.as_ref().is_some_and(|call| ENDS.contains(&call.name.as_str())),
        Some(ToolKind::Agent | ToolKind::Job) => false,
        _ => true,
    })
}

/// Tools that only say that the work is over.
const ENDS: &[&str] = &["attempt_completion", "exit", "finish", "submit"];

/// Endings of files that nobody runs.
const PROSE: &[&str] = &[".md", ".rst", ".txt"];

/// Classes of commands that do not try out an edit.
const SILENT: &[&str] =
    &["copy", "delete", "diff", "help", "list", "noop", "read", "search", "time", "vcs-read", "vcs-write"];

/// The last act that rewrote what others may have: a push by force.
fn rewritten(m: &Material) -> Option<ArticleRow> {
    let forced = |p: &SimpleCommand| {
        let word = |w: &str| p.args.iter().any(|a| a == w || a.starts_with("--force-with-lease") && w == "--force");
        p.program == "git" && word("push") && (word("--force") || word("-f"))
    };
    let run = m.facts.commands.iter().rfind(|c| m.told(c.message) && c.ran && c.parts.iter().any(forced))?;
    if matches!(m.session.message(run.end()).call.as_ref()?.outcome, Outcome::Failed | Outcome::Denied) {
        return None;
    }
    let flag = ["--force-with-lease", "--force", "-f"].iter().find_map(|f| m.session.cite_words(run.message, f))?;
    let phrase = m.derived("pushed-by-force").weighing(7).code(&m.session.cite_words(run.message, "git push")?).cell();
    row_of(phrase.say("by force, with ").code(&flag), vec![run.message])
}

/// What the audit found left behind, by one of its rules; what no text tells although one had to is said so.
fn left<'a>(m: &'a Material, kind: &'static Left) -> impl Iterator<Item = ArticleRow> + 'a {
    m.audit.left_by(kind.rule).filter_map(|end| loose_end(m, kind, end))
}

/// How loose ends of a rule are told.
struct Left {
    /// The rule.
    pub rule: &'static str,
    /// What a reader would miss.
    pub weight: u8,
    /// Whether its subject is a name, printed as code, or words.
    pub named: bool,
}

const JOBS: Left = Left { rule: "job-state", weight: 9, named: true };
const WORSE: Left = Left { rule: "ended-worse", weight: 9, named: false };
const LEFT_OUT: Left = Left { rule: "left-out-of-the-report", weight: 8, named: false };
const UNRUN: Left = Left { rule: "asked-and-never-run", weight: 8, named: true };
const DELETED: Left = Left { rule: "foreign-deletion", weight: 8, named: true };
const RESIDUE: Left = Left { rule: "left-by-a-reverted-change", weight: 7, named: true };
const DROPPED: Left = Left { rule: "item-dropped", weight: 6, named: false };

fn loose_end(m: &Material, kind: &Left, end: &LooseEnd) -> Option<ArticleRow> {
    let phrase = m.derived(kind.rule).weighing(kind.weight);
    let mut seen: Vec<MessageIdx> =
        end.log.iter().filter(|place| place.searched().is_none()).map(Evidence::message).collect();
    seen.push(end.what.message());
    if let Shown::Change { series, readings } = end.shown {
        // Of an article about a message only what it tells about.
        if !m.told(end.what.message()) {
            return None;
        }
        let (series, (from, to)) = (m.findings.series.get(series)?, readings);
        if once(m, end.what.message()) {
            return None;
        }
        let (a, b) = (&series.readings[from].1, &series.readings[to].1);
        let place = |reading: &Reading| m.facts.place(m.session, reading.spot);
        let unit = series.unit.as_deref().unwrap_or(&series.key.name);
        let change = number::change(number::change_between(a.value, b.value)?);
        let phrase = phrase.label(&runs::label(m, series), &end.what).say(", ").label(unit, &end.what).cell();
        let phrase = phrase.say(end.short).figure(a.text.clone(), &place(a)).say(" → ");
        let phrase = phrase.figure(b.text.clone(), &place(b)).say(", ").computed(change);
        let phrase = match end.omitted {
            true => phrase.say("; no text says so").searched(end.what.message(), m.last),
            false => phrase,
        };
        return row_of(phrase, seen);
    }
    let phrase = match kind.named {
        true => phrase.code(&shortened(m.session, &end.what, 12)),
        false => phrase.quote(&shortened(m.session, &end.what, 14)),
    };
    let phrase = phrase.cell().say(end.short);
    let phrase = match &end.shown {
        Shown::Words(words) => phrase.quote(&shortened(m.session, words, 14)),
        Shown::Searched(range) => match range.searched() {
            Some((from, to)) => phrase.searched(from, to),
            None => phrase,
        },
        Shown::Nothing | Shown::Change { .. } => phrase,
    };
    row_of(phrase, seen)
}

/// Whether a benchmark was told to take one turn: what it prints is a sign of life, no measurement.
fn once(m: &Material, call: MessageIdx) -> bool {
    m.facts.run_behind(call).is_some_and(|run| ONCE.is_match(&run.line))
}

/// `-benchtime=1x`, `--iterations 1`, `--repeat=1`; not `--iterations 10`.
static ONCE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?:-benchtime[= ]1x|--(?:iterations?|iters?|repeats?|repetitions|runs|samples|num-?iters)[= ]1)(?:\s|$)",
    )
    .expect("valid")
});

/// The call that the log ends with, where it did not end well or the log does not hold its result.
fn last_call(m: &Material) -> Option<ArticleRow> {
    let (at, message) = m.session.iter().rfind(|(_, msg)| msg.call.is_some())?;
    let call = message.call.as_ref()?;
    // Whatever stands behind it shows that it came back, and may tell what came of it.
    let ends = match (call.outcome, call.exit) {
        _ if at != m.last => return None,
        _ if call.result_at.is_none() => "started; the log holds no result",
        (Outcome::Denied, _) => "denied, and the log ends with it",
        (_, Exit::Killed) | (Outcome::Interrupted, _) => "stopped before its end, and the log ends with it",
        (Outcome::Failed, _) if !answers(m, at) => "failed, and the log ends with it",
        _ => return None,
    };
    row_of(called(m, m.derived("call-at-the-end").weighing(8), at).cell().say(ends), vec![at])
}

/// A call by its command line or path; where it shows none, by the name of its tool. Of a long command line the program
/// with its sub-command: a line that is cut anywhere is no name.
pub fn called<'a>(m: &Material<'a>, phrase: Phrase<'a>, at: MessageIdx) -> Phrase<'a> {
    let message = m.session.message(at);
    // A path of several lines is a broken call.
    let path = message.path().filter(|path| !path.contains('\n'));
    let line = message.command().map(str::trim).filter(|line| !line.is_empty());
    let named = match line {
        Some(line) if is_short(line) => m.session.cite_words(at, line),
        Some(_) => m.facts.run_of(at).and_then(|run| program(m, run)),
        None => path.and_then(|path| m.session.cite_words(at, path)),
    };
    match named {
        Some(evidence) => phrase.code(&evidence),
        None => phrase.say("a call of ").word(message.call.as_ref().map_or("", |call| &call.name)),
    }
}

/// Whether a command line can be shown whole.
fn is_short(line: &str) -> bool {
    line.split_whitespace().count() <= 8 && line.len() <= 72 && !line.contains('\n')
}

/// What a command line is for: the program of its most consequential part, with its sub-command where it stands so.
fn program(m: &Material, run: &CommandRun) -> Option<Evidence> {
    let works = |p: &&SimpleCommand| p.class == run.class && !matches!(p.program.as_str(), "cd" | "set" | "export");
    let part = run.parts.iter().rfind(works).or(run.parts.last())?;
    let verb = |word: &&String| {
        word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.starts_with('-')
    };
    let verbs: Vec<&str> = part.args.iter().take_while(verb).take(2).map(String::as_str).collect();
    let joined = |n: usize| {
        std::iter::once(part.program.as_str()).chain(verbs[..n].iter().copied()).collect::<Vec<_>>().join(" ")
    };
    // `kubectl -n web get`: flags stand before the word that says what is done.
    let given = |at: usize| part.args[at - 1].starts_with('-');
    let to_verb = (1..part.args.len().min(4)).find(|at| verb(&&part.args[*at]) && !given(*at));
    let flagged = to_verb.map(|at| format!("{} {}", part.program, part.args[..=at].join(" ")));
    let first = part.args.first().filter(|word| word.len() <= 24).map(|word| format!("{} {word}", part.program));
    let names = (1..=verbs.len()).rev().map(joined).chain(flagged).chain(first);
    let mut names = names.chain([part.called.clone(), part.program.clone()]);
    names.find_map(|name| m.session.cite_words(run.message, &name))
}

/// Whether a failing status is but an answer: nothing was found, two files differ.
fn answers(m: &Material, at: MessageIdx) -> bool {
    let looks =
        |p: &SimpleCommand| matches!(p.class.0.as_str(), "diff" | "list" | "noop" | "read" | "search" | "vcs-read");
    m.facts.run_of(at).is_some_and(|run| run.parts.iter().all(looks))
}

/// Items that the last list leaves open, and whether the list was kept to the end.
fn unfinished<'a>(m: &'a Material) -> impl Iterator<Item = ArticleRow> + 'a {
    let kept = m.facts.todos.iter().rfind(|s| matches!(s.source, TodoSource::FullList | TodoSource::Folded));
    kept.into_iter().filter_map(|snapshot| {
        let of = |status| snapshot.items.iter().filter(move |i| i.status == status);
        let (begun, waiting) = (of(TodoStatus::InProgress).count(), of(TodoStatus::Pending).count());
        if begun + waiting == 0 {
            return None;
        }
        let first = of(TodoStatus::InProgress).chain(of(TodoStatus::Pending)).next()?;
        let named = m.session.cite_words(snapshot.message, &first.content).unwrap_or_else(|| first.evidence.clone());
        let phrase = m.derived("plan-open").weighing(6).say("last todo list").cell();
        let phrase = if snapshot.complete { phrase } else { phrase.say("at least ") };
        let phrase = phrase.count(begun).say(" in progress, ").count(waiting).say(" pending, first ");
        let phrase = phrase.quote(&shortened(m.session, &named, 12));
        // Work went on: what became of the items, the list does not say.
        let phrase = match m.worked_after(snapshot.message) {
            true => phrase.say("; never updated after it").searched(snapshot.message, m.last),
            false => phrase,
        };
        row_of(phrase, vec![snapshot.message])
    })
}

/// The finished row of the section: with the messages that it is about, each once.
pub fn row_of(phrase: Phrase, seen: Vec<MessageIdx>) -> Option<ArticleRow> {
    let mut seen = seen;
    seen.sort();
    seen.dedup();
    phrase.cell().list(seen, ", ", ", ", Phrase::number).row()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_that_nothing_be_edited() {
        assert!(UNTOUCHED.is_match("Do not edit files.") && UNTOUCHED.is_match("don't change anything yet"));
        assert!(!UNTOUCHED.is_match("do not edit the generated files by hand"));
        assert!(ONCE.is_match("go test -bench . -benchtime=1x ./...") && !ONCE.is_match("bench --iterations 10"));
    }
}
