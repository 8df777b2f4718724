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
    /// What it calls: the script that it runs, else the program with its sub-command (`bench.py`, `mise run lint`).
    pub called: String,
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

/// A setting on a command line: `--chunk 64`, `-c100`, `bs=1M`, `OMP_NUM_THREADS=4`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Setting {
    /// Name as written, dashes included: `--chunk`, `-c`, `bs`.
    pub name: String,
    /// Value, unquoted; `None` for a switch.
    pub value: Option<String>,
}

impl Setting {
    /// The setting as it stands on the command line, if it is written plainly.
    pub fn written(&self) -> String {
        match &self.value {
            Some(value) if self.name.starts_with('-') => format!("{} {value}", self.name),
            Some(value) => format!("{}={value}", self.name),
            None => self.name.clone(),
        }
    }
}

/// What a command line ran that prints something of its own, as opposed to what stands in files, lists or histories.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Invocation {
    /// What the part that the line is for [calls](SimpleCommand::called): `bench.py`, `wrk`, `cargo bench`.
    pub by: String,
    /// Host, container or pane that it ran in, outermost first.
    pub on: Vec<String>,
    /// What it was given besides settings: files, addresses, names of cases.
    pub operands: Vec<String>,
    /// Its settings and those of its environment, in the order of the line.
    pub settings: Vec<Setting>,
    /// How often one output holds it.
    pub times: Times,
}

/// How often a command line runs a thing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Times {
    /// Once, as far as the line tells.
    #[default]
    Once,
    /// In a loop that changes nothing: repetitions.
    Repeated,
    /// Several times, or in a loop over something: each may measure another thing.
    Varied,
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
    /// What of it prints something of its own; `None` for lines that only show what stands elsewhere.
    pub invocation: Option<Invocation>,
    /// Calls that poll it, where it went on in the background, in order: the last of them tells how it ended.
    pub polls: Vec<MessageIdx>,
}

impl CommandRun {
    /// The check that the exit status of the line is of: tests, a build or a lint that is the only thing in it that can
    /// fail.
    pub fn only_check(&self) -> Option<&SimpleCommand> {
        let mut working = self.parts.iter().filter(|p| !matches!(p.class.0.as_str(), "noop" | "time"));
        let (only, more) = (working.next()?, working.next());
        let checks = matches!(only.class.0.as_str(), "build-image" | "compile" | "lint" | "unit-test");
        (checks && more.is_none() && !only.status_hidden && !only.background).then_some(only)
    }

    /// The message that tells how it ended, as far as the log does: its last poll, else its own result.
    pub fn end(&self) -> MessageIdx {
        self.polls.last().copied().unwrap_or(self.message)
    }

    /// Whether it ran and printed something of its own.
    pub fn prints(&self) -> bool {
        self.ran && self.invocation.is_some()
    }
}
