//! `phases` and `turning-points` for a person at a terminal, or as Markdown.

use std::collections::BTreeMap;

use unicode_width::UnicodeWidthStr;

use super::Form;
use crate::{
    base::ids::StepIdx,
    model::{
        facts::Facts,
        findings::Findings,
        message::{MessageKind, ToolKind},
        phase::{Phase, Term, TurningPoint},
        session::Session,
    },
    text::{number::count, quote},
};

/// Whether the terms of each boundary are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reasons {
    /// Phases alone.
    Hidden,
    /// Under each phase, the terms that made its beginning.
    Shown,
}

/// Longest bar, in cells.
const BAR: usize = 24;

/// The phases, one line each.
pub fn phases(session: &Session, facts: &Facts, findings: &Findings, form: Form, reasons: Reasons) -> String {
    let rows: Vec<Row> = findings.phases.iter().map(|phase| Row::new(session, facts, phase)).collect();
    let mut text = heading(session, findings, form);
    match form {
        Form::Terminal => plain_rows(&mut text, session, &rows, findings, reasons),
        Form::Markdown => markdown_rows(&mut text, session, &rows, findings, reasons),
    }
    if reasons == Reasons::Shown {
        text += &format!("\nWeights: {}\n", findings.weights);
    }
    text.push('\n');
    text
}

fn heading(session: &Session, findings: &Findings, form: Form) -> String {
    let title = session.info.title.as_deref().unwrap_or(&session.info.id);
    let title = quote::shorten(title.lines().next().unwrap_or_default(), 80);
    let (steps, messages) =
        (count(session.steps.len(), "step", "steps"), count(session.messages.len(), "message", "messages"));
    let number = count(findings.phases.len(), "phase", "phases");
    match form {
        Form::Terminal => format!("{}: {number}, {steps}, {messages}\n", quote::terminal_line(&title)),
        Form::Markdown => format!("**{}**: {number}, {steps}, {messages}\n\n", quote::inline(&title)),
    }
}

/// A phase as printed.
struct Row {
    kind: &'static str,
    messages: String,
    steps: usize,
    share: f64,
    took: String,
    done: String,
    clear: &'static str,
}

impl Row {
    fn new(session: &Session, facts: &Facts, phase: &Phase) -> Self {
        let steps = (phase.to.0 + 1 - phase.from.0) as usize;
        let number = |at| session.message(at).number;
        let (first, last) = (number(session.step(phase.from).first), number(session.main_of(phase.to)));
        Self {
            kind: phase.kind.word(),
            messages: if first == last { first.to_string() } else { format!("{first}–{last}") },
            steps,
            share: steps as f64 / session.steps.len() as f64,
            took: took(session, phase).unwrap_or_default(),
            done: done(session, facts, phase),
            clear: clearness(phase.boundary),
        }
    }

    fn bar(&self) -> String {
        let cells = ((self.share * BAR as f64).round() as usize).max(1);
        "█".repeat(cells) + &"·".repeat(BAR.saturating_sub(cells))
    }
}

/// Words for the score of a boundary. They are no probabilities.
fn clearness(score: f64) -> &'static str {
    match score {
        s if s >= 0.9 => "clear",
        s if s >= 0.7 => "likely",
        s if s >= 0.5 => "possible",
        _ => "weak",
    }
}

/// Time from the first message of the phase to the end of its last, where both are recorded and in order.
fn took(session: &Session, phase: &Phase) -> Option<String> {
    let from = session.message(session.step(phase.from).first).time?;
    let last = session.message(session.main_of(phase.to));
    let to = last.call.as_ref().and_then(|c| c.ended).or(last.time)?;
    let seconds = (to.millis() - from.millis()).checked_div(1000).filter(|s| *s >= 0)?;
    Some(match seconds {
        s if s < 60 => format!("{s} s"),
        s if s < 3600 => format!("{} min", s / 60),
        s if s < 86_400 => format!("{} h {:02} min", s / 3600, s % 3600 / 60),
        s => format!("{} d {} h", s / 86_400, s % 86_400 / 3600),
    })
}

