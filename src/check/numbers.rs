//! Figures of a statement against the log: the nearest one where a figure is missing, what can be computed from its
//! neighbours, and figures that stand in the wrong row.

use super::{
    figures::{Dimension, Figure, Role, Stated, scan},
    log::{Log, Page},
    read::Statement,
};
use crate::base::span::ByteSpan;

/// Words that bind no figure to anything.
#[rustfmt::skip]
const EMPTY_WORDS: &[&str] = &[
    "about", "after", "all", "and", "are", "before", "but", "cut", "each", "for", "from", "had", "has", "have", "her",
    "its", "msg", "not", "now", "one", "only", "out", "per", "than", "that", "the", "then", "there", "these", "this",
    "those", "took", "two", "was", "were", "when", "where", "which", "while", "with",
];

/// Words of three letters and more that may bind a figure, in small letters.
pub fn binding(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|w| w.chars().count() > 2 && w.chars().any(char::is_alphabetic))
        .map(str::to_lowercase)
        .filter(|w| !EMPTY_WORDS.contains(&w.as_str()))
        .collect()
}

/// The words around a figure: the first cell of its row, or its own clause.
pub fn nouns(statement: &Statement, number: &Stated) -> Vec<String> {
    if let Some(first) = statement.cells.first().filter(|c| !c.contains(number.figure.span)) {
        return binding(&statement.text[first.start..first.end]);
    }
    let span = clause(&statement.text, number.figure.span);
    binding(&statement.text[span.start..span.end])
}

/// The stretch between the commas, semicolons and brackets around a span.
fn clause(text: &str, span: ByteSpan) -> ByteSpan {
    let ends = |c: char| matches!(c, ',' | ';' | ':' | '(' | ')' | '[' | ']' | '|' | '→');
    let start = text[..span.start].rfind(ends).map_or(0, |n| n + text[n..].chars().next().map_or(1, char::len_utf8));
    let end = text[span.end..].find(ends).map_or(text.len(), |n| span.end + n);
    ByteSpan::new(start, end)
}

/// A figure of the log that the author may have meant.
pub struct Candidate {
    /// Message in which it stands.
    pub message: u32,
    /// Its line.
    pub line: String,
    /// Whether it differs in a single digit.
    pub slip: bool,
    /// How many words its line shares with the clause of the article.
    pub shared: usize,
}

/// The figure of these messages that comes nearest: one digit away, or printed alike beside the same words.
pub fn nearest(statement: &Statement, number: &Stated, pages: &[(u32, &Page)]) -> Option<Candidate> {
    let nouns = nouns(statement, number);
    let written = &statement.text[number.figure.span.start..number.figure.span.end];
    let mut best: Option<(usize, Candidate)> = None;
    for (message, page) in pages {
        for figure in page.figures.iter().filter(|f| f.decimals == number.figure.decimals) {
            let slip = one_digit_apart(written, &page.raw[figure.span.start..figure.span.end]);
            let line = page.line(figure.span.start);
            if !slip && line.len() > 2000 {
                continue;
            }
            let shared = shared(&nouns, line);
            let score = usize::from(slip) * 100 + shared;
            if (slip || shared > 0) && best.as_ref().is_none_or(|b| score > b.0) {
                best = Some((score, Candidate { message: *message, line: shorten(line), slip, shared }));
            }
        }
    }
    best.map(|b| b.1)
}

fn shared(nouns: &[String], line: &str) -> usize {
    let line = line.to_lowercase();
    nouns.iter().filter(|n| line.contains(n.as_str())).count()
}

fn shorten(line: &str) -> String {
    let line = line.trim();
    match line.char_indices().nth(120) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_string(),
    }
}

/// The first word of a text that is, or begins with, this one but for its digits.
pub fn same_but_digits(word: &str, text: &str) -> Option<String> {
    let masked = |w: &str| -> String { w.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect() };
    let wanted = masked(word);
    text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '(' | ')' | ',' | '=' | ':'))
        .map(|w| w.trim_matches(|c: char| !c.is_alphanumeric()))
        .find_map(|w| w.get(..word.len()).filter(|w| masked(w) == wanted))
        .map(str::to_string)
}

