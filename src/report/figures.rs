//! Which measurements an article shows: profiles, sweeps, and runs of one command beside each other.

use std::collections::BTreeMap;

use super::Material;
use crate::{
    base::{ids::MessageIdx, path::base_name},
    model::{
        evidence::Evidence,
        facts::FileTouch,
        metric::{Cell, PlacedMetric, PlacedTable, Role, Value},
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
    let here = m.facts.tables.iter().filter(|t| m.told(t.at.message) && measured_here(m, t.at.message));
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
        let Some(placed) =
            m.facts.tables.get(s.table).filter(|t| m.told(t.at.message) && measured_here(m, t.at.message))
        else {
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

/// One run of a measuring command: its call and the figures that it printed.
#[derive(Clone)]
pub struct Run<'a> {
    /// The call.
    pub message: MessageIdx,
    /// Arguments in which the runs of this command differ, in order of the command line.
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

/// Runs of measuring commands among `keep`, one series per command, the longest first.
pub fn series<'a>(m: &Material<'a>, keep: impl Fn(MessageIdx) -> bool) -> Vec<Series<'a>> {
    let mut by_message: BTreeMap<MessageIdx, BTreeMap<String, &PlacedMetric>> = BTreeMap::new();
    let own = |p: &&PlacedMetric| p.at.command.is_some() && keep(p.at.message) && measured_here(m, p.at.message);
    for placed in m.facts.metrics.iter().filter(own) {
        by_message.entry(placed.at.message).or_default().entry(placed.metric.name.clone()).or_insert(placed);
    }
    let mut by_key: BTreeMap<&str, Vec<Run<'a>>> = BTreeMap::new();
    for (message, figures) in by_message {
        let key = m.facts.run_of(message).map_or("", |c| c.key.as_str());
        by_key.entry(key).or_default().push(Run { message, settings: Vec::new(), figures });
    }
    let mut all: Vec<Series<'a>> = by_key
        .into_iter()
        .filter(|(key, _)| !key.is_empty())
        .map(|(_, mut runs)| {
            let calls: Vec<MessageIdx> = runs.iter().map(|r| r.message).collect();
            for (run, settings) in runs.iter_mut().zip(differing_settings(m.session, &calls)) {
                run.settings = settings;
            }
            Series { names: telling(m, &runs), runs }
        })
        .filter(|s| !s.names.is_empty())
        .collect();
    all.sort_by_key(|s| (std::cmp::Reverse(s.runs.len()), s.runs[0].message));
    all
}

/// Names that every run printed and whose direction is known, those first whose values texts and todo items repeat.
fn telling(m: &Material, runs: &[Run]) -> Vec<String> {
    let mut names: Vec<(usize, usize, String)> = Vec::new();
    for (order, (name, placed)) in runs[0].figures.iter().enumerate() {
        let everywhere = runs.iter().all(|r| r.figures.contains_key(name));
        if everywhere && placed.metric.better.is_some() {
            let told: usize = runs.iter().map(|r| repeats(m, r.figures[name])).sum();
            names.push((told, order, name.clone()));
        }
    }
    names.sort_by_key(|(told, order, _)| (std::cmp::Reverse(*told), *order));
    names.into_iter().map(|(_, _, name)| name).collect()
}

/// In how many texts the value is repeated, exactly or rounded to an integer.
pub fn repeats(m: &Material, placed: &PlacedMetric) -> usize {
    let exact = placed.metric.text.as_str();
    let whole = format!("{:.0}", placed.metric.value);
    let texts = m.session.messages.iter().filter(|message| message.call.is_none());
    texts.filter(|message| holds(message.prose(), exact) || whole.len() > 2 && holds(message.prose(), &whole)).count()
}

/// Whether a number stands in a text as a token of its own.
fn holds(text: &str, number: &str) -> bool {
    text.match_indices(number).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let mut after = text[at + number.len()..].chars();
        let next = after.next();
        let goes_on = next.is_some_and(|c| c.is_ascii_digit())
            || next == Some('.') && after.next().is_some_and(|c| c.is_ascii_digit());
        !goes_on && !before.is_some_and(|c| c.is_ascii_digit() || c == '.')
    })
}

/// The settings by which the command lines of some calls differ, one list for each: `--flag value`, `--flag=value`,
/// `NAME=value`.
pub fn differing_settings(session: &Session, calls: &[MessageIdx]) -> Vec<Vec<(String, Evidence)>> {
    let lines: Vec<Vec<String>> =
        calls.iter().map(|at| settings(session.message(*at).command().unwrap_or(""))).collect();
    let differs = |words: &String| !lines.iter().all(|other| other.contains(words));
    let cited =
        |at: MessageIdx, words: &String| session.cite_words(at, words).map(|evidence| (words.clone(), evidence));
    calls
        .iter()
        .zip(&lines)
        .map(|(at, line)| line.iter().filter(|w| differs(w)).filter_map(|w| cited(*at, w)).collect())
        .collect()
}

/// The settings of a command line, as written.
fn settings(line: &str) -> Vec<String> {
    let tokens: Vec<&str> = line.split_whitespace().map(|t| t.trim_matches(['\'', '"'])).collect();
    let mut found = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        let flag = token.starts_with("--");
        match tokens.get(i + 1).filter(|next| flag && !token.contains('=') && !next.starts_with('-')) {
            Some(value) => found.push(format!("{token} {value}")),
            None if flag || is_assignment(token) => found.push((*token).to_string()),
            None => {}
        }
    }
    found
}

/// `NAME=value`.
fn is_assignment(token: &str) -> bool {
    token.split_once('=').is_some_and(|(name, value)| {
        !value.is_empty()
            && !name.is_empty()
            && name.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit())
    })
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
    factor.is_finite().then(|| number::times(factor) + " times")
}

/// What printed the output of a call: the script of its command line, else its program.
pub fn printed_by(m: &Material, message: MessageIdx) -> Option<Evidence> {
    let run = m.facts.run_of(message)?;
    // What copies, reads or writes a file prints nothing of its own.
    let mut ran = run.parts.iter().rev().filter(|p| !BYSTANDERS.contains(&p.class.0.as_str()));
    let is_script = |a: &&String| SCRIPTS.iter().any(|end| a.ends_with(end));
    let script = ran.clone().find_map(|p| p.args.iter().find(is_script));
    let name = match script {
        Some(path) => base_name(path),
        None => ran.find(|p| p.class == run.class).map(|p| p.program.as_str())?,
    };
    m.session.cite_words(message, name)
}

/// Whether a call measured something itself: a figure that is read from a file or searched may be anybody's.
pub fn measured_here(m: &Material, message: MessageIdx) -> bool {
    let run = m.facts.run_of(message);
    run.is_some_and(|c| c.ran && c.parts.iter().any(|p| !BYSTANDERS.contains(&p.class.0.as_str())))
}

/// Classes of commands that print what stands elsewhere, or nothing.
const BYSTANDERS: &[&str] =
    &["copy", "diff", "help", "list", "noop", "read", "search", "time", "vcs-read", "wait", "web", "write-heredoc"];

/// Endings of scripts that are named on a command line.
const SCRIPTS: &[&str] = &[".js", ".mjs", ".pl", ".py", ".rb", ".sh", ".ts"];

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
    text.split_whitespace().count() >= 5 && closed && !text.contains(['{', '}', ';']) && !text.trim_end().ends_with(':')
}

/// A file's name without its folders, where it stands in the call.
pub fn file_name(m: &Material, touch: &FileTouch) -> Evidence {
    m.session.cite_words(touch.message, base_name(&touch.path)).unwrap_or_else(|| touch.evidence.clone())
}
