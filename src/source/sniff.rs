//! Which format an input is: each is asked for a confidence on beginning and end, by content over many records, never
//! by the first line or the path alone.

use super::{format::Format, open::Sample};
use crate::text::quote::{shorten, terminal_line};

/// A format's answer.
#[derive(Clone, PartialEq, Debug)]
pub enum Sniff {
    /// It knows the input; 1–100, and what it saw.
    Yes(u8, String),
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
/// The reasons, when every format declines.
pub fn pick(sample: &Sample, formats: &'static [&'static dyn Format]) -> Result<Verdict, String> {
    let mut answers: Vec<(u8, usize, &'static dyn Format, String)> = Vec::new();
    for (order, format) in formats.iter().enumerate() {
        match format.sniff(sample) {
            Sniff::Yes(score, saw) => answers.push((score, order, *format, format!("yes ({score}): {saw}"))),
            Sniff::No(why) => answers.push((0, order, *format, format!("no: {why}"))),
        }
    }
    answers.sort_by_key(|(score, order, ..)| (std::cmp::Reverse(*score), *order));
    let candidates: Vec<_> = answers.iter().map(|(_, _, f, reason)| (f.name(), reason.clone())).collect();
    match answers.first() {
        Some((score, _, format, _)) if *score > 0 => Ok(Verdict { format: *format, candidates }),
        _ if looks_binary(&sample.head) => Err("it is a binary file".to_string()),
        _ => {
            let told = candidates.iter().map(|(name, reason)| format!("{name}: {}", brief(reason)));
            Err(told.collect::<Vec<_>>().join("; "))
        }
    }
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
