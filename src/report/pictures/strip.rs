//! The session over its messages: one row for each kind of phase, turning points, tasks, services and background jobs.

use super::{Draft, spot};
use crate::{
    base::ids::MessageIdx,
    model::{
        article::{ArticleRow, ArticleTable, Piece},
        facts::{Job, JobState},
        phase::{Phase, PhaseKind, TurningPoint},
        picture::{Drawing, JobRow, JobStretch, PhaseRow, Spot, Strip, TaskRow, Turn},
        todo::{LedgerEntry, TodoStatus},
    },
    report::{
        Material,
        phrase::{flat, shortened},
    },
    text::number,
};

/// Fewer stretches than this are told in a sentence.
const FEWEST: usize = 3;
/// As many phases are named in the title.
const NAMED: usize = 6;
/// Most turning points that are marked.
const TURNS: usize = 6;
/// Most tasks, and most jobs, that are drawn.
const TASKS: usize = 8;
const JOBS: usize = 5;
/// Round numbers on the axis, about.
const TICKS: u32 = 8;
/// Most words of a task's text in the table.
const WORDS: usize = 16;

/// See the module.
pub fn make(m: &Material) -> Vec<Draft> {
    draft(m).into_iter().collect()
}

fn draft(m: &Material) -> Option<Draft> {
    let phases: Vec<&Phase> = m.findings.phases.iter().filter(|p| within(m, p).is_some()).collect();
    let mut kinds = phases.iter().map(|p| p.kind).collect::<Vec<_>>();
    kinds.dedup();
    if kinds.len() < FEWEST {
        return None;
    }
    let turns: Vec<&TurningPoint> =
        m.findings.turns.iter().filter(|t| m.told(m.session.main_of(t.step))).take(TURNS).collect();
    let (tasks, more_tasks) = tasks(m);
    let (jobs, more_jobs) = jobs(m);
    let rows = phase_rows(m, &phases)
        .chain(turns.iter().filter_map(|t| turn_row(m, t)))
        .chain(tasks.iter().filter_map(|t| task_row(m, t)))
        .chain(jobs.iter().flat_map(|(job, row)| job_rows(m, job, row)))
        .collect();
    let strip = Strip {
        from: spot(m, m.from),
        to: spot(m, m.to),
        ticks: ticks(m),
        phases: by_kind(m, &phases),
        turns: turns.iter().map(|t| turn(m, t)).collect(),
        tasks: tasks.iter().map(|t| task(m, t)).collect(),
        more_tasks,
        jobs: jobs.into_iter().map(|(_, row)| row).collect(),
        more_jobs,
    };
    let head = ["what", "which", "first", "last", "state"].map(|h| vec![Piece::Glue(h)]).to_vec();
    Some(Draft {
        title: title(&strip, &kinds),
        description: description(&strip, kinds.len()),
        drawing: Drawing::Strip(strip),
        table: ArticleTable { lead: None, head, rows },
    })
}

/// The phases by name where they are few.
fn title(strip: &Strip, kinds: &[PhaseKind]) -> String {
    let words: Vec<&str> = kinds.iter().map(|k| k.word()).collect();
    let phases = if words.len() <= NAMED { words.join(" → ") } else { said(words.len(), "phase") };
    format!("How it went: {phases} (messages {}–{})", strip.from.number, strip.to.number)
}

/// `1 phase`, `4 phases`.
fn said(n: usize, noun: &str) -> String {
    number::count(n, noun, &format!("{noun}s"))
}

fn description(strip: &Strip, stretches: usize) -> String {
    let longest = strip.phases.iter().max_by_key(|row| {
        let length = row.stretches.iter().map(|(from, to)| to.at.0 + 1 - from.at.0).sum::<u32>();
        (length, std::cmp::Reverse(row.kind))
    });
    let mut text = format!(
        "A strip over the messages {} to {}, one row for each kind of phase: {}.",
        strip.from.number,
        strip.to.number,
        said(stretches, "phase")
    );
    if let Some(row) = longest {
        text += &format!(" Most messages lie in {}.", row.kind.word());
    }
    if !strip.turns.is_empty() {
        text += &format!(" {} marked by rank.", said(strip.turns.len(), "turning point"));
    }
    let all = strip.tasks.len() + strip.more_tasks;
    if all > 0 {
        let open = strip.tasks.iter().filter(|t| t.end() != "completed").count();
        text += &format!(
            " {} of the task lists: {} drawn, {open} of these not completed.",
            said(all, "item"),
            strip.tasks.len()
        );
    }
    if !strip.jobs.is_empty() {
        text +=
            &format!(" {} beside the phases.", said(strip.jobs.len() + strip.more_jobs, "service or background job"));
    }
    text
}

