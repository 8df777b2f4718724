//! `todos`: the task list as it evolved, and what became of each item.

use crate::{
    cli::{Done, Stop, args::TodosArgs, output, plan},
    model::session::Session,
    pipeline,
    render::{json::todos::Document, plain::todos::text},
};

/// Runs the command.
pub fn run(args: &TodosArgs) -> Result<Done, Stop> {
    let mut out = String::new();
    let done = plan::each_reading(&args.input, |reading| {
        for session in plan::chosen(&reading, &args.input)? {
            if !out.is_empty() && !args.form.json {
                out.push('\n');
            }
            out += &one(session, args);
        }
        Ok(())
    })?;
    output::deliver(args.input.how.output.as_ref(), &out)?;
    Ok(done)
}

fn one(session: &Session, args: &TodosArgs) -> String {
    let analysis = pipeline::analyze(session, &Default::default());
    let (snapshots, deltas, ledger) = (&analysis.facts.todos, &analysis.findings.deltas, &analysis.findings.ledger);
    if args.form.json {
        let document = Document::new(session, snapshots, deltas, ledger);
        return crate::render::json::line(&document) + "\n";
    }
    text(session, snapshots, deltas, ledger, plan::form(args.form))
}
