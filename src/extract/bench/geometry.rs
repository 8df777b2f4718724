//! Columns by position: which display columns are blank in every row, and what that says.
//!
//! A gap that is blank in heading and rows separates; then stretches that cannot be columns of their own (units,
//! remarks in parentheses, `±`, parts of a phrase) join their neighbour.

use std::ops::Range;

use unicode_width::UnicodeWidthChar;

use super::{
    cell,
    clean::Page,
    grid::{Head, Piece},
};
use crate::base::unit::{Decimal, lookup};

/// Widest line, in display columns, that is measured.
const WIDEST: usize = 1200;

/// Rows by which columns are told.
const JUDGED: usize = 200;

/// A run of characters without blanks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word {
    /// Display columns.
    pub columns: Range<usize>,
    /// Bytes in the line.
    pub bytes: Range<usize>,
}

/// The words of a line without their places.
pub fn bare_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || matches!(c, '|' | '│')).filter(|word| !word.is_empty())
}

/// The words of a line. Vertical marks count as blanks.
pub fn words(text: &str) -> Vec<Word> {
    let (mut all, mut column, mut open): (Vec<Word>, usize, Option<Word>) = (Vec::new(), 0, None);
    for (at, c) in text.char_indices() {
        let width = match c {
            '\t' => 8 - column % 8,
            ' '..='~' => 1,
            c => c.width().unwrap_or(0),
        };
        if c.is_whitespace() || matches!(c, '|' | '│') {
            all.extend(open.take());
        } else {
            let word = open.get_or_insert(Word { columns: column..column, bytes: at..at });
            word.columns.end = column + width;
            word.bytes.end = at + c.len_utf8();
        }
        column += width;
    }
    all.extend(open);
    all
}

