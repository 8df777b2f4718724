//! Bytes to sessions: open, sniff, frame, parse.

pub mod archive;
mod chat;
pub mod cut_input;
pub mod database;
pub mod document;
pub mod exit_words;
pub mod fields;
pub mod format;
pub mod frame;
pub mod json;
pub mod lenient;
pub mod loose;
pub mod open;
pub mod packed;
pub mod seen;
pub mod sniff;
pub mod tool_names;
pub mod walk;

use crate::{
    base::{diag::Diagnostics, error::Error},
    model::{accounting::Accounting, session::Session},
    text::redact::Redaction,
};
use format::FORMATS;
use open::Input;
use sniff::Declined;

/// What was read from one input.
#[derive(Clone, PartialEq, Debug)]
pub struct Reading {
    /// The input's name, as given.
    pub input: String,
    /// Name of the format that read it.
    pub format: &'static str,
    /// The sessions in it, in order of their first record; never empty.
    pub sessions: Vec<Session>,
    /// Records that belong to no session.
    pub unassigned: Accounting,
    /// Findings that concern the input as a whole.
    pub diagnostics: Diagnostics,
    /// Why this format, and why not the others: `(name, reason)`.
    pub candidates: Vec<(&'static str, String)>,
    /// Secrets that were replaced by markers.
    pub redactions: Vec<Redaction>,
}

/// What a format made of an input.
#[derive(Debug, Default)]
pub struct Parsed {
    /// The sessions.
    pub sessions: Vec<Session>,
    /// Records that belong to no session.
    pub unassigned: Accounting,
    /// Findings that concern the input as a whole.
    pub diagnostics: Diagnostics,
}

/// Recognises and parses one input.
///
/// # Errors
/// See [`crate::pipeline::read`].
pub fn read(input: &Input) -> Result<Reading, Error> {
    let sample = input.sample()?;
    let name = || input.name.clone();
    let verdict = sniff::pick(&sample, FORMATS).map_err(|declined| match declined {
        Declined::Part(of) => Error::PartOfSession { input: name(), of },
        Declined::Unknown(reason) => Error::Unrecognised { input: name(), reason },
    })?;
    let parsed = verdict.format.parse(input)?;
    if parsed.sessions.iter().all(|s| s.messages.is_empty()) {
        let reason = emptiness(&parsed);
        return Err(Error::NoTurns { input: input.name.clone(), format: verdict.format.name(), reason });
    }
    Ok(Reading {
        input: input.name.clone(),
        format: verdict.format.name(),
        sessions: parsed.sessions,
        unassigned: parsed.unassigned,
        diagnostics: parsed.diagnostics,
        candidates: verdict.candidates,
        redactions: Vec::new(),
    })
}

fn emptiness(parsed: &Parsed) -> String {
    let mut all = parsed.unassigned.clone();
    for session in &parsed.sessions {
        all.merge(&session.accounting);
    }
    format!(
        "{} records read: {} skipped, {} unknown, {} damaged",
        all.read,
        all.skipped_total(),
        all.unknown_total(),
        all.damaged
    )
}
