//! Runs of one measuring command that print the same table: the figures of each key over the runs, the largest step,
//! and what ended worse than it was. Runs are never mixed and a re-print is no run.

use std::collections::BTreeMap;

use super::{Material, figures};
use crate::{
    base::ids::MessageIdx,
    model::{
        evidence::Evidence,
        facts::{FileAct, FileTouch},
        metric::{Direction, PlacedTable, Role},
    },
};

/// One printed value of a key.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Position of the run.
    pub run: usize,
    /// The value.
    pub value: f64,
    /// As printed.
    pub text: String,
    /// Where it stands.
    pub evidence: Evidence,
}

/// A table printed by several runs, seen through one of its metrics.
pub struct Repeated {
    /// The runs, in order.
    pub runs: Vec<MessageIdx>,
    /// Whether the print of a run goes on past what is shown.
    pub cut: Vec<bool>,
    /// Name of the metric, as printed.
    pub metric: String,
    /// Its unit.
    pub unit: Option<String>,
    /// Which way is better.
    pub better: Direction,
    /// Readings of each key (`shape 0 solution`), in order of the runs.
    pub keys: BTreeMap<String, Vec<Reading>>,
}

/// A change of one key from one run to a later one.
pub struct Step<'r> {
    /// The key.
    pub key: &'r str,
    /// Before.
    pub from: &'r Reading,
    /// After.
    pub to: &'r Reading,
}

/// Below this change a figure is taken as unchanged, in per cent: single runs vary by about so much.
const NOISE: f64 = 3.0;

/// The tables that several runs of the stretch printed, most runs first.
pub fn repeated(m: &Material) -> Vec<Repeated> {
    let mut groups: BTreeMap<Vec<String>, Vec<&PlacedTable>> = BTreeMap::new();
    for placed in m.facts.tables.iter().filter(|t| m.told(t.at.message) && figures::measured_here(m, t.at.message)) {
        if let Some(print) = print_of(m, placed) {
            groups.entry(print).or_default().push(placed);
        }
    }
    let mut all: Vec<Repeated> = groups.into_values().filter_map(|prints| seen_through_a_metric(m, &prints)).collect();
    let readings = |r: &Repeated| r.keys.values().map(Vec::len).sum::<usize>();
    all.sort_by_key(|r| (std::cmp::Reverse((r.runs.len(), readings(r))), r.runs[0]));
    // Tables that the same runs printed tell one story: the fullest is enough.
    let mut told: Vec<Repeated> = Vec::new();
    for one in all {
        if told.iter().all(|t| one.runs.iter().any(|run| !t.runs.contains(run))) {
            told.push(one);
        }
    }
    told
}

/// What makes two tables prints of one measurement: the script and its content, the caption, the header.
fn print_of(m: &Material, placed: &PlacedTable) -> Option<Vec<String>> {
    let script = m.session.quoted(&figures::printed_by(m, placed.at.message)?).to_string();
    // A script that was rewritten in between is another one.
    let edits = m.facts.files.iter().filter(|t| {
        let changes = matches!(t.act, FileAct::Edited | FileAct::Written);
        changes && t.succeeded && t.message < placed.at.message && t.path.ends_with(&script)
    });
    let edition = edits.count().to_string();
    let columns = placed.table.columns.iter().map(|c| c.name.to_lowercase());
    Some([script, edition, placed.table.title.clone().unwrap_or_default()].into_iter().chain(columns).collect())
}

fn seen_through_a_metric(m: &Material, prints: &[&PlacedTable]) -> Option<Repeated> {
    let columns = &prints.first()?.table.columns;
    let metrics = (0..columns.len()).filter(|i| columns[*i].role == Some(Role::Metric) && columns[*i].better.is_some());
    // Several metrics of one table tell one story; a time is the one that people compare.
    let metric = metrics.min_by_key(|i| (columns[*i].better != Some(Direction::Lower), *i))?;
    let mut found = Repeated {
        runs: Vec::new(),
        cut: Vec::new(),
        metric: columns[metric].name.clone(),
        unit: columns[metric].unit.clone(),
        better: columns[metric].better?,
        keys: BTreeMap::new(),
    };
    for placed in prints {
        add_run(m, &mut found, placed, metric);
    }
    found.keys.retain(|key, readings| readings.len() > 1 && !key.is_empty());
    (found.runs.len() > 1 && !found.keys.is_empty()).then_some(found)
}