/// First and last message of a phase, as far as they are told.
fn within(m: &Material, phase: &Phase) -> Option<(MessageIdx, MessageIdx)> {
    let (from, to) = (m.first_of(phase.from).max(m.from), m.last_of(phase.to).min(m.to));
    (from <= to).then_some((from, to))
}

/// Messages whose numbers are round, evenly spread.
fn ticks(m: &Material) -> Vec<Spot> {
    let number = |at: u32| m.session.message(MessageIdx(at)).number;
    let (first, last) = (number(m.from.0), number(m.to.0));
    let rough = (last.saturating_sub(first) / TICKS).max(1);
    let power = 10u32.pow(rough.ilog10());
    let step = [1, 2, 5, 10].into_iter().map(|k| k * power).find(|s| *s >= rough).unwrap_or(rough);
    let all = (m.from.0..=m.to.0).map(|at| spot(m, MessageIdx(at)));
    all.filter(|s| s.number % step == 0).collect()
}

fn by_kind(m: &Material, phases: &[&Phase]) -> Vec<PhaseRow> {
    let mut rows: Vec<PhaseRow> = Vec::new();
    for phase in phases {
        let Some((from, to)) = within(m, phase) else { continue };
        let stretch = (spot(m, from), spot(m, to));
        match rows.iter_mut().find(|row| row.kind == phase.kind) {
            Some(row) => row.stretches.push(stretch),
            None => rows.push(PhaseRow { kind: phase.kind, stretches: vec![stretch] }),
        }
    }
    rows
}

fn phase_rows<'a>(m: &'a Material, phases: &'a [&Phase]) -> impl Iterator<Item = ArticleRow> + use<'a> {
    phases.iter().filter_map(|phase| {
        let (from, to) = within(m, phase)?;
        let phrase = m.inferred("phase-strip").say("phase").cell().word(phase.kind.word());
        phrase.cell().number(from).cell().number(to).cell().say("–").row()
    })
}

fn turn(m: &Material, turn: &TurningPoint) -> Turn {
    Turn { rank: turn.rank, at: spot(m, m.session.main_of(turn.step)), what: what(turn) }
}

/// `problem closed (debug → verify)`; a turn within a phase has one word for it.
fn what(turn: &TurningPoint) -> String {
    let kinds: Vec<String> = turn.kinds.iter().take(2).map(|k| k.word().replace('-', " ")).collect();
    let phases = match turn.from == turn.to {
        true => turn.to.word().to_string(),
        false => format!("{} → {}", turn.from.word(), turn.to.word()),
    };
    format!("{} ({phases})", kinds.join(", "))
}

fn turn_row(m: &Material, turn: &TurningPoint) -> Option<ArticleRow> {
    let at = m.session.main_of(turn.step);
    let phrase = m.inferred("turning-point").say("turning point ").count(turn.rank).cell().word(what(turn));
    phrase.cell().number(at).cell().number(at).cell().say("–").row()
}

/// The tasks that are drawn, and how many are not: what did not simply go from pending to completed comes first, then
/// what was worked on longest.
fn tasks<'a>(m: &Material<'a>) -> (Vec<&'a LedgerEntry>, usize) {
    let told =
        |e: &&LedgerEntry| e.first <= m.to && e.history.iter().any(|(at, _)| *at <= m.to) && last_seen(e) >= m.from;
    let all: Vec<&LedgerEntry> = m.findings.ledger.iter().filter(told).collect();
    let odd = |e: &LedgerEntry| e.finished.is_none() || !e.reopened.is_empty();
    let worked = |e: &LedgerEntry| match (e.started, e.finished) {
        (Some(from), Some(to)) => to.0.saturating_sub(from.0),
        _ => 0,
    };
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|i| (!odd(all[*i]), std::cmp::Reverse(worked(all[*i])), *i));
    order.truncate(TASKS);
    order.sort_unstable();
    let more = all.len() - order.len();
    (order.into_iter().map(|i| all[i]).collect(), more)
}

fn last_seen(entry: &LedgerEntry) -> MessageIdx {
    entry.seen.last().map_or(entry.first, |sight| sight.last)
}

