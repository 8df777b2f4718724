//! Ratios within sweeps: how a metric grows with its parameter.
//!
//! From the first to the last row of a table whose only parameter rises; nothing is corrected and nothing is averaged.
//! The efficiency is the one factor divided by the other.

use super::{Inference, Options};
use crate::model::{
    facts::Facts,
    findings::Findings,
    metric::{MetricTable, Role, Scaling, Value},
    session::Session,
};

/// See the module.
pub struct ScalingOf;

impl Inference for ScalingOf {
    fn name(&self) -> &'static str {
        "scaling"
    }

    fn about(&self) -> &'static str {
        "Ratios within sweeps: how a metric grows with its parameter"
    }

    fn run(&self, _session: &Session, facts: &Facts, _options: &Options, findings: &mut Findings) {
        for (at, placed) in facts.tables.iter().enumerate() {
            findings.scaling.extend(of_table(at, &placed.table));
        }
    }
}

fn of_table(at: usize, table: &MetricTable) -> Vec<Scaling> {
    let with = |role| table.columns.iter().enumerate().filter(move |(_, c)| c.role == Some(role)).map(|(i, _)| i);
    let parameters: Vec<usize> = with(Role::Parameter).filter(|c| varies(table, *c)).collect();
    let [parameter] = parameters[..] else { return Vec::new() };
    if NO_MAGNITUDES.contains(&table.columns[parameter].name.to_lowercase().as_str()) {
        return Vec::new();
    }
    if with(Role::Label).any(|c| varies(table, c)) {
        return Vec::new();
    }
    with(Role::Metric)
        .filter(|c| table.columns[*c].better.is_some() && !table.columns[*c].derived)
        .filter_map(|metric| of_column(at, table, parameter, metric))
        .collect()
}

/// Numbers that name a case and measure nothing; sorted.
const NO_MAGNITUDES: &[&str] = &[
    "case", "config", "epoch", "gpu", "id", "index", "iter", "layer", "rank", "root", "run", "seed", "shape", "step",
    "test", "trial", "variant",
];

fn varies(table: &MetricTable, column: usize) -> bool {
    table.rows.windows(2).any(|w| w[0][column].value != w[1][column].value)
}

fn number(table: &MetricTable, row: usize, column: usize) -> Option<f64> {
    match table.rows[row][column].value {
        Value::Number(n) if n > 0.0 => Some(n),
        _ => None,
    }
}

/// First and last row that hold both; the parameter must rise all the way.
fn of_column(at: usize, table: &MetricTable, parameter: usize, metric: usize) -> Option<Scaling> {
    let rows: Vec<(usize, f64, f64)> = (0..table.rows.len())
        .filter_map(|r| Some((r, number(table, r, parameter)?, number(table, r, metric)?)))
        .collect();
    let (first, last) = (rows.first()?, rows.last()?);
    let rising = rows.windows(2).all(|w| w[0].1 < w[1].1);
    (rows.len() > 1 && rising).then_some(Scaling {
        table: at,
        parameter,
        metric,
        rows: (first.0, last.0),
        factor: last.2 / first.2,
        parameter_factor: last.1 / first.1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        base::span::ByteSpan,
        model::metric::{Cell, Column, Direction},
    };

    fn table(rows: &[[f64; 2]]) -> MetricTable {
        let cell = |n: f64| Cell { text: n.to_string(), value: Value::Number(n), span: ByteSpan::default() };
        MetricTable {
            columns: vec![
                Column { name: "C".into(), role: Some(Role::Parameter), ..Column::default() },
                Column {
                    name: "tok/s".into(),
                    role: Some(Role::Metric),
                    better: Some(Direction::Higher),
                    ..Column::default()
                },
            ],
            rows: rows.iter().map(|r| r.iter().map(|n| cell(*n)).collect()).collect(),
            ..MetricTable::default()
        }
    }

    #[test]
    fn first_to_last_row() {
        let found = of_table(0, &table(&[[1.0, 100.0], [4.0, 300.0], [16.0, 800.0]]));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].factor, found[0].parameter_factor, found[0].rows), (8.0, 16.0, (0, 2)));
        assert!(of_table(0, &table(&[[4.0, 100.0], [1.0, 300.0]])).is_empty());
    }
}
