//! *After it*: did the conclusion hold? The only section of a turning-point article in which later messages appear.

use super::{claims, measurements, section};
use crate::{
    model::{
        article::{Block, Claim, Section},
        facts::{Request, RequestKind, Statement, StatementKind},
        todo::TodoStatus,
    },
    report::{
        Material, figures,
        phrase::{Phrase, shortened},
    },
};

/// See the module.
pub fn make(m: &Material) -> Option<Section> {
    m.subject?;
    let mut list = claims([proposal(m), measurements::since(m)]);
    list.extend(m.facts.requests.iter().filter(|r| m.after(r.message)).filter_map(|r| objection(m, r)).take(2));
    list.extend(claims([item_closed(m), result(m), request(m)]));
    section("After it", vec![Block::List(list)])
}

fn later<'a>(m: &'a Material<'_>, kind: StatementKind) -> impl DoubleEndedIterator<Item = &'a Statement> {
    m.facts.statements.iter().filter(move |s| s.kind == kind && m.after(s.message))
}

fn proposal(m: &Material) -> Option<Claim> {
    let said = later(m, StatementKind::Proposal).next()?;
    let done = m.facts.statements.iter().find(|s| s.message == said.message && s.kind == StatementKind::Completion);
    let phrase = m.stated("proposal-after").weighing(7);
    let phrase = match done {
        Some(done) => {
            phrase.say("The agent writes ").quote(&shortened(m.session, &done.evidence, 20)).say(" and proposes: ")
        }
        None => phrase.say("The agent proposes: "),
    };
    phrase.quote(&shortened(m.session, &said.evidence, 24)).refs([said.message]).say(".").end()
}

fn objection(m: &Material, r: &Request) -> Option<Claim> {
    if r.kind != RequestKind::Correction || r.conceded.is_none() {
        return None;
    }
    let phrase = m
        .stated("objection-after")
        .weighing(8)
        .say("The user objects: ")
        .quote(&shortened(m.session, &r.evidence, 30))
        .refs([r.message]);
    match &r.conceded {
        Some(words) => phrase
            .say("; the agent concedes: ")
            .quote(&shortened(m.session, words, 20))
            .refs([words.message()])
            .say(".")
            .end(),
        None => phrase.say(".").end(),
    }
}

/// What became of the items that the subject's list leaves open.
fn item_closed(m: &Material) -> Option<Claim> {
    let snapshot = m.facts.todos.iter().find(|s| Some(s.message) == m.subject)?;
    let open: Vec<_> =
        snapshot.items.iter().filter(|i| matches!(i.status, TodoStatus::InProgress | TodoStatus::Pending)).collect();
    let closed: Vec<_> = m
        .findings
        .ledger
        .iter()
        .filter(|e| open.iter().any(|i| i.content == e.content || e.earlier.contains(&i.content)))
        .filter_map(|e| {
            let (at, status) = *e
                .history
                .iter()
                .find(|(at, s)| m.after(*at) && matches!(s, TodoStatus::Completed | TodoStatus::Cancelled))?;
            Some((e, at, status))
        })
        .take(3)
        .collect();
    if closed.is_empty() {
        return None;
    }
    m.derived("open-items-after")
        .weighing(6)
        .list(closed, "; ", "; ", |p: Phrase, (entry, at, status)| {
            let words = m.session.cite_words(at, &entry.content);
            let p = match &words {
                Some(words) => p.quote(&shortened(m.session, words, 14)),
                None => p.quote(&shortened(m.session, &entry.evidence[0], 14)),
            };
            p.say(" becomes ").word(status.word()).refs([at])
        })
        .say(".")
        .end()
}

/// The last result stated after the subject.
fn result(m: &Material) -> Option<Claim> {
    let said = later(m, StatementKind::Finding).find(|s| figures::whole_sentence(m.session.quoted(&s.evidence)))?;
    m.stated("result-after")
        .weighing(6)
        .say("The agent writes: ")
        .quote(&shortened(m.session, &said.evidence, 30))
        .refs([said.message])
        .say(".")
        .end()
}

/// The next thing that the user asks for.
fn request(m: &Material) -> Option<Claim> {
    let next = m
        .facts
        .requests
        .iter()
        .find(|r| m.after(r.message) && matches!(r.kind, RequestKind::Goal | RequestKind::Asks))?;
    m.stated("request-after")
        .weighing(7)
        .say("The user goes on: ")
        .quote(&shortened(m.session, &next.evidence, 24))
        .refs([next.message])
        .say(".")
        .end()
}
