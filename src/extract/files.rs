//! Files read, written, edited, deleted.

use super::Extractor;
use crate::model::{facts::Facts, session::Session};

/// See the module.
pub struct Files;

impl Extractor for Files {
    fn name(&self) -> &'static str {
        "files"
    }

    fn about(&self) -> &'static str {
        "Files read, written, edited, deleted"
    }

    fn run(&self, _session: &Session, _facts: &mut Facts) {}
}
