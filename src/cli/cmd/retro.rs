//! `retro`: the retrospective of a session.

use crate::{
    cli::{Done, Stop, args::RetroArgs, writing},
    model::article::ArticleKind,
};

/// Runs the command.
pub fn run(args: &RetroArgs) -> Result<Done, Stop> {
    writing::run(&args.input, &args.writing, ArticleKind::Retrospective, |_| Ok(None))
}
