//! output of `opencode export` (one JSON document).

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
pub struct OpencodeExport;

impl Format for OpencodeExport {
    fn name(&self) -> &'static str {
        "opencode-export"
    }

    fn about(&self) -> &'static str {
        "output of `opencode export` (one JSON document)"
    }

    fn sniff(&self, _sample: &Sample) -> Sniff {
        Sniff::No("not written yet".into())
    }

    fn parse(&self, _input: &Input) -> Result<Parsed, Error> {
        Ok(Parsed::default())
    }
}
