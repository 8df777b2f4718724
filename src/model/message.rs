//! A message: a user text, an assistant text, or a tool call with its result. And notices, which are no messages.

use std::sync::Arc;

use crate::base::{locate::Locator, time::Timestamp};

/// What a message is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessageKind {
    /// Text typed by a person, or by the harness in their place.
    User,
    /// Text of the assistant.
    Text,
    /// A tool call; its result has no number of its own.
    Tool,
}

impl MessageKind {
    /// Printed word.
    pub fn word(self) -> &'static str {
        match self {
            MessageKind::User => "user",
            MessageKind::Text => "text",
            MessageKind::Tool => "tool",
        }
    }
}

/// The producer's names for a message, by which references survive a later numbering.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Aliases {
    /// Id of the record or message (Claude `uuid`, opencode `msg_…`).
    pub message: Option<String>,
    /// Id of the part inside the message (opencode `prt_…`).
    pub part: Option<String>,
    /// Id of the tool call.
    pub call: Option<String>,
    /// Further ids under which the producer or other tools know it (folded records).
    pub also: Vec<String>,
}

/// Which side of a message a part is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartKind {
    /// Prose of the user or the assistant.
    Prose,
    /// The model's recorded reasoning; never quoted in articles.
    Reasoning,
    /// One field of a tool's input; `name` is the field. Of an input that is cut, the fields as far as they are shown;
    /// an input that is no JSON object has no name.
    Input,
    /// What the tool returned.
    Output,
}

/// How a part is less than what the agent saw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cut {
    /// Cut off by the rendering that the log is; more existed.
    End,
    /// Cut by the tool or the harness, with a mark that says so.
    ByTool,
    /// A placeholder stands for it (`<4831 chars>`).
    Placeholder,
}

impl Cut {
    /// Printed words.
    pub fn words(self) -> &'static str {
        match self {
            Cut::End => "cut in the log",
            Cut::ByTool => "shortened by the tool",
            Cut::Placeholder => "a placeholder: the log does not hold the text",
        }
    }
}

/// A piece of decoded text. Never trimmed or normalised.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// Which side.
    pub kind: PartKind,
    /// Field name of an input part.
    pub name: Option<String>,
    /// Decoded text. An input field that is no string is its compact JSON.
    pub text: String,
    /// Set when it is shown only in part.
    pub cut: Option<Cut>,
}

/// What tools do, whatever a producer calls them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ToolKind {
    /// Runs a command line.
    Shell,
    /// Reads a file.
    Read,
    /// Changes part of a file.
    Edit,
    /// Writes a whole file.
    Write,
    /// Searches or lists files.
    Search,
    /// Fetches from the web or searches it.
    Web,
    /// Writes or updates the task list.
    Todo,
    /// Starts a sub-agent.
    Agent,
    /// Asks the user.
    Question,
    /// Enters or leaves plan mode, or hands a plan over.
    Plan,
    /// Polls, feeds or stops a background job.
    Job,
    /// Anything else.
    Other,
}

/// How a call ended, as far as the log says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Ended without a sign of failure, and the log would have told.
    Ok,
    /// Failed (exit status, error flag).
    Failed,
    /// The user or a rule refused it.
    Denied,
    /// Stopped before its end.
    Interrupted,
    /// The log does not say.
    NotRecorded,
}

impl Outcome {
    /// Printed word; nothing where the log does not say.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Outcome::Ok => Some("ok"),
            Outcome::Failed => Some("failed"),
            Outcome::Denied => Some("denied"),
            Outcome::Interrupted => Some("interrupted"),
            Outcome::NotRecorded => None,
        }
    }
}

/// Exit status of a command, as far as the log says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// The recorded status.
    Code(i32),
    /// It was still running when the result was recorded.
    Running,
    /// It was killed or timed out without a status.
    Killed,
    /// The log does not say.
    NotRecorded,
}

impl Exit {
    /// Printed words; nothing for success and where the log does not say.
    pub fn words(self) -> Option<String> {
        match self {
            Exit::Code(0) | Exit::NotRecorded => None,
            Exit::Code(code) => Some(format!("exit {code}")),
            Exit::Running => Some("still running".to_string()),
            Exit::Killed => Some("killed".to_string()),
        }
    }
}

/// How harnesses begin the summary that stands for a compacted conversation.
const RESUMPTIONS: &[&str] =
    &["This session is being continued from a previous conversation", "Another language model started"];

/// A tool call with its result.
#[derive(Clone, PartialEq, Debug)]
pub struct ToolCall {
    /// The producer's tool name, raw.
    pub name: String,
    /// What it does.
    pub kind: ToolKind,
    /// How it ended.
    pub outcome: Outcome,
    /// Exit status, for shells.
    pub exit: Exit,
    /// Where the result record lies; `None` when the call has no result.
    pub result_at: Option<Locator>,
    /// When the result was recorded.
    pub ended: Option<Timestamp>,
    /// Session id of the sub-agent that it started.
    pub spawned: Option<String>,
    /// Structured extras of the producer that extractors read (compact JSON by name), such as `task` of a TaskCreate
    /// result or `todos` of an opencode result. Not for quoting.
    pub extra: Vec<(&'static str, String)>,
}

/// One message of a session.
#[derive(Clone, PartialEq, Debug)]
pub struct Message {
    /// The printed number: the log's own, else counted from 1.
    pub number: u32,
    /// What it is.
    pub kind: MessageKind,
    /// The producer's ids.
    pub ids: Aliases,
    /// Messages of one model response share it; a text and the call that follows it are one step only within one turn.
    pub turn: Option<String>,
    /// When it was recorded.
    pub time: Option<Timestamp>,
    /// The record it begins in.
    pub place: Locator,
    /// Its texts, in order: reasoning, prose, input fields, output.
    pub parts: Vec<Part>,
    /// Present exactly for [`MessageKind::Tool`].
    pub call: Option<ToolCall>,
    /// Under which circumstances it was written, where the log says so.
    pub setting: Setting,
    /// What the model response cost that it begins; the other messages of the response have none.
    pub usage: Option<Box<Usage>>,
}

/// Circumstances of a message, as recorded. Texts are shared by all messages that have them in common.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Setting {
    /// Model that wrote it.
    pub model: Option<Arc<str>>,
    /// Working directory.
    pub cwd: Option<Arc<str>>,
    /// Version-control branch.
    pub branch: Option<Arc<str>>,
}

