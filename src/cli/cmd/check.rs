//! `check`.

use crate::cli::{Done, Stop, args::CheckArgs};

/// Runs the command.
pub fn run(_args: &CheckArgs) -> Result<Done, Stop> {
    Err(Stop::Usage("not written yet".into()))
}
