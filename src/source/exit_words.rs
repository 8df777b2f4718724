//! How a call ended, where only its output text says so.

use std::sync::LazyLock;

use regex::Regex;

use crate::model::message::{Exit, Outcome};

/// `Process exited with code 0` on a line of the head, `Exit code 1` on the first line, `Exit Code: 1`, `Command exited
/// with code 2` and `<command exited with exit code 2>` on the last.
static EXITED: LazyLock<Regex> = LazyLock::new(|| {
    let forms = [
        r"\[?Process exited with code",
        r"Command exited with code",
        r#"Command (?:"[^"\n]{0,400}" )?failed with exit code"#,
        r"Command executed in terminal [^\n]{0,400}\bExit code:",
        r"Exit [Cc]ode:?",
        r"<(?:[^<>\n]{0,80} )?(?:exited|completed) with exit code",
        r"(?:<system>ERROR: )?Command failed with exit code:",
    ];
    Regex::new(&format!(r"(?m)^(?:{}) (-?\d{{1,9}})\b", forms.join("|"))).expect("valid")
});
/// `Process running with session ID 7`, `Script running with cell ID 8` on a line of the head, `Command still running
/// (session x` on the last.
static RUNNING: LazyLock<Regex> = LazyLock::new(|| {
    let forms = [
        r"Process running with session ID \d+",
        r"Script running with cell ID \d+",
        r"Command still running \(session ",
        r"<command with shellId: \S+ is still running",
    ];
    Regex::new(&format!("(?m)^(?:{})", forms.join("|"))).expect("valid")
});
/// What a harness says when it stopped a command, on the first line or the last: `Command timed out after 300 seconds`,
/// `The command 'x' was cancelled because it took more than 30 seconds` (SWE-agent), `[The command timed out after 30
/// seconds` (OpenHands), `EXECUTION TIMED OUT`, `The last command … timed out and has been killed`; and when a user or a
/// fault did: `Command aborted`.
static STOPPED: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    let timed_out = [
        r"Command timed out after \d+",
        r"The command '[^\n]{0,400}' was cancelled because it took more than \d+ seconds",
        r"\[The command timed out after [\d.]+ seconds",
        r"EXECUTION TIMED OUT",
        r"The last command [^\n]{0,400}timed out and has been killed",
    ];
    let aborted = ["Command aborted$", "Tool execution was aborted"];
    [timed_out.join("|"), aborted.join("|")].map(|forms| Regex::new(&format!("(?m)^(?:{forms})")).expect("valid"))
});
/// `[Command finished with exit code 1]` on a line of the foot (OpenHands), `[exit_code] 1` on the last (Harbor),
/// `<returncode>1</returncode>` or `{"returncode": 1` at the beginning (mini-swe-agent).
static BRACKETED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?m)^(?:\[(?:Command finished|The command completed) with exit code|\[exit_code\]|<returncode>|\{\s*"returncode":) ?(-?\d{1,9})\b"#,
    )
    .expect("valid")
});

/// Beginnings of an output by which the harness says how the call ended. Sorted by ending, then words.
#[rustfmt::skip]
const BEGINNINGS: &[(&str, Outcome)] = &[
    ("Permission denied by user",         Outcome::Denied),
    ("The user denied this operation",    Outcome::Denied),
    ("The user doesn't want to",          Outcome::Denied),
    ("The user rejected",                 Outcome::Denied),
    ("The user skipped",                  Outcome::Denied),
    ("User cancelled",                    Outcome::Denied),
    ("User rejected",                     Outcome::Denied),
    ("exec command rejected by user",     Outcome::Denied),
    ("patch rejected",                    Outcome::Denied),
    ("rejected by user",                  Outcome::Denied),
    ("<system>ERROR: ",                   Outcome::Failed),
    ("<tool_use_error>",                  Outcome::Failed),
    ("Script failed",                     Outcome::Failed),
    ("apply_patch verification failed",   Outcome::Failed),
    ("collab spawn failed",               Outcome::Failed),
    ("exec_command failed",               Outcome::Failed),
    ("execution error: ",                 Outcome::Failed),
    ("failed to parse function arguments", Outcome::Failed),
    ("unsupported call: ",                Outcome::Failed),
    ("write_stdin failed",                Outcome::Failed),
    ("Script terminated",                 Outcome::Interrupted),
    ("aborted by user",                   Outcome::Interrupted),
];

