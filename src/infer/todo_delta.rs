//! What changed between consecutive task lists, and the life of each item.

use super::{Inference, Options};
use crate::model::{facts::Facts, findings::Findings, session::Session};

/// See the module.
pub struct TodoDeltas;

impl Inference for TodoDeltas {
    fn name(&self) -> &'static str {
        "todo-delta"
    }

    fn about(&self) -> &'static str {
        "What changed between consecutive task lists, and the life of each item"
    }

    fn run(&self, _session: &Session, _facts: &Facts, _options: &Options, _findings: &mut Findings) {}
}
