//! benchstat: per unit a table with a column for each file, values in base units with a prefix glued to them, changes
//! against the first file with their probability; also its CSV, and the older form of one line per benchmark.

use std::{ops::Range, sync::LazyLock};

use crate::text::pattern::Regex;

use super::{Adapter, Declined, Taken, build, grammar};
use crate::{
    base::unit::{Unit, lookup},
    extract::bench::{
        cell,
        clean::{Kind, Page},
    },
    model::metric::{Cell, Column, Direction, MetricTable, Role, Value},
};

/// See the module.
pub struct Benchstat;

/// A value: `44.40n ± 2%`, `1.000µ`, `4.022Gi`
static VALUE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(\d[\d.]*(?:e[+-]?\d+)?[a-zA-Zµμ]{0,2})$").expect("fixed pattern"));
/// Old values: `44.4ns ± 2%`
static OLD_HEADING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^name(?: \\ \S+)? +(?:old (\S+) +new \S+ +delta|(\S+/\S+|speed))$").expect("fixed pattern")
});
/// A row of the older form.
static OLD_ROW: LazyLock<Regex> = LazyLock::new(|| {
    let value = r"(\d[\d.]*)([kMGT]?B(?:/s)?|[a-zµμ]*|[MGT])(?: ± *(\d+)%)?";
    Regex::new(&format!(
        r"^(\S+) +{value}(?: +{value}(?: +(?:([+-]\d[\d.]*)%|~))?(?: +\(p=(\d[\d.]*) n=\d+\+\d+\)| +\(all equal\))?)?$"
    ))
    .expect("fixed pattern")
});

impl Adapter for Benchstat {
    fn name(&self) -> &'static str {
        "benchstat"
    }

    fn about(&self) -> &'static str {
        "tables and CSV of benchstat, old and new"
    }

    fn marks(&self) -> &'static [&'static str] {
        &["/op  ", "/op │", "/s │", ",CI", "B/s  ", "speed"]
    }

    fn read(&self, page: &Page) -> Result<Vec<Taken>, Declined> {
        let (mut all, mut at) = (Vec::new(), 0);
        while at < page.lines.len() {
            let found = drawn(page, at).or_else(|| separated(page, at)).or_else(|| old(page, at));
            at = found.as_ref().map_or(at + 1, |t| t.lines.end);
            all.extend(found);
        }
        if all.is_empty() { Err("no two lines of heading with rows below") } else { Ok(all) }
    }
}

/// One file's columns.
struct File {
    /// First character.
    start: usize,
    /// Whether it is compared with the first.
    compared: bool,
}

/// What a heading tells of a file: its name, what was measured, in which unit, whether it is compared with the first.
struct Told {
    file: String,
    what: String,
    unit: String,
    compared: bool,
}

impl Told {
    fn new(file: &str, unit: &str, compared: bool) -> Self {
        Told { file: file.to_string(), what: unit.to_string(), unit: unit.to_string(), compared }
    }
}

/// The columns of a table over some files: name, then for each value and spread, and change and probability.
fn columns(files: &[Told]) -> MetricTable {
    let mut table = build::table_of(&[build::label("name")]);
    for Told { file, what, unit, compared } in files {
        let known = lookup(unit);
        let better = known.as_ref().and_then(direction).or_else(|| unit.contains("allocs").then_some(Direction::Lower));
        let metric = |name: String, unit: Option<String>, stat: &str| Column {
            name: name.trim().to_string(),
            unit,
            role: Some(Role::Metric),
            stat: Some(stat.to_string()),
            ..Column::default()
        };
        let token = known.map_or(unit.clone(), |u| u.token.into_owned());
        table.columns.push(Column { better, ..metric(format!("{file} {what}"), Some(token), "median") });
        table.columns.push(metric(format!("{file} ±"), Some("%".into()), "ci"));
        if *compared {
            let delta = metric(format!("{file} vs base"), Some("%".into()), "delta");
            table.columns.push(Column { derived: true, ..delta });
            table.columns.push(metric(format!("{file} p"), None, "pvalue"));
        }
    }
    table
}

fn direction(unit: &Unit) -> Option<Direction> {
    if unit.is_rate() {
        return Some(Direction::Higher);
    }
    (unit.is_time_per() || unit.is_time() || unit.dimension.starts_with("B/")).then_some(Direction::Lower)
}

