//! The forms in which a text refers to messages, and which message numbers each names.
//!
//! `[msg 48, 58]`, `[msg 70–77; searched 74–89]`, `<msg id=48>`, "message 48", "messages 48 to 50", and the weak form
//! `(48)` after a value. Whether the messages exist is asked elsewhere.

use std::sync::LazyLock;

use crate::text::pattern::Regex;

use crate::base::span::ByteSpan;

/// How a reference is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// `[msg 48]`: stands behind what it supports.
    Bracket,
    /// `[searched 48–58]`: the messages that were searched in vain.
    Searched,
    /// `<msg id=48>` or "message 48": part of the sentence.
    Named,
    /// `(48)` after a value, or a bare number in a column of references: only where such a message exists.
    Bare,
}

/// A reference: where it stands and which runs of messages it names (`n..=n` for a single one).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cite {
    /// How it is written.
    pub form: Form,
    /// Its bytes in the text.
    pub span: ByteSpan,
    /// Runs of message numbers, both ends included.
    pub runs: Vec<(u32, u32)>,
}

impl Cite {
    /// Whether it names a message.
    pub fn names(&self, number: u32) -> bool {
        self.runs.iter().any(|(a, b)| (*a..=*b).contains(&number))
    }
}

/// `[msg 48, 58; searched 70–77]`: a bracket that begins with one of the words.
static BRACKET: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\[((?:msgs?|messages?|searched)\b[^\]\[]{1,400})\]").expect("valid"));
/// `<msg id=48>`: the opening line of bracketed text, quoted.
static TAG: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"(?i)<msg id="?(\d{1,10})"?>"#).expect("valid"));
/// `messages 48, 58 and 60`: the word and numbers after it.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:msgs?|messages?)(?: id)?[ =]+#?(\d{1,10}(?:(?:\s*[,–-]\s*|\s+(?:and|to|through)\s+)#?\d{1,10})*)\b",
    )
    .expect("valid")
});
/// `(48, 58–60)`: a pair of parentheses that holds nothing else.
static BARE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\((\d{1,10}(?:(?:, ?| ?[–-] ?)\d{1,10})*)\)").expect("valid"));
/// `70–77`, `70 to 77`, `70`: one run of a list.
static RUN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(\d+)(?:\s*(?:[–—-]|\bto\b|\bthrough\b)\s*#?(\d+))?").expect("valid"));
/// `bytes`: what follows a number that is a size or a count, not the name of a message.
static MEASURED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:[.:]\d|%| ?(?:[kKMGT]i?)?[Bb](?:ytes?)?\b| ?(?:tokens?|chars|characters|words|times|per)\b)")
        .expect("valid")
});

/// `“delete message 888”`: the words of the log, whose numbers are none of the text's references.
static QUOTED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"“[^“”]*”").expect("valid"));

/// All references of a text but the bare ones, in order; none inside another, none in a quotation.
pub fn read(text: &str) -> Vec<Cite> {
    let mut cites = Vec::new();
    for found in BRACKET.captures_iter(text) {
        bracket(&found[1], span(&found, 0), &mut cites);
    }
    for found in TAG.captures_iter(text) {
        add(&mut cites, Form::Named, span(&found, 0), runs(&found[1]));
    }
    for found in NAMED.captures_iter(text) {
        let whole = span(&found, 0);
        if !MEASURED.is_match(&text[whole.end..]) {
            add(&mut cites, Form::Named, whole, runs(&found[1]));
        }
    }
    let quoted: Vec<ByteSpan> = QUOTED.find_iter(text).map(|quote| ByteSpan::new(quote.start(), quote.end())).collect();
    cites.retain(|cite| {
        let after = quoted.partition_point(|quote| quote.start <= cite.span.start);
        after == 0 || quoted[after - 1].end <= cite.span.start
    });
    cites.sort_by_key(|c| c.span);
    cites
}

/// References of the form `(48)`, those only whose every message exists.
pub fn bare(text: &str, exists: impl Fn(u32) -> bool) -> Vec<Cite> {
    let mut cites = Vec::new();
    for found in BARE.captures_iter(text) {
        let runs = runs(&found[1]);
        if runs.iter().all(|(a, b)| exists(*a) && exists(*b)) {
            add(&mut cites, Form::Bare, span(&found, 0), runs);
        }
    }
    cites
}

/// Numbers of a cell in a column of references.
pub fn cell(text: &str) -> Vec<(u32, u32)> {
    runs(text)
}

fn bracket(inside: &str, whole: ByteSpan, cites: &mut Vec<Cite>) {
    for part in inside.split(';') {
        let form = match part.trim_start().to_ascii_lowercase().starts_with("searched") {
            true => Form::Searched,
            false => Form::Bracket,
        };
        let runs = runs(part);
        if !runs.is_empty() {
            cites.push(Cite { form, span: whole, runs });
        }
    }
}

fn add(cites: &mut Vec<Cite>, form: Form, span: ByteSpan, runs: Vec<(u32, u32)>) {
    if !runs.is_empty() && !cites.iter().any(|c| c.span.start < span.end && span.start < c.span.end) {
        cites.push(Cite { form, span, runs });
    }
}

fn span(found: &regex::Captures<'_>, group: usize) -> ByteSpan {
    found.get(group).map_or(ByteSpan::default(), |m| ByteSpan::new(m.start(), m.end()))
}

fn runs(list: &str) -> Vec<(u32, u32)> {
    RUN.captures_iter(list)
        .map(|run| {
            // A number beyond all counting names a message that does not exist.
            let number = |digits: &str| digits.parse().unwrap_or(u32::MAX);
            let from = number(&run[1]);
            (from, run.get(2).map_or(from, |to| number(to.as_str())))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_log_refer_to_nothing() {
        assert!(read("The user wrote “delete message 888 [msg 777]”.").is_empty());
        assert_eq!(read("“Done” [msg 3].").len(), 1);
        assert_eq!(read("It holds [msg 99999999990003].")[0].runs, [(u32::MAX, u32::MAX)]);
    }

    fn all(text: &str) -> Vec<(Form, Vec<(u32, u32)>)> {
        read(text).into_iter().map(|c| (c.form, c.runs)).collect()
    }

    #[test]
    fn every_form_is_read() {
        use Form::{Bracket, Named, Searched};
        assert_eq!(all("x [msg 48, 58, 70]."), [(Bracket, vec![(48, 48), (58, 58), (70, 70)])]);
        assert_eq!(all("x [msg 70–77; searched 1-89]"), [(Bracket, vec![(70, 77)]), (Searched, vec![(1, 89)])]);
        assert_eq!(
            all("In <msg id=7> and Message 8, messages 9 to 11"),
            [(Named, vec![(7, 7)]), (Named, vec![(8, 8)]), (Named, vec![(9, 11)])]
        );
        assert_eq!(all("([msg 5] through [msg 9])").len(), 2);
    }

    #[test]
    fn sizes_and_other_brackets_are_no_references() {
        assert!(all("a message 64 bytes long, 128 messages, [1, 2], msg 3.5, message 12 tokens").is_empty());
        assert!(all("[message of the day]").is_empty());
    }

    #[test]
    fn bare_numbers_need_a_message() {
        assert_eq!(bare("0.117 ms (48), 3 of (999)", |n| n < 100).len(), 1);
    }

    #[test]
    fn a_number_too_long_names_a_message_that_does_not_exist() {
        assert_eq!(all("[msg 99999999999999999999]"), [(Form::Bracket, vec![(u32::MAX, u32::MAX)])]);
    }
}
