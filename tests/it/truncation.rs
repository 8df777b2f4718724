//! The law of truncation: a valid log that is cut off anywhere reads as a prefix of its messages, with at most one
//! complaint more.

use proptest::prelude::*;

use turnpoint::{
    base::{diag::Severity, error::Error},
    model::{
        message::{Message, PartKind},
        session::Session,
    },
    pipeline,
    source::open::Input,
};

/// What happens next in a generated session.
#[derive(Clone, Copy, Debug)]
enum Event {
    Prompt,
    Say,
    Call,
    ParallelCalls,
    Bookkeeping,
    Compaction,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        Just(Event::Prompt),
        Just(Event::Say),
        Just(Event::Call),
        Just(Event::ParallelCalls),
        Just(Event::Bookkeeping),
        Just(Event::Compaction),
    ]
}

/// Writes a session as Claude Code does: a tree in which each record follows the one before, but for the results of
/// parallel calls, which follow their calls.
#[derive(Default)]
struct Log {
    text: String,
    tail: Option<String>,
    count: usize,
}

impl Log {
    fn chain(&mut self, kind: &str, parent: Option<String>, rest: &str) -> String {
        self.count += 1;
        let uuid = format!("r{}", self.count);
        let parent = parent.map_or("null".to_string(), |p| format!("\"{p}\""));
        self.text += &format!(
            "{{\"parentUuid\":{parent},\"sessionId\":\"s\",\"type\":\"{kind}\",\"uuid\":\"{uuid}\",{rest}}}\n"
        );
        self.tail = Some(uuid.clone());
        uuid
    }

    fn user(&mut self, parent: Option<String>, content: &str) -> String {
        self.chain("user", parent, &format!("\"message\":{{\"role\":\"user\",\"content\":{content}}}"))
    }

    fn assistant(&mut self, parent: Option<String>, response: usize, block: &str) -> String {
        let message = format!("\"message\":{{\"id\":\"m{response}\",\"role\":\"assistant\",\"content\":[{block}]}}");
        self.chain("assistant", parent, &message)
    }

