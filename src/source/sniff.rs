//! Which format an input is: each is asked for a confidence on beginning and end, by content over many records, never
//! by the first line or the path alone.

use super::{
    format::Format,
    open::Sample,
    seen::{Seen, Texts},
};
use crate::text::quote::{shorten, terminal_line};

/// A format's answer.
#[derive(Clone, PartialEq, Debug)]
pub enum Sniff {
    /// It knows the input; 1–100, and what it saw.
    Yes(u8, String),
    /// It is one file of a session that is read through another; which, for the user who named this one.
    Part(String),
    /// It does not; why.
    No(String),
}

/// The format that was picked, and what all of them said.
#[derive(Clone)]
pub struct Verdict {
    /// The most confident one; the earlier in the registry on a tie.
    pub format: &'static dyn Format,
    /// `(name, reason)` of all, the picked one first.
    pub candidates: Vec<(&'static str, String)>,
}

/// Picks the most confident format.
///
/// # Errors
/// [`Declined`], when every format declines or the input is a part of a session.
pub fn pick(sample: &Sample, formats: &'static [&'static dyn Format]) -> Result<Verdict, Declined> {
    let texts = Texts::of(sample);
    let seen = Seen::new(sample, &texts);
    let mut part = None;
    let mut answers: Vec<(u8, usize, &'static dyn Format, String)> = Vec::new();
    for (order, format) in formats.iter().enumerate() {
        match format.sniff(&seen) {
            Sniff::Part(of) => _ = part.get_or_insert(of),
            Sniff::Yes(score, saw) => answers.push((score, order, *format, format!("yes ({score}): {saw}"))),
            Sniff::No(why) => answers.push((0, order, *format, format!("no: {why}"))),
        }
    }
    answers.sort_by_key(|(score, order, ..)| (std::cmp::Reverse(*score), *order));
    let candidates: Vec<_> = answers.iter().map(|(_, _, f, reason)| (f.name(), reason.clone())).collect();
    match answers.first() {
        Some((score, _, format, _)) if *score > 0 => Ok(Verdict { format: *format, candidates }),
        _ if part.is_some() => Err(Declined::Part(part.unwrap_or_default())),
        _ if !sample.tables.is_empty() => {
            let tables: Vec<&str> = sample.tables.iter().map(|(name, _)| name.as_str()).collect();
            Err(Declined::Unknown(format!(
                "a database of nobody that is known (tables: {})",
                brief(&tables.join(", "))
            )))
        }
        _ if looks_binary(&sample.head) => Err(Declined::Unknown("it is a binary file".to_string())),
        _ => {
            // One reason for all that gave the same.
            let mut told: Vec<(String, Vec<&str>)> = Vec::new();
            for (name, reason) in &candidates {
                let reason = brief(reason);
                match told.iter_mut().find(|(known, _)| *known == reason) {
                    Some((_, names)) => names.push(name),
                    None => told.push((reason, vec![name])),
                }
            }
            let told = told.into_iter().map(|(reason, names)| format!("{}: {reason}", names.join(", ")));
            Err(Declined::Unknown(told.collect::<Vec<_>>().join("; ")))
        }
    }
}

/// Why no format takes an input.
#[derive(Clone, PartialEq, Debug)]
pub enum Declined {
    /// It belongs to a session that is read through another file; which.
    Part(String),
    /// Nobody knows it; what each said.
    Unknown(String),
}

/// A reason to decline, short enough that all of them stay one readable line.
fn brief(reason: &str) -> String {
    shorten(&terminal_line(reason.strip_prefix("no: ").unwrap_or(reason)), 60).into_owned()
}

fn looks_binary(head: &[u8]) -> bool {
    let zeros = head.iter().filter(|b| **b == 0).count();
    let text = head.iter().filter(|b| **b >= b' ' || matches!(b, b'\n' | b'\r' | b'\t')).count();
    zeros * 20 > head.len() && text * 2 < head.len() || std::str::from_utf8(&head[..head.len().min(4)]).is_err()
}
