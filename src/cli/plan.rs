//! What is meant: arguments turned into inputs and sessions.

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use super::{
    Done, Stop,
    args::{FormArgs, InputArgs},
    find, messages, output, progress,
};
use crate::{
    base::error::Error,
    model::session::Session,
    pipeline::{self, ReadOptions, Reading},
    render::plain::Form,
    source::{
        open::{Input, unreadable},
        walk,
    },
};

/// Most bytes that are taken from standard input, which is held in memory.
const MOST_STDIN: u64 = 1 << 30;

/// The input that was named: a file, or standard input for `-`.
pub fn input(path: &Path) -> Result<Input, Stop> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin()
            .lock()
            .take(MOST_STDIN + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| Stop::Failed(unreadable("-", &e)))?;
        if bytes.len() as u64 > MOST_STDIN {
            return Err(Stop::Usage(
                "-: more than 1 GiB on standard input; name a file instead, it is read as a stream".into(),
            ));
        }
        return Ok(Input::from_bytes("-", bytes));
    }
    Ok(Input::file(path)?)
}

/// How the arguments want a log to be read.
pub fn read_options(args: &InputArgs) -> ReadOptions {
    ReadOptions { redact: !args.how.no_redact }
}

/// How the arguments want findings to be printed for a person.
pub fn form(args: FormArgs) -> Form {
    if args.markdown { Form::Markdown } else { Form::Terminal }
}

