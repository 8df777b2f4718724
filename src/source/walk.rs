//! From a path to inputs: a file is itself, an archive is its members, a folder is every file below it, in the order of
//! their names. Links are not followed, ignore files are not applied.
#![allow(clippy::disallowed_methods, reason = "lists folders; files are opened by Input")]

use std::path::{Path, PathBuf};

use super::{
    format::FORMATS,
    open::{Input, unreadable},
    sniff,
};
use crate::base::error::Error;

/// Every input at a path. What cannot be opened is an error in its place; empty files of a folder are passed over.
///
/// # Errors
/// When the path itself does not exist or cannot be listed.
pub fn inputs(path: &Path) -> Result<Vec<Result<Input, Error>>, Error> {
    let name = path.display().to_string();
    let meta = std::fs::metadata(path).map_err(|e| unreadable(&name, &e))?;
    if !meta.is_dir() {
        return Ok(opened(Input::file(path)?));
    }
    let files = files_below(path);
    let filled = files.iter().filter(|file| std::fs::metadata(file).is_ok_and(|meta| meta.len() > 0));
    Ok(filled
        .flat_map(|file| match Input::file(file) {
            Ok(input) => opened(input),
            Err(error) => vec![Err(error)],
        })
        .collect())
}

/// Whether a path stands for several inputs: a folder, or an archive that is not itself a log.
pub fn holds_several(path: &Path) -> bool {
    path.is_dir() || Input::file(path).is_ok_and(|input| !is_log(&input) && matches!(input.archive(), Ok(Some(_))))
}

/// The input itself, or its members when it is an archive. A format may itself be an archive (Inspect): that is read
/// as it is.
fn opened(input: Input) -> Vec<Result<Input, Error>> {
    match input.archive() {
        Ok(Some(_)) if is_log(&input) => vec![Ok(input)],
        Ok(Some(_)) => match input.members() {
            Ok(members) => members.into_iter().flatten().flat_map(opened).collect(),
            Err(error) => vec![Err(error)],
        },
        Ok(None) => vec![Ok(input)],
        Err(error) => vec![Err(error)],
    }
}

/// Whether an archive is itself a log: only a `.zip` can be. In a `.tar` the logs lie there in plain text, and must not
/// be taken for one.
fn is_log(input: &Input) -> bool {
    input.sample().is_ok_and(|sample| !sample.members.is_empty() && sniff::pick(&sample, FORMATS).is_ok())
}

/// Every regular file below a folder, sorted by path.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = ignore::WalkBuilder::new(folder)
        .standard_filters(false)
        .follow_links(false)
        .build()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(ignore::DirEntry::into_path)
        .collect();
    files.sort();
    files
}
