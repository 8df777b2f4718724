//! Turning points, ranked.

use super::{Inference, Options};
use crate::model::{facts::Facts, findings::Findings, session::Session};

/// See the module.
pub struct Turning;

impl Inference for Turning {
    fn name(&self) -> &'static str {
        "turning"
    }

    fn about(&self) -> &'static str {
        "Turning points, ranked"
    }

    fn run(&self, _session: &Session, _facts: &Facts, _options: &Options, _findings: &mut Findings) {}
}
