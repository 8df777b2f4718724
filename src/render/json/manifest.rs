//! The manifest beside an article: `turnpoint.manifest/1`. Each claim with its rule and its evidence by the producer's
//! ids, so that the article stays checkable when a later version counts messages otherwise.

use serde::Serialize;

use crate::{
    base::hash,
    model::{
        article::{Article, Block, Claim},
        evidence::Evidence,
        session::Session,
    },
    render::markdown,
};

/// The document.
#[derive(Serialize)]
pub struct Document {
    schema: &'static str,
    version: &'static str,
    kind: &'static str,
    subject: Option<Message>,
    input: Input,
    numbering: &'static str,
    session: String,
    claims: Vec<Entry>,
}

#[derive(Serialize)]
struct Input {
    name: String,
    hash: String,
}

#[derive(Serialize)]
struct Message {
    message: u32,
    id: String,
}

#[derive(Serialize)]
struct Entry {
    n: usize,
    section: String,
    text: String,
    basis: &'static str,
    rule: &'static str,
    evidence: Vec<Place>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Place {
    Quote { message: u32, id: String, part: usize, start: usize, end: usize, hash: String },
    Whole { message: u32, id: String },
    Searched { searched: [Message; 2] },
}

impl Document {
    /// The manifest of an article of an input.
    pub fn new(article: &Article, session: &Session, name: &str, hash: &str) -> Self {
        let mut claims = Vec::new();
        let mut add = |section: &str, text: String, claim: &Claim| {
            let evidence = claim.evidence().iter().map(|e| place(session, e)).collect();
            let (basis, rule) = (claim.basis().word(), claim.rule());
            claims.push(Entry { n: claims.len() + 1, section: section.to_string(), text, basis, rule, evidence });
        };
        add("title", markdown::sentence(session, &article.title), &article.title);
        add("subtitle", markdown::sentence(session, &article.subtitle), &article.subtitle);
        for section in &article.sections {
            let heading = markdown::row(session, std::slice::from_ref(&section.heading));
            for block in &section.blocks {
                match block {
                    Block::Paragraph(all) | Block::List(all) => {
                        all.iter().for_each(|c| add(&heading, markdown::sentence(session, c), c));
                    }
                    Block::Table(table) => {
                        table.lead.iter().for_each(|c| add(&heading, markdown::sentence(session, c), c));
                        table.rows.iter().for_each(|r| add(&heading, markdown::row(session, &r.cells), &r.claim));
                    }
                }
            }
        }
        Self {
            schema: "turnpoint.manifest/1",
            version: env!("CARGO_PKG_VERSION"),
            kind: article.kind.word(),
            subject: article.subject.map(|at| message(session, at)),
            input: Input { name: name.to_string(), hash: hash.to_string() },
            numbering: session.numbering.name(),
            session: session.info.id.clone(),
            claims,
        }
    }
}

fn message(session: &Session, at: crate::base::ids::MessageIdx) -> Message {
    Message { message: session.message(at).number, id: session.public_id(at) }
}

fn place(session: &Session, evidence: &Evidence) -> Place {
    if let Some((from, to)) = evidence.searched() {
        return Place::Searched { searched: [message(session, from), message(session, to)] };
    }
    let Message { message, id } = message(session, evidence.message());
    match evidence.quote() {
        Some((part, span)) => {
            let hash = hash::brief(session.quoted(evidence));
            Place::Quote { message, id, part, start: span.start, end: span.end, hash }
        }
        None => Place::Whole { message, id },
    }
}
