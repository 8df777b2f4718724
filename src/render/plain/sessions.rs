//! `sessions` for a person: one line each, the latest first.

use unicode_width::UnicodeWidthStr;

use crate::{
    base::time::Timestamp,
    model::message::Usage,
    text::{
        number::clock,
        quote::{shorten, terminal_line},
    },
};

/// A session in the list.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// Its id.
    pub id: String,
    /// The agent.
    pub agent: String,
    /// Name of the format.
    pub format: &'static str,
    /// Title as recorded.
    pub title: Option<String>,
    /// Working directory as recorded.
    pub project: Option<String>,
    /// Session that started it.
    pub parent: Option<String>,
    /// First recorded time.
    pub started: Option<Timestamp>,
    /// Last recorded time.
    pub ended: Option<Timestamp>,
    /// Number of messages.
    pub messages: usize,
    /// Number of steps.
    pub steps: usize,
    /// Number of task lists.
    pub todos: usize,
    /// Tokens and cost as recorded.
    pub usage: Usage,
    /// The input that holds it.
    pub input: String,
}

/// Widest title and project, in terminal cells.
const WIDEST: usize = 44;

/// The table; a line that says so when there is none.
pub fn table(rows: &[Row]) -> String {
    if rows.is_empty() {
        return "no session\n".to_string();
    }
    let heads =
        ["session", "agent", "started (UTC)", "length", "steps", "todos", "project", "title"].map(str::to_string);
    let mut lines = vec![heads];
    lines.extend(rows.iter().map(cells));
    let width = |column: usize| lines.iter().map(|line| line[column].width()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..8).map(width).collect();
    let mut out = String::new();
    for line in &lines {
        let padded = line.iter().zip(&widths).enumerate().map(|(i, (cell, width))| {
            let blanks = " ".repeat(width - cell.width());
            match i {
                3..=5 => format!("{blanks}{cell}"),
                _ => format!("{cell}{blanks}"),
            }
        });
        out += padded.collect::<Vec<_>>().join("  ").trim_end();
        out.push('\n');
    }
    out
}

fn cells(row: &Row) -> [String; 8] {
    let text = |text: &str| shorten(&terminal_line(text), WIDEST).into_owned();
    let long = row.started.zip(row.ended).map(|(from, to)| clock(to.millis() - from.millis()));
    let mark = if row.parent.is_some() { "└ " } else { "" };
    [
        format!("{mark}{}", text(&row.id)),
        text(&row.agent),
        row.started.map(|t| t.iso().replace('T', " ").trim_end_matches('Z').to_string()).unwrap_or_default(),
        long.unwrap_or_default(),
        row.steps.to_string(),
        row.todos.to_string(),
        row.project.as_deref().map(|p| end_of(&terminal_line(p))).unwrap_or_default(),
        row.title.as_deref().map(text).unwrap_or_default(),
    ]
}

/// A path cut in front: its end tells more.
fn end_of(path: &str) -> String {
    let count = path.chars().count();
    if count <= WIDEST {
        return path.to_string();
    }
    let end: String = path.chars().skip(count - WIDEST + 1).collect();
    format!("…{end}")
}