fn task(m: &Material, entry: &LedgerEntry) -> TaskRow {
    let gone = entry.dropped.filter(|at| *at <= m.to);
    let until = gone.unwrap_or(m.to);
    let changes: Vec<(MessageIdx, TodoStatus)> = entry.history.iter().filter(|(at, _)| *at <= m.to).copied().collect();
    let ends = changes.iter().skip(1).map(|(at, _)| *at).chain([until]);
    let stretches = changes.iter().zip(ends).filter(|(_, end)| *end >= m.from);
    let stretch = |(at, status): &(MessageIdx, TodoStatus), end: MessageIdx| {
        (spot(m, (*at).max(m.from)), spot(m, end.max(*at).max(m.from)), *status)
    };
    TaskRow {
        label: flat(&entry.content),
        stretches: stretches.map(|(change, end)| stretch(change, end)).collect(),
        dropped: gone.map(|at| spot(m, at)),
    }
}

/// `| task | its text | first | last | pending (3), in progress (7), completed (40) |`
fn task_row(m: &Material, entry: &LedgerEntry) -> Option<ArticleRow> {
    let evidence = entry.evidence.last()?;
    let words = m.session.cite_words(evidence.message(), &entry.content).unwrap_or_else(|| evidence.clone());
    let row = task(m, entry);
    let phrase = m.derived("task-life").say("task").cell().plain(&shortened(m.session, &words, WORDS));
    let last = row.dropped.map_or(last_seen(entry).min(m.to), |at| at.at);
    let phrase = phrase.cell().number(entry.first).cell().number(last).cell();
    let changes = entry.history.iter().filter(|(at, _)| *at <= m.to).map(|(at, status)| (status.word(), *at));
    let states = changes.chain(row.dropped.map(|at| ("dropped", at.at)));
    phrase.list(states, ", ", ", ", |p, (word, at)| p.word(word.replace('_', " ")).say(" (").number(at).say(")")).row()
}

/// Services and background jobs that are seen at more than one step, those that are seen longest, by their starts; and
/// how many are left out.
fn jobs<'a>(m: &Material<'a>) -> (Vec<(&'a Job, JobRow)>, usize) {
    let row = |job: &'a Job| {
        let row = JobRow { label: flat(&job.name), stretches: stretches(m, job) };
        (!row.stretches.is_empty()).then_some((job, row))
    };
    let all: Vec<(&Job, JobRow)> = m.findings.lanes.iter().filter_map(|lane| row(&m.facts.jobs[lane.job])).collect();
    let seen = |row: &JobRow| row.stretches.iter().map(|s| s.to.at.0 - s.from.at.0).sum::<u32>();
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|i| (std::cmp::Reverse(seen(&all[*i].1)), *i));
    order.truncate(JOBS);
    let more = all.len() - order.len();
    let kept = all.into_iter().enumerate().filter(|(i, _)| order.contains(i));
    (kept.map(|(_, job)| job).collect(), more)
}

/// When a job is seen to run: from one start or sign of life to the end, or to the last sign before the next start.
fn stretches(m: &Material, job: &Job) -> Vec<JobStretch> {
    let mut all: Vec<JobStretch> = Vec::new();
    for (at, state, _) in job.readings.iter().filter(|r| m.told(r.0)) {
        let ended = matches!(state, JobState::Stopped | JobState::Failed);
        let goes_on = all.last().is_some_and(|s| !s.ended) && *state != JobState::Started;
        let (to, word) = (spot(m, *at), state_word(*state));
        match all.last_mut() {
            Some(last) if goes_on => *last = JobStretch { to, state: word, ended, ..*last },
            _ => all.push(JobStretch { from: to, to, state: word, ended }),
        }
    }
    all
}

fn state_word(state: JobState) -> &'static str {
    match state {
        JobState::Started => "started",
        JobState::Progress(..) | JobState::Running => "running",
        JobState::Ready => "ready",
        JobState::Stopped => "stopped",
        JobState::Failed => "failed",
    }
}

/// A row for each stretch.
fn job_rows(m: &Material, job: &Job, row: &JobRow) -> Vec<ArticleRow> {
    let one = |stretch: &JobStretch| {
        let (from, to) = (stretch.from.at, stretch.to.at);
        let readings = || job.readings.iter().filter(|r| from <= r.0 && r.0 <= to);
        let phrase = m.derived("job-life").say(if job.service { "service" } else { "job" }).cell();
        let phrase = match m.session.cite_words(from, &job.name) {
            Some(name) => phrase.code(&name),
            None => phrase.label(&job.name, &readings().next()?.2),
        };
        let phrase = readings().fold(phrase, |p, r| p.resting(&r.2));
        phrase.cell().number(from).cell().number(to).cell().word(stretch.state).row()
    };
    row.stretches.iter().filter_map(one).collect()
}
