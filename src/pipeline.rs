//! One input, start to finish: the only place where verbs meet. Read this file second.

use crate::{
    base::error::Error,
    extract, infer,
    model::{facts::Facts, findings::Findings, metric::Extraction, session::Session},
    source::{self, open::Input},
};

pub use crate::infer::Options;
pub use crate::source::Reading;

/// What a session was found to hold.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Analysis {
    /// Read off the log.
    pub facts: Facts,
    /// Concluded from the facts.
    pub findings: Findings,
}

/// How an input is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadOptions {
    /// Replace secrets by markers, in every text, before anything else sees them.
    pub redact: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { redact: true }
    }
}

/// Opens, recognises and parses one input.
///
/// # Errors
/// [`Error::Unreadable`], [`Error::Unrecognised`] or [`Error::NoTurns`]; everything milder is a diagnostic in the
/// reading.
pub fn read(input: &Input, _options: ReadOptions) -> Result<Reading, Error> {
    source::read(input)
}

/// Reads the measurements of any text, no session needed. Never fails.
pub fn measurements(text: &str) -> Extraction {
    extract::bench::extract(text, extract::bench::Mode::Prose)
}

/// Extracts the facts of a session and infers the findings. Never fails.
pub fn analyze(session: &Session, options: &Options) -> Analysis {
    let facts = extract::run(session);
    let findings = infer::run(session, &facts, options);
    Analysis { facts, findings }
}
