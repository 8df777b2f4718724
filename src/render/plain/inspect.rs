//! `inspect` for a person: what was recognised, what became of every record, what is odd, and what the log does not
//! tell.

use std::collections::BTreeMap;

use super::show;
use crate::{
    base::{
        diag::{DiagCode, Diagnostics, Severity},
        locate::Locator,
    },
    model::{
        accounting::Accounting,
        facts::Facts,
        message::{Cut, MessageKind, NoticeKind, PartKind, ToolKind, Usage},
        session::Session,
    },
    text::{
        number::{clock, count, plain},
        quote::{shorten, terminal_line},
        redact::Redaction,
    },
};

/// What is told of an input as a whole.
pub struct Overview<'a> {
    /// Name of the input.
    pub input: &'a str,
    /// Names of inputs that tell the same story and were joined with it.
    pub also: &'a [String],
    /// What each format said, the one that read it first: `(name, score, reason)`.
    pub answers: &'a [(&'static str, u8, String)],
    /// Whether the reasons of those that declined are wanted.
    pub why: bool,
    /// Records that belong to no session.
    pub unassigned: &'a Accounting,
    /// What was odd about the input as a whole.
    pub diagnostics: &'a Diagnostics,
    /// What was redacted.
    pub redactions: &'a [Redaction],
}

/// The part about the input.
pub fn overview(of: &Overview) -> String {
    let mut out = vec![row("input", &terminal_line(of.input))];
    out.extend(of.also.iter().map(|name| row("joined with", &terminal_line(name))));
    out.extend(formats(of.answers, of.why));
    if of.unassigned.read > 0 {
        out.extend(accounting("no session", of.unassigned));
    }
    for (i, redaction) in of.redactions.iter().enumerate() {
        let label = if i == 0 { "redacted" } else { "" };
        let places = count(redaction.places as usize, "place", "places");
        out.push(row(label, &format!("{} in {places}", redaction.marker)));
    }
    out.extend(diagnostics(of.diagnostics));
    out.concat()
}

