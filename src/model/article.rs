//! An article: sections of sentences, each a claim with its evidence. Finished values only; nobody can type a number or
//! a reference into a sentence.

use super::{evidence::Evidence, picture::Picture};
use crate::base::ids::MessageIdx;

/// How a claim is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Basis {
    /// Quoted from the log.
    Stated,
    /// Counted or computed by the named rule.
    Derived,
    /// Concluded by the named rule, with a score.
    Inferred,
}

impl Basis {
    /// Printed word.
    pub fn word(self) -> &'static str {
        match self {
            Basis::Stated => "stated",
            Basis::Derived => "derived",
            Basis::Inferred => "inferred",
        }
    }
}

/// A piece of a sentence. Every value is finished: formatted from the log or by a rule.
#[derive(Clone, PartialEq, Debug)]
pub enum Piece {
    /// Fixed wording of the rule; holds no digit and no value of the log.
    Glue(&'static str),
    /// A word computed from an enumeration of ours (a phase, a status).
    Word(String),
    /// Exact words of the log, printed in quotation marks.
    Quote(String),
    /// Exact words of the log, printed as code.
    Code(String),
    /// Exact words of the log, printed plain (a name, a table cell, a todo text).
    Plain(String),
    /// A number as printed in the log, with its unit.
    Figure(String),
    /// A number computed here; printed with †.
    Computed(String),
    /// A count over the searched messages; printed as a number without mark.
    Count(String),
    /// References: `[msg a, b]`.
    Refs(Vec<MessageIdx>),
    /// A reference to a run of messages: `[msg a–b]`.
    RefRange(MessageIdx, MessageIdx),
    /// The range that was searched for an absence: `[searched a–b]`.
    Searched(MessageIdx, MessageIdx),
    /// A bare message number in a table column that is headed as one, or after a value: `(2412)`.
    Number(MessageIdx),
}

/// A sentence with the evidence that it rests on.
#[derive(Clone, PartialEq, Debug)]
pub struct Claim {
    pieces: Vec<Piece>,
    evidence: Vec<Evidence>,
    basis: Basis,
    rule: &'static str,
    weight: u8,
}

impl Claim {
    /// The only way to a claim: pieces, the first evidence and further ones, how it is known, by which rule.
    pub fn new(
        pieces: Vec<Piece>,
        first: Evidence,
        more: impl IntoIterator<Item = Evidence>,
        basis: Basis,
        rule: &'static str,
    ) -> Self {
        let mut evidence = vec![first];
        for one in more {
            if !evidence.contains(&one) {
                evidence.push(one);
            }
        }
        Self { pieces, evidence, basis, rule, weight: Self::PLAIN }
    }

    /// Weight of a claim that nobody weighed.
    pub const PLAIN: u8 = 5;

    /// The same with another weight: how much a reader would miss it, 0 (first to go when room is short) to 9.
    pub fn weighing(mut self, weight: u8) -> Self {
        self.weight = weight;
        self
    }

    /// How much a reader would miss it, 0–9.
    pub fn weight(&self) -> u8 {
        self.weight
    }

    /// Its words and values.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// What it rests on; never empty.
    pub fn evidence(&self) -> &[Evidence] {
        &self.evidence
    }

    /// How it is known.
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// Name of the rule that made it.
    pub fn rule(&self) -> &'static str {
        self.rule
    }
}

/// A table whose rows are claims, one per row.
#[derive(Clone, PartialEq, Debug)]
pub struct ArticleTable {
    /// Sentence above it, if any.
    pub lead: Option<Claim>,
    /// Headings; an empty vector of pieces is an empty heading.
    pub head: Vec<Vec<Piece>>,
    /// Rows: the cells of each, and the claim that the row is.
    pub rows: Vec<ArticleRow>,
}

/// A row of a table.
#[derive(Clone, PartialEq, Debug)]
pub struct ArticleRow {
    /// Cells, as many as there are headings.
    pub cells: Vec<Vec<Piece>>,
    /// The evidence, basis and rule of the row; its pieces are empty, the cells hold them.
    pub claim: Claim,
}

/// A block of a section.
#[derive(Clone, PartialEq, Debug)]
pub enum Block {
    /// Sentences that run on.
    Paragraph(Vec<Claim>),
    /// One claim per item.
    List(Vec<Claim>),
    /// A table.
    Table(ArticleTable),
}

impl Block {
    /// Its sentences and rows, in order.
    fn claims(&self) -> impl Iterator<Item = &Claim> {
        let (sentences, table) = match self {
            Block::Paragraph(claims) | Block::List(claims) => (claims.as_slice(), None),
            Block::Table(table) => (&[][..], Some(table)),
        };
        let rows = table.into_iter().flat_map(|t| t.lead.iter().chain(t.rows.iter().map(|row| &row.claim)));
        sentences.iter().chain(rows)
    }
}

/// A section.
#[derive(Clone, PartialEq, Debug)]
pub struct Section {
    /// Heading; empty for the opening.
    pub heading: Vec<Piece>,
    /// Blocks; a section without blocks is not built.
    pub blocks: Vec<Block>,
}

/// Which kind of article.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArticleKind {
    /// About one message or boundary.
    TurningPoint,
    /// About the session.
    Retrospective,
}

impl ArticleKind {
    /// Printed word.
    pub fn word(self) -> &'static str {
        match self {
            ArticleKind::TurningPoint => "article",
            ArticleKind::Retrospective => "retro",
        }
    }
}

/// A whole article.
#[derive(Clone, PartialEq, Debug)]
pub struct Article {
    /// Kind.
    pub kind: ArticleKind,
    /// The message it is about, for turning points.
    pub subject: Option<MessageIdx>,
    /// The finding.
    pub title: Claim,
    /// What it is about and what it covers, one line.
    pub subtitle: Claim,
    /// Sections in order.
    pub sections: Vec<Section>,
    /// Pictures in order, each with a table of the same data; at most a few.
    pub pictures: Vec<Picture>,
}

impl Article {
    /// Everything that it states, in the order of reading.
    pub fn claims(&self) -> impl Iterator<Item = &Claim> {
        let blocks = self.sections.iter().flat_map(|s| &s.blocks);
        [&self.title, &self.subtitle].into_iter().chain(blocks.flat_map(Block::claims))
    }

    /// Takes out the sentences and rows that `sentence` and `row` pick, and what becomes empty by it. Says whether there
    /// were any.
    pub fn drop_where(&mut self, sentence: impl Fn(&Claim) -> bool, row: impl Fn(&ArticleRow) -> bool) -> bool {
        let mut dropped = false;
        let mut keep = |picked: bool| {
            dropped |= picked;
            !picked
        };
        for section in &mut self.sections {
            for block in &mut section.blocks {
                match block {
                    Block::Paragraph(claims) | Block::List(claims) => claims.retain(|c| keep(sentence(c))),
                    Block::Table(table) => {
                        table.rows.retain(|r| keep(row(r)));
                        table.lead = table.lead.take().filter(|c| keep(sentence(c)));
                    }
                }
            }
        }
        self.prune();
        dropped
    }

    /// Takes out blocks and sections that hold nothing.
    pub fn prune(&mut self) {
        for section in &mut self.sections {
            section.blocks.retain(|block| match block {
                Block::Paragraph(claims) | Block::List(claims) => !claims.is_empty(),
                Block::Table(table) => !table.rows.is_empty(),
            });
        }
        self.sections.retain(|s| !s.blocks.is_empty());
    }
}
