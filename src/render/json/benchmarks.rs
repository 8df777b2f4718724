//! `benchmarks --json`.
