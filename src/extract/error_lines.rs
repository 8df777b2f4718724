//! The forms in which tools print that something went wrong: a table of line patterns.
//!
//! A line is held against the table only when the cheap scan found one of [`HINTS`] in it, and without what loggers,
//! `grep -n` and test runners put before it. Rows stand in order of precedence. The table prefers silence to a wrong
//! hit: the word `error` alone makes no failure.

use std::sync::LazyLock;

use crate::text::pattern::{Regex, RegexSet};
use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};

use crate::base::span::ByteSpan;

/// How much a form says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Weight {
    /// Names the failure.
    Named,
    /// Names a failure that a later one of the same chain overtook.
    Overtaken,
    /// Counts failures that other lines of the output name.
    Summary,
    /// A probe that found nothing, a malformed call: not a failure of the work.
    Tooling,
    /// Says no more than that a command failed.
    Exit,
}

/// A form of error line.
pub struct Form {
    weight: Weight,
    pattern: &'static str,
    #[cfg_attr(not(test), allow(dead_code, reason = "examples for the reader and for the test"))]
    yes: &'static str,
    #[cfg_attr(not(test), allow(dead_code, reason = "examples for the reader and for the test"))]
    no: &'static str,
}

/// An error line found in an output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ErrorLine {
    /// The line without what stands before its message.
    pub span: ByteSpan,
    /// How much it says.
    pub weight: Weight,
    /// Row of the table.
    pub form: usize,
}

use Weight::{Exit, Named, Summary, Tooling};

