//! JMH: parameters in parentheses, a mode that says which way is better, a unit per row. The error is a confidence
//! interval. Rows of profilers (`·gc.alloc.rate`) have units of their own. The blocks `Result "…"` before the summary count
//! for what the summary does not name.

use std::{collections::HashSet, ops::Range, sync::LazyLock};

use crate::text::pattern::Regex;
use regex::Captures;

use super::{
    Adapter, Declined, Taken, build,
    build::{Heading, Spec, count, label, metric, parameter},
    grammar::{self, Grammar, Rule, begins, fig, line, noise, opens, section, setting},
};
use crate::{
    base::unit::lookup,
    extract::bench::clean::{Kind, Page},
    model::metric::{Cell, Column, Direction, Measurement, MetricTable, Role, Value},
};

/// See the module.
pub struct Jmh;

/// `Benchmark   (size)   Mode  Cnt   Score   Error   Units`
static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*Benchmark((?: +\([\w.]+\))*) +Mode(?: +(?:Cnt|Samples))? +Score(?: +(?:Score )?[Ee]rror)? +Units$")
        .expect("fixed pattern")
});
/// From the mode on: `thrpt   20  13062.016 ± 130.645  ops/ms`; `≈ 10⁻⁴` is an order of magnitude, no figure.
static ROW: LazyLock<Regex> = LazyLock::new(|| {
    grammar::pattern(
        r"^\s*(\S+)((?: +\S+)*?) +(thrpt|avgt|sample|ss)(?: +(\d+))? +({n}|≈ *\S+)(?: +±? *({n}|NaN))? +(\S+)$",
    )
});

const SEPARATED: &[Spec] = &[
    label("Benchmark"),
    label("Mode"),
    parameter("Threads"),
    count("Samples"),
    metric("Score", "", None).stat("mean"),
    metric("Score Error*", "", None).stat("ci"),
    label("Unit"),
    parameter("Param*"),
];

static TABLES: LazyLock<Vec<Heading>> =
    LazyLock::new(|| vec![Heading::new(r#"^"Benchmark","Mode","Threads","Samples","Score","#, SEPARATED)]);

/// Blocks before the summary: `Result "com.example.Mill.grind":`
static RESULTS: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(1, BLOCK));

static BLOCK: &[Rule] = &[
    begins(r"# Benchmark: .*", &[]),
    opens(r#"Result "?([\w.$:·]+)"?:"#, &[setting(1, "benchmark")]),
    line(
        r"({n}) ±\([\d.]+%\) ({n}) (\S+) \[Average\]",
        &[section("", "$3"), fig(1, "Score").unit("$3").by_name().spread(2).stat("mean")],
    ),
    line(r"({n}) (\S+) \[Average\]", &[section("", "$2"), fig(1, "Score").unit("$2").by_name().stat("mean")]),
    line(
        r"\(min, avg, max\) = \(({n}), {n}, ({n})\), stdev = ({n}|NaN)",
        &[fig(1, "min").unit("=").by_name(), fig(2, "max").unit("=").by_name(), fig(3, "stdev").unit("=")],
    ),
    noise(r"CI \([\d.]+%\): \[.*|# .*|(?:# Warmup )?Iteration +\d+: .*"),
];

/// The blocks before a summary; they give nothing for what a table names, shortened to what tells the names apart.
fn results(page: &Page, tables: &[Taken]) -> Vec<Taken> {
    let rows = tables.iter().flat_map(|t| &t.tables).flat_map(|table| &table.rows);
    let named: HashSet<&str> = rows.map(|row| row[0].text.trim_matches('"')).collect();
    let ends = |name: &str| name.match_indices('.').any(|(dot, _)| named.contains(&name[dot + 1..]));
    let told = |m: &Measurement| m.params.iter().any(|(_, value)| matches!(value, Value::Text(name) if ends(name)));
    let mut all = RESULTS.read(page);
    all.iter_mut().for_each(|taken| taken.metrics.retain(|metric| !told(metric)));
    all
}

impl Adapter for Jmh {
    fn name(&self) -> &'static str {
        "jmh"
    }

    fn about(&self) -> &'static str {
        "the summary table of JMH, its CSV, the results before it"
    }

    fn marks(&self) -> &'static [&'static str] {
        &["Units", "\"Score\"", " [Average]"]
    }

    fn read(&self, page: &Page) -> Result<Vec<Taken>, Declined> {
        let mut all = build::told_tables(page, &TABLES);
        all.iter_mut().flat_map(|taken| &mut taken.tables).for_each(finish);
        let mut at = 0;
        while at < page.lines.len() {
            let found = summary(page, at);
            at = found.as_ref().map_or(at + 1, |t| t.lines.end);
            all.extend(found);
        }
        all.extend(results(page, &all));
        if all.is_empty() { Err("no heading of its summary with rows below") } else { Ok(all) }
    }
}

