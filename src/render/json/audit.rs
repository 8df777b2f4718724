//! `audit --json`: `turnpoint.audit/1`.

use serde::Serialize;

use super::Ids;
use crate::model::{audit::Claimed, evidence::Evidence, session::Session};

/// The document of one session.
#[derive(Serialize)]
pub struct Document<'a> {
    schema: &'static str,
    session: &'a str,
    format: &'a str,
    numbering: &'static str,
    claims: Vec<ClaimView<'a>>,
}

#[derive(Serialize)]
struct ClaimView<'a> {
    text: &'a str,
    message: u32,
    step: u32,
    #[serde(flatten)]
    ids: Ids<'a>,
    kind: &'static str,
    verdict: &'static str,
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
    /// Of a session and the claims that were judged in it.
    pub fn new(session: &'a Session, claims: &'a [Claimed]) -> Self {
        Self {
            schema: "turnpoint.audit/1",
            session: &session.info.id,
            format: session.info.format,
            numbering: session.numbering.name(),
            claims: claims.iter().map(|claim| ClaimView::new(session, claim)).collect(),
        }
    }
}

impl<'a> ClaimView<'a> {
    fn new(session: &'a Session, claim: &'a Claimed) -> Self {
        let at = claim.words.message();
        let step = session.step_of(at);
        Self {
            text: session.quoted(&claim.words),
            message: session.message(at).number,
            step: step.0,
            ids: Ids::new(session, at, session.main_of(step)),
            kind: claim.kind.word(),
            verdict: claim.ruling.key(),
            rule: claim.rule,
            why: &claim.why,
            evidence: claim.log.iter().map(|place| PlaceView::new(session, place)).collect(),
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
