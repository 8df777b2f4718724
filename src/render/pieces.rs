//! What the renderings of an article share: how pieces of a sentence follow each other, and what the log's own Markdown
//! inside a quotation means.

use crate::{
    model::{
        article::{Article, Block, Piece, Section},
        picture::{Drawing, Picture},
    },
    text::quote,
};

/// Characters of the description in front matter and in the head of a page, at most.
const DESCRIPTION: usize = 300;

/// Whether a blank belongs between what stands before (its last character) and this piece: a reference is set off.
pub(super) fn set_off(before: Option<char>, piece: &Piece) -> bool {
    is_reference(piece) && before.is_some_and(|c| !matches!(c, ' ' | '('))
}

fn is_reference(piece: &Piece) -> bool {
    matches!(piece, Piece::Refs(_) | Piece::RefRange(..) | Piece::Searched(..))
}

/// The article in a few words, for search engines and link previews: its opening paragraph without references, printed by
/// `print`, shortened.
pub(super) fn description(article: &Article, print: impl Fn(&[Piece]) -> String) -> String {
    let Some(Block::Paragraph(claims)) = article.sections.first().and_then(|s| s.blocks.first()) else {
        return String::new();
    };
    let words = |pieces: &[Piece]| -> Vec<Piece> { pieces.iter().filter(|p| !is_reference(p)).cloned().collect() };
    let sentences: Vec<String> = claims.iter().map(|c| print(&words(c.pieces()))).collect();
    // Where a reference stood between a quotation and the full stop, the stop of the quotation is enough.
    let text = sentences.join(" ").replace(".”.", ".”").replace(".\".", ".\"");
    quote::shorten(&text, DESCRIPTION).into_owned()
}

/// The pictures that stand at the end of each section: beside what tells the same in words, else in the first one.
pub(super) fn placed<'a>(article: &'a Article, sections: &[Section]) -> Vec<Vec<&'a Picture>> {
    let mut places = vec![Vec::new(); sections.len()];
    for picture in &article.pictures {
        let heading = match picture.drawing {
            Drawing::Strip(_) => "How it went",
            _ => "Measurements",
        };
        let at = sections.iter().position(|s| s.heading == [Piece::Glue(heading)]).unwrap_or(0);
        if let Some(place) = places.get_mut(at) {
            place.push(picture);
        }
    }
    places
}

/// A stretch of quoted words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Stretch {
    /// To be read literally.
    Literal(String),
    /// A code span of the log.
    Code(String),
}

/// Words of the log that may be Markdown themselves: code spans stay code spans, marks of strong emphasis beside them go.
/// Where the backticks do not pair, all is literal.
pub(super) fn stretches(text: &str) -> Vec<Stretch> {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return vec![Stretch::Literal(text.to_string())];
    }
    let stretch = |(i, part): (usize, &str)| match i % 2 {
        0 => Stretch::Literal(part.replace("**", "")),
        _ => Stretch::Code(part.to_string()),
    };
    parts.into_iter().enumerate().map(stretch).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_spans_of_a_quotation_are_told_from_its_words() {
        let literal = |text: &str| Stretch::Literal(text.into());
        assert_eq!(stretches("**run `ls`** now"), [literal("run "), Stretch::Code("ls".into()), literal(" now")]);
        assert_eq!(stretches("one ` alone, **bold**"), [literal("one ` alone, **bold**")]);
        assert_eq!(stretches("plain **bold**"), [literal("plain bold")]);
    }
}