fn summary(page: &Page, at: usize) -> Option<Taken> {
    if page.kind(at) != Kind::Text {
        return None;
    }
    let heading = HEADING.captures(page.text(at))?;
    let params: Vec<&str> = heading[1].split_whitespace().collect();
    let mut table = columns(&params);
    let mut end = at + 1;
    let settings = |found: &Captures| found[2].split_whitespace().count() == params.len();
    while let Some(found) = ROW.captures(page.text(end)).filter(settings) {
        table.rows.push(row(page, end, &found, params.len()));
        end += 1;
    }
    if table.rows.is_empty() {
        return None;
    }
    // A row that breaks off keeps its name, which may be cut as well: it says that the table goes on.
    if grammar::breaks_off(page, end, page.text(end).len()) && !page.text(end).trim().is_empty() {
        table.truncated = true;
        end += 1;
    }
    finish(&mut table);
    Some(Taken { lines: at..end, tables: vec![table], ..Taken::default() })
}

fn columns(params: &[&str]) -> MetricTable {
    let mut table = build::table_of(&[
        label("Benchmark"),
        label("Mode"),
        count("Cnt"),
        metric("Score", "", None).stat("mean"),
        metric("Error", "", None).stat("ci"),
        label("Units"),
    ]);
    let settings =
        params.iter().map(|name| Column { name: name.to_string(), role: Some(Role::Parameter), ..Column::default() });
    table.columns.splice(1..1, settings);
    table
}

fn row(page: &Page, line: usize, found: &Captures, params: usize) -> Vec<Cell> {
    let range = |i: usize| found.get(i).map(|m| m.range());
    let figure = |i: usize| match range(i) {
        Some(range) => build::figure_cell(page, line, range, None),
        None => build::missing_cell(),
    };
    let text = |i: usize| build::text_cell(page, line, range(i).unwrap_or(0..0));
    let mut cells = vec![text(1)];
    let mut from = range(2).unwrap_or(0..0).start;
    for word in found[2].split_whitespace().take(params) {
        let start = from + page.text(line)[from..].find(word).unwrap_or(0);
        from = start + word.len();
        cells.push(setting_cell(page, line, start..from));
    }
    cells.extend([text(3), figure(4), figure(5), figure(6), text(7)]);
    cells
}

/// A number where it is one, else a name.
fn setting_cell(page: &Page, line: usize, range: Range<usize>) -> Cell {
    match build::figure_cell(page, line, range.clone(), None) {
        Cell { value: Value::Missing, .. } => build::text_cell(page, line, range),
        cell => cell,
    }
}

/// Gives score and error unit and direction: the columns, where all rows agree; else the rows.
fn finish(table: &mut MetricTable) {
    let find = |names: &[&str]| table.columns.iter().position(|c| names.contains(&c.name.as_str()));
    let (Some(mode), Some(score), Some(unit)) = (find(&["Mode"]), find(&["Score"]), find(&["Unit", "Units"])) else {
        return;
    };
    let told: Vec<(String, String, Option<Direction>)> = table
        .rows
        .iter()
        .map(|row| {
            let spelled = row[unit].text.trim_matches('"').to_string();
            let token = lookup(&spelled).map_or(spelled, |u| u.token.into_owned());
            let better = better(row[0].text.trim_matches('"'), row[mode].text.trim_matches('"'));
            (row[0].text.trim_matches('"').to_string(), token, better)
        })
        .collect();
    let Some((_, first, better)) = told.first().cloned() else { return };
    if told.iter().all(|(_, unit, way)| *unit == first && *way == better) {
        table.columns[score].better = better;
        table.columns[score..=score + 1].iter_mut().for_each(|c| c.unit = Some(first.clone()));
    } else {
        table.row_units = told.iter().map(|(name, unit, _)| (name.clone(), unit.clone())).collect();
        table.row_better = told.into_iter().filter_map(|(name, _, way)| Some((name, way?))).collect();
        table.row_units.dedup();
        table.row_better.dedup();
    }
}

/// Throughput is better higher, times lower; of what a profiler counts, only allocation and time tell.
fn better(name: &str, mode: &str) -> Option<Direction> {
    let profiled = name.split_once([':', '·']).map(|(_, metric)| metric.trim_start_matches('·'));
    match (profiled, mode) {
        (None, "thrpt") => Some(Direction::Higher),
        (None, _) => Some(Direction::Lower),
        (Some(metric), _) if metric.starts_with("gc.alloc.rate.norm") || metric.starts_with("gc.time") => {
            Some(Direction::Lower)
        }
        // A percentile of a sampled time: `name:name·p0.99`
        (Some(metric), "sample") if metric.contains("·p0.") || metric.contains("·p1.") || metric.starts_with("p0.") => {
            Some(Direction::Lower)
        }
        _ => None,
    }
}
