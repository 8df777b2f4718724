//! Services and background jobs in lanes of their own, beside the phases: a benchmark while a model loads is one phase.

use super::{Inference, Options};
use crate::model::{
    facts::{Facts, Job, JobState},
    findings::Findings,
    phase::Lane,
    session::Session,
};

/// See the module.
pub struct Lanes;

impl Inference for Lanes {
    fn name(&self) -> &'static str {
        "lanes"
    }

    fn about(&self) -> &'static str {
        "Services and background jobs beside the phases"
    }

    fn run(&self, session: &Session, facts: &Facts, _: &Options, findings: &mut Findings) {
        let lanes = facts.jobs.iter().enumerate().filter_map(|(at, job)| lane(session, at, job));
        findings.lanes = lanes.collect();
        findings.lanes.sort_by_key(|lane| (lane.from, lane.job));
    }
}

/// Of a job that is seen at more than one step.
fn lane(session: &Session, at: usize, job: &Job) -> Option<Lane> {
    let (first, last) = (job.readings.first()?, job.readings.last()?);
    let (from, to) = (session.step_of(first.0), session.step_of(last.0));
    let ended = matches!(last.1, JobState::Stopped | JobState::Failed);
    (from < to).then_some(Lane { job: at, from, to, ended })
}
