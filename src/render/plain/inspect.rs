//! `inspect` for a person.
