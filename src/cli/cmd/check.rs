//! `check`: an article against its log.

use std::path::Path;

use crate::{
    base::error::Error,
    check::{log::Log, others, verdict::Verdict},
    cli::{Done, Stop, args::CheckArgs, plan},
    model::session::Session,
    pipeline::{self, ReadOptions, Reading},
    render::{json::check::Document, plain},
};

/// Runs the command. Only what is false makes it fail.
pub fn run(args: &CheckArgs) -> Result<Done, Stop> {
    if args.article == Path::new("-") && args.session == Path::new("-") {
        return Err(Stop::Usage("the article and the log cannot both be standard input".into()));
    }
    let article = plan::input(&args.article)?;
    let text = String::from_utf8_lossy(&article.bytes()?).into_owned();
    let log = plan::input(&args.session)?;
    let reading = pipeline::read(&log, ReadOptions { redact: !args.no_redact })?;
    let session = main_session(&reading)?;
    let report = others::check(&text, &Log::new(session));
    let printed = match args.json {
        true => serde_json::to_string(&Document::new(&article.name, &report)).expect("plain data") + "\n",
        false => plain::check::text(&article.name, &report),
    };
    plan::deliver(None, &printed)?;
    Ok(if report.count(Verdict::False) > 0 { Done::Faults } else { Done::Well })
}

fn main_session(reading: &Reading) -> Result<&Session, Stop> {
    let first = reading.sessions.first();
    first.ok_or_else(|| Stop::Failed(Error::NotFound("the log holds no session".into())))
}
