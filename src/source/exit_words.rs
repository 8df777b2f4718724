//! How a call ended, where only its output text says so.

use std::sync::LazyLock;

use regex::Regex;

use crate::model::message::{Exit, Outcome};

/// `Process exited with code 0` on a line of the head, `Exit code 1` on the first line, `Exit Code: 1` on the last.
static EXITED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?m)^(?:Process exited with code|Exit [Cc]ode:?|<system>ERROR: Command failed with exit code:) (-?\d{1,9})\b",
    )
    .expect("valid")
});
/// `Process running with session ID 7` on a line of the head.
static RUNNING: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^Process running with session ID \d+").expect("valid"));

/// `[Command finished with exit code 1]` on a line of the foot (OpenHands), `[exit_code] 1` on the last (Harbor),
/// `<returncode>1</returncode>` or `{"returncode": 1` at the beginning (mini-swe-agent).
static BRACKETED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?m)^(?:\[(?:Command finished|The command completed) with exit code|\[exit_code\]|<returncode>|\{\s*"returncode":) ?(-?\d{1,9})\b"#,
    )
    .expect("valid")
});

/// `The command 'x' was cancelled because it took more than 30 seconds.` (SWE-agent), `[The command timed out after 30
/// seconds.` (OpenHands), `EXECUTION TIMED OUT`, `The last command … timed out and has been killed`: the harness stopped the command.
static STOPPED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?m)^(?:The command '[^\n]{0,400}' was cancelled because it took more than \d+ seconds|\[The command timed out after [\d.]+ seconds|EXECUTION TIMED OUT|The last command [^\n]{0,400}timed out and has been killed)",
    )
    .expect("valid")
});

/// Beginnings of an output by which the harness says that the call failed.
const FAILED: &[&str] = &["<tool_use_error>", "<system>ERROR: "];

/// How a call ended by its output. Only the lines are read in which harnesses put it: the head that comes before
/// `Output:`, the first line, and the last. A program that prints such a line in between proves nothing.
pub fn ending(output: &str) -> (Outcome, Exit) {
    let head = head(output);
    let last = output.trim_end().rsplit('\n').next().unwrap_or("");
    let code = [head, last].iter().find_map(|part| EXITED.captures(part)?[1].parse::<i32>().ok());
    let code = code.or_else(|| bracketed(output));
    match code {
        Some(0) => (Outcome::Ok, Exit::Code(0)),
        Some(code) => (Outcome::Failed, Exit::Code(code)),
        None if RUNNING.is_match(head) => (Outcome::NotRecorded, Exit::Running),
        None if [head, last].iter().any(|part| STOPPED.is_match(part)) => (Outcome::Failed, Exit::Killed),
        None if FAILED.iter().any(|mark| output.starts_with(mark)) => (Outcome::Failed, Exit::NotRecorded),
        None => (Outcome::NotRecorded, Exit::NotRecorded),
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

    #[test]
    fn a_running_process_is_no_success() {
        let text = "Wall time: 1 s\nProcess running with session ID 7\nOutput:\n";
        assert_eq!(ending(text), (Outcome::NotRecorded, Exit::Running));
    }
}
