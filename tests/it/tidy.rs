//! Rules of the house, read off the sources: which layer may name which, which file may use which library, what every
//! file begins with, how large a fixture may be.

use std::collections::BTreeSet;

use crate::{files, relative, root};

/// What a layer may name besides itself.
#[rustfmt::skip]
const LAYERS: &[(&str, &[&str])] = &[
    ("base",     &[]),
    ("text",     &["base"]),
    ("model",    &["base"]),
    ("source",   &["base", "text", "model"]),
    ("extract",  &["base", "text", "model"]),
    ("infer",    &["base", "text", "model"]),
    ("report",   &["base", "text", "model"]),
    ("render",   &["base", "text", "model"]),
    ("check",    &["base", "text", "model"]),
    ("pipeline", &["base", "text", "model", "source", "extract", "infer", "report", "render", "check"]),
    ("cli",      &["base", "text", "model", "source", "extract", "infer", "report", "render", "check", "pipeline"]),
];

/// Libraries behind a door, and the paths that are the door.
#[rustfmt::skip]
const DOORS: &[(&str, &[&str])] = &[
    ("anstream",       &["src/cli/"]),
    ("blake3",         &["src/base/hash.rs"]),
    ("clap",           &["src/cli/"]),
    ("flate2",         &["src/source/packed.rs"]),
    ("globset",        &["src/source/stores.rs"]),
    ("ignore",         &["src/source/stores.rs", "src/source/walk.rs"]),
    ("indicatif",      &["src/cli/progress.rs"]),
    ("jiff",           &["src/base/time.rs"]),
    ("liblzma",        &["src/source/packed.rs"]),
    ("pulldown_cmark", &["src/text/markdown.rs"]),
    ("rusqlite",       &["src/source/database.rs"]),
    ("tar",            &["src/source/archive.rs"]),
    ("tempfile",       &["src/cli/", "src/source/database.rs", "src/source/open.rs", "src/source/stores.rs"]),
    ("tera",           &["src/text/template.rs"]),
    ("zip",            &["src/source/archive.rs"]),
    ("zstd",           &["src/source/packed.rs"]),
];

/// Fixtures above the cap of [`FIXTURE_BYTES`], each for a reason.
const LARGE_FIXTURES: &[(&str, &str)] = &[("fixtures/example/session.jsonl", "a whole session for the README to tell")];

/// Largest fixture: what is larger shows more than its point.
const FIXTURE_BYTES: u64 = 20 * 1024;

/// A source file without comments, string contents and character literals.
fn bare(source: &str) -> String {
    let chars: Vec<char> = source.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let mut out = String::with_capacity(source.len());
    let mut i = 0;
    while i < chars.len() {
        match at(i) {
            '/' if at(i + 1) == '/' => {
                while i < chars.len() && at(i) != '\n' {
                    i += 1;
                }
            }
            'r' if matches!(at(i + 1), '"' | '#') && !(i > 0 && (at(i - 1).is_alphanumeric() || at(i - 1) == '_')) => {
                let hashes = (i + 1..).take_while(|j| at(*j) == '#').count();
                i += 1 + hashes;
                if at(i) == '"' {
                    i += 1;
                    while i < chars.len() && !(at(i) == '"' && (1..=hashes).all(|k| at(i + k) == '#')) {
                        i += 1;
                    }
                    i += 1 + hashes;
                }
            }
            '"' => {
                i += 1;
                while i < chars.len() && at(i) != '"' {
                    i += if at(i) == '\\' { 2 } else { 1 };
                }
                i += 1;
            }
            '\'' if at(i + 1) == '\\' || at(i + 2) == '\'' => {
                i += if at(i + 1) == '\\' { 3 } else { 2 };
                while i < chars.len() && at(i) != '\'' {
                    i += 1;
                }
                i += 1;
            }
            c => {
                out.push(c);
                i += 1;
            }
        }
    }
    out
}

/// The first name after each `crate::` or `super::…` of a source, as a name below the crate's root; groups opened.
/// `module` is the path of the file's own module.
fn named(source: &str, module: &[String]) -> BTreeSet<String> {
    let tokens = tokens(&bare(source));
    let mut found = BTreeSet::new();
    for (i, token) in tokens.iter().enumerate() {
        let fresh = i == 0 || tokens[i - 1] != "::";
        if fresh && tokens.get(i + 1).is_some_and(|t| t == "::") {
            match token.as_str() {
                "crate" => heads(&tokens, i + 2, &mut found),
                "super" => {
                    let ups = (0..).take_while(|k| tokens.get(i + 2 * k).is_some_and(|t| t == "super")).count();
                    if ups > module.len() {
                        continue;
                    }
                    match module.len() - ups {
                        0 => heads(&tokens, i + 2 * ups, &mut found),
                        _ => found.extend(module.first().cloned()),
                    }
                }
                _ => {}
            }
        }
    }
    found
}

/// The names at `at`: one, or those that begin the members of a group.
fn heads(tokens: &[String], at: usize, found: &mut BTreeSet<String>) {
    if tokens.get(at).is_none_or(|t| t != "{") {
        found.extend(tokens.get(at).cloned());
        return;
    }
    let mut depth = 0;
    for i in at..tokens.len() {
        match tokens[i].as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            name if depth == 1 && matches!(tokens[i - 1].as_str(), "{" | ",") => _ = found.insert(name.to_string()),
            _ => {}
        }
        if depth == 0 {
            return;
        }
    }
}

