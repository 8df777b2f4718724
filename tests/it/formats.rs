//! Formats: every file below `fixtures/format/<name>/ok` is read without a complaint, every one below `err` with one;
//! each is recognised as its folder's format, obeys the laws, and dumps as its snapshot says.

use std::{fmt::Write, path::Path};

use turnpoint::{
    base::diag::{DiagCode, Diagnostics, Severity},
    model::{
        message::{Message, PartKind},
        session::Session,
    },
    pipeline::{self, Reading},
    source::open::Input,
};

use crate::cases::{all as fixtures, name, read};

fn trees(readings: &[Reading]) -> Vec<&Session> {
    readings.iter().flat_map(|r| &r.sessions).flat_map(|s| s.tree()).collect()
}

/// Diagnostics of all sessions and of the input.
fn diagnostics(readings: &[Reading]) -> Diagnostics {
    let mut all = Diagnostics::default();
    for reading in readings {
        all.extend(reading.diagnostics.clone());
    }
    for session in trees(readings) {
        all.extend(session.diagnostics.clone());
    }
    all
}

fn complaints(all: &Diagnostics) -> Vec<(DiagCode, u64)> {
    all.iter().filter(|d| d.0.severity() > Severity::Note).map(|d| (d.0, d.1)).collect()
}

#[test]
fn every_fixture_is_recognised_by_its_own_format_only() {
    for (format, _, path) in fixtures() {
        for reading in read(&path) {
            assert_eq!(reading.format, format, "{}", path.display());
        }
    }
}

#[test]
fn ok_is_read_without_a_complaint_and_err_with_one() {
    for (_, verdict, path) in fixtures() {
        let complaints = complaints(&diagnostics(&read(&path)));
        assert_eq!(complaints.is_empty(), verdict == "ok", "{}: {complaints:?}", path.display());
    }
}

/// Repeats the lines of a log, damage among them, until it is read as many stretches.
fn long(log: &[u8]) -> Vec<u8> {
    let damage: &[u8] = b"\n{\"type\":\n\xff\xfe noise\n\n{\"type\":\"user\"}{\"type\":\"event_msg\"}\n\0\0\n";
    [log, damage].concat().repeat(3_000_000 / (log.len() + damage.len()) + 1)
}

#[test]
fn a_log_reads_the_same_on_one_and_on_many_threads() {
    for (format, _, path) in fixtures().into_iter().filter(|f| f.2.extension().is_some_and(|e| e == "jsonl")) {
        if !["claude-code", "codex-rollout"].contains(&format.as_str()) {
            continue;
        }
        let log = long(&std::fs::read(&path).expect("a fixture"));
        let read = || pipeline::read(&Input::from_bytes("log.jsonl", log.clone()), Default::default()).ok();
        let many = read();
        let (one, _) = rayon::join(read, || ());
        assert!(many == one, "{}", path.display());
    }
}

#[test]
fn the_laws_hold() {
    for (_, _, path) in fixtures() {
        let readings = read(&path);
        assert!(readings.iter().all(|r| r.unassigned.balanced()), "{}", path.display());
        for session in trees(&readings) {
            laws(session, &path);
        }
    }
}

fn laws(session: &Session, path: &Path) {
    let at = path.display();
    assert!(session.accounting.balanced(), "{at}: {:?}", session.accounting);
    let firsts: Vec<u32> = session.steps.iter().map(|s| s.first.0).collect();
    assert!(firsts.is_sorted_by(|a, b| a < b), "{at}: steps rise");
    assert_eq!(firsts.first().copied().unwrap_or(0), 0, "{at}: the first step begins with the first message");
    for (i, step) in session.steps.iter().enumerate() {
        let end = firsts.get(i + 1).copied().unwrap_or(session.messages.len() as u32);
        assert!(step.first <= step.main && step.main.0 < end, "{at}: a step holds what it is about");
    }
    for (index, message) in session.iter() {
        assert_eq!(message.call.is_some(), message.tool().is_some(), "{at}");
        assert!(message.parts.iter().filter(|p| p.kind == PartKind::Output).count() <= 1, "{at}: one result at most");
        assert_eq!(session.numbered(message.number), Some(index), "{at}: numbers are unique");
    }
}

#[test]
fn records_tile_the_lines() {
    let lines = |path: &Path| path.extension().is_some_and(|ending| ending == "jsonl" || ending == "cast");
    for (_, _, path) in fixtures().into_iter().filter(|fixture| lines(&fixture.2)) {
        let readings = read(&path);
        let reading = &readings[0];
        let bytes = std::fs::read(&path).expect("readable");
        let lines = bytes.split(|b| *b == b'\n').filter(|l| l.iter().any(|b| !b" \t\r\0".contains(b))).count() as u64;
        let records: u64 =
            reading.sessions.iter().map(|s| s.tree_accounting().read).sum::<u64>() + reading.unassigned.read;
        let glued = diagnostics(&readings).count(DiagCode::RecordsGlued);
        // Glued records count each: so far every such line of a fixture holds two.
        assert_eq!(records, lines + glued, "{}", path.display());
    }
}

