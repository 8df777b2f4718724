//! The layouts of figures in text, one file each. Adding one is a file and a line below. A layout is asked at a line
//! and answers with what begins there; it looks ahead only as far as its rows go, so that a text is read in linear time.

mod assignments;
mod fixed;
mod key_value;
mod pipe_table;
mod record;
mod separated;

use super::{clean::Page, grid::Grid};
use crate::model::metric::Measurement;

/// What begins at a line.
pub enum Found {
    /// Tables.
    Grids(Vec<Grid>),
    /// Single figures, and the line after them.
    Figures(Vec<Measurement>, usize),
}

impl Found {
    /// Lines that were looked at in vain: the layout need not look at them again.
    pub fn nothing_before(next: usize) -> Self {
        Found::Figures(Vec::new(), next)
    }
}

/// What stands just above the line that is asked about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Near {
    /// Measurements: a figure that could be anything elsewhere is one here.
    Measurements,
    /// Nothing that was recognised.
    Nothing,
}

/// One layout.
pub trait Layout: Sync {
    /// Name, kebab-case.
    fn name(&self) -> &'static str;
    /// One clause: what it looks like.
    fn about(&self) -> &'static str;
    /// What begins at line `at`, if anything of this layout does.
    fn find(&self, page: &Page, at: usize, near: Near) -> Option<Found>;
}

/// All layouts, in the order in which they are asked.
pub const LAYOUTS: &[&dyn Layout] = &[
    &pipe_table::PipeTable,
    &separated::Separated,
    &assignments::Assignments,
    &fixed::Fixed,
    &record::Record,
    &key_value::KeyValue,
];
