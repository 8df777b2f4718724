//! `retro`.

use crate::cli::{Done, Stop, args::RetroArgs};

/// Runs the command.
pub fn run(_args: &RetroArgs) -> Result<Done, Stop> {
    Err(Stop::Usage("not written yet".into()))
}
