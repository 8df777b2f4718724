//! `nvidia-smi dmon`: what GPUs do, one row an interval. A series, no benchmark: nothing in it is better or worse.

use super::{Adapter, Declined, Taken, build};
use crate::{
    base::unit::lookup,
    extract::bench::clean::Page,
    model::metric::{Cell, Column, MetricTable, Role},
};

/// See the module.
pub struct Dmon;

impl Adapter for Dmon {
    fn name(&self) -> &'static str {
        "nvidia-smi-dmon"
    }

    fn about(&self) -> &'static str {
        "what GPUs do over time by nvidia-smi dmon: power, temperature, utilisation, clocks"
    }

    fn marks(&self) -> &'static [&'static str] {
        &[" gtemp", " pviol", " rxpci", "gpu    pwr", "gpu     sm"]
    }

    fn read(&self, page: &Page) -> Result<Vec<Taken>, Declined> {
        let (mut all, mut at): (Vec<Taken>, usize) = (Vec::new(), 0);
        while at < page.lines.len() {
            let Some(columns) = columns(page, at) else {
                at += 1;
                continue;
            };
            let mut taken = Taken { lines: at..at + 2, ..Taken::default() };
            let mut table = MetricTable { columns, kind: Some("telemetry"), ..MetricTable::default() };
            at += 2;
            while let Some(row) = row(page, at, &table.columns) {
                table.rows.push(row);
                at += 1;
                taken.lines.end = at;
            }
            match all.last_mut().filter(|t| t.lines.end == taken.lines.start && t.tables[0].columns == table.columns) {
                // The heading is repeated now and then.
                Some(before) => {
                    before.lines.end = at;
                    before.tables[0].rows.append(&mut table.rows);
                }
                None if !table.rows.is_empty() => {
                    taken.tables.push(table);
                    all.push(taken);
                }
                None => {}
            }
        }
        if all.is_empty() { Err("no heading of dmon over rows of figures") } else { Ok(all) }
    }
}

/// Heading and units: `# gpu   pwr gtemp`, `# Idx     W     C`.
fn columns(page: &Page, at: usize) -> Option<Vec<Column>> {
    let bare = |at: usize| -> Vec<String> {
        page.text(at)
            .split_whitespace()
            .map(|w| w.trim_start_matches('#').to_string())
            .filter(|w| !w.is_empty())
            .collect()
    };
    let (names, units) = (bare(at), bare(at + 1));
    let known = names.iter().any(|n| n == "gpu") && units.iter().any(|u| u == "Idx") && names.len() == units.len();
    let column = |(name, unit): (&String, &String)| {
        let label = matches!(name.as_str(), "gpu" | "Date" | "Time" | "jpg" | "ofa")
            && matches!(unit.as_str(), "Idx" | "YYYYMMDD" | "HH:MM:SS");
        Column {
            name: name.clone(),
            unit: lookup(unit).map(|u| u.token.into_owned()),
            role: Some(if label { Role::Label } else { Role::Metric }),
            ..Column::default()
        }
    };
    known.then(|| names.iter().zip(&units).map(column).collect())
}

/// As many figures or dashes as there are columns.
fn row(page: &Page, at: usize, columns: &[Column]) -> Option<Vec<Cell>> {
    let text = page.text(at);
    let words = build::words(text, 0..text.len());
    let figure = |w: &std::ops::Range<usize>| text[w.clone()].starts_with(|c: char| c.is_ascii_digit() || c == '-');
    if words.len() != columns.len() || !words.iter().all(figure) {
        return None;
    }
    let cell = |(word, column): (std::ops::Range<usize>, &Column)| match column.role {
        Some(Role::Label) => build::text_cell(page, at, word),
        _ => build::figure_cell(page, at, word, None),
    };
    Some(words.into_iter().zip(columns).map(cell).collect())
}
