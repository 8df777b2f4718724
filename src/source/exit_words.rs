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
        r"Command executed in terminal [^\n]{0,400}\bExit code:",
        r"Exit [Cc]ode:?",
        r"<(?:[^<>\n]{0,80} )?(?:exited|completed) with exit code",
        r"<system>ERROR: Command failed with exit code:",
    ];
    Regex::new(&format!(r"(?m)^(?:{}) (-?\d{{1,9}})\b", forms.join("|"))).expect("valid")
});
/// `Process running with session ID 7` on a line of the head, `Command still running (session x` on the last.
static RUNNING: LazyLock<Regex> = LazyLock::new(|| {
    let forms = [
        r"Process running with session ID \d+",
        r"Command still running \(session ",
        r"<command with shellId: \S+ is still running",
    ];
    Regex::new(&format!("(?m)^(?:{})", forms.join("|"))).expect("valid")
});
/// `Command timed out after 300 seconds`, `Command aborted` on the last line.
static STOPPED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:(Command timed out after \d+)|Command aborted$|Tool execution was aborted)").expect("valid")
});

/// Beginnings of an output by which the harness says that the user or a rule refused the call.
const REFUSED: &[&str] = &[
    "Permission denied by user",
    "The user denied this operation",
    "The user doesn't want to",
    "The user rejected",
    "The user skipped",
    "User cancelled",
    "User rejected",
];

/// Beginnings of an output by which the harness says that the call failed.
const FAILED: &[&str] = &["<tool_use_error>", "<system>ERROR: "];

/// How a call ended by its output. Only the lines are read in which harnesses put it: the head that comes before
/// `Output:`, the first line, and the last. A program that prints such a line in between proves nothing.
pub fn ending(output: &str) -> (Outcome, Exit) {
    let head = head(output);
    let last = output.trim_end().rsplit('\n').next().unwrap_or("");
    let code = [head, last].iter().find_map(|part| EXITED.captures(part)?[1].parse::<i32>().ok());
    match code {
        Some(0) => (Outcome::Ok, Exit::Code(0)),
        Some(code) => (Outcome::Failed, Exit::Code(code)),
        None if RUNNING.is_match(head) || RUNNING.is_match(last) => (Outcome::NotRecorded, Exit::Running),
        None if STOPPED.is_match(last) => match STOPPED.captures(last).is_some_and(|found| found.get(1).is_some()) {
            true => (Outcome::Failed, Exit::Killed),
            false => (Outcome::Interrupted, Exit::Killed),
        },
        None if REFUSED.iter().any(|words| output.starts_with(words)) => (Outcome::Denied, Exit::NotRecorded),
        None if FAILED.iter().any(|mark| output.starts_with(mark)) => (Outcome::Failed, Exit::NotRecorded),
        None => (Outcome::NotRecorded, Exit::NotRecorded),
    }
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
    }
}
