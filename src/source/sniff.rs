//! Which format an input is: each is asked for a confidence on beginning and end, by content over many records, never
//! by the first line or the path alone.

use super::{
    format::Format,
    sample::Sample,
    seen::{Seen, Texts},
};
use crate::text::{
    partial_json::{Node, Value},
    quote::{shorten, terminal_line},
};

/// A format's answer.
#[derive(Clone, PartialEq, Debug)]
pub enum Sniff {
    /// It knows the input; 1–100, and what it saw.
    Yes(u8, String),
    /// It is one file of a session that is read through another; 1–100, and which, for the user who named this one.
    Part(u8, String),
    /// It does not; why.
    No(String),
}

/// The formats that know an input, and what all of them said.
#[derive(Clone)]
pub struct Verdict {
    /// Those that know it, the surest first; the earlier in the registry on a tie. Never empty.
    pub formats: Vec<&'static dyn Format>,
    /// What each format said, in the same order, those that declined last.
    pub answers: Vec<Answer>,
}

/// What a format said of an input.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// Name of the format.
    pub format: &'static str,
    /// How sure it is, 1–100; 0 when it declined.
    pub score: u8,
    /// What it saw, or why it declined.
    pub reason: String,
}

/// Why no format takes an input.
#[derive(Clone, PartialEq, Debug)]
pub enum Declined {
    /// It belongs to a session that is read through another file; which.
    Part(String),
    /// Nobody knows it: what it looks like, and what each format said.
    Unknown(String, Vec<Answer>),
}

/// Asks every format.
///
/// # Errors
/// [`Declined`], when every format declines or the input is a part of a session.
pub fn pick(sample: &Sample, formats: &'static [&'static dyn Format]) -> Result<Verdict, Declined> {
    let texts = Texts::of(sample);
    let seen = Seen::new(sample, &texts);
    let mut part: Option<(u8, String)> = None;
    let mut asked: Vec<(Answer, &'static dyn Format)> = Vec::new();
    for format in formats {
        let (score, reason) = match format.sniff(&seen) {
            Sniff::Yes(score, saw) => (score, saw),
            Sniff::No(why) => (0, why),
            Sniff::Part(score, of) => {
                let reason = format!("a part of {of}");
                if part.as_ref().is_none_or(|(known, _)| score > *known) {
                    part = Some((score, of));
                }
                (0, reason)
            }
        };
        asked.push((Answer { format: format.name(), score, reason }, *format));
    }
    // A stable sort: the order of the registry settles ties.
    asked.sort_by_key(|(answer, _)| std::cmp::Reverse(answer.score));
    let formats: Vec<_> = asked.iter().filter(|(answer, _)| answer.score > 0).map(|(_, format)| *format).collect();
    let answers: Vec<Answer> = asked.into_iter().map(|(answer, _)| answer).collect();
    let surest = answers.first().map_or(0, |answer| answer.score);
    match part {
        Some((score, of)) if score > surest => Err(Declined::Part(of)),
        _ if formats.is_empty() => Err(Declined::Unknown(look(&seen), answers)),
        _ => Ok(Verdict { formats, answers }),
    }
}

/// Whether any format takes a sample for a log or for a part of one.
pub fn knows(sample: &Sample, formats: &'static [&'static dyn Format]) -> bool {
    !matches!(pick(sample, formats), Err(Declined::Unknown(..)))
}

/// What an input looks like that nobody knows, for its owner to recognise what it is.
fn look(seen: &Seen) -> String {
    let names = |node: &Node| match &node.value {
        Value::Object(members) => members.iter().map(|(key, _)| format!("`{key}`")).collect::<Vec<_>>().join(", "),
        _ => String::new(),
    };
    let told = if !seen.tables().is_empty() {
        let tables: Vec<&str> = seen.tables().iter().map(|(name, _)| name.as_str()).collect();
        format!("a database with the tables {}", tables.join(", "))
    } else if !seen.members().is_empty() {
        format!("an archive with the members {}", seen.members().join(", "))
    } else if let Some(document) = seen.document() {
        match document.list() {
            Some([first, ..]) => format!("a JSON list whose items have {}", names(first)),
            Some([]) => "an empty JSON list".to_string(),
            None => format!("a JSON object with {}", names(document)),
        }
    } else if let Some(line) = seen.lines().first() {
        format!("JSON Lines that begin with {}", names(line))
    } else if looks_binary(&seen.sample.head) {
        "a binary file".to_string()
    } else {
        format!("text that begins {:?}", seen.text().trim_start().lines().next().unwrap_or_default())
    };
    shorten(&terminal_line(&told), 120).into_owned()
}

fn looks_binary(head: &[u8]) -> bool {
    let zeros = head.iter().filter(|b| **b == 0).count();
    let text = head.iter().filter(|b| **b >= b' ' || matches!(b, b'\n' | b'\r' | b'\t')).count();
    zeros * 20 > head.len() && text * 2 < head.len() || std::str::from_utf8(&head[..head.len().min(4)]).is_err()
}
