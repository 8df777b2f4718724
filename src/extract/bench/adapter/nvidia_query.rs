//! `nvidia-smi --query-gpu=… --format=csv`: what is asked of GPUs, with units in brackets in the heading and beside the
//! figures, or in the heading alone. A series as `dmon` prints it; limits and totals are settings.

use std::{ops::Range, sync::LazyLock};

use crate::text::pattern::Regex;

use super::{Adapter, Declined, Taken, build};
use crate::{
    base::unit::lookup,
    extract::bench::clean::{Kind, Page},
    model::metric::{Cell, Column, MetricTable, Role},
};

/// See the module.
pub struct NvidiaQuery;

/// `timestamp, index, name, utilization.gpu [%], memory.used [MiB]`
static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*[a-z][\w.]*(?: \[[A-Za-z%]+\])?(?:, [a-z][\w.]*(?: \[[A-Za-z%]+\])?)+$").expect("fixed pattern")
});

/// Ends of what says which GPU or when; sorted.
const LABELS: &[&str] = &["bus_id", "driver_version", "index", "name", "pstate", "serial", "timestamp", "uuid"];

/// Ends of what is set, not measured; sorted.
const SETTINGS: &[&str] = &["limit", "max", "total"];

impl Adapter for NvidiaQuery {
    fn name(&self) -> &'static str {
        "nvidia-smi-query"
    }

    fn about(&self) -> &'static str {
        "what nvidia-smi is asked of GPUs, as CSV: utilisation, memory, power, temperature"
    }

    fn marks(&self) -> &'static [&'static str] {
        &["utilization.gpu [%]", "utilization.memory [%]", "memory.used [MiB]", "power.draw [W]", "temperature.gpu"]
    }

    fn read(&self, page: &Page) -> Result<Vec<Taken>, Declined> {
        let (mut all, mut at) = (Vec::new(), 0);
        while at < page.lines.len() {
            let found = table(page, at);
            at = found.as_ref().map_or(at + 1, |t| t.lines.end);
            all.extend(found);
        }
        if all.is_empty() { Err("no heading of a query over rows as wide") } else { Ok(all) }
    }
}

fn table(page: &Page, at: usize) -> Option<Taken> {
    let asked = page.kind(at) == Kind::Text && NvidiaQuery.marks().iter().any(|mark| page.text(at).contains(mark));
    if !asked || !HEADING.is_match(page.text(at)) {
        return None;
    }
    let columns = fields(page.text(at)).into_iter().map(|range| column(&page.text(at)[range])).collect();
    let mut table = MetricTable { columns, kind: Some("telemetry"), ..MetricTable::default() };
    let mut end = at + 1;
    while let Some(row) = row(page, end, &table.columns) {
        table.rows.push(row);
        build::cut_row(page, end, &mut table);
        end += 1;
    }
    (!table.rows.is_empty()).then(|| Taken { lines: at..end, tables: vec![table], ..Taken::default() })
}

/// `memory.used [MiB]`
fn column(heading: &str) -> Column {
    let (name, unit) = heading.split_once(" [").unwrap_or((heading, ""));
    let end = name.rsplit('.').next().unwrap_or(name);
    let role = match () {
        () if LABELS.contains(&end) => Role::Label,
        () if SETTINGS.contains(&end) => Role::Parameter,
        () => Role::Metric,
    };
    let told = if end == "gpu" && name.starts_with("temperature") { "C" } else { unit.trim_end_matches(']') };
    Column {
        name: name.to_string(),
        unit: lookup(told).map(|u| u.token.into_owned()),
        role: Some(role),
        ..Column::default()
    }
}

/// As many fields as there are columns, figures where figures belong.
fn row(page: &Page, at: usize, columns: &[Column]) -> Option<Vec<Cell>> {
    let text = page.text(at);
    let fields = fields(text);
    if page.kind(at) != Kind::Text || fields.len() != columns.len() {
        return None;
    }
    let cell = |(field, column): (Range<usize>, &Column)| match column.role {
        Some(Role::Label) => build::text_cell(page, at, field),
        _ => build::figure_cell(page, at, field, column.unit.as_deref()),
    };
    let told = |(field, column): (&Range<usize>, &Column)| {
        column.role == Some(Role::Label) || text[field.clone()].starts_with(|c: char| c.is_ascii_digit() || c == '[')
    };
    let fits = fields.iter().zip(columns).all(told);
    fits.then(|| fields.into_iter().zip(columns).map(cell).collect())
}

/// What stands between commas and blanks.
fn fields(text: &str) -> Vec<Range<usize>> {
    let mut from = 0;
    text.split(", ")
        .map(|field| {
            let lead = field.len() - field.trim_start().len();
            let range = from + lead..from + lead + field.trim().len();
            from += field.len() + ", ".len();
            range
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings() {
        assert!(LABELS.is_sorted() && SETTINGS.is_sorted());
        assert!(HEADING.is_match("index, utilization.gpu [%], power.draw [W]"));
        assert!(!HEADING.is_match("utilization.gpu [%] was high, 12 of them"));
    }
}
