//! Benchmarks in text: tables, key–value blocks, figures in prose.
