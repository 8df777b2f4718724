//! Sessions found without a path: the latest of the project, or the one whose id begins as was typed, in the places where
//! agents keep their logs.

use std::{
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use super::{Stop, messages};
use crate::{
    base::{error::Error, time::Timestamp},
    model::{message::MessageKind, session::Session},
    pipeline::{self, ReadOptions, Reading},
    source::{
        open::Input,
        stores::{self, Base, STORES, Surroundings, VARIABLES},
        walk,
    },
};

/// A session that was changed this recently and waits for an answer is still being written.
const FRESH: Duration = Duration::from_secs(10 * 60);
/// Fewer letters of an id than this could be anybody's.
const FEWEST: usize = 4;

/// A log and its reading, of which one session was meant: that one alone is left in it.
pub type Found = (Input, Reading);

/// What the environment says of where logs lie.
pub fn surroundings() -> Surroundings {
    let named = STORES.iter().filter_map(|store| match store.base {
        Base::Env(name) => Some(name),
        _ => None,
    });
    let mut names: Vec<&'static str> = named.chain(VARIABLES.iter().copied()).collect();
    names.sort_unstable();
    names.dedup();
    let set = |name: &&str| std::env::var_os(name).filter(|value| !value.is_empty());
    Surroundings {
        home: std::env::home_dir().filter(|home| home.is_absolute()),
        working: std::env::current_dir().ok(),
        variables: names.into_iter().filter_map(|name| Some((name, PathBuf::from(set(&name)?)))).collect(),
    }
}

/// The latest finished main session of the working directory's project, else of all.
pub fn latest(options: ReadOptions) -> Result<Found, Stop> {
    let around = surroundings();
    let mut files: Vec<(SystemTime, PathBuf)> =
        stores::files(&around).into_iter().map(|(path, _)| (modified(&path), path)).collect();
    files.sort_by(|a, b| b.cmp(a));
    if files.is_empty() {
        return Err(Stop::Usage("no INPUT, and no agent's logs were found on this machine; name a file".into()));
    }
    let project = around.working.filter(|dir| around.home.as_ref() != Some(dir) && dir.parent().is_some());
    let mut passed_over: Vec<String> = Vec::new();
    let of_project = project.and_then(|dir| {
        let name = dir.to_string_lossy().into_owned();
        let may_name = files.iter().filter(|(_, path)| mentions(path, &name));
        newest(may_name.cloned(), options, |session| belongs(session, &dir), &mut passed_over)
    });
    let found = match of_project {
        Some(found) => Some(found),
        None => newest(files.into_iter(), options, |_| true, &mut passed_over),
    };
    passed_over.dedup();
    for session in passed_over {
        messages::note(&format!("{session} is still being written and was passed over; name it to read it"));
    }
    let found = found.ok_or_else(|| {
        Stop::Usage("no INPUT, and no finished session was found on this machine; name a file".into())
    })?;
    messages::note(&format!("reading {}", told(&found)));
    Ok(found)
}

/// The newest file that holds a finished main session of the wanted kind, and the latest such session in it.
fn newest(
    files: impl Iterator<Item = (SystemTime, PathBuf)>,
    options: ReadOptions,
    wanted: impl Fn(&Session) -> bool,
    passed_over: &mut Vec<String>,
) -> Option<Found> {
    let (times, paths): (Vec<SystemTime>, Vec<PathBuf>) = files.unzip();
    let inputs = walk::of_files(paths.iter().map(PathBuf::as_path));
    times
        .into_iter()
        .zip(inputs)
        .filter_map(|(time, input)| {
            let input = input.ok()?;
            let mut reading = pipeline::read(&input, options).ok()?;
            let mut sessions = std::mem::take(&mut reading.sessions);
            sessions.retain(|s| s.info.parent.is_none() && wanted(s));
            sessions.sort_by_key(|s| std::cmp::Reverse(s.ended()));
            let fresh = time.elapsed().is_ok_and(|age| age < FRESH);
            let found = sessions.into_iter().find(|session| {
                let unfinished = fresh && waits(session);
                if unfinished {
                    passed_over.push(described(&input, session));
                }
                !unfinished
            })?;
            reading.sessions.push(found);
            Some((input, reading))
        })
        .next()
}

/// The session whose id begins with `prefix`.
pub fn by_id(prefix: &str, options: ReadOptions) -> Result<Found, Stop> {
    if prefix.len() < FEWEST {
        return Err(Stop::Usage(format!(
            "{prefix}: no such file; as a session id it is too short ({FEWEST} letters at least)"
        )));
    }
    let files: Vec<PathBuf> = stores::files(&surroundings()).into_iter().map(|(path, _)| path).collect();
    let inputs = walk::of_files(files.iter().map(PathBuf::as_path)).into_iter().flatten().collect();
    among(inputs, prefix, options)?.ok_or_else(|| {
        let told = "no such file, and no session on this machine has an id that begins so";
        Stop::Failed(Error::NotFound(format!("{prefix}: {told}")))
    })
}

/// The session below a folder, or in an archive, whose id begins with `prefix`.
pub fn below(path: &Path, prefix: &str, options: ReadOptions) -> Result<Found, Stop> {
    let inputs = walk::inputs(path)?.into_iter().flatten().collect();
    among(inputs, prefix, options)?.ok_or_else(|| {
        let told = format!("{}: no session in it has an id that begins with {prefix:?}", path.display());
        Stop::Failed(Error::NotFound(told))
    })
}

/// The one session among the inputs whose id begins so, if there is one.
fn among(inputs: Vec<Input>, prefix: &str, options: ReadOptions) -> Result<Option<Found>, Stop> {
    // Most agents name file or folder by the id; only where none is named so are all logs read.
    let (named, others): (Vec<Input>, Vec<Input>) = inputs.into_iter().partition(|input| input.name.contains(prefix));
    for inputs in [named, others] {
        let mut hits: Vec<Found> = inputs.into_iter().flat_map(|input| matching(input, prefix, options)).collect();
        hits.sort_by(|a, b| meant(a).info.id.cmp(&meant(b).info.id));
        hits.dedup_by(|a, b| meant(a).info.id == meant(b).info.id);
        if hits.len() > 1 {
            let list: Vec<String> = hits.iter().map(told).collect();
            return Err(Stop::Usage(format!("{prefix}: several sessions begin so: {}", list.join("; "))));
        }
        if let Some(found) = hits.pop() {
            messages::note(&format!("reading {}", told(&found)));
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Sessions of a log, sub-agents included, whose id begins so.
fn matching(input: Input, prefix: &str, options: ReadOptions) -> Vec<Found> {
    let Ok(mut reading) = pipeline::read(&input, options) else { return Vec::new() };
    let sessions = std::mem::take(&mut reading.sessions);
    let tree = sessions.iter().flat_map(|s| s.tree());
    let hits = tree.filter(|s| s.info.id.starts_with(prefix) || s.info.also.iter().any(|id| id.starts_with(prefix)));
    hits.map(|hit| (input.clone(), Reading { sessions: vec![hit.clone()], ..reading.clone() })).collect()
}

/// The session that was meant.
fn meant(found: &Found) -> &Session {
    found.1.sessions.first().expect("what is found holds the session that was meant")
}

fn modified(path: &Path) -> SystemTime {
    std::fs::metadata(path).and_then(|meta| meta.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// Whether beginning or end of a log name a folder; a database may hold it anywhere.
fn mentions(path: &Path, folder: &str) -> bool {
    // As it stands in JSON, where the backslashes of a Windows path are doubled.
    let escaped = folder.replace('\\', "\\\\");
    let Ok(sample) = Input::file(path).and_then(|input| input.sample()) else { return false };
    let holds = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        text.contains(folder) || text.contains(&escaped)
    };
    !sample.tables.is_empty() || holds(&sample.head) || holds(&sample.tail)
}

/// Whether a session worked in a folder, below it, or above it.
fn belongs(session: &Session, folder: &Path) -> bool {
    let Some(cwd) = session.info.cwd.as_deref().map(Path::new).filter(|cwd| cwd.parent().is_some()) else {
        return false;
    };
    folder.starts_with(cwd) || cwd.starts_with(folder)
}

/// Whether it ends with a call or a question that nobody has answered.
fn waits(session: &Session) -> bool {
    session.messages.last().is_some_and(|last| match last.kind {
        MessageKind::User => true,
        MessageKind::Text => false,
        MessageKind::Tool => last.call.as_ref().is_some_and(|call| call.result_at.is_none()),
    })
}

fn told(found: &Found) -> String {
    described(&found.0, meant(found))
}

/// `~/…/x.jsonl (session 0b1c “title”, ended 2026-02-01T10:00:00Z)`
fn described(input: &Input, session: &Session) -> String {
    let title = session.info.title.as_ref().map(|t| format!(" “{t}”")).unwrap_or_default();
    let ended = session.ended().map(Timestamp::iso).map(|t| format!(", ended {t}")).unwrap_or_default();
    format!("{} (session {}{title}{ended})", input.name, session.info.id)
}
