//! `article`: one article about one message.

use crate::{
    base::error::Error,
    cli::{Done, Stop, args::ArticleArgs, writing},
    model::article::ArticleKind,
};

/// Runs the command.
pub fn run(args: &ArticleArgs) -> Result<Done, Stop> {
    writing::run(&args.input, &args.writing, ArticleKind::TurningPoint, |session| match &args.at {
        None => Ok(None),
        Some(at) => match session.find(at) {
            Some(found) => Ok(Some(found)),
            None => Err(Error::NotFound(format!("no message {at:?} in session {}", session.info.id))),
        },
    })
}
