//! Articles and findings to text: Markdown, JSON, tables for terminals.

pub mod json;
pub mod markdown;
pub mod plain;
