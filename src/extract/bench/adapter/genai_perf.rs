//! genai-perf and AIPerf: a box whose rows are metrics and whose columns are statistics. The unit stands in the name of
//! the row; a name too long for its column goes on in the line below.

use std::sync::LazyLock;

use super::{
    build::{self, Tool},
    grammar::{Grammar, Rule, Run, Seen, code, ends, line, opens},
};
use crate::{
    base::unit::lookup,
    extract::bench::{direction, figure, words},
    model::metric::{Cell, Column, MetricTable, Role, Value},
};

/// See the module.
pub static TOOL: Tool = Tool {
    name: "genai-perf",
    about: "serving of a language model by genai-perf: latencies and throughputs with their statistics",
    marks: &["Statistic ┃", "Metric ┃", "Statistic │", "Metric │"],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(1, RULES));

static RULES: &[Rule] = &[
    opens(r"┃ *(?:Statistic|Metric) ┃(.*)", &[code(heading)]),
    line(r"[┏┡├┗╇┢][━─┳╇┼┻┃].*", &[]),
    ends(r"└[─┴]+┘", &[]),
    line(r"│ *([^│\s][^│]*?) *│((?: *[^│\s][^│]*│)+)", &[code(row)]),
    line(r"│ *([^│\s][^│]*?) *│(?: *│)+", &[code(goes_on)]),
    line(r"[┃│].*", &[]),
];

/// `┃  avg ┃  min ┃`
fn heading(run: &mut Run, seen: &Seen) {
    let names = seen.group(1).split('┃').map(str::trim).filter(|n| !n.is_empty());
    let column = |name: &str| Column {
        name: name.to_string(),
        role: Some(Role::Metric),
        stat: words::stat(name),
        ..Column::default()
    };
    let first = Column { name: "Statistic".into(), role: Some(Role::Label), ..Column::default() };
    let columns = std::iter::once(first).chain(names.map(column)).collect();
    run.stretch().tables.push(MetricTable { columns, ..MetricTable::default() });
}

fn row(run: &mut Run, seen: &Seen) {
    let mut cells = vec![build::text_cell(seen.page, seen.line, seen.range(1))];
    let mut from = seen.range(2).start;
    for piece in seen.group(2).split('│').filter(|p| !p.trim().is_empty()) {
        let lead = piece.len() - piece.trim_start().len();
        let at = from + lead..from + lead + piece.trim().len();
        cells.push(build::figure_cell(seen.page, seen.line, at, None));
        from += piece.len() + '│'.len_utf8();
    }
    let Some(table) = run.stretch().tables.last_mut().filter(|t| t.columns.len() == cells.len()) else { return };
    table.rows.push(cells);
    name_row(table, seen.group(1));
}

/// `│         Token (ms) │      │      │`: the rest of a name.
fn goes_on(run: &mut Run, seen: &Seen) {
    let Some(table) = run.stretch().tables.last_mut() else { return };
    let Some(Cell { value: Value::Text(name), .. }) = table.rows.last().and_then(|r| r.first()) else { return };
    let whole = format!("{name} {}", seen.group(1));
    table.row_units.retain(|(label, _)| label != name);
    let name = name.clone();
    table.row_better.retain(|(label, _)| *label != name);
    name_row(table, &whole);
}

/// Names the last row, and says its unit and which way it is better.
fn name_row(table: &mut MetricTable, name: &str) {
    let lower = name.to_lowercase();
    let unit = match () {
        () if lower.contains("(per sec)") && lower.contains("token") => lookup("tok/s"),
        () if lower.contains("(per sec)") => lookup("req/s"),
        () => figure::unit_in_parentheses(name),
    };
    if let Some(better) = direction::better(name, unit.as_ref(), None) {
        table.row_better.push((name.to_string(), better));
    }
    table.row_units.extend(unit.map(|u| (name.to_string(), u.token.into_owned())));
    if let Some(cell) = table.rows.last_mut().and_then(|r| r.first_mut()) {
        cell.value = Value::Text(name.to_string());
    }
}
