//! Shell calls, split, unwrapped and classified by a table.

use super::Extractor;
use crate::model::{facts::Facts, session::Session};

/// See the module.
pub struct Commands;

impl Extractor for Commands {
    fn name(&self) -> &'static str {
        "commands"
    }

    fn about(&self) -> &'static str {
        "Shell calls, split, unwrapped and classified by a table"
    }

    fn run(&self, _session: &Session, _facts: &mut Facts) {}
}
