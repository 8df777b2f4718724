//! The program end to end: exit codes, what goes to which stream, help. What commands print in detail is tested where
//! it is made.

use std::{io::Write, path::Path, process::Stdio};

use assert_cmd::Command;
use clap::CommandFactory;
use turnpoint::cli::args::Args;

use crate::{expect_file, root};

const EXAMPLE: &str = "fixtures/example/session.jsonl";
const SMALL: &str = "<msg id=3>\n[user] is the server up?\n\n<msg id=4>\n[assistant] [bash] {\"command\":\"curl -s :8080\"}\n\
                     ok\n\n<msg id=5>\n[assistant] Yes, it answers.\n";

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_turnpoint"));
    command.current_dir(root());
    command
}

/// Exit code, standard output, standard error.
pub fn run(arguments: &[&str], input: &str) -> (i32, String, String) {
    let output = program().args(arguments).write_stdin(input).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// A file in a folder of its own.
fn file(name: &str, bytes: &[u8]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let path = path.to_string_lossy().into_owned();
    (folder, path)
}

#[test]
fn help_is_as_reviewed() {
    let mut all = String::new();
    let names: Vec<String> = Args::command().get_subcommands().map(|c| c.get_name().to_string()).collect();
    for arguments in
        std::iter::once(vec!["--help".to_string()]).chain(names.into_iter().map(|n| vec![n, "--help".into()]))
    {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = program().args(&arguments).env("COLUMNS", "100").output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty());
        all += &format!("$ turnpoint {}\n{}\n", arguments.join(" "), String::from_utf8(output.stdout).unwrap());
    }
    expect_file("tests/snapshots/help.txt", &all);
}

#[test]
fn without_arguments_help_is_printed_and_the_use_is_wrong() {
    let (code, out, err) = run(&[], "");
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("Usage:") && err.contains("retro"), "{err}");
    assert_eq!(run(&["--version"], "").0, 0);
    assert_eq!(run(&["nonsense"], "").0, 2);
    assert_eq!(run(&["inspect", "-", "--nonsense"], SMALL).0, 2);
}

#[test]
fn standard_input_is_a_log() {
    let (code, out, err) = run(&["show", "-", "4"], SMALL);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(out, "── 4 · tool bash · msg:4\ncommand: curl -s :8080\noutput: ok\n");
}

#[test]
fn show_takes_numbers_ranges_and_context() {
    let numbers = |arguments: &[&str]| {
        let out = run(arguments, SMALL).1;
        out.lines().filter(|l| l.starts_with("── ")).map(|l| l[7..8].to_string()).collect::<String>()
    };
    assert_eq!(numbers(&["show", "-", "3-5"]), "345");
    assert_eq!(numbers(&["show", "-", "5", "3"]), "35");
    assert_eq!(numbers(&["show", "-", "3", "-C", "1"]), "34");
    assert_eq!(numbers(&["show", "-", "msg:5"]), "5");
    let (code, out, err) = run(&["show", "-", "9"], SMALL);
    assert_eq!((code, out.as_str(), err.as_str()), (1, "", "turnpoint: -: no message \"9\" in this log\n"));
    assert_eq!(run(&["show", "-", "5-3"], SMALL).0, 2);
}

#[test]
fn show_is_safe_for_a_terminal() {
    let out = run(&["show", "-", "1"], "<msg id=1>\n[user] \u{1b}]52;c;AAAA\u{7}\u{1b}[31mred\u{202e}\n").1;
    assert_eq!(out, "── 1 · user · msg:1\nred[U+202E]\n");
}

#[test]
fn json_documents_name_their_schema() {
    for (command, more) in [("show", vec!["4"]), ("inspect", vec![])] {
        let mut arguments = vec![command, "-", "--json"];
        arguments.extend(more);
        let (code, out, _) = run(&arguments, SMALL);
        let document: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!((code, document["schema"].as_str().unwrap()), (0, format!("turnpoint.{command}/1").as_str()));
    }
}

