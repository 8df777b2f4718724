//! The registry of formats: one producer's shape each. Adding one is a file here, its `mod` line and its slice entry.
//! `anthropic` is no format: it holds what the two Claude formats share.

mod anthropic;
mod bracketed;
mod claude_code;
mod claude_stream;
mod opencode_export;

use super::{Parsed, open::Input, open::Sample, sniff::Sniff};
use crate::base::error::Error;

/// A transcript format.
pub trait Format: Sync {
    /// Name, kebab-case, as `formats` lists it.
    fn name(&self) -> &'static str;
    /// One clause for people: what writes it.
    fn about(&self) -> &'static str;
    /// How sure it is that a sample is its own.
    fn sniff(&self, sample: &Sample) -> Sniff;
    /// Reads the whole input. What is odd becomes diagnostics.
    ///
    /// # Errors
    /// Only when the input cannot be read at all.
    fn parse(&self, input: &Input) -> Result<Parsed, Error>;
}

/// All formats, in the order in which ties are settled.
pub const FORMATS: &[&dyn Format] =
    &[&opencode_export::OpencodeExport, &claude_stream::ClaudeStream, &claude_code::ClaudeCode, &bracketed::Bracketed];
