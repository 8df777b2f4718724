//! `audit` for a person: what needs attention first, each with the agent's words, what the log says, and the messages.

use std::fmt::Write;

use super::{Form, grid};
use crate::{
    model::{
        audit::{Audit, Claimed, LooseEnd, Ruling},
        evidence::Evidence,
        session::Session,
    },
    text::{number::count, quote},
};

/// Characters of the agent's words that are shown.
const WIDEST: usize = 96;

/// The claims of a session, by ruling; those that the log bears out only where `all` are wanted.
pub fn text(session: &Session, audit: &Audit, all: bool, form: Form) -> String {
    let claims = &audit.claims;
    let mut out = String::new();
    let title = session.info.title.as_ref().unwrap_or(&session.info.id);
    let head = match form {
        Form::Markdown => format!("# Audit of {}\n\n", quote::inline(title)),
        Form::Terminal => {
            format!("{}: {}\n\n", grid::clean(title), count(claims.len(), "statement", "statements") + " judged")
        }
    };
    out += &head;
    for ruling in Ruling::ALL.into_iter().filter(|ruling| all || *ruling != Ruling::Supported) {
        let rows: Vec<Vec<String>> = claims
            .iter()
            .filter(|claim| claim.ruling == ruling && claim.repeats.is_none())
            .map(|claim| row(session, claims, claim))
            .collect();
        group(&mut out, ruling.words(), ["msg", "the agent", "the log", "msg", "rule"], &rows, form);
    }
    let untold: Vec<Vec<String>> = audit.omissions().map(|end| omission(session, end)).collect();
    group(&mut out, "no text tells it", ["msg", "what", "the log", "msg", "rule"], &untold, form);
    let borne_out = claims.iter().filter(|claim| claim.ruling == Ruling::Supported).count();
    if !all && borne_out > 0 {
        _ = writeln!(
            out,
            "{} borne out by the log (--all shows them).",
            count(borne_out, "statement is", "statements are")
        );
    } else if claims.is_empty() && untold.is_empty() {
        out += "No statement that a rule knows.\n";
    }
    out
}

fn group(out: &mut String, words: &str, head: [&str; 5], rows: &[Vec<String>], form: Form) {
    if rows.is_empty() {
        return;
    }
    let mark = if form == Form::Markdown { "## " } else { "" };
    _ = writeln!(out, "{mark}{} ({})\n", capital(words), rows.len());
    grid::push(out, &head.map(String::from), rows, form);
    out.push('\n');
}

/// A claim with the messages that make it, the first and those that repeat it.
fn row(session: &Session, claims: &[Claimed], claim: &Claimed) -> Vec<String> {
    let again = claims.iter().filter(|other| other.repeats.as_ref() == Some(&claim.words) && other.rule == claim.rule);
    let mut said: Vec<String> = std::iter::once(claim).chain(again).map(|c| numbered(session, &c.words)).collect();
    said.dedup();
    vec![
        said.join(", "),
        words(session, &claim.words),
        clause(&claim.why),
        places(session, &claim.log),
        claim.rule.into(),
    ]
}

fn omission(session: &Session, end: &LooseEnd) -> Vec<String> {
    let at = numbered(session, &end.what);
    vec![at, words(session, &end.what), clause(&end.why), places(session, &end.log), end.rule.into()]
}

/// Words of the log, as many as a cell holds.
fn words(session: &Session, place: &Evidence) -> String {
    clause(session.quoted(place))
}

fn clause(text: &str) -> String {
    let words = grid::clean(text);
    match words.char_indices().nth(WIDEST) {
        Some((cut, _)) => format!("{}…", &words[..cut]),
        None => words,
    }
}

fn places(session: &Session, log: &[Evidence]) -> String {
    let mut all: Vec<String> = log.iter().take(3).map(|place| numbered(session, place)).collect();
    all.dedup();
    all.join(", ")
}

fn numbered(session: &Session, place: &Evidence) -> String {
    let number = |at| session.message(at).number;
    match place.searched() {
        Some((from, to)) => format!("searched {}–{}", number(from), number(to)),
        None => number(place.message()).to_string(),
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
