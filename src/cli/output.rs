//! Where results go: standard output, or a file that is written whole or not at all, and never over what is read.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use super::Stop;
use crate::source::{format::FORMATS, open::Input, sniff, walk};

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

/// Refuses an output that would replace what is read: the input itself under whatever name, or a log in the folder that
/// was named. Asked before anything is read.
pub fn spare(input: &Path, output: Option<&PathBuf>) -> Result<(), Stop> {
    let Some(output) = output.filter(|path| path.is_file()) else { return Ok(()) };
    match same(input, output) || is_log_below(input, output) {
        true => Err(Stop::Usage(format!("{}: is what is read; name another file to write to", output.display()))),
        false => Ok(()),
    }
}

/// Whether two paths lead to one file, over links of any kind.
#[cfg(unix)]
fn same(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let of = |path: &Path| path.metadata().ok().map(|meta| (meta.dev(), meta.ino()));
    of(a).is_some_and(|file| of(b) == Some(file))
}

/// Whether two paths lead to one file.
#[cfg(not(unix))]
fn same(a: &Path, b: &Path) -> bool {
    a.canonicalize().is_ok_and(|file| b.canonicalize().is_ok_and(|other| other == file))
}

/// Whether a file below a folder is a log, a part of one, or an archive.
fn is_log_below(folder: &Path, file: &Path) -> bool {
    let below = || file.canonicalize().is_ok_and(|file| folder.canonicalize().is_ok_and(|dir| file.starts_with(dir)));
    let read = || Input::file(file).and_then(|input| input.sample()).is_ok_and(|sample| sniff::knows(&sample, FORMATS));
    folder.is_dir() && below() && (read() || walk::holds_several(file))
}

/// Writes files into a folder, which is made where it is not there, in this order, each whole or not at all. Names are
/// ours; what lies there under one of them and is no regular file of the folder is left alone.
pub fn write_folder(folder: &Path, files: &[(String, String)]) -> Result<(), Stop> {
    let fail = |e: std::io::Error| Stop::Usage(format!("{}: cannot be written: {}", folder.display(), e.kind()));
    std::fs::create_dir_all(folder).map_err(fail)?;
    for (name, text) in files {
        let path = folder.join(name);
        let below = path.parent().filter(|parent| *parent != folder);
        if let Some(below) = below {
            std::fs::create_dir_all(below).map_err(fail)?;
        }
        let other = path.symlink_metadata().is_ok_and(|meta| !meta.is_file());
        let link = below.is_some_and(Path::is_symlink);
        if other || link {
            return Err(Stop::Usage(format!("{}: is no regular file; it was left alone", path.display())));
        }
        write_file(&path, text)?;
    }
    Ok(())
}

/// Writes a file beside its place and renames it. A link is followed to the file that it names, and refused where there
/// is none; what is no regular file (a device, a pipe) is written to, never replaced.
pub fn write_file(path: &Path, text: &str) -> Result<(), Stop> {
    let fail = |e: std::io::Error| Stop::Usage(format!("{}: cannot be written: {}", path.display(), e.kind()));
    let target = match path.canonicalize() {
        Ok(target) => target,
        Err(_) if path.is_symlink() => {
            return Err(Stop::Usage(format!("{}: is a link to a file that is not there", path.display())));
        }
        Err(_) => path.to_path_buf(),
    };
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
