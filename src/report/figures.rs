//! Which measurements an article shows: profiles, sweeps, and runs of one command beside each other.

use std::collections::{BTreeMap, BTreeSet};

use super::Material;
use crate::{
    base::{ids::MessageIdx, path::base_name, span::ByteSpan},
    model::{
        command::Setting,
        evidence::Evidence,
        facts::FileTouch,
        metric::{Cell, PlacedMetric, PlacedTable, Role, Value},
        series::{Key, Spot},
        session::Session,
    },
    text::number,
};

/// A table whose share column sums to a hundred: where the cost goes.
pub struct Profile<'a> {
    /// The table.
    pub placed: &'a PlacedTable,
    /// Column of labels.
    pub label: usize,
    /// Column of shares.
    pub share: usize,
    /// Row of the largest share, the total apart.
    pub top: usize,
    /// The total row, if there is one.
    pub total: Option<usize>,
}

impl Profile<'_> {
    /// The column of cost: the one besides the share in which the total row holds a number.
    pub fn cost(&self) -> Option<usize> {
        let total = &self.placed.table.rows[self.total?];
        (0..total.len()).find(|i| *i != self.share && *i != self.label && value(&total[*i]).is_some())
    }
}

/// The last profile table of the stretch.
pub fn profile<'a>(m: &Material<'a>) -> Option<Profile<'a>> {
    let here = m.facts.tables.iter().filter(|t| m.told(t.at.message) && t.at.run().is_some());
    here.filter_map(as_profile).next_back()
}

fn as_profile(placed: &PlacedTable) -> Option<Profile<'_>> {
    let table = &placed.table;
    let label = table.columns.iter().position(|c| c.role == Some(Role::Label))?;
    let share = table.columns.iter().position(|c| c.unit.as_deref() == Some("%") && c.role != Some(Role::Label))?;
    let shares: Vec<f64> = table.rows.iter().map(|r| value(&r[share]).unwrap_or(0.0)).collect();
    let total = shares.iter().position(|s| (s - 100.0).abs() < 0.05);
    let parts: Vec<usize> = (0..shares.len()).filter(|i| Some(*i) != total && shares[*i] > 0.0).collect();
    let sum: f64 = parts.iter().map(|i| shares[*i]).sum();
    let top = *parts.iter().max_by(|a, b| shares[**a].total_cmp(&shares[**b]).then(b.cmp(a)))?;
    (parts.len() >= 3 && (sum - 100.0).abs() <= 0.5).then_some(Profile { placed, label, share, top, total })
}

/// A sweep: one parameter column, a metric that was measured at each of its values.
pub struct Sweep<'a> {
    /// The table.
    pub placed: &'a PlacedTable,
    /// Parameter column.
    pub parameter: usize,
    /// Metric columns with their first and last filled row and the factor between them.
    pub metrics: Vec<(usize, usize, usize, f64)>,
}

/// The sweeps of the stretch, each table once (a re-print replaces the earlier print), latest last.
pub fn sweeps<'a>(m: &Material<'a>) -> Vec<Sweep<'a>> {
    let mut by_table: BTreeMap<usize, Sweep<'a>> = BTreeMap::new();
    for s in &m.findings.scaling {
        let Some(placed) = m.facts.tables.get(s.table).filter(|t| m.told(t.at.message) && t.at.run().is_some()) else {
            continue;
        };
        if !one_way(placed, s.metric) {
            continue;
        }
        let sweep = by_table.entry(s.table).or_insert(Sweep { placed, parameter: s.parameter, metrics: Vec::new() });
        if sweep.parameter == s.parameter {
            sweep.metrics.push((s.metric, s.rows.0, s.rows.1, s.factor));
        }
    }
    let mut kept: Vec<Sweep<'a>> = Vec::new();
    for sweep in by_table.into_values() {
        kept.retain(|k| header(k.placed) != header(sweep.placed));
        kept.push(sweep);
    }
    kept
}

/// Whether a metric moves one way from row to row: only then do first and last row tell what a sweep shows.
fn one_way(placed: &PlacedTable, metric: usize) -> bool {
    let values: Vec<f64> = placed.table.rows.iter().filter_map(|row| value(&row[metric])).collect();
    values.windows(2).all(|w| w[0] <= w[1]) || values.windows(2).all(|w| w[0] >= w[1])
}

fn header(placed: &PlacedTable) -> Vec<&str> {
    placed.table.columns.iter().map(|c| c.name.as_str()).collect()
}

/// One run of a measuring command and the figures that it printed.
#[derive(Clone)]
pub struct Run<'a> {
    /// Position in [`Findings::runs`](crate::model::findings::Findings::runs).
    pub run: usize,
    /// Where its figures stand: the call, or a later poll of it.
    pub message: MessageIdx,
    /// Settings in which the runs of this command differ, in order of the command line.
    pub settings: Vec<(String, Evidence)>,
    /// Figures by name, as printed.
    pub figures: BTreeMap<String, &'a PlacedMetric>,
}

