//! Ratios within sweeps: how a metric grows with its parameter.

use super::{Inference, Options};
use crate::model::{facts::Facts, findings::Findings, session::Session};

/// See the module.
pub struct ScalingOf;

impl Inference for ScalingOf {
    fn name(&self) -> &'static str {
        "scaling"
    }

    fn about(&self) -> &'static str {
        "Ratios within sweeps: how a metric grows with its parameter"
    }

    fn run(&self, _session: &Session, _facts: &Facts, _options: &Options, _findings: &mut Findings) {}
}
