//! `phases --json`.