/// `44.40n` in base units.
fn based(page: &Page, line: usize, range: Range<usize>) -> Cell {
    let mut cell = build::text_cell(page, line, range);
    cell.value = cell::scaled(&cell.text).or_else(|| cell.text.parse().ok()).map_or(Value::Missing, Value::Number);
    cell
}

/// The table between bars.
fn drawn(page: &Page, at: usize) -> Option<Taken> {
    let (names, units) = (page.text(at), page.text(at + 1));
    if !names.trim_start().starts_with('│') || !units.trim_start().starts_with('│') {
        return None;
    }
    let bars: Vec<usize> = units.chars().enumerate().filter(|(_, c)| *c == '│').map(|(i, _)| i).collect();
    let parts = |text: &str| text.trim().trim_matches('│').split('│').map(|p| p.trim().to_string()).collect::<Vec<_>>();
    let (names, units) = (parts(names), parts(units));
    if names.len() != units.len() || bars.len() != units.len() + 1 {
        return None;
    }
    let told: Vec<Told> = names
        .iter()
        .zip(&units)
        .map(|(name, unit)| match unit.split_once("vs base") {
            Some((unit, _)) => Told::new(name, unit.trim(), true),
            None => Told::new(name, unit, false),
        })
        .collect();
    let files: Vec<File> =
        told.iter().zip(&bars).map(|(t, start)| File { start: *start, compared: t.compared }).collect();
    if !told.iter().all(|t| lookup(&t.unit).is_some() || t.unit.ends_with("/op")) {
        return None;
    }
    let mut table = columns(&told);
    let mut end = at + 2;
    while page.kind(end) == Kind::Text {
        // Footnotes belong to the table and say nothing that is a figure.
        if !page.text(end).starts_with(['¹', '²', '³', '⁴']) {
            let Some(row) = drawn_row(page, end, &files, table.columns.len()) else { break };
            table.rows.push(row);
        }
        end += 1;
    }
    (!table.rows.is_empty()).then(|| Taken { lines: at..end, tables: vec![table], ..Taken::default() })
}

/// The words of a line: first character and bytes.
fn words(text: &str) -> Vec<(usize, Range<usize>)> {
    let mut all: Vec<(usize, Range<usize>)> = Vec::new();
    let mut before = ' ';
    for (column, (at, c)) in text.char_indices().enumerate() {
        if !c.is_whitespace() {
            match all.last_mut().filter(|_| !before.is_whitespace()) {
                Some(word) => word.1.end = at + c.len_utf8(),
                None => all.push((column, at..at + c.len_utf8())),
            }
        }
        before = c;
    }
    all
}

fn drawn_row(page: &Page, line: usize, files: &[File], width: usize) -> Option<Vec<Cell>> {
    let text = page.text(line);
    let words = words(text);
    let (_, name) = words.first().filter(|(column, _)| *column == 0)?;
    let mut cells = vec![build::missing_cell(); width];
    cells[0] = build::text_cell(page, line, name.clone());
    let mut any = false;
    for (column, range) in &words[1..] {
        let Some(file) = files.iter().rposition(|f| f.start <= *column) else { continue };
        let first = 1 + files[..file].iter().map(|f| if f.compared { 4 } else { 2 }).sum::<usize>();
        let word = &text[range.clone()];
        let whole = !grammar::breaks_off(page, line, range.end);
        if let Some(p) = word.strip_prefix("(p=").filter(|_| files[file].compared) {
            let start = range.start + 3;
            cells[first + 3] = build::figure_cell(page, line, start..start + p.len(), None);
        } else if word.ends_with('%') && word.starts_with(['+', '-']) && files[file].compared {
            cells[first + 2] = build::figure_cell(page, line, range.clone(), None);
        } else if word.ends_with('%') {
            cells[first + 1] = build::figure_cell(page, line, range.clone(), None);
        } else if VALUE.is_match(word) && cells[first].text.is_empty() && whole {
            cells[first] = based(page, line, range.clone());
            any = true;
        }
    }
    any.then_some(cells)
}

/// Bytes of the fields between commas.
fn fields(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    text.split(',')
        .map(|field| {
            let range = start..start + field.len();
            start = range.end + 1;
            range
        })
        .collect()
}