/// Lines measured.
pub struct Measured {
    /// Line numbers of headings, top to bottom; the main one last.
    pub heads: Vec<usize>,
    /// Line numbers of rows.
    pub rows: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Filling {
    Empty,
    Figures,
    Units,
    Remarks,
    Signs,
    Words,
}

#[derive(Clone, Debug)]
struct Column {
    at: Range<usize>,
    filling: Filling,
    headed: bool,
}

/// Where the columns lie.
pub fn columns(page: &Page, lines: &Measured, spans: Option<&[Range<usize>]>) -> Vec<Range<usize>> {
    let rows: Vec<Vec<Word>> = lines.rows.iter().take(JUDGED).map(|l| words(page.text(*l))).collect();
    let heads: Vec<Vec<Word>> = lines.heads.iter().map(|l| words(page.text(*l))).collect();
    if let Some(spans) = spans {
        return widened(spans);
    }
    let mut found: Vec<Column> = stretches(&heads, &rows)
        .into_iter()
        .map(|at| {
            let headed = heads.iter().flatten().any(|w| overlap(&w.columns, &at));
            Column { filling: filling(page, lines, &rows, &at), at, headed }
        })
        .collect();
    join_remarks(&mut found);
    join_empty(&mut found);
    join_words(&mut found);
    let spans: Vec<Range<usize>> = found.into_iter().map(|c| c.at).collect();
    widened(&spans)
}

/// The columns of each line, heading first, where lines keep two blanks between their cells but do not stand under each
/// other: every line has as many cells as the heading, and no fewer than the columns told by position.
pub fn unaligned(page: &Page, lines: &Measured, by_position: usize) -> Option<Vec<Vec<Range<usize>>>> {
    let [heading] = lines.heads[..] else { return None };
    let wanted = joined(page.text(heading)).len();
    let cells = |line: &usize| {
        let spans: Vec<Range<usize>> = joined(page.text(*line)).into_iter().map(|w| w.columns).collect();
        (spans.len() == wanted).then(|| widened(&spans))
    };
    if wanted < by_position.max(2) {
        return None;
    }
    lines.heads.iter().chain(&lines.rows).map(cells).collect()
}

/// Columns that together leave no gap: each reaches to the next one.
fn widened(spans: &[Range<usize>]) -> Vec<Range<usize>> {
    (0..spans.len())
        .map(|i| {
            let start = if i == 0 { 0 } else { spans[i].start };
            start..spans.get(i + 1).map_or(usize::MAX, |next| next.start)
        })
        .collect()
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Stretches of display columns that are used, separated by columns blank in (nearly) every line.
fn stretches(heads: &[Vec<Word>], rows: &[Vec<Word>]) -> Vec<Range<usize>> {
    let end = heads.iter().chain(rows).flatten().map(|w| w.columns.end).max().unwrap_or(0).min(WIDEST);
    let mut used = vec![0usize; end];
    for word in rows.iter().flatten() {
        used[word.columns.start.min(end)..word.columns.end.min(end)].iter_mut().for_each(|n| *n += 1);
    }
    let tolerated = rows.len() / 20;
    let mut mask: Vec<bool> = used.into_iter().map(|n| n > tolerated).collect();
    for word in heads.iter().flatten() {
        mask[word.columns.start.min(end)..word.columns.end.min(end)].fill(true);
    }
    let (mut all, mut from) = (Vec::new(), None);
    for (column, used) in mask.iter().chain([&false]).enumerate() {
        match (used, from) {
            (true, None) => from = Some(column),
            (false, Some(start)) => {
                all.push(start..column);
                from = None;
            }
            _ => {}
        }
    }
    all
}

fn filling(page: &Page, lines: &Measured, rows: &[Vec<Word>], at: &Range<usize>) -> Filling {
    let (mut figures, mut units, mut remarks, mut signs, mut other) = (0, 0, 0, 0, 0);
    for (line, row) in lines.rows.iter().zip(rows) {
        let inside: Vec<&Word> = row.iter().filter(|w| overlap(&w.columns, at)).collect();
        let (Some(first), Some(last)) = (inside.first(), inside.last()) else { continue };
        let text = &page.text(*line)[first.bytes.start..last.bytes.end];
        match text {
            t if cell::is_nothing(t) => {}
            t if t.starts_with('(') || t.ends_with(')') => remarks += 1,
            t if t.ends_with(['±']) || matches!(t, "+-" | "+/-") => signs += 1,
            t if cell::read(t, Decimal::Point).is_some() => figures += 1,
            t if lookup(t).is_some() => units += 1,
            _ => other += 1,
        }
    }
    let all = figures + units + remarks + signs + other;
    match () {
        () if all == 0 => Filling::Empty,
        () if units * 10 >= all * 8 => Filling::Units,
        () if signs * 10 >= all * 8 => Filling::Signs,
        () if remarks * 10 >= all * 8 => Filling::Remarks,
        () if figures * 10 >= all * 7 => Filling::Figures,
        () => Filling::Words,
    }
}

/// `245 | ns`, `428.7 | (1.0)`, `6.2 | ±`, and the spread after a `±` that has no heading of its own.
fn join_remarks(columns: &mut Vec<Column>) {
    let mut at = 1;
    while at < columns.len() {
        let (left, this) = (&columns[at - 1], &columns[at]);
        let near = this.at.start - left.at.end <= 3;
        let spread = this.filling == Filling::Figures && !this.headed && left.filling == Filling::Signs;
        let part = matches!(this.filling, Filling::Units | Filling::Remarks | Filling::Signs);
        let joins = part && left.filling == Filling::Figures && !(this.headed && left.headed);
        if near && (joins || spread) {
            let this = columns.remove(at);
            let left = &mut columns[at - 1];
            left.filling = if this.filling == Filling::Signs { Filling::Signs } else { Filling::Figures };
            left.at.end = this.at.end;
            left.headed |= this.headed;
        } else {
            at += 1;
        }
    }
}

/// Words of a heading phrase that no figure stands under: they belong to the neighbour one blank away.
fn join_empty(columns: &mut Vec<Column>) {
    let mut at = 0;
    while at < columns.len() {
        let gap = |a: &Column, b: &Column| b.at.start - a.at.end;
        if columns[at].filling != Filling::Empty {
            at += 1;
            continue;
        }
        let right = columns.get(at + 1).is_some_and(|r| gap(&columns[at], r) == 1);
        let left = at > 0 && gap(&columns[at - 1], &columns[at]) == 1;
        if right {
            let gone = columns.remove(at);
            columns[at].at.start = gone.at.start;
            columns[at].headed = true;
        } else if left {
            let gone = columns.remove(at);
            columns[at - 1].at.end = gone.at.end;
            columns[at - 1].headed = true;
        } else {
            at += 1;
        }
    }
}

/// Labels of several words that happen to break at one place.
fn join_words(columns: &mut Vec<Column>) {
    let mut at = 1;
    while at < columns.len() {
        let (left, this) = (&columns[at - 1], &columns[at]);
        let one = this.at.start - left.at.end == 1;
        let text = left.filling == Filling::Words && (this.filling == Filling::Words || !this.headed);
        if text && (one || !this.headed && this.filling == Filling::Words) {
            let this = columns.remove(at);
            let left = &mut columns[at - 1];
            left.at.end = this.at.end;
            left.headed |= this.headed;
        } else {
            at += 1;
        }
    }
}

/// Puts the words of a line into columns: each where most of it lies, else the nearest.
pub fn cells(page: &Page, line: usize, columns: &[Range<usize>]) -> Vec<Piece> {
    let mut all = vec![Piece::empty(line); columns.len()];
    for word in words(page.text(line)) {
        let middle = (word.columns.start + word.columns.end.max(1) - 1) / 2;
        let at = columns.iter().position(|c| c.contains(&middle)).unwrap_or(columns.len() - 1);
        let piece = &mut all[at];
        if piece.range.is_empty() {
            piece.range = word.bytes;
        } else {
            piece.range.end = word.bytes.end;
        }
    }
    all
}

/// Headings by column from the main line, a line of units below it and spanning groups above it.
pub fn headings(
    page: &Page,
    main: usize,
    below: Option<usize>,
    above: Option<usize>,
    at: &[Range<usize>],
) -> Vec<Head> {
    let names = cells(page, main, at);
    let units = below.map(|l| cells(page, l, at));
    let mut heads: Vec<Head> = names
        .iter()
        .enumerate()
        .map(|(i, p)| Head {
            name: p.of(page).to_string(),
            unit: units.as_ref().map_or(String::new(), |u| u[i].of(page).to_string()),
            group: String::new(),
        })
        .collect();
    if let Some(above) = above {
        spread_groups(&mut heads, &phrases(page.text(above)));
    }
    heads
}

/// Phrases of a line: words one blank apart.
pub fn phrases(text: &str) -> Vec<String> {
    joined(text).into_iter().map(|w| text[w.bytes].to_string()).collect()
}

/// Words one blank apart, as one.
fn joined(text: &str) -> Vec<Word> {
    let mut all: Vec<Word> = Vec::new();
    for word in words(text) {
        match all.last_mut() {
            Some(phrase)
                if word.columns.start - phrase.columns.end == 1 && text[phrase.bytes.end..].starts_with(' ') =>
            {
                (phrase.columns.end, phrase.bytes.end) = (word.columns.end, word.bytes.end);
            }
            _ => all.push(word),
        }
    }
    all
}

/// Gives spanning headings to the columns that need them: names that occur once per group.
fn spread_groups(heads: &mut [Head], groups: &[String]) {
    let names: Vec<String> = heads.iter().map(|h| h.name.clone()).collect();
    for (i, name) in names.iter().enumerate() {
        let same = names.iter().filter(|n| *n == name).count();
        let before = names[..i].iter().filter(|n| *n == name).count();
        if same == groups.len() && same > 1 {
            heads[i].group.clone_from(&groups[before]);
        }
    }
}
