//! *Check first*: what bites me this morning? At most five things that need an action, each checkable in a minute.

use super::{section, table};
use crate::{
    base::{ids::MessageIdx, path::base_name, span::ByteSpan},
    model::{
        article::{ArticleRow, Section},
        evidence::Evidence,
        facts::{FileAct, FileTouch, Job, JobState},
        todo::{ListEvent, TodoSource, TodoStatus},
    },
    report::{
        Material,
        phrase::{Phrase, shortened},
        runs,
    },
    text::number,
};

/// Most rows that the section holds.
const MOST: usize = 5;

/// See the module.
pub fn make(m: &Material) -> Option<Section> {
    let rows = jobs(m)
        .chain(regressions(m))
        .chain(deletions(m))
        .chain(unanswered(m))
        .chain(dropped(m))
        .chain(unfinished(m))
        .take(MOST)
        .collect();
    section("Check first", vec![table(&["what", "state at the end of the log", "msg"], rows)])
}

/// Services and jobs that the log does not show ready or ended.
fn jobs<'a>(m: &'a Material) -> impl Iterator<Item = ArticleRow> + 'a {
    m.facts.jobs.iter().filter_map(|job| unsettled(m, job))
}

fn unsettled(m: &Material, job: &Job) -> Option<ArticleRow> {
    let (at, state, evidence) = job.readings.last()?;
    let started = job.readings.iter().rev().find(|r| r.1 == JobState::Started);
    let phrase = m.derived("job-state").weighing(9);
    let named = started.or(job.readings.first()).and_then(|r| m.session.cite_words(r.0, &job.name));
    let phrase = match &named {
        Some(name) => phrase.code(name),
        None => phrase.quote(&shortened(m.session, evidence, 6)),
    };
    let phrase = phrase.cell();
    let seen: Vec<MessageIdx> = started.map(|r| r.0).into_iter().chain([*at]).collect();
    let phrase = match state {
        JobState::Ready | JobState::Running if !job.service => return None,
        JobState::Ready => return None,
        JobState::Stopped if job.service && managed(m, *at) => {
            phrase.say("stopped; no later start").searched(*at, m.last)
        }
        JobState::Stopped => return None,
        JobState::Failed => phrase.say("failed: ").quote(&shortened(m.session, evidence, 14)),
        JobState::Started if job.service => phrase.say("start issued; no readiness shown").searched(*at, m.last),
        // Whether a job ended is told in many ways; its silence proves nothing.
        JobState::Started => return None,
        JobState::Running => {
            phrase.say("last seen running, readiness not shown: ").quote(&shortened(m.session, evidence, 10))
        }
        JobState::Progress(n, all) if n == all => return None,
        JobState::Progress(..) => {
            phrase.say("last seen at ").quote(&progress(m, *state, evidence)).say("; no readiness line after it")
        }
    };
    row_of(phrase, seen)
}

/// `23/64` itself, where the reading prints it so.
fn progress(m: &Material, state: JobState, evidence: &Evidence) -> Evidence {
    let JobState::Progress(n, all) = state else { return evidence.clone() };
    let words = format!("{n}/{all}");
    let inside = m.session.quoted(evidence).find(&words).zip(evidence.quote()).and_then(|(at, (part, span))| {
        let start = span.start + at;
        m.session.cite(evidence.message(), part, ByteSpan::new(start, start + words.len()))
    });
    inside.unwrap_or_else(|| shortened(m.session, evidence, 10))
}

/// Whether a service manager was told so: a server that was started by hand is meant to be stopped by hand.
fn managed(m: &Material, at: MessageIdx) -> bool {
    let run = m.facts.run_of(at);
    run.is_some_and(|c| c.parts.iter().any(|p| p.class.0 == "service-control"))
}

/// Figures that the last run shows worse than the run before it.
fn regressions(m: &Material) -> impl Iterator<Item = ArticleRow> {
    let repeated = runs::repeated(m);
    let worst = repeated.iter().find_map(|r| {
        let steps = r.ended_worse(m);
        let step = steps.first()?;
        let change = number::change(number::change_between(step.from.value, step.to.value)?);
        let unit = r.unit.as_deref().unwrap_or(&r.metric);
        let phrase = m
            .derived("ended-worse")
            .weighing(9)
            .label(step.key, &step.to.evidence)
            .say(", ")
            .label(unit, &step.to.evidence);
        let phrase = phrase
            .cell()
            .say("worse in the last run that shows it: ")
            .figure(step.from.text.clone(), &step.from.evidence);
        let phrase = phrase.say(" → ").figure(step.to.text.clone(), &step.to.evidence).say(", ").computed(change);
        row_of(phrase, vec![r.runs[step.from.run], r.runs[step.to.run]])
    });
    worst.into_iter()
}

