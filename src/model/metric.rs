//! What was measured: tables and single figures, as printed, with unit, role and direction.

use super::evidence::Evidence;
use crate::base::{ids::MessageIdx, span::ByteSpan};

/// What a column is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Independent variable or configuration.
    Parameter,
    /// Measured or derived result.
    Metric,
    /// Identity: a name.
    Label,
    /// Sample size, iterations, passes.
    Count,
}

/// Which way is better.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
}

/// Column of a table.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Column {
    /// Header as printed.
    pub name: String,
    /// Canonical unit token; `None` when none is printed (no unit is guessed).
    pub unit: Option<String>,
    /// What it is for; `None` when that cannot be told.
    pub role: Option<Role>,
    /// Which way is better; `None` when that is not known.
    pub better: Option<Direction>,
    /// `mean`, `median`, `p99`, `min`, `max`, `spread`, `stddev`, `ci` …
    pub stat: Option<String>,
    /// A ratio or difference computed by the tool (or by us).
    pub derived: bool,
}

/// Value of a cell.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A number in the unit of the column (or row).
    Number(f64),
    /// Anything else.
    Text(String),
    /// Missing, cut off, or not available.
    Missing,
}

/// A cell: the printed token beside the parsed value.
#[derive(Clone, PartialEq, Debug)]
pub struct Cell {
    /// As printed.
    pub text: String,
    /// As parsed.
    pub value: Value,
    /// Bytes in the text it was read from.
    pub span: ByteSpan,
}

/// A rectangular table of measurements.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MetricTable {
    /// Caption or section heading, if one is printed.
    pub title: Option<String>,
    /// Tool that printed it, if it is known.
    pub tool: Option<String>,
    /// Columns.
    pub columns: Vec<Column>,
    /// Rows; each as long as `columns`.
    pub rows: Vec<Vec<Cell>>,
    /// It goes on past what is shown.
    pub truncated: bool,
    /// For transposed tables: label of the row → unit.
    pub row_units: Vec<(String, String)>,
    /// For transposed tables: label of the row → which way is better.
    pub row_better: Vec<(String, Direction)>,
    /// `training` or `telemetry` where it is a time series rather than a benchmark.
    pub kind: Option<&'static str>,
}

impl MetricTable {
    /// From the first to the last byte of its cells.
    pub fn span(&self) -> ByteSpan {
        let filled = || self.rows.iter().flatten().map(|c| c.span).filter(|s| !s.is_empty());
        let start = filled().map(|s| s.start).min().unwrap_or(0);
        ByteSpan::new(start, filled().map(|s| s.end).max().unwrap_or(start))
    }
}

/// A single figure.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Measurement {
    /// What was measured, as printed.
    pub name: String,
    /// Value in the printed unit.
    pub value: f64,
    /// As printed.
    pub text: String,
    /// Canonical unit token.
    pub unit: Option<String>,
    /// Parameters under which it was measured.
    pub params: Vec<(String, Value)>,
    /// Which way is better.
    pub better: Option<Direction>,
    /// Statistic.
    pub stat: Option<String>,
    /// Printed bounds.
    pub lo: Option<f64>,
    /// Printed bounds.
    pub hi: Option<f64>,
    /// Printed spread.
    pub spread: Option<f64>,
    /// Marked as approximate where it stands.
    pub approx: bool,
    /// Computed by the tool or author.
    pub derived: bool,
    /// Bytes of the number in the text it was read from.
    pub span: ByteSpan,
}

/// What a text holds, before it is tied to a message.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Extraction {
    /// Tables.
    pub tables: Vec<MetricTable>,
    /// Figures outside tables.
    pub metrics: Vec<Measurement>,
    /// Test-runner counts (`passed`, `failed` …), never performance.
    pub quality: Vec<(String, f64)>,
    /// The line that says so: the last that counts a failure, else the last that counts a pass.
    pub quality_span: Option<ByteSpan>,
}

/// How a figure came into the log.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Origin {
    /// Printed by what was run in this message: in its own output, in that of a later poll of the job that it started, or
    /// in a file that it wrote and a later call shows.
    Run(MessageIdx),
    /// Shown from a file, a page or a history that nothing in this session wrote: measured by somebody else, or before.
    Quoted,
    /// Said in a text or a task list.
    Stated,
}

/// Where something was measured.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    /// The message.
    pub message: MessageIdx,
    /// Part of the message.
    pub part: usize,
    /// Command line that printed it, if a command did.
    pub command: Option<String>,
    /// How it came there.
    pub origin: Origin,
}

impl Place {
    /// The message whose command measured it in this session.
    pub fn run(&self) -> Option<MessageIdx> {
        match self.origin {
            Origin::Run(message) => Some(message),
            Origin::Quoted | Origin::Stated => None,
        }
    }
}

/// A table with its place.
#[derive(Clone, PartialEq, Debug)]
pub struct PlacedTable {
    /// The table.
    pub table: MetricTable,
    /// Where.
    pub at: Place,
    /// The table as a whole.
    pub evidence: Evidence,
}

/// A figure with its place.
#[derive(Clone, PartialEq, Debug)]
pub struct PlacedMetric {
    /// The figure.
    pub metric: Measurement,
    /// Where.
    pub at: Place,
    /// The number.
    pub evidence: Evidence,
}

/// Test-runner counts with their place.
#[derive(Clone, PartialEq, Debug)]
pub struct PlacedQuality {
    /// `passed`, `failed` …
    pub counts: Vec<(String, f64)>,
    /// Where.
    pub at: Place,
    /// The line that says so.
    pub evidence: Evidence,
}

/// How many of the counted did not pass.
pub fn failing(counts: &[(String, f64)]) -> f64 {
    let fails = |name: &str| name.split(' ').any(|word| matches!(word, "failed" | "failures" | "errors" | "cancelled"));
    counts.iter().filter(|(name, _)| fails(name)).map(|(_, n)| n).sum()
}

/// A ratio computed from two printed values (marked † in articles).
#[derive(Clone, PartialEq, Debug)]
pub struct Scaling {
    /// Position in [`Facts::tables`](super::facts::Facts).
    pub table: usize,
    /// Parameter column.
    pub parameter: usize,
    /// Metric column.
    pub metric: usize,
    /// First and last row compared.
    pub rows: (usize, usize),
    /// Last value divided by first.
    pub factor: f64,
    /// Factor of the parameter over the same rows.
    pub parameter_factor: f64,
}

impl Scaling {
    /// Of each row of its table, against the first row that counts: how many times as good the metric is, and that
    /// divided by the growth of the parameter (1 is linear). `None` where a row holds no number.
    pub fn speedups(&self, table: &MetricTable) -> Vec<Option<(f64, f64)>> {
        let number = |row: &[Cell], column: usize| match row[column].value {
            Value::Number(n) if n > 0.0 => Some(n),
            _ => None,
        };
        let base = |column| table.rows.get(self.rows.0).and_then(|row| number(row, column));
        let (Some(metric), Some(parameter)) = (base(self.metric), base(self.parameter)) else {
            return vec![None; table.rows.len()];
        };
        let lower = table.columns[self.metric].better == Some(Direction::Lower);
        let of = |row: &Vec<Cell>| {
            let (value, level) = (number(row, self.metric)?, number(row, self.parameter)?);
            let speedup = if lower { metric / value } else { value / metric };
            Some((speedup, speedup / (level / parameter)))
        };
        table.rows.iter().map(of).collect()
    }
}
