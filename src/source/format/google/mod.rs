//! What Gemini CLI and its relatives share: contents made of parts, and how their tools end. Which records belong
//! together, and in which order, is the affair of each format.

pub mod parts;
