//! The fields of opencode's records that are read, as opencode 0.5 to 2.0 and its forks write them. All are optional,
//! and one of another type costs itself only. Inputs and extras stay raw: most of them are never looked into.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::{
    model::message::Usage,
    source::lenient::{Any, Flag, Lenient, List, Number, Raw, Text, lenient},
};

lenient! {
    /// What is known of a session.
    pub struct SessionInfo<'a> {
        id: Text<'a> = "id",
        parent: Text<'a> = "parentID",
        title: Text<'a> = "title",
        directory: Text<'a> = "directory",
        version: Text<'a> = "version",
        revert: Revert<'a> = "revert",
    }
}

lenient! {
    /// Where the user went back to.
    pub struct Revert<'a> {
        message: Text<'a> = "messageID",
        part: Text<'a> = "partID",
    }
}

lenient! {
    /// What is known of a message.
    pub struct MessageInfo<'a> {
        id: Text<'a> = "id",
        role: Text<'a> = "role",
        time: Times<'a> = "time",
        model: Text<'a> = "modelID",
        path: Paths<'a> = "path",
        /// `true` on the answer of a compaction; an object of another meaning on user messages.
        summary: Any<Flag> = "summary",
        error: Any<Failure<'a>> = "error",
        tokens: Tokens<'a> = "tokens",
        cost: Number = "cost",
    }
}

lenient! {
    /// Unix milliseconds.
    pub struct Times<'a> {
        created: Number = "created",
        start: Number = "start",
        end: Number = "end",
        completed: Number = "completed",
        ran: Number = "ran",
    }
}

lenient! {
    /// Where the agent worked.
    pub struct Paths<'a> {
        cwd: Text<'a> = "cwd",
    }
}

lenient! {
    /// An error of the provider.
    pub struct Failure<'a> {
        name: Text<'a> = "name",
        kind: Text<'a> = "type",
        message: Text<'a> = "message",
        data: Any<FailureData<'a>> = "data",
    }
}

lenient! {
    /// What it says.
    pub struct FailureData<'a> {
        message: Text<'a> = "message",
    }
}

lenient! {
    /// Tokens of a response or of one of its steps.
    pub struct Tokens<'a> {
        total: Number = "total",
        input: Number = "input",
        output: Number = "output",
        reasoning: Number = "reasoning",
        cache: Cache<'a> = "cache",
    }
}

lenient! {
    /// Those of the prompt that went through a cache.
    pub struct Cache<'a> {
        read: Number = "read",
        write: Number = "write",
    }
}

lenient! {
    /// A part of a message, of any type.
    pub struct Part<'a> {
        id: Text<'a> = "id",
        message: Text<'a> = "messageID",
        kind: Text<'a> = "type",
        text: Raw<'a> = "text",
        synthetic: Flag = "synthetic",
        ignored: Flag = "ignored",
        time: Times<'a> = "time",
        call: Text<'a> = "callID",
        tool: Text<'a> = "tool",
        state: State<'a> = "state",
        /// Of a retry.
        error: Any<Failure<'a>> = "error",
        /// Of a subtask.
        description: Any<Text<'a>> = "description",
        /// Of a subtask.
        prompt: Any<Text<'a>> = "prompt",
        /// Of the end of a step.
        tokens: Tokens<'a> = "tokens",
        /// Of the end of a step.
        cost: Number = "cost",
    }
}

lenient! {
    /// State of a call. The second generation writes `content` for `output` and an object for `error`.
    pub struct State<'a> {
        status: Text<'a> = "status",
        input: Raw<'a> = "input",
        /// The input so far, as a text, while it is still being written.
        raw: Text<'a> = "raw",
        output: Raw<'a> = "output",
        content: Any<List<Shown<'a>>> = "content",
        error: Raw<'a> = "error",
        metadata: Metadata<'a> = "metadata",
        structured: Any<Metadata<'a>> = "structured",
        time: Times<'a> = "time",
    }
}

lenient! {
    /// A piece of an output.
    pub struct Shown<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        mime: Text<'a> = "mime",
    }
}

lenient! {
    /// What the tool tells besides its output. Tools of extensions put anything here, so that no field is wrong.
    pub struct Metadata<'a> {
        exit: Any<Status> = "exit",
        interrupted: Any<Flag> = "interrupted",
        truncated: Any<Flag> = "truncated",
        session: Any<Text<'a>> = "sessionId",
        session_also: Any<Text<'a>> = "sessionID",
        todos: Raw<'a> = "todos",
        answers: Raw<'a> = "answers",
    }
}

lenient! {
    /// `data` of a row of the second generation, of any type.
    pub struct Row<'a> {
        text: Text<'a> = "text",
        name: Any<Text<'a>> = "name",
        content: List<Item<'a>> = "content",
        model: Any<Model<'a>> = "model",
        tokens: Tokens<'a> = "tokens",
        cost: Number = "cost",
        error: Any<Failure<'a>> = "error",
        time: Times<'a> = "time",
        status: Any<Text<'a>> = "status",
        summary: Any<Text<'a>> = "summary",
        outcome: Text<'a> = "outcome",
        shell: Text<'a> = "shellID",
        command: Raw<'a> = "command",
        output: Raw<'a> = "output",
        exit: Any<Status> = "exit",
    }
}

lenient! {
    /// Something of a response of the second generation.
    pub struct Item<'a> {
        kind: Text<'a> = "type",
        text: Raw<'a> = "text",
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        state: State<'a> = "state",
        time: Times<'a> = "time",
    }
}

lenient! {
    /// A model.
    pub struct Model<'a> {
        id: Text<'a> = "id",
        model: Text<'a> = "modelID",
    }
}

lenient! {
    /// A line of `opencode run --format json`.
    pub struct Event<'a> {
        kind: Text<'a> = "type",
        time: Number = "timestamp",
        session: Text<'a> = "sessionID",
        part: Raw<'a> = "part",
        error: Any<Failure<'a>> = "error",
    }
}

/// Exit status of a command as it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Status {
    /// No field, or something else.
    #[default]
    Absent,
    /// `null`: it was killed.
    Killed,
    /// A status.
    Code(i32),
}

impl<'de> Deserialize<'de> for Status {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&'de RawValue>::deserialize(deserializer)?.get();
        Ok(if raw == "null" { Status::Killed } else { raw.parse().map_or(Status::Absent, Status::Code) })
    }
}

impl Tokens<'_> {
    /// What a response or a step cost. Zeros all over stand where nothing is known, and a cost of zero where the price
    /// is not.
    pub fn usage(&self, cost: Number) -> Usage {
        let counts = [self.input, self.output, self.reasoning, self.cache.read, self.cache.write].map(Number::count);
        let cost = cost.get().filter(|c| *c > 0.0);
        if counts.iter().all(|count| count.is_none_or(|n| n == 0)) {
            return Usage { cost, ..Usage::default() };
        }
        let [input, output, reasoning, cache_read, cache_write] = counts;
        // Versions that write a total keep the reasoning apart from the output; before, it was part of it.
        let apart = self.total.count() == Some(counts.iter().flatten().sum());
        let output = output.map(|n| n + reasoning.filter(|_| apart).unwrap_or(0));
        Usage { input, output, cache_read, cache_write, reasoning, cost }
    }
}

/// Whether a value that should be an object is something else.
pub fn no_object(stray: &Text) -> bool {
    *stray != Text::Absent || stray.wrong()
}
