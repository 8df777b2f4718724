//! `retro`: the retrospective of a session.

use crate::{
    cli::{Done, Stop, args::RetroArgs, folder, writing},
    model::article::ArticleKind,
};

/// Runs the command.
pub fn run(args: &RetroArgs) -> Result<Done, Stop> {
    if let Some(path) = args.input.how.output.as_deref().filter(|path| folder::is_meant(path)) {
        return folder::run(&args.input, &args.writing, path);
    }
    writing::run(&args.input, &args.writing, ArticleKind::Retrospective, |_| Ok(None))
}
