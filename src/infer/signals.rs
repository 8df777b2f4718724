//! What each step does, read off its message alone: acts, outcome, figures, words. The raw material of features.

use std::{collections::BTreeMap, sync::LazyLock};

use crate::text::pattern::Regex;

use super::cue_words;
use crate::{
    base::{
        ids::{MessageIdx, StepIdx},
        span::{ByteSpan, floor},
    },
    model::{
        command::CommandRun,
        facts::Facts,
        message::{Exit, Message, MessageKind, Outcome, PartKind, ToolKind},
        phase::PhaseKind,
        session::Session,
    },
};

/// A family of actions, coarser than command classes. Windows and beginnings are counted in these.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Act {
    /// The user speaks.
    Ask,
    /// The assistant speaks, without a call.
    Say,
    /// Writes or restructures a task list, asks, plans.
    Plan,
    /// Updates the task list in passing.
    Track,
    /// Reads, searches, lists, fetches pages.
    Look,
    /// Changes files of the product.
    Edit,
    /// Changes text for people.
    Write,
    /// Pass/fail checks.
    Test,
    /// Compiles.
    Build,
    /// Measures.
    Measure,
    /// Attributes cost.
    Profile,
    /// Logs, debuggers, traces.
    Diagnose,
    /// Installs.
    Install,
    /// Brings artefacts in.
    Fetch,
    /// Services, containers, clusters.
    Operate,
    /// Stops, frees, deletes.
    Remove,
    /// Runs a script or program of unknown purpose.
    Execute,
    /// Waits, polls.
    Wait,
    /// Version control, local.
    Commit,
    /// Version control and registries, remote.
    Publish,
}

impl Act {
    /// Every act, in order.
    pub const ALL: [Act; 20] = [
        Act::Ask,
        Act::Say,
        Act::Plan,
        Act::Track,
        Act::Look,
        Act::Edit,
        Act::Write,
        Act::Test,
        Act::Build,
        Act::Measure,
        Act::Profile,
        Act::Diagnose,
        Act::Install,
        Act::Fetch,
        Act::Operate,
        Act::Remove,
        Act::Execute,
        Act::Wait,
        Act::Commit,
        Act::Publish,
    ];

    /// Word used in cue names.
    pub fn word(self) -> &'static str {
        match self {
            Act::Ask => "ask",
            Act::Say => "say",
            Act::Plan => "plan",
            Act::Track => "track",
            Act::Look => "look",
            Act::Edit => "edit",
            Act::Write => "write",
            Act::Test => "test",
            Act::Build => "build",
            Act::Measure => "measure",
            Act::Profile => "profile",
            Act::Diagnose => "diagnose",
            Act::Install => "install",
            Act::Fetch => "fetch",
            Act::Operate => "operate",
            Act::Remove => "remove",
            Act::Execute => "execute",
            Act::Wait => "wait",
            Act::Commit => "commit",
            Act::Publish => "publish",
        }
    }
}

/// Command class to act. Sorted by class; classes that are not listed do nothing of their own.
#[rustfmt::skip]
const CLASS_ACTS: &[(&str, Act)] = &[
    ("batch", Act::Execute), ("build-image", Act::Operate), ("clone", Act::Fetch), ("cluster-read", Act::Look),
    ("compile", Act::Build), ("container-run", Act::Operate), ("copy", Act::Execute), ("data-transform", Act::Execute),
    ("debugger", Act::Diagnose), ("delete", Act::Remove), ("diff", Act::Look), ("download", Act::Fetch), ("edit-inplace", Act::Edit),
    ("eval-bench", Act::Measure), ("free", Act::Remove), ("help", Act::Look), ("http-probe", Act::Test), ("hw-query", Act::Look),
    ("kernel-log", Act::Diagnose), ("kill", Act::Remove), ("lint", Act::Test), ("list", Act::Look), ("load-bench", Act::Measure),
    ("log-read", Act::Diagnose), ("microbench", Act::Measure), ("net-query", Act::Look), ("orchestrate", Act::Operate),
    ("pkg-install", Act::Install), ("poll", Act::Wait), ("profiler", Act::Profile), ("publish", Act::Publish), ("read", Act::Look),
    ("script-run", Act::Execute), ("search", Act::Look), ("serve", Act::Operate), ("service-control", Act::Operate),
    ("sql-read", Act::Look), ("sql-write", Act::Execute), ("stop", Act::Remove), ("time", Act::Look), ("trace", Act::Diagnose),
    ("train", Act::Execute), ("unit-test", Act::Test), ("unknown", Act::Execute), ("vcs-read", Act::Look), ("vcs-write", Act::Commit),
    ("wait", Act::Wait), ("web", Act::Look), ("write-heredoc", Act::Edit),
];

