//! What producers write for a status. Version 2.

use crate::model::todo::TodoStatus;

/// Words in lower case with `_` for blanks and hyphens, sorted by meaning, then word.
#[rustfmt::skip]
const WORDS: &[(&str, TodoStatus)] = &[
    ("not_started", TodoStatus::Pending), ("open", TodoStatus::Pending), ("pending", TodoStatus::Pending),
    ("planned", TodoStatus::Pending), ("queued", TodoStatus::Pending), ("todo", TodoStatus::Pending),
    ("active", TodoStatus::InProgress), ("doing", TodoStatus::InProgress), ("in_progress", TodoStatus::InProgress),
    ("inprogress", TodoStatus::InProgress), ("running", TodoStatus::InProgress), ("started", TodoStatus::InProgress),
    ("working", TodoStatus::InProgress),
    ("closed", TodoStatus::Completed), ("complete", TodoStatus::Completed), ("completed", TodoStatus::Completed),
    ("done", TodoStatus::Completed), ("finished", TodoStatus::Completed), ("resolved", TodoStatus::Completed),
    ("abandoned", TodoStatus::Cancelled), ("canceled", TodoStatus::Cancelled), ("cancelled", TodoStatus::Cancelled),
    ("dropped", TodoStatus::Cancelled), ("skipped", TodoStatus::Cancelled),
    ("blocked", TodoStatus::Blocked), ("on_hold", TodoStatus::Blocked), ("waiting", TodoStatus::Blocked),
    ("deleted", TodoStatus::Deleted), ("removed", TodoStatus::Deleted),
];

/// What stands in the box of a checklist. The hyphen is a task under way in the tools that write one.
const MARKS: &[(&str, TodoStatus)] = &[
    (" ", TodoStatus::Pending),
    ("-", TodoStatus::InProgress),
    ("/", TodoStatus::InProgress),
    (">", TodoStatus::InProgress),
    ("X", TodoStatus::Completed),
    ("x", TodoStatus::Completed),
    ("~", TodoStatus::InProgress),
];

/// What stands before the word where it is one of an enumeration, in whatever letter case.
const PREFIX: &str = "todo_status_";

/// The words that a cut status may be completed to: those that the tools with cut renderings write.
const COMPLETED_TO: &[(&str, TodoStatus)] = &[
    ("cancelled", TodoStatus::Cancelled),
    ("completed", TodoStatus::Completed),
    ("in_progress", TodoStatus::InProgress),
    ("pending", TodoStatus::Pending),
];

/// What a whole status word means.
pub(super) fn of(raw: &str) -> TodoStatus {
    let word = raw.trim().to_lowercase().replace(['-', ' '], "_");
    let word = word.strip_prefix(PREFIX).unwrap_or(&word);
    WORDS.iter().find(|row| row.0 == word).map_or(TodoStatus::Other, |row| row.1)
}

/// What a status word means, and whether one is shown at all.
pub(super) fn of_shown(raw: &str) -> TodoStatus {
    if raw.is_empty() { TodoStatus::NotShown } else { of(raw) }
}

/// What the character in a box means.
pub(super) fn of_mark(mark: &str) -> TodoStatus {
    MARKS.iter().find(|row| row.0 == mark).map_or(TodoStatus::Other, |row| row.1)
}

/// What a flag that says whether an item is finished means.
pub(super) fn of_flag(done: bool) -> TodoStatus {
    if done { TodoStatus::Completed } else { TodoStatus::Pending }
}

/// What a cut status word must mean, if exactly one word begins so.
pub(super) fn of_cut(raw: &str) -> Option<TodoStatus> {
    let mut fitting = COMPLETED_TO.iter().filter(|row| !raw.is_empty() && row.0.starts_with(raw));
    match (fitting.next(), fitting.next()) {
        (Some(row), None) => Some(row.1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_status() {
        for raw in ["in_progress", "in-progress", "In Progress", "doing", "TODO_STATUS_IN_PROGRESS"] {
            assert_eq!(of(raw), TodoStatus::InProgress);
        }
        assert_eq!(of("done"), TodoStatus::Completed);
        assert_eq!(of("TODO_STATUS_UNSPECIFIED"), TodoStatus::Other);
        assert_eq!(of("garbage"), TodoStatus::Other);
        assert_eq!(
            (of_shown(""), of_mark("/"), of_mark("?")),
            (TodoStatus::NotShown, TodoStatus::InProgress, TodoStatus::Other)
        );
    }

    #[test]
    fn a_cut_word_is_completed_only_where_one_word_fits() {
        assert_eq!(of_cut("complete"), Some(TodoStatus::Completed));
        assert_eq!(of_cut("in_pro"), Some(TodoStatus::InProgress));
        assert_eq!(of_cut("c"), None);
        assert_eq!(of_cut(""), None);
        assert_eq!(of_cut("done"), None);
    }
}
