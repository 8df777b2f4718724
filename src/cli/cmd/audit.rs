//! `audit`: what the agent said of its work, held against its own log.

use crate::{
    cli::{
        Done, Stop,
        args::{AuditArgs, FailOn},
        output, plan,
    },
    pipeline,
    render::{json::audit::Document, plain::audit},
};

/// Runs the command.
pub fn run(args: &AuditArgs) -> Result<Done, Stop> {
    let mut text = String::new();
    let mut accused = false;
    let done = plan::each_reading(&args.input, |reading| {
        for session in plan::chosen(&reading, &args.input)? {
            let analysis = pipeline::analyze(session, &Default::default());
            let found = pipeline::audit(session, &analysis);
            accused |= found.accuses();
            if args.form.json {
                text += &crate::render::json::line(&Document::new(session, &found));
                text.push('\n');
            } else {
                text += &audit::text(session, &found, args.all, plan::form(args.form));
            }
        }
        Ok(())
    })?;
    output::deliver(args.input.how.output.as_ref(), &text)?;
    match args.fail_on {
        Some(FailOn::Contradicted) if accused => Ok(Done::Faults),
        _ => Ok(done),
    }
}