/// What kind of file a path names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FileKind {
    /// Product code.
    Code,
    /// Tests and checks.
    Test,
    /// Benchmarks and timing scripts.
    Bench,
    /// Profiling scripts.
    Profile,
    /// Text for people.
    Doc,
    /// The agent's own notes.
    Notes,
    /// A plan that the agent writes down before the work.
    Plan,
    /// Configuration.
    Config,
    /// Build and delivery pipelines.
    Pipeline,
    /// Data.
    Data,
    /// Logs.
    Log,
    /// Throw-away files.
    Scratch,
}

impl FileKind {
    /// Word used in cue names.
    pub fn word(self) -> &'static str {
        match self {
            FileKind::Code => "code",
            FileKind::Test => "test",
            FileKind::Bench => "bench",
            FileKind::Profile => "profile",
            FileKind::Doc => "doc",
            FileKind::Notes => "notes",
            FileKind::Plan => "plan",
            FileKind::Config => "config",
            FileKind::Pipeline => "pipeline",
            FileKind::Data => "data",
            FileKind::Log => "log",
            FileKind::Scratch => "scratch",
        }
    }

    /// By directory, name and ending, the first that fits.
    pub fn of(path: &str) -> Self {
        let lower = path.to_ascii_lowercase();
        let base = lower.rsplit('/').next().unwrap_or(&lower);
        let ending = base.rsplit_once('.').map_or("", |(_, e)| e);
        let named = |words: &[&str]| words.iter().any(|w| base.contains(w));
        if PLAN_FOLDERS.iter().any(|folder| lower.contains(folder)) && ending == "md" {
            FileKind::Plan
        } else if lower.contains("/memory/") || matches!(base, "memory.md" | "claude.md" | "agents.md") {
            FileKind::Notes
        } else if lower.contains(".github/workflows") || lower.contains(".gitlab-ci") || base == "jenkinsfile" {
            FileKind::Pipeline
        } else if ending == "log" || ending == "out" {
            FileKind::Log
        } else if DOC_ENDINGS.contains(&ending) {
            FileKind::Doc
        } else if named(&["bench", "timing", "perf_", "_perf", "latency"]) {
            FileKind::Bench
        } else if named(&["profil", "prof_", "_prof", "ablat"]) {
            FileKind::Profile
        } else if named(&["test", "spec.", "check", "verify"])
            || lower.contains("/tests/")
            || lower.starts_with("tests/")
        {
            FileKind::Test
        } else if lower.starts_with("/tmp/") || base.starts_with('_') || named(&["scratch", "debug", "repro"]) {
            FileKind::Scratch
        } else if DATA_ENDINGS.contains(&ending) {
            FileKind::Data
        } else if CONFIG_ENDINGS.contains(&ending) || base.starts_with("dockerfile") || base.starts_with('.') {
            FileKind::Config
        } else {
            FileKind::Code
        }
    }
}

/// Where agents keep the plans of their plan modes.
const PLAN_FOLDERS: &[&str] =
    &[".claude/plans/", ".cursor/plans/", ".gemini/plans/", ".opencode/plans/", ".kimi/plans/"];
const DOC_ENDINGS: &[&str] = &["adoc", "md", "mdx", "rst", "tex", "txt"];
const DATA_ENDINGS: &[&str] = &["bin", "csv", "feather", "jsonl", "npy", "parquet", "pkl", "tsv"];
#[rustfmt::skip]
const CONFIG_ENDINGS: &[&str] = &["cfg", "conf", "env", "hcl", "ini", "json", "lock", "mod", "service", "sum", "tf", "toml", "xml", "yaml", "yml"];

