//! Series: the same metric under the same parameters over the runs of a session, and two sides held against each other.
//!
//! Runs are never mixed: a reading belongs to the run that printed it. Levels of a sweep are parameters and no
//! repetitions. What one run prints twice under one name, without a parameter, belongs to no series, since nothing tells
//! which is meant.

mod judge;
mod pairs;
mod readings;
mod runs;

pub(super) use judge::judge;
pub use pairs::{Side, compare};
pub(super) use readings::of_message;

use std::collections::{BTreeMap, HashMap};

use super::{Inference, Options};
use crate::model::{
    command::Times,
    facts::Facts,
    findings::Findings,
    series::{Judgement, Key, Reading, Run, Series, Trend},
    session::Session,
};

/// See the module.
pub struct SeriesOf;

impl Inference for SeriesOf {
    fn name(&self) -> &'static str {
        "series"
    }

    fn about(&self) -> &'static str {
        "The same metric over the runs of a session: baseline, best, latest, and what changed in between"
    }

    fn run(&self, session: &Session, facts: &Facts, _options: &Options, findings: &mut Findings) {
        findings.runs = runs::of(session, facts);
        findings.series = series(session, facts, &findings.runs);
    }
}

/// All series, those with most runs first, then in the order of their first reading.
fn series(session: &Session, facts: &Facts, runs: &[Run]) -> Vec<Series> {
    let position: HashMap<_, usize> = runs.iter().enumerate().map(|(i, run)| (run.message, i)).collect();
    let mut by_key: BTreeMap<Key, Vec<(usize, Reading)>> = BTreeMap::new();
    for (message, readings) in readings::of_session(session, facts) {
        let Some(run) = position.get(&message) else { continue };
        let invocation = facts.run_of(message).and_then(|r| r.invocation.as_ref());
        for reading in readings::once(readings, invocation.map_or(Times::Once, |i| i.times)).0 {
            by_key.entry(reading.key.clone()).or_default().push((*run, reading));
        }
    }
    let mut all: Vec<Series> = by_key.into_iter().filter_map(|(key, readings)| one(key, readings, runs)).collect();
    all.sort_by_key(|s| (std::cmp::Reverse(s.readings.len()), s.readings[0].0, s.readings[0].1.spot));
    all
}

/// A series in the unit of its first reading.
fn one(key: Key, readings: Vec<(usize, Reading)>, runs: &[Run]) -> Option<Series> {
    let first = readings.first()?.1.clone();
    let same = |r: Reading| judge::in_unit_of(&first, r);
    let readings: Vec<(usize, Reading)> = readings.into_iter().filter_map(|(i, r)| Some((i, same(r)?))).collect();
    let noise = noise(&readings, runs);
    let mut series = Series {
        key,
        unit: first.unit,
        better: first.better,
        readings,
        latest: Judgement { trend: Trend::CannotTell, change: None, why: "a single run".into() },
        noise,
    };
    let between = series.baseline().0 + 1..series.last().0 + 1;
    let rewritten = runs.get(between).into_iter().flatten().any(|r| r.rewritten && r.by == runs[series.last().0].by);
    if series.readings.len() > 1 {
        series.latest = judge(&series.baseline().1, &series.last().1, noise);
    }
    if rewritten && matches!(series.latest.trend, Trend::Better | Trend::Worse) {
        series.latest.trend = Trend::CannotTell;
        series.latest.why = "what prints it was changed in between".into();
    }
    Some(series)
}

/// What repeats of unchanged code under unchanged settings differ by, in per cent.
fn noise(readings: &[(usize, Reading)], runs: &[Run]) -> Option<f64> {
    let repeat = |w: &[(usize, Reading)]| {
        let run = &runs[w[1].0];
        let unchanged = run.before == Some(w[0].0) && run.changed.is_empty() && run.edited.is_empty();
        unchanged.then(|| judge::change(w[0].1.value, w[1].1.value))?.map(f64::abs)
    };
    readings.windows(2).filter_map(repeat).reduce(f64::max)
}
