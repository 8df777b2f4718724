//! Prose cut into sentences and clauses, with byte spans.
