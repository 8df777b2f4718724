//! Shapes of the records of a rollout. One struct takes the payload of every type, so that a line is parsed once; what
//! it does not name (copies of the context in `compacted`, instructions, states of the world) is passed over unbuilt.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::source::lenient::{self, Any, Flag, Length, List, Number, Present, Raw, Text, lenient};

lenient! {
    /// A line: an envelope around a payload, or (2025) a bare item.
    pub struct Record<'a> {
        time: Text<'a> = "timestamp",
        kind: Text<'a> = "type",
        payload: Payload<'a> = "payload",
    }
}

lenient! {
    /// What an envelope holds.
    pub struct Payload<'a> {
        kind: Text<'a> = "type",
        id: Text<'a> = "id",
        call_id: Text<'a> = "call_id",
        turn_id: Text<'a> = "turn_id",
        role: Text<'a> = "role",
        content: Content<'a> = "content",
        summary: Any<Content<'a>> = "summary",
        name: Any<Text<'a>> = "name",
        namespace: Text<'a> = "namespace",
        arguments: Raw<'a> = "arguments",
        input: Any<Text<'a>> = "input",
        output: Content<'a> = "output",
        action: Raw<'a> = "action",
        status: Any<Text<'a>> = "status",
        message: Text<'a> = "message",
        text: Text<'a> = "text",
        images: List<Length> = "images",
        local_images: Any<List<Length>> = "local_images",
        info: Any<TokenInfo<'a>> = "info",
        reason: Any<Text<'a>> = "reason",
        num_turns: Number = "num_turns",
        cwd: Text<'a> = "cwd",
        model: Text<'a> = "model",
        cli_version: Text<'a> = "cli_version",
        source: Any<Source<'a>> = "source",
        git: Any<Git<'a>> = "git",
        forked_from: Text<'a> = "forked_from_id",
        parent: Text<'a> = "parent_thread_id",
        nickname: Text<'a> = "agent_nickname",
        agent_role: Text<'a> = "agent_role",
        exit_code: Number = "exit_code",
        success: Any<Flag> = "success",
        result: Any<CallResult<'a>> = "result",
        results: Raw<'a> = "results",
        query: Any<Text<'a>> = "query",
        revised_prompt: Text<'a> = "revised_prompt",
        tools: Raw<'a> = "tools",
        item: Any<Item<'a>> = "item",
        new_thread: Text<'a> = "new_thread_id",
        agent_thread: Text<'a> = "agent_thread_id",
        event_id: Text<'a> = "event_id",
        author: Text<'a> = "author",
        thread_name: Text<'a> = "thread_name",
        error: Any<Fault<'a>> = "error",
        review: Any<Review<'a>> = "review_output",
        record_type: Text<'a> = "record_type",
        instructions: Present = "instructions",
        time: Any<Text<'a>> = "timestamp",
    }
}

lenient! {
    /// A piece of a message, of a reasoning or of an output.
    pub struct Piece<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        image: Length = "image_url",
        content: Text<'a> = "content",
        success: Flag = "success",
    }
}

lenient! {
    /// Tokens as `token_count` tells them: of the whole session and of the last response.
    pub struct TokenInfo<'a> {
        total: Any<Tokens<'a>> = "total_token_usage",
        last: Any<Tokens<'a>> = "last_token_usage",
    }
}

lenient! {
    /// Tokens; `input` includes the cached ones, `output` the reasoning.
    pub struct Tokens<'a> {
        input: Number = "input_tokens",
        cached: Number = "cached_input_tokens",
        written: Number = "cache_write_input_tokens",
        output: Number = "output_tokens",
        reasoning: Number = "reasoning_output_tokens",
    }
}

lenient! {
    /// What started the session: a word, or an object for sub-agents.
    pub struct Source<'a> {
        subagent: Any<Subagent<'a>> = "subagent",
    }
}

lenient! {
    /// How a sub-agent was started.
    pub struct Subagent<'a> {
        spawn: Any<Spawn<'a>> = "thread_spawn",
    }
}

lenient! {
    /// A sub-agent that the model asked for.
    pub struct Spawn<'a> {
        parent: Text<'a> = "parent_thread_id",
        nickname: Text<'a> = "agent_nickname",
        role: Text<'a> = "agent_role",
    }
}

lenient! {
    /// The repository.
    pub struct Git<'a> {
        branch: Text<'a> = "branch",
    }
}

lenient! {
    /// An error of the provider.
    pub struct Fault<'a> {
        message: Text<'a> = "message",
    }
}

lenient! {
    /// What an MCP tool gave; base64 of a generated image is a `stray` that nobody keeps.
    pub struct CallResult<'a> {
        good: Any<McpResult<'a>> = "Ok",
        bad: Present = "Err",
    }
}

lenient! {
    /// The result of an MCP tool that answered.
    pub struct McpResult<'a> {
        is_error: Flag = "isError",
    }
}

lenient! {
    /// What a review came to.
    pub struct Review<'a> {
        explanation: Text<'a> = "overall_explanation",
    }
}

lenient! {
    /// An item of the paginated history (2026).
    pub struct Item<'a> {
        kind: Text<'a> = "type",
        id: Text<'a> = "id",
        content: Any<Content<'a>> = "content",
        text: Text<'a> = "text",
        command: Any<List<Text<'a>>> = "command",
        cwd: Any<Text<'a>> = "cwd",
        output: Any<Text<'a>> = "aggregated_output",
        exit_code: Number = "exit_code",
        status: Any<Text<'a>> = "status",
        server: Text<'a> = "server",
        tool: Text<'a> = "tool",
        arguments: Raw<'a> = "arguments",
        changes: Raw<'a> = "changes",
        result: Raw<'a> = "result",
    }
}

/// What a message or a result says.
pub type Content<'a> = lenient::Content<Piece<'a>>;

impl Content<'_> {
    /// Its texts one below the other.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for piece in &self.blocks {
            let text = piece.text.get().or(piece.stray.get()).or(piece.content.get()).unwrap_or_default();
            if !out.is_empty() && !out.ends_with('\n') {
                out.push('\n');
            }
            out.push_str(text);
        }
        out
    }

    /// How many images it shows.
    pub fn images(&self) -> usize {
        self.blocks.iter().filter(|piece| piece.kind.get() == Some("input_image")).count()
    }
}

/// The text that a JSON value is: a string decoded, anything else as it stands.
pub fn decoded<'a>(raw: &'a RawValue) -> Cow<'a, str> {
    match raw.get().starts_with('"').then(|| serde_json::from_str::<Text<'a>>(raw.get())) {
        Some(Ok(Text::Is(text))) => text,
        _ => Cow::Borrowed(raw.get()),
    }
}

/// Whether a text is a JSON object.
pub fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok()
}
