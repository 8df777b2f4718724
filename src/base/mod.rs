//! The primitives that every layer shares: places, diagnostics, errors, time. They know nothing of sessions.

pub mod diag;
pub mod error;
pub mod hash;
pub mod ids;
pub mod lexicon;
pub mod locate;
pub mod path;
pub mod span;
pub mod time;
pub mod unit;
