//! Services and jobs that the log does not show ready or ended.

use std::sync::LazyLock;

use super::{Watch, end};
use crate::{
    base::{ids::MessageIdx, span::ByteSpan},
    infer::audit::ledger::Ledger,
    model::{
        audit::{LooseEnd, Shown},
        evidence::Evidence,
        facts::{Job, JobState},
    },
    text::pattern::Regex,
};

/// A service or a job whose last reading is not its end.
pub static UNREADY: Watch = Watch {
    name: "job-state",
    about: "A service was started, or stopped, or last seen loading or failing; no later line shows it ready.",
    example: "a unit that was restarted and last seen at 23/64: no readiness line",
    limits: "What becomes ready without a line that says so; jobs that are meant to end count only by their last reading.",
    find,
};

fn find(log: &Ledger) -> Vec<LooseEnd> {
    let told = log.last_telling(|text| STILL.is_match(text));
    let served = served_last(log);
    log.facts.jobs.iter().filter_map(|job| unsettled(log, job, served, told)).collect()
}

fn unsettled(log: &Ledger, job: &Job, served: Option<MessageIdx>, told: Option<MessageIdx>) -> Option<LooseEnd> {
    let (at, state, evidence) = job.readings.last()?;
    let started = job.readings.iter().rev().find(|r| r.1 == JobState::Started);
    let named = started.or(job.readings.first()).and_then(|r| log.session.cite_words(r.0, &job.name));
    let later = || Shown::Searched(log.session.searched(*at, log.last()));
    let (short, shown) = match state {
        JobState::Ready | JobState::Running if !job.service => return None,
        JobState::Ready => return None,
        JobState::Stopped if job.service && managed(log, *at) => ("stopped; no later start", later()),
        JobState::Stopped => return None,
        JobState::Failed => ("failed: ", Shown::Words(evidence.clone())),
        JobState::Started if job.service && served > Some(*at) => return None,
        JobState::Started if job.service => ("start issued; no readiness shown", later()),
        // Whether a job ended is told in many ways; its silence proves nothing.
        JobState::Started => return None,
        JobState::Running => ("last seen running, readiness not shown: ", Shown::Words(evidence.clone())),
        JobState::Progress(n, all) if n == all => return None,
        JobState::Progress(..) => ("no readiness line; last seen at ", Shown::Words(progress(log, *state, evidence))),
    };
    let mut found = end(log, &UNREADY, named.unwrap_or_else(|| evidence.clone()), short, shown);
    found.log.extend(started.map(|r| log.session.whole(r.0)));
    if !found.log.iter().any(|place| place.message() == *at) {
        found.log.push(log.session.whole(*at));
    }
    found.omitted = told < Some(*at);
    Some(found)
}

/// `still loading`, `not ready yet`, `the server failed to start`
static STILL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\bstill (?:\w+ )?(?:loading|starting|running|building|booting|downloading)\b|\bnot (?:yet )?(?:ready|up|running|started)\b|\b(?:is|are) (?:loading|starting|booting|restarting)\b|\bin the background\b|\b(?:failed|fails|unable|couldn['’]t) to (?:start|load|come up)\b|\b(?:was|is|been|now) (?:stopped|shut down|down)\b").expect("valid")
});

/// Where anything was last seen to serve: another job may be the same service, started by another line.
fn served_last(log: &Ledger) -> Option<MessageIdx> {
    let readings = log.facts.jobs.iter().flat_map(|job| &job.readings);
    readings.filter(|reading| reading.1 == JobState::Ready).map(|reading| reading.0).max()
}

/// `23/64` itself, where the reading prints it so.
fn progress(log: &Ledger, state: JobState, evidence: &Evidence) -> Evidence {
    let JobState::Progress(n, all) = state else { return evidence.clone() };
    let words = format!("{n}/{all}");
    let inside = log.session.quoted(evidence).find(&words).zip(evidence.quote()).and_then(|(at, (part, span))| {
        let start = span.start + at;
        log.session.cite(evidence.message(), part, ByteSpan::new(start, start + words.len()))
    });
    inside.unwrap_or_else(|| evidence.clone())
}

/// Whether a service manager was told so: a server that was started by hand is meant to be stopped by hand.
fn managed(log: &Ledger, at: MessageIdx) -> bool {
    let run = log.facts.run_of(at);
    run.is_some_and(|c| c.parts.iter().any(|p| p.class.0 == "service-control"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tells_that_a_service_is_not_there_yet() {
        assert!(STILL.is_match("It is still loading the shards.") && STILL.is_match("the unit is not ready yet"));
        assert!(!STILL.is_match("The service runs again.") && !STILL.is_match("ready to start"));
    }
}
