//! Session to facts. Each extractor reads the session and what earlier extractors found, and adds its own facts.

pub mod bench;
mod changes;
mod commands;
mod error_lines;
mod failures;
mod files;
mod invocation;
mod jobs;
mod metrics;
mod names;
mod origin;
mod questions;
mod requests;
mod sentence_cues;
mod shell;
mod statements;
mod todo;

pub use commands::vocabulary_version;

use crate::model::{facts::Facts, session::Session};

/// One kind of fact.
pub trait Extractor: Sync {
    /// Name, kebab-case.
    fn name(&self) -> &'static str;
    /// One clause: what it finds.
    fn about(&self) -> &'static str;
    /// Adds what it finds.
    fn run(&self, session: &Session, facts: &mut Facts);
}

/// All extractors, in the order in which they run: later ones may read the facts of earlier ones.
pub const EXTRACTORS: &[&dyn Extractor] = &[
    &commands::Commands,
    &todo::Todos,
    &metrics::Metrics,
    &files::Files,
    &failures::Failures,
    &jobs::Jobs,
    &questions::Questions,
    &requests::Requests,
    &statements::Statements,
    &names::Names,
];

/// Runs all extractors.
pub fn run(session: &Session) -> Facts {
    let mut facts = Facts::default();
    for extractor in EXTRACTORS {
        extractor.run(session, &mut facts);
    }
    facts
}

/// The task lists alone, for those who need no other facts: the other extractors cost many times as much.
pub fn todo_lists(session: &Session) -> Facts {
    let mut facts = Facts::default();
    todo::Todos.run(session, &mut facts);
    facts
}