/// How a step ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// With a sign of success (tests passed).
    Passed,
    /// With a sign of failure.
    Failed,
    /// Neither is shown.
    Open,
}

/// One step.
#[derive(Clone, PartialEq, Debug)]
pub struct Signal {
    /// The message it is about.
    pub main: MessageIdx,
    /// What it is.
    pub kind: MessageKind,
    /// What its tool does.
    pub tool: Option<ToolKind>,
    /// What it does, without repeats, sorted.
    pub acts: Vec<Act>,
    /// The act that weighs most.
    pub act: Act,
    /// Class of its command, and of the further parts.
    pub classes: Vec<String>,
    /// Kinds of the files that it changes.
    pub changes: Vec<FileKind>,
    /// Kinds of the files that it reads.
    pub reads: Vec<FileKind>,
    /// How it ended.
    pub ended: Ended,
    /// Its output prints figures of speed or cost.
    pub figures: bool,
    /// What the code that it runs inline does: `times`, `profiles`, `asserts`.
    pub inline: Option<&'static str>,
    /// Phases that its words speak for.
    pub says: Vec<(PhaseKind, Place)>,
    /// The assistant's words of the step, lower case, at most 400 bytes of them.
    pub words: String,
}

/// Part of a message and bytes in it.
pub type Place = (MessageIdx, usize, ByteSpan);

impl Signal {
    /// Whether it does this.
    pub fn does(&self, act: Act) -> bool {
        self.acts.contains(&act)
    }
}

/// `Traceback (most recent call last)`, `error[E0308]: …`, `FAILED tests/a.py`, `Exit code 1`, `panicked at`.
static FAILURE: LazyLock<Regex> = LazyLock::new(|| {
    let marks = [
        r"Traceback \(most recent call last\)",
        r"^(?:\S+: )?(?:fatal|error|ERROR|Error)(?:\[\w+\])?:",
        r"^\w*(?:Error|Exception): ",
        r"^(?:FAIL|FAILED|--- FAIL)\b",
        r"\b[1-9]\d* (?:failed|failing|errors?)\b",
        r"^Exit code [1-9]",
        r"panicked at",
        r"Segmentation fault|core dumped|out of memory|command not found|<tool_use_error>",
    ];
    Regex::new(&format!("(?m){}", marks.join("|"))).expect("valid")
});

/// `12 passed in 0.3s`, `test result: ok`, `ok  pkg 0.1s`, `PASS`, `0 issues.`
static SUCCESS: LazyLock<Regex> = LazyLock::new(|| {
    let marks = [
        r"\b[1-9]\d* (?:passed|passing)\b",
        r"test result: ok",
        r"^ok\s+\S+",
        r"^(?:PASS|PASSED|OK)\b",
        r"\b0 (?:issues|errors|failed|failures)\b",
        r"(?i)all (?:tests|checks) pass",
    ];
    Regex::new(&format!("(?m){}", marks.join("|"))).expect("valid")
});

/// `225.3 tok/s`, `1.24 ms`, `710 GB/s`, `peak_fraction: 0.04`, `1.8x`.
static FIGURE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\d\s?(?:tok(?:ens)?/s|t/s|ms|us|µs|[GT]B/s|gbps|[GT]FLOPS?|it/s|req/s|qps|ops/s|ns/op)\b|peak_fraction|\d\.\d+x\b|\bp(?:50|9[059])\b",
    )
    .expect("valid")
});

/// How long a tool took over its own work: `Installed 1 package in 1ms`, `Checked 27 files in 25ms.`; not `mean in 25 ms`.
static OWN_TIME: LazyLock<Regex> = LazyLock::new(|| {
    let verbs = "audited|built|bundled|checked|compiled|completed|copied|done|downloaded|fetched|finished|fixed|formatted|\
        generated|installed|linked|linted|prepared|ready|resolved|tested|transformed|transpiled|uninstalled|updated|wrote";
    Regex::new(&format!(r"(?im)^\W*(?:\w+ )?(?:{verbs})\b.*\bin [\d.]+ ?(?:ms|us|µs)\b.*$")).expect("valid")
});

