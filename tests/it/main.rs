//! Everything that is tested from outside, in one binary.

mod bad_input;
mod formats;
mod truncation;
