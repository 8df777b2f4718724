//! What adapters build with: figures and tables from stretches of lines, spans and units taken care of.

use std::ops::Range;

use crate::{
    base::unit::{Decimal, lookup},
    extract::bench::{
        cell::{self, Reading},
        clean::Page,
        layout::{Found, LAYOUTS, Near},
        table::{self, Verdict},
    },
    model::metric::{Cell, Column, Direction, MetricTable, Role, Value},
};

/// The unit of a column whose rows have each their own.
pub const ROW: &str = "=";

/// The unit of a column that has none, whatever its cells look like.
pub const BARE: &str = "-";

/// How a column of a tool's table is to be read.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Spec {
    /// Heading.
    pub name: &'static str,
    /// What it is for.
    pub role: Role,
    /// Unit, where it is the same in every row; "" for none.
    pub unit: &'static str,
    /// Which way is better.
    pub better: Option<Direction>,
    /// Statistic; "" for none.
    pub stat: &'static str,
}

/// A column of names.
pub const fn label(name: &'static str) -> Spec {
    Spec { name, role: Role::Label, unit: "", better: None, stat: "" }
}

/// A column of settings.
pub const fn param(name: &'static str, unit: &'static str) -> Spec {
    Spec { name, role: Role::Parameter, unit, better: None, stat: "" }
}

/// A column of sample sizes or passes.
pub const fn count(name: &'static str) -> Spec {
    Spec { name, role: Role::Count, unit: "", better: None, stat: "" }
}

/// A column of results.
pub const fn metric(name: &'static str, unit: &'static str, better: Option<Direction>) -> Spec {
    Spec { name, role: Role::Metric, unit, better, stat: "" }
}

impl Spec {
    /// The same column with a statistic.
    pub const fn stat(self, stat: &'static str) -> Self {
        Spec { stat, ..self }
    }

    fn column(&self) -> Column {
        let word = |text: &str| (!text.is_empty() && text != ROW && text != BARE).then(|| text.to_string());
        Column {
            name: self.name.to_string(),
            unit: word(self.unit),
            role: Some(self.role),
            better: self.better,
            stat: word(self.stat),
            derived: false,
        }
    }
}

/// An empty table with these columns.
pub fn table_of(columns: &[Spec]) -> MetricTable {
    MetricTable { columns: columns.iter().map(Spec::column).collect(), ..MetricTable::default() }
}

/// A stretch of a line as a cell that holds a name.
pub fn text_cell(page: &Page, line: usize, range: Range<usize>) -> Cell {
    let text = page.text(line).get(range.clone()).unwrap_or("").to_string();
    Cell { value: Value::Text(text.clone()), text, span: page.lines[line].span(range) }
}

/// A stretch of a line as a cell that holds a figure, in the unit that is given, else as printed; missing where none is
/// printed.
pub fn figure_cell(page: &Page, line: usize, range: Range<usize>, unit: Option<&str>) -> Cell {
    let text = page.text(line).get(range.clone()).unwrap_or("");
    let value = match cell::read(text, Decimal::Point) {
        Some(reading) => Value::Number(in_unit(&reading, unit)),
        None => Value::Missing,
    };
    Cell { text: text.to_string(), value, span: page.lines[line].span(range) }
}

/// The value of a reading in a unit, where both have one of the same dimension.
pub fn in_unit(reading: &Reading, unit: Option<&str>) -> f64 {
    let wanted = unit.and_then(lookup);
    match (&wanted, &reading.unit) {
        (Some(wanted), Some(own)) => wanted.convert(reading.value, own).unwrap_or(reading.value),
        _ => reading.value,
    }
}

/// The unit that a stretch of a line prints.
pub fn printed_unit(page: &Page, line: usize, range: Range<usize>) -> Option<String> {
    let text = page.text(line).get(range)?;
    cell::read(text, Decimal::Point)?.unit.map(|unit| unit.token)
}

/// The table under a heading at a line, as the layouts read it, and the line after it.
pub fn table_at(page: &Page, at: usize) -> Option<(MetricTable, usize)> {
    LAYOUTS.iter().find_map(|layout| match layout.find(page, at, Near::Measurements)? {
        Found::Grids(grids) => grids.iter().find_map(|grid| match table::read(page, grid, Near::Measurements) {
            Verdict::Table(table) => Some((table, grid.next)),
            _ => None,
        }),
        Found::Figures(..) => None,
    })
}

/// Says of the columns what the tool means by them; those that no row of `known` names stay as they were read.
pub fn refine(table: &mut MetricTable, known: &[Spec]) {
    for column in &mut table.columns {
        let Some(spec) = known.iter().find(|s| s.name.eq_ignore_ascii_case(&column.name)) else { continue };
        let told = spec.column();
        (column.role, column.better) = (told.role, told.better);
        column.unit = told.unit.or(column.unit.take()).filter(|_| spec.unit != BARE);
        column.stat = told.stat.or(column.stat.take());
    }
}

/// The words of a stretch of a text: what stands between blanks.
pub fn words(text: &str, within: Range<usize>) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let mut from = within.start;
    for word in text.get(within.clone()).unwrap_or("").split([' ', '\t']) {
        if !word.is_empty() {
            all.push(from..from + word.len());
        }
        from += word.len() + 1;
    }
    all
}
