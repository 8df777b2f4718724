//! What can be read off a session: plain data, each with the place where it stands.

use super::{
    command::CommandRun,
    evidence::Evidence,
    metric::{PlacedMetric, PlacedQuality, PlacedTable},
    series::Spot,
    session::Session,
    todo::{Items, TodoItem, TodoSnapshot},
};
use crate::base::{diag::Diagnostics, ids::MessageIdx, path::same_file};

/// Everything the extractors found, each list in conversation order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Facts {
    /// Shell calls.
    pub commands: Vec<CommandRun>,
    /// Task lists.
    pub todos: Vec<TodoSnapshot>,
    /// Tables of measurements.
    pub tables: Vec<PlacedTable>,
    /// Single figures.
    pub metrics: Vec<PlacedMetric>,
    /// Test-runner counts.
    pub quality: Vec<PlacedQuality>,
    /// What went wrong.
    pub failures: Vec<Failure>,
    /// What the user asked for, limited, or objected to.
    pub requests: Vec<Request>,
    /// Questions put to the user, with their answers.
    pub questions: Vec<Question>,
    /// Sentences of the assistant that state something worth holding against the log.
    pub statements: Vec<Statement>,
    /// Files read, written, deleted.
    pub files: Vec<FileTouch>,
    /// Services and background jobs: starts, readings, ends.
    pub jobs: Vec<Job>,
    /// Names that a reader needs.
    pub names: Vec<Name>,
    /// What was meant for a fact and could not be read.
    pub diagnostics: Diagnostics,
}

impl Facts {
    /// The run of a shell call.
    pub fn run_of(&self, message: MessageIdx) -> Option<&CommandRun> {
        // Commands are in the order of their messages.
        let at = self.commands.binary_search_by_key(&message, |run| run.message).ok()?;
        self.commands.get(at)
    }

    /// The run whose output a message shows: of a shell call its own, of a poll the one that it polls.
    pub fn run_behind(&self, message: MessageIdx) -> Option<&CommandRun> {
        self.run_of(message).or_else(|| self.commands.iter().find(|run| run.polls.contains(&message)))
    }

    /// Whether a file was deleted or moved away after a message and not made again.
    pub fn deleted_after(&self, path: &str, at: MessageIdx) -> bool {
        let mut later = self.files.iter().filter(|f| f.message > at && f.succeeded && f.act != FileAct::Read);
        later.rfind(|f| same_file(&f.path, path)).is_some_and(|f| matches!(f.act, FileAct::Deleted | FileAct::Moved))
    }

    /// Where a reading stands.
    pub fn place(&self, session: &Session, spot: Spot) -> Evidence {
        match spot {
            Spot::Cell { table, row, column } => {
                let placed = &self.tables[table];
                let cell = session.cite(placed.at.message, placed.at.part, placed.table.rows[row][column].span);
                cell.unwrap_or_else(|| placed.evidence.clone())
            }
            Spot::Figure(at) => self.metrics[at].evidence.clone(),
        }
    }

    /// Items of the task lists that a list does not merely take over from the one before it, with the message of the
    /// list.
    pub fn new_todo_items(&self) -> impl Iterator<Item = (MessageIdx, &TodoItem)> {
        let lists = self.todos.iter().enumerate();
        lists.flat_map(|(at, list)| {
            let earlier = at.checked_sub(1).map_or(&NONE, |before| &self.todos[before].items);
            list.items.unlike(earlier).map(|(_, item)| (list.message, item))
        })
    }
}

/// What the first list takes over.
static NONE: Items = Items::NONE;

/// A failure, followed from its first to its last sight.
#[derive(Clone, PartialEq, Debug)]
pub struct Failure {
    /// The error line as printed, shortened on a word.
    pub line: String,
    /// The same with digits, paths and ids masked: equal signatures are one failure.
    pub signature: String,
    /// Messages that show it, in order; never empty.
    pub seen: Vec<MessageIdx>,
    /// Edits, flags or commands between the last sight and the proof, newest last.
    pub changes: Vec<Change>,
    /// The message that shows it gone: the same check succeeding, or readiness.
    pub gone: Option<MessageIdx>,
    /// Bytes of the line at the first sight.
    pub evidence: Evidence,
    /// The sign of success at `gone`, or the other failure that it shows there.
    pub proof: Option<Evidence>,
    /// The run at `gone` fails otherwise; a later run of the same check ends well.
    pub fails_differently: bool,
    /// A malformed tool call or shell syntax, not a failure of the work.
    pub tooling: bool,
    /// Words of the assistant that name its cause, where stated.
    pub cause: Option<Evidence>,
}

/// What was changed to make a failure go away.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// The message that made the change.
    pub message: MessageIdx,
    /// What it is, as a quotable token: a file name, a flag, an environment setting.
    pub what: String,
    /// Where it stands.
    pub evidence: Evidence,
    /// What it changed.
    pub of: ChangeOf,
}