#[rustfmt::skip]
const FORMS: &[Form] = &[
    Form { weight: Tooling, pattern: r"^<?(?:tool_use_error>|Error: )?(?:File has not been read yet|File has been (?:unexpectedly )?modified since|String to replace not found|old_?[sS]tring|Found \d+ matches of the string|InputValidationError|Invalid (?:tool )?(?:arguments|parameters|input)|The .{1,30} tool was called with invalid|No changes to make|apply_patch verification failed|(?:ERROR: )?Error validating |Blocked: |Permission to use|Claude requested permissions|This command requires approval|The user doesn't want)", yes: "<tool_use_error>File has not been read yet. Read it first.", no: "File read." },
    Form { weight: Tooling, pattern: r"(?i)^(?:(?:/usr)?/?(?:bin/)?(?:ba|z|da|k)?sh|-bash|eval)(?::|\[)[^\n]*(?:syntax error|unexpected EOF|unmatched|bad substitution|command not found|no matches found|not found|parse error|No such file or directory|event not found|Permission denied)|^zsh: |^\(eval\):", yes: "bash: line 3: syntax error near unexpected token `('", no: "bash: ready" },
    Form { weight: Tooling, pattern: r"^(?:ls|cat|head|tail|find|grep|egrep|rg|sed|wc|stat|du|cd|rm|cp|mv|diff|tree|file|less|awk|jq|lsd|fd|xxd|touch|mkdir|rmdir|chmod): .*(?:No such file|cannot |Is a directory|not a directory|Permission denied|os error|can't|File exists|illegal option|unrecognized option|invalid option|parse error)", yes: "ls: cannot access 'x': No such file or directory", no: "cat: meow" },
    Form { weight: Exit, pattern: r"(?i)^(?:error:? )?(?:task|command|script|job|recipe|\S+ run) .{0,40}\bfailed\b|^(?:error:? )?task failed|^failed with exit code", yes: "ERROR task failed", no: "the task is done" },
    Form { weight: Exit, pattern: r"(?i)^(?:ERROR: )?(?:command|process|exit code|\(?exit)\b.{0,24}?(?:code|status|with)?[:= ]+-?[1-9]\d{0,2}\b(?:\.|</system>|$|\)|,)", yes: "Command failed with exit code: 1.", no: "Process 12 begins" },
    Form { weight: Named, pattern: r"^(?:Uncaught |Unhandled |During handling )?(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Timeout|Expired|Interrupt)(?:\s?\[\w+\])?: ?\S", yes: "AttributeError: module 'a' has no attribute 'b'", no: "except ValueError: pass" },
    Form { weight: Named, pattern: r"^(?:[A-Za-z_]\w*\.)*(?:AssertionError|KeyboardInterrupt|TimeoutError|RecursionError|MemoryError|NotImplementedError|StopIteration)$", yes: "AssertionError", no: "an AssertionError occurred" },
    Form { weight: Named, pattern: r"^Exception in thread .|^Caused by: \S+(?:Exception|Error)", yes: "Exception in thread \"main\" java.lang.NullPointerException", no: "Exception handling" },
    Form { weight: Named, pattern: r"^(?:thread '.*' (?:\(\d+\) )?panicked at|panic: |fatal error: |goroutine \d+ \[running)", yes: "thread 'main' panicked at src/main.rs:3:5:", no: "no panic: fine" },
    Form { weight: Named, pattern: r"^(?:[\w./@+~-]+(?:[:(]\d+[\d:,)]*)?(?::| -)? ?)?(?:fatal |internal |syntax |compile |linker |runtime |compiler |API |build |type |internal compiler )?(?:[Ee]rror|ERROR|fatal|FATAL)(?:\[\w+\]| [A-Z]{1,4}\d{2,5})?: +[^\s0]", yes: "api_server.py: error: argument --profiler-config: bad value", no: "errors: 3" },
    Form { weight: Summary, pattern: r"^make(?:\[\d+\])?: \*\*\*", yes: "make: *** [Makefile:3: all] Error 2", no: "make: nothing to be done" },
    Form { weight: Named, pattern: r"^npm (?:ERR!|error) \S|^ERR_PNPM|^E: \S|^ninja: build stopped|^collect2: error|^CMake Error", yes: "npm ERR! missing script: x", no: "npm notice" },
    Form { weight: Named, pattern: r"^(?:FAILED|FAIL|ERROR)(?::| +(?:\[[^\]]*\] )?)[\w./:@{\[-]|^--- FAIL: \S|^not ok \d|^test \S+ \.\.\. FAILED|^(?:✗|✕|×|❌|✖) +\S", yes: "FAILED tests/test_a.py::test_b - assert 1 == 2", no: "FAILED_STATES = []" },
    Form { weight: Named, pattern: r"^(?:(?:[\w./-]+: )?(?:Failed|failed|Unable|unable|Could not|could not|Couldn't|couldn't|Cannot|cannot) (?:to )?[a-z]+\b|(?:Failed|Cannot) [A-Za-z]+ module)", yes: "Failed to initialize NVML: Driver/library version mismatch", no: "Failed: 0" },
    Form { weight: Named, pattern: r"(?i)\b(?:out of memory|OOMKilled|oom-kill|segmentation fault|core dumped|bus error|illegal instruction|stack overflow|double free|device-side assert|illegal memory access)\b|^Killed\b", yes: "torch.OutOfMemoryError: CUDA out of memory. Tried 2 GiB", no: "memory is out" },
    Form { weight: Named, pattern: r"(?i)\b(?:contains?|detected|got|returned|produced|is|are|has|=|:|loss[ =:]+)\s*nans?\b|\bnans? (?:in|detected|values? (?:in|found|at)|loss|logits)\b", yes: "rank 0 sum=nan expected=10.0  WRONG", no: "numpy.nan" },
    Form { weight: Named, pattern: r"\b(?:WRONG|MISMATCH|CORRUPT(?:ED)?)\b|(?i:\b[1-9][\d,]* (?:mismatch(?:es)?|corrupted|(?:pairs|values|elements|rows) (?:differ|mismatch|wrong)))", yes: "12 pairs tested, 12 corrupted", no: "0 mismatches" },
    Form { weight: Named, pattern: r"\b(?:IO_PAGE_FAULT|NVRM: Xid|Machine check|Hardware Error|soft lockup|Call Trace|kernel BUG|segfault at|I/O error)\b", yes: "AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x31]", no: "page faults: none" },
    Form { weight: Named, pattern: r"\bERR_[A-Z_]{4,}|\b(?:CUBLAS|CUDNN|NCCL|CUSPARSE)_STATUS_(?:NOT|EXEC|INTERNAL|ARCH|ALLOC|INVALID)\w*|\bCUDA error:|\b(?:ECONNREFUSED|ECONNRESET|ENOENT|EACCES|EADDRINUSE|ETIMEDOUT|ENOTFOUND|EPERM)\b", yes: "==ERROR== ERR_NVGPUCTRPERM - no permission", no: "CUBLAS_STATUS_SUCCESS" },
    Form { weight: Named, pattern: r"(?i)^(?:[\w./() -]+: )?(?:.*\b(?:connection (?:refused|reset|timed out)|could not resolve host|network is unreachable|address already in use|permission denied|operation not permitted|no space left on device|timed out after|deadline exceeded)\b)", yes: "curl: (7) Failed to connect: Connection refused", no: "the connection is fine" },
    Form { weight: Named, pattern: r"^(?:[\d\[(]\S* ){0,3}\[?(?:ERROR|CRITICAL|FATAL)\]?(?:[\s:|-]+| \S+ )\S|^error\b.{0,60}\bfailed\b", yes: "2026-01-01 10:00:00 ERROR worker died", no: "the ERROR level" },
    Form { weight: Exit, pattern: r"^Traceback \(most recent call last\)", yes: "Traceback (most recent call last):", no: "the Traceback" },
    Form { weight: Summary, pattern: r"(?i)(?:^|[\s=(,✗×|])[1-9][\d,]* (?:tests? |checks? |requests? |jobs? |suites? |problems? )?(?:failed|failures?|errors?|failing)\b|(?-i:^FAIL(?:ED)?(?:$|[\s:])|\bBUILD FAILED\b|test result: FAILED)", yes: "2 failed, 10 passed in 3.1s", no: "0 failed, 10 passed" },
    Form { weight: Exit, pattern: r"(?i)\b(?:exit(?:ed)?(?: with)?(?: code| status)?|exit_?code|returncode|rc|process completed with exit code)[:= ]+-?[1-9]\d{0,2}\b|\bcommand (?:failed|timed out)\b|\btimed out\b", yes: "Command failed with exit code: 1.", no: "exit code 0" },
];