/// `,old.txt,,new.txt,,,` above `,sec/op,CI,sec/op,CI,vs base,P`
fn separated(page: &Page, at: usize) -> Option<Taken> {
    let (names, heads) = (page.text(at), page.text(at + 1));
    if !names.starts_with(',') || !heads.starts_with(',') || !heads.contains(",CI") {
        return None;
    }
    let names: Vec<&str> = names.split(',').collect();
    let heads: Vec<&str> = heads.split(',').collect();
    let starts: Vec<usize> = (1..heads.len()).filter(|i| heads.get(i + 1) == Some(&"CI")).collect();
    let name = |i: usize| names.get(i).copied().unwrap_or("");
    let told: Vec<Told> =
        starts.iter().map(|i| Told::new(name(*i), heads[*i], heads.get(i + 2) == Some(&"vs base"))).collect();
    let mut table = columns(&told);
    let mut end = at + 2;
    while page.kind(end) == Kind::Text {
        let fields = fields(page.text(end));
        if fields.len() < 2 || fields[0].is_empty() {
            break;
        }
        let cell = |i: usize| separated_cell(page, end, fields.get(i));
        let mut row = vec![build::text_cell(page, end, fields[0].clone())];
        for (start, file) in starts.iter().zip(&told) {
            row.extend((*start..start + if file.compared { 4 } else { 2 }).map(cell));
        }
        table.rows.push(row);
        end += 1;
    }
    (!table.rows.is_empty()).then(|| Taken { lines: at..end, tables: vec![table], ..Taken::default() })
}

/// A field: a number, a share, `p=0.000 n=10`, `~` for no difference.
fn separated_cell(page: &Page, line: usize, range: Option<&Range<usize>>) -> Cell {
    let text = page.text(line);
    let Some(range) = range.filter(|r| !r.is_empty() && !grammar::breaks_off(page, line, r.end)) else {
        return build::missing_cell();
    };
    let body = &text[range.clone()];
    let start = range.start + if body.starts_with("p=") { 2 } else { 0 };
    let end = start + text[start..range.end].find(' ').unwrap_or(range.end - start);
    build::figure_cell(page, line, start..end, None)
}

/// `name   old time/op   new time/op   delta`
fn old(page: &Page, at: usize) -> Option<Taken> {
    let heading = OLD_HEADING.captures(page.text(at))?;
    let compared = heading.get(1).is_some();
    let spelled = heading.get(1).or(heading.get(2))?.as_str();
    let mut rows = Vec::new();
    let (mut end, mut unit) = (at + 1, None);
    while let Some(found) =
        OLD_ROW.captures(page.text(end)).filter(|_| !grammar::breaks_off(page, end, page.text(end).len()))
    {
        let range = |i: usize| found.get(i).map(|m| m.range());
        let printed = found.get(3).map(|m| m.as_str()).filter(|u| lookup(u).is_some());
        if unit.is_none() {
            unit = printed.map(|u| if u.contains('/') { u.to_string() } else { format!("{u}/op") });
        }
        let value = |number: usize, unit_at: usize| match (range(number), range(unit_at)) {
            (Some(number), Some(beside)) => {
                let own = unit.as_deref().map(|u| u.trim_end_matches("/op"));
                build::figure_cell(page, end, number.start..beside.end, own)
            }
            _ => build::missing_cell(),
        };
        let figure = |i: usize| range(i).map_or_else(build::missing_cell, |r| build::figure_cell(page, end, r, None));
        let mut row = vec![build::text_cell(page, end, range(1)?), value(2, 3), figure(4)];
        if compared {
            row.extend([value(5, 6), figure(7), figure(8), figure(9)]);
        }
        rows.push(row);
        end += 1;
    }
    let unit = unit.unwrap_or_else(|| spelled.to_string());
    let file = |name: &str, compared| Told { what: spelled.to_string(), ..Told::new(name, &unit, compared) };
    let told = if compared { vec![file("old", false), file("new", true)] } else { vec![file("", false)] };
    let mut table = columns(&told);
    table.columns.iter_mut().filter(|c| c.stat.as_deref() == Some("median")).for_each(|c| c.stat = Some("mean".into()));
    table.rows = rows;
    (!table.rows.is_empty()).then(|| Taken { lines: at..end, tables: vec![table], ..Taken::default() })
}