#[test]
fn dumps_are_as_reviewed() {
    for (format, verdict, path) in fixtures() {
        let readings = read(&path);
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(format!("../../fixtures/format/{format}/dump"));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(format!("{verdict}-{}", name(&path)), dump(&readings)));
    }
}

/// A reading for people.
fn dump(readings: &[Reading]) -> String {
    let mut out = String::new();
    for reading in readings {
        for session in &reading.sessions {
            session_dump(&mut out, session, 0);
        }
        if reading.unassigned.read > 0 {
            writeln!(out, "unassigned {:?}", reading.unassigned).expect("a string");
        }
        diagnostics_dump(&mut out, &reading.diagnostics, "");
    }
    out
}

fn session_dump(out: &mut String, session: &Session, depth: usize) {
    let pad = "  ".repeat(depth);
    let info = &session.info;
    let mut line = |text: String| writeln!(out, "{pad}{text}").expect("a string");
    line(format!("session {:?} title {:?} cwd {:?} branch {:?}", info.id, info.title, info.cwd, info.branch));
    line(format!(
        "  version {:?} models {:?} parent {:?} by {:?}",
        info.version, info.models, info.parent, info.spawned_by
    ));
    if info.agent.is_some() || info.continues.is_some() || info.usage.is_some() {
        line(format!("  agent {:?} continues {:?} usage {:?}", info.agent, info.continues, info.usage));
    }
    let a = &session.accounting;
    line(format!(
        "  read {} used {} skipped {:?} unknown {:?} damaged {}",
        a.read, a.used, a.skipped, a.unknown, a.damaged
    ));
    for (index, message) in session.iter() {
        for notice in session.notices.iter().filter(|n| n.before == index.0) {
            line(format!("   -- {:?} (line {}) {:?}", notice.kind, notice.place.line, notice.text));
        }
        let step = session.step_of(index).0;
        message_dump(message, step).into_iter().for_each(&mut line);
    }
    for notice in session.notices.iter().filter(|n| n.before as usize >= session.messages.len()) {
        line(format!("   -- {:?} (line {}) {:?}", notice.kind, notice.place.line, notice.text));
    }
    for branch in &session.branches {
        line(format!("  branch after {:?}: {} records, {:?}", branch.after, branch.records, branch.opening));
    }
    diagnostics_dump(out, &session.diagnostics, &format!("{pad}  "));
    for agent in &session.subagents {
        session_dump(out, agent, depth + 1);
    }
}

fn message_dump(message: &Message, step: u32) -> Vec<String> {
    let ids = &message.ids;
    let id: Vec<&str> =
        [&ids.message, &ids.part, &ids.call].into_iter().flatten().chain(&ids.also).map(String::as_str).collect();
    let mut lines = vec![format!(
        "  {} [step {step}] {:?} {} (line {}, record {})",
        message.number,
        message.kind,
        id.join(" "),
        message.place.line,
        message.place.record
    )];
    let setting = &message.setting;
    if setting != &Default::default() || message.usage.is_some() {
        let usage = message.usage.as_ref().map(|u| format!(" {u:?}")).unwrap_or_default();
        lines.push(format!("      {:?} {:?} {:?}{usage}", setting.model, setting.cwd, setting.branch));
    }
    if let Some(call) = &message.call {
        lines.push(format!("      {} ({:?}) {:?} {:?}", call.name, call.kind, call.outcome, call.exit));
        if call.spawned.is_some() || !call.extra.is_empty() {
            lines.push(format!("      spawned {:?} extra {:?}", call.spawned, call.extra));
        }
    }
    for part in &message.parts {
        let name = part.name.as_deref().unwrap_or_default();
        let cut = part.cut.map(|c| format!(" cut {c:?}")).unwrap_or_default();
        lines.push(format!("      {:?} {name} {:?}{cut}", part.kind, part.text));
    }
    lines
}

fn diagnostics_dump(out: &mut String, all: &Diagnostics, pad: &str) {
    for (code, count, kept) in all.iter() {
        let first = &kept[0];
        writeln!(
            out,
            "{pad}{:?} {} x{count}: record {}: {}",
            code.severity(),
            code.name(),
            first.place.record,
            first.detail
        )
        .expect("a string");
    }
}
