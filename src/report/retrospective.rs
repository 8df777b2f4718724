//! The retrospective: what came out of the session, what to check before trusting it, what broke, what is open.

use super::{Report, section};
use crate::model::article::ArticleKind;

/// See the module.
pub struct Retrospective;

/// The sections, in the order in which a reader needs them.
const SECTIONS: &[section::Maker] = &[
    section::in_short::make,
    section::check_first::make,
    section::closing::make,
    section::measurements::make,
    section::broke::make,
    section::how_it_went::make,
    section::requests::make,
    section::decisions::make,
    section::plan_outcome::make,
    section::next_time::make,
    section::names::make,
    section::not_visible::make,
];

impl Report for Retrospective {
    fn kind(&self) -> ArticleKind {
        ArticleKind::Retrospective
    }

    fn about(&self) -> &'static str {
        "the session: what came out, what to check first, what broke, what is still open"
    }

    fn sections(&self) -> &'static [section::Maker] {
        SECTIONS
    }
}
