//! Everything that opencode and its forks write: exports, share data, the files of its earlier store, its databases of
//! both generations, and the output of `opencode run --format json`. Each is a format of its own; what they share is the
//! reading of messages and parts. Order is by time and id, never by the parts' own times.

mod call;
pub mod database;
pub mod export;
mod message;
mod rows;
pub mod run;
mod session;
mod shape;
pub mod share;
pub mod tree;

use super::Recorded;

/// What all of opencode's stores record.
const STORED: &[Recorded] = &[
    Recorded::Times,
    Recorded::Models,
    Recorded::Tokens,
    Recorded::Cost,
    Recorded::Exits,
    Recorded::Failures,
    Recorded::Cwd,
    Recorded::Todos,
    Recorded::Reasoning,
    Recorded::Subagents,
    Recorded::Compactions,
];