fn one_digit_apart(a: &str, b: &str) -> bool {
    let a = a.replace(',', "");
    a.len() == b.len() && a.len() > 1 && a.bytes().zip(b.bytes()).filter(|(x, y)| x != y).count() == 1
}

/// Messages of the whole log that print this figure.
pub fn elsewhere(log: &Log<'_>, number: &Stated) -> Option<u32> {
    log.pages().find(|(_, page)| number.among(&page.figures)).map(|(n, _)| n)
}

/// Whether the figure is a ratio, difference, change in percent, sum or product of two others of its statement.
pub fn computable(statement: &Statement, number: &Stated) -> bool {
    let others: Vec<f64> = statement
        .numbers
        .iter()
        .filter(|n| n.figure.span != number.figure.span && n.role != Role::Name)
        .map(|n| n.figure.value)
        .collect();
    pairs(&others).any(|(a, b)| {
        [a / b, a - b, a + b, a * b, (a / b - 1.0) * 100.0, a / b * 100.0]
            .into_iter()
            .any(|v| v.is_finite() && number.shows(v))
    })
}

fn pairs(values: &[f64]) -> impl Iterator<Item = (f64, f64)> {
    values
        .iter()
        .enumerate()
        .flat_map(move |(i, a)| values.iter().enumerate().filter(move |(j, _)| i != *j).map(move |(_, b)| (*a, *b)))
}

/// The ratio that a factor must be, where it stands directly behind `A → B` or `from A to B`: a wrong one has no excuse.
pub fn promised_ratio(statement: &Statement, number: &Stated) -> Option<f64> {
    let factor = number.unit.is_some_and(|u| u.dimension == Dimension::Factor);
    let at = statement.numbers.iter().position(|n| n.figure.span == number.figure.span)?;
    let [.., a, b] = statement.numbers.get(..at)? else { return None };
    let between = &statement.text[a.figure.span.end..b.figure.span.start];
    let arrow = between.trim() == "→" || between.contains(" to ") && between.len() < 16;
    let behind = statement.text[b.figure.span.end..number.figure.span.start].len() < 24;
    let ratio = (b.figure.value / a.figure.value).max(a.figure.value / b.figure.value);
    (factor && arrow && behind && ratio.is_finite()).then_some(ratio)
}

/// Whether a figure of a row stands in the log only in other rows of a table, while the row of its own label prints
/// another figure in its place. Gives that row.
pub fn misplaced(statement: &Statement, number: &Stated, pages: &[(u32, &Page)]) -> Option<(u32, String)> {
    let label = statement.cells.first().filter(|c| !c.contains(number.figure.span))?;
    let label = binding(&statement.text[label.start..label.end]);
    let others: Vec<&Stated> = statement.numbers.iter().filter(|n| n.figure.span != number.figure.span).collect();
    if label.is_empty() || others.is_empty() {
        return None;
    }
    let (mut own, mut foreign) = (Vec::new(), Vec::new());
    for (message, page) in pages {
        for line in page.raw.lines().filter(|l| l.len() < 400) {
            let printed = scan(line);
            let here = printed.iter().any(|f| number.is(f));
            match (shared(&label, line) == label.len(), here) {
                (true, true) => return None,
                (true, false) if others.iter().any(|o| printed.iter().any(|f| o.is(f))) => {
                    own.push((*message, line, printed))
                }
                (false, true) => foreign.push(printed),
                _ => {}
            }
        }
    }
    let twin = |row: &[Figure]| row.len() > 1 && foreign.iter().any(|f| shape(f) == shape(row));
    own.into_iter().find(|(_, _, row)| twin(row)).map(|(message, line, _)| (message, line.trim().to_string()))
}

/// Digits after the point of each number of a line: rows of one table mostly have the same.
fn shape(row: &[Figure]) -> Vec<u8> {
    row.iter().map(|f| f.decimals).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_one_digit() {
        assert!(one_digit_apart("11.27", "11.17"));
        assert!(!one_digit_apart("12.27", "11.17"));
        assert!(!one_digit_apart("1.27", "11.27"));
    }

    #[test]
    fn binding_words_are_names_of_things() {
        assert_eq!(binding("the NCCL AllReduce of 2 ms"), ["nccl", "allreduce"]);
    }
}