/// Which format, and which others also knew the input; why the rest declined only where it is asked for.
pub fn formats(answers: &[(&'static str, u8, String)], why: bool) -> Vec<String> {
    let surest = answers.iter().map(|answer| answer.1).max().unwrap_or(0);
    let (known, declined): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.1 > 0);
    let mut rows = Vec::new();
    for (i, (name, score, reason)) in known.into_iter().enumerate() {
        let settled = match (i, *score == surest) {
            (0, true) => "",
            (0, false) => "; the surer ones found no turn",
            (_, true) => "; as sure, and later in the list",
            (_, false) => "",
        };
        let label = if i == 0 { "format" } else { "also knows it" };
        rows.push(row(label, &format!("{name} ({score}): {}{settled}", terminal_line(reason))));
    }
    match why {
        true => rows.extend(
            declined.iter().map(|(name, _, reason)| row("declined", &format!("{name}: {}", terminal_line(reason)))),
        ),
        false => {
            rows.push(row("", &format!("{} declined (--why tells why)", count(declined.len(), "other", "others"))))
        }
    }
    rows
}

/// The part about one session and what was read off it.
pub fn session(session: &Session, facts: &Facts) -> String {
    let snapshots = facts.todos.len();
    let mut out = vec!["\n".to_string(), row("session", &terminal_line(&name(session)))];
    out.extend(origin(session));
    out.push(row("messages", &messages(session)));
    out.push(row("steps", &format!("{}, numbered from 0", session.steps.len())));
    out.push(row("numbers", session.numbering.name()));
    let todos = session.tree().iter().flat_map(|s| &s.messages).filter(|m| m.tool() == Some(ToolKind::Todo)).count();
    if todos + snapshots > 0 {
        out.push(row("todos", &format!("{}, {}", count(todos, "call", "calls"), count(snapshots, "list", "lists"))));
    }
    out.extend(accounting("records", &session.accounting));
    let mut odd = session.diagnostics.clone();
    odd.extend(facts.diagnostics.clone());
    out.extend(diagnostics(&odd));
    out.extend(beside(session));
    out.extend(silent(session));
    out.concat()
}

/// One line a step: its number, its message, what it is, how it ended, its first words.
pub fn steps(session: &Session) -> String {
    let mut out = "\n  step   msg  what\n".to_string();
    for (number, step) in session.steps.iter().enumerate() {
        let message = session.message(step.main);
        let words = match message.kind {
            MessageKind::Tool => message
                .command()
                .or(message.path())
                .unwrap_or_else(|| message.part(PartKind::Input).map_or("", |part| part.text.as_str())),
            _ => message.prose(),
        };
        let ended = show::ended(message).filter(|e| e != "ok").map(|e| format!(" ({e})")).unwrap_or_default();
        let first = shorten(words, 400);
        let line =
            format!("{number:>6} {:>5}  {}{ended}: {}", message.number, show::what(message), terminal_line(&first));
        out += &shorten(&line, 160);
        out.push('\n');
    }
    out
}

fn row(label: &str, text: &str) -> String {
    format!("{label:<14}{text}\n")
}

fn name(session: &Session) -> String {
    match &session.info.title {
        Some(title) => format!("{} “{title}”", session.info.id),
        None => session.info.id.clone(),
    }
}

/// When, where, by what.
fn origin(session: &Session) -> Vec<String> {
    let info = &session.info;
    let mut rows = Vec::new();
    if let Some((from, to)) = session.started().zip(session.ended()) {
        let long = clock(to.millis() - from.millis());
        rows.push(row("covers", &format!("{} to {}, {long}", from.iso(), to.iso())));
    }
    let facts = [
        ("agent", info.agent.clone()),
        ("model", (!info.models.is_empty()).then(|| info.models.join(", "))),
        ("version", info.version.clone()),
        ("directory", info.cwd.clone()),
        ("branch", info.branch.clone()),
        ("started by", info.parent.clone()),
        ("continues", info.continues.clone()),
        ("holds also", (!info.also.is_empty()).then(|| info.also.join(", "))),
        ("tokens", tokens(&session.usage())),
    ];
    rows.extend(facts.into_iter().filter_map(|(label, text)| text.map(|t| row(label, &terminal_line(&t)))));
    rows
}

/// `1200 in, 340 out, 90000 read from a cache; $0.0421`; nothing where the log records neither.
fn tokens(usage: &Usage) -> Option<String> {
    let counts = [
        (usage.input, "in"),
        (usage.output, "out"),
        (usage.reasoning, "of it reasoning"),
        (usage.cache_read, "read from a cache"),
        (usage.cache_write, "written to a cache"),
    ];
    let counts: Vec<String> = counts.iter().filter_map(|(n, what)| Some(format!("{} {what}", (*n)?))).collect();
    let cost = usage.cost.map(|cost| format!("${}", plain((cost * 1e6).round() / 1e6)));
    let told: Vec<String> = [counts.join(", ")].into_iter().filter(|text| !text.is_empty()).chain(cost).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// `46: 2 of the user, 4 texts, 40 tool calls (Bash 25, Edit 5, …)`
fn messages(session: &Session) -> String {
    let of = |kind| session.messages.iter().filter(|m| m.kind == kind).count();
    let mut tools: BTreeMap<&str, usize> = BTreeMap::new();
    for call in session.messages.iter().filter_map(|m| m.call.as_ref()) {
        *tools.entry(&call.name).or_default() += 1;
    }
    let mut tools: Vec<_> = tools.into_iter().collect();
    tools.sort_by_key(|(name, n)| (std::cmp::Reverse(*n), *name));
    let named: Vec<String> = tools.iter().take(8).map(|(name, n)| format!("{} {n}", terminal_line(name))).collect();
    let more = if tools.len() > 8 { ", …" } else { "" };
    let calls = count(of(MessageKind::Tool), "tool call", "tool calls");
    let texts = count(of(MessageKind::Text), "text", "texts");
    let which = if named.is_empty() { String::new() } else { format!(" ({}{more})", named.join(", ")) };
    format!("{}: {} of the user, {texts}, {calls}{which}", session.messages.len(), of(MessageKind::User))
}

/// The law, with numbers, and the reasons below it.
fn accounting(label: &str, a: &Accounting) -> Vec<String> {
    let sum = format!(
        "{} read = {} used + {} skipped + {} unknown + {} damaged",
        a.read,
        a.used,
        a.skipped_total(),
        a.unknown_total(),
        a.damaged
    );
    let mut rows = vec![row(label, &sum)];
    for (what, reasons) in [("skipped", &a.skipped), ("unknown", &a.unknown)] {
        rows.extend(reasons.iter().map(|(reason, n)| row("", &format!("{what} {n} {}", terminal_line(reason)))));
    }
    rows
}

fn diagnostics(all: &Diagnostics) -> Vec<String> {
    let mut rows = Vec::new();
    for (code, n, kept) in all.iter() {
        let severity = match code.severity() {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        rows.push(row(severity, &format!("{} × {n}: {}", code.name(), code.about())));
        rows.extend(kept.iter().map(|one| row("", &format!("{}{}", place(one.place), terminal_line(&one.detail)))));
        if n as usize > kept.len() {
            rows.push(row("", &format!("and {} more", n as usize - kept.len())));
        }
    }
    rows
}

/// `record 12 (line 12): `; nothing for what concerns the whole input.
fn place(at: Locator) -> String {
    match (at.record, at.line) {
        (0, _) => String::new(),
        (record, 0) => format!("record {record}, byte {}: ", at.bytes.start),
        (record, line) => format!("record {record}, line {line}: "),
    }
}

/// Sub-agents, left-behind branches, compactions and other notices.
fn beside(session: &Session) -> Vec<String> {
    let mut rows = Vec::new();
    for agent in &session.subagents {
        let by = agent.info.spawned_by.as_deref().map(|id| format!(", by {id}")).unwrap_or_default();
        let text = format!("{}: {}{by}", name(agent), count(agent.messages.len(), "message", "messages"));
        rows.push(row("sub-agent", &terminal_line(&text)));
    }
    for branch in &session.branches {
        let records = count(branch.records as usize, "record", "records");
        let opening = shorten(&branch.opening, 60);
        rows.push(row("left branch", &terminal_line(&format!("{records}: {opening}"))));
    }
    let kinds = [
        (NoticeKind::Compaction, "compacted"),
        (NoticeKind::Interruption, "interrupted"),
        (NoticeKind::Fault, "faults"),
        (NoticeKind::Meta, "meta"),
    ];
    for (kind, label) in kinds {
        let at: Vec<String> = session
            .notices
            .iter()
            .filter(|notice| notice.kind == kind)
            .map(|notice| {
                session.messages.get(notice.before as usize).map_or("the end".into(), |m| m.number.to_string())
            })
            .collect();
        if !at.is_empty() {
            let more = if at.len() > 10 { ", …" } else { "" };
            let places = at.iter().take(10).cloned().collect::<Vec<_>>().join(", ");
            rows.push(row(label, &format!("{}, before message {places}{more}", count(at.len(), "time", "times"))));
        }
    }
    rows
}

/// What the log does not tell, a line each.
fn silent(session: &Session) -> Vec<String> {
    let missing = missing(session);
    missing.iter().enumerate().map(|(i, text)| row(if i == 0 { "not in it" } else { "" }, text)).collect()
}

/// What the log does not tell, so that its silence is not taken for a finding: one clause each.
pub fn missing(session: &Session) -> Vec<String> {
    let all = session.messages.len();
    let timeless = session.messages.iter().filter(|m| m.time.is_none()).count();
    let cut = |kind: Cut| session.messages.iter().flat_map(|m| &m.parts).filter(|p| p.cut == Some(kind)).count();
    let odd = |code: DiagCode| session.diagnostics.count(code) as usize;
    let mut told = Vec::new();
    let mut say = |text: String| told.push(text);
    if let Some(origin) = &session.info.continues {
        say(format!("what came before: it goes on from session {}", terminal_line(origin)));
    }
    if odd(DiagCode::ParentMissing) > 0 {
        say(format!("what {} refer to as their parents", count(odd(DiagCode::ParentMissing), "record", "records")));
    }
    if odd(DiagCode::RecordTorn) > 0 {
        say("what follows the torn end".into());
    }
    if session.accounting.damaged > 0 {
        say(format!("{} that could not be read", count(session.accounting.damaged as usize, "record", "records")));
    }
    let open = session.messages.iter().filter(|m| m.call.as_ref().is_some_and(|c| c.result_at.is_none())).count();
    if open > 0 {
        say(format!("the {} of {}", if open == 1 { "result" } else { "results" }, count(open, "call", "calls")));
    }
    if !session.info.records_outcome {
        say("whether a call failed: this format does not record it".into());
    }
    if timeless > 0 {
        say(format!("the time of {timeless} of {}", count(all, "message", "messages")));
    }
    for (kind, about) in [
        (Cut::End, "cut off in the log"),
        (Cut::ByTool, "shortened by the tool"),
        (Cut::Placeholder, "replaced by a placeholder"),
    ] {
        if cut(kind) > 0 {
            say(format!("{} {about}", count(cut(kind), "text", "texts")));
        }
    }
    told
}
