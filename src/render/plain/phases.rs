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
        phase::{Arc, Lane, Phase, Term, TurningPoint},
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

/// What phases are called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Labels {
    /// By their kinds.
    Kinds,
    /// By the groups of their kinds; neighbours of one group and one aim are one stretch.
    Groups,
}

/// What is printed of phases.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shown {
    /// Under each phase.
    pub reasons: Reasons,
    /// Before it.
    pub labels: Labels,
}

/// Longest bar, in cells.
const BAR: usize = 24;

/// The phases, one line each, under the aims that they serve where there are several; then the jobs beside them.
pub fn phases(session: &Session, facts: &Facts, findings: &Findings, form: Form, shown: Shown) -> String {
    let phases = stretches(findings, shown.labels);
    let mut rows: Vec<Row> = phases.iter().map(|phase| Row::new(session, facts, phase)).collect();
    if shown.labels == Labels::Groups {
        rows.iter_mut().zip(&phases).for_each(|(row, phase)| row.kind = phase.kind.group());
    }
    let aims = aims(session, findings);
    let mut text = heading(session, phases.len(), form);
    let table = Table { session, rows: &rows, phases: &phases, aims: &aims, reasons: shown.reasons };
    match form {
        Form::Terminal => table.plain(&mut text),
        Form::Markdown => table.markdown(&mut text),
    }
    lanes(&mut text, session, facts, findings, form);
    if shown.reasons == Reasons::Shown {
        text += &format!("\nWeights: {}\n", findings.weights);
    }
    text.push('\n');
    text
}

/// The phases as they are shown.
fn stretches(findings: &Findings, labels: Labels) -> Vec<Phase> {
    if labels == Labels::Kinds {
        return findings.phases.clone();
    }
    let mut stretches: Vec<Phase> = Vec::new();
    for phase in &findings.phases {
        let new_aim = findings.arcs.iter().any(|arc| arc.from == phase.from);
        match stretches.last_mut() {
            Some(last) if last.kind.group() == phase.kind.group() && !new_aim => last.to = phase.to,
            _ => stretches.push(phase.clone()),
        }
    }
    stretches
}

/// First steps of the arcs with the beginning of the user's words; none where the session has one aim.
fn aims(session: &Session, findings: &Findings) -> Vec<(StepIdx, String)> {
    if findings.arcs.len() < 2 {
        return Vec::new();
    }
    let words = |arc: &Arc| match arc.goal {
        Some(at) => {
            let message = session.message(at);
            let line = message.prose().trim().lines().next().unwrap_or_default();
            format!("msg {}: “{}”", message.number, quote::shorten(line, 80))
        }
        None => format!("msg {}: a new plan", session.message(session.main_of(arc.from)).number),
    };
    findings.arcs.iter().map(|arc| (arc.from, words(arc))).collect()
}

fn heading(session: &Session, phases: usize, form: Form) -> String {
    let title = session.info.title.as_deref().unwrap_or(&session.info.id);
    let title = quote::shorten(title.lines().next().unwrap_or_default(), 80);
    let (steps, messages) =
        (count(session.steps.len(), "step", "steps"), count(session.messages.len(), "message", "messages"));
    let number = count(phases, "phase", "phases");
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

/// Phases as they are laid out.
struct Table<'a> {
    session: &'a Session,
    rows: &'a [Row],
    phases: &'a [Phase],
    aims: &'a [(StepIdx, String)],
    reasons: Reasons,
}

impl Table<'_> {
    /// The aim that begins with a phase.
    fn aim(&self, phase: &Phase) -> Option<&str> {
        self.aims.iter().find(|aim| aim.0 == phase.from).map(|aim| aim.1.as_str())
    }

    fn plain(&self, text: &mut String) {
        let widest = |cell: fn(&Row) -> &str| self.rows.iter().map(|r| cell(r).width()).max().unwrap_or(0);
        let (kinds, spans, times) = (widest(|r| r.kind), widest(|r| &r.messages), widest(|r| &r.took));
        for (row, phase) in self.rows.iter().zip(self.phases) {
            if let Some(aim) = self.aim(phase) {
                *text += &format!("▸ {}\n", quote::terminal_line(aim));
            }
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
            if self.reasons == Reasons::Shown && !phase.why.is_empty() {
                *text += &format!("    boundary {} ({:.2}); why:\n", row.clear, phase.boundary);
                for term in &phase.why {
                    *text += &format!("    {}\n", quote::terminal_line(&reason(self.session, term)));
                }
            }
        }
    }

    fn markdown(&self, text: &mut String) {
        *text += "| phase | msg | steps | share | time | what was done | boundary |\n|---|---|---:|---:|---|---|---|\n";
        for (i, (row, phase)) in self.rows.iter().zip(self.phases).enumerate() {
            if let Some(aim) = self.aim(phase) {
                *text += &format!("| ▸ {} | | | | | | |\n", quote::inline(aim));
            }
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
        if self.reasons == Reasons::Shown {
            for (row, phase) in self.rows.iter().zip(self.phases).filter(|(_, phase)| !phase.why.is_empty()) {
                *text += &format!("\nWhy {} begins at {}:\n\n", row.kind, row.messages);
                for term in &phase.why {
                    *text += &format!("- {}\n", quote::inline(&reason(self.session, term)));
                }
            }
        }
    }
}

/// How many jobs are named.
const LANES: usize = 6;

/// Services and background jobs, each with the stretch of the session over which it is seen.
fn lanes(text: &mut String, session: &Session, facts: &Facts, findings: &Findings, form: Form) {
    let lines: Vec<String> = findings.lanes.iter().map(|lane| beside(session, facts, lane)).collect();
    if lines.is_empty() {
        return;
    }
    let heading = if form == Form::Markdown { "\nBeside the phases:\n\n" } else { "beside the phases:\n" };
    *text += heading;
    for line in lines.iter().take(LANES) {
        *text += &match form {
            Form::Terminal => format!("  {}\n", quote::terminal_line(line)),
            Form::Markdown => format!("- {}\n", quote::inline(line)),
        };
    }
    if lines.len() > LANES {
        *text += &format!("  and {} more\n", lines.len() - LANES);
    }
}

/// `48–70 web (service), ended`.
fn beside(session: &Session, facts: &Facts, lane: &Lane) -> String {
    let job = &facts.jobs[lane.job];
    let number = |step| session.message(session.main_of(step)).number;
    let what = if job.service { "service" } else { "job" };
    let end = if lane.ended { "ended" } else { "no end shown" };
    format!("{}–{}  {} ({what}), {end}", number(lane.from), number(lane.to), job.name)
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