/// What a change between a failure and the run without it was made to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChangeOf {
    /// The work, as far as one can tell; also a flag, a setting, a package.
    Work,
    /// A test: what it expects may have changed with it.
    Test,
    /// The script that the failing command runs: it may be the work, or a probe that no longer asks.
    Script,
}

/// What a user text asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RequestKind {
    /// Sets or widens the aim.
    Goal,
    /// A question.
    Asks,
    /// A limit: don't, never, only, without, keep.
    Constraint,
    /// Objects to what the assistant said or did.
    Correction,
    /// Agrees or says go on.
    Affirmation,
    /// Anything else.
    Remark,
}

/// A clause of a user text.
#[derive(Clone, PartialEq, Debug)]
pub struct Request {
    /// The message.
    pub message: MessageIdx,
    /// What it is.
    pub kind: RequestKind,
    /// The clause, an exact substring, at most 40 words.
    pub evidence: Evidence,
    /// For corrections: the assistant's message that is objected to.
    pub about: Option<MessageIdx>,
    /// For corrections: the assistant's concession.
    pub conceded: Option<Evidence>,
}

/// A question put to the user through a tool.
#[derive(Clone, PartialEq, Debug)]
pub struct Question {
    /// The call.
    pub message: MessageIdx,
    /// The question's text.
    pub question: Evidence,
    /// Labels of the options, in order.
    pub options: Vec<Evidence>,
    /// The answer, if one is recorded.
    pub answer: Option<Evidence>,
}

/// What kind of thing a sentence of the assistant states.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum StatementKind {
    /// A hypothesis or suspicion.
    Hypothesis,
    /// What is expected to happen, with a figure or outcome.
    Expectation,
    /// Something taken for granted.
    Assumption,
    /// If X, then Y instead.
    Fallback,
    /// Gives up an earlier statement.
    Concession,
    /// Names a cause.
    Cause,
    /// Announces an action.
    Announcement,
    /// A choice between options.
    Decision,
    /// Says that something is done, works or is complete.
    Completion,
    /// States a finding: a result with a figure or identifier.
    Finding,
    /// Proposes what to do next.
    Proposal,
    /// Says that something is blocked, red, failing or not done.
    Shortfall,
}

/// A sentence of the assistant (or of a todo item).
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    /// The message.
    pub message: MessageIdx,
    /// What it states.
    pub kind: StatementKind,
    /// The sentence, an exact substring.
    pub evidence: Evidence,
    /// The part of it that matters (the object of the hypothesis, the two halves of a fallback), exact substrings.
    pub parts: Vec<Evidence>,
    /// An earlier or later statement that it belongs to (a concession's hypothesis), by position.
    pub about: Option<usize>,
}

/// What was done to a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FileAct {
    /// Read.
    Read,
    /// Changed in part.
    Edited,
    /// Written whole.
    Written,
    /// Put back to what it was: out of version control, or from where it was moved or copied to.
    Restored,
    /// Moved away from this path.
    Moved,
    /// Deleted.
    Deleted,
}

/// A file touched by a call.
#[derive(Clone, PartialEq, Debug)]
pub struct FileTouch {
    /// The call.
    pub message: MessageIdx,
    /// Path as recorded.
    pub path: String,
    /// What was done.
    pub act: FileAct,
    /// Whether the call succeeded, as far as the log says.
    pub succeeded: bool,
    /// For deletions: nothing shown earlier creates or lists it.
    pub foreign: bool,
    /// Where the path stands.
    pub evidence: Evidence,
}

/// What a job reading says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JobState {
    /// Start or restart issued.
    Started,
    /// Progress n of m.
    Progress(u64, u64),
    /// Running, without progress (`active` is no readiness).
    Running,
    /// Ready or serving.
    Ready,
    /// Stop issued, or ended.
    Stopped,
    /// Ended in failure.
    Failed,
}

/// A service or background job, by name.
#[derive(Clone, PartialEq, Debug)]
pub struct Job {
    /// Unit, container or program name.
    pub name: String,
    /// Whether it is a service (meant to stay up) or a job (meant to end).
    pub service: bool,
    /// Readings in order; never empty.
    pub readings: Vec<(MessageIdx, JobState, Evidence)>,
}

/// What a name names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NameKind {
    /// A model or product.
    Model,
    /// Hardware.
    Hardware,
    /// A version.
    Version,
    /// A host or container.
    Host,
    /// A service unit.
    Service,
    /// A file.
    File,
    /// A flag or setting with its value.
    Setting,
    /// An environment variable.
    Environment,
    /// A URL.
    Url,
    /// A commit, branch or tag.
    Revision,
}

/// A name that a reader needs, with the first message that holds it.
#[derive(Clone, PartialEq, Debug)]
pub struct Name {
    /// As written.
    pub text: String,
    /// What it names.
    pub kind: NameKind,
    /// How many messages mention it.
    pub mentions: usize,
    /// First place.
    pub evidence: Evidence,
}