#[test]
fn two_sides_are_compared() {
    let (_folder, old) = file("old.txt", b"latency: 12.5 ms\nthroughput: 100 req/s\n");
    let (_other, new) = file("new.txt", b"latency: 10.0 ms\nthroughput: 101 req/s\n");
    let (code, out, err) = run(&["compare", &old, &new], "");
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("better") && out.contains("-20 %") && out.contains("1 better, 1 cannot tell"), "{out}");
    let (code, out, _) = run(&["compare", &old, "-", "--json"], "latency: 15.0 ms\n");
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &document["pairs"][0]["verdict"]), (0, &"worse".into()));
    assert_eq!(document["only_a"][0]["name"], "throughput");
    // A message of a text, a message that is not there, and twice standard input are wrong.
    assert_eq!(run(&["compare", &format!("{old}@3"), &new], "").0, 2);
    assert_eq!(run(&["compare", &format!("{EXAMPLE}@9999"), &new], "").0, 1);
    assert_eq!(run(&["compare", "-", "-"], "").0, 2);
}

#[test]
fn measurements_tell_what_ran() {
    let (code, out, _) = run(&["benchmarks", EXAMPLE, "--json", "--series"], "");
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    let at = &document["tables"][1]["at"];
    assert_eq!((code, &at["by"], &at["origin"]), (0, &"bench.sh".into(), &"measured".into()));
    assert_eq!(at["settings"][0], serde_json::json!({"name": "GRID_DEG", "value": "1.0"}));
    let last = document["series"][0]["readings"].as_array().unwrap().last().unwrap();
    assert_eq!(last["message"], 52);
}

#[test]
fn secrets_do_not_come_out() {
    let log = "<msg id=1>\n[user] postgres://app:Harbor-41-x@db/app\n";
    assert!(run(&["show", "-", "1"], log).1.contains("app:[REDACTED:url-password:1]@db"));
    assert!(run(&["inspect", "-"], log).1.contains("[REDACTED:url-password:1] in 1 place"));
    assert!(run(&["show", "-", "1", "--no-redact"], log).1.contains("Harbor-41-x"));
}

#[test]
fn bad_inputs_are_one_line_with_the_file_and_the_reason() {
    let cases: [(&str, &[u8], &str); 4] = [
        ("empty.jsonl", b"", "is empty"),
        ("photo.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\0\0\0\0", "binary"),
        ("notes.txt", b"just some notes\nand more\n", "not a session log"),
        ("torn.json", b"{\"info\":{\"id\":", "not a session log"),
    ];
    for (name, bytes, reason) in cases {
        let (_folder, path) = file(name, bytes);
        for command in ["inspect", "retro", "todos", "phases"] {
            let (code, out, err) = run(&[command, &path], "");
            assert_eq!((code, out.as_str()), (1, ""), "{command} {name}");
            assert!(err.starts_with(&format!("turnpoint: {path}: ")) && err.contains(reason), "{err}");
            assert_eq!(err.lines().count(), 1, "{err}");
            assert!(err.len() < 600 + path.len(), "{err}");
        }
    }
    let (code, _, err) = run(&["inspect", "no/such/file"], "");
    assert_eq!((code, err.lines().count()), (1, 1));
    assert!(err.contains("no/such/file"), "{err}");
}

#[test]
fn a_folder_gives_every_log_in_it() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(&["inspect", folder.path().to_str().unwrap()], "").0, 1, "nothing in it");
    std::fs::write(folder.path().join("a.txt"), SMALL).unwrap();
    std::fs::write(folder.path().join("b.txt"), SMALL.replace("msg id=3", "msg id=2")).unwrap();
    let (code, out, err) = run(&["inspect", folder.path().to_str().unwrap(), "--json"], "");
    assert_eq!((code, out.lines().count(), err.as_str()), (0, 2, ""));
    std::fs::write(folder.path().join("c.bin"), b"\0\0\0\0").unwrap();
    let (code, out, err) = run(&["inspect", folder.path().to_str().unwrap(), "--json"], "");
    assert_eq!(
        (code, out.lines().count(), err.lines().count()),
        (0, 2, 1),
        "what is no log is told, not blamed: {err}"
    );
    let empty = "{\"type\":\"mode\",\"mode\":\"normal\",\"sessionId\":\"s\"}\n";
    std::fs::write(folder.path().join("d.jsonl"), empty).unwrap();
    let (code, out, err) = run(&["inspect", folder.path().to_str().unwrap(), "--json"], "");
    assert_eq!((code, out.lines().count(), err.lines().count()), (1, 2, 2), "{err}");
}