/// Runs of one command, in order.
pub struct Series<'a> {
    /// The runs; at least one.
    pub runs: Vec<Run<'a>>,
    /// Names of the figures that every run printed, the most telling first.
    pub names: Vec<String>,
}

/// What a group of series has in common: the same thing measured by the same script at the same levels.
type Group<'a> = (&'a str, &'a [String], &'a [(String, String)], usize);

/// The group that a reading belongs to. A script that was changed prints other figures, so its runs are others.
pub fn group_of<'a>(m: &Material<'a>, key: &'a Key, run: usize) -> Group<'a> {
    (&key.by, &key.on, &key.levels, edition(m, run))
}

/// How often what prints the figures of a run had been changed by then, as far as earlier runs show.
fn edition(m: &Material, run: usize) -> usize {
    let of = |run: &usize| &m.findings.runs[*run];
    std::iter::successors(Some(run), |at| of(at).before).filter(|at| of(at).rewritten).count()
}

/// Runs of commands that print single figures without parameters, one series for each command, the longest first.
pub fn series<'a>(m: &Material<'a>, keep: impl Fn(MessageIdx) -> bool) -> Vec<Series<'a>> {
    let mut groups: BTreeMap<Group<'a>, BTreeMap<usize, Run<'a>>> = BTreeMap::new();
    for series in m.findings.series.iter().filter(|s| s.key.params.is_empty()) {
        for (run, reading) in &series.readings {
            let Spot::Figure(at) = reading.spot else { continue };
            let placed = &m.facts.metrics[at];
            if keep(placed.at.message) {
                let runs = groups.entry(group_of(m, &series.key, *run)).or_default();
                let new =
                    || Run { run: *run, message: placed.at.message, settings: Vec::new(), figures: BTreeMap::new() };
                runs.entry(*run).or_insert_with(new).figures.insert(series.key.name.clone(), placed);
            }
        }
    }
    let told = Told::of(m);
    let mut all: Vec<Series<'a>> = groups.into_values().filter_map(|runs| as_series(m, &told, runs)).collect();
    all.sort_by_key(|s| (std::cmp::Reverse(s.runs.len()), s.runs[0].message));
    all
}

fn as_series<'a>(m: &Material<'a>, told: &Told, runs: BTreeMap<usize, Run<'a>>) -> Option<Series<'a>> {
    let mut runs: Vec<Run<'a>> = runs.into_values().collect();
    let calls: Vec<usize> = runs.iter().map(|r| r.run).collect();
    for (run, settings) in runs.iter_mut().zip(differing_settings(m, &calls)) {
        run.settings = settings;
    }
    let names = telling(told, &runs);
    (!names.is_empty()).then_some(Series { runs, names })
}

/// Names that every run printed and whose direction is known: those first whose values texts and todo items repeat, then
/// those that move, then as they were printed. What hardly moves over several runs is a control.
fn telling(told: &Told, runs: &[Run]) -> Vec<String> {
    let mut names: Vec<(usize, bool, ByteSpan, String)> = Vec::new();
    for (name, placed) in &runs[0].figures {
        let everywhere = runs.iter().all(|r| r.figures.contains_key(name));
        if everywhere && placed.metric.better.is_some() {
            let values = || runs.iter().map(|r| r.figures[name].metric.value);
            let (low, high) = values().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
            let still = runs.len() > 1 && (high - low).abs() <= CONTROL * low.abs();
            let told = runs.iter().filter(|r| told.holds(r.figures[name])).count();
            names.push((told, still, placed.metric.span, name.clone()));
        }
    }
    names.sort_by_key(|(told, still, place, _)| (*still, std::cmp::Reverse(*told), *place));
    names.into_iter().map(|(.., name)| name).collect()
}

/// What moves by less over several runs was touched by nobody, as a share.
const CONTROL: f64 = 0.03;

/// The numbers that texts of the session hold, as tokens.
pub struct Told<'a>(BTreeSet<&'a str>);

