//! session files of Claude Code (JSONL).

use super::Format;
use crate::{
    base::error::Error,
    source::{
        Parsed,
        open::{Input, Sample},
        sniff::Sniff,
    },
};

/// See the module.
pub struct ClaudeCode;

impl Format for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn about(&self) -> &'static str {
        "session files of Claude Code (JSONL)"
    }

    fn sniff(&self, _sample: &Sample) -> Sniff {
        Sniff::No("not written yet".into())
    }

    fn parse(&self, _input: &Input) -> Result<Parsed, Error> {
        Ok(Parsed::default())
    }
}
