//! What the harness of an agent, not a program, writes into the result of a call: a head before `Output:`, a status line
//! at the end. It is part of what the model saw and stays in the text; but its wall time is no measurement, and its
//! status line is no error message.

use std::{ops::Range, sync::LazyLock};

use crate::text::pattern::Regex;

use crate::base::span::floor;

/// Lines of a head: `Chunk ID: a1`, `Wall time: 0.1 seconds`, `Process exited with code 0`, `Exit code: 1`.
static HEAD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(?:Chunk ID|Wall time|Exit code|Original token count|Total output lines|Output lines|Session ID|Duration)\b[^\n]{0,80}$|^(?:Process|Script) (?:exited|running|completed|failed|finished)\b[^\n]{0,80}$|^Command executed in terminal\b",
    )
    .expect("valid")
});
/// A status on a line of its own: `Exit code 1`, `Command exited with code 2`, `<exited with exit code 1>`,
/// `[Command finished with exit code 1]`, `[exit_code] 3`.
static STATUS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(?:[\[<(]?(?:[Ee]xit [Cc]ode:?|(?:[Tt]he )?(?:[Cc]ommand|[Pp]rocess)(?: (?:exited|finished|completed))? with (?:exit )?code|exited with exit code) -?\d+[.)\]>]*|\[exit_code\] -?\d+)$",
    )
    .expect("valid")
});
/// How many lines a head has at most.
const LINES: usize = 8;
/// How many bytes a head has at most that repeats the command.
const HEAD_BYTES: usize = 8192;

/// Whether a line is nothing but the exit status, as harnesses write it.
pub fn is_status(line: &str) -> bool {
    STATUS.is_match(line.trim())
}

/// The bytes that the program printed: without the head of the harness, and without its status line at either end.
pub fn printed(output: &str) -> Range<usize> {
    let start = behind_head(output);
    let body = &output[start..];
    let first = body.split('\n').next().unwrap_or("");
    let start = start + if is_status(first) { (first.len() + 1).min(body.len()) } else { 0 };
    let shown = output[start..].trim_end();
    let last = shown.rsplit('\n').next().unwrap_or("");
    let end = if is_status(last) { start + shown.len() - last.len() } else { output.len() };
    start..end
}

/// Where the head ends: behind `Output:`, when all lines before it are a harness's own.
fn behind_head(output: &str) -> usize {
    // A head that begins with the command holds as many lines as that has.
    if output.starts_with("Command: ") {
        let begins = floor(output, HEAD_BYTES);
        let end = output[..begins].find("\nOutput:\n").filter(|end| output[..*end].contains("\nWall time: "));
        return end.map_or(0, |end| end + "\nOutput:\n".len());
    }
    let mut at = 0;
    for (i, line) in output.split_inclusive('\n').take(LINES).enumerate() {
        let bare = line.trim_end();
        at += line.len();
        if bare.eq_ignore_ascii_case("output:") && i > 0 {
            return at;
        }
        if !HEAD.is_match(bare) {
            return 0;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_and_status_are_the_harness_and_the_rest_is_the_program() {
        let of = |text: &str| text[printed(text)].to_string();
        assert_eq!(of("Chunk ID: a\nWall time: 1.0 seconds\nProcess exited with code 0\nOutput:\n5 ms\n"), "5 ms\n");
        assert_eq!(of("Command: sh -c 'a\nb'\nChunk ID: a\nWall time: 1.0 seconds\nOutput:\n5 ms\n"), "5 ms\n");
        assert_eq!(of("Exit code 1\nboom\n"), "boom\n");
        assert_eq!(of("boom\n\nCommand exited with code 2"), "boom\n\n");
        assert_eq!(of("Wall time: 12 s\nthe program's own\n"), "Wall time: 12 s\nthe program's own\n");
        assert_eq!(of("Output:\n5 ms\n"), "Output:\n5 ms\n");
        assert_eq!(of(""), "");
    }

    #[test]
    fn a_status_is_a_whole_line() {
        assert!(
            is_status("Exit code 1") && is_status("[Command finished with exit code 1]") && is_status("[exit_code] 3")
        );
        assert!(!is_status("Exit codes differ") && !is_status("Command failed with exit code: 1 of 3"));
        assert!(!HEAD.is_match("Walls are time"));
    }
}
