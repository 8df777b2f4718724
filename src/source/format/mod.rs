//! The registry of formats: one producer's shape each. Adding one is a file here, its `mod` line and its slice entry.
//! `anthropic`, `google`, `kimi` and `shell_session` are no formats: they hold what several formats share.

mod aider;
mod amp;
mod anthropic;
mod asciinema;
mod atif;
mod bracketed;
mod chatgpt_export;
mod claude_code;
mod claude_export;
mod claude_stream;
mod claude_text;
mod cline;
mod cline_messages;
mod codex;
mod codex_exec;
mod continue_session;
mod copilot_cli;
mod crush;
mod cursor;
mod cursor_agent;
mod cursor_transcript;
mod droid;
mod gemini_md;
mod gemini_session;
mod google;
mod goose;
mod hermes;
mod iflow;
mod inspect_eval;
mod junie;
mod kimi;
mod kiro;
mod mini_swe_agent;
mod openclaw;
mod opencode;
mod opencode_md;
mod openhands_json;
mod otel;
mod pi_session;
mod qwen;
mod role_messages;
mod shell_session;
mod specstory;
mod swe_agent_traj;
mod tmux_pane;
mod vscode_copilot;
mod zed;

use super::{Parsed, open::Input, seen::Seen, sniff::Sniff};
use crate::base::error::Error;

/// What a format holds, for people who choose or compare; what is not listed as recorded is not in such logs, and is
/// told as "not recorded", never as zero.
#[derive(Clone, Copy, Debug)]
pub struct Card {
    /// The agent, as its makers spell it; "" for a format that many agents write.
    pub agent: &'static str,
    /// Versions of the producer or of the format that are known to be read.
    pub versions: &'static str,
    /// What such logs record.
    pub records: &'static [Recorded],
}

/// Something that a log may record.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Recorded {
    /// Times of messages.
    Times,
    /// The model of each response.
    Models,
    /// Tokens.
    Tokens,
    /// Cost in money.
    Cost,
    /// Exit statuses of commands, as a field or in a line that the harness itself writes.
    Exits,
    /// Whether a call failed.
    Failures,
    /// The working directory.
    Cwd,
    /// The version-control branch.
    Branch,
    /// Task lists, under whatever name.
    Todos,
    /// The model's reasoning.
    Reasoning,
    /// Sub-agents.
    Subagents,
    /// Compactions of the context.
    Compactions,
}

impl Recorded {
    /// All, in the order of the documentation's columns, with the printed word.
    pub const ALL: &'static [(Recorded, &'static str)] = &[
        (Recorded::Times, "times"),
        (Recorded::Models, "models"),
        (Recorded::Tokens, "tokens"),
        (Recorded::Cost, "cost"),
        (Recorded::Exits, "exit status"),
        (Recorded::Failures, "failures"),
        (Recorded::Cwd, "directory"),
        (Recorded::Branch, "branch"),
        (Recorded::Todos, "todos"),
        (Recorded::Reasoning, "reasoning"),
        (Recorded::Subagents, "sub-agents"),
        (Recorded::Compactions, "compactions"),
    ];
}

/// A transcript format.
pub trait Format: Sync {
    /// Name, kebab-case, as `formats` lists it.
    fn name(&self) -> &'static str;
    /// One clause for people: what writes it.
    fn about(&self) -> &'static str;
    /// What is known of it: the row of the documentation's table.
    fn card(&self) -> Card;
    /// How sure it is that an input is its own, by its content: 90 and more where a mark names the format, about 80
    /// where most sampled records are of its shape, about 50 where the shape is one that several producers share.
    fn sniff(&self, seen: &Seen) -> Sniff;
    /// Whether an input that it recognises belongs to a session that is read through another input beside it; which.
    fn part_of(&self, _: &Input) -> Option<String> {
        None
    }
    /// Reads the whole input. What is odd becomes diagnostics.
    ///
    /// # Errors
    /// Only when the input cannot be read at all.
    fn parse(&self, input: &Input) -> Result<Parsed, Error>;
}

/// All formats, in the order in which ties are settled.
pub const FORMATS: &[&dyn Format] = &[
    &opencode::export::OpencodeExport,
    &opencode::share::OpencodeShare,
    &opencode::tree::OpencodeTree,
    &opencode::database::OpencodeDatabase,
    &opencode::run::OpencodeRun,
    &claude_stream::ClaudeStream,
    &claude_code::ClaudeCode,
    &tmux_pane::TmuxPane,
    &asciinema::Asciinema,
    &codex::CodexRollout,
    &codex_exec::CodexExec,
    &gemini_session::GeminiSession,
    &qwen::Qwen,
    &kimi::wire::KimiWire,
    &kimi::context::KimiContext,
    &iflow::IFlow,
    &openclaw::OpenClaw,
    &bracketed::Bracketed,
    &atif::Atif,
    &swe_agent_traj::SweAgentTraj,
    &mini_swe_agent::MiniSweAgent,
    &mini_swe_agent::log::MiniSweLog,
    &openhands_json::OpenHandsJson,
    &inspect_eval::InspectEval,
    &role_messages::sharegpt::ShareGpt,
    &role_messages::anthropic::Anthropic,
    &role_messages::openai::OpenAi,
    &pi_session::PiSession,
    &specstory::SpecStory,
    &aider::Aider,
    &opencode_md::OpencodeMd,
    &gemini_md::GeminiMd,
    &claude_text::ClaudeText,
    &goose::Goose,
    &hermes::Hermes,
    &crush::Crush,
    &cursor::Cursor,
    &zed::Zed,
    &kiro::Kiro,
    &droid::Droid,
    &cline_messages::ClineMessages,
    &cursor_transcript::CursorTranscript,
    &amp::Amp,
    &cursor_agent::CursorAgent,
    &copilot_cli::CopilotCli,
    &cline::Cline,
    &vscode_copilot::VscodeCopilot,
    &otel::Otel,
    &continue_session::Continue,
    &junie::Junie,
    &chatgpt_export::ChatgptExport,
    &claude_export::ClaudeExport,
];
