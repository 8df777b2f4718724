//! `phases` for a person.
