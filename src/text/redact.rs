//! Secrets replaced by typed, stable markers, by a table of rules.
