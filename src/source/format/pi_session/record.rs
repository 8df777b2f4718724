//! The entries as they stand in JSON.

use crate::source::lenient::{self, Any, Flag, Length, List, Number, Raw, Text, lenient};

/// Roles of messages.
pub const ROLES: &[&str] = &[
    "assistant",
    "bashExecution",
    "branchSummary",
    "compactionSummary",
    "custom",
    "developer",
    "fileMention",
    "hookMessage",
    "pythonExecution",
    "toolResult",
    "user",
];

/// Types of entries that tell of the session's working and give nothing to it.
pub const BOOKKEEPING: &[&str] = &[
    "custom",
    "label",
    "leaf",
    "mcp_tool_selection",
    "mode_change",
    "service_tier_change",
    "session_init",
    "thinking_level_change",
    "ttsr_injection",
];

lenient! {
    /// A line of any type.
    pub struct Entry<'a> {
        kind: Text<'a> = "type",
        id: Text<'a> = "id",
        parent: Text<'a> = "parentId",
        time: Text<'a> = "timestamp",
        cwd: Text<'a> = "cwd",
        version: Any<Number> = "version",
        parent_session: Any<Text<'a>> = "parentSession",
        branched_from: Any<Text<'a>> = "branchedFrom",
        title: Any<Text<'a>> = "title",
        name: Any<Text<'a>> = "name",
        agent: Any<Text<'a>> = "agent",
        model: Any<Text<'a>> = "model",
        model_id: Text<'a> = "modelId",
        summary: Text<'a> = "summary",
        content: Content<'a> = "content",
        custom: Text<'a> = "customType",
        data: Any<Phases<'a>> = "data",
        target: Any<Text<'a>> = "targetId",
        append_mode: Any<Text<'a>> = "appendMode",
        message: Message<'a> = "message",
    }
}

lenient! {
    /// A message of any role.
    pub struct Message<'a> {
        role: Text<'a> = "role",
        content: Content<'a> = "content",
        model: Text<'a> = "model",
        response: Any<Text<'a>> = "responseId",
        stop: Text<'a> = "stopReason",
        error: Any<Text<'a>> = "errorMessage",
        usage: Usage<'a> = "usage",
        call: Text<'a> = "toolCallId",
        tool: Text<'a> = "toolName",
        is_error: Flag = "isError",
        details: Any<Details<'a>> = "details",
        summary: Text<'a> = "summary",
        command: Text<'a> = "command",
        code: Any<Text<'a>> = "code",
        output: Text<'a> = "output",
        exit: Number = "exitCode",
        cancelled: Flag = "cancelled",
        truncated: Flag = "truncated",
        provenance: Raw<'a> = "provenance",
    }
}

lenient! {
    /// Tokens and cost of a response.
    pub struct Usage<'a> {
        input: Number = "input",
        output: Number = "output",
        cache_read: Number = "cacheRead",
        cache_write: Number = "cacheWrite",
        reasoning: Any<Number> = "reasoningTokens",
        cost: Cost<'a> = "cost",
    }
}

lenient! {
    /// US dollars.
    pub struct Cost<'a> {
        total: Number = "total",
    }
}

lenient! {
    /// What a tool returned besides its text.
    pub struct Details<'a> {
        phases: List<Phase<'a>> = "phases",
        status: Text<'a> = "status",
        exit: Number = "exitCode",
        truncation: Truncation<'a> = "truncation",
        child: Text<'a> = "childSessionKey",
    }
}

lenient! {
    /// Whether a text was cut: an object, or a truth value in oh-my-pi.
    pub struct Truncation<'a> {
        truncated: Flag = "truncated",
    }
}

lenient! {
    /// A task list by phases.
    pub struct Phases<'a> {
        phases: List<Phase<'a>> = "phases",
    }
}

lenient! {
    /// A phase of a task list.
    pub struct Phase<'a> {
        name: Text<'a> = "name",
        tasks: List<Task<'a>> = "tasks",
    }
}

lenient! {
    /// A task.
    pub struct Task<'a> {
        id: Any<Text<'a>> = "id",
        content: Text<'a> = "content",
        status: Text<'a> = "status",
        blocker: Any<Text<'a>> = "blocker",
    }
}

lenient! {
    /// A block of a message's content.
    pub struct Block<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        thinking: Text<'a> = "thinking",
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        arguments: Raw<'a> = "arguments",
        media: Text<'a> = "mimeType",
        data: Length = "data",
    }
}

/// What a message says.
pub type Content<'a> = lenient::Content<Block<'a>>;

impl Content<'_> {
    /// All of it as one text, and what stands for its images.
    pub fn flat(self) -> (String, Vec<String>) {
        let (mut text, mut images) = (String::new(), Vec::new());
        for mut block in self.blocks {
            match block.kind.get() {
                Some("image") => images.push(block.placeholder()),
                _ => {
                    if let Some(more) = block.text.take().or_else(|| block.stray.take()) {
                        text += if text.is_empty() { "" } else { "\n" };
                        text += &more;
                    }
                }
            }
        }
        (text, images)
    }
}

impl Block<'_> {
    /// What stands for an image.
    fn placeholder(&self) -> String {
        let media = self.media.get().unwrap_or("of unknown type");
        match self.data {
            Length(0) => format!("[image {media}]"),
            // Base64 writes three bytes as four characters.
            Length(written) => format!("[image {media}, {} bytes]", written / 4 * 3),
        }
    }
}
