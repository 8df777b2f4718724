//! How a call ended, told from the error flag, the structured result and the wordings of Claude Code. Version 1.

use std::sync::LazyLock;

use regex::Regex;

use super::structured::Structured;
use crate::model::message::{Cut, Exit, Outcome, ToolKind};

/// `Exit code 101` at the beginning of a failed command's result.
static EXIT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:Error: )?Exit code (-?\d{1,9})(?:\s|$)").expect("valid"));

/// Beginnings of results whose call was refused; Claude Code 1.0 to 2.1.
const DENIED: &[&str] = &[
    "Permission for this action was denied",
    "Permission for this action has been denied",
    "Permission to use ",
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "The user has denied",
    "User rejected",
];

/// Beginnings of results whose call was stopped or never ran because of something else.
const INTERRUPTED: &[&str] = &[
    "<tool_use_error>Cancelled",
    "<tool_use_error>Sibling tool call errored",
    "Interrupted by user",
    "[Request interrupted by user",
    "[Tool use interrupted]",
];

/// Marks of an output that the tool or the harness cut.
const CUT_MARKS: &[&str] =
    &[" characters truncated]", " chars truncated]", " lines truncated]", "(Results are truncated"];

/// How the call ended and its exit status. `tool` is what was called; the log tells outcomes, so silence is success.
pub fn outcome(tool: ToolKind, text: &str, is_error: Option<bool>, structured: &Structured) -> (Outcome, Exit) {
    let begins = |table: &[&str]| table.iter().any(|words| text.starts_with(words));
    let error = is_error == Some(true);
    if structured.denied || error && begins(DENIED) {
        return (Outcome::Denied, Exit::NotRecorded);
    }
    if structured.interrupted || error && begins(INTERRUPTED) {
        return (Outcome::Interrupted, if tool == ToolKind::Shell { Exit::Killed } else { Exit::NotRecorded });
    }
    if tool != ToolKind::Shell {
        return (if error { Outcome::Failed } else { Outcome::Ok }, Exit::NotRecorded);
    }
    if structured.background {
        return (Outcome::Ok, Exit::Running);
    }
    if is_error != Some(false)
        && let Some(code) = EXIT.captures(text).and_then(|found| found[1].parse().ok())
    {
        return (if code == 0 { Outcome::Ok } else { Outcome::Failed }, Exit::Code(code));
    }
    match (error, structured.timed_out, structured.accepted_status) {
        (_, true, _) => (Outcome::Failed, Exit::Killed),
        (true, ..) => (Outcome::Failed, Exit::NotRecorded),
        (false, _, true) => (Outcome::Ok, Exit::NotRecorded),
        (false, ..) => (Outcome::Ok, Exit::Code(0)),
    }
}

/// Whether an output says itself that it is not whole.
pub fn cut(text: &str, structured: &Structured) -> Option<Cut> {
    let marked = text.starts_with("<persisted-output>") || CUT_MARKS.iter().any(|mark| text.contains(mark));
    (marked || structured.persisted.is_some()).then_some(Cut::ByTool)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, is_error: Option<bool>) -> (Outcome, Exit) {
        outcome(ToolKind::Shell, text, is_error, &Structured::default())
    }

    #[test]
    fn exit_codes_are_read_at_the_beginning_only() {
        assert_eq!(of("Exit code 2\nboom", Some(true)), (Outcome::Failed, Exit::Code(2)));
        assert_eq!(of("Exit code 1", None), (Outcome::Failed, Exit::Code(1)));
        assert_eq!(of("make: Exit code 2", Some(true)), (Outcome::Failed, Exit::NotRecorded));
        assert_eq!(of("Exit code 2 is what grep gives", Some(false)), (Outcome::Ok, Exit::Code(0)));
        assert!(!EXIT.is_match("Exit codes 2"));
    }

    #[test]
    fn refusals_are_no_failures() {
        let said = "The user doesn't want to proceed with this tool use. The tool use was rejected";
        assert_eq!(of(said, Some(true)).0, Outcome::Denied);
        assert_eq!(of(said, None).0, Outcome::Ok);
        assert_eq!(
            of("<tool_use_error>Sibling tool call errored</tool_use_error>", Some(true)).0,
            Outcome::Interrupted
        );
    }

    #[test]
    fn a_command_in_the_background_is_running() {
        let structured = Structured { background: true, ..Default::default() };
        assert_eq!(outcome(ToolKind::Shell, "started", None, &structured).1, Exit::Running);
    }
}