/// Cheap signs that a line may match a row: looked for in one pass over the whole output.
#[rustfmt::skip]
const HINTS: &[&str] = &[
    "abort", "bad substitution", "blocked:", "bug", "bus error", "call trace", "can't", "cannot", "caused by", "command not found", "core dumped",
    "corrupt", "could not", "couldn't", "critical", "cublas", "cudnn_", "cusparse_", "deadline", "device-side", "differ",
    "double free", "e: ", "eacces", "eaddrinuse", "econn", "enoent", "enotfound", "eperm", "err", "etimedout", "exception",
    "exit", "expired", "fail", "fatal", "fault", "goroutine", "has not been read", "illegal", "in use", "interrupt",
    "is a directory", "killed", "lockup", "machine check", "memory", "mismatch", "nan", "nccl_status", "no space",
    "no such file", "not found", "not ok", "not permitted", "not resolve", "old_string", "oldstring", "oom",
    "overflow", "panic", "permission", "rc=", "refused", "returncode", "stopped", "timed out", "timeout", "traceback",
    "unable", "unreachable", "unexpected", "wrong", "xid", "✕", "✖", "✗", "❌", "×", "***", "invalid", "stopiteration", "zsh: ", "(eval)",
];

static SCAN: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasickBuilder::new()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostFirst)
        .build(HINTS)
        .expect("the hints are plain words")
});

static TABLE: LazyLock<RegexSet> =
    LazyLock::new(|| RegexSet::new(FORMS.iter().map(|f| f.pattern)).expect("the table's patterns are tested"));

/// `E       `, `[10:00:00 TP3] `, `(Worker_TP0) `, `404:`, `rank0: `; not `a.py:3: `.
static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:\s+|E\s{2,}|>\s+|\d{1,6}[:-]\s?|\[[^\]\n]{1,60}\]:?\s+|\([\w ./=-]{1,40}\)\s+|rank\d+: |\[rank\d+\]: |<system>|\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\s+|(?:INFO|DEBUG)\s+|\x1b\[[\d;]*m)+")
        .expect("valid")
});

/// "0 errors", "no failures", "error: none", "expected error"; not "10 errors".
static DENIED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:no|zero|without|any)\s+(?:\w+\s+)?(?:errors?|failures?|mismatch(?:es)?|nans?|problems|failed)\b|(?:^|[^\d.,])0\s+(?:errors?|failures?|failed|mismatch(?:es)?|corrupted)\b|\b(?:errors?|failures?|failed|mismatch(?:es)?|nans?|fatal)\W{1,4}(?:0\b|none|null|false|\[\]|\{\})|\bxfail|should (?:fail|error|raise)|\bif .*(?:==|!=)|\(expected\)|\b0 remaining\b|^debconf: |^\W*(?:warning|warn|note|info|debug|hint|help|#|//|/\*|--?[a-z])|[✓✔√]|\bPASS(?:ED)?\b|\bok$")
        .expect("valid")
});

/// The error lines of an output, in order, at most `most`; lines of programs and docs rarely begin like one.
pub fn error_lines(output: &str, most: usize) -> Vec<ErrorLine> {
    let mut found = Vec::new();
    let mut done = 0;
    for hint in SCAN.find_iter(output) {
        if hint.start() < done {
            continue;
        }
        let line = line_at(output, hint.start());
        done = line.end + 1;
        if let Some(error) = read(output, line) {
            let overtaken = error.weight == Named && is_overtaken(output, line);
            found.push(ErrorLine { weight: if overtaken { Weight::Overtaken } else { error.weight }, ..error });
            if found.len() == most {
                break;
            }
        }
    }
    found
}

/// Reads one line.
fn read(output: &str, line: ByteSpan) -> Option<ErrorLine> {
    let whole = line.of(output)?;
    if whole.len() > LONGEST_LINE {
        return None;
    }
    let lead = BEFORE.find(whole).map_or(0, |m| m.end());
    let words = whole[lead..].trim_end();
    let words = words.strip_suffix("</system>").or(words.strip_suffix("</tool_use_error>")).unwrap_or(words);
    let form = TABLE.matches(words).iter().next()?;
    let weight = FORMS[form].weight;
    if weight != Tooling && (DENIED.is_match(words) || is_source(words)) {
        return None;
    }
    Some(ErrorLine { span: ByteSpan::new(line.start + lead, line.start + lead + words.len()), weight, form })
}