    fn event(&mut self, event: Event) {
        let n = self.count;
        let tail = self.tail.clone();
        let call =
            |i: usize| format!(r#"{{"type":"tool_use","id":"t{n}-{i}","name":"Bash","input":{{"command":"é {i}"}}}}"#);
        let result =
            |i: usize| format!(r#"[{{"type":"tool_result","tool_use_id":"t{n}-{i}","content":"Exit code 1"}}]"#);
        match event {
            Event::Prompt => drop(self.user(tail, &format!("\"prompt “{n}” \\ud83d\\ude00\""))),
            Event::Say => drop(self.assistant(tail, n, &format!(r#"{{"type":"text","text":"said {n}"}}"#))),
            Event::Call => {
                let call = self.assistant(tail, n, &call(0));
                self.user(Some(call), &result(0));
            }
            Event::ParallelCalls => {
                let text = self.assistant(tail, n, &format!(r#"{{"type":"text","text":"both {n}"}}"#));
                let first = self.assistant(Some(text), n, &call(0));
                let second = self.assistant(Some(first.clone()), n, &call(1));
                self.user(Some(first), &result(0));
                self.user(Some(second), &result(1));
            }
            Event::Bookkeeping => self.text += "{\"type\":\"mode\",\"mode\":\"normal\",\"sessionId\":\"s\"}\n",
            Event::Compaction => {
                let link = tail.map_or(String::new(), |t| format!("\"logicalParentUuid\":\"{t}\","));
                let boundary = self.chain("system", None, &format!("{link}\"subtype\":\"compact_boundary\""));
                let summary = "\"isCompactSummary\":true,\"message\":{\"role\":\"user\",\"content\":\"so far\"}";
                self.chain("user", Some(boundary), summary);
            }
        }
    }
}

fn read(bytes: &[u8]) -> Option<Session> {
    match pipeline::read(&Input::from_bytes("log", bytes.to_vec()), Default::default()) {
        Ok(mut reading) => Some(reading.sessions.remove(0)),
        Err(Error::NoTurns { .. } | Error::Unrecognised { .. } | Error::Unreadable { .. }) => None,
        Err(other) => panic!("{other}"),
    }
}

/// A message without its result, which a cut may take.
fn told(message: &Message) -> (u32, Vec<(PartKind, String)>) {
    let parts = message.parts.iter().filter(|p| p.kind != PartKind::Output);
    (message.number, parts.map(|p| (p.kind, p.text.clone())).collect())
}

fn complaints(session: &Session) -> usize {
    session.diagnostics.iter().filter(|d| d.0.severity() > Severity::Note).map(|d| d.1 as usize).sum()
}

fn holds(whole: &Session, cut: &Session) {
    assert!(cut.messages.len() <= whole.messages.len());
    for (a, b) in cut.messages.iter().zip(&whole.messages) {
        assert_eq!(told(a), told(b));
    }
    assert!(complaints(cut) <= complaints(whole) + 1, "{:?}", cut.diagnostics);
    assert!(cut.accounting.balanced());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn of_generated_sessions(events in prop::collection::vec(event(), 1..12), at in 0.0..1.0_f64) {
        let mut log = Log::default();
        log.event(Event::Prompt);
        events.into_iter().for_each(|e| log.event(e));
        let bytes = log.text.as_bytes();
        let whole = read(bytes).expect("a valid log");
        prop_assert_eq!(complaints(&whole), 0);
        if let Some(cut) = read(&bytes[..(bytes.len() as f64 * at) as usize]) {
            holds(&whole, &cut);
        }
    }
}

/// Fixtures in which nothing is taken back later (a rewind, a text that grows, or stands at the end and is referred to).
const STEADY: &[&str] = &[
    "amp/ok/thread.json",
    "anthropic-messages/ok/request.json",
    "atif/ok/converted.json",
    "atif/ok/embedded.json",
    "atif/ok/vscode.json",
    "atif/ok/without-ids.json",
    "claude-code/ok/agent-progress.jsonl",
    "claude-code/ok/basic.jsonl",
    "claude-code/ok/compaction.jsonl",
    "claude-code/ok/crlf.jsonl",
    "claude-code/ok/extras.jsonl",
    "claude-code/ok/loglines.json",
    "claude-code/ok/outcomes.jsonl",
    "claude-code/ok/parallel-calls.jsonl",
    "claude-code/ok/prompts.jsonl",
    "claude-code/ok/sibling-calls.jsonl",
    "claude-code/ok/sidechain.jsonl",
    "claude-stream-json/ok/basic.jsonl",
    "claude-stream-json/ok/sub-agent.jsonl",
    "claude-stream-json/ok/two-runs.jsonl",
    "cline-messages/ok/lead.json",
    "codex-exec/ok/basic.jsonl",
    "codex-rollout/ok/bare.jsonl",
    "codex-rollout/ok/code-mode.jsonl",
    "codex-rollout/ok/compaction.jsonl",
    "codex-rollout/ok/document.json",
    "codex-rollout/ok/envelope.jsonl",
    "codex-rollout/ok/fork-alone.jsonl",
    "codex-rollout/ok/history.jsonl",
    "codex-rollout/ok/images.jsonl",
    "codex-rollout/ok/mirrors.jsonl",
    "codex-rollout/ok/resume.jsonl",
    "codex-rollout/ok/sub-agent.jsonl",
    "continue/ok/session.json",
    "cursor-transcript/ok/agent.jsonl",
    "gemini-session/ok/basic.jsonl",
    "gemini-session/ok/document.json",
    "goose/ok/lines.jsonl",
    "iflow/ok/basic.jsonl",
    "kimi-context/ok/basic.jsonl",
    "kimi-wire/ok/code.jsonl",
    "kiro/ok/editor.json",
    "kiro/ok/lines/k-9.jsonl",
    "mini-swe-agent/ok/list.traj.json",
    "mini-swe-agent/ok/responses.traj.json",
    "mini-swe-agent/ok/text-mode.traj.json",
    "mini-swe-agent/ok/tool-mode.traj.json",
    "openai-messages/ok/chat.json",
    "openai-messages/ok/lines.jsonl",
    "openai-messages/ok/responses.json",
    "opencode-export/ok/basic.json",
    "opencode-export/ok/compaction.json",
    "opencode-run/ok/basic.jsonl",
    "opencode-share/ok/orphan-part.json",
    "openhands-json/ok/download.json",
    "openhands-json/ok/trajectory.json",
    "pi-session/ok/openclaw.jsonl",
    "pi-session/ok/version-1.jsonl",
    "qwen/ok/basic.jsonl",
    "qwen/ok/compression.jsonl",
    "qwen/ok/older-results.jsonl",
    "sharegpt/ok/rows.json",
];

/// Bytes between two cuts: prime, so that the cuts fall everywhere, and large enough for a debug build.
const STRIDE: usize = 13;

/// Of most of a log something is read.
#[test]
fn near_the_end_leaves_what_stands_before() {
    let mut lost = Vec::new();
    for (_, verdict, path) in crate::cases::all() {
        let ending = path.extension().unwrap_or_default();
        if path.is_dir() || ending == "sql" || verdict == "err" {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let Some(whole) = read(&bytes).filter(|whole| whole.messages.len() > 2) else { continue };
        for tenths in [8, 9] {
            if read(&bytes[..bytes.len() * tenths / 10]).is_none_or(|cut| cut.messages.is_empty()) {
                lost.push(format!("{}: {tenths} of 10, {} messages", path.display(), whole.messages.len()));
            }
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

#[test]
fn of_fixtures_cut_all_over() {
    for name in STEADY {
        let path = format!("{}/fixtures/format/{name}", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(&path).expect("a fixture");
        let whole = read(&bytes).expect("a valid log");
        for cut in (0..bytes.len()).step_by(STRIDE).filter_map(|at| read(&bytes[..at])) {
            holds(&whole, &cut);
        }
    }
}
