//! `benchmarks` for a person: one table per table found, then the single figures; for a terminal, or as Markdown.

use unicode_width::UnicodeWidthStr;

use super::Form;
use crate::{
    model::{
        facts::Facts,
        findings::Findings,
        metric::{Column, Direction, Extraction, Measurement, MetricTable, Place, Role, Scaling, Value},
        session::Session,
    },
    text::{number, quote},
};

/// The measurements of a plain text.
pub fn of_text(found: &Extraction, form: Form) -> String {
    let mut out = String::new();
    for (i, table) in found.tables.iter().enumerate() {
        push_table(&mut out, table, &format!("table {}", i + 1), form);
    }
    let rows = found.metrics.iter().map(|m| figure_row(m, None)).collect();
    push_figures(&mut out, rows, &["name", "value", "unit", "better", "with"], form);
    push_quality(&mut out, &found.quality, "tests");
    nothing(out)
}

/// The measurements of a session.
pub fn of_session(session: &Session, facts: &Facts, findings: &Findings, form: Form) -> String {
    let number = |place: &Place| session.message(place.message).number;
    let mut out = String::new();
    for (i, placed) in facts.tables.iter().enumerate() {
        let command = placed.at.command.as_deref().map(first_line).map(|c| format!(" · {c}")).unwrap_or_default();
        push_table(&mut out, &placed.table, &format!("[msg {}]{command}", number(&placed.at)), form);
        for found in findings.scaling.iter().filter(|s| s.table == i) {
            let columns = &placed.table.columns;
            out += &format!(
                "{}: {}x over {}x of {}{}, computed\n",
                clean(&columns[found.metric].name),
                number::significant(found.factor, 4),
                number::significant(found.parameter_factor, 4),
                clean(&columns[found.parameter].name),
                efficiency(found, &columns[found.metric]),
            );
        }
    }
    let rows = facts.metrics.iter().map(|m| figure_row(&m.metric, Some(number(&m.at)))).collect();
    push_figures(&mut out, rows, &["msg", "name", "value", "unit", "better", "with"], form);
    for run in &facts.quality {
        push_quality(&mut out, &run.counts, &format!("tests [msg {}]", number(&run.at)));
    }
    nothing(out)
}

/// How near to linear growth: only where growth is what one hopes for.
fn efficiency(found: &Scaling, metric: &Column) -> String {
    match metric.better {
        Some(Direction::Higher) if found.factor > 1.0 => {
            format!(" ({:.0} % of linear)", 100.0 * found.factor / found.parameter_factor)
        }
        _ => String::new(),
    }
}

fn nothing(out: String) -> String {
    if out.is_empty() { "no measurements found\n".into() } else { out.trim_start_matches('\n').to_string() }
}

fn push_table(out: &mut String, table: &MetricTable, place: &str, form: Form) {
    let title = table.title.as_deref().map(|t| format!(" — {}", clean(t))).unwrap_or_default();
    let lead = if form == Form::Markdown { "**" } else { "" };
    *out += &format!("\n{lead}{}{title}{lead}\n", clean(place));
    if form == Form::Markdown {
        out.push('\n');
    }
    let head: Vec<String> = table.columns.iter().map(heading).collect();
    let mut rows: Vec<Vec<String>> =
        table.rows.iter().map(|r| r.iter().map(|c| shown(&c.value, &c.text)).collect()).collect();
    if table.truncated {
        let mut more = vec![String::new(); head.len()];
        more[0] = "…".into();
        rows.push(more);
    }
    draw(out, &head, &rows, form);
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

/// A number without invented digits.
fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    let exact = format!("{value}");
    if exact.len() <= text.len() || value.abs() < 0.001 { exact } else { text }
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

fn push_figures(out: &mut String, rows: Vec<Vec<String>>, head: &[&str], form: Form) {
    if rows.is_empty() {
        return;
    }
    *out += "\nfigures\n";
    if form == Form::Markdown {
        out.push('\n');
    }
    draw(out, &head.iter().map(ToString::to_string).collect::<Vec<_>>(), &rows, form);
}

fn push_quality(out: &mut String, counts: &[(String, f64)], lead: &str) {
    if !counts.is_empty() {
        let told: Vec<String> = counts.iter().map(|(name, n)| format!("{n} {name}")).collect();
        *out += &format!("\n{lead}: {}\n", told.join(", "));
    }
}

fn draw(out: &mut String, head: &[String], rows: &[Vec<String>], form: Form) {
    if form == Form::Markdown {
        let line =
            |cells: &[String]| format!("| {} |\n", cells.iter().map(|c| escaped(c)).collect::<Vec<_>>().join(" | "));
        *out += &line(head);
        *out += &format!("|{}\n", "---|".repeat(head.len()));
        rows.iter().for_each(|r| *out += &line(r));
        return;
    }
    let widths: Vec<usize> = (0..head.len())
        .map(|i| rows.iter().map(|r| r[i].width()).chain([head[i].width()]).max().unwrap_or(0).min(60))
        .collect();
    for row in std::iter::once(head).chain(rows.iter().map(Vec::as_slice)) {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell}{}", " ".repeat(width.saturating_sub(cell.width()))))
            .collect();
        *out += cells.join("  ").trim_end();
        out.push('\n');
    }
}

fn escaped(text: &str) -> String {
    quote::inline(text)
}

/// One line that cannot act on a terminal.
fn clean(text: &str) -> String {
    quote::terminal_line(text)
}

fn first_line(command: &str) -> String {
    let line: String = command.lines().next().unwrap_or("").chars().take(100).collect();
    if line.len() < command.len() { format!("{line} …") } else { line }
}
