//! From a path to inputs: a file is itself, an archive is its members, a folder is every file below it, in the order of
//! their names. Links are not followed, ignore files are not applied.
#![allow(clippy::disallowed_methods, reason = "lists folders; files are opened by Input")]

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    archive::{Archive, Left},
    format::FORMATS,
    open::{Input, unreadable},
    shelf::Shelf,
    sniff,
};
use crate::base::error::Error;

/// Every input at a path. What cannot be opened is an error in its place; empty files of a folder are passed over.
///
/// # Errors
/// When the path itself does not exist or cannot be listed.
pub fn inputs(path: &Path) -> Result<Vec<Result<Input, Error>>, Error> {
    let name = path.display().to_string();
    let fail = |e: std::io::Error| unreadable(&name, &e);
    if !std::fs::metadata(path).map_err(fail)?.is_dir() {
        return Ok(opened(Input::file(path)?));
    }
    // A folder below it that cannot be listed costs itself; this one is all that there is.
    std::fs::read_dir(path).map_err(fail)?;
    let (files, errors) = files_below(path);
    let filled = files.iter().filter(|file| std::fs::metadata(file).is_ok_and(|meta| meta.len() > 0));
    let inputs = of_files(filled.map(PathBuf::as_path)).into_iter().flat_map(|input| match input {
        Ok(input) => opened(input),
        Err(error) => vec![Err(error)],
    });
    Ok(inputs.chain(errors.into_iter().map(Err)).collect())
}

/// Files as inputs that share what is found out about their folders.
pub fn of_files<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Vec<Result<Input, Error>> {
    let shelf = Arc::<Shelf>::default();
    paths.into_iter().map(|path| Ok(Input::file(path)?.on(&shelf))).collect()
}

/// Whether a path stands for several inputs: a folder, or an archive that is not itself a log.
pub fn holds_several(path: &Path) -> bool {
    path.is_dir() || Input::file(path).is_ok_and(|input| !is_log(&input) && matches!(input.archive(), Ok(Some(_))))
}

/// The input itself, or its members when it is an archive, and what of it is not read. A format may itself be an archive
/// (Inspect): that is read as it is.
fn opened(input: Input) -> Vec<Result<Input, Error>> {
    match input.archive() {
        Ok(Some(_)) if is_log(&input) => vec![Ok(input)],
        Ok(Some(archive)) => {
            let members = input.members(&archive).into_iter().flat_map(opened);
            members.chain(not_read(&input, &archive).into_iter().map(Err)).collect()
        }
        Ok(None) => vec![Ok(input)],
        Err(error) => vec![Err(error)],
    }
}

/// What of an archive is not read: what is lost, and what is only left alone.
fn not_read(input: &Input, archive: &Archive) -> Vec<Error> {
    let name = || input.name.clone();
    let lost = archive.left(Left::is_loss);
    let alone = archive.left(|why| !why.is_loss());
    let lost = lost.map(|what| Error::Unreadable { input: name(), reason: format!("not read: {what}") });
    let alone = alone.map(|what| Error::PassedOver { input: name(), what });
    lost.into_iter().chain(alone).collect()
}

/// Whether an archive is itself a log: only a `.zip` can be. In a `.tar` the logs lie there in plain text, and must not
/// be taken for one.
fn is_log(input: &Input) -> bool {
    input.sample().is_ok_and(|sample| !sample.members.is_empty() && sniff::pick(&sample, FORMATS).is_ok())
}

/// Every regular file below a folder, sorted by path, and the folders that could not be listed.
fn files_below(folder: &Path) -> (Vec<PathBuf>, Vec<Error>) {
    let (mut files, mut errors) = (Vec::new(), Vec::new());
    for entry in ignore::WalkBuilder::new(folder).standard_filters(false).follow_links(false).build() {
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => files.push(entry.into_path()),
            Ok(_) => {}
            Err(error) => errors.push(not_listed(&error, folder)),
        }
    }
    files.sort();
    (files, errors)
}

/// An error of the walk, with the folder that it is about.
fn not_listed(error: &ignore::Error, folder: &Path) -> Error {
    match error {
        ignore::Error::WithDepth { err, .. } => not_listed(err, folder),
        ignore::Error::WithPath { path, err } => not_listed(err, path),
        ignore::Error::Io(cause) => unreadable(&folder.display().to_string(), cause),
        other => Error::Unreadable { input: folder.display().to_string(), reason: other.to_string() },
    }
}
