//! Names that a reader needs, with the first message that holds each.

use super::Extractor;
use crate::model::{facts::Facts, session::Session};

/// See the module.
pub struct Names;

impl Extractor for Names {
    fn name(&self) -> &'static str {
        "names"
    }

    fn about(&self) -> &'static str {
        "Names that a reader needs, with the first message that holds each"
    }

    fn run(&self, _session: &Session, _facts: &mut Facts) {}
}
