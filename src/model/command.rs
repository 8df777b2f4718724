//! Command lines as they were run: split, unwrapped, classified.

use crate::base::ids::MessageIdx;

/// Class of a command, by a table in `src/extract/commands.toml`. The name is the table's.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CommandClass(pub String);

/// One simple command of a command line, wrappers peeled.
#[derive(Clone, PartialEq, Debug)]
pub struct SimpleCommand {
    /// Base name of the program (`pytest`, `systemctl`).
    pub program: String,
    /// Its arguments, unquoted.
    pub args: Vec<String>,
    /// Class of the program with its sub-command.
    pub class: CommandClass,
    /// Host, container or pane that wrappers sent it to, outermost first.
    pub on: Vec<String>,
    /// Environment set on the line.
    pub env: Vec<(String, String)>,
    /// Files that its output is redirected into.
    pub writes: Vec<String>,
    /// Text of its here-document or here-string.
    pub stdin: Option<String>,
    /// Runs in the background (`&`, nohup, tmux).
    pub background: bool,
    /// Its own exit status decides nothing: it stands before a pipe, `;`, `||`.
    pub status_hidden: bool,
}

/// A shell call of the session.
#[derive(Clone, PartialEq, Debug)]
pub struct CommandRun {
    /// The call.
    pub message: MessageIdx,
    /// The line as recorded.
    pub line: String,
    /// Its parts in order; empty when nothing of it could be read.
    pub parts: Vec<SimpleCommand>,
    /// Most consequential class among the parts that were run.
    pub class: CommandClass,
    /// False when the log shows that nothing of it ran (not found, syntax error, denied).
    pub ran: bool,
    /// The line with paths, numbers and quoting normalised: equal keys are runs of one command.
    pub key: String,
}
