//! nanobench: a Markdown table whose names come last; `err%` is the spread, `total` the time that measuring took.

use std::sync::LazyLock;

use super::{
    Adapter, Declined, Taken,
    build::{self, HIGHER, Heading, LOWER, Spec, metric, ratio},
};
use crate::{extract::bench::clean::Page, model::metric::Value};

/// See the module.
pub struct Nanobench;

impl Adapter for Nanobench {
    fn name(&self) -> &'static str {
        "nanobench"
    }

    fn about(&self) -> &'static str {
        "the Markdown table of nanobench"
    }

    fn marks(&self) -> &'static [&'static str] {
        &["err% |"]
    }

    fn read(&self, page: &Page) -> Result<Vec<Taken>, Declined> {
        let mut all = build::told_tables(page, &TABLES);
        let names = all.iter_mut().flat_map(|taken| &mut taken.tables).flat_map(|table| &mut table.rows);
        for cell in names.filter_map(|row| row.last_mut()) {
            // `:wavy_dash: `name` (Unstable …)`: the warning is no part of the name.
            if let Some(name) = cell.text.split('`').nth(1) {
                cell.value = Value::Text(name.to_string());
            }
        }
        if all.is_empty() { Err("no table with its headings") } else { Ok(all) }
    }
}

const COLUMNS: &[Spec] = &[
    ratio("relative", "%", "ratio"),
    metric("ins/*", "", LOWER),
    metric("cyc/*", "", LOWER),
    metric("bra/*", "", LOWER),
    metric("err%", "%", None).stat("spread"),
    metric("IPC", "instr/cycle", HIGHER),
    metric("miss%", "%", LOWER),
    metric("total", "s", None),
];

static TABLES: LazyLock<Vec<Heading>> =
    LazyLock::new(|| vec![Heading::new(r"^\|(?: *relative \|)? +[num]?s/\S+ \| +\S+/s \| +err% \|", COLUMNS)]);