/// Adds a print as a run, unless it only repeats the values of the run before it.
fn add_run(m: &Material, found: &mut Repeated, placed: &PlacedTable, metric: usize) {
    let rows = placed.table.rows.iter();
    let values: Vec<(String, f64, String, Evidence)> = rows
        .filter_map(|row| {
            let cell = &row[metric];
            let value = figures::value(cell)?;
            Some((key(placed, row), value, cell.text.clone(), figures::cell(m.session, placed, cell)))
        })
        .collect();
    let last = found.runs.len().checked_sub(1);
    let known = |key: &str| found.keys.get(key).and_then(|r| r.last()).filter(|r| Some(r.run) == last);
    let repeats = values.iter().all(|(key, value, ..)| known(key).is_some_and(|r| r.value == *value));
    if values.is_empty() || repeats || found.runs.last() == Some(&placed.at.message) {
        return;
    }
    let run = found.runs.len();
    found.runs.push(placed.at.message);
    found.cut.push(placed.table.truncated || m.session.message(placed.at.message).parts[placed.at.part].cut.is_some());
    for (key, value, text, evidence) in values {
        let readings = found.keys.entry(key).or_default();
        if readings.last().is_none_or(|r| r.run != run) {
            readings.push(Reading { run, value, text, evidence });
        }
    }
}

/// `shape 0 solution`: parameters with their name, labels as they are.
fn key(placed: &PlacedTable, row: &[crate::model::metric::Cell]) -> String {
    let named = placed.table.columns.iter().zip(row).filter_map(|(column, cell)| match column.role {
        Some(Role::Parameter) => {
            Some(format!("{} {}", column.name.trim_end_matches([' ', '=', ':']), cell.text.trim()))
        }
        Some(Role::Label) => Some(cell.text.trim().to_string()),
        _ => None,
    });
    named.collect::<Vec<_>>().join(" ")
}

