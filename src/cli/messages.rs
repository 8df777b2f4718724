//! The only printing to standard error.
#![expect(clippy::print_stderr, reason = "this is the door to standard error")]

use crate::text::quote;

/// One error line.
pub fn error(text: &str) {
    eprintln!("turnpoint: {}", quote::terminal_line(text));
}

/// A remark that goes beside the result.
pub fn note(text: &str) {
    eprintln!("turnpoint: {}", quote::terminal_line(text));
}
