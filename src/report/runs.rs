//! Runs of one measuring command that print figures under the same keys: each key over the runs, the largest step,
//! and what ended worse than it was. Runs are never mixed and a re-print is no run.

use std::collections::BTreeMap;

use super::{Material, figures};
use crate::{
    base::ids::MessageIdx,
    model::{
        evidence::Evidence,
        facts::FileTouch,
        metric::Direction,
        series::{self as model, Key, Spot, Trend},
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
    /// The runs, in order: where their figures stand.
    pub runs: Vec<MessageIdx>,
    /// The same as positions in [`Findings::runs`](crate::model::findings::Findings::runs).
    pub calls: Vec<usize>,
    /// Whether nothing is shown changed between the run before and this one.
    pub unchanged: Vec<bool>,
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

/// From this difference between repeats on, in per cent, a reader has to know it before comparing runs.
pub const UNSTEADY: f64 = 10.0;

/// What several runs of the stretch printed under the same keys, most runs first.
pub fn repeated(m: &Material) -> Vec<Repeated> {
    let mut groups: BTreeMap<_, Vec<Keyed>> = BTreeMap::new();
    for series in m.findings.series.iter().filter(|s| !s.key.params.is_empty() && s.better.is_some()) {
        for (run, reading) in &series.readings {
            if m.told(place(m, reading).0) {
                let group = groups.entry(figures::group_of(m, &series.key, *run)).or_default();
                group.push(Keyed { series, run: *run, reading });
            }
        }
    }
    let mut all: Vec<Repeated> = groups.into_values().filter_map(|prints| seen_through_a_metric(m, prints)).collect();
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

/// A reading with the series and the run that it belongs to.
#[derive(Clone, Copy)]
struct Keyed<'a> {
    series: &'a model::Series,
    run: usize,
    reading: &'a model::Reading,
}

/// The message that a reading stands in, and its evidence.
fn place(m: &Material, reading: &model::Reading) -> (MessageIdx, Evidence) {
    let evidence = m.facts.place(m.session, reading.spot);
    (evidence.message(), evidence)
}

/// Whether what printed a reading goes on past what is shown.
fn is_cut(m: &Material, reading: &model::Reading) -> bool {
    let (at, more) = match reading.spot {
        Spot::Cell { table, .. } => (&m.facts.tables[table].at, m.facts.tables[table].table.truncated),
        Spot::Figure(at) => (&m.facts.metrics[at].at, false),
    };
    more || m.session.message(at.message).parts[at.part].cut.is_some()
}

fn seen_through_a_metric(m: &Material, mut prints: Vec<Keyed>) -> Option<Repeated> {
    // Several metrics of one table tell one story; a time is the one that people compare. Metrics of one unit (`baseline`
    // and `solution` in ms) are variants, and stand side by side.
    let rank = |k: &Keyed| (k.series.better != Some(Direction::Lower), k.run, k.reading.spot);
    let chosen = prints.iter().filter(|k| k.series.readings.len() > 1).min_by_key(|k| rank(k))?.series;
    let same = |k: &Keyed| k.series.key.name == chosen.key.name;
    let variant = |k: &Keyed| k.series.better == chosen.better;
    // One unit stands at the head of the table, and on the axis of a picture.
    let fits = |k: &Keyed| k.series.key.stat == chosen.key.stat && k.series.unit == chosen.unit;
    prints.retain(|k| fits(k) && (same(k) || variant(k)));
    prints.sort_by_key(|k| (k.run, k.reading.spot));
    let labels = Labels::of(&prints);
    let mut found = Repeated {
        runs: Vec::new(),
        calls: Vec::new(),
        unchanged: Vec::new(),
        cut: Vec::new(),
        metric: chosen.key.name.clone(),
        unit: chosen.unit.clone(),
        better: chosen.better?,
        keys: BTreeMap::new(),
    };
    for run in prints.chunk_by(|a, b| a.run == b.run) {
        add_run(m, &mut found, run, &labels);
    }
    let settings = figures::differing_settings(m, &found.calls);
    found.unchanged = (0..found.runs.len())
        .map(|run| {
            let Some(before) = run.checked_sub(1) else { return false };
            let (from, to) = (found.calls[before], found.calls[run]);
            let files = changed_between(m, from, to);
            files.is_empty() && settings[before] == settings[run] && figures::changed_around(m, from, to).is_empty()
        })
        .collect();
    found.keys.retain(|key, readings| readings.len() > 1 && !key.is_empty());
    (found.runs.len() > 1 && !found.keys.is_empty()).then_some(found)
}

/// Adds a run.
fn add_run(m: &Material, found: &mut Repeated, prints: &[Keyed], labels: &Labels) {
    let run = found.runs.len();
    found.runs.push(place(m, prints[0].reading).0);
    found.calls.push(prints[0].run);
    found.cut.push(prints.iter().any(|k| is_cut(m, k.reading)));
    for k in prints {
        let reading =
            Reading { run, value: k.reading.value, text: k.reading.text.clone(), evidence: place(m, k.reading).1 };
        found.keys.entry(labels.label(&k.series.key)).or_default().push(reading);
    }
}

/// What a series is of, told apart from what else the same command printed under its metric: `shape 0 solution`.
pub fn label(m: &Material, series: &model::Series) -> String {
    let alike = m.findings.series.iter().filter(|other| {
        other.key.by == series.key.by && other.unit == series.unit && other.key.levels == series.key.levels
    });
    let prints: Vec<Keyed> = std::iter::once(series)
        .chain(alike)
        .flat_map(|series| series.readings.first().map(|(run, reading)| Keyed { series, run: *run, reading }))
        .collect();
    Labels::of(&prints).label(&series.key)
}

/// How the keys of a group are told apart.
struct Labels<'a> {
    /// Parameters that all have in common.
    common: Vec<&'a (String, String)>,
    /// Whether the metric's name belongs to the label.
    named: bool,
}

impl<'a> Labels<'a> {
    fn of(prints: &[Keyed<'a>]) -> Self {
        let keys = || prints.iter().map(|k| &k.series.key);
        let first = prints[0].series;
        let alone = keys().all(|key| key.params == first.key.params);
        let shared = |param: &&(String, String)| keys().all(|key| key.params.contains(param));
        let common = if alone { Vec::new() } else { first.key.params.iter().filter(shared).collect() };
        // A metric that is named as its unit (`ms`) says nothing that the unit does not.
        let says_more = |key: &Key| Some(key.name.as_str()) != first.unit.as_deref();
        let named = keys().any(|key| key.name != first.key.name) || says_more(&first.key);
        Self { common, named }
    }

    /// `shape 0 solution`: parameters with their name, labels as they are. Several numbers keep their sign (`bm=16
    /// bn=128`), or the name behind a number would read as its unit.
    fn label(&self, key: &Key) -> String {
        let own: Vec<&(String, String)> = key.params.iter().filter(|param| !self.common.contains(param)).collect();
        let is_number = |value: &str| value.starts_with(|c: char| c.is_ascii_digit());
        let sign = if own.iter().filter(|(_, value)| is_number(value)).count() > 1 { "=" } else { " " };
        let named = own.into_iter().map(|(name, value)| match is_number(value) {
            true => format!("{}{sign}{value}", name.trim_end_matches([' ', '=', ':'])),
            false => value.clone(),
        });
        let metric = self.named.then(|| key.name.clone());
        let all = key.title.clone().into_iter().chain(named).chain(metric);
        all.filter(|words| !words.trim().is_empty()).collect::<Vec<_>>().join(" ")
    }
}

impl Repeated {
    /// The largest change for the better between neighbouring readings of a key, beyond the noise.
    pub fn largest_step(&self) -> Option<Step<'_>> {
        let beyond = |s: &Step| self.gain(s) * 100.0 > self.noise(s.key);
        self.steps().filter(beyond).max_by(|a, b| self.gain(a).total_cmp(&self.gain(b)))
    }

    /// The key that improved most from its first to its last reading, beyond what any repeat varies by: it speaks for all.
    pub fn most_improved(&self) -> Option<&str> {
        let widest = self.widest_repeat().map_or(0.0, |s| self.gain(&s).abs() * 100.0);
        let whole = |(key, readings): (&'_ String, &'_ Vec<Reading>)| {
            let (key, _) = self.keys.get_key_value(key)?;
            let gain = self.gain(&Step { key, from: readings.first()?, to: readings.last()? });
            (gain.is_finite() && gain * 100.0 > self.noise(key).max(widest)).then_some((key.as_str(), gain))
        };
        self.keys.iter().filter_map(whole).max_by(|a, b| a.1.total_cmp(&b.1)).map(|(key, _)| key)
    }

    /// The two neighbouring readings of a key that lie furthest apart although nothing is shown changed in between.
    pub fn widest_repeat(&self) -> Option<Step<'_>> {
        let repeats = self.steps().filter(|s| self.is_repeat(s));
        repeats.max_by(|a, b| self.gain(a).abs().total_cmp(&self.gain(b).abs()))
    }

    fn is_repeat(&self, step: &Step) -> bool {
        self.unchanged[step.from.run + 1..=step.to.run].iter().all(|same| *same)
    }

    /// What readings of a key vary by, in per cent: as its own repeats show, else as those of the other keys do.
    fn noise(&self, key: &str) -> f64 {
        let repeats = |own: bool| {
            let steps = self.steps().filter(move |s| self.is_repeat(s) && (!own || s.key == key));
            steps.map(|s| self.gain(&s).abs() * 100.0).reduce(f64::max)
        };
        repeats(true).or_else(|| repeats(false)).unwrap_or(NOISE).max(NOISE)
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

    /// The runs that tell most of some keys, at most so many, in order.
    pub fn telling(&self, keys: &[&str], most: usize) -> Vec<usize> {
        let column = |key: &&str| self.keys[*key].iter().map(|r| (r.run, r.value)).collect();
        let columns: Vec<(Direction, Vec<(usize, f64)>)> = keys.iter().map(|key| (self.better, column(key))).collect();
        telling(self.runs.len(), &columns, most)
    }

    fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        self.keys
            .iter()
            .flat_map(|(key, readings)| readings.windows(2).map(move |w| Step { key, from: &w[0], to: &w[1] }))
    }

    /// Which way a figure went between two runs, by what repeats of it vary by.
    pub fn trend(&self, step: &Step) -> Trend {
        let gain = self.gain(step) * 100.0;
        match self.noise(step.key) {
            _ if !gain.is_finite() => Trend::CannotTell,
            noise if gain > noise => Trend::Better,
            noise if -gain > noise => Trend::Worse,
            _ => Trend::WithinSpread,
        }
    }

    /// How much better, as a share: positive is better.
    pub fn gain(&self, step: &Step) -> f64 {
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

/// Of so many runs those that tell most, at most `most`, in order: the first and the last, the best of each column, then
/// those with the largest changes from the reading before. A column is a direction and its readings by run.
pub fn telling(runs: usize, columns: &[(Direction, Vec<(usize, f64)>)], most: usize) -> Vec<usize> {
    let mut order = vec![0, runs.saturating_sub(1)];
    for (better, readings) in columns {
        let best = readings.iter().max_by(|a, b| match better {
            Direction::Higher => a.1.total_cmp(&b.1),
            Direction::Lower => b.1.total_cmp(&a.1),
        });
        order.extend(best.map(|(run, _)| *run));
    }
    let steps = columns.iter().flat_map(|(_, readings)| readings.windows(2));
    let mut steps: Vec<(f64, usize)> = steps.map(|w| ((w[1].1 / w[0].1).ln().abs(), w[1].0)).collect();
    steps.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    order.extend(steps.into_iter().map(|(_, run)| run));
    order.extend(0..runs);
    let mut kept: Vec<usize> = Vec::new();
    for run in order {
        if kept.len() < most && !kept.contains(&run) {
            kept.push(run);
        }
    }
    kept.sort_unstable();
    kept
}

/// Files changed between two runs of one thing (positions in the findings), the last two.
pub fn changed_between<'a>(m: &Material<'a>, from: usize, to: usize) -> Vec<&'a FileTouch> {
    let chain = std::iter::successors(Some(to), |at| m.findings.runs[*at].before).take_while(|at| *at > from);
    let mut touched: Vec<&FileTouch> = Vec::new();
    for touch in chain.flat_map(|at| m.findings.runs[at].edited.iter().rev()).map(|i| &m.facts.files[*i]) {
        if touched.len() < 2 && touched.iter().all(|t| t.path != touch.path) {
            touched.push(touch);
        }
    }
    touched.reverse();
    touched
}
