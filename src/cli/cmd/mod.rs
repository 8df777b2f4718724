//! One command each.

pub mod article;
pub mod audit;
pub mod benchmarks;
pub mod check;
pub mod compare;
pub mod formats;
pub mod inspect;
pub mod phases;
pub mod retro;
pub mod sessions;
pub mod show;
pub mod todos;
pub mod turning_points;
