//! What is meant: arguments turned into inputs, sessions and outputs.

use std::{
    io::{Read, Write},
    path::{Path, PathBuf},
};

use super::{
    Done, Stop,
    args::{FormArgs, InputArgs},
    messages,
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
    ReadOptions { redact: !args.no_redact }
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

/// Reads what was named and calls `each` with every reading: once for a file, for each log of a folder or an archive in
/// the order of the paths. A log that fails is told on standard error and turns the result into [`Done::Faults`]; a
/// folder in which no log is recognised is an error. Files of a folder that are no logs are counted and told in a line.
pub fn each_reading(args: &InputArgs, mut each: impl FnMut(Reading) -> Result<(), Stop>) -> Result<Done, Stop> {
    if !walk::holds_several(&args.input) {
        each(pipeline::read(&input(&args.input)?, read_options(args))?)?;
        return Ok(Done::Well);
    }
    let (mut good, mut faults, mut others) = (0, 0, 0);
    for input in walk::inputs(&args.input)? {
        match input.and_then(|input| pipeline::read(&input, read_options(args))) {
            Ok(reading) => {
                good += 1;
                each(reading)?;
            }
            Err(Error::PartOfSession { .. }) => {}
            Err(Error::Unrecognised { .. }) => others += 1,
            Err(error) => {
                faults += 1;
                messages::error(&error.to_string());
            }
        }
    }
    if good == 0 {
        let input = args.input.display().to_string();
        return Err(Stop::Failed(Error::Unreadable {
            input,
            reason: "holds no session log that turnpoint knows".into(),
        }));
    }
    if others > 0 {
        messages::note(&format!("{others} files below {} are no session logs", args.input.display()));
    }
    Ok(if faults > 0 { Done::Faults } else { Done::Well })
}

/// The sessions of a reading that the arguments choose: those whose id begins as `--session` says, else all.
pub fn chosen<'a>(reading: &'a Reading, args: &InputArgs) -> Result<Vec<&'a Session>, Stop> {
    let all: Vec<&Session> = reading.sessions.iter().flat_map(|s| s.tree()).collect();
    match &args.session {
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

/// Writes the finished text where it was asked for: standard output, or a file, atomically.
pub fn deliver(output: Option<&PathBuf>, text: &str) -> Result<(), Stop> {
    match output {
        None => {
            let mut out = std::io::stdout().lock();
            out.write_all(text.as_bytes())?;
            out.flush()?;
        }
        Some(path) => write_file(path, text)?,
    }
    Ok(())
}

/// Writes a file beside its place and renames it. A link is followed to the file that it names; what is no regular
/// file (a device, a pipe) is written to, never replaced.
pub fn write_file(path: &Path, text: &str) -> Result<(), Stop> {
    let fail = |e: std::io::Error| Stop::Usage(format!("{}: cannot be written: {}", path.display(), e.kind()));
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    if target.metadata().is_ok_and(|meta| !meta.is_file()) {
        let mut file = std::fs::OpenOptions::new().write(true).open(&target).map_err(fail)?;
        return file.write_all(text.as_bytes()).map_err(fail);
    }
    let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = readable_by_others(&mut tempfile::Builder::new()).tempfile_in(folder).map_err(fail)?;
    file.write_all(text.as_bytes()).map_err(fail)?;
    file.persist(&target).map_err(|e| fail(e.error))?;
    Ok(())
}

/// Temporary files are private by default; an article is as readable as any file that its user makes.
#[cfg(unix)]
fn readable_by_others<'a, 'b, 'c>(builder: &'c mut tempfile::Builder<'a, 'b>) -> &'c mut tempfile::Builder<'a, 'b> {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(std::fs::Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn readable_by_others<'a, 'b, 'c>(builder: &'c mut tempfile::Builder<'a, 'b>) -> &'c mut tempfile::Builder<'a, 'b> {
    builder
}
