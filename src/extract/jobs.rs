//! Services and background jobs: starts, readings, ends.

use super::Extractor;
use crate::model::{facts::Facts, session::Session};

/// See the module.
pub struct Jobs;

impl Extractor for Jobs {
    fn name(&self) -> &'static str {
        "jobs"
    }

    fn about(&self) -> &'static str {
        "Services and background jobs: starts, readings, ends"
    }

    fn run(&self, _session: &Session, _facts: &mut Facts) {}
}
