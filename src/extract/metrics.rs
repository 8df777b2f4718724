//! Measurements in tool outputs, texts and todo items.

use super::Extractor;
use crate::model::{facts::Facts, session::Session};

/// See the module.
pub struct Metrics;

impl Extractor for Metrics {
    fn name(&self) -> &'static str {
        "metrics"
    }

    fn about(&self) -> &'static str {
        "Measurements in tool outputs, texts and todo items"
    }

    fn run(&self, _session: &Session, _facts: &mut Facts) {}
}
