//! Tables and single figures as readings: each value with what its row, its columns and its command say it is.

use std::collections::{BTreeMap, HashMap};

use crate::{
    base::{ids::MessageIdx, unit::lookup},
    model::{
        command::{CommandRun, Invocation, Setting, Times},
        facts::Facts,
        metric::{Cell, Column, Direction, Extraction, Measurement, MetricTable, Place, Role, Value},
        series::{Key, Reading, Spot},
        session::Session,
    },
};

/// The readings of a session by the run that printed them, in order. Quoted and stated figures are nobody's.
pub fn of_session(session: &Session, facts: &Facts) -> Vec<(MessageIdx, Vec<Reading>)> {
    let mut by_run: BTreeMap<MessageIdx, Vec<Reading>> = BTreeMap::new();
    let command = |run: MessageIdx| Command::of(session, facts, run);
    for (i, placed) in facts.tables.iter().enumerate() {
        if let Some(run) = placed.at.run().filter(|_| placed.table.kind.is_none()) {
            by_run.entry(run).or_default().extend(of_table(i, &placed.table, &command(run)));
        }
    }
    for (i, placed) in facts.metrics.iter().enumerate() {
        if let Some(run) = placed.at.run() {
            by_run.entry(run).or_default().extend(of_figure(i, &placed.metric, &command(run)));
        }
    }
    by_run.into_iter().map(|(run, readings)| (run, titled_where_needed(readings))).collect()
}

/// What a message shows, wherever it comes from, and what its command printed elsewhere.
pub fn of_message(session: &Session, facts: &Facts, message: MessageIdx) -> Vec<Reading> {
    let shown = |place: &Place| place.message == message || place.run() == Some(message);
    let command = |place: &Place| place.run().map_or_else(Command::default, |run| Command::of(session, facts, run));
    let tables = facts.tables.iter().enumerate().filter(|(_, t)| shown(&t.at) && t.table.kind.is_none());
    let cells = tables.flat_map(|(i, placed)| of_table(i, &placed.table, &command(&placed.at)));
    let figures = facts.metrics.iter().enumerate().filter(|(_, m)| shown(&m.at));
    let figures = figures.filter_map(|(i, placed)| of_figure(i, &placed.metric, &command(&placed.at)));
    titled_where_needed(cells.chain(figures).collect())
}

/// The readings of a text that belongs to no session.
pub fn of_extraction(found: &Extraction) -> Vec<Reading> {
    let nobody = Command::default();
    let tables = found.tables.iter().enumerate().filter(|(_, t)| t.kind.is_none());
    let cells = tables.flat_map(|(i, table)| of_table(i, table, &nobody));
    let figures = found.metrics.iter().enumerate().filter_map(|(i, metric)| of_figure(i, metric, &nobody));
    titled_where_needed(cells.chain(figures).collect())
}

/// One reading for each key, and the keys for which none can be told. What is printed several times under one name and
/// the same parameters are repetitions: the middle one stands for them, with their range. Without any parameter nothing
/// says that they are, unless the command line does; and where it says that each time is another thing, none are.
pub fn once(readings: Vec<Reading>, times: Times) -> (Vec<Reading>, Vec<Key>) {
    let mut at: HashMap<Key, usize> = HashMap::new();
    let mut groups: Vec<Vec<Reading>> = Vec::new();
    for reading in readings {
        let group = *at.entry(reading.key.clone()).or_insert(groups.len());
        match groups.get_mut(group) {
            Some(known) => known.push(reading),
            None => groups.push(vec![reading]),
        }
    }
    let (mut kept, mut several) = (Vec::new(), Vec::new());
    for mut group in groups {
        // A value that is printed again is one reading.
        group.dedup_by(|b, a| a.value == b.value && a.unit == b.unit);
        let same_unit = group.iter().all(|r| r.unit == group[0].unit);
        let repeats = match times {
            Times::Once => !group[0].key.params.is_empty(),
            Times::Repeated => true,
            Times::Varied => false,
        };
        match group.len() {
            1 => kept.push(group.remove(0)),
            _ if repeats && same_unit => kept.push(middle(group)),
            _ => several.push(group.remove(0).key),
        }
    }
    (kept, several)
}

/// The middle one of several readings, the lower of two, with the range of all.
fn middle(mut group: Vec<Reading>) -> Reading {
    group.sort_by(|a, b| a.value.total_cmp(&b.value));
    let range = (group[0].value, group[group.len() - 1].value);
    let middle = group.swap_remove((group.len() - 1) / 2);
    Reading { range: Some(range), ..middle }
}

/// What is measured, as far as the command line tells.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Command {
    /// Script or program with its operands.
    pub by: String,
    /// Host, container or pane that it ran in.
    pub on: Vec<String>,
    /// Settings that say what or how much.
    pub levels: Vec<(String, String)>,
}

