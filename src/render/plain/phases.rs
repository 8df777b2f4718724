//! `phases` and `turning-points` for a person.

use crate::model::{facts::Facts, findings::Findings, session::Session};

/// x
pub fn phases(_s: &Session, _f: &Facts, _g: &Findings, _m: bool, _why: bool) -> String {
    String::new()
}