/// Tokens and cost, as recorded. `None`: the log does not say; never taken for zero.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Usage {
    /// Tokens of the prompt that were not read from a cache.
    pub input: Option<u64>,
    /// Tokens written by the model, its reasoning included.
    pub output: Option<u64>,
    /// Tokens of the prompt read from a cache.
    pub cache_read: Option<u64>,
    /// Tokens of the prompt written to a cache.
    pub cache_write: Option<u64>,
    /// Tokens of the reasoning.
    pub reasoning: Option<u64>,
    /// US dollars.
    pub cost: Option<f64>,
}

impl Usage {
    /// Whether it says anything.
    pub fn is_empty(&self) -> bool {
        *self == Usage::default()
    }

    /// Adds another one; what either does not say stays as the other says.
    pub fn add(&mut self, other: &Usage) {
        fn sum<T: Copy + std::ops::Add<Output = T>>(a: Option<T>, b: Option<T>) -> Option<T> {
            match (a, b) {
                (Some(a), Some(b)) => Some(a + b),
                (a, b) => a.or(b),
            }
        }
        self.input = sum(self.input, other.input);
        self.output = sum(self.output, other.output);
        self.cache_read = sum(self.cache_read, other.cache_read);
        self.cache_write = sum(self.cache_write, other.cache_write);
        self.reasoning = sum(self.reasoning, other.reasoning);
        self.cost = sum(self.cost, other.cost);
    }
}

impl Message {
    /// First prose part, or "".
    pub fn prose(&self) -> &str {
        self.part(PartKind::Prose).map_or("", |p| p.text.as_str())
    }

    /// Output of the call, or "".
    pub fn output(&self) -> &str {
        self.part(PartKind::Output).map_or("", |p| p.text.as_str())
    }

    /// Text of an input field.
    pub fn input(&self, field: &str) -> Option<&str> {
        self.parts
            .iter()
            .find(|p| p.kind == PartKind::Input && p.name.as_deref() == Some(field))
            .map(|p| p.text.as_str())
    }

    /// Whether its prose stands for a conversation that was compacted: harnesses put it into the user's mouth.
    pub fn resumes(&self) -> bool {
        let prose = self.prose().trim_start();
        self.kind == MessageKind::User && RESUMPTIONS.iter().any(|opening| prose.starts_with(opening))
    }

    /// First part of a kind.
    pub fn part(&self, kind: PartKind) -> Option<&Part> {
        self.parts.iter().find(|p| p.kind == kind)
    }

    /// Position of the first part of a kind.
    pub fn part_at(&self, kind: PartKind) -> Option<usize> {
        self.parts.iter().position(|p| p.kind == kind)
    }

    /// Position of an input field's part.
    pub fn input_at(&self, field: &str) -> Option<usize> {
        self.parts.iter().position(|p| p.kind == PartKind::Input && p.name.as_deref() == Some(field))
    }

    /// The command line of a shell call, whatever the producer calls the field.
    pub fn command(&self) -> Option<&str> {
        (self.tool() == Some(ToolKind::Shell)).then(|| COMMAND_FIELDS.iter().find_map(|f| self.input(f))).flatten()
    }

    /// The path that a file tool works on, whatever the producer calls the field.
    pub fn path(&self) -> Option<&str> {
        PATH_FIELDS.iter().find_map(|f| self.input(f))
    }

    /// What the tool does; `None` for texts.
    pub fn tool(&self) -> Option<ToolKind> {
        self.call.as_ref().map(|c| c.kind)
    }
}

/// Names of the field that holds a command line.
pub const COMMAND_FIELDS: &[&str] = &["command", "cmd", "script", "code", "keystrokes", "summary"];

/// Names of the field that holds a path.
pub const PATH_FIELDS: &[&str] = &["file_path", "filePath", "path", "notebook_path", "filename", "summary"];

/// What a notice tells.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NoticeKind {
    /// The conversation so far was replaced by a summary for the model.
    Compaction,
    /// The user interrupted the agent.
    Interruption,
    /// Injected by the harness: reminders, command output, meta records.
    Meta,
    /// An error of the provider or the harness.
    Fault,
}

/// Something in the log that is neither a message nor a step.
#[derive(Clone, PartialEq, Debug)]
pub struct Notice {
    /// What it tells.
    pub kind: NoticeKind,
    /// Index of the message that it stands before (the number of messages when it stands last).
    pub before: u32,
    /// Where it lies.
    pub place: Locator,
    /// When.
    pub time: Option<Timestamp>,
    /// Its text, possibly empty.
    pub text: String,
}