impl Command {
    /// Of the call that ran it; a tool without a command line measures under its own name.
    pub fn of(session: &Session, facts: &Facts, run: MessageIdx) -> Self {
        let invocation = facts.run_of(run).and_then(|r: &CommandRun| r.invocation.as_ref());
        let Some(invocation) = invocation else {
            let tool = session.message(run).call.as_ref().map_or(String::new(), |c| c.name.clone());
            return Self { by: tool, ..Self::default() };
        };
        let levels = invocation.settings.iter().filter(|s| is_level(s) && invocation.times != Times::Varied);
        Self { by: called(invocation), on: invocation.on.clone(), levels: levels.map(level).collect() }
    }
}

/// Script or program with its operands: `wrk http://host/a`.
fn called(invocation: &Invocation) -> String {
    let operands = invocation.operands.iter().map(|o| format!(" {o}"));
    std::iter::once(invocation.by.clone()).chain(operands).collect()
}

fn level(setting: &Setting) -> (String, String) {
    let name = setting.name.trim_start_matches('-').to_string();
    (name, setting.value.clone().unwrap_or_default())
}

/// Words of settings that say what or how much is measured, as opposed to how it is done; sorted.
#[rustfmt::skip]
const LEVELS: &[&str] = &[
    "batch", "bench", "benchtime", "bs", "case", "clients", "conc", "concurrency", "connections", "count", "data",
    "dataset", "dim", "duration", "filter", "groups", "heads", "host", "input", "isl", "jobs", "len", "length", "limit",
    "model", "num", "osl", "port", "prompt", "prompts", "qps", "rate", "repeat", "requests", "run", "rw", "scale", "seq",
    "seqlen", "shape", "shapes", "size", "sizes", "split", "task", "tasks", "test", "threads", "time", "url", "users",
    "vus", "workload",
];

/// Whether a setting is a level of what is measured: two values of it are two measurements, no repetition. A short flag
/// with a number is one (`-c 100`).
fn is_level(setting: &Setting) -> bool {
    let Some(value) = &setting.value else { return false };
    let name = setting.name.trim_start_matches('-');
    let short = setting.name.starts_with('-') && name.len() == 1 && value.starts_with(|c: char| c.is_ascii_digit());
    let mut words = name.split(['-', '_', '.']).map(str::to_ascii_lowercase);
    short || setting.name.starts_with('-') && words.any(|w| LEVELS.binary_search(&w.as_str()).is_ok())
}

/// Names of parameters that count how often something was done: they differ from run to run; sorted.
const COUNTS: &[&str] = &["iterations", "iters", "loops", "reps", "rounds", "runs", "samples"];

fn is_count(name: &str) -> bool {
    COUNTS.binary_search(&name.trim().to_ascii_lowercase().as_str()).is_ok()
}

fn of_figure(at: usize, metric: &Measurement, command: &Command) -> Option<Reading> {
    if metric.derived || !metric.value.is_finite() {
        return None;
    }
    let printed = metric.params.iter().filter(|(name, _)| !is_count(name)).map(|(name, v)| (name.clone(), shown(v)));
    let spread = metric.spread.map(|s| (metric.value - s, metric.value + s));
    let named = Named {
        name: metric.name.clone(),
        unit: metric.unit.clone(),
        better: metric.better,
        stat: metric.stat.clone(),
    };
    Some(Reading {
        key: key_of(command, named, printed.collect()),
        unit: metric.unit.clone(),
        better: metric.better,
        value: metric.value,
        text: metric.text.clone(),
        range: metric.lo.zip(metric.hi).or(spread),
        spot: Spot::Figure(at),
    })
}

fn shown(value: &Value) -> String {
    match value {
        Value::Number(n) => n.to_string(),
        Value::Text(text) => text.trim().to_string(),
        Value::Missing => String::new(),
    }
}

/// The key of what a command prints. Levels that the output prints itself are its parameters.
fn key_of(command: &Command, metric: Named, params: Vec<(String, String)>) -> Key {
    let Named { name, unit, stat, .. } = metric;
    let dimension = unit.map(|unit| lookup(&unit).map_or(unit, |u| u.dimension.into_owned()));
    let printed = |name: &str| params.iter().any(|(param, _)| param.eq_ignore_ascii_case(name));
    let levels = command.levels.iter().filter(|(name, _)| !printed(name)).cloned().collect();
    Key { by: command.by.clone(), on: command.on.clone(), title: None, name, stat, dimension, params, levels }
}

fn of_table(at: usize, table: &MetricTable, command: &Command) -> Vec<Reading> {
    let mut all = Vec::new();
    for (row, cells) in table.rows.iter().enumerate() {
        let params = row_params(table, cells);
        for (column, cell) in cells.iter().enumerate() {
            let Value::Number(value) = cell.value else { continue };
            let Some(metric) = named(table, cells, column) else { continue };
            let (unit, better) = (metric.unit.clone(), metric.better);
            let key = Key { title: table.title.clone(), ..key_of(command, metric, params.clone()) };
            let range = range(table, cells, column, value);
            let spot = Spot::Cell { table: at, row, column };
            all.push(Reading { key, unit, better, value, text: cell.text.clone(), range, spot });
        }
    }
    all
}

