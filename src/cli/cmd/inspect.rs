//! `inspect`: what was recognised.

use crate::{
    cli::{Done, Stop, args::InspectArgs, plan},
    pipeline,
    render::json::inspect::Document,
};

/// Runs the command.
pub fn run(args: &InspectArgs) -> Result<Done, Stop> {
    let mut text = String::new();
    let done = plan::each_reading(&args.input, |reading| {
        let snapshots: Vec<usize> =
            reading.sessions.iter().map(|s| pipeline::analyze(s, &Default::default()).facts.todos.len()).collect();
        let document =
            Document::new(reading.format, &reading.sessions, &snapshots, &reading.unassigned, &reading.diagnostics);
        text += &serde_json::to_string(&document).expect("plain data");
        text.push('\n');
        Ok(())
    })?;
    plan::deliver(args.input.output.as_ref(), &text)?;
    Ok(done)
}
