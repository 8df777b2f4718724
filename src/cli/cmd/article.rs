//! `article`.

use crate::cli::{Done, Stop, args::ArticleArgs};

/// Runs the command.
pub fn run(_args: &ArticleArgs) -> Result<Done, Stop> {
    Err(Stop::Usage("not written yet".into()))
}
