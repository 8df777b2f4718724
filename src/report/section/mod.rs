//! One section each. A section that would be empty is not made.

pub mod after;
pub mod broke;
pub mod check_first;
pub mod closing;
pub mod decisions;
pub mod how_it_went;
pub mod in_short;
pub mod measurements;
pub mod message;
pub mod names;
pub mod next_time;
pub mod not_visible;
pub mod plan_outcome;
mod refused;
pub mod requests;
pub mod title;
mod unheeded;

use super::{Material, phrase::Phrase};
use crate::model::article::{ArticleRow, ArticleTable, Basis, Block, Claim, Piece, Section};

/// Makes a section of the material.
pub type Maker = fn(&Material) -> Option<Section>;

/// A section from its blocks; `None` when there are none.
fn section(heading: &'static str, blocks: Vec<Block>) -> Option<Section> {
    let blocks: Vec<Block> = blocks.into_iter().filter(|b| !empty(b)).collect();
    let heading = if heading.is_empty() { Vec::new() } else { vec![Piece::Glue(heading)] };
    (!blocks.is_empty()).then_some(Section { heading, blocks })
}

fn empty(block: &Block) -> bool {
    match block {
        Block::Paragraph(claims) | Block::List(claims) => claims.is_empty(),
        Block::Table(table) => table.rows.is_empty(),
    }
}

/// A table with fixed headings.
fn table(head: &[&'static str], rows: Vec<ArticleRow>) -> Block {
    let head = head.iter().map(|h| if h.is_empty() { Vec::new() } else { vec![Piece::Glue(h)] }).collect();
    Block::Table(ArticleTable { lead: None, head, rows })
}

impl<'a> Material<'a> {
    /// Begins a sentence that quotes the log.
    pub(in crate::report) fn stated(&self, rule: &'static str) -> Phrase<'a> {
        Phrase::new(self.session, rule, Basis::Stated)
    }

    /// Begins a sentence that counts or computes.
    pub(in crate::report) fn derived(&self, rule: &'static str) -> Phrase<'a> {
        Phrase::new(self.session, rule, Basis::Derived)
    }

    /// Begins a sentence that concludes.
    pub(in crate::report) fn inferred(&self, rule: &'static str) -> Phrase<'a> {
        Phrase::new(self.session, rule, Basis::Inferred)
    }
}

/// Keeps the claims that could be made.
fn claims(all: impl IntoIterator<Item = Option<Claim>>) -> Vec<Claim> {
    all.into_iter().flatten().collect()
}
