//! `turning-points`.

use crate::cli::{Done, Stop, args::TurningPointsArgs};

/// Runs the command.
pub fn run(_args: &TurningPointsArgs) -> Result<Done, Stop> {
    Err(Stop::Usage("not written yet".into()))
}
