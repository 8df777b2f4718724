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
/// `Process running with session ID 7`, `Script running with cell ID 8` on a line of the head.
static RUNNING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^(?:Process running with session ID|Script running with cell ID) \d+").expect("valid")
});

/// Beginnings of an output by which the harness says how the call ended. Sorted by ending, then words.
#[rustfmt::skip]
const BEGINNINGS: &[(&str, Outcome)] = &[
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
    match code {
        Some(0) => (Outcome::Ok, Exit::Code(0)),
        Some(code) => (Outcome::Failed, Exit::Code(code)),
        None if RUNNING.is_match(head) => (Outcome::NotRecorded, Exit::Running),
        None => {
            let told = BEGINNINGS.iter().find(|(words, _)| output.starts_with(words));
            (told.map_or(Outcome::NotRecorded, |row| row.1), Exit::NotRecorded)
        }
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
    fn a_running_process_is_no_success() {
        let text = "Wall time: 1 s\nProcess running with session ID 7\nOutput:\n";
        assert_eq!(ending(text), (Outcome::NotRecorded, Exit::Running));
        assert_eq!(ending("Script running with cell ID 8\nWall time 1.0 seconds\nOutput:\n").1, Exit::Running);
        assert_eq!(ending("Script failed\nWall time 0.1 seconds\nOutput:\n").0, Outcome::Failed);
    }
}
