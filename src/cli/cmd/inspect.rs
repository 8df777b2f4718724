//! `inspect`: what was recognised.

use crate::{
    cli::{Done, Stop, args::InspectArgs, plan},
    pipeline::{self, Reading},
    render::{
        json::inspect::Document,
        plain::inspect::{self, Overview},
    },
};

/// Runs the command.
pub fn run(args: &InspectArgs) -> Result<Done, Stop> {
    let mut text = String::new();
    let done = plan::each_reading(&args.input, |reading| {
        text += &if args.json { json(&reading) } else { plain(&reading, args)? };
        Ok(())
    })?;
    plan::deliver(args.input.how.output.as_ref(), &text)?;
    Ok(done)
}

fn snapshots(reading: &Reading) -> Vec<usize> {
    reading.sessions.iter().map(pipeline::todo_lists).collect()
}

fn json(reading: &Reading) -> String {
    let document = Document::new(
        reading.format,
        &reading.sessions,
        &snapshots(reading),
        &reading.unassigned,
        &reading.diagnostics,
        &reading.redactions,
    );
    crate::render::json::line(&document) + "\n"
}

fn plain(reading: &Reading, args: &InspectArgs) -> Result<String, Stop> {
    let mut text = inspect::overview(&Overview {
        input: &reading.input,
        also: &reading.also,
        format: reading.format,
        candidates: &reading.candidates,
        unassigned: &reading.unassigned,
        diagnostics: &reading.diagnostics,
        redactions: &reading.redactions,
    });
    for session in plan::chosen(reading, &args.input)? {
        text += &inspect::session(session, pipeline::todo_lists(session));
        if args.steps {
            text += &inspect::steps(session);
        }
    }
    text.push('\n');
    Ok(text)
}
