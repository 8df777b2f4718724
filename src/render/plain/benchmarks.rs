//! `benchmarks` for a person.
