//! Tables by position: a heading over aligned columns, with a rule of dashes or none.
//!
//! Below the heading may stand a line of units, above it a line of spanning groups. The dashes of a rule give the
//! columns where it has gaps.

use std::ops::Range;

use super::{Found, Layout, Near};
use crate::{
    base::unit::{Decimal, lookup},
    extract::bench::{
        cell,
        clean::{Kind, Page},
        geometry::{self, Measured},
        grid::{Drawn, Grid},
        signs::FIGURE,
    },
};

/// See the module.
pub struct Fixed;

impl Layout for Fixed {
    fn name(&self) -> &'static str {
        "fixed"
    }

    fn about(&self) -> &'static str {
        "aligned columns under a heading, with a rule of dashes or none"
    }

    fn find(&self, page: &Page, at: usize, _near: Near) -> Option<Found> {
        let top = Top::read(page, at)?;
        let (rows, next) = rows(page, &top);
        // A rule, or a second header line, makes one row enough.
        let enough = if top.ruled || top.below.is_some() { 1 } else { 2 };
        if rows.len() < enough {
            return None;
        }
        let heads = [Some(top.main), top.below].into_iter().flatten().collect();
        let measured = Measured { heads, rows };
        let columns = geometry::columns(page, &measured, top.spans.as_deref());
        let unaligned = geometry::unaligned(page, &measured, columns.len()).filter(|_| top.spans.is_none());
        if unaligned.is_none() && columns.len() < 2 || columns.len() > 40 {
            return Some(Found::nothing_before(next));
        }
        let of_line = |at: usize| unaligned.as_ref().map_or(&columns, |lines| &lines[at]);
        let mut grid = Grid {
            title: Grid::title_before(page, at),
            heads: geometry::headings(page, top.main, top.below, top.above, of_line(0)),
            rows: measured.rows.iter().enumerate().map(|(i, l)| geometry::cells(page, *l, of_line(i + 1))).collect(),
            drawn: if top.ruled { Drawn::Marked } else { Drawn::Aligned },
            truncated: false,
            next,
        };
        if page.open && page.is_last(next - 1) {
            grid.truncated = cut_short(page, &mut grid);
        }
        grid.read_end(page);
        Some(Found::Grids(vec![grid]))
    }
}

/// The lines above the rows.
struct Top {
    above: Option<usize>,
    main: usize,
    below: Option<usize>,
    first: usize,
    ruled: bool,
    spans: Option<Vec<Range<usize>>>,
}

impl Top {
    /// Reads a heading whose first line is `at`.
    fn read(page: &Page, at: usize) -> Option<Self> {
        if !may_head(page, at) {
            return None;
        }
        let first = heading(page, at)?;
        let mut top = Top { above: None, main: at, below: None, first: at + 1, ruled: false, spans: None };
        top.skip_rules(page, at);
        if figures(page, top.first) == 0 && !top.ruled {
            let second = heading_or_units(page, top.first)?;
            if is_units(&second) || (second.len() == 1 && first.len() > 1) {
                top.below = Some(top.first);
                top.first += 1;
            } else if second.len() > first.len() && repeats(&second) {
                (top.above, top.main) = (Some(at), top.first);
                top.first += 1;
                let third = heading_or_units(page, top.first);
                if third.is_some_and(|w| is_units(&w)) {
                    top.below = Some(top.first);
                    top.first += 1;
                }
            } else {
                return None;
            }
            top.skip_rules(page, at);
        }
        (figures(page, top.first) > 0).then_some(top)
    }

    /// Steps over rules, and one blank line below a line of units.
    fn skip_rules(&mut self, page: &Page, at: usize) {
        if self.below.is_some() && page.kind(self.first) == Kind::Blank {
            self.first += 1;
        }
        while page.kind(self.first) == Kind::Rule && self.first < at + 6 {
            self.ruled = true;
            let runs = geometry::words(page.text(self.first));
            if runs.len() > 1 {
                self.spans = Some(runs.into_iter().map(|w| w.columns).collect());
            }
            self.first += 1;
        }
    }
}

