//! The integration tests: one binary, one module per boundary. Cases are files under `fixtures/`; a module here walks
//! them. `UPDATE=1 cargo test` rewrites the expected outputs, which are then read before they are committed.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests may stop, read files, and say what they left out"
)]

/// Articles over small logs, proofread.
mod articles;
mod audit;
/// Broken and hostile input.
mod bad_input;
/// Measurements over their fixtures.
mod bench;
/// Cases of formats, as files, folders and databases.
mod cases;
/// Articles held against their logs.
mod check;
/// The program end to end: exit codes, streams, help.
mod cli;
/// The commands of the README, run.
mod docs;
/// What the extractors read off small transcripts.
mod facts;
/// Sessions found without a path, in stores, folders and archives.
mod finding;
/// Every format over its fixtures.
mod formats;
mod hooks;
/// Every fixture, spoilt in every way that real logs are.
mod mutations;
/// Phases and turning points over literate cases.
mod phases;
/// Pictures: drawings and tables over small logs, and whatever text they hold.
mod pictures;
/// Laws of the model on generated input.
mod properties;
/// The doors of text against an independent Markdown parser.
mod quote;
/// Registries: names, fixtures, tables of the documentation.
mod registry;
/// Rules of the house: layers, module texts, doors, sizes.
mod series;
mod tidy;
/// Task lists: what tools, plans and checklists say, and what changed.
mod todo_sql;
mod todos;
/// Any truncation of a log reads as a prefix of it.
mod truncation;

/// The project's folder.
fn root() -> &'static std::path::Path {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file below a folder of the project, sorted; empty when there is no such folder.
fn files(folder: &str) -> Vec<std::path::PathBuf> {
    let mut list = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten().map(Result::unwrap) {
            match entry.file_type().unwrap().is_dir() {
                true => open.push(entry.path()),
                false => list.push(entry.path()),
            }
        }
    }
    list.sort();
    list
}

/// A path below the project's folder, with `/` between its parts.
fn relative(path: &std::path::Path) -> String {
    let path = path.strip_prefix(root()).unwrap_or(path);
    path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Compares a text with the file that holds what is expected; with `UPDATE=1` the file is rewritten.
#[track_caller]
fn expect_file(path: &str, text: &str) {
    let file = root().join(path);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
    }
    let wanted = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(wanted == text, "{path} differs (UPDATE=1 cargo test rewrites it); now:\n{text}");
}
