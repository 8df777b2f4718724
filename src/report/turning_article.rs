//! The article about one message: what it says, what led to it, what the numbers were, what came after.

use super::{Report, section};
use crate::model::article::ArticleKind;

/// See the module.
pub struct TurningArticle;

/// The sections, in the order in which a reader needs them.
const SECTIONS: &[section::Maker] = &[
    section::in_short::make,
    section::check_first::make,
    section::message::make,
    section::measurements::make,
    section::broke::make,
    section::how_it_went::make,
    section::requests::make,
    section::decisions::make,
    section::plan_outcome::make,
    section::after::make,
    section::names::make,
    section::not_visible::make,
];

impl Report for TurningArticle {
    fn kind(&self) -> ArticleKind {
        ArticleKind::TurningPoint
    }

    fn about(&self) -> &'static str {
        "one message or turning point: what it says, what led to it, the figures, what came after"
    }

    fn sections(&self) -> &'static [section::Maker] {
        SECTIONS
    }
}
