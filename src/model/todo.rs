//! The plan as the agent kept it: snapshots, what changed between them, and a ledger over the session.

use super::evidence::Evidence;
pub use super::{
    todo_items::Items,
    todo_pairs::{Pairs, Run},
};
use crate::base::ids::MessageIdx;

/// Status of an item. The raw word is kept beside it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum TodoStatus {
    /// Not begun.
    Pending,
    /// Being worked on.
    InProgress,
    /// Done, by the agent's own word.
    Completed,
    /// Given up, by the agent's own word.
    Cancelled,
    /// Waiting for something else.
    Blocked,
    /// Taken off the list (task tools only).
    Deleted,
    /// A word outside the known ones.
    Other,
    /// The log does not show it (cut).
    NotShown,
}

impl TodoStatus {
    /// Printed word, as the producers write it; `not shown` for what the log cuts off.
    pub fn word(self) -> &'static str {
        match self {
            TodoStatus::Pending => "pending",
            TodoStatus::InProgress => "in_progress",
            TodoStatus::Completed => "completed",
            TodoStatus::Cancelled => "cancelled",
            TodoStatus::Blocked => "blocked",
            TodoStatus::Deleted => "deleted",
            TodoStatus::Other => "other",
            TodoStatus::NotShown => "not shown",
        }
    }
}

/// How we come to know a value of an item.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Provenance {
    /// Stands in the call's input.
    Input,
    /// Stands in the call's output.
    Output,
    /// Stands in both, alike.
    Both,
    /// Completed from a cut word that only one known word begins with.
    Inferred,
    /// Carried over from earlier calls (tools that write increments).
    Folded,
}

/// One item of a task list.
#[derive(Clone, PartialEq, Debug)]
pub struct TodoItem {
    /// Its text, as far as shown.
    pub content: String,
    /// Whether the text is shown only in part.
    pub content_cut: bool,
    /// Status.
    pub status: TodoStatus,
    /// The producer's word for the status; "" when not shown.
    pub status_raw: String,
    /// Priority as recorded.
    pub priority: Option<String>,
    /// The producer's id of the item.
    pub id: Option<String>,
    /// The phase or heading of the list that it stands under, where the list has such.
    pub group: Option<String>,
    /// How the status is known.
    pub known: Provenance,
    /// Where the item stands.
    pub evidence: Evidence,
}

/// What kind of thing wrote the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TodoSource {
    /// A tool that writes the whole list.
    FullList,
    /// A tool that writes increments, folded here.
    Folded,
    /// A plan written in plan mode or handed over by the user.
    Plan,
    /// A checklist in a text.
    Checklist,
}

/// The whole task list as of one message.
#[derive(Clone, PartialEq, Debug)]
pub struct TodoSnapshot {
    /// The message that wrote it.
    pub message: MessageIdx,
    /// Raw name of the tool, or `plan`, `checklist`.
    pub tool: String,
    /// What wrote it.
    pub source: TodoSource,
    /// Items in order.
    pub items: Items,
    /// False when the source was cut: there are at least `items.len()` items.
    pub complete: bool,
}

/// How two items of consecutive snapshots were found to be one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Pairing {
    /// By the producer's id.
    Id,
    /// By equal text.
    Exact,
    /// By text equal after case, punctuation and a trailing result are put aside.
    Normalised,
    /// By a display-cut text that begins the other.
    Prefix,
    /// By shared words; the score is their Jaccard index, 0–1.
    Reworded(f64),
}

/// One change between two snapshots. Indices are positions in the item lists of the two snapshots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TodoChange {
    /// In the later list only.
    Added {
        /// Position in the later list.
        to: usize,
    },
    /// In the earlier list only. Unknown, not removed, when the later list is cut.
    Removed {
        /// Position in the earlier list.
        from: usize,
    },
    /// Another text.
    Reworded {
        /// Position in the earlier list.
        from: usize,
        /// Position in the later list.
        to: usize,
    },
    /// Another status.
    Status {
        /// Position in the earlier list.
        from: usize,
        /// Position in the later list.
        to: usize,
    },
    /// Another place among the items that both lists hold.
    Reordered {
        /// Position in the earlier list.
        from: usize,
        /// Position in the later list.
        to: usize,
    },
}

/// What a change of the list as a whole amounts to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ListEvent {
    /// The first list.
    Created,
    /// Under half of the earlier items are in the later list.
    Replaced,
    /// Every item is completed or cancelled now, and was not before.
    ClosedAll,
    /// One item was closed and another begun.
    Handover,
    /// An item was begun and none closed.
    Opened,
    /// An item was closed and none begun.
    Closed,
    /// A closed item is open again.
    Reopened,
    /// An item vanished that was not closed.
    Dropped,
}

/// What changed between two consecutive snapshots; applying it to the first gives the second.
#[derive(Clone, PartialEq, Debug)]
pub struct TodoDelta {
    /// Position of the earlier snapshot in [`Facts::todos`](super::facts::Facts); `None` for the first list.
    pub from: Option<usize>,
    /// Position of the later snapshot.
    pub to: usize,
    /// Pairs of positions (earlier, later) and how each was found, in the order of the later list.
    pub pairs: Pairs,
    /// The changes, in the order of the later list, removals last.
    pub changes: Vec<TodoChange>,
    /// What they amount to.
    pub events: Vec<ListEvent>,
    /// Items that vanished although a cut later list may still hold them: positions in the earlier list.
    pub unseen: Vec<usize>,
}

/// Life of one item over the session.
#[derive(Clone, PartialEq, Debug)]
pub struct LedgerEntry {
    /// Latest text.
    pub content: String,
    /// Latest phase or heading that it stood under.
    pub group: Option<String>,
    /// Earlier texts, oldest first, without repeats.
    pub earlier: Vec<String>,
    /// Message of the first list that holds it.
    pub first: MessageIdx,
    /// First list in which it is in progress.
    pub started: Option<MessageIdx>,
    /// List in which it was last closed as completed, if it is completed at the end.
    pub finished: Option<MessageIdx>,
    /// Lists in which a closed item was open again.
    pub reopened: Vec<MessageIdx>,
    /// First complete list that no longer holds it, when it was last shown as not closed.
    pub dropped: Option<MessageIdx>,
    /// Last status seen.
    pub last: TodoStatus,
    /// Each change of status: message and new status, the first sight included.
    pub history: Vec<(MessageIdx, TodoStatus)>,
    /// Every list that shows it, runs of lists that show one status told as one.
    pub seen: Vec<Sight>,
    /// Evidence of the first and the last sight.
    pub evidence: Vec<Evidence>,
}

impl LedgerEntry {
    /// The status that the list of a message shows of it, not shown where that is cut; `None` where it is not on it.
    pub fn shown_at(&self, list: MessageIdx) -> Option<TodoStatus> {
        let sight = self.seen.get(self.seen.partition_point(|sight| sight.last < list))?;
        (sight.first <= list).then_some(sight.status)
    }
}

/// Consecutive lists, of those that are compared with each other, that all show an item with one status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sight {
    /// Message of the first of them.
    pub first: MessageIdx,
    /// Message of the last of them.
    pub last: MessageIdx,
    /// The status; not shown where that is cut.
    pub status: TodoStatus,
}
