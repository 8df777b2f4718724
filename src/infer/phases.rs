//! Phases, decoded jointly over all steps.

use super::{Inference, Options};
use crate::model::{facts::Facts, findings::Findings, session::Session};

/// See the module.
pub struct Phases;

impl Inference for Phases {
    fn name(&self) -> &'static str {
        "phases"
    }

    fn about(&self) -> &'static str {
        "Phases, decoded jointly over all steps"
    }

    fn run(&self, _session: &Session, _facts: &Facts, _options: &Options, _findings: &mut Findings) {}
}
