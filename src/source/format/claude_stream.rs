//! output of `claude -p --output-format stream-json`.

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
pub struct ClaudeStream;

impl Format for ClaudeStream {
    fn name(&self) -> &'static str {
        "claude-stream-json"
    }

    fn about(&self) -> &'static str {
        "output of `claude -p --output-format stream-json`"
    }

    fn sniff(&self, _sample: &Sample) -> Sniff {
        Sniff::No("not written yet".into())
    }

    fn parse(&self, _input: &Input) -> Result<Parsed, Error> {
        Ok(Parsed::default())
    }
}
