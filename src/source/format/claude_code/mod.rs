//! Session files of Claude Code: JSON Lines, one record a line, linked by `parentUuid` into a tree; or one document
//! `{"loglines": […]}` of such records. Sub-agents stand inside the file (`isSidechain`, `agent_progress`) or in files
//! of their own, which are read as sessions of their own.

mod document;
mod load;
mod record;
mod sniff;
mod tree;

use super::{Card, Format, Recorded};
use crate::{
    base::error::Error,
    source::{Parsed, frame::json_lines, open::Input, seen::Seen, sniff::Sniff},
};
use load::Loader;

pub(super) use sniff::probes;

/// See the module.
pub struct ClaudeCode;

impl Format for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn about(&self) -> &'static str {
        "session files of Claude Code (JSONL)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "Claude Code",
            versions: "1.0 to 2.1",
            records: &[
                Recorded::Times,
                Recorded::Models,
                Recorded::Tokens,
                Recorded::Exits,
                Recorded::Failures,
                Recorded::Cwd,
                Recorded::Branch,
                Recorded::Todos,
                Recorded::Reasoning,
                Recorded::Subagents,
                Recorded::Compactions,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let sample = seen.sample;
        sniff::sniff(sample)
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let mut loader = Loader::default();
        let mut diagnostics = Default::default();
        match document::is_document(&input.sample()?) {
            true => document::records(input, &mut diagnostics, &mut loader)?,
            false => json_lines(input, &mut diagnostics, &mut loader)?,
        }
        Ok(loader.finish(self.name(), input.stem(), diagnostics))
    }
}