impl<'a> Told<'a> {
    /// Of all texts, not of what tools printed.
    pub fn of(m: &Material<'a>) -> Self {
        let texts = m.session.messages.iter().filter(|message| message.call.is_none());
        let number = |t: &&str| t.starts_with(|c: char| c.is_ascii_digit());
        let tokens =
            texts.flat_map(|message| message.prose().split(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')));
        Self(tokens.map(|token| token.trim_end_matches(['.', ','])).filter(number).collect())
    }

    /// Whether a text repeats a value: as printed, or rounded to three digits or more.
    pub fn holds(&self, placed: &PlacedMetric) -> bool {
        let value = placed.metric.value;
        let rounded = |decimals: usize| {
            let text = format!("{value:.decimals$}");
            text.bytes().filter(u8::is_ascii_digit).count() >= 3 && self.0.contains(text.as_str())
        };
        self.0.contains(placed.metric.text.as_str()) && placed.metric.text.len() > 1 || (0..4).any(rounded)
    }
}

/// The settings by which some runs differ, one list for each, cited where they stand on the command line.
pub fn differing_settings(m: &Material, runs: &[usize]) -> Vec<Vec<(String, Evidence)>> {
    let of = |run: &usize| m.facts.run_of(m.findings.runs[*run].message).and_then(|r| r.invocation.as_ref());
    let all: Vec<&[Setting]> = runs.iter().map(|run| of(run).map_or(&[][..], |i| &i.settings)).collect();
    let differs = |setting: &&Setting| !all.iter().all(|other| other.contains(setting));
    let cited = |run: usize, setting: &Setting| {
        cite_setting(m, m.findings.runs[run].message, setting).map(|evidence| (setting.written(), evidence))
    };
    let one = |(run, settings): (&usize, &&[Setting])| {
        settings.iter().filter(differs).filter_map(|setting| cited(*run, setting)).collect()
    };
    runs.iter().zip(&all).map(one).collect()
}

/// A setting where it stands on the command line of a call, however it is written there.
fn cite_setting(m: &Material, call: MessageIdx, setting: &Setting) -> Option<Evidence> {
    let value = setting.value.as_deref().unwrap_or("");
    let spellings = [setting.written(), format!("{}={value}", setting.name), format!("{}{value}", setting.name)];
    spellings.iter().find_map(|words| m.session.cite_words(call, words))
}

/// Settings of services that were started again between two runs of a command, with their new value.
pub fn changed_around<'a>(m: &Material<'a>, from: usize, to: usize) -> Vec<(MessageIdx, Evidence)> {
    let chain = std::iter::successors(Some(to), |at| m.findings.runs[*at].before).take_while(|at| *at > from);
    let mut all = Vec::new();
    for run in chain.map(|at| &m.findings.runs[at]) {
        for change in run.changed.iter().filter(|c| c.of != run.by) {
            let setting = Setting { name: change.name.clone(), value: change.new.clone().filter(|v| v != "on") };
            let at = change.message.filter(|_| change.new.is_some());
            all.extend(at.and_then(|at| Some((at, cite_setting(m, at, &setting)?))));
        }
    }
    all.sort_by_key(|(at, _)| *at);
    all
}

/// The number of a cell.
pub fn value(cell: &Cell) -> Option<f64> {
    match cell.value {
        Value::Number(n) => Some(n),
        _ => None,
    }
}

/// Evidence of one cell.
pub fn cell(session: &Session, placed: &PlacedTable, cell: &Cell) -> Evidence {
    session.cite(placed.at.message, placed.at.part, cell.span).unwrap_or_else(|| placed.evidence.clone())
}

/// A printed number with its unit, which is added only where the token itself does not hold it.
pub fn with_unit(text: &str, unit: Option<&str>) -> String {
    match unit {
        Some("%") if text.ends_with('%') => text.to_string(),
        Some(unit) if !text.contains(|c: char| c.is_alphabetic()) => format!("{text} {unit}"),
        _ => text.to_string(),
    }
}

/// A value as a multiple of an earlier one, `2.5 times`; `None` when that is zero.
pub fn times(from: f64, to: f64) -> Option<String> {
    let factor = to / from;
    factor.is_finite().then(|| by_factor(factor))
}

/// A factor in words: `2.5 times`, or `4 times less` for a quarter.
pub fn by_factor(factor: f64) -> String {
    match factor {
        f if f > 0.0 && f < 1.0 && number::times(1.0 / f) != "1.00" => number::times(1.0 / f) + " times less",
        f => number::times(f) + " times",
    }
}

/// What printed the figures of a call: the script or program that its command ran, where it stands.
pub fn printed_by(m: &Material, call: MessageIdx) -> Option<Evidence> {
    let by = &m.facts.run_of(call)?.invocation.as_ref()?.by;
    m.session.cite_words(call, by)
}

/// How many figures and identifiers a sentence holds: what makes it worth quoting. At most 6, so that a wall of numbers
/// does not outweigh everything.
pub fn density(text: &str) -> usize {
    let telling = |w: &&str| w.contains(|c: char| c.is_ascii_digit()) || w.contains(['_', '`', '=']);
    text.split_whitespace().filter(telling).count().min(6)
}

/// Whether a quotation is a sentence that stands for itself: five words or more, nothing left open, no code.
pub fn whole_sentence(text: &str) -> bool {
    let count = |c: char| text.matches(c).count();
    let closed = count('(') == count(')') && count('[') == count(']') && count('`') % 2 == 0;
    text.split_whitespace().count() >= 5
        && closed
        && !text.contains(['{', '}', ';'])
        && !text.trim_end_matches([' ', '*', '_']).ends_with(':')
}

/// A file's name without its folders, where it stands in the call.
pub fn file_name(m: &Material, touch: &FileTouch) -> Evidence {
    m.session.cite_words(touch.message, base_name(&touch.path)).unwrap_or_else(|| touch.evidence.clone())
}
