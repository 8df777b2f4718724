//! `audit` for a person: what needs attention first, each with the agent's words, what the log says, and the messages.

use std::fmt::Write;

use super::{Form, grid};
use crate::{
    model::{
        audit::{Claimed, Ruling},
        evidence::Evidence,
        session::Session,
    },
    text::{number::count, quote},
};

/// Characters of the agent's words that are shown.
const WIDEST: usize = 96;

/// The claims of a session, by ruling; those that the log bears out only where `all` are wanted.
pub fn text(session: &Session, claims: &[Claimed], all: bool, form: Form) -> String {
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
        let found: Vec<&Claimed> = claims.iter().filter(|claim| claim.ruling == ruling).collect();
        if found.is_empty() {
            continue;
        }
        let mark = if form == Form::Markdown { "## " } else { "" };
        _ = writeln!(out, "{mark}{} ({})\n", capital(ruling.words()), found.len());
        let head = ["msg", "the agent", "the log", "msg", "rule"].map(String::from);
        let rows: Vec<Vec<String>> = found.iter().map(|claim| row(session, claim)).collect();
        grid::push(&mut out, &head, &rows, form);
        out.push('\n');
    }
    let borne_out = claims.iter().filter(|claim| claim.ruling == Ruling::Supported).count();
    if !all && borne_out > 0 {
        _ = writeln!(
            out,
            "{} borne out by the log (--all shows them).",
            count(borne_out, "statement is", "statements are")
        );
    } else if claims.is_empty() {
        out += "No statement that a rule knows.\n";
    }
    out
}

fn row(session: &Session, claim: &Claimed) -> Vec<String> {
    let words = grid::clean(session.quoted(&claim.words));
    let words = match words.char_indices().nth(WIDEST) {
        Some((cut, _)) => format!("{}…", &words[..cut]),
        None => words,
    };
    let places: Vec<String> = claim.log.iter().take(3).map(|place| numbered(session, place)).collect();
    let number = session.message(claim.words.message()).number.to_string();
    vec![number, words, grid::clean(&claim.why), places.join(", "), claim.rule.to_string()]
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
