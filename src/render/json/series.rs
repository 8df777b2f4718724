//! The part of `benchmarks --series --json` that is about runs: `bench_runs` and `series`.

use serde::Serialize;
use serde_json::Value as Json;

use super::benchmarks::{direction, number};
use crate::model::{
    facts::Facts,
    findings::Findings,
    series::{Key, Reading, Run, Series, SettingChange},
    session::Session,
};

/// Runs and series of a session.
#[derive(Serialize)]
pub struct OverRuns {
    bench_runs: Vec<RunView>,
    series: Vec<SeriesView>,
}

#[derive(Serialize)]
struct RunView {
    message: u32,
    by: String,
    /// Position of the run of the same thing before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<usize>,
    changed: Vec<ChangeView>,
    edited: Vec<EditView>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    rewritten: bool,
    /// Message of the failed tests that its figures follow from.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed_tests: Option<u32>,
}

/// A setting that differs.
#[derive(Serialize)]
pub struct ChangeView {
    of: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<u32>,
    name: String,
    old: Option<String>,
    new: Option<String>,
}

#[derive(Serialize)]
struct EditView {
    path: String,
    message: u32,
}

/// What a figure is of.
#[derive(Serialize)]
pub struct KeyView {
    name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stat: Option<String>,
    params: serde_json::Map<String, Json>,
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    levels: serde_json::Map<String, Json>,
}

#[derive(Serialize)]
struct SeriesView {
    #[serde(flatten)]
    key: KeyView,
    unit: Option<String>,
    better: Option<&'static str>,
    readings: Vec<ReadingView>,
    /// Position of the best reading.
    best: Option<usize>,
    change_percent: Option<Json>,
    verdict: &'static str,
    why: String,
    /// What repeats of unchanged code differ by, in per cent.
    #[serde(skip_serializing_if = "Option::is_none")]
    noise_percent: Option<Json>,
}

#[derive(Serialize)]
struct ReadingView {
    /// Position in `bench_runs`.
    run: usize,
    message: u32,
    #[serde(flatten)]
    value: ValueView,
}

/// A value with its range.
#[derive(Serialize)]
pub struct ValueView {
    value: Json,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    lo: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hi: Option<Json>,
}

impl OverRuns {
    /// Of a session.
    pub fn new(session: &Session, facts: &Facts, findings: &Findings) -> Self {
        let of = |at| session.message(at).number;
        let run = |run: &Run| RunView {
            message: of(run.message),
            by: run.by.clone(),
            before: run.before,
            changed: run.changed.iter().map(|c| ChangeView::new(c, c.message.map(of))).collect(),
            edited: run
                .edited
                .iter()
                .map(|i| &facts.files[*i])
                .map(|t| EditView { path: t.path.clone(), message: of(t.message) })
                .collect(),
            rewritten: run.rewritten,
            failed_tests: run.gate.map(|gate| of(facts.quality[gate].at.message)),
        };
        let series = |series: &Series| {
            let reading = |(run, reading): &(usize, Reading)| ReadingView {
                run: *run,
                message: of(findings.runs[*run].message),
                value: ValueView::new(reading),
            };
            let best = series.best().map(|(run, _)| *run);
            SeriesView {
                key: KeyView::new(&series.key),
                unit: series.unit.clone(),
                better: series.better.map(direction),
                readings: series.readings.iter().map(reading).collect(),
                best: series.readings.iter().position(|(run, _)| Some(*run) == best),
                change_percent: series.latest.change.map(number),
                verdict: series.latest.trend.words(),
                why: series.latest.why.clone(),
                noise_percent: series.noise.map(number),
            }
        };
        Self {
            bench_runs: findings.runs.iter().map(run).collect(),
            series: findings.series.iter().map(series).collect(),
        }
    }
}

impl ChangeView {
    /// A change; of a session with the number of the message that has the new value.
    pub fn new(change: &SettingChange, message: Option<u32>) -> Self {
        Self {
            of: change.of.clone(),
            message,
            name: change.name.clone(),
            old: change.old.clone(),
            new: change.new.clone(),
        }
    }
}

impl KeyView {
    /// A key as it is printed.
    pub fn new(key: &Key) -> Self {
        Self {
            name: key.name.clone(),
            by: key.by.clone(),
            title: key.title.clone(),
            stat: key.stat.clone(),
            params: named(&key.params),
            levels: named(&key.levels),
        }
    }
}

fn named(all: &[(String, String)]) -> serde_json::Map<String, Json> {
    all.iter().map(|(name, value)| (name.clone(), Json::String(value.clone()))).collect()
}

impl ValueView {
    /// A reading as it is printed.
    pub fn new(reading: &Reading) -> Self {
        Self {
            value: number(reading.value),
            text: reading.text.clone(),
            lo: reading.range.map(|(low, _)| number(low)),
            hi: reading.range.map(|(_, high)| number(high)),
        }
    }
}
