//! The JSON shapes of the program: separate structs with a schema name, not the model.

pub mod benchmarks;
pub mod check;
pub mod inspect;
pub mod manifest;
pub mod phases;
pub mod show;
pub mod todos;
