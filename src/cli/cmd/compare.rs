//! `compare`: the same measurements on two sides.

use std::path::{Path, PathBuf};

use crate::{
    base::error::Error,
    cli::{
        Done, Stop,
        args::{CompareArgs, InputArgs},
        output, plan,
    },
    pipeline::{self, Readers, Side},
    render::{json::compare::Document, plain::compare::text},
};

/// Runs the command.
pub fn run(args: &CompareArgs) -> Result<Done, Stop> {
    if args.a == "-" && args.b == "-" {
        return Err(Stop::Usage("standard input can be one side only".into()));
    }
    let found = pipeline::compare(side(&args.a, args)?, side(&args.b, args)?);
    let sides = [args.a.as_str(), args.b.as_str()];
    let out = match args.form.json {
        true => crate::render::json::line(&Document::new(&found, sides)) + "\n",
        false => text(&found, sides, plan::form(args.form)),
    };
    output::deliver(args.how.output.as_ref(), &out)?;
    Ok(Done::Well)
}

/// What was named, and the message of it: `log.jsonl@42`. A file whose own name holds the sign is that file.
fn named(side: &str) -> (&str, Option<&str>) {
    match side.rsplit_once('@') {
        Some((input, message)) if !Path::new(side).exists() && !input.is_empty() => (input, Some(message)),
        _ => (side, None),
    }
}

fn side(side: &str, args: &CompareArgs) -> Result<Side, Stop> {
    let (name, message) = named(side);
    let input = InputArgs { input: Some(PathBuf::from(name)), how: args.how.clone() };
    let (source, reading) = match plan::log_or_text(&input)? {
        plan::LogOrText::Log(source, reading) => (source, reading),
        plan::LogOrText::Text(bytes) if message.is_none() => {
            let options = plan::read_options(&input);
            let found = pipeline::measurements(&String::from_utf8_lossy(&bytes), options, Readers::All);
            return Ok(Side::of_text(&found));
        }
        plan::LogOrText::Text(_) => {
            return Err(Stop::Usage(format!("{name}: no session log, so it has no messages to compare")));
        }
    };
    let sessions = plan::chosen(&reading, &input)?;
    let [session] = sessions.as_slice() else {
        let ids: Vec<&str> = sessions.iter().map(|s| s.info.id.as_str()).collect();
        let reason = format!("{name}: holds {} sessions; choose one with --session: {}", ids.len(), ids.join(", "));
        return Err(Stop::Usage(reason));
    };
    let analysis = pipeline::analyze(session, &Default::default());
    let Some(message) = message else { return Ok(Side::of_session(&analysis.facts, &analysis.findings)) };
    let at = session
        .find(message)
        .ok_or_else(|| Stop::Failed(Error::NotFound(format!("{}: no message {message:?} in this log", source))))?;
    Ok(Side::of_message(session, &analysis.facts, at))
}
