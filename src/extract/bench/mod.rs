//! Benchmarks in text: tables, key–value blocks, figures in prose.
//!
//! A text is cleaned into lines that know where they came from (`clean`). An `adapter` takes the stretches that a tool
//! printed whose grammar it knows; of the rest, `layout` finds what begins at a line; a
//! `grid` is read into a table (`table`); `prose` reads the sentences left over. Outside the
//! adapters nothing knows a tool by name.

pub mod adapter;
mod cell;
mod clean;
mod direction;
mod figure;
mod geometry;
mod grid;
pub mod layout;
mod marks;
mod prose;
mod quality;
mod roles;
mod signs;
mod table;
mod vetoes;
mod words;

use clean::{Kind, Page};
use layout::{Found, LAYOUTS, Near};
use marks::Marks;
use table::Verdict;

use crate::model::metric::{Extraction, failing};

/// What kind of text it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Printed by a program: layouts only.
    Output,
    /// Written by somebody, or unknown: layouts, and figures in sentences.
    Prose,
}

/// Who reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Readers {
    /// The adapters of tools, and the recogniser for the rest.
    #[default]
    All,
    /// The recogniser alone: what is read of tools that nobody wrote an adapter for.
    Recogniser,
}

/// Reads the measurements of a text, by all readers. Spans are bytes of `text` as given. Linear in its length.
pub fn extract(text: &str, mode: Mode) -> Extraction {
    extract_by(text, mode, Readers::All)
}

/// Reads the measurements of a text, by chosen readers.
pub fn extract_by(text: &str, mode: Mode, readers: Readers) -> Extraction {
    let mut all = Extraction::default();
    if !text.bytes().any(|b| b.is_ascii_digit()) && !quality::in_words_alone(text) {
        return all;
    }
    let mut page = Page::new(text);
    // A layout is not asked again about the lines of a table that it found and that proved to be none.
    let mut asked = vec![0; LAYOUTS.len()];
    let marks = Marks::find(text, &page);
    let taken = if readers == Readers::All { adapter::read(&page, &marks) } else { Vec::new() };
    taken.iter().for_each(|stretch| page.take(stretch.lines.clone()));
    let mut taken = taken.into_iter().peekable();
    let (mut at, mut last) = (0, None);
    while at < page.lines.len() {
        if let Some(stretch) = taken.next_if(|t| t.lines.start <= at) {
            at = stretch.lines.end.max(at);
            last = Some(at);
            quality(&page, &stretch, &mut all);
            all.tables.extend(stretch.tables);
            all.metrics.extend(stretch.metrics);
            continue;
        }
        if page.kind(at) != Kind::Text {
            at += 1;
            continue;
        }
        let mut counts = Vec::new();
        if marks.of_runner(at) && quality::read(&page, at, &mut counts) {
            counted(&page, at, &counts, &mut all);
            at += 1;
            continue;
        }
        let before = all.tables.len() + all.metrics.len();
        let near = if last.is_some_and(|l| at - l <= 3) { Near::Measurements } else { Near::Nothing };
        // A layout may look ahead, but not into what a tool's adapter has taken.
        let end = taken.peek().map_or(page.lines.len(), |t| t.lines.start);
        at = line(&page, at, mode, near, &mut asked, &mut all).clamp(at + 1, end.max(at + 1));
        if all.tables.len() + all.metrics.len() > before {
            last = Some(at);
        }
    }
    all
}

/// Takes over the counts of a stretch, with the line that says them as their place, else its first one.
fn quality(page: &Page, stretch: &adapter::Taken, all: &mut Extraction) {
    if !stretch.quality.is_empty() {
        let line = stretch.quality_at.unwrap_or(stretch.lines.start);
        counted(page, line, &stretch.quality, all);
    }
}

/// Adds the counts of a line. The line that stands for all of them is the last that counts a failure, else the last that
/// counts a pass: a green line above a red one would hide it.
fn counted(page: &Page, line: usize, counts: &[(String, f64)], all: &mut Extraction) {
    let passes = counts.iter().any(|(name, n)| name.ends_with("passed") && *n > 0.0);
    let tells = all.quality_span.is_none() || passes && failing(&all.quality) == 0.0 || failing(counts) > 0.0;
    if tells {
        all.quality_span = Some(page.lines[line].span(0..page.text(line).len()));
    }
    counts.iter().for_each(|(name, n)| quality::sum(&mut all.quality, name, *n));
}

/// Reads what begins at a line of text; the line to go on with.
fn line(page: &Page, at: usize, mode: Mode, near: Near, asked: &mut [usize], all: &mut Extraction) -> usize {
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
                all.metrics.extend(figures.into_iter().filter(|figure| !vetoes::aims(page, figure)));
                return next;
            }
            Some(Found::Figures(_, next)) => asked[i] = next,
            None => {}
        }
    }
    if mode == Mode::Prose && !page.lines[at].fenced {
        all.metrics.extend(prose::figures(page, at).into_iter().filter(|figure| !vetoes::aims(page, figure)));
    }
    at + 1
}

/// Takes the tables among the grids; true when the lines are used up.
fn take(page: &Page, grids: &[grid::Grid], near: Near, all: &mut Extraction) -> bool {
    let mut used = false;
    let mut verdicts: Vec<Verdict> = grids.iter().map(|grid| table::read(page, grid, near)).collect();
    // Beside a table that surely holds measurements another is one too.
    if near == Near::Nothing && verdicts.iter().any(|v| matches!(v, Verdict::Table(_))) {
        let unsure = verdicts.iter_mut().zip(grids).filter(|(verdict, _)| matches!(verdict, Verdict::Unsure));
        unsure.for_each(|(verdict, grid)| *verdict = table::read(page, grid, Near::Measurements));
    }
    for verdict in verdicts {
        match verdict {
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