/// Whether an output shows figures of what was run: at least two, the times of package managers and formatters aside.
fn has_figures(output: &str) -> bool {
    let figures = |text: &str| FIGURE.find_iter(text).take(2).count();
    figures(output) == 2 && (!OWN_TIME.is_match(output) || figures(&OWN_TIME.replace_all(output, "")) == 2)
}

/// `time.perf_counter()`, `do_bench(`, `cuda.Event(`.
static TIMES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"perf_counter|do_bench|cuda\.Event|timeit|elapsed_time|time_fn|time\.time\(").expect("valid")
});

/// `profile(activities=…`, `cProfile`.
static PROFILES: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"torch\.profiler|cProfile|profile\(|key_averages|ablat").expect("valid"));

/// `assert x == y`, `torch.allclose(`.
static ASSERTS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\bassert\b|allclose|assert_|max_?(?:abs_?)?(?:diff|err)|mismatch").expect("valid"));

/// How much of an output is searched from each end: the verdict of a check stands at an end.
const SEARCHED: usize = 6_000;

/// The signals of all steps.
pub fn of(session: &Session, facts: &Facts) -> Vec<Signal> {
    let commands: BTreeMap<MessageIdx, &CommandRun> = facts.commands.iter().map(|c| (c.message, c)).collect();
    let step = |i: u32| {
        let step = session.step(StepIdx(i));
        let message = session.message(step.main);
        let run = commands.get(&step.main).copied().filter(|run| run.ran);
        let mut signal = read(step.main, message, run);
        for at in step.first.0..=step.main.0 {
            say(&mut signal, MessageIdx(at), session.message(MessageIdx(at)));
        }
        signal
    };
    let mut signals: Vec<Signal> = (0..session.steps.len() as u32).map(step).collect();
    tell_tracking(&mut signals);
    signals
}

/// Calls of the task list in a row from which on they are planning (guide 2.14).
const PLANNING: usize = 3;

/// Fewer calls of the task list in a row than [`PLANNING`] are no plan: they belong to the phase that they open or close.
fn tell_tracking(signals: &mut [Signal]) {
    let mut step = 0;
    while step < signals.len() {
        let run = signals[step..].iter().take_while(|s| s.tool == Some(ToolKind::Todo)).count();
        if run < PLANNING {
            for signal in &mut signals[step..step + run] {
                signal.acts.iter_mut().filter(|a| **a == Act::Plan).for_each(|a| *a = Act::Track);
                signal.act = Act::Track;
            }
        }
        step += run.max(1);
    }
}

fn read(main: MessageIdx, message: &Message, run: Option<&CommandRun>) -> Signal {
    let classes = run.map(classes_of).unwrap_or_default();
    let (changes, reads) = files_of(message, run);
    let mut acts = acts_of(message, &classes, &changes);
    let inline = run.and_then(inline_of);
    let figures = message.tool().is_some_and(|t| matches!(t, ToolKind::Shell | ToolKind::Job))
        && has_figures(ends_of(message.output()).0);
    if figures && acts.iter().any(|a| matches!(a, Act::Execute | Act::Test | Act::Wait)) {
        acts.push(Act::Measure);
    }
    match inline {
        Some("times") => acts.push(Act::Measure),
        Some("profiles") => acts.push(Act::Profile),
        Some("asserts") => acts.push(Act::Test),
        _ => {}
    }
    if acts.contains(&Act::Wait) && acts.iter().all(|a| matches!(a, Act::Wait | Act::Look | Act::Diagnose)) {
        // `sleep 60; tail -2 train.log` polls: it looks for an end, not for a cause.
        acts = vec![Act::Wait];
    }
    let act = acts.iter().copied().max_by_key(|a| weight(*a)).unwrap_or(Act::Execute);
    acts.sort_unstable();
    acts.dedup();
    let ended = ended(message, run);
    let (kind, tool) = (message.kind, message.tool());
    Signal {
        main,
        kind,
        tool,
        acts,
        act,
        classes,
        changes,
        reads,
        ended,
        figures,
        inline,
        says: Vec::new(),
        words: String::new(),
    }
}

