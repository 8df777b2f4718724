//! Findings as tables for a person at a terminal, or as Markdown.

pub mod benchmarks;
pub mod check;
pub mod inspect;
pub mod phases;
pub mod show;
pub mod todos;

/// How it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// For a terminal.
    Plain,
    /// For a page.
    Markdown,
}
