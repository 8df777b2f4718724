//! Shapes of the records.

use crate::{
    model::message::Usage,
    source::{
        format::google::parts::Content,
        lenient::{Any, List, Number, Raw, Text, lenient},
    },
};

lenient! {
    /// A line, a message of a document or a prompt of the list: any of them.
    pub struct Line<'a> {
        session: Text<'a> = "sessionId",
        project: Text<'a> = "projectHash",
        summary: Any<Text<'a>> = "summary",
        role: Any<Text<'a>> = "kind",
        directories: Any<List<Text<'a>>> = "directories",
        set: Option<Set<'a>> = "$set",
        rewind: Text<'a> = "$rewindTo",
        messages: Raw<'a> = "messages",
        id: Text<'a> = "id",
        time: Text<'a> = "timestamp",
        kind: Text<'a> = "type",
        content: Content<'a> = "content",
        display: Any<Content<'a>> = "displayContent",
        model: Text<'a> = "model",
        thoughts: List<Thought<'a>> = "thoughts",
        tokens: Any<Tokens<'a>> = "tokens",
        calls: List<ToolCall<'a>> = "toolCalls",
        prompt: Text<'a> = "message",
    }
}

lenient! {
    /// Members of the head that are replaced.
    pub struct Set<'a> {
        summary: Any<Text<'a>> = "summary",
        directories: Any<List<Text<'a>>> = "directories",
        messages: Raw<'a> = "messages",
    }
}

impl crate::source::lenient::Lenient for Option<Set<'_>> {
    fn wrong(&self) -> bool {
        self.as_ref().is_some_and(crate::source::lenient::Lenient::wrong)
    }
}

lenient! {
    /// A summary of reasoning.
    pub struct Thought<'a> {
        subject: Text<'a> = "subject",
        description: Text<'a> = "description",
    }
}

lenient! {
    /// Tokens of a response; the input includes the cached ones, the output no thoughts.
    pub struct Tokens<'a> {
        input: Number = "input",
        output: Number = "output",
        cached: Number = "cached",
        thoughts: Number = "thoughts",
        tool: Number = "tool",
    }
}

lenient! {
    /// A call with what became of it.
    pub struct ToolCall<'a> {
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        args: Raw<'a> = "args",
        result: Any<Content<'a>> = "result",
        status: Text<'a> = "status",
        time: Text<'a> = "timestamp",
        agent: Text<'a> = "agentId",
    }
}

impl Tokens<'_> {
    /// As usage.
    pub fn usage(&self) -> Usage {
        let cached = self.cached.count();
        let thoughts = self.thoughts.count();
        let prompt = self.input.count().map(|all| all.saturating_sub(cached.unwrap_or(0)));
        Usage {
            input: prompt.map(|prompt| prompt + self.tool.count().unwrap_or(0)),
            output: self.output.count().map(|output| output + thoughts.unwrap_or(0)),
            cache_read: cached,
            reasoning: thoughts,
            ..Usage::default()
        }
    }
}

/// Types of messages. Sorted.
pub const TYPES: &[&str] = &["error", "gemini", "info", "qwen", "user", "warning"];

/// Whether messages of a type are the model's.
pub fn is_model(kind: &str) -> bool {
    matches!(kind, "gemini" | "qwen")
}
