//! `audit`: what the agent said of its work, held against its own log.

use crate::{
    cli::{
        Done, Stop,
        args::{AuditArgs, FailOn},
        output, plan,
    },
    model::audit::Ruling,
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
            let claims = pipeline::audit(session, &analysis.facts);
            accused |= claims.iter().any(|claim| claim.ruling == Ruling::Contradicted);
            if args.form.json {
                text += &crate::render::json::line(&Document::new(session, &claims));
                text.push('\n');
            } else {
                text += &audit::text(session, &claims, args.all, plan::form(args.form));
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