/// Beginnings of lines that a harness puts behind the one with the status.
const BEHIND: &[&str] = &["Background PIDs:", "Process Group PGID:", "Signal:"];

/// How a call ended by its output. Only the lines are read in which harnesses put it: the head that comes before
/// `Output:`, the first line, and the last. A program that prints such a line in between proves nothing.
pub fn ending(output: &str) -> (Outcome, Exit) {
    let head = head(output);
    let behind = |line: &&str| BEHIND.iter().any(|label| line.starts_with(label));
    let last = output.trim_end().rsplit('\n').take(1 + BEHIND.len()).find(|line| !behind(line)).unwrap_or("");
    let code = [head, last].iter().find_map(|part| EXITED.captures(part)?[1].parse::<i32>().ok());
    let code = code.or_else(|| bracketed(output));
    let stopped = |how: usize| [head, last].iter().any(|part| STOPPED[how].is_match(part));
    match code {
        Some(0) => (Outcome::Ok, Exit::Code(0)),
        Some(code) => (Outcome::Failed, Exit::Code(code)),
        None if RUNNING.is_match(head) || RUNNING.is_match(last) => (Outcome::NotRecorded, Exit::Running),
        None if stopped(0) => (Outcome::Failed, Exit::Killed),
        None if stopped(1) => (Outcome::Interrupted, Exit::Killed),
        None => {
            let told = BEGINNINGS.iter().find(|(words, _)| output.starts_with(words));
            (told.map_or(Outcome::NotRecorded, |row| row.1), Exit::NotRecorded)
        }
    }
}

/// The status in the brackets of a harness: at the beginning, or on the bracketed lines at the end.
fn bracketed(output: &str) -> Option<i32> {
    const LINES: usize = 6;
    let first = output.split('\n').next().unwrap_or("");
    let code = |line: &str| BRACKETED.captures(line)?[1].parse::<i32>().ok();
    if !first.starts_with('[')
        && let Some(code) = code(first)
    {
        return Some(code);
    }
    let mut foot = output.trim_end().rsplit('\n').take(LINES).take_while(|line| line.starts_with('['));
    // OpenHands writes -1 where it does not know.
    foot.find_map(code).filter(|code| *code != -1)
}

/// How a call ended by its error flag, where the log has one, and by its output. The flag proves success or failure; what
/// kind of failure, and the exit status, only the words tell.
pub fn flagged(output: &str, is_error: Option<bool>) -> (Outcome, Exit) {
    let (outcome, exit) = ending(output);
    match (is_error, outcome) {
        (Some(true), Outcome::Ok | Outcome::NotRecorded) => (Outcome::Failed, exit),
        (Some(false), Outcome::Denied | Outcome::Interrupted | Outcome::NotRecorded) => (Outcome::Ok, exit),
        (_, outcome) => (outcome, exit),
    }
}