/// How many kinds of doings a line names.
const DOINGS: usize = 3;

/// What was done most: command classes, tools, texts, with their counts.
fn done(session: &Session, facts: &Facts, phase: &Phase) -> String {
    let (first, last) = (session.step(phase.from).first, session.main_of(phase.to));
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for run in facts.commands.iter().filter(|run| first <= run.message && run.message <= last && run.class.0 != "noop")
    {
        *counts.entry(run.class.0.clone()).or_default() += 1;
    }
    for step in phase.from.0..=phase.to.0 {
        let message = session.message(session.main_of(StepIdx(step)));
        if let Some(word) = doing(message.kind, message.tool()) {
            *counts.entry(word.to_string()).or_default() += 1;
        }
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let named = |(word, n): &(String, usize)| if *n == 1 { word.clone() } else { format!("{word} ×{n}") };
    counts.iter().take(DOINGS).map(named).collect::<Vec<_>>().join(", ")
}

/// Word for a step that is no shell call; those are named by their class.
fn doing(kind: MessageKind, tool: Option<ToolKind>) -> Option<&'static str> {
    match (kind, tool) {
        (MessageKind::User, _) => Some("user"),
        (MessageKind::Text, _) => Some("text"),
        (_, Some(ToolKind::Shell) | None) => None,
        (_, Some(ToolKind::Read)) => Some("read"),
        (_, Some(ToolKind::Edit)) => Some("edit"),
        (_, Some(ToolKind::Write)) => Some("write"),
        (_, Some(ToolKind::Search)) => Some("search"),
        (_, Some(ToolKind::Web)) => Some("web"),
        (_, Some(ToolKind::Todo)) => Some("task list"),
        (_, Some(ToolKind::Agent)) => Some("sub-agent"),
        (_, Some(ToolKind::Question)) => Some("question"),
        (_, Some(ToolKind::Plan)) => Some("plan"),
        (_, Some(ToolKind::Job)) => Some("job"),
        (_, Some(ToolKind::Other)) => Some("other tool"),
    }
}

fn plain_rows(text: &mut String, session: &Session, rows: &[Row], findings: &Findings, reasons: Reasons) {
    let widest = |cell: fn(&Row) -> &str| rows.iter().map(|r| cell(r).width()).max().unwrap_or(0);
    let (kinds, spans, times) = (widest(|r| r.kind), widest(|r| &r.messages), widest(|r| &r.took));
    for (row, phase) in rows.iter().zip(&findings.phases) {
        let percent = format!("{:.0} %", row.share * 100.0);
        let line = format!(
            "{}  {}  {}  {percent:>5}  {}  {}",
            pad(row.kind, kinds),
            row.bar(),
            pad(&row.messages, spans),
            pad(&row.took, times),
            quote::terminal_line(&row.done),
        );
        *text += line.trim_end();
        text.push('\n');
        if reasons == Reasons::Shown && !phase.why.is_empty() {
            *text += &format!("    boundary {} ({:.2}); why:\n", row.clear, phase.boundary);
            for term in &phase.why {
                *text += &format!("    {}\n", quote::terminal_line(&reason(session, term)));
            }
        }
    }
}

fn markdown_rows(text: &mut String, session: &Session, rows: &[Row], findings: &Findings, reasons: Reasons) {
    *text += "| phase | msg | steps | share | time | what was done | boundary |\n|---|---|---:|---:|---|---|---|\n";
    for (i, row) in rows.iter().enumerate() {
        let boundary = if i == 0 { "–" } else { row.clear };
        let done = quote::inline(&row.done);
        *text += &format!(
            "| {} | {} | {} | {:.0} % | {} | {done} | {boundary} |\n",
            row.kind,
            row.messages,
            row.steps,
            row.share * 100.0,
            row.took,
        );
    }
    if reasons == Reasons::Shown {
        for (row, phase) in rows.iter().zip(&findings.phases).filter(|(_, phase)| !phase.why.is_empty()) {
            *text += &format!("\nWhy {} begins at {}:\n\n", row.kind, row.messages);
            for term in &phase.why {
                *text += &format!("- {}\n", quote::inline(&reason(session, term)));
            }
        }
    }
}

