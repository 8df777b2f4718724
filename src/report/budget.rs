//! Room: what a reader would miss least goes first until the article fits.

use crate::model::article::{Article, Basis, Block, Claim, Piece};

/// Drops repetitions, then the lightest claims, until the article has at most `words` words. Ties: the later one goes.
pub fn fit(article: Article, words: usize) -> Article {
    let mut article = without_repeats(article);
    while count(&article) > words {
        let Some(target) = lightest(&article) else { break };
        remove(&mut article, target);
    }
    article
}

/// Drops sentences that quote only what an earlier sentence has quoted. Rows of tables stay: they say something else of
/// the same words.
fn without_repeats(mut article: Article) -> Article {
    let mut told: Vec<String> = Vec::new();
    for section in &mut article.sections {
        for block in &mut section.blocks {
            if let Block::Paragraph(claims) | Block::List(claims) = block {
                claims.retain(|claim| {
                    let quotes: Vec<&String> = claim
                        .pieces()
                        .iter()
                        .filter_map(|p| if let Piece::Quote(q) = p { Some(q) } else { None })
                        .collect();
                    let known =
                        |q: &&String| told.iter().any(|t| t.starts_with(q.as_str()) || q.starts_with(t.as_str()));
                    let repeats = claim.basis() == Basis::Stated && !quotes.is_empty() && quotes.iter().all(known);
                    if !repeats {
                        told.extend(quotes.into_iter().cloned());
                    }
                    !repeats
                });
            }
        }
    }
    article.prune();
    article
}

/// Place of a claim: section, block, position in the block.
type Place = (usize, usize, usize);

/// The lightest claim; among equals the last. The last claim of an article is never offered.
fn lightest(article: &Article) -> Option<Place> {
    let mut all: Vec<(u8, Place)> = Vec::new();
    for (s, section) in article.sections.iter().enumerate() {
        for (b, block) in section.blocks.iter().enumerate() {
            let weights: Vec<u8> = match block {
                Block::Paragraph(claims) | Block::List(claims) => claims.iter().map(Claim::weight).collect(),
                Block::Table(table) => table.rows.iter().map(|r| r.claim.weight()).collect(),
            };
            all.extend(weights.into_iter().enumerate().map(|(i, w)| (w, (s, b, i))));
        }
    }
    if all.len() < 2 {
        return None;
    }
    all.into_iter().min_by_key(|(w, place)| (*w, std::cmp::Reverse(*place))).map(|(_, place)| place)
}

fn remove(article: &mut Article, (s, b, i): Place) {
    let section = &mut article.sections[s];
    match &mut section.blocks[b] {
        Block::Paragraph(claims) | Block::List(claims) => drop(claims.remove(i)),
        Block::Table(table) => drop(table.rows.remove(i)),
    }
    article.prune();
}

/// Words of an article: blank-separated tokens that hold a letter or digit, tables included.
pub fn count(article: &Article) -> usize {
    let whole = |claim: &Claim| pieces(claim.pieces());
    let mut sum = whole(&article.title) + whole(&article.subtitle);
    for section in &article.sections {
        sum += pieces(&section.heading);
        for block in &section.blocks {
            sum += match block {
                Block::Paragraph(claims) | Block::List(claims) => claims.iter().map(whole).sum(),
                Block::Table(table) => {
                    table.lead.as_ref().map_or(0, whole)
                        + table.head.iter().map(|c| pieces(c)).sum::<usize>()
                        + table.rows.iter().flat_map(|r| &r.cells).map(|c| pieces(c)).sum::<usize>()
                }
            };
        }
    }
    sum
}

fn pieces(all: &[Piece]) -> usize {
    all.iter().map(words).sum()
}

fn words(piece: &Piece) -> usize {
    let tokens = |text: &str| text.split_whitespace().filter(|t| t.chars().any(char::is_alphanumeric)).count();
    match piece {
        Piece::Glue(text) => tokens(text),
        Piece::Word(t)
        | Piece::Quote(t)
        | Piece::Code(t)
        | Piece::Plain(t)
        | Piece::Figure(t)
        | Piece::Computed(t)
        | Piece::Count(t) => tokens(t),
        Piece::Refs(list) => 1 + list.len(),
        Piece::RefRange(..) | Piece::Searched(..) => 2,
        Piece::Number(_) => 1,
    }
}
