//! The integration tests: one binary, a module per boundary.

mod facts;
