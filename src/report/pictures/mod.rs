//! Which pictures an article deserves. None that one sentence says as well, none with fewer than three points; each with
//! a table of the same data, whose rows are claims as those of any table.

mod dumbbell;
mod scaling;
mod series;
mod strip;

use super::Material;
use crate::{
    base::ids::MessageIdx,
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
