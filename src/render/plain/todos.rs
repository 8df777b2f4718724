//! `todos` for a person.