/// Longer lines are data, not messages.
const LONGEST_LINE: usize = 1000;

/// Whether a line reads like program text rather than like its output.
fn is_source(words: &str) -> bool {
    const MARKS: &[&str] = &[
        "print(", "println!", "printf(", "console.", "raise ", "throw ", "logger.", "=> {", ") {", "};", "def ", "fn ",
        "echo \"", "except ", "catch (",
    ];
    MARKS.iter().any(|m| words.contains(m)) || words.ends_with(['{', ';', '\\'])
}

/// Whether a later exception of the same chain tells more: "The above exception was the direct cause …".
fn is_overtaken(output: &str, line: ByteSpan) -> bool {
    let rest = output.get(line.end..).unwrap_or("").trim_start();
    rest.starts_with("During handling of the above") || rest.starts_with("The above exception was")
}

/// The bytes of the line that holds `at`, without its line break.
pub fn line_at(text: &str, at: usize) -> ByteSpan {
    let start = text[..at].rfind('\n').map_or(0, |i| i + 1);
    let end = text[at..].find('\n').map_or(text.len(), |i| at + i);
    ByteSpan::new(start, end)
}

/// The last line that is not blank.
pub fn last_line(text: &str) -> Option<ByteSpan> {
    let end = text.trim_end().len();
    (end > 0).then(|| line_at(text, end - text[..end].chars().next_back().map_or(0, char::len_utf8)))
}

/// Paths, addresses, ids, quoted names of files and numbers, in this order.
static VARIABLE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:~|\.{1,2})?(?:/[\w.@+-]+){2,}/?|0x[0-9a-fA-F]+|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{7,40}\b|=-?(?:nan|inf)\b|=-?\d[\d.,:]*|\d+(?:[.,:]\d+)*")
        .expect("valid")
});

/// The line with what varies from run to run masked: equal signatures are one failure.
pub fn signature(line: &str) -> String {
    let masked = VARIABLE.replace_all(line, "#");
    let mut out = String::with_capacity(masked.len().min(160));
    for c in masked.chars() {
        if out.len() >= 160 {
            break;
        }
        if !(c == '#' && out.ends_with('#')) {
            out.push(c);
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_matches_its_line_and_leaves_the_other_alone() {
        for form in FORMS {
            let pattern = Regex::new(form.pattern).unwrap();
            assert!(pattern.is_match(form.yes), "{:?} is for {:?}", form.pattern, form.yes);
            assert!(!pattern.is_match(form.no), "{:?} is not for {:?}", form.pattern, form.no);
            assert!(SCAN.is_match(form.yes), "no hint finds {:?}", form.yes);
        }
    }

    fn lines(output: &str) -> Vec<&str> {
        error_lines(output, 9)
            .iter()
            .filter(|e| e.weight != Weight::Overtaken)
            .map(|e| e.span.of(output).unwrap())
            .collect()
    }

    #[test]
    fn what_loggers_put_before_is_put_aside() {
        assert_eq!(
            lines("391:[2026-02-16 09:41:28 TP3] RuntimeError: CUDA error: bad\n"),
            ["RuntimeError: CUDA error: bad"]
        );
        assert!(!BEFORE.is_match("a.py:3: error"));
    }

    #[test]
    fn the_word_error_alone_is_no_failure() {
        let output = "0 errors\nerror_rate 0.1\ntest_error_handling PASSED\n    raise ValueError(\"x\")\nWARNING: the utility failed to run\nno failures\n";
        assert_eq!(lines(output), [""; 0]);
        assert!(!DENIED.is_match("10 errors"));
    }

    #[test]
    fn the_last_exception_of_a_chain_counts() {
        let output = "OSError: no source\n\nThe above exception was the direct cause of the following exception:\n\nValueError: not a file\n";
        assert_eq!(lines(output), ["ValueError: not a file"]);
    }

    #[test]
    fn signatures_mask_what_varies() {
        assert_eq!(
            signature("Error: /a/b/c.py:3 took 12.5 s at 0x7f"),
            signature("Error: /x/y.py:99 took 3 s at 0x11")
        );
        assert_ne!(signature("no module named 'a'"), signature("no module named 'b'"));
        assert!(!VARIABLE.is_match("plain words"));
    }

    #[test]
    fn the_last_line_is_the_last_that_says_something() {
        assert_eq!(last_line("a\nbä \n\n").and_then(|s| s.of("a\nbä \n\n")), Some("bä "));
        assert_eq!(last_line(" \n"), None);
    }
}
