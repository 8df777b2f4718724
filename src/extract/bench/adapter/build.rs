//! What adapters build with: figures and tables from stretches of lines, spans and units taken care of.

use std::{ops::Range, sync::LazyLock};

use crate::text::pattern::Regex;

use super::{Declined, Taken, grammar::Grammar};
use crate::{
    base::{
        span::ByteSpan,
        unit::{Decimal, lookup},
    },
    extract::bench::{
        cell::{self, Reading},
        clean::{Kind, Page},
        layout::{Found, LAYOUTS, Near},
        table,
    },
    model::metric::{Cell, Column, Direction, MetricTable, Role, Value},
};

/// The unit of a column whose rows have each their own.
pub const ROW: &str = "=";

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
    /// What stands after `±` in its cells; "" for a spread of unknown kind.
    pub spread: &'static str,
    /// The tool computed it from other figures.
    pub derived: bool,
}

/// A column of names.
pub const fn label(name: &'static str) -> Spec {
    Spec { name, role: Role::Label, unit: "", better: None, stat: "", spread: "", derived: false }
}

/// A column of settings.
pub const fn parameter(name: &'static str) -> Spec {
    Spec { role: Role::Parameter, ..label(name) }
}

/// A column of counts.
pub const fn count(name: &'static str) -> Spec {
    Spec { role: Role::Count, ..label(name) }
}

/// A column of results.
pub const fn metric(name: &'static str, unit: &'static str, better: Option<Direction>) -> Spec {
    Spec { role: Role::Metric, unit, better, ..label(name) }
}

/// A column of differences or ratios that the tool computed.
pub const fn ratio(name: &'static str, unit: &'static str, stat: &'static str) -> Spec {
    Spec { stat, derived: true, ..metric(name, unit, None) }
}

/// Less is better.
pub const LOWER: Option<Direction> = Some(Direction::Lower);
/// More is better.
pub const HIGHER: Option<Direction> = Some(Direction::Higher);

impl Spec {
    /// The same column with a unit.
    pub const fn unit(self, unit: &'static str) -> Self {
        Spec { unit, ..self }
    }

    /// The same column with a statistic.
    pub const fn stat(self, stat: &'static str) -> Self {
        Spec { stat, ..self }
    }

    /// The same column with a kind of spread.
    pub const fn spread(self, spread: &'static str) -> Self {
        Spec { spread, ..self }
    }

    /// Whether it speaks of a heading; one that ends in `*` speaks of all that begin so.
    fn fits(&self, heading: &str) -> bool {
        match self.name.strip_suffix('*') {
            Some(front) => heading.starts_with(front),
            None => heading == self.name,
        }
    }

    fn column(&self) -> Column {
        let word = |text: &str| (!text.is_empty() && text != ROW).then(|| text.to_string());
        Column {
            name: self.name.to_string(),
            unit: word(self.unit),
            role: Some(self.role),
            better: self.better,
            stat: word(self.stat),
            derived: self.derived,
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

/// The same with a name that the stretch alone does not tell: a leaf's path, a name without its mark.
pub fn named_cell(page: &Page, line: usize, range: Range<usize>, name: &str) -> Cell {
    Cell { value: Value::Text(name.to_string()), ..text_cell(page, line, range) }
}

/// A cell that holds nothing.
pub fn missing_cell() -> Cell {
    Cell { text: String::new(), value: Value::Missing, span: ByteSpan::default() }
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
    cell::read(text, Decimal::Point)?.unit.map(|unit| unit.token.into_owned())
}

/// Empties the last cell of the last row where the text breaks off inside it.
pub fn cut_row(page: &Page, line: usize, table: &mut MetricTable) {
    let Some((last, before)) = table.rows.split_last_mut() else { return };
    let at = last.len().saturating_sub(1);
    let above = before.last().and_then(|r| r.get(at)).map(|c| c.text.clone());
    let Some(cell) = last.get_mut(at) else { return };
    let open = page.open && page.is_last(line) && matches!(cell.value, Value::Number(_));
    if open && cell::looks_cut(&cell.text, above.as_deref()) {
        cell.value = Value::Missing;
        table.truncated = true;
    }
}

/// The words of a stretch of a text: what stands between blanks.
pub fn words(text: &str, within: Range<usize>) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let mut from = within.start;
    for word in text.get(within).unwrap_or("").split([' ', '\t']) {
        if !word.is_empty() {
            all.push(from..from + word.len());
        }
        from += word.len() + 1;
    }
    all
}

/// Blanks before a text.
pub fn indent(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// A table whose heading is known: what its columns are, by name.
#[derive(Debug)]
pub struct Heading {
    pattern: Regex,
    columns: &'static [Spec],
    titled: bool,
}

impl Heading {
    /// A heading: the pattern of its line, what is known of its columns. Columns that are not named are judged as in any
    /// table.
    pub fn new(pattern: &str, columns: &'static [Spec]) -> Self {
        Self { pattern: Regex::new(pattern).expect("fixed pattern"), columns, titled: false }
    }

    /// The line above says what the table is about.
    pub fn titled(self) -> Self {
        Self { titled: true, ..self }
    }

    /// The table under a heading at a line.
    pub fn read(&self, page: &Page, at: usize) -> Option<Taken> {
        if page.kind(at) != Kind::Text || !self.pattern.is_match(page.text(at)) {
            return None;
        }
        let grid = LAYOUTS.iter().find_map(|layout| match layout.find(page, at, Near::Measurements) {
            Some(Found::Grids(grids)) => grids.into_iter().next(),
            _ => None,
        })?;
        let told = |name: &str| self.columns.iter().find(|spec| spec.fits(name)).map(|s| (s.column(), s.spread));
        let next = grid.next;
        let mut table = table::read_told(page, &grid, &told);
        table.title = table.title.filter(|_| self.titled);
        Some(Taken { lines: at..next, tables: vec![table], ..Taken::default() })
    }
}

/// The tables under any of some headings.
pub fn told_tables(page: &Page, headings: &[Heading]) -> Vec<Taken> {
    let (mut all, mut at) = (Vec::new(), 0);
    while at < page.lines.len() {
        let found = headings.iter().find_map(|heading| heading.read(page, at));
        at = found.as_ref().map_or(at + 1, |taken| taken.lines.end.max(at + 1));
        all.extend(found);
    }
    all
}

/// A tool that is its lines and headings and nothing else.
pub struct Tool {
    /// Name of the tool.
    pub name: &'static str,
    /// What it prints.
    pub about: &'static str,
    /// Words of which at least one stands in every output.
    pub marks: &'static [&'static str],
    /// Grammars of its lines.
    pub grammars: &'static [&'static LazyLock<Grammar>],
    /// Headings of its tables.
    pub headings: &'static [&'static LazyLock<Vec<Heading>>],
}

impl super::Adapter for Tool {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn marks(&self) -> &'static [&'static str] {
        self.marks
    }

    fn read(&self, page: &Page) -> Result<Vec<Taken>, Declined> {
        let lines = self.grammars.iter().flat_map(|grammar| grammar.read(page));
        let taken: Vec<Taken> = lines.chain(self.headings.iter().flat_map(|h| told_tables(page, h))).collect();
        if taken.is_empty() { Err("its marks stand in lines that it would not print") } else { Ok(taken) }
    }
}