/// Parameters and labels of a row; of a transposed table its rows are the metrics.
fn row_params(table: &MetricTable, cells: &[Cell]) -> Vec<(String, String)> {
    let keyed = table.columns.iter().zip(cells).filter(|(column, _)| {
        matches!(column.role, Some(Role::Parameter | Role::Label)) && !is_count(&column.name) && !transposed(table)
    });
    keyed.map(|(column, cell)| (column.name.clone(), cell.text.trim().to_string())).collect()
}

fn transposed(table: &MetricTable) -> bool {
    !table.row_units.is_empty() || !table.row_better.is_empty()
}

/// What a value is of.
struct Named {
    name: String,
    unit: Option<String>,
    better: Option<Direction>,
    stat: Option<String>,
}

/// What a cell measures: its column's metric, or in a transposed table its row's under the condition of the column.
fn named(table: &MetricTable, cells: &[Cell], at: usize) -> Option<Named> {
    let column = &table.columns[at];
    if transposed(table) {
        let label = table.columns.iter().position(|c| c.role == Some(Role::Label)).filter(|label| *label != at)?;
        let row = cells[label].text.trim();
        let unit = table.row_units.iter().find(|(l, _)| l == row).map(|(_, u)| u.clone()).or(column.unit.clone());
        let better = table.row_better.iter().find(|(l, _)| l == row).map(|(_, d)| *d).or(column.better);
        return Some(Named { name: format!("{row}, {}", column.name), unit, better, stat: column.stat.clone() });
    }
    let result = column.role == Some(Role::Metric) && !column.derived && !is_spread(column);
    let Column { name, unit, better, stat, .. } = column.clone();
    result.then_some(Named { name, unit, better, stat })
}

/// Statistics that say how far single values lie apart.
const SPREADS: &[&str] = &["ci", "iqr", "mad", "spread", "stddev", "stderr"];

fn is_spread(column: &Column) -> bool {
    column.stat.as_deref().is_some_and(|s| SPREADS.contains(&s))
}

/// The range that a row prints for a value: the spread in the column behind it, else the least and the largest of the
/// same unit beside a mean or median.
fn range(table: &MetricTable, cells: &[Cell], at: usize, value: f64) -> Option<(f64, f64)> {
    let number = |i: usize| match cells[i].value {
        Value::Number(n) => Some(n),
        _ => None,
    };
    let beside = table.columns.get(at + 1).filter(|c| is_spread(c));
    if let Some(spread) = beside.and_then(|column| absolute(column, &table.columns[at], number(at + 1)?, value)) {
        return Some((value - spread, value + spread));
    }
    let central = matches!(table.columns[at].stat.as_deref(), None | Some("mean" | "median"));
    let only = |stat: &str| {
        let same = |i: &usize| {
            table.columns[*i].stat.as_deref() == Some(stat) && table.columns[*i].unit == table.columns[at].unit
        };
        let mut found = (0..table.columns.len()).filter(same);
        let first = found.next()?;
        found.next().is_none().then(|| number(first)).flatten()
    };
    let (low, high) = (only("min").filter(|_| central)?, only("max")?);
    (low <= value && value <= high).then_some((low, high))
}

/// A spread in the unit of the value that it belongs to; per cent of a value that is none is a share of it.
fn absolute(spread: &Column, of: &Column, amount: f64, value: f64) -> Option<f64> {
    match (spread.unit.as_deref(), of.unit.as_deref()) {
        (Some("%"), unit) if unit != Some("%") => Some(value.abs() * amount / 100.0),
        (None, _) => Some(amount),
        (a, b) if a == b => Some(amount),
        (Some(a), Some(b)) => lookup(b)?.convert(amount, &lookup(a)?),
        (Some(_), None) => None,
    }
}

/// Captions tell tables of one shape apart; where nothing has to be told apart they often hold a time or a count that
/// differs from run to run.
fn titled_where_needed(mut readings: Vec<Reading>) -> Vec<Reading> {
    let bare = |key: &Key| Key { title: None, ..key.clone() };
    let mut tables: HashMap<Key, Vec<Option<String>>> = HashMap::new();
    for reading in &readings {
        let titles = tables.entry(bare(&reading.key)).or_default();
        if !titles.contains(&reading.key.title) {
            titles.push(reading.key.title.clone());
        }
    }
    for reading in &mut readings {
        if tables[&bare(&reading.key)].len() == 1 {
            reading.key.title = None;
        }
    }
    readings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(LEVELS.is_sorted() && COUNTS.is_sorted());
    }

    #[test]
    fn levels_are_told_from_knobs() {
        let setting = |name: &str, value: &str| Setting { name: name.into(), value: Some(value.into()) };
        for (name, value, level) in [
            ("-c", "100", true),
            ("--max-concurrency", "8", true),
            ("--input-len", "1024", true),
            ("--chunked-prefill", "4096", false),
            ("OMP_NUM_THREADS", "4", false),
            ("-o", "out.txt", false),
        ] {
            assert_eq!(is_level(&setting(name, value)), level, "{name} {value}");
        }
    }
}
