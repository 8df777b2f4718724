//! The documentation, held to the truth: its commands run, its tables are those of the registries.

use std::process::Command;

use clap::CommandFactory;
use turnpoint::{
    base::diag::DiagCode,
    cli::args::Args,
    infer::audit::{RULES, WATCHES},
    source::format::{FORMATS, Recorded},
};

use crate::{expect_file, root};

/// The lines of the `sh` blocks of a document.
fn commands(document: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join(document)).unwrap();
    let mut list = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line {
            "```sh" => inside = true,
            "```" => inside = false,
            _ if inside => list.push(line.to_string()),
            _ => {}
        }
    }
    list
}

/// A document with the table between its marks replaced.
fn with_table(text: &str, name: &str, table: &str) -> String {
    let (begin, end) = (format!("<!-- generated: {name} -->\n"), "<!-- end -->");
    let from = text.find(&begin).unwrap_or_else(|| panic!("no mark for {name}")) + begin.len();
    let to = from + text[from..].find(end).unwrap();
    format!("{}{table}{}", &text[..from], &text[to..])
}

fn rule_table() -> String {
    let rows =
        RULES.iter().map(|rule| format!("| `{}` | {} | {} | {} |\n", rule.name, rule.about, rule.example, rule.limits));
    "| rule | asks | example | cannot see |\n|---|---|---|---|\n".to_string() + &rows.collect::<String>()
}

fn watch_table() -> String {
    let rows = WATCHES.iter().map(|w| format!("| `{}` | {} | {} | {} |\n", w.name, w.about, w.example, w.limits));
    "| rule | tells | example | cannot see |\n|---|---|---|---|\n".to_string() + &rows.collect::<String>()
}

fn format_table() -> String {
    let rows = FORMATS.iter().map(|f| {
        let card = f.card();
        let words = |recorded: bool| {
            let words = Recorded::ALL.iter().filter(|(what, _)| card.records.contains(what) == recorded);
            words.map(|(_, word)| *word).collect::<Vec<_>>().join(", ")
        };
        format!("| `{}` | {} | {} | {} | {} |\n", f.name(), f.about(), card.versions, words(true), words(false))
    });
    format!(
        "| format | what writes it | versions | recorded | not recorded |\n|---|---|---|---|---|\n{}",
        rows.collect::<String>()
    )
}

fn command_table() -> String {
    let args = Args::command();
    let rows = args.get_subcommands().map(|c| {
        let about = c.get_about().map(ToString::to_string).unwrap_or_default();
        format!("| `{}` | {} |\n", c.get_name(), about.trim_end_matches('.'))
    });
    format!("| command | does |\n|---|---|\n{}", rows.collect::<String>())
}

fn diagnostic_table() -> String {
    let rows = DiagCode::TABLE.iter().map(|(_, name, severity, about)| {
        format!("| `{name}` | {} | {about} |\n", format!("{severity:?}").to_lowercase())
    });
    format!("| code | | what was found |\n|---|---|---|\n{}", rows.collect::<String>())
}

#[test]
fn tables_are_those_of_the_registries() {
    let tables = [
        ("README.md", "commands", command_table()),
        ("docs/formats.md", "formats", format_table()),
        ("docs/formats.md", "diagnostics", diagnostic_table()),
        ("docs/audit.md", "rules", rule_table()),
        ("docs/audit.md", "loose ends", watch_table()),
    ];
    for (document, name, table) in tables {
        let text = std::fs::read_to_string(root().join(document)).unwrap();
        expect_file(document, &with_table(&text, name, &table));
    }
}

/// Runs the commands in a folder that sees the fixtures, with `turnpoint` for the program just built.
#[test]
fn commands_of_the_documents_run() {
    let folder = tempfile::tempdir().unwrap();
    for shared in ["fixtures", "templates"] {
        std::os::unix::fs::symlink(root().join(shared), folder.path().join(shared)).unwrap();
    }
    // A home folder with one session in it, for commands that look for themselves.
    let store = folder.path().join("home/.claude/projects/-w");
    std::fs::create_dir_all(&store).unwrap();
    std::fs::copy(root().join("fixtures/example/session.jsonl"), store.join("session.jsonl")).unwrap();
    let program = format!("'{}'", env!("CARGO_BIN_EXE_turnpoint"));
    std::fs::create_dir_all(folder.path().join("site/sessions")).unwrap();
    let all = ["README.md", "docs/keep-an-article.md"].map(commands).concat();
    let lines: Vec<String> = all.into_iter().filter(|l| l != "cargo test").collect();
    assert!(lines.len() >= 12, "the documents have commands");
    for line in lines {
        let script = line.replace("cargo run --release --", &program).replacen("turnpoint ", &format!("{program} "), 1);
        let script =
            if line.starts_with("cargo run") { line.replace("cargo run --release --", &program) } else { script };
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(&script).current_dir(folder.path()).env("HOME", folder.path().join("home"));
        let run = shell.output().unwrap();
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{line}: {:?}: {said}", run.status.code());
        assert!(!run.stdout.is_empty() || line.contains(" -o "), "{line} prints nothing");
    }
}

#[test]
fn the_first_command_prints_an_article_worth_reading() {
    let first = commands("README.md").into_iter().next().unwrap();
    assert_eq!(first, "cargo run --release -- retro fixtures/example/session.jsonl");
    let run = Command::new(env!("CARGO_BIN_EXE_turnpoint"))
        .args(["retro", "fixtures/example/session.jsonl"])
        .current_dir(root())
        .output()
        .unwrap();
    let article = String::from_utf8(run.stdout).unwrap();
    assert!(article.starts_with("# "), "{article}");
    assert!(article.split_whitespace().count() > 250, "{article}");
    // What the story holds: the killed service, the item that silently went, a failure and its proof.
    for told in ["[msg ", "## Check first", "stopfinder-staging", "Cache serialized responses", "antimeridian"] {
        assert!(article.contains(told), "{told} is not in:\n{article}");
    }
    assert!(!article.contains("marigold-harbor"), "a secret of the log:\n{article}");
}

#[test]
fn links_between_the_documents_lead_somewhere() {
    let link = regex::Regex::new(r"\]\(([^)#]+)\)").unwrap();
    let own = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root().join(name));
    let documents =
        own.into_iter().chain(crate::files("docs")).filter(|path| path.extension().is_some_and(|e| e == "md"));
    for document in documents {
        let text = std::fs::read_to_string(&document).unwrap();
        for target in link.captures_iter(&text).map(|c| c[1].to_string()).filter(|t| !t.contains("://")) {
            let found = document.parent().unwrap().join(&target).exists();
            assert!(found, "{} links to {target}", document.display());
        }
    }
}

/// Paths in backticks name files that exist, those with `<name>` aside.
#[test]
fn paths_in_the_documents_exist() {
    let path = regex::Regex::new(r"`((?:src|tests|templates|fixtures|fuzz|benches|examples|\.ci)/[\w./-]*)`").unwrap();
    for document in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = std::fs::read_to_string(root().join(document)).unwrap();
        for target in path.captures_iter(&text) {
            assert!(root().join(&target[1]).exists(), "{document} names {}", &target[1]);
        }
    }
}
