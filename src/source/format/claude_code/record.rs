//! A line of a Claude Code session file as it stands in JSON, and what kinds of lines there are.

use crate::{
    model::message::NoticeKind,
    source::{
        format::anthropic::{
            blocks::{Content, Message},
            structured::ToolUseResult,
        },
        lenient::{Any, Flag, Number, Text, lenient},
    },
};

lenient! {
    /// A line of any type.
    pub struct Record<'a> {
        kind: Text<'a> = "type",
        subtype: Text<'a> = "subtype",
        uuid: Text<'a> = "uuid",
        parent: Text<'a> = "parentUuid",
        logical_parent: Text<'a> = "logicalParentUuid",
        session: Text<'a> = "sessionId",
        agent: Text<'a> = "agentId",
        team: Text<'a> = "teamName",
        time: Text<'a> = "timestamp",
        cwd: Text<'a> = "cwd",
        branch: Text<'a> = "gitBranch",
        version: Text<'a> = "version",
        sidechain: Flag = "isSidechain",
        meta: Flag = "isMeta",
        compact_summary: Flag = "isCompactSummary",
        api_error: Flag = "isApiErrorMessage",
        message: Message<'a> = "message",
        result: Any<ToolUseResult<'a>> = "toolUseResult",
        denial: Any<Text<'a>> = "toolDenialKind",
        content: Any<Text<'a>> = "content",
        attachment: Attachment<'a> = "attachment",
        data: Progress<'a> = "data",
        parent_tool: Text<'a> = "parentToolUseID",
        compact: Compaction<'a> = "compactMetadata",
        summary: Text<'a> = "summary",
        leaf: Text<'a> = "leafUuid",
        custom_title: Text<'a> = "customTitle",
        agent_name: Text<'a> = "agentName",
        forked: Any<Forked<'a>> = "forkedFrom",
        cost: Number = "costUSD",
        ai_title: Text<'a> = "aiTitle",
    }
}

lenient! {
    /// The record of another session that this one is a copy of.
    pub struct Forked<'a> {
        session: Text<'a> = "sessionId",
    }
}

lenient! {
    /// What was put beside a turn.
    pub struct Attachment<'a> {
        kind: Text<'a> = "type",
        prompt: Any<Content<'a>> = "prompt",
    }
}

lenient! {
    /// Sign of life of a tool or a sub-agent.
    pub struct Progress<'a> {
        kind: Text<'a> = "type",
        agent: Text<'a> = "agentId",
        message: Any<Inner<'a>> = "message",
    }
}

lenient! {
    /// A turn of a sub-agent inside a sign of life.
    pub struct Inner<'a> {
        kind: Text<'a> = "type",
        uuid: Text<'a> = "uuid",
        time: Text<'a> = "timestamp",
        meta: Flag = "isMeta",
        message: Message<'a> = "message",
        result: Any<ToolUseResult<'a>> = "toolUseResult",
    }
}

lenient! {
    /// How a compaction went.
    pub struct Compaction<'a> {
        messages: Preserved<'a> = "preservedMessages",
        segment: Preserved<'a> = "preservedSegment",
    }
}

lenient! {
    /// Messages that a compaction kept word for word: a list, or a segment by its last one.
    pub struct Preserved<'a> {
        uuids: crate::source::lenient::List<Text<'a>> = "uuids",
        tail: Text<'a> = "tailUuid",
    }
}

impl Compaction<'_> {
    /// Id of the last message that was kept.
    pub fn last_kept(&self) -> Option<String> {
        self.messages.uuids.items.last().and_then(Text::owned).or_else(|| self.segment.tail.owned())
    }
}

/// Types that keep the book and hold nothing of the conversation; Claude Code 1.0 to 2.1. Sorted.
#[rustfmt::skip]
pub const BOOKKEEPING: &[&str] = &[
    "agent-setting", "atis-latch", "attribution-snapshot", "bridge-session", "content-replacement", "continued-in",
    "data-flow-records", "derived-from", "file-history-delta", "file-history-snapshot", "fork-context-ref", "frame-link",
    "last-prompt", "mode", "permission-mode", "pr-link", "queue-operation", "relocated", "result", "session-owner",
    "started", "tag", "tools-used", "worktree-state",
];

/// Types that name the session, most telling first. Sorted by precedence.
pub const TITLES: &[&str] = &["custom-title", "agent-name", "ai-title", "summary"];

/// Subtypes of `system` records that are told as notices. The others (durations, hook summaries) are passed over.
#[rustfmt::skip]
pub const NOTICES: &[(&str, NoticeKind)] = &[
    ("api_error",              NoticeKind::Fault),
    ("api_refusal",            NoticeKind::Fault),
    ("away_summary",           NoticeKind::Meta),
    ("compact_boundary",       NoticeKind::Compaction),
    ("error",                  NoticeKind::Fault),
    ("informational",          NoticeKind::Meta),
    ("local_command",          NoticeKind::Meta),
    ("model_refusal_fallback", NoticeKind::Fault),
];
