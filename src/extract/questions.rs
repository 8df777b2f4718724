//! Questions put to the user, with options and answers.

use super::Extractor;
use crate::model::{facts::Facts, session::Session};

/// See the module.
pub struct Questions;

impl Extractor for Questions {
    fn name(&self) -> &'static str {
        "questions"
    }

    fn about(&self) -> &'static str {
        "Questions put to the user, with options and answers"
    }

    fn run(&self, _session: &Session, _facts: &mut Facts) {}
}
