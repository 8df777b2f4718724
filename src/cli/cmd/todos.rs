//! `todos`.

use crate::cli::{Done, Stop, args::TodosArgs};

/// Runs the command.
pub fn run(_args: &TodosArgs) -> Result<Done, Stop> {
    Err(Stop::Usage("not written yet".into()))
}