/// Which act names a step that does several: what changes the world before what looks at it.
fn weight(act: Act) -> usize {
    match act {
        Act::Look | Act::Execute | Act::Wait => 1,
        Act::Say | Act::Ask => 0,
        Act::Commit => 3,
        Act::Edit | Act::Write | Act::Build => 4,
        Act::Publish => 6,
        _ => 5,
    }
}

fn classes_of(run: &CommandRun) -> Vec<String> {
    let mut classes = vec![run.class.0.clone()];
    for part in &run.parts {
        if part.class.0 != "noop" && !classes.contains(&part.class.0) {
            classes.push(part.class.0.clone());
        }
    }
    classes
}

fn acts_of(message: &Message, classes: &[String], changes: &[FileKind]) -> Vec<Act> {
    let by_tool = match (message.kind, message.tool()) {
        (MessageKind::User, _) => Some(Act::Ask),
        (MessageKind::Text, _) => Some(Act::Say),
        (_, Some(ToolKind::Read | ToolKind::Search | ToolKind::Web | ToolKind::Agent)) => Some(Act::Look),
        (_, Some(ToolKind::Todo | ToolKind::Plan | ToolKind::Question)) => Some(Act::Plan),
        (_, Some(ToolKind::Job)) => Some(Act::Wait),
        (_, Some(ToolKind::Edit | ToolKind::Write)) => Some(Act::Edit),
        _ => None,
    };
    let by_class = classes.iter().filter_map(|c| CLASS_ACTS.iter().find(|row| row.0 == c).map(|row| row.1));
    let mut acts: Vec<Act> = by_tool.into_iter().chain(by_class).collect();
    if acts.contains(&Act::Edit) && !changes.is_empty() && changes.iter().all(|k| *k == FileKind::Plan) {
        acts.retain(|a| *a != Act::Edit);
        acts.push(Act::Plan);
    }
    if acts.contains(&Act::Edit)
        && !changes.is_empty()
        && changes.iter().all(|k| matches!(k, FileKind::Doc | FileKind::Notes))
    {
        acts.retain(|a| *a != Act::Edit);
        acts.push(Act::Write);
    }
    acts
}

/// Files that the step changes, and files that it reads.
fn files_of(message: &Message, run: Option<&CommandRun>) -> (Vec<FileKind>, Vec<FileKind>) {
    let (mut changes, mut reads) = (Vec::new(), Vec::new());
    let path = message.path().map(FileKind::of);
    match message.tool() {
        Some(ToolKind::Edit | ToolKind::Write) => {
            let patched = message.input("patch").or_else(|| message.input("input")).and_then(patched_file);
            changes.extend(path.or(patched.map(FileKind::of)));
        }
        Some(ToolKind::Read) => reads.extend(path),
        _ => {}
    }
    for part in run.into_iter().flat_map(|r| &r.parts) {
        match part.class.0.as_str() {
            "write-heredoc" => changes.extend(part.writes.iter().map(|p| FileKind::of(p))),
            "edit-inplace" => changes.extend(part.args.last().map(|p| FileKind::of(p))),
            "read" | "log-read" => {
                reads.extend(part.args.iter().rev().find(|a| a.contains('.')).map(|p| FileKind::of(p)))
            }
            _ => {}
        }
    }
    for kinds in [&mut changes, &mut reads] {
        kinds.sort_unstable();
        kinds.dedup();
    }
    (changes, reads)
}

/// `*** Update File: src/a.rs`.
fn patched_file(patch: &str) -> Option<&str> {
    patch.lines().find_map(|l| l.strip_prefix("*** ").and_then(|l| l.split_once(" File: "))).map(|(_, path)| path)
}

/// What code given on the command line or in a here-document does.
fn inline_of(run: &CommandRun) -> Option<&'static str> {
    let code = run.parts.iter().find_map(|part| match (&part.stdin, part.args.iter().position(|a| a == "-c")) {
        (Some(text), _) if part.class.0 == "script-run" => Some(text.as_str()),
        (None, Some(at)) if part.class.0 == "script-run" => part.args.get(at + 1).map(String::as_str),
        _ => None,
    })?;
    [("profiles", &PROFILES), ("times", &TIMES), ("asserts", &ASSERTS)]
        .into_iter()
        .find_map(|(word, pattern)| pattern.is_match(code).then_some(word))
}

