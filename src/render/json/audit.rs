//! `audit --json`: `turnpoint.audit/1`.

use serde::Serialize;

use super::Ids;
use crate::base::span::ByteSpan;
use crate::model::{
    audit::{Audit, Claimed, EntityKind, LooseEnd},
    evidence::Evidence,
    session::Session,
};

/// The document of one session.
#[derive(Serialize)]
pub struct Document<'a> {
    schema: &'static str,
    session: &'a str,
    format: &'a str,
    numbering: &'static str,
    claims: Vec<ClaimView<'a>>,
    omissions: Vec<OmissionView<'a>>,
}

#[derive(Serialize)]
struct ClaimView<'a> {
    text: &'a str,
    message: u32,
    step: u32,
    #[serde(flatten)]
    ids: Ids<'a>,
    /// Bytes of the text in its part of the message.
    part: usize,
    from: usize,
    to: usize,
    kind: &'static str,
    verdict: &'static str,
    rule: &'static str,
    why: &'a str,
    /// The words within the text that decide.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<&'a str>,
    /// What the text names, each with its bytes in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    entities: Vec<EntityView<'a>>,
    evidence: Vec<PlaceView<'a>>,
    /// Message of the first claim that says the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    repeats: Option<u32>,
}

#[derive(Serialize)]
struct EntityView<'a> {
    kind: &'static str,
    text: &'a str,
    from: usize,
    to: usize,
}

/// What needs an action and no text of the agent tells.
#[derive(Serialize)]
struct OmissionView<'a> {
    text: &'a str,
    message: u32,
    step: u32,
    #[serde(flatten)]
    ids: Ids<'a>,
    rule: &'static str,
    why: &'a str,
    evidence: Vec<PlaceView<'a>>,
}

/// Where the log says so: a message with a quotation, or the range that was searched.
#[derive(Serialize)]
struct PlaceView<'a> {
    message: u32,
    #[serde(skip_serializing_if = "str::is_empty")]
    quote: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    searched_to: Option<u32>,
}

impl<'a> Document<'a> {
    /// Of a session and its audit.
    pub fn new(session: &'a Session, audit: &'a Audit) -> Self {
        Self {
            schema: "turnpoint.audit/1",
            session: &session.info.id,
            format: session.info.format,
            numbering: session.numbering.name(),
            claims: audit.claims.iter().map(|claim| ClaimView::new(session, claim)).collect(),
            omissions: audit.omissions().map(|end| OmissionView::new(session, end)).collect(),
        }
    }
}

impl<'a> ClaimView<'a> {
    fn new(session: &'a Session, claim: &'a Claimed) -> Self {
        let at = claim.words.message();
        let step = session.step_of(at);
        let (part, span) = claim.words.quote().unwrap_or_default();
        Self {
            text: session.quoted(&claim.words),
            part,
            from: span.start,
            to: span.end,
            message: session.message(at).number,
            step: step.0,
            ids: Ids::new(session, at, session.main_of(step)),
            kind: claim.kind.word(),
            verdict: claim.ruling.key(),
            rule: claim.rule,
            why: &claim.why,
            parts: claim.parts.iter().map(|part| session.quoted(part)).collect(),
            entities: claim.entities.iter().map(|(kind, place)| EntityView::new(session, *kind, place, span)).collect(),
            evidence: claim.log.iter().map(|place| PlaceView::new(session, place)).collect(),
            repeats: claim.repeats.as_ref().map(|first| session.message(first.message()).number),
        }
    }
}

impl<'a> EntityView<'a> {
    fn new(session: &'a Session, kind: EntityKind, place: &Evidence, claim: ByteSpan) -> Self {
        let span = place.quote().map_or(claim, |(_, span)| span);
        let (from, to) = (span.start - claim.start, span.end - claim.start);
        Self { kind: kind.word(), text: session.quoted(place), from, to }
    }
}

impl<'a> OmissionView<'a> {
    fn new(session: &'a Session, end: &'a LooseEnd) -> Self {
        let at = end.what.message();
        let step = session.step_of(at);
        Self {
            text: session.quoted(&end.what),
            message: session.message(at).number,
            step: step.0,
            ids: Ids::new(session, at, session.main_of(step)),
            rule: end.rule,
            why: &end.why,
            evidence: end.log.iter().map(|place| PlaceView::new(session, place)).collect(),
        }
    }
}

impl<'a> PlaceView<'a> {
    fn new(session: &'a Session, place: &Evidence) -> Self {
        let number = |at| session.message(at).number;
        Self {
            message: number(place.message()),
            quote: session.quoted(place),
            searched_to: place.searched().map(|(_, to)| number(to)),
        }
    }
}
