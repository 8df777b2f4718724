//! Tables with vertical marks: Markdown, plain pipes with a rule or none, box drawing.
//!
//! Without a rule three lines must agree on the number of marks. A row with fewer cells is the last one of a cut table.

use super::{Found, Layout, Near};
use crate::extract::bench::{
    cell,
    clean::{Kind, Page},
    grid::{Drawn, Grid, Head, Piece},
    signs::BAR,
};

/// See the module.
pub struct PipeTable;

const MARKS: &[char] = &['|', '│', '┃', '║', '┆', '┊', '¦'];

/// Type names that a data frame prints below its headings.
const TYPES: &[&str] =
    &["---", "bool", "date", "f32", "f64", "i16", "i32", "i64", "i8", "str", "u16", "u32", "u64", "u8"];

impl Layout for PipeTable {
    fn name(&self) -> &'static str {
        "pipe-table"
    }

    fn about(&self) -> &'static str {
        "columns between | or box lines, with a rule or without"
    }

    fn find(&self, page: &Page, at: usize, _near: Near) -> Option<Found> {
        // A heading is nothing without a rule or a row below it.
        if !page.signs(at).any(BAR) || page.kind(at + 1) != Kind::Rule && !page.signs(at + 1).any(BAR) {
            return None;
        }
        let first = cells(page, at)?;
        if page.kind(at + 1) != Kind::Rule && holds_figure(page, &first) {
            return None;
        }
        let (mut heads, mut rows, mut ruled, mut next) = (vec![first], Vec::new(), false, at + 1);
        let width = heads[0].len();
        let mut cut = false;
        loop {
            if page.kind(next) == Kind::Rule {
                if rows.is_empty() && ruled && !page.text(next).contains(MARKS) && !page.text(next).contains('+') {
                    break;
                }
                let closed = !rows.is_empty() && page.kind(next + 1) == Kind::Rule;
                ruled = true;
                next += 1;
                if closed {
                    break;
                }
                continue;
            }
            let Some(row) = cells(page, next).filter(|r| r.len() <= width || trailing_blank(page, r, width)) else {
                break;
            };
            let short = row.len() < width;
            if short
                && !page.is_last(next)
                && page.kind(next + 1) != Kind::Blank
                && !page.text(next + 1).starts_with("...")
            {
                break;
            }
            match !ruled && rows.is_empty() && page.kind(next + 1) == Kind::Rule && !has_figure(page, &row) {
                true => heads.push(row),
                false => rows.push(row),
            }
            next += 1;
            if short {
                cut = true;
                break;
            }
        }
        let agreed = rows.iter().filter(|r| r.len() == width).count();
        if rows.is_empty() || !ruled && (agreed < 2 || holds_figure(page, &heads[0])) {
            return None;
        }
        if page.open && page.is_last(next - 1) {
            cut |= cut_short(page, &mut rows, &heads[0], next - 1);
        }
        for row in &mut rows {
            row.resize(width, Piece::empty(next - 1));
        }
        let mut grid = Grid {
            title: Grid::title_before(page, at),
            heads: headings(page, &heads, width),
            rows,
            drawn: Drawn::Marked,
            truncated: cut,
            next,
        };
        grid.read_end(page);
        Some(Found::Grids(vec![grid]))
    }
}

/// The cells of a line, outer marks removed; `None` when it has no marks or is no table line.
fn cells(page: &Page, at: usize) -> Option<Vec<Piece>> {
    let line = page.text(at);
    if page.kind(at) != Kind::Text || !page.signs(at).any(BAR) || !line.contains(MARKS) {
        return None;
    }
    let lead = line.len() - line.trim_start().len();
    let body = line.trim();
    let (mut from, mut all) = (lead, Vec::new());
    for (mark, c) in body.char_indices().filter(|(_, c)| MARKS.contains(c)) {
        let end = lead + mark;
        if body[..mark].ends_with('\\') {
            continue;
        }
        if mark > 0 {
            all.push(Piece::trimmed(page, at, from..end));
        }
        from = end + c.len_utf8();
    }
    if from < lead + body.len() {
        all.push(Piece::trimmed(page, at, from..lead + body.len()));
    }
    (all.len() >= 2 && all.len() <= 60).then_some(all)
}

/// A row that ends in a mark where the heading does not.
fn trailing_blank(page: &Page, row: &[Piece], width: usize) -> bool {
    row.len() == width + 1 && row[width].of(page).is_empty()
}

fn has_figure(page: &Page, row: &[Piece]) -> bool {
    row.iter().any(|p| cell::is_figure(p.of(page)))
}

/// A figure anywhere in a cell: a record with bars between its parts, not a heading.
fn holds_figure(page: &Page, row: &[Piece]) -> bool {
    row.iter().any(|p| p.of(page).split([' ', '(']).any(cell::is_figure))
}

/// Empties the last piece of a line that breaks off: the number in it may go on. True when something was emptied.
fn cut_short(page: &Page, rows: &mut [Vec<Piece>], head: &[Piece], line: usize) -> bool {
    let closed = head.first().is_some_and(|p| page.text(p.line).trim().ends_with(MARKS));
    let Some((last, before)) = rows.split_last_mut() else { return false };
    let text = page.text(line).trim_end();
    let Some(piece) = last.last_mut().filter(|p| p.line == line) else { return false };
    let at = piece_above(before, piece);
    let broken = !text.ends_with(MARKS) && (closed || cell::looks_cut(piece.of(page), at.map(|p| p.of(page))));
    if broken {
        *piece = Piece::empty(line);
    }
    broken
}

/// The piece above, for comparison.
fn piece_above<'r>(rows: &'r [Vec<Piece>], piece: &Piece) -> Option<&'r Piece> {
    let row = rows.last()?;
    row.iter().min_by_key(|p| p.range.end.abs_diff(piece.range.end))
}

/// Headings from one or more lines above the rule: words of units go below, repeated groups above.
fn headings(page: &Page, lines: &[Vec<Piece>], width: usize) -> Vec<Head> {
    (0..width)
        .map(|column| {
            let words = lines.iter().filter_map(|l| l.get(column)).map(|p| p.of(page)).filter(|w| !TYPES.contains(w));
            let name = words.filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" ");
            Head { name, ..Head::default() }
        })
        .collect()
}