/// The beginning and the end of a text, as far as they are searched.
fn ends_of(text: &str) -> (&str, &str) {
    if text.len() <= SEARCHED {
        return (text, "");
    }
    let (head, tail) = (floor(text, SEARCHED / 2), floor(text, text.len() - SEARCHED / 2));
    (&text[..head], &text[tail..])
}

fn ended(message: &Message, run: Option<&CommandRun>) -> Ended {
    let Some(call) = &message.call else { return Ended::Open };
    if matches!(call.outcome, Outcome::Failed | Outcome::Denied) || matches!(call.exit, Exit::Code(c) if c != 0) {
        return Ended::Failed;
    }
    let looks = run.is_some_and(|r| LOOKING.contains(&r.class.0.as_str()));
    if !matches!(call.kind, ToolKind::Shell | ToolKind::Job) || looks {
        let failed = message.output().starts_with("Exit code ") || message.output().starts_with("<tool_use_error>");
        return if failed { Ended::Failed } else { Ended::Open };
    }
    let (head, tail) = ends_of(message.output());
    let any = |pattern: &Regex| pattern.is_match(head) || pattern.is_match(tail);
    if any(&FAILURE) {
        Ended::Failed
    } else if any(&SUCCESS) {
        Ended::Passed
    } else {
        Ended::Open
    }
}

/// Classes whose output is text of others: an error in it is not theirs.
#[rustfmt::skip]
const LOOKING: &[&str] = &["diff", "help", "list", "log-read", "noop", "poll", "read", "search", "vcs-read", "web"];

/// How much of a text is read for words: aims stand at the beginning, and at the end of long ones.
const SPOKEN: usize = 400;

fn say(signal: &mut Signal, at: MessageIdx, message: &Message) {
    let Some(part) = message.part_at(PartKind::Prose) else { return };
    let text = &message.parts[part].text;
    let head = &text[..floor(text, text.len().min(SPOKEN))];
    let votes = cue_words::votes(head).into_iter().map(|(kind, span)| (kind, (at, part, span)));
    signal.says.extend(votes);
    signal.words.push_str(&head.to_lowercase());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_by_path() {
        for (path, kind) in [
            ("src/lib.rs", FileKind::Code),
            ("tests/it.rs", FileKind::Test),
            ("docs/guide.md", FileKind::Doc),
            ("/etc/systemd/system/web.service", FileKind::Config),
            (".github/workflows/ci.yml", FileKind::Pipeline),
            ("bench_attention.py", FileKind::Bench),
        ] {
            assert_eq!(FileKind::of(path), kind, "{path}");
        }
    }

    #[test]
    fn verdicts() {
        assert!(FAILURE.is_match("error[E0308]: mismatched types"));
        assert!(!FAILURE.is_match("0 errors, 0 failed"));
        assert!(SUCCESS.is_match("===== 12 passed in 0.3s ====="));
        assert!(!SUCCESS.is_match("0 passed"));
        assert!(FIGURE.is_match("mean 1.24 ms"));
        assert!(!FIGURE.is_match("12 items"));
        assert!(!has_figures("Resolved 5 packages in 86ms\nInstalled 1 package in 1ms"));
        assert!(!has_figures("$ biome check\nChecked 27 files in 25ms. No fixes applied.\nChecked 3 files in 2ms."));
        assert!(has_figures("Installed 1 package in 1ms\nmean 1.24 ms\nmin 1.20 ms"));
        assert!(TIMES.is_match("t = time.perf_counter()") && !TIMES.is_match("print(x)"));
        assert!(PROFILES.is_match("import cProfile") && !PROFILES.is_match("print(x)"));
        assert!(ASSERTS.is_match("assert a == b") && !ASSERTS.is_match("print(x)"));
    }

    #[test]
    fn classes_are_sorted() {
        assert!(CLASS_ACTS.windows(2).all(|w| w[0].0 < w[1].0));
    }
}
