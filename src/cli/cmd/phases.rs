//! `phases`: stretches of steps with one purpose.

use crate::{
    cli::{Done, Stop, args::PhasesArgs, plan},
    pipeline::{self, Options},
    render::{json::phases::Document, plain::phases as plain},
};

/// Runs the command.
pub fn run(args: &PhasesArgs) -> Result<Done, Stop> {
    let mut options = Options::default();
    options.weights = plan::weights(args.weights.as_ref())?;
    let mut text = String::new();
    let done = plan::each_reading(&args.input, |reading| {
        for session in plan::chosen(&reading, &args.input)? {
            let found = pipeline::analyze(session, &options);
            if args.form.json {
                let cues = args.why.then_some(found.findings.cues.as_slice());
                let document = Document::new(session, &found.findings, cues);
                text += &serde_json::to_string(&document).expect("plain data");
                text.push('\n');
            } else {
                text += &plain::phases(session, &found.facts, &found.findings, args.form.markdown, args.why);
            }
        }
        Ok(())
    })?;
    plan::deliver(args.input.output.as_ref(), &text)?;
    Ok(done)
}
