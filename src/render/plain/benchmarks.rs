//! `benchmarks` for a person: one table per table found, then the single figures; for a terminal, or as Markdown.

use super::{
    Form,
    grid::{self, clean, short},
};
use crate::{
    model::{
        facts::Facts,
        findings::Findings,
        metric::{Column, Direction, Extraction, Measurement, MetricTable, Origin, Place, Role, Scaling, Value},
        session::Session,
    },
    text::number,
};

/// The measurements of a plain text.
pub fn of_text(found: &Extraction, form: Form) -> String {
    let mut out = String::new();
    for (i, table) in found.tables.iter().enumerate() {
        push_table(&mut out, table, &format!("table {}", i + 1), &[], form);
    }
    let rows = found.metrics.iter().map(|m| figure_row(m, None)).collect();
    push_figures(&mut out, "figures", rows, &["name", "value", "unit", "better", "with"], form);
    push_quality(&mut out, &found.quality, "tests");
    nothing(out)
}

/// The measurements of a session.
pub fn of_session(session: &Session, facts: &Facts, findings: &Findings, form: Form) -> String {
    let number = |place: &Place| session.message(place.message).number;
    let mut out = String::new();
    for (i, placed) in facts.tables.iter().enumerate() {
        let command = placed.at.command.as_deref().map(first_line).map(|c| format!(" · {c}")).unwrap_or_default();
        let quoted = if placed.at.origin == Origin::Quoted { " · shown, not measured here" } else { "" };
        let scaling: Vec<&Scaling> = findings.scaling.iter().filter(|s| s.table == i).collect();
        push_table(&mut out, &placed.table, &format!("[msg {}]{command}{quoted}", number(&placed.at)), &scaling, form);
    }
    for (title, wanted) in FIGURES {
        let mine = facts.metrics.iter().filter(|m| wanted(m.at.origin));
        let rows = mine.map(|m| figure_row(&m.metric, Some(number(&m.at)))).collect();
        push_figures(&mut out, title, rows, &["msg", "name", "value", "unit", "better", "with"], form);
    }
    for run in &facts.quality {
        push_quality(&mut out, &run.counts, &format!("tests [msg {}]", number(&run.at)));
    }
    nothing(out)
}

/// Whether figures that came into the log in a way belong to a table.
type Wanted = fn(Origin) -> bool;

/// Single figures by how they came into the log.
const FIGURES: &[(&str, Wanted)] = &[
    ("figures measured here", |origin| matches!(origin, Origin::Run(_))),
    ("figures shown, not measured here", |origin| origin == Origin::Quoted),
    ("figures stated in texts and task lists", |origin| origin == Origin::Stated),
];

fn nothing(out: String) -> String {
    if out.is_empty() { "no measurements found\n".into() } else { out.trim_start_matches('\n').to_string() }
}

fn push_table(out: &mut String, table: &MetricTable, place: &str, scaling: &[&Scaling], form: Form) {
    let title = table.title.as_deref().map(|t| format!(" — {}", clean(t))).unwrap_or_default();
    let lead = if form == Form::Markdown { "**" } else { "" };
    *out += &format!("\n{lead}{}{title}{lead}\n", clean(place));
    if form == Form::Markdown {
        out.push('\n');
    }
    let mut head: Vec<String> = table.columns.iter().map(heading).collect();
    let mut rows: Vec<Vec<String>> =
        table.rows.iter().map(|r| r.iter().map(|c| shown(&c.value, &c.text)).collect()).collect();
    for found in scaling {
        push_speedups(&mut head, &mut rows, found, table);
    }
    if table.truncated {
        let mut more = vec![String::new(); head.len()];
        more[0] = "…".into();
        rows.push(more);
    }
    grid::push(out, &head, &rows, form);
}

/// Two columns computed from a sweep: how many times as good as its first row, and that as a share of linear growth.
fn push_speedups(head: &mut Vec<String>, rows: &mut [Vec<String>], found: &Scaling, table: &MetricTable) {
    let name = clean(&table.columns[found.metric].name);
    head.extend([format!("{name}, speed-up †"), "of linear †".into()]);
    for (row, speedup) in rows.iter_mut().zip(found.speedups(table)) {
        row.extend(match speedup {
            Some((speedup, efficiency)) => {
                [number::times(speedup) + "x", number::percent((efficiency * 100.0).round())]
            }
            None => [String::new(), String::new()],
        });
    }
}

fn heading(column: &Column) -> String {
    let unit =
        column.unit.as_deref().filter(|u| !column.name.contains(*u)).map(|u| format!(" [{u}]")).unwrap_or_default();
    let role = match (column.role, column.better) {
        (_, Some(Direction::Higher)) => " ↑",
        (_, Some(Direction::Lower)) => " ↓",
        (Some(Role::Parameter), _) => " =",
        _ => "",
    };
    format!("{}{unit}{role}", clean(&column.name))
}

fn shown(value: &Value, text: &str) -> String {
    match value {
        Value::Number(n) => short(*n),
        Value::Text(t) => clean(t),
        Value::Missing if text.is_empty() => String::new(),
        Value::Missing => "–".into(),
    }
}

fn figure_row(m: &Measurement, message: Option<u32>) -> Vec<String> {
    let with: Vec<String> = m
        .params
        .iter()
        .map(|(name, value)| match value {
            Value::Number(n) => format!("{}={}", clean(name), short(*n)),
            Value::Text(t) => clean(t),
            Value::Missing => clean(name),
        })
        .collect();
    let better = match m.better {
        Some(Direction::Higher) => "↑",
        Some(Direction::Lower) => "↓",
        None => "",
    };
    let approx = if m.approx { "~" } else { "" };
    let mut row: Vec<String> = message.map(|n| n.to_string()).into_iter().collect();
    row.extend([
        clean(&m.name),
        format!("{approx}{}", short(m.value)),
        m.unit.clone().unwrap_or_default(),
        better.into(),
        with.join(", "),
    ]);
    row
}

fn push_figures(out: &mut String, title: &str, rows: Vec<Vec<String>>, head: &[&str], form: Form) {
    if rows.is_empty() {
        return;
    }
    *out += &format!("\n{title}\n");
    if form == Form::Markdown {
        out.push('\n');
    }
    grid::push(out, &head.iter().map(ToString::to_string).collect::<Vec<_>>(), &rows, form);
}

fn push_quality(out: &mut String, counts: &[(String, f64)], lead: &str) {
    if !counts.is_empty() {
        let told: Vec<String> = counts.iter().map(|(name, n)| format!("{n} {name}")).collect();
        *out += &format!("\n{lead}: {}\n", told.join(", "));
    }
}

fn first_line(command: &str) -> String {
    let line: String = command.lines().next().unwrap_or("").chars().take(100).collect();
    if line.len() < command.len() { format!("{line} …") } else { line }
}