impl Repeated {
    /// The largest change for the better between neighbouring readings of a key.
    pub fn largest_step(&self) -> Option<Step<'_>> {
        self.steps().max_by(|a, b| self.gain(a).total_cmp(&self.gain(b))).filter(|s| self.gain(s) * 100.0 > NOISE)
    }

    /// The key that improved most from its first to its last reading, beyond the noise.
    pub fn most_improved(&self) -> Option<&str> {
        let whole = |(key, readings): (&'_ String, &'_ Vec<Reading>)| {
            let (from, to) = (readings.first()?, readings.last()?);
            Some((key.clone(), self.gain(&Step { key, from, to })))
        };
        let (best, gain) = self.keys.iter().filter_map(whole).max_by(|a, b| a.1.total_cmp(&b.1))?;
        (gain * 100.0 > NOISE && gain.is_finite())
            .then(|| self.keys.get_key_value(&best).map(|(k, _)| k.as_str()))
            .flatten()
    }

    /// Keys whose last reading is worse than the one before by more than the noise, worst first.
    pub fn ended_worse(&self, m: &Material) -> Vec<Step<'_>> {
        let settings = figures::differing_settings(m.session, &self.runs);
        let changed = |s: &Step| {
            let (from, to) = (self.runs[s.from.run], self.runs[s.to.run]);
            !changed_between(m, from, to).is_empty() || settings[s.from.run] != settings[s.to.run]
        };
        // What repeats of unchanged code differ by is noise.
        let repeats = self.steps().filter(|s| !changed(s)).map(|s| self.gain(&s).abs() * 100.0);
        let floor = repeats.fold(self.quietest().max(NOISE), f64::max) / 100.0;
        let last = |(key, readings): (&'_ String, &'_ Vec<Reading>)| match readings.as_slice() {
            [.., _, _] => Some((key.clone(), readings.len())),
            _ => None,
        };
        let ends: Vec<(String, usize)> = self.keys.iter().filter_map(last).collect();
        let mut steps: Vec<Step<'_>> = self
            .steps()
            .filter(|s| ends.iter().any(|(key, n)| key == s.key && self.keys[s.key][n - 1].run == s.to.run))
            .filter(changed)
            .filter(|s| -self.gain(s) > floor && (s.to.value - s.from.value).abs() > 1.5 * resolution(&s.to.text))
            .collect();
        steps.sort_by(|a, b| self.gain(a).total_cmp(&self.gain(b)).then(a.key.cmp(b.key)));
        steps
    }

    /// The key that moves least over all runs: what nobody touched, a control. Its spread in per cent.
    pub fn control(&self) -> Option<(&str, f64)> {
        let spread = |readings: &Vec<Reading>| {
            let values = readings.iter().map(|r| r.value);
            let (low, high) = values.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
            (high - low) / low.abs() * 100.0
        };
        let long = self.keys.iter().filter(|(_, readings)| readings.len() >= 3);
        long.map(|(key, readings)| (key.as_str(), spread(readings)))
            .filter(|(_, s)| s.is_finite() && *s < 2.0 * NOISE)
            .min_by(|a, b| a.1.total_cmp(&b.1))
    }

    fn quietest(&self) -> f64 {
        self.control().map_or(0.0, |(_, spread)| spread)
    }

    fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        self.keys
            .iter()
            .flat_map(|(key, readings)| readings.windows(2).map(move |w| Step { key, from: &w[0], to: &w[1] }))
    }

    /// How much better, as a share: positive is better.
    fn gain(&self, step: &Step) -> f64 {
        match self.better {
            Direction::Higher => step.to.value / step.from.value - 1.0,
            Direction::Lower => step.from.value / step.to.value - 1.0,
        }
    }

    /// Keys to show: the one of the largest step and the control, then those that changed most.
    pub fn shown(&self, most: usize) -> Vec<&str> {
        let step = self.largest_step().map(|s| s.key);
        let control = self.control().map(|c| c.0);
        let mut keys: Vec<&str> = self.keys.keys().map(String::as_str).collect();
        let spread = |k: &str| {
            let (low, high) =
                self.keys[k].iter().fold((f64::MAX, f64::MIN), |(l, h), r| (l.min(r.value), h.max(r.value)));
            high / low - 1.0
        };
        let chosen = |k: &str| Some(k) == step || Some(k) == control;
        keys.sort_by(|a, b| chosen(b).cmp(&chosen(a)).then(spread(b).total_cmp(&spread(a))).then(a.cmp(b)));
        keys.truncate(most);
        keys.sort_unstable();
        keys
    }
}

/// Files changed by successful calls between two runs, the last two.
pub fn changed_between<'a>(m: &Material<'a>, from: MessageIdx, to: MessageIdx) -> Vec<&'a FileTouch> {
    let mut touched: Vec<&FileTouch> = Vec::new();
    for touch in m.facts.files.iter().rev() {
        let inside = from < touch.message && touch.message < to && touch.succeeded;
        let changes = matches!(touch.act, FileAct::Edited | FileAct::Written);
        if inside && changes && touched.len() < 2 && touched.iter().all(|t| t.path != touch.path) {
            touched.push(touch);
        }
    }
    touched.reverse();
    touched
}

/// The smallest difference that a printed number can show: 0.01 for `0.26`.
fn resolution(text: &str) -> f64 {
    let digits = text.rsplit_once('.').map_or(0, |(_, d)| d.chars().take_while(char::is_ascii_digit).count());
    10f64.powi(-(digits as i32))
}
