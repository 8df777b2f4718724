//! `show --json`.
