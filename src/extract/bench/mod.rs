//! Benchmarks in text: tables, key–value blocks, figures in prose.
//!
//! A text is cleaned into lines that know where they came from (`clean`); `layout` finds what begins at a line; a
//! `grid` is read into a table (`table`); `prose` reads the sentences left over. Nothing here knows a tool by
//! name: what says more about one tool belongs into an adapter of its own.

mod cell;
mod clean;
mod direction;
mod figure;
mod geometry;
mod grid;
pub mod layout;
mod prose;
mod quality;
mod roles;
mod table;
mod vetoes;
mod words;

use clean::{Kind, Page};
use layout::{Found, LAYOUTS, Near};
use table::Verdict;

use crate::model::metric::Extraction;

/// What kind of text it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Printed by a program: layouts only.
    Output,
    /// Written by somebody, or unknown: layouts, and figures in sentences.
    Prose,
}

/// Reads the measurements of a text. Spans are bytes of `text` as given. Linear in its length.
pub fn extract(text: &str, mode: Mode) -> Extraction {
    let mut all = Extraction::default();
    if !text.bytes().any(|b| b.is_ascii_digit()) {
        return all;
    }
    let page = Page::new(text);
    // A layout is not asked again about the lines of a table that it found and that proved to be none.
    let mut asked = vec![0; LAYOUTS.len()];
    let (mut at, mut last) = (0, None);
    while at < page.lines.len() {
        let before = all.tables.len() + all.metrics.len();
        let near = if last.is_some_and(|l| at - l <= 3) { Near::Measurements } else { Near::Nothing };
        at = line(&page, at, mode, near, &mut asked, &mut all).max(at + 1);
        if all.tables.len() + all.metrics.len() > before {
            last = Some(at);
        }
    }
    all
}

/// Reads what begins at a line; the line to go on with.
fn line(page: &Page, at: usize, mode: Mode, near: Near, asked: &mut [usize], all: &mut Extraction) -> usize {
    if page.kind(at) != Kind::Text {
        return at + 1;
    }
    if quality::read(page, at, &mut all.quality) {
        all.quality_span.get_or_insert(page.lines[at].span(0..page.text(at).len()));
        return at + 1;
    }
    for (i, layout) in LAYOUTS.iter().enumerate() {
        if asked[i] > at {
            continue;
        }
        match layout.find(page, at, near) {
            Some(Found::Grids(grids)) => {
                let next = grids.iter().map(|g| g.next).max().unwrap_or(at + 1);
                if take(page, &grids, near, all) {
                    return next;
                }
                asked[i] = next;
            }
            Some(Found::Figures(figures, next)) if !figures.is_empty() => {
                all.metrics.extend(figures);
                return next;
            }
            Some(Found::Figures(_, next)) => asked[i] = next,
            None => {}
        }
    }
    if mode == Mode::Prose && !page.lines[at].fenced {
        all.metrics.extend(prose::figures(page, at));
    }
    at + 1
}

/// Takes the tables among the grids; true when the lines are used up.
fn take(page: &Page, grids: &[grid::Grid], near: Near, all: &mut Extraction) -> bool {
    let mut used = false;
    let sure = grids.iter().any(|g| matches!(table::read(page, g, near), Verdict::Table(_)));
    let near = if sure { Near::Measurements } else { near };
    for grid in grids {
        match table::read(page, grid, near) {
            Verdict::Table(table) => {
                all.tables.push(table);
                used = true;
            }
            Verdict::Listing => used = true,
            Verdict::Unsure => {}
        }
    }
    used
}
