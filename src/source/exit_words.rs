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
        None if RUNNING.is_match(head) => (Outcome::NotRecorded, Exit::Running),
        None if FAILED.iter().any(|mark| output.starts_with(mark)) => (Outcome::Failed, Exit::NotRecorded),
        None => (Outcome::NotRecorded, Exit::NotRecorded),
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
    fn a_running_process_is_no_success() {
        let text = "Wall time: 1 s\nProcess running with session ID 7\nOutput:\n";
        assert_eq!(ending(text), (Outcome::NotRecorded, Exit::Running));
    }
}
