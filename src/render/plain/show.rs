//! `show` for a person.
