//! `inspect`: what was recognised.

use crate::{
    base::error::Error,
    cli::{Done, Stop, args::InspectArgs, output, plan},
    model::facts::Facts,
    pipeline::{self, Reading},
    render::{
        json::inspect::Document,
        plain::inspect::{self, Overview},
    },
};

/// Runs the command.
pub fn run(args: &InspectArgs) -> Result<Done, Stop> {
    let mut text = String::new();
    let read = plan::each_reading(&args.input, |reading| {
        text += &if args.json { json(&reading) } else { plain(&reading, args)? };
        Ok(())
    });
    if let (true, Err(Stop::Failed(Error::Unrecognised { answers, .. }))) = (args.why, &read) {
        let answers: Vec<_> = answers.iter().map(|(name, reason)| (*name, 0, reason.clone())).collect();
        output::deliver(None, &inspect::formats(&answers, true).concat())?;
    }
    let done = read?;
    output::deliver(args.input.how.output.as_ref(), &text)?;
    Ok(done)
}

fn json(reading: &Reading) -> String {
    let facts: Vec<Facts> = reading.sessions.iter().map(pipeline::todo_lists).collect();
    let document = Document::new(
        reading.format,
        &reading.sessions,
        &facts,
        &reading.unassigned,
        &reading.diagnostics,
        &reading.redactions,
    );
    crate::render::json::line(&document) + "\n"
}

fn plain(reading: &Reading, args: &InspectArgs) -> Result<String, Stop> {
    let answers: Vec<_> = reading.answers.iter().map(|a| (a.format, a.score, a.reason.clone())).collect();
    let mut text = inspect::overview(&Overview {
        input: &reading.input,
        also: &reading.also,
        answers: &answers,
        why: args.why,
        unassigned: &reading.unassigned,
        diagnostics: &reading.diagnostics,
        redactions: &reading.redactions,
    });
    for session in plan::chosen(reading, &args.input)? {
        text += &inspect::session(session, &pipeline::todo_lists(session));
        if args.steps {
            text += &inspect::steps(session);
        }
    }
    text.push('\n');
    Ok(text)
}
