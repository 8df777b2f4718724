//! What the user asked for, limited, or objected to.

use super::Extractor;
use crate::model::{facts::Facts, session::Session};

/// See the module.
pub struct Requests;

impl Extractor for Requests {
    fn name(&self) -> &'static str {
        "requests"
    }

    fn about(&self) -> &'static str {
        "What the user asked for, limited, or objected to"
    }

    fn run(&self, _session: &Session, _facts: &mut Facts) {}
}
