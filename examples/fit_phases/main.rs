//! Fits the weights of the phase decoder and of the ranking of turning points on labelled sessions, and says what each
//! part of them is worth. The literate cases of `fixtures/phase` are fitted on as well.
//!
//!     cargo run --release --example fit_phases -- LABELS [--units DIR] [--table FILE]
//!         [--out FILE] [--folds DIR] [--ablation FILE]
//!
//! `LABELS` holds `NAME.gold.jsonl` files: a header row that names the log (`file`, relative to the folder), rows `seg`
//! (`from`, `to`, `phase`, `alt`) that tile the session, rows `turn` (`at`, `rank`, `markers`). Numbers are steps as
//! `inspect --steps` counts them; where they were counted otherwise, `--units` names a folder of `NAME.tsv` files with a
//! line `number kind id line` for each unit. `--table` is where the numbers begin and are pulled to, the table set by hand
//! unless told otherwise. `--out` writes the table fitted on all sessions, `--folds` one `NAME.toml` for each session,
//! fitted without it and its relatives (sessions of a folder of the same name), `--ablation` a Markdown table of what each
//! part is worth on sessions that were left out.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a program of its own that reads, writes and prints"
)]

mod ablation;
mod cases;
mod folds;
mod labels;

use std::{error::Error, fs, path::PathBuf};

use folds::Ground;
use labels::Session;

/// The table that a person set.
const BY_HAND: &str = include_str!("../../src/infer/weights_by_hand.toml");

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str| {
        let at = arguments.iter().position(|a| a == name)?;
        arguments.get(at + 1).map(PathBuf::from)
    };
    let folder = arguments.first().filter(|a| !a.starts_with("--")).ok_or("name a folder of labels")?;
    let table = option("--table").map_or(Ok(BY_HAND.to_string()), fs::read_to_string)?;
    let cases = cases::read(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/phase"))?;
    let ground = Ground { table, cases };
    let sessions = labels::read(folder.as_ref(), option("--units").as_deref())?;
    println!("{} sessions, {} steps", sessions.len(), sessions.iter().map(|s| s.labelled.cues.len()).sum::<usize>());
    if let Some(file) = option("--out") {
        let all: Vec<&Session> = sessions.iter().collect();
        let fitted = folds::chosen_and_fitted(&all, &ground)?;
        println!("{:?}, on the sessions themselves:", fitted.settings);
        println!("{}", folds::measured(&all, |session| fitted.decoded(&session.labelled))?);
        fs::write(file, renamed(&folds::with_ranking(&all, &fitted.table)))?;
    }
    if let Some(folder) = option("--folds") {
        fs::create_dir_all(&folder)?;
        for (session, fitted) in folds::left_out(&sessions, &ground)? {
            fs::write(folder.join(format!("{}.toml", session.name)), renamed(&fitted.table))?;
        }
    }
    if let Some(file) = option("--ablation") {
        fs::write(file, ablation::table(&sessions, &ground)?)?;
    }
    Ok(())
}

/// A fitted table does not say that it is the one which it began as.
fn renamed(table: &str) -> String {
    SAID.iter().fold(table.to_string(), |text, (by_hand, fitted)| text.replacen(by_hand, fitted, 1))
}

/// What the table set by hand says of itself, and what a fitted one says.
const SAID: &[(&str, &str)] = &[
    ("name = \"by-hand\"", "name = \"fitted\""),
    (
        "# Set by hand after the annotation guide and by looking at labelled sessions, then rounded; no entry rests on one session.",
        "# Fitted on labelled sessions from the table set by hand (weights_by_hand.toml), whose cells these are (docs/phases.md).",
    ),
];