/// The harness's own lines before `Output:`, or the first line where there are none.
fn head(output: &str) -> &str {
    const LINES: usize = 8;
    let mut end = 0;
    for (i, line) in output.split_inclusive('\n').take(LINES).enumerate() {
        if line.trim_end().eq_ignore_ascii_case("output:") && i > 0 {
            return &output[..end];
        }
        end += line.len();
    }
    output.split('\n').next().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_harness_lines_count() {
        let unified = "Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nno such file\n";
        assert_eq!(ending(unified), (Outcome::Failed, Exit::Code(2)));
        assert_eq!(ending("Exit code 1\nboom"), (Outcome::Failed, Exit::Code(1)));
        assert_eq!(ending("Exit code 0"), (Outcome::Ok, Exit::Code(0)));
        assert_eq!(ending("a\nb\nExit Code: 3\n"), (Outcome::Failed, Exit::Code(3)));
        assert_eq!(ending("a\nExit Code: 3\nSignal: (none)\nProcess Group PGID: 7"), (Outcome::Failed, Exit::Code(3)));
        assert_eq!(
            ending("start\nProcess exited with code 1\nretrying\nok"),
            (Outcome::NotRecorded, Exit::NotRecorded)
        );
        assert_eq!(ending("Exit codes differ"), (Outcome::NotRecorded, Exit::NotRecorded));
    }

    #[test]
    fn closing_lines_of_harnesses() {
        assert_eq!(ending("boom\n\nCommand exited with code 2"), (Outcome::Failed, Exit::Code(2)));
        assert_eq!(ending("ok\n<exited with exit code 0>"), (Outcome::Ok, Exit::Code(0)));
        assert_eq!(ending("ok\n[Process exited with code 1]"), (Outcome::Failed, Exit::Code(1)));
        assert_eq!(ending("x\nCommand timed out after 300 seconds"), (Outcome::Failed, Exit::Killed));
        assert_eq!(ending("Command aborted"), (Outcome::Interrupted, Exit::Killed));
        assert_eq!(
            ending("Command executed in terminal within working directory '/w'. Exit code: 3\nOutput:\nx"),
            (Outcome::Failed, Exit::Code(3))
        );
        assert!(!RUNNING.is_match("is still running"));
    }

    #[test]
    fn a_flag_tells_of_failure_and_words_of_its_kind() {
        assert_eq!(flagged("no such file", Some(true)), (Outcome::Failed, Exit::NotRecorded));
        assert_eq!(flagged("Command aborted", Some(true)), (Outcome::Interrupted, Exit::Killed));
        assert_eq!(flagged("fine", Some(false)), (Outcome::Ok, Exit::NotRecorded));
        assert_eq!(flagged("fine", None), (Outcome::NotRecorded, Exit::NotRecorded));
    }

    #[test]
    fn a_running_process_is_no_success() {
        let text = "Wall time: 1 s\nProcess running with session ID 7\nOutput:\n";
        assert_eq!(ending(text), (Outcome::NotRecorded, Exit::Running));
        assert_eq!(ending("Script running with cell ID 8\nWall time 1.0 seconds\nOutput:\n").1, Exit::Running);
        assert_eq!(ending("Script failed\nWall time 0.1 seconds\nOutput:\n").0, Outcome::Failed);
    }

    #[test]
    fn a_command_that_the_harness_stopped_was_killed() {
        for text in [
            "The command 'make' was cancelled because it took more than 30 seconds. Please try another one.",
            "half\nEXECUTION TIMED OUT",
            "The last command <command>make</command> timed out and has been killed.",
            "half\n[The command timed out after 30.0 seconds. You may wait longer.]",
        ] {
            assert_eq!(ending(text), (Outcome::Failed, Exit::Killed), "{text}");
        }
        assert_eq!(ending("EXECUTION TIMES").1, Exit::NotRecorded);
    }

    #[test]
    fn brackets_of_harnesses_count_at_their_place() {
        let of = |text: &str| ending(text).1;
        let foot =
            "boom\n[The command completed with exit code 2.]\n[Current working directory: /w]\n[Python interpreter: p]";
        assert_eq!(of(foot), Exit::Code(2));
        assert_eq!(of("6 ms\n[Command finished with exit code 0]"), Exit::Code(0));
        assert_eq!(of("<returncode>1</returncode>\n<output>\nno\n</output>"), Exit::Code(1));
        assert_eq!(of("{\"returncode\": 0, \"output\": \"6 ms\"}"), Exit::Code(0));
        assert_eq!(of("x\n[exit_code] 3"), Exit::Code(3));
        assert_eq!(of("[Command finished with exit code 1]\nand so it goes on"), Exit::NotRecorded);
        assert_eq!(of("x\n{\"returncode\": 1}"), Exit::NotRecorded);
    }
}
