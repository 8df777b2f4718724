//! Shapes of the records.

use crate::{
    model::message::Usage,
    source::{
        format::google::parts::Content,
        lenient::{Any, Flag, Number, Raw, Text, lenient},
    },
};

lenient! {
    /// A line.
    pub struct Record<'a> {
        uuid: Text<'a> = "uuid",
        parent: Text<'a> = "parentUuid",
        session: Text<'a> = "sessionId",
        time: Text<'a> = "timestamp",
        kind: Text<'a> = "type",
        subtype: Text<'a> = "subtype",
        cwd: Text<'a> = "cwd",
        version: Text<'a> = "version",
        branch: Text<'a> = "gitBranch",
        message: Message<'a> = "message",
        model: Text<'a> = "model",
        usage: Any<Tokens<'a>> = "usageMetadata",
        result: Any<CallResult<'a>> = "toolCallResult",
        payload: Any<Payload<'a>> = "systemPayload",
        sidechain: Flag = "isSidechain",
        agent: Text<'a> = "agentId",
        agent_name: Text<'a> = "agentName",
        forked: Any<Fork<'a>> = "forkedFrom",
        provenance: Text<'a> = "provenance",
    }
}

lenient! {
    /// What went to or came from the model.
    pub struct Message<'a> {
        parts: Content<'a> = "parts",
    }
}

lenient! {
    /// Tokens; the prompt includes the cached ones.
    pub struct Tokens<'a> {
        prompt: Number = "promptTokenCount",
        candidates: Number = "candidatesTokenCount",
        thoughts: Number = "thoughtsTokenCount",
        cached: Number = "cachedContentTokenCount",
        total: Number = "totalTokenCount",
    }
}

lenient! {
    /// What became of a call.
    pub struct CallResult<'a> {
        id: Text<'a> = "callId",
        status: Text<'a> = "status",
        display: Raw<'a> = "resultDisplay",
    }
}

lenient! {
    /// What the screen was shown of a result, where it is an object.
    pub struct Display<'a> {
        kind: Text<'a> = "type",
        todos: Raw<'a> = "todos",
    }
}

lenient! {
    /// What a record holds beside what the model saw.
    pub struct Payload<'a> {
        title: Text<'a> = "customTitle",
        display: Any<Text<'a>> = "displayText",
        command: Text<'a> = "rawCommand",
        phase: Text<'a> = "phase",
        parent: Text<'a> = "parentSessionId",
    }
}

lenient! {
    /// Where a copied record comes from.
    pub struct Fork<'a> {
        session: Text<'a> = "sessionId",
    }
}

impl Tokens<'_> {
    /// As usage. Whether the written tokens include the thoughts is told by the total.
    pub fn usage(&self) -> Usage {
        let (prompt, written) = (self.prompt.count(), self.candidates.count());
        let (thoughts, cached) = (self.thoughts.count(), self.cached.count());
        let apart = match (prompt, written, self.total.count()) {
            (Some(prompt), Some(written), Some(total)) => prompt + written != total,
            _ => true,
        };
        Usage {
            input: prompt.map(|prompt| prompt.saturating_sub(cached.unwrap_or(0))),
            output: written.map(|written| written + thoughts.filter(|_| apart).unwrap_or(0)),
            cache_read: cached,
            reasoning: thoughts,
            ..Usage::default()
        }
    }
}

/// Subtypes of `system` records that hold nothing for the session. Sorted.
#[rustfmt::skip]
pub const SILENT: &[&str] = &[
    "agent_bootstrap", "agent_launch_prompt", "agent_retry", "agent_session_ready", "at_command",
    "attribution_snapshot", "background_task_completed", "branch_checkpoint", "file_history_snapshot", "goal_runtime",
    "goal_state", "goal_turn_end", "managed_session_commit_v1", "managed_session_event_v1",
    "managed_session_header_v1", "omni_recall", "realtime_message", "session_approval_mode", "session_artifact_event",
    "session_artifact_snapshot", "session_execution_engine", "session_model", "session_notes", "session_source",
    "session_sources_snapshot", "turn_result", "ui_telemetry", "user_text_elements",
];
