//! Cases of formats: files and folders under `fixtures/format/<name>/{ok,err}`. A folder is one store with several
//! files. A `.sql` file is loaded into a database, so that it can be reviewed as text; a folder `<name>.zip` is packed.

use std::path::{Path, PathBuf};

use turnpoint::{
    base::error::Error,
    pipeline::{self, Reading},
    source::{open::Input, walk},
};

use crate::root;

/// A case and, where it had to be made, the folder that holds it.
pub struct Case {
    /// What to read.
    pub path: PathBuf,
    _made: Option<tempfile::TempDir>,
}

/// Every case: format, `ok` or `err`, path.
pub fn all() -> Vec<(String, String, PathBuf)> {
    let root = root().join("fixtures/format");
    let mut found = Vec::new();
    for format in entries(&root) {
        for verdict in ["ok", "err"] {
            for path in entries(&format.join(verdict)) {
                found.push((name(&format), verdict.to_string(), path));
            }
        }
    }
    found
}

/// What a folder holds, sorted; nothing when there is no such folder.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(read) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = read.map(|entry| entry.expect("a readable folder").path()).collect();
    paths.sort();
    paths
}

/// Last part of a path.
pub fn name(path: &Path) -> String {
    path.file_name().expect("a name").to_string_lossy().into_owned()
}

/// The case as a user would have it.
pub fn made(path: &Path) -> Case {
    let ending = path.extension().unwrap_or_default();
    if ending == "sql" {
        let folder = tempfile::tempdir().unwrap();
        let made = folder.path().join(path.with_extension("db").file_name().unwrap());
        let text = std::fs::read_to_string(path).unwrap();
        rusqlite::Connection::open(&made).unwrap().execute_batch(&text).unwrap();
        return Case { path: made, _made: Some(folder) };
    }
    if ending == "zip" && path.is_dir() {
        let folder = tempfile::tempdir().unwrap();
        let made = folder.path().join(path.file_name().unwrap());
        let mut zip = zip::ZipWriter::new(std::fs::File::create(&made).unwrap());
        let inside = walkdir(path);
        for file in inside {
            let name = file.strip_prefix(path).unwrap().to_string_lossy().replace('\\', "/");
            zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            std::io::copy(&mut std::fs::File::open(file).unwrap(), &mut zip).unwrap();
        }
        zip.finish().unwrap();
        return Case { path: made, _made: Some(folder) };
    }
    Case { path: path.to_path_buf(), _made: None }
}

/// The files below a folder, sorted in each.
pub fn walkdir(folder: &Path) -> Vec<PathBuf> {
    let below = |path: PathBuf| if path.is_dir() { walkdir(&path) } else { vec![path] };
    entries(folder).into_iter().flat_map(below).collect()
}

/// The readings of a case: one for a file; for a folder, one for each log in it.
pub fn read(path: &Path) -> Vec<Reading> {
    let case = made(path);
    if !walk::holds_several(&case.path) {
        let input = Input::file(&case.path).expect("a case is a file");
        return vec![pipeline::read(&input, Default::default()).unwrap_or_else(|e| panic!("{e}"))];
    }
    let inputs = walk::inputs(&case.path).unwrap().into_iter().map(|i| i.unwrap());
    let mut readings = Vec::new();
    for input in inputs {
        match pipeline::read(&input, Default::default()) {
            Ok(reading) => readings.push(reading),
            Err(Error::PartOfSession { .. } | Error::Unrecognised { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert!(!readings.is_empty(), "{}: no log in it", path.display());
    readings
}
