//! Findings as tables for a person at a terminal, or as Markdown.

pub mod audit;
pub mod benchmarks;
pub mod check;
pub mod compare;
mod grid;
pub mod inspect;
pub mod phases;
pub mod series;
pub mod sessions;
pub mod show;
pub mod todos;

/// How findings are printed for a person.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Aligned columns, for a terminal.
    Terminal,
    /// Markdown, for a page.
    Markdown,
}