#[test]
fn output_files_are_whole_or_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.txt");
    let target = path.to_str().unwrap();
    let (code, out, _) = run(&["show", "-", "4", "-o", target], SMALL);
    assert_eq!((code, out.as_str()), (0, ""));
    let first = std::fs::read_to_string(&path).unwrap();
    assert!(first.contains("curl"));
    assert_eq!(run(&["show", "-", "99", "-o", target], SMALL).0, 1);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), first, "a failed run leaves the file");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    let (code, _, err) = run(&["show", "-", "4", "-o", "no/such/folder/out.txt"], SMALL);
    assert_eq!((code, err.lines().count()), (2, 1), "{err}");
}

/// Under its own name, another one, and in a folder that is read: the log stays.
#[test]
fn what_is_read_is_never_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (log, inner, other) = (path("log.txt"), path("sub/../log.txt"), path("other.txt"));
    std::fs::create_dir(path("sub")).unwrap();
    std::fs::write(&log, SMALL).unwrap();
    std::fs::hard_link(&log, &other).unwrap();
    let whole = path("");
    let wrong: [&[&str]; 9] = [
        &["inspect", &log, "-o", &log],
        &["show", &log, "4", "-o", &inner],
        &["retro", &log, "-o", &other],
        &["phases", &other, "-o", &log],
        &["benchmarks", &log, "-o", &log],
        &["benchmarks", &log, "--text", "-o", &log],
        &["compare", &log, &other, "-o", &log],
        &["todos", &whole, "-o", &log],
        &["inspect", &whole, "-o", &log],
    ];
    for arguments in wrong {
        let (code, out, err) = run(arguments, "");
        assert_eq!((code, out.as_str(), err.lines().count()), (2, "", 1), "{arguments:?}: {err}");
        assert_eq!(std::fs::read_to_string(&log).unwrap(), SMALL, "{arguments:?}");
    }
    let manifest = path("night.manifest.json");
    std::fs::write(&manifest, SMALL).unwrap();
    assert_eq!(run(&["retro", &manifest, "-o", &path("night.md")], "").0, 2);
    // What is no log may lie in the folder and be written anew.
    for _ in 0..2 {
        assert_eq!(run(&["inspect", &whole, "-o", &path("told.txt")], "").0, 0);
    }
}

#[cfg(unix)]
#[test]
fn an_output_that_is_a_link_is_followed_or_refused_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (link, target) = (folder.path().join("link"), folder.path().join("target"));
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let arguments = ["show", "-", "4", "-o", link.to_str().unwrap()];
    let (code, _, err) = run(&arguments, SMALL);
    assert_eq!((code, err.lines().count(), link.is_symlink()), (2, 1, true), "{err}");
    std::fs::write(&target, "").unwrap();
    assert_eq!(run(&arguments, SMALL).0, 0);
    assert!(link.is_symlink() && std::fs::read_to_string(&target).unwrap().contains("curl"));
}

#[test]
fn a_closed_pipe_is_no_error() {
    let log = SMALL.repeat(1_000);
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_turnpoint"))
        .args(["inspect", "-", "--steps"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(log.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    assert!(Path::new(root()).join(EXAMPLE).is_file());
    for arguments in [["inspect", EXAMPLE], ["retro", EXAMPLE], ["phases", EXAMPLE], ["todos", EXAMPLE]] {
        assert_eq!(run(&arguments, ""), run(&arguments, ""), "{arguments:?}");
    }
}
