//! The hooks of `examples/hooks`, run as agents run them.
#![cfg(unix)]

use std::{
    io::{Read, Write},
    path::Path,
    process::{Command, Stdio},
};

use crate::root;

/// A search path on which `turnpoint` is the program just built.
fn search_path() -> std::ffi::OsString {
    let own = Path::new(env!("CARGO_BIN_EXE_turnpoint")).parent().unwrap().to_path_buf();
    let rest = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&rest))).unwrap()
}

/// Runs the hook of Claude Code with this input, which is left open; what it says on standard error.
fn session_end(input: &str, reports: &Path) -> String {
    let mut hook = Command::new(root().join("examples/hooks/claude-code/session-end.sh"))
        .env("PATH", search_path())
        .env("TURNPOINT_REPORTS", reports)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut theirs = hook.stdin.take().unwrap();
    theirs.write_all(input.as_bytes()).unwrap();
    assert!(hook.wait().unwrap().success());
    let mut said = String::new();
    hook.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    drop(theirs);
    said
}

#[test]
fn the_hook_of_claude_code_writes_the_report() {
    let home = tempfile::tempdir().unwrap();
    let log = home.path().join("0f3a.jsonl");
    std::fs::copy(root().join("fixtures/example/session.jsonl"), &log).unwrap();
    let input = serde_json::json!({
        "session_id": "0f3a", "transcript_path": log, "cwd": "/w", "hook_event_name": "SessionEnd", "reason": "other",
    });
    let reports = home.path().join("reports");
    let said = session_end(&format!("{input}\n"), &reports);
    assert!(reports.join("0f3a/index.html").is_file() && reports.join("0f3a/retrospective.md").is_file(), "{said}");
    let said = session_end("{\"session_id\":\"1\"}\n", &home.path().join("none"));
    assert!(said.contains("no transcript_path") && !home.path().join("none").exists(), "{said}");
}

#[test]
fn the_settings_of_claude_code_name_the_script() {
    let text = std::fs::read_to_string(root().join("examples/hooks/claude-code/settings.json")).unwrap();
    let settings: serde_json::Value = serde_json::from_str(&text).unwrap();
    let command = settings["hooks"]["SessionEnd"][0]["hooks"][0]["command"].as_str().unwrap();
    assert!(command.ends_with("/session-end.sh"), "{command}");
}

/// The plugin of opencode with a shell that only notes what it is given. Where there is no Node, it says so.
#[test]
fn the_plugin_of_opencode_calls_the_program() {
    let plugin = root().join("examples/hooks/opencode/turnpoint.js");
    let script = format!(
        "import({plugin:?}).then(async ({{ Turnpoint }}) => {{
           const $ = (parts, ...values) => {{
             console.log(String.raw({{ raw: parts }}, ...values));
             const done = {{ quiet: () => done, nothrow: async () => {{}} }};
             return done;
           }};
           const {{ event }} = await Turnpoint({{ $ }});
           for (const [type, sessionID] of [['session.idle', 'ses_1'], ['session.idle', '../x'], ['session.updated', 'ses_2']])
             await event({{ event: {{ type, properties: {{ sessionID }} }} }});
         }})"
    );
    let mut node = Command::new("node");
    node.args(["--no-warnings", "--experimental-default-type=module", "-e", &script])
        .env("TURNPOINT_REPORTS", "/reports");
    let Ok(run) = node.output() else {
        eprintln!("no Node here: the plugin was not run");
        return;
    };
    let said = String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
    assert_eq!(said.trim(), "turnpoint retro ses_1 -o /reports/ses_1/");
}
