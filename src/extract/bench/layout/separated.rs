//! Comma- or tab-separated values under a heading of names.

use super::{Found, Layout, Near};
use crate::{
    base::unit::Decimal,
    extract::bench::{
        cell,
        clean::{Kind, Page},
        figure::{self, Strength, measurement, strength},
        grid::{Drawn, Grid, Head, Piece},
        signs::{CODE, COMMA, DIGIT, SEMICOLON, Signs, TAB},
    },
    model::metric::Value,
};

/// See the module.
pub struct Separated;

impl Layout for Separated {
    fn name(&self) -> &'static str {
        "separated"
    }

    fn about(&self) -> &'static str {
        "values between commas or tabs under a heading of names"
    }

    fn find(&self, page: &Page, at: usize, _near: Near) -> Option<Found> {
        let table = MARKS.iter().find_map(|(mark, sign)| table(page, at, *mark, *sign));
        table.map(|grid| Found::Grids(vec![grid])).or_else(|| records(page, at))
    }
}

/// What separates, in the order in which it is tried.
const MARKS: [(char, Signs); 3] = [(',', COMMA), ('\t', TAB), (';', SEMICOLON)];

/// `[READ], AverageLatency(us), 3941.5`: lines without a heading, each a key, the name of a metric and its value.
fn records(page: &Page, at: usize) -> Option<Found> {
    if !page.signs(at).all(COMMA.and(DIGIT)) || !may_be_record(page.text(at)) {
        return None;
    }
    let (mut all, mut next, mut sure) = (Vec::new(), at, 0);
    while let Some(row) = fields(page, next, ',') {
        let [key, name, value] = &row[..] else { break };
        let Some(reading) = cell::read(value.of(page), Decimal::Point).filter(|_| !cell::is_figure(key.of(page)))
        else {
            break;
        };
        let unit = figure::unit_in_parentheses(name.of(page));
        sure += usize::from(strength(name.of(page), unit.as_ref(), reading.decimals) == Strength::Strong);
        let span = value.range.start + reading.at.start..value.range.start + reading.at.end;
        let mut one = measurement(page, next, span, name.of(page), unit, &reading);
        one.params.push(("of".into(), Value::Text(key.of(page).trim_matches(['[', ']']).to_string())));
        all.push(one);
        next += 1;
    }
    match sure > 0 && all.len() > 2 {
        true => Some(Found::Figures(all, next)),
        false => (next > at).then(|| Found::nothing_before(next)),
    }
}

/// Whether a line has two commas at least and a digit behind the last.
fn may_be_record(text: &str) -> bool {
    let commas = || memchr::memchr_iter(b',', text.as_bytes());
    let last = commas().next_back().unwrap_or(0);
    text.as_bytes()[last..].iter().any(u8::is_ascii_digit) && commas().nth(1).is_some()
}

fn table(page: &Page, at: usize, mark: char, sign: Signs) -> Option<Grid> {
    let below = page.signs(at + 1).any(sign) || page.text(at + 1).starts_with(mark);
    if !page.signs(at).any(sign) || page.signs(at).any(CODE) || !below {
        return None;
    }
    let head = fields(page, at, mark).filter(|f| f.len() >= 3 && f.iter().all(|p| is_name(p.of(page))))?;
    let (mut rows, mut next) = (Vec::new(), at + 1);
    while let Some(row) = fields(page, next, mark) {
        let figures = row.iter().filter(|p| cell::is_figure(p.of(page))).count();
        let cut = row.len() < head.len() && page.is_last(next);
        if row.len() > head.len() || (row.len() < head.len() && !cut) || (figures == 0 && !cut) {
            break;
        }
        rows.push(row);
        next += 1;
    }
    if rows.is_empty() {
        return None;
    }
    let mut truncated = false;
    if page.open && page.is_last(next - 1) {
        let (last, before) = rows.split_last_mut()?;
        let above = before.last().and_then(|r| r.get(last.len() - 1)).map(|p| p.of(page));
        if last.len() < head.len() || cell::looks_cut(last.last()?.of(page), above) {
            truncated = true;
            last.pop();
        }
    }
    rows.iter_mut().for_each(|r| r.resize(head.len(), Piece::empty(next - 1)));
    let heads = head.iter().map(|p| Head { name: p.of(page).trim_matches('"').into(), ..Head::default() }).collect();
    let title = Grid::title_before(page, at);
    let mut grid = Grid { title, heads, rows, drawn: Drawn::Marked, truncated, next };
    grid.read_end(page);
    Some(grid)
}

/// The fields of a line; quoted ones may hold the mark.
fn fields(page: &Page, at: usize, mark: char) -> Option<Vec<Piece>> {
    let text = page.text(at);
    if page.kind(at) != Kind::Text || !text.contains(mark) {
        return None;
    }
    let (mut all, mut from, mut quoted) = (Vec::new(), 0, false);
    for (i, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            c if c == mark && !quoted => {
                all.push(Piece::trimmed(page, at, from..i));
                from = i + c.len_utf8();
            }
            _ => {}
        }
    }
    all.push(Piece::trimmed(page, at, from..text.len()));
    (all.len() <= 60).then_some(all)
}

/// A name of a column: short, begins with a letter, no sentence and no code.
fn is_name(text: &str) -> bool {
    let name = text.trim_matches('"');
    let plain =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | ' ' | '(' | ')' | '[' | ']' | '/' | '.' | '%' | '-' | '#');
    let plain = |c: char| plain(c) || c == ':' && text.starts_with('"');
    name.len() <= 40
        && name.starts_with(|c: char| c.is_alphabetic())
        && name.chars().all(plain)
        && name.matches('/').count() < 2
        && name.split(' ').count() <= 4
}
