//! Lines of `key=value`: `shape=0 variant=eager ms=0.592`, `lat (usec): min=29, max=80, avg=64.7`. Lines with the same
//! keys are the rows of one table, whatever stands between them in the block.

use std::{collections::HashMap, ops::Range};

use super::{Found, Layout, Near};
use crate::extract::bench::{
    cell,
    clean::{Kind, Page},
    grid::{Grid, Head, Piece},
    signs::{DIGIT, EQUALS},
};

/// See the module.
pub struct Assignments;

impl Layout for Assignments {
    fn name(&self) -> &'static str {
        "assignments"
    }

    fn about(&self) -> &'static str {
        "lines of key=value, rows where the keys are the same"
    }

    fn find(&self, page: &Page, at: usize, _near: Near) -> Option<Found> {
        let (mut tables, mut known): (Vec<Grid>, HashMap<Vec<Head>, usize>) = Default::default();
        let (mut next, mut latest) = (at, 0);
        while let Some(line) = Assigned::read(page, next) {
            // Nearly always the keys of the line above.
            if !tables.get(latest).is_some_and(|table| line.has_heads(page, &table.heads)) {
                latest = *known.entry(line.heads(page)).or_insert_with_key(|heads| {
                    tables.push(Grid::marked(heads.clone(), next));
                    tables.len() - 1
                });
            }
            tables[latest].rows.push(line.row(next));
            next += 1;
        }
        tables.iter_mut().for_each(|t| t.next = next);
        let last = tables.iter_mut().find(|t| t.rows.last().is_some_and(|r| r[0].line + 1 == next));
        if let Some(last) = last.filter(|_| page.open && page.is_last(next - 1)) {
            last.truncated = cut_short(page, last);
        }
        let ended = tables.last().map(|t| t.next);
        (ended.is_some()).then_some(Found::Grids(tables))
    }
}

/// A line of assignments.
struct Assigned {
    line: usize,
    label: Range<usize>,
    pairs: Vec<(Range<usize>, Range<usize>)>,
}

impl Assigned {
    /// Reads a line: an optional label, then nothing but `key=value`, commas and one remark between parentheses.
    fn read(page: &Page, at: usize) -> Option<Self> {
        let text = page.text(at);
        if page.kind(at) != Kind::Text || !page.signs(at).all(EQUALS.and(DIGIT)) || text.len() > 500 {
            return None;
        }
        let (mut pairs, mut label_end, mut from) = (Vec::new(), None, 0);
        for token in text.split([' ', '\t', ',']) {
            let start = from;
            from += token.len() + 1;
            if token.is_empty() {
                continue;
            }
            match token.split_once('=') {
                Some((key, value)) if is_key(key) && !value.is_empty() && !value.contains('=') => {
                    pairs.push((start..start + key.len(), start + key.len() + 1..start + token.len()));
                }
                _ if pairs.is_empty() && !token.contains('=') => label_end = Some(start + token.len()),
                _ => return None,
            }
        }
        let figures = pairs.iter().filter(|p| cell::is_figure(&text[p.1.clone()])).count();
        let label = label_end.map_or(0..0, |end| label(text, end));
        let sized = pairs.len() >= 2 && figures * 2 >= pairs.len() && label.len() <= 60;
        sized.then_some(Self { line: at, label, pairs })
    }

    fn heads(&self, page: &Page) -> Vec<Head> {
        let text = page.text(self.line);
        let named = |r: &Range<usize>| Head { name: text[r.clone()].to_string(), ..Head::default() };
        let mut all = vec![Head::default()];
        all.extend(self.pairs.iter().map(|p| named(&p.0)));
        all
    }

    fn has_heads(&self, page: &Page, heads: &[Head]) -> bool {
        let text = page.text(self.line);
        let keys = self.pairs.iter().map(|(key, _)| &text[key.clone()]);
        heads.len() == self.pairs.len() + 1 && heads[1..].iter().map(|head| head.name.as_str()).eq(keys)
    }

    fn row(&self, line: usize) -> Vec<Piece> {
        let mut all = vec![Piece { line, range: self.label.clone() }];
        all.extend(self.pairs.iter().map(|p| Piece { line, range: p.1.clone() }));
        all
    }
}

/// The label before the first pair, without leaders and colon.
fn label(text: &str, end: usize) -> Range<usize> {
    let start = text.len() - text.trim_start_matches([' ', '\t', '✓', '✗', '*']).len();
    let kept = text[..end].trim_end_matches(['.', ':', ' ', '\t']).len();
    start.min(kept)..kept
}

fn is_key(key: &str) -> bool {
    !key.is_empty()
        && key.len() <= 40
        && key.starts_with(|c: char| c.is_alphabetic())
        && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '(' | ')' | '/' | '-' | '%'))
}

/// Empties the last value where the text breaks off inside it.
fn cut_short(page: &Page, table: &mut Grid) -> bool {
    let Some((last, before)) = table.rows.split_last_mut() else { return false };
    let above = before.last().and_then(|r| r.last()).map(|p| p.of(page));
    let Some(piece) = last.last_mut() else { return false };
    let cut = cell::looks_cut(piece.of(page), above);
    if cut {
        piece.range = 0..0;
    }
    cut
}
