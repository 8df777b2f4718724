//! `turning-points`: where the aim of the session changes, ranked.

use crate::{
    cli::{Done, Stop, args::TurningPointsArgs, output, plan},
    pipeline::{self, Options},
    render::{json::phases::Document, plain::phases as plain},
};

/// Runs the command.
pub fn run(args: &TurningPointsArgs) -> Result<Done, Stop> {
    let options = Options { weights: plan::weights(args.weights.as_ref())? };
    let mut text = String::new();
    let done = plan::each_reading(&args.input, |reading| {
        for session in plan::chosen(&reading, &args.input)? {
            let found = pipeline::analyze(session, &options);
            if args.form.json {
                let document = Document::new(session, &found.facts, &found.findings, None);
                text += &crate::render::json::line(&document);
                text.push('\n');
            } else {
                text += &plain::turning_points(session, &found.findings, plan::form(args.form));
            }
        }
        Ok(())
    })?;
    output::deliver(args.input.how.output.as_ref(), &text)?;
    Ok(done)
}
