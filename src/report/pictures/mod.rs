//! Which pictures an article deserves. None that one sentence says as well, none with fewer than three points; each with
//! a table of the same data, whose rows are claims as those of any table.

mod dumbbell;
mod scaling;
mod series;
mod strip;

use super::Material;
use crate::{
    base::{
        ids::MessageIdx,
        unit::{self, Decimal},
    },
    model::{
        article::ArticleTable,
        picture::{Drawing, Picture, Spot},
    },
};

/// A picture without its name.
struct Draft {
    title: String,
    description: String,
    drawing: Drawing,
    table: ArticleTable,
}

/// Makes the pictures of one kind.
type Maker = fn(&Material) -> Vec<Draft>;

/// The kinds, in the order in which a reader meets them.
const MAKERS: &[Maker] = &[strip::make, series::make, dumbbell::make, scaling::make];

/// Most pictures of an article.
const MOST: usize = 4;

/// The pictures of an article.
pub fn choose(m: &Material) -> Vec<Picture> {
    let drafts = MAKERS.iter().flat_map(|make| make(m)).take(MOST);
    let named = drafts.enumerate().map(|(at, draft)| Picture {
        slug: format!("{:02}-{}", at + 1, draft.drawing.word()),
        title: draft.title,
        description: draft.description,
        drawing: draft.drawing,
        table: draft.table,
    });
    named.collect()
}

/// A message with its printed number.
fn spot(m: &Material, at: MessageIdx) -> Spot {
    Spot { at, number: m.session.message(at).number }
}

/// Whether a value may stand beside its printed text and the unit of its axis: readings in another unit are converted, and
/// their text is not. A text that holds its own unit speaks for itself.
fn agrees(text: &str, value: f64) -> bool {
    let own_unit = text.contains(char::is_alphabetic);
    let near = |read: f64| own_unit || (read - value).abs() <= value.abs() * 1e-9;
    let reads = |decimal| unit::number(text.trim(), decimal).is_some_and(|(read, _)| near(read));
    value.is_finite() && [Decimal::Point, Decimal::Comma].into_iter().any(reads)
}

#[cfg(test)]
mod tests {
    use super::agrees;

    #[test]
    fn a_converted_value_does_not_stand_beside_its_text() {
        assert!(agrees("1,250.5", 1250.5) && agrees("97.30 ms", 97.3) && agrees("1.2M", 1.2e6));
        assert!(!agrees("1.2", 1200.0) && !agrees("n/a", 0.0) && !agrees("0", f64::NAN));
    }
}
