//! Bytes to sessions: open, sniff, frame, parse.

pub mod agents;
pub mod ahead;
pub mod archive;
mod chat;
pub mod cut_input;
pub mod database;
pub mod document;
pub mod exit_words;
pub mod fenced;
pub mod fields;
pub mod format;
pub mod frame;
pub mod json;
pub mod lenient;
pub mod open;
pub mod packed;
pub mod sample;
pub mod sections;
pub mod seen;
mod shelf;
pub mod sniff;
pub mod stores;
pub mod story;
pub mod terminal;
pub mod tool_names;
pub mod walk;

use crate::{
    base::{diag::Diagnostics, error::Error},
    model::{accounting::Accounting, session::Session},
    text::redact::Redaction,
};
use format::FORMATS;
use open::Input;
use sniff::{Answer, Declined, Verdict};

/// What was read from one input.
#[derive(Clone, PartialEq, Debug)]
pub struct Reading {
    /// The input's name, as given.
    pub input: String,
    /// Names of further inputs that tell the same story and were joined with it.
    pub also: Vec<String>,
    /// Name of the format that read it.
    pub format: &'static str,
    /// The sessions in it, in order of their first record; never empty.
    pub sessions: Vec<Session>,
    /// Records that belong to no session.
    pub unassigned: Accounting,
    /// Findings that concern the input as a whole.
    pub diagnostics: Diagnostics,
    /// What each format said of the input, the one that read it first.
    pub answers: Vec<Answer>,
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

impl Parsed {
    /// Adds a session of a store of many; one without any message only leaves its account.
    pub fn add(&mut self, session: Session) {
        if session.messages.is_empty() && session.subagents.is_empty() {
            self.unassigned.merge(&session.accounting);
            self.diagnostics.extend(session.diagnostics);
        } else {
            self.sessions.push(session);
        }
    }

    /// What was found of the input as a whole is told of its session where that is the only one.
    pub fn settled(mut self) -> Self {
        if let [only] = self.sessions.as_mut_slice() {
            only.diagnostics.extend(std::mem::take(&mut self.diagnostics));
        }
        self
    }
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
        Declined::Unknown(reason, answers) => Error::Unrecognised {
            input: name(),
            reason,
            answers: answers.into_iter().map(|answer| (answer.format, answer.reason)).collect(),
        },
    })?;
    if let Some(of) = verdict.formats.first().and_then(|format| format.part_of(input)) {
        return Err(Error::PartOfSession { input: name(), of });
    }
    let (format, parsed) = parse(input, &verdict)?;
    let mut answers = verdict.answers;
    answers.sort_by_key(|answer| answer.format != format);
    Ok(Reading {
        input: input.name.clone(),
        also: Vec::new(),
        format,
        sessions: parsed.sessions,
        unassigned: parsed.unassigned,
        diagnostics: parsed.diagnostics,
        answers,
        redactions: Vec::new(),
    })
}

/// Reads by the surest format; where that finds no turn, by the next one that knows the input.
fn parse(input: &Input, verdict: &Verdict) -> Result<(&'static str, Parsed), Error> {
    let mut first = None;
    for format in &verdict.formats {
        let parsed = format.parse(input)?;
        if parsed.sessions.iter().any(|s| !s.messages.is_empty()) {
            return Ok((format.name(), parsed));
        }
        first.get_or_insert_with(|| Error::NoTurns {
            input: input.name.clone(),
            format: format.name(),
            reason: emptiness(&parsed),
        });
    }
    Err(first.expect("a verdict names a format"))
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
