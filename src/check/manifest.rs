//! The manifest beside an article: whether each place that it names is in the log and holds what it held.

use serde::Deserialize;

use crate::{
    base::{hash, span::ByteSpan},
    model::{
        session::Session,
        verdict::{Finding, Nearest, Origin, Report, Verdict},
    },
};

/// Schema that is read.
const SCHEMA: &str = "turnpoint.manifest/1";

#[derive(Deserialize)]
struct Document {
    schema: String,
    input: Input,
    claims: Vec<Claim>,
}

#[derive(Deserialize)]
struct Input {
    hash: String,
}

#[derive(Deserialize)]
struct Claim {
    #[serde(default)]
    section: String,
    text: String,
    evidence: Vec<Place>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Place {
    Quote { message: u32, id: String, part: usize, start: usize, end: usize, hash: String },
    Whole { message: u32, id: String },
    Searched { searched: [Message; 2] },
}

#[derive(Deserialize)]
struct Message {
    message: u32,
    id: String,
}

/// The session id that a manifest names, by which the session is found again among several.
pub fn session_id(manifest: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Named {
        session: String,
    }
    serde_json::from_str::<Named>(manifest).ok().map(|n| n.session)
}

/// Holds a manifest against the log from the input of this identity.
pub fn check(manifest: &str, session: &Session, identity: &str) -> Report {
    let mut report = Report::new(Origin::Ours);
    let document: Document = match serde_json::from_str(manifest) {
        Ok(document) => document,
        Err(error) => {
            report.findings.push(fault("", "manifest", format!("cannot be read: {error}"), None));
            return report;
        }
    };
    if document.schema != SCHEMA {
        report.findings.push(fault("", &document.schema, format!("the schema is not {SCHEMA}"), None));
    }
    if document.input.hash != identity {
        let reason = format!("about another input: the log given has {identity}");
        report.findings.push(fault("", &document.input.hash, reason, None));
    }
    for claim in &document.claims {
        let faults: Vec<Finding> = claim.evidence.iter().filter_map(|place| place.fault(claim, session)).collect();
        report.held += claim.evidence.len() - faults.len();
        report.findings.extend(faults);
    }
    report
}

impl Place {
    fn fault(&self, claim: &Claim, session: &Session) -> Option<Finding> {
        match self {
            Place::Whole { message, id } => unknown(claim, session, *message, id),
            Place::Searched { searched } => searched.iter().find_map(|m| unknown(claim, session, m.message, &m.id)),
            Place::Quote { message, id, part, start, end, hash } => {
                unknown(claim, session, *message, id).or_else(|| changed(claim, session, id, *part, *start..*end, hash))
            }
        }
    }
}

/// The id decides; the number beside it must be the one that the message has.
fn unknown(claim: &Claim, session: &Session, message: u32, id: &str) -> Option<Finding> {
    let found = session.find(id).map(|at| session.message(at).number);
    let reason = match found {
        None => format!("the log has no message {id:?}"),
        Some(number) if number != message => format!("{id:?} is message {number}, not {message}"),
        Some(_) => return None,
    };
    Some(fault(&claim.section, &claim.text, reason, None))
}

fn changed(
    claim: &Claim,
    session: &Session,
    id: &str,
    part: usize,
    bytes: std::ops::Range<usize>,
    hash: &str,
) -> Option<Finding> {
    let message = session.message(session.find(id)?);
    let text = message.parts.get(part).and_then(|p| ByteSpan { start: bytes.start, end: bytes.end }.of(&p.text));
    match text {
        Some(text) if hash::brief(text) == *hash => None,
        Some(text) => {
            let nearest = Nearest { message: message.number, text: text.chars().take(120).collect() };
            Some(fault(&claim.section, &claim.text, "the log holds other words at this place".into(), Some(nearest)))
        }
        None => Some(fault(&claim.section, &claim.text, format!("message {} has no such place", message.number), None)),
    }
}

fn fault(section: &str, words: &str, reason: String, nearest: Option<Nearest>) -> Finding {
    let (section, words) = (section.to_string(), words.to_string());
    Finding { verdict: Verdict::False, rule: "manifest", line: 0, section, words, reason, nearest }
}