/// `+2.0 the user sets an aim [msg 6100]`.
fn reason(session: &Session, term: &Term) -> String {
    let sign = if term.weight < 0.0 { '−' } else { '+' };
    format!("{sign}{:.1} {} [msg {}]", term.weight.abs(), term.what, session.message(term.message).number)
}

fn pad(text: &str, width: usize) -> String {
    text.to_string() + &" ".repeat(width.saturating_sub(text.width()))
}

/// The turning points, ranked, each with its markers and the terms of its score.
pub fn turning_points(session: &Session, findings: &Findings, form: Form) -> String {
    let mut text = match form {
        Form::Terminal => turning_heading(session, findings),
        Form::Markdown => {
            "| rank | msg | what | phases | announced by | why |\n|---:|---|---|---|---|---|\n".to_string()
        }
    };
    for turn in &findings.turns {
        text += &match form {
            Form::Terminal => turn_lines(session, turn),
            Form::Markdown => turn_row(session, turn),
        };
    }
    text.push('\n');
    text
}

fn turning_heading(session: &Session, findings: &Findings) -> String {
    let title = session.info.title.as_deref().unwrap_or(&session.info.id);
    let title = quote::shorten(title.lines().next().unwrap_or_default(), 80);
    format!("{}: {}\n", quote::terminal_line(&title), count(findings.turns.len(), "turning point", "turning points"))
}

/// How many terms of a score are printed.
const TERMS: usize = 4;

fn turn_lines(session: &Session, turn: &TurningPoint) -> String {
    let number = session.message(session.main_of(turn.step)).number;
    let mut text = format!("{:>3}. msg {number}  {}  {}\n", turn.rank, kinds(turn), arc(turn));
    if let Some(words) = words(session, turn) {
        text += &format!("     “{}”\n", quote::terminal_line(&words));
    }
    let markers = markers(session, turn);
    if !markers.is_empty() {
        text += &format!("     announced by msg {markers}\n");
    }
    text += &format!("     score {:.1}: {}\n", turn.score, quote::terminal_line(&reasons(session, turn)));
    text
}

fn turn_row(session: &Session, turn: &TurningPoint) -> String {
    let number = session.message(session.main_of(turn.step)).number;
    let (markers, why) = (markers(session, turn), quote::inline(&reasons(session, turn)));
    format!("| {} | {number} | {} | {} | {markers} | {why} |\n", turn.rank, kinds(turn), arc(turn))
}

fn kinds(turn: &TurningPoint) -> String {
    turn.kinds.iter().map(|k| k.word()).collect::<Vec<_>>().join(", ")
}

fn arc(turn: &TurningPoint) -> String {
    if turn.from == turn.to {
        format!("within {}", turn.to.word())
    } else {
        format!("{} → {}", turn.from.word(), turn.to.word())
    }
}

fn markers(session: &Session, turn: &TurningPoint) -> String {
    let mut numbers: Vec<u32> = turn.markers.iter().map(|m| session.message(*m).number).collect();
    numbers.sort_unstable();
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

fn reasons(session: &Session, turn: &TurningPoint) -> String {
    turn.why.iter().take(TERMS).map(|term| reason(session, term)).collect::<Vec<_>>().join("; ")
}

/// Beginning of the words that announce it, so that a reader recognises the place.
fn words(session: &Session, turn: &TurningPoint) -> Option<String> {
    let message = turn.markers.iter().map(|m| session.message(*m)).find(|m| !m.prose().trim().is_empty())?;
    let line = message.prose().trim().lines().next()?;
    Some(quote::shorten(line, 100).into_owned())
}
