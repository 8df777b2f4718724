//! Registries: every file of a folder is in its list, names are unique and kebab-case, every format has fixtures of
//! clean and of broken logs, every diagnostic is raised by one.

use std::collections::BTreeSet;

use turnpoint::{
    base::diag::DiagCode, extract::EXTRACTORS, infer::INFERENCES, model::session::Session, pipeline::Reading,
    source::format::FORMATS,
};

use crate::{files, relative, root};

fn kebab(name: &str) -> bool {
    let part = |p: &str| !p.is_empty() && p.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    name.split('-').all(part)
}

#[test]
fn names_are_unique_and_kebab_case_and_say_something() {
    let lists: [Vec<(&str, &str)>; 3] = [
        FORMATS.iter().map(|f| (f.name(), f.about())).collect(),
        EXTRACTORS.iter().map(|e| (e.name(), e.about())).collect(),
        INFERENCES.iter().map(|i| (i.name(), i.about())).collect(),
    ];
    for list in lists {
        let names: BTreeSet<&str> = list.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), list.len(), "two of {list:?} share a name");
        for (name, about) in list {
            assert!(kebab(name), "{name} is not kebab-case");
            assert!(about.len() > 10 && !about.contains("not written"), "{name} says too little: {about}");
        }
    }
}

/// Folders that are registries: the trait that an entry implements, and the slice in `mod.rs` that lists it as
/// `file::Type`. Files that implement nothing of the kind serve the entries.
#[rustfmt::skip]
const REGISTRIES: &[(&str, &str, &str)] = &[
    ("src/extract",              "Extractor", "EXTRACTORS"),
    ("src/extract/bench/adapter", "Adapter",  "ADAPTERS"),
    ("src/extract/bench/layout", "Layout",    "LAYOUTS"),
    ("src/infer",                "Inference", "INFERENCES"),
    ("src/source/format",        "Format",    "FORMATS"),
];

#[test]
fn every_entry_of_a_registry_is_in_its_list() {
    for (folder, kind, slice) in REGISTRIES {
        let list = std::fs::read_to_string(root().join(folder).join("mod.rs")).unwrap();
        let body = list.split_once(&format!("{slice}: ")).and_then(|(_, rest)| rest.split_once("];")).unwrap().0;
        for path in files(folder) {
            let name = relative(&path);
            let source = std::fs::read_to_string(&path).unwrap();
            let entry = source.contains(&format!("\nimpl {kind} for "))
                || *kind == "Adapter"
                    && ["static", "const"].iter().any(|word| source.contains(&format!("\npub {word} TOOL: ")));
            let stem = name.trim_start_matches(folder).trim_matches('/').trim_end_matches(".rs").replace("/mod", "");
            assert!(!entry || body.contains(&format!("{}::", stem.replace('/', "::"))), "{name} is not in {slice}");
        }
    }
}

/// Cases of a format of one kind.
fn cases(format: &str, kind: &str) -> Vec<std::path::PathBuf> {
    crate::cases::all().into_iter().filter(|(f, k, _)| f == format && k == kind).map(|case| case.2).collect()
}

fn codes(reading: &Reading) -> Vec<&'static str> {
    let sessions = reading.sessions.iter().flat_map(Session::tree).flat_map(|s| s.diagnostics.iter());
    sessions.chain(reading.diagnostics.iter()).map(|(code, ..)| code.name()).collect()
}

#[test]
fn every_format_has_fixtures_for_clean_and_for_broken_logs() {
    for format in FORMATS {
        for kind in ["ok", "err"] {
            assert!(!cases(format.name(), kind).is_empty(), "fixtures/format/{}/{kind} is empty", format.name());
        }
    }
}

/// Codes whose case is no small file: each with where it is tested.
const WITHOUT_FIXTURE: &[(&str, &str)] =
    &[("todo-unreadable", "tests/it/todos.rs"), ("record-too-long", "src/source/frame.rs")];

#[test]
fn every_diagnostic_has_a_row_and_a_fixture() {
    let source = std::fs::read_to_string(root().join("src/base/diag.rs")).unwrap();
    let body = source.split_once("pub enum DiagCode {").unwrap().1.split_once("\n}").unwrap().0;
    let variants = body.lines().filter(|l| l.trim_end().ends_with(',')).count();
    assert_eq!(variants, DiagCode::TABLE.len(), "each code has one row");
    let mut seen: BTreeSet<&str> = WITHOUT_FIXTURE.iter().map(|row| row.0).collect();
    for format in FORMATS {
        let all = ["ok", "err"].into_iter().flat_map(|kind| cases(format.name(), kind));
        seen.extend(all.flat_map(|case| crate::cases::read(&case)).flat_map(|reading| codes(&reading)));
    }
    let missing: Vec<&str> = DiagCode::TABLE.iter().map(|row| row.1).filter(|name| !seen.contains(name)).collect();
    assert!(missing.is_empty(), "no fixture raises {missing:?}");
    for (code, place) in WITHOUT_FIXTURE {
        let text = std::fs::read_to_string(root().join(place)).unwrap();
        assert!(text.contains(code) || text.contains(&pascal(code)), "{place} does not test {code}");
    }
}

/// `record-too-long` as `RecordTooLong`.
fn pascal(name: &str) -> String {
    let word = |w: &str| w[..1].to_uppercase() + &w[1..];
    name.split('-').map(word).collect()
}

/// Classes of commands that the code names stand in the vocabulary: a renamed class cannot fall silent.
#[test]
fn classes_of_commands_that_are_named_exist() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let vocabulary = read("src/extract/commands.toml");
    let known: BTreeSet<&str> =
        vocabulary.lines().filter_map(|l| l.strip_prefix("name = \"")?.strip_suffix('"')).collect();
    let lists = [
        ("src/infer/signals.rs", "CLASS_ACTS"),
        ("src/extract/failures.rs", "READERS"),
        ("src/extract/failures.rs", "IDLE"),
        ("src/extract/changes.rs", "UNTOUCHED"),
        ("src/extract/failures.rs", "ANSWERS"),
        ("src/report/checks.rs", "CHECKS"),
        ("src/report/section/check_first.rs", "SILENT"),
    ];
    let name = regex::Regex::new(r#""([a-z]+(?:-[a-z]+)*)""#).unwrap();
    for (path, list) in lists {
        let source = read(path);
        let body = source.split_once(&format!("const {list}:")).unwrap().1.split_once("];").unwrap().0;
        for found in name.captures_iter(body) {
            assert!(known.contains(&found[1]), "{list} in {path} names the class {:?}", &found[1]);
        }
    }
}
