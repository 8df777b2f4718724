//! lm-evaluation-harness. A blank cell repeats the one above; the arrow of a row says which way its metric is better; the
//! column behind `±` is a standard error.

use std::sync::LazyLock;

use super::{
    Adapter, Declined, Taken,
    build::{self, Heading, Spec, label, metric, parameter},
};
use crate::{
    extract::bench::clean::Page,
    model::metric::{Cell, Direction, MetricTable, Role},
};

const COLUMNS: &[Spec] = &[
    label("Tasks"),
    label("Groups"),
    label("Version"),
    label("Filter"),
    parameter("n-shot"),
    label("Metric"),
    metric("Stderr", "", None).stat("stderr"),
];

/// The heading of its tables.
static HEADINGS: LazyLock<Vec<Heading>> =
    LazyLock::new(|| vec![Heading::new(r"^\s*\|.*\|n-shot\| *Metric +\|.*\| *Value *\|.*\|Stderr\|", COLUMNS)]);

/// See the module.
pub struct LmEval;

impl Adapter for LmEval {
    fn name(&self) -> &'static str {
        "lm-evaluation-harness"
    }

    fn about(&self) -> &'static str {
        "tasks of a language model by lm-evaluation-harness: metrics with their standard errors"
    }

    fn marks(&self) -> &'static [&'static str] {
        &["|Stderr|"]
    }

    fn read(&self, page: &Page) -> Result<Vec<Taken>, Declined> {
        let mut all = build::told_tables(page, &HEADINGS);
        for taken in &mut all {
            taken.tables = std::mem::take(&mut taken.tables).into_iter().flat_map(filled).collect();
        }
        if all.is_empty() { Err("no heading over rows") } else { Ok(all) }
    }
}

/// Blank names filled from above; one table a direction.
fn filled(mut table: MetricTable) -> Vec<MetricTable> {
    for column in 0..table.columns.len() {
        if !matches!(table.columns[column].role, Some(Role::Label | Role::Parameter)) {
            continue;
        }
        for row in 1..table.rows.len() {
            if table.rows[row][column].text.is_empty() {
                table.rows[row][column].value = table.rows[row - 1][column].value.clone();
            }
        }
    }
    let Some(arrows) = table.columns.iter().position(|c| c.name.is_empty()) else { return vec![table] };
    let better = |row: &[Cell]| match row[arrows].text.as_str() {
        "↑" => Some(Direction::Higher),
        "↓" => Some(Direction::Lower),
        _ => None,
    };
    let mut all: Vec<MetricTable> = Vec::new();
    for wanted in [Some(Direction::Higher), Some(Direction::Lower), None] {
        let mut part = table.clone();
        part.rows.retain(|row| better(row) == wanted);
        let results = part.columns.iter_mut().filter(|c| c.role == Some(Role::Metric) && c.stat.is_none());
        results.for_each(|c| c.better = wanted);
        part.columns.remove(arrows);
        part.rows.iter_mut().for_each(|row| _ = row.remove(arrows));
        if !part.rows.is_empty() {
            all.push(part);
        }
    }
    all
}