fn tokens(text: &str) -> Vec<String> {
    let pattern = regex::Regex::new(r"\w+|::|[^\s\w]").unwrap();
    pattern.find_iter(text).map(|m| m.as_str().to_string()).collect()
}

/// The module that a file below `src/` is.
fn module(path: &str) -> Vec<String> {
    let inner = path.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod");
    if matches!(inner, "lib" | "main" | "mod") { Vec::new() } else { inner.split('/').map(str::to_string).collect() }
}

/// The names that a file may not use in its layer.
fn violations(path: &str, source: &str) -> Vec<String> {
    let module = module(path);
    let Some((own, allowed)) = module.first().and_then(|top| LAYERS.iter().find(|row| row.0 == top)) else {
        return Vec::new();
    };
    let wrong =
        |name: &String| LAYERS.iter().any(|row| row.0 == name) && name != own && !allowed.contains(&name.as_str());
    named(source, &module).into_iter().filter(wrong).map(|name| format!("{path}: {own} names {name}")).collect()
}

fn sources() -> Vec<(String, String)> {
    files("src").iter().map(|p| (relative(p), std::fs::read_to_string(p).unwrap())).collect()
}

#[test]
fn layers_hold() {
    let wrong: Vec<String> = sources().iter().flat_map(|(path, source)| violations(path, source)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_folder_and_file_has_a_layer() {
    for (path, _) in sources() {
        let module = module(&path);
        let known = module.first().is_none_or(|top| LAYERS.iter().any(|row| row.0 == top));
        assert!(known, "{path} is in no layer of the table");
    }
}

#[test]
fn a_planted_violation_is_found() {
    let cases = [
        ("src/infer/x.rs", "use crate::{base::{diag::Diag, span}, model, extract::run};", "infer names extract"),
        ("src/text/x.rs", "fn f() -> crate::model::Session {}", "text names model"),
        ("src/source/format/x.rs", "use super::super::super::report::Wanted;", "source names report"),
        ("src/model/mod.rs", "use super::text::quote;", "model names text"),
    ];
    for (path, source, wanted) in cases {
        assert_eq!(violations(path, source), [format!("{path}: {wanted}")], "{source}");
    }
    let innocent = "// crate::cli\n/// [`crate::cli`]\nuse super::{Format, json}; const A: &str = \"crate::cli\"; use crate::base::x;";
    assert!(violations("src/source/format/x.rs", innocent).is_empty());
}

#[test]
fn every_file_says_what_it_is_for() {
    for path in files("src").into_iter().chain(files("tests")).chain(files("benches")).chain(files("fuzz/targets")) {
        if path.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(text.starts_with("//! "), "{} begins with no //! paragraph", relative(&path));
        }
    }
}

#[test]
fn libraries_stay_behind_their_doors() {
    for (path, source) in sources() {
        let tokens = tokens(&bare(&source));
        for (library, doors) in DOORS {
            let used = tokens.windows(2).any(|pair| pair[0] == *library && pair[1] == "::")
                || tokens.windows(2).any(|pair| pair[0] == "use" && pair[1] == *library);
            let own = path.trim_start_matches("src/").starts_with(library);
            assert!(!used || own || doors.iter().any(|door| path.starts_with(door)), "{path} uses {library}");
        }
    }
}

#[test]
fn only_the_program_prints() {
    for (path, source) in sources().iter().filter(|(path, _)| !path.starts_with("src/cli/") && path != "src/main.rs") {
        let code = bare(source);
        for word in ["println!", "eprintln!", "print!(", "dbg!", "todo!", "unimplemented!"] {
            assert!(!code.contains(word), "{path} holds {word}");
        }
    }
}

#[test]
fn fixtures_are_small() {
    for path in files("fixtures") {
        let (name, size) = (relative(&path), path.metadata().unwrap().len());
        let named = LARGE_FIXTURES.iter().any(|row| row.0 == name);
        assert!(size <= FIXTURE_BYTES || named, "{name} has {size} bytes");
    }
}

#[test]
fn unfinished_work_is_not_committed() {
    let words = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X:")];
    for (path, source) in sources() {
        for line in source.lines().filter(|line| line.trim_start().starts_with("//")) {
            assert!(!words.iter().any(|w| line.contains(w)), "{path}: {line}");
        }
    }
}

#[test]
fn the_layer_table_of_the_documentation_is_this_one() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    for (layer, allowed) in LAYERS {
        let row = text.lines().find(|line| line.starts_with(&format!("| `{layer}`"))).unwrap_or_default();
        let cell = row.split('|').nth(2).unwrap_or_default();
        let told: BTreeSet<&str> = cell.split(['`', ',', ' ']).filter(|w| LAYERS.iter().any(|r| r.0 == *w)).collect();
        let short = cell.contains("everything above");
        assert!(short || told == allowed.iter().copied().collect(), "ARCHITECTURE.md, row of {layer}: {row:?}");
    }
}