/// Deletions of what was neither made nor looked at here.
fn deletions<'a>(m: &'a Material) -> impl Iterator<Item = ArticleRow> + 'a {
    m.facts.files.iter().filter(|f| f.act == FileAct::Deleted && f.foreign && f.succeeded).filter_map(|f| {
        if mentioned_before(m, f) {
            return None;
        }
        let phrase = m.derived("foreign-deletion").weighing(8).code(&f.evidence).cell();
        let before = MessageIdx(f.message.0.saturating_sub(1));
        let phrase = phrase.say("deleted; nothing shown before creates or lists it").searched(MessageIdx(0), before);
        row_of(phrase, vec![f.message])
    })
}

/// Whether any earlier message names the file: it was looked at, then, or made.
fn mentioned_before(m: &Material, f: &FileTouch) -> bool {
    let name = base_name(&f.path);
    let earlier = &m.session.messages[..f.message.at()];
    earlier.iter().flat_map(|msg| &msg.parts).any(|p| p.text.contains(name))
}

/// A call that the log ends with, and whose result it does not hold.
fn unanswered(m: &Material) -> Option<ArticleRow> {
    let (at, message) = m.session.iter().rfind(|(_, msg)| msg.call.is_some())?;
    if message.call.as_ref()?.result_at.is_some() || at.0 + 1 < m.last.0 {
        return None;
    }
    let line = message.command().or(message.path())?;
    let evidence = m.session.cite_words(at, line)?;
    let phrase = m.derived("call-without-result").weighing(8).code(&shortened(m.session, &evidence, 8)).cell();
    row_of(phrase.say("started; the log holds no result"), vec![at])
}

/// Items that left the list without being closed, while the list went on: a replaced list is another plan.
fn dropped<'a>(m: &'a Material) -> impl Iterator<Item = ArticleRow> + 'a {
    m.findings.ledger.iter().filter_map(|entry| {
        let gone = entry.dropped.filter(|_| entry.last != TodoStatus::NotShown)?;
        let last = entry.seen.last()?.last;
        let to = m.facts.todos.iter().position(|s| s.message == gone)?;
        let delta = m.findings.deltas.iter().find(|d| d.to == to)?;
        if delta.events.contains(&ListEvent::Replaced) {
            return None;
        }
        let words = m.session.cite_words(last, &entry.content).or_else(|| entry.evidence.last().cloned())?;
        let phrase = m.derived("item-dropped").weighing(6).quote(&shortened(m.session, &words, 14)).cell();
        let phrase =
            phrase.say("last shown as ").word(entry.last.word().replace('_', " ")).say("; not in the later list");
        row_of(phrase, vec![last, gone])
    })
}

/// Items that the last list leaves open.
fn unfinished<'a>(m: &'a Material) -> impl Iterator<Item = ArticleRow> + 'a {
    let kept = m.facts.todos.iter().rfind(|s| matches!(s.source, TodoSource::FullList | TodoSource::Folded));
    kept.into_iter().filter_map(|snapshot| {
        let of = |status| snapshot.items.iter().filter(move |i| i.status == status);
        let (begun, waiting) = (of(TodoStatus::InProgress).count(), of(TodoStatus::Pending).count());
        if begun + waiting == 0 {
            return None;
        }
        let first = of(TodoStatus::InProgress).chain(of(TodoStatus::Pending)).next()?;
        let named = m.session.cite_words(snapshot.message, &first.content).unwrap_or_else(|| first.evidence.clone());
        let phrase = m.derived("plan-open").weighing(6).say("todo list").cell();
        let phrase = if snapshot.complete { phrase } else { phrase.say("at least ") };
        let phrase = phrase.count(begun).say(" in progress, ").count(waiting).say(" pending, first ");
        row_of(phrase.quote(&shortened(m.session, &named, 12)), vec![snapshot.message])
    })
}

fn row_of(phrase: Phrase, seen: Vec<MessageIdx>) -> Option<ArticleRow> {
    let mut seen = seen;
    seen.sort();
    seen.dedup();
    phrase.cell().list(seen, ", ", ", ", Phrase::number).row()
}
