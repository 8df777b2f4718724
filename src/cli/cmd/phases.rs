//! `phases`: stretches of steps with one purpose.

use crate::{
    cli::{Done, Stop, args::PhasesArgs, output, plan},
    pipeline::{self, Options},
    render::{
        json::phases::Document,
        plain::phases::{self as plain, Labels, Reasons},
    },
};

/// Runs the command.
pub fn run(args: &PhasesArgs) -> Result<Done, Stop> {
    let options = Options { weights: plan::weights(args.weights.as_ref())? };
    let shown = plain::Shown {
        reasons: if args.why { Reasons::Shown } else { Reasons::Hidden },
        labels: if args.groups { Labels::Groups } else { Labels::Kinds },
    };
    let mut text = String::new();
    let done = plan::each_reading(&args.input, |reading| {
        for session in plan::chosen(&reading, &args.input)? {
            let found = pipeline::analyze(session, &options);
            if args.form.json {
                let cues = args.why.then_some(found.findings.cues.as_slice());
                let document = Document::new(session, &found.facts, &found.findings, cues);
                text += &crate::render::json::line(&document);
                text.push('\n');
            } else {
                text += &plain::phases(session, &found.facts, &found.findings, plan::form(args.form), shown);
            }
        }
        Ok(())
    })?;
    output::deliver(args.input.how.output.as_ref(), &text)?;
    Ok(done)
}
