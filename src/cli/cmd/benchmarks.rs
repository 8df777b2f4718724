//! `benchmarks`: what was measured, in a session or in any text.

use std::path::Path;

use crate::{
    base::error::Error,
    cli::{Done, Stop, args::BenchmarksArgs, messages, output, plan},
    pipeline::{self, Readers, Reading},
    render::{
        json::{benchmarks::Document, series::OverRuns},
        plain,
    },
    source::{open::Input, walk},
};

/// Runs the command.
pub fn run(args: &BenchmarksArgs) -> Result<Done, Stop> {
    let mut out = String::new();
    let file = args.input.input.as_deref().filter(|path| *path == Path::new("-") || path.is_file());
    let Some(path) = file.filter(|path| !walk::holds_several(path)) else {
        let done = plan::each_reading(&args.input, |reading| push_reading(args, &reading, &mut out))?;
        output::deliver(args.input.how.output.as_ref(), &out)?;
        return Ok(done);
    };
    output::spare(path, args.input.how.output.as_ref())?;
    let input = plan::input(path)?;
    if args.text {
        push_text(args, &input, &mut out)?;
    } else {
        match pipeline::read(&input, plan::read_options(&args.input)) {
            Ok(reading) => push_reading(args, &reading, &mut out)?,
            Err(Error::Unrecognised { .. }) => {
                messages::note(&format!("{}: no session log; read as text", input.name));
                push_text(args, &input, &mut out)?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    output::deliver(args.input.how.output.as_ref(), &out)?;
    Ok(Done::Well)
}

fn push_text(args: &BenchmarksArgs, input: &Input, out: &mut String) -> Result<(), Stop> {
    let bytes = input.bytes()?;
    let readers = if args.no_adapters { Readers::Recogniser } else { Readers::All };
    let found = pipeline::measurements(&String::from_utf8_lossy(&bytes), plan::read_options(&args.input), readers);
    if args.form.json {
        push_json(&Document::of_text(&found), out);
    } else {
        *out += &plain::benchmarks::of_text(&found, plan::form(args.form));
    }
    Ok(())
}

fn push_reading(args: &BenchmarksArgs, reading: &Reading, out: &mut String) -> Result<(), Stop> {
    for session in plan::chosen(reading, &args.input)? {
        let analysis = pipeline::analyze(session, &Default::default());
        let (facts, findings, form) = (&analysis.facts, &analysis.findings, plan::form(args.form));
        if args.form.json {
            let over_runs = args.series.then(|| OverRuns::new(session, facts, findings));
            push_json(&Document::of_session(session, facts, findings, over_runs), out);
        } else if args.series {
            *out += &plain::series::of_session(session, facts, findings, form);
        } else {
            *out += &plain::benchmarks::of_session(session, facts, findings, form);
        }
    }
    Ok(())
}

fn push_json(document: &Document, out: &mut String) {
    *out += &crate::render::json::line(document);
    out.push('\n');
}
