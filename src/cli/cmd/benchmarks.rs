//! `benchmarks`.

use crate::cli::{Done, Stop, args::BenchmarksArgs};

/// Runs the command.
pub fn run(_args: &BenchmarksArgs) -> Result<Done, Stop> {
    Err(Stop::Usage("not written yet".into()))
}
