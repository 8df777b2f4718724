//! Sentences of the assistant that state something worth holding against the log.

use super::Extractor;
use crate::model::{facts::Facts, session::Session};

/// See the module.
pub struct Statements;

impl Extractor for Statements {
    fn name(&self) -> &'static str {
        "statements"
    }

    fn about(&self) -> &'static str {
        "Sentences of the assistant that state something worth holding against the log"
    }

    fn run(&self, _session: &Session, _facts: &mut Facts) {}
}
