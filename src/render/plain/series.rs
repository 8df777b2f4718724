//! `benchmarks --series` for a person: of each command its runs with what was changed before them, then its metrics from
//! the first to the last run.

use std::collections::BTreeSet;

use super::{
    Form,
    grid::{self, clean, short},
};
use crate::{
    base::path::base_name,
    model::{
        facts::Facts,
        findings::Findings,
        metric::Direction,
        series::{Judgement, Key, Reading, Run, Series, SettingChange},
        session::Session,
    },
    text::number,
};

/// The series of a session.
pub fn of_session(session: &Session, facts: &Facts, findings: &Findings, form: Form) -> String {
    let page = Page { session, facts, runs: &findings.runs, form };
    let repeated: Vec<&Series> = findings.series.iter().filter(|s| s.readings.len() > 1).collect();
    let mut out = String::new();
    let mut told: BTreeSet<&str> = BTreeSet::new();
    for series in &repeated {
        let by = series.key.by.as_str();
        if told.insert(by) {
            page.group(&mut out, repeated.iter().filter(|s| s.key.by == by).copied().collect());
        }
    }
    let single = findings.series.len() - repeated.len();
    match (out.is_empty(), single) {
        (true, 0) => out += "no command of this session measured anything\n",
        (_, 0) => {}
        (_, n) => {
            out += &format!("\n{} printed by one run only\n", number::count(n, "figure was", "figures were"));
        }
    }
    out.trim_start_matches('\n').to_string()
}

struct Page<'a> {
    session: &'a Session,
    facts: &'a Facts,
    runs: &'a [Run],
    form: Form,
}

impl Page<'_> {
    /// What one command measured: its runs, then its series.
    fn group(&self, out: &mut String, mut series: Vec<&Series>) {
        let runs: BTreeSet<usize> = series.iter().flat_map(|s| s.readings.iter().map(|(run, _)| *run)).collect();
        let name = clean(&series[0].key.by);
        let name = if name.is_empty() { "a tool".to_string() } else { name };
        let title = format!("{name} · {}", number::count(runs.len(), "run", "runs"));
        *out += &match self.form {
            Form::Markdown => format!("\n**{}**\n\n", crate::text::quote::inline(&title)),
            Form::Terminal => format!("\n{title}\n"),
        };
        let rows: Vec<Vec<String>> = runs.iter().map(|run| self.run(*run)).collect();
        grid::push(out, &["msg".into(), "changed before it".into()], &rows, self.form);
        out.push('\n');
        let head = ["metric", "with", "first", "best", "latest", "change", "verdict", "why"].map(str::to_string);
        series.sort_by_key(|s| (s.baseline().0, s.baseline().1.spot));
        let told = common(series.iter().map(|s| &s.key));
        *out += &all_with(&told);
        let rows: Vec<Vec<String>> = series.iter().map(|s| self.series(s, &told)).collect();
        grid::push(out, &head, &rows, self.form);
    }

    fn run(&self, at: usize) -> Vec<String> {
        let run = &self.runs[at];
        let mut notes: Vec<String> = run.changed.iter().map(|c| change(c, &run.by)).collect();
        let edits = run.edited.iter().map(|i| &self.facts.files[*i]);
        notes.extend(edits.map(|touch| {
            format!("{} [msg {}]", clean(base_name(&touch.path)), self.session.message(touch.message).number)
        }));
        if let Some(gate) = run.gate {
            let tests = &self.facts.quality[gate];
            let told: Vec<String> = tests
                .counts
                .iter()
                .filter(|(name, _)| !name.contains("duration"))
                .map(|(name, n)| format!("{n} {name}"))
                .collect();
            let number = self.session.message(tests.at.message).number;
            notes.push(format!("checks failing: {} [msg {number}]", told.join(", ")));
        }
        if notes.is_empty() {
            notes.push(if run.before.is_some() { "nothing" } else { "" }.into());
        }
        vec![self.number(at), notes.join(", ")]
    }

    fn series(&self, series: &Series, told: &[&(String, String)]) -> Vec<String> {
        let cell = |at: &(usize, Reading)| format!("{} ({})", shown(&at.1), self.number(at.0));
        vec![
            heading(&series.key, series.unit.as_deref(), series.better),
            with(&series.key, told),
            cell(series.baseline()),
            series.best().map(cell).unwrap_or_default(),
            cell(series.last()),
            changed(&series.latest),
            series.latest.trend.words().into(),
            series.latest.why.clone(),
        ]
    }

    fn number(&self, run: usize) -> String {
        self.session.message(self.runs[run].message).number.to_string()
    }
}

/// `--chunk 64 → 128`; of another command than the run's, with its name.
pub fn change(change: &SettingChange, of: &str) -> String {
    let value = |v: &Option<String>| v.as_deref().map_or("–".to_string(), clean);
    let whose = if change.of == of { String::new() } else { format!("{} ", clean(&change.of)) };
    format!("{whose}{} {} → {}", clean(&change.name), value(&change.old), value(&change.new))
}

/// Name, unit and direction of a metric.
pub fn heading(key: &Key, unit: Option<&str>, better: Option<Direction>) -> String {
    let way = match better {
        Some(Direction::Higher) => " ↑",
        Some(Direction::Lower) => " ↓",
        None => "",
    };
    let stat = key.stat.as_deref().filter(|s| !key.name.to_lowercase().contains(s)).map(|s| format!(" {s}"));
    let unit = unit.filter(|u| !key.name.contains(u)).map(|u| format!(" [{u}]"));
    format!("{}{}{}{way}", clean(&key.name), stat.unwrap_or_default(), unit.unwrap_or_default())
}

/// Parameters that all of some keys have in common: they are told once, above the table.
pub fn common<'k>(mut keys: impl Iterator<Item = &'k Key>) -> Vec<&'k (String, String)> {
    let Some(first) = keys.next() else { return Vec::new() };
    let mut shared: Vec<&(String, String)> = params(first).collect();
    let mut alone = true;
    for key in keys {
        shared.retain(|param| params(key).any(|p| p == *param));
        alone = false;
    }
    if alone { Vec::new() } else { shared }
}

fn params(key: &Key) -> impl Iterator<Item = &(String, String)> {
    key.params.iter().chain(&key.levels)
}

/// Caption and parameters of a key, without those that were told already.
pub fn with(key: &Key, told: &[&(String, String)]) -> String {
    let params = params(key).filter(|param| !told.contains(param)).map(param);
    key.title.as_deref().map(clean).into_iter().chain(params).collect::<Vec<_>>().join(", ")
}

/// `batch=8`.
pub fn param((name, value): &(String, String)) -> String {
    match (name.as_str(), value.as_str()) {
        (name, "") => clean(name),
        ("", value) => clean(value),
        (name, value) => format!("{}={}", clean(name), clean(value)),
    }
}

/// A line that tells what all rows of a table have in common; nothing where they have nothing.
pub fn all_with(told: &[&(String, String)]) -> String {
    match told {
        [] => String::new(),
        told => format!("all with {}\n\n", told.iter().map(|p| param(p)).collect::<Vec<_>>().join(", ")),
    }
}

/// A value with the range that is printed for it.
pub fn shown(reading: &Reading) -> String {
    match reading.range {
        Some((low, high)) => format!("{} [{}…{}]", short(reading.value), short(low), short(high)),
        None => short(reading.value),
    }
}

/// The change of a judgement.
pub fn changed(judgement: &Judgement) -> String {
    judgement.change.map(number::change).unwrap_or_default()
}
