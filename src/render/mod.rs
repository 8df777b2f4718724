//! Articles and findings to text: Markdown, HTML, JSON, tables for terminals; pictures to SVG.

pub mod excerpt;
pub mod html;
pub mod index;
pub mod json;
pub mod markdown;
mod pieces;
pub mod plain;
pub mod svg;
