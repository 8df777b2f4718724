//! The program: the only part that prints, reads the environment, or knows the time.
#![allow(clippy::disallowed_methods, reason = "the program is what touches the outside world")]

pub mod args;
pub mod cmd;
pub mod find;
pub mod folder;
pub mod messages;
pub mod output;
pub mod plan;
pub mod progress;
pub mod writing;

use std::{ffi::OsString, process::ExitCode};

use clap::Parser;

use crate::base::error::Error;
use args::{Args, Command};

/// How a command ended, when it did not fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Done {
    /// All well.
    Well,
    /// Finished, but an input failed or a check found faults.
    Faults,
}

/// What stops a command.
#[derive(Debug)]
pub enum Stop {
    /// Wrong use: exit code 2.
    Usage(String),
    /// An input or request that failed: exit code 1.
    Failed(Error),
    /// The reader of our output went away: no error.
    ClosedPipe,
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        match error {
            Error::Setup(text) => Stop::Usage(text),
            other => Stop::Failed(other),
        }
    }
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Stop::ClosedPipe,
            _ => Stop::Failed(Error::Unreadable { input: "output".into(), reason: error.to_string() }),
        }
    }
}

/// Runs the program with the given arguments (the first is its own name).
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args = match Args::try_parse_from(arguments) {
        Ok(args) => args,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    match dispatch(args.command) {
        Ok(Done::Well) | Err(Stop::ClosedPipe) => ExitCode::SUCCESS,
        Ok(Done::Faults) => ExitCode::from(1),
        Err(Stop::Failed(error)) => {
            messages::error(&error.to_string());
            ExitCode::from(1)
        }
        Err(Stop::Usage(text)) => {
            messages::error(&text);
            ExitCode::from(2)
        }
    }
}

fn dispatch(command: Command) -> Result<Done, Stop> {
    match command {
        Command::Retro(args) => cmd::retro::run(&args),
        Command::Article(args) => cmd::article::run(&args),
        Command::Audit(args) => cmd::audit::run(&args),
        Command::Phases(args) => cmd::phases::run(&args),
        Command::TurningPoints(args) => cmd::turning_points::run(&args),
        Command::Todos(args) => cmd::todos::run(&args),
        Command::Benchmarks(args) => cmd::benchmarks::run(&args),
        Command::Compare(args) => cmd::compare::run(&args),
        Command::Show(args) => cmd::show::run(&args),
        Command::Inspect(args) => cmd::inspect::run(&args),
        Command::Check(args) => cmd::check::run(&args),
        Command::Sessions(args) => cmd::sessions::run(&args),
        Command::Formats(args) => cmd::formats::run(&args),
    }
}
