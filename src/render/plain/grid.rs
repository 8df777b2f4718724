//! Rows and columns for a person: aligned for a terminal, or a Markdown table.

use unicode_width::UnicodeWidthStr;

use super::Form;
use crate::text::quote;

/// Widest cell that the columns after it are aligned to, in terminal cells.
const WIDEST: usize = 60;

/// Appends a table. Cells hold text as it is: it is escaped here for a page, and must be safe for a terminal already.
pub fn push(out: &mut String, head: &[String], rows: &[Vec<String>], form: Form) {
    match form {
        Form::Markdown => markdown(out, head, rows),
        Form::Terminal => aligned(out, head, rows),
    }
}

fn markdown(out: &mut String, head: &[String], rows: &[Vec<String>]) {
    let line = |cells: &[String]| {
        let cells: Vec<_> = cells.iter().map(|cell| quote::inline(cell)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    *out += &line(head);
    *out += &format!("|{}\n", "---|".repeat(head.len()));
    rows.iter().for_each(|row| *out += &line(row));
}

fn aligned(out: &mut String, head: &[String], rows: &[Vec<String>]) {
    let all = || std::iter::once(head).chain(rows.iter().map(Vec::as_slice));
    let width = |i: usize| all().map(|row| row[i].width()).max().unwrap_or(0).min(WIDEST);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    for row in all() {
        let padded =
            |(cell, width): (&String, &usize)| format!("{cell}{}", " ".repeat(width.saturating_sub(cell.width())));
        let cells: Vec<String> = row.iter().zip(&widths).map(padded).collect();
        *out += cells.join("  ").trim_end();
        out.push('\n');
    }
}

/// One line that cannot act on a terminal.
pub fn clean(text: &str) -> String {
    quote::terminal_line(text)
}

/// A number without invented digits.
pub fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    let exact = format!("{value}");
    if exact.len() <= text.len() || value.abs() < 0.001 { exact } else { text }
}
