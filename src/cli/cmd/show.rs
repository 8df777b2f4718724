//! `show`.

use crate::cli::{Done, Stop, args::ShowArgs};

/// Runs the command.
pub fn run(_args: &ShowArgs) -> Result<Done, Stop> {
    Err(Stop::Usage("not written yet".into()))
}
