//! Task lists: snapshots of todo tools, folded increments, plans and checklists.

use super::Extractor;
use crate::model::{facts::Facts, session::Session};

/// See the module.
pub struct Todos;

impl Extractor for Todos {
    fn name(&self) -> &'static str {
        "todos"
    }

    fn about(&self) -> &'static str {
        "Task lists: snapshots of todo tools, folded increments, plans and checklists"
    }

    fn run(&self, _session: &Session, _facts: &mut Facts) {}
}
