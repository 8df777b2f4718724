//! `formats`: what can be read.

use crate::{
    cli::{Done, Stop, args::FormatsArgs},
    source::format::FORMATS,
};

/// Runs the command.
pub fn run(args: &FormatsArgs) -> Result<Done, Stop> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    if args.json {
        let list: Vec<_> = FORMATS.iter().map(|f| serde_json::json!({"name": f.name(), "about": f.about()})).collect();
        writeln!(out, "{}", serde_json::json!({"schema": "turnpoint.formats/1", "formats": list}))?;
    } else {
        for format in FORMATS {
            writeln!(out, "{:<20} {}", format.name(), format.about())?;
        }
    }
    Ok(Done::Well)
}
