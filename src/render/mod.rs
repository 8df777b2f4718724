//! Articles and findings to text: Markdown, JSON, tables for terminals; pictures to SVG.

pub mod json;
pub mod markdown;
pub mod plain;
pub mod svg;
