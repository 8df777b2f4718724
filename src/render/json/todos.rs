//! `todos --json`.