/// Text of a weights file, when one was named; a file that is no table of weights is wrong use.
pub fn weights(path: Option<&PathBuf>) -> Result<Option<String>, Stop> {
    let Some(path) = path else { return Ok(None) };
    let wrong = |reason: String| Stop::Usage(format!("{}: {reason}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
    pipeline::check_weights(&text).map_err(wrong)?;
    Ok(Some(text))
}

/// What INPUT means.
enum Target {
    /// A file, or standard input.
    One(Input),
    /// A folder, or an archive of logs.
    Several(PathBuf),
    /// One session of a log that was found by its id, or as the latest; to find it, it was read.
    Session(Box<find::Found>),
}

impl Target {
    /// Where it lies; `None` of standard input.
    fn path(&self) -> Option<&Path> {
        match self {
            Target::One(input) => input.path(),
            Target::Session(found) => found.0.path(),
            Target::Several(path) => Some(path),
        }
    }
}

/// What was named; not where the output would replace it.
fn target(args: &InputArgs) -> Result<Target, Stop> {
    let target = meant(args)?;
    if let Some(path) = target.path() {
        output::spare(path, args.how.output.as_ref())?;
    }
    Ok(target)
}

fn meant(args: &InputArgs) -> Result<Target, Stop> {
    let found = |found| Target::Session(Box::new(found));
    match &args.input {
        None => find::latest(read_options(args)).map(found),
        Some(path) if path == Path::new("-") => input(path).map(Target::One),
        Some(path) if !path.exists() && is_word(path) => {
            find::by_id(&path.to_string_lossy(), read_options(args)).map(found)
        }
        Some(path) if walk::holds_several(path) => match &args.how.session {
            Some(id) => find::below(path, id, read_options(args)).map(found),
            None => Ok(Target::Several(path.clone())),
        },
        Some(path) => input(path).map(Target::One),
    }
}

/// Whether what was typed may be a session id: one word without separators and endings.
fn is_word(path: &Path) -> bool {
    path.to_str().is_some_and(|text| {
        !text.starts_with('-') && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
    })
}

/// The one log that was named or found, with its session where one was meant.
pub fn one_reading(args: &InputArgs) -> Result<(Input, Reading), Stop> {
    match target(args)? {
        Target::One(input) => {
            let reading = pipeline::read(&input, read_options(args))?;
            Ok((input, reading))
        }
        Target::Session(found) => Ok(*found),
        Target::Several(path) => Err(too_many(&path)),
    }
}

fn too_many(path: &Path) -> Stop {
    let told = "may hold several logs; this is about one session: name its log, or choose with --session ID";
    Stop::Usage(format!("{}: {told} (`turnpoint sessions {0}` lists them)", path.display()))
}

/// What one input is, where a text is as good as a log.
pub enum LogOrText {
    /// A session log, with the name of its input.
    Log(String, Box<Reading>),
    /// Any other text.
    Text(Vec<u8>),
}

/// The one input that was named: a log or a session of one, else its text.
pub fn log_or_text(args: &InputArgs) -> Result<LogOrText, Stop> {
    match target(args)? {
        Target::One(input) => match pipeline::read(&input, read_options(args)) {
            Ok(reading) => Ok(LogOrText::Log(input.name, Box::new(reading))),
            Err(Error::Unrecognised { .. }) => {
                messages::note(&format!("{}: no session log; read as text", input.name));
                Ok(LogOrText::Text(input.bytes()?))
            }
            Err(error) => Err(error.into()),
        },
        Target::Session(found) => {
            let (input, reading) = *found;
            Ok(LogOrText::Log(input.name, Box::new(reading)))
        }
        Target::Several(path) => Err(too_many(&path)),
    }
}

/// Reads what was named and calls `each` with every reading: once for a file, for each story of a folder or an archive
/// in the order of the paths; without INPUT for the latest session. A log that fails is told on standard error and turns
/// the result into [`Done::Faults`]; a folder in which no log is recognised is an error. Files of a folder that are no
/// logs are counted and told in a line.
pub fn each_reading(args: &InputArgs, mut each: impl FnMut(Reading) -> Result<(), Stop>) -> Result<Done, Stop> {
    match target(args)? {
        Target::One(input) => each(pipeline::read(&input, read_options(args))?).map(|()| Done::Well),
        Target::Session(found) => each(found.1).map(|()| Done::Well),
        Target::Several(path) => {
            let inputs = walk::inputs(&path)?;
            let told = several(inputs, read_options(args), each)?;
            if told.good == 0 {
                return Err(no_log(&path));
            }
            if told.others > 0 {
                messages::note(&format!("{} files below {} are no session logs", told.others, path.display()));
            }
            Ok(if told.faults > 0 { Done::Faults } else { Done::Well })
        }
    }
}

/// Nothing in a folder or an archive was recognised.
pub fn no_log(path: &Path) -> Stop {
    let reason = "holds no session log that turnpoint knows".into();
    Stop::Failed(Error::Unreadable { input: path.display().to_string(), reason })
}

/// What came of many inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Told {
    /// Stories that were read.
    pub good: usize,
    /// Logs that failed, each told on standard error.
    pub faults: usize,
    /// Files that are no logs.
    pub others: usize,
}

/// Reads many inputs and calls `each` with every story.
pub fn several(
    inputs: Vec<Result<Input, Error>>,
    options: ReadOptions,
    mut each: impl FnMut(Reading) -> Result<(), Stop>,
) -> Result<Told, Stop> {
    let mut told = Told::default();
    let bar = progress::bar(inputs.len());
    pipeline::read_stories(
        inputs,
        options,
        || bar.inc(1),
        |reading| {
            bar.finish_and_clear();
            match reading {
                Ok(reading) => {
                    told.good += 1;
                    return each(reading);
                }
                Err(Error::PartOfSession { .. }) => {}
                Err(Error::Unrecognised { .. }) => told.others += 1,
                Err(error @ Error::PassedOver { .. }) => messages::note(&error.to_string()),
                Err(error) => {
                    told.faults += 1;
                    messages::error(&error.to_string());
                }
            }
            Ok(())
        },
    )?;
    Ok(told)
}

/// The sessions of a reading that the arguments choose: those whose id begins as `--session` says, else all.
pub fn chosen<'a>(reading: &'a Reading, args: &InputArgs) -> Result<Vec<&'a Session>, Stop> {
    let all: Vec<&Session> = reading.sessions.iter().flat_map(|s| s.tree()).collect();
    match &args.how.session {
        None => Ok(reading.sessions.iter().collect()),
        Some(id) => {
            let hits: Vec<&Session> = all.into_iter().filter(|s| s.info.id.starts_with(id.as_str())).collect();
            if hits.is_empty() {
                return Err(Stop::Failed(Error::NotFound(format!("no session whose id begins with {id:?}"))));
            }
            Ok(hits)
        }
    }
}
