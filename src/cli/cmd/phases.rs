//! `phases`.

use crate::cli::{Done, Stop, args::PhasesArgs};

/// Runs the command.
pub fn run(_args: &PhasesArgs) -> Result<Done, Stop> {
    Err(Stop::Usage("not written yet".into()))
}
