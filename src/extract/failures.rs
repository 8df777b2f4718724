//! Failures, from their first sight to the change after which they were gone.

use super::Extractor;
use crate::model::{facts::Facts, session::Session};

/// See the module.
pub struct Failures;

impl Extractor for Failures {
    fn name(&self) -> &'static str {
        "failures"
    }

    fn about(&self) -> &'static str {
        "Failures, from their first sight to the change after which they were gone"
    }

    fn run(&self, _session: &Session, _facts: &mut Facts) {}
}
