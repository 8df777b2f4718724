//! Session files of Claude Code: JSON Lines, one record a line, linked by `parentUuid` into a tree; or one document
//! `{"loglines": […]}` of such records. Sub-agents stand inside the file (`isSidechain`, `agent_progress`) or in files
//! beside it, which are read with it; one whose main session is gone is a session of its own. A result that was too large
//! for the conversation lies in a file too, and is told whole. Records that were copied from the session that this one
//! was forked from are left to that one.

mod beside;
mod document;
mod load;
mod record;
mod sniff;
mod tree;

use super::{Card, Format, Recorded};
use crate::{
    base::{diag::Diagnostics, error::Error},
    source::{Parsed, ahead::json_lines, open::Input, seen::Seen, sniff::Sniff},
};
use beside::Beside;
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

    fn part_of(&self, input: &Input) -> Option<String> {
        let main = beside::main_of(input)?;
        Some(format!("the session of {}, whose sub-agent it is", main.name))
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let mut loader = Loader::default();
        let mut diagnostics = Diagnostics::default();
        read_into(input, &mut diagnostics, &mut loader)?;
        let beside = Beside::of(self.name(), input, &loader)?;
        Ok(loader.finish(self.name(), input.stem(), diagnostics, beside))
    }
}

/// Reads the records of a file in either of its two forms.
fn read_into(input: &Input, diagnostics: &mut Diagnostics, loader: &mut Loader) -> Result<(), Error> {
    match document::is_document(&input.sample()?) {
        true => document::records(input, diagnostics, loader),
        false => json_lines(input, diagnostics, loader),
    }
}