/// Whether figures may stand where the rows below a heading begin, before anything is measured: on the next line, or
/// below rules, or below one or two more lines of heading.
fn may_head(page: &Page, at: usize) -> bool {
    let row = |mut line: usize| {
        line += usize::from(page.kind(line) == Kind::Blank && line > at + 1);
        while page.kind(line) == Kind::Rule && line < at + 6 {
            line += 1;
        }
        page.signs(line).any(FIGURE)
    };
    row(at + 1) || page.kind(at + 1) == Kind::Text && (row(at + 2) || row(at + 3))
}

/// The words of a line that may head columns: two or more, none of them a figure.
fn heading<'p>(page: &'p Page, at: usize) -> Option<Vec<&'p str>> {
    if page.text(at).trim_start().starts_with(['?', '-', '=', '!', '<', '>', '$', '@']) {
        return None;
    }
    let words = heading_or_units(page, at)?;
    let path = |w: &&str| w.matches('/').count() > 1;
    (words.len() >= 2 && !words.iter().any(path)).then_some(words)
}

fn heading_or_units<'p>(page: &'p Page, at: usize) -> Option<Vec<&'p str>> {
    let text = page.text(at);
    if page.kind(at) != Kind::Text || text.len() > 400 || is_prose_end(text) {
        return None;
    }
    let words: Vec<&str> = geometry::bare_words(text).collect();
    let figure = |w: &&str| cell::is_figure(w);
    let figures = page.signs(at).any(FIGURE) && words.iter().any(figure);
    (!words.is_empty() && words.len() <= 40 && !figures).then_some(words)
}

fn is_prose_end(text: &str) -> bool {
    text.ends_with([';', '{', ',']) || text.ends_with('.') && !text.ends_with("...")
}

fn is_units(words: &[&str]) -> bool {
    let unit = |w: &&&str| w.starts_with('(') || w.ends_with(')') || **w == "-" || lookup(w).is_some();
    words.len() >= 2 && words.iter().filter(unit).count() * 10 >= words.len() * 7
}

fn repeats(names: &[&str]) -> bool {
    names.iter().enumerate().filter(|(i, n)| names[..*i].contains(n)).count() >= 2
}

/// How many words of a line are figures.
fn figures(page: &Page, at: usize) -> usize {
    let text = page.text(at);
    if page.kind(at) != Kind::Text || !page.signs(at).any(FIGURE) || text.len() > 600 {
        return 0;
    }
    let figure = |w: &&str| {
        let word = w.trim_matches(['(', ')']);
        cell::is_plain(word) || cell::read(word, Decimal::Point).is_some()
    };
    geometry::bare_words(text).filter(figure).count()
}

/// The rows below a heading, and the line after them. A rule may stand between rows; a total often follows it.
fn rows(page: &Page, top: &Top) -> (Vec<usize>, usize) {
    let wanted = figures(page, top.first);
    let least = if top.ruled { 1 } else { wanted.div_ceil(2).max(1) };
    let (mut rows, mut at) = (Vec::new(), top.first);
    loop {
        if page.kind(at) == Kind::Rule && top.ruled && figures(page, at + 1) > 0 && page.kind(at + 1) == Kind::Text {
            at += 1;
            continue;
        }
        if figures(page, at) < least || reads_as_sentence(page.text(at)) {
            break;
        }
        rows.push(at);
        at += 1;
    }
    (rows, if page.kind(at) == Kind::Rule && top.ruled { at + 1 } else { at })
}

/// A remark below a table, not a row of it: words one blank apart with commas or a colon between them.
fn reads_as_sentence(text: &str) -> bool {
    let body = text.trim();
    !body.contains("  ") && !body.contains('\t') && (body.contains(", ") || body.contains(": ") || body.ends_with('.'))
}

/// Empties the last figure where the text breaks off inside it.
fn cut_short(page: &Page, grid: &mut Grid) -> bool {
    let Some((last, before)) = grid.rows.split_last_mut() else { return false };
    let Some(at) = last.iter().rposition(|p| !p.range.is_empty()) else { return false };
    let missing = at + 1 < last.len() && before.last().is_some_and(|r| !r[at + 1].range.is_empty());
    let above = before.last().map(|r| r[at].of(page));
    let cut = missing || cell::looks_cut(last[at].of(page), above);
    if cut && at > 0 {
        last[at].range = 0..0;
    }
    cut
}
