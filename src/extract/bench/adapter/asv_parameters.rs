//! What asv prints of a benchmark with parameters: a table below its name, drawn with `=` and `-`. All parameters but the
//! last have a column of values, the last one heads the columns of results; a single one has its column and one result.

use std::{ops::Range, sync::LazyLock};

use crate::text::pattern::Regex;

use super::{
    Taken,
    grammar::{self, quantity, value_of},
};
use crate::{
    base::unit::{Decimal, number},
    extract::bench::clean::{Kind, Page},
    model::metric::{Direction, Measurement, Value},
};

/// `[ 50.00%] ··· mill.Grinding.time_grind            ok`
static NAME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\[ *[\d.]+%\] ·+ (\S+) +(?:ok|\d+/\d+ failed)$").expect("fixed pattern"));
/// `[ 50.00%] ··· ======== ============`
static TOP: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\[ *[\d.]+%\] ·+ (=+(?: =+)+)$").expect("fixed pattern"));
/// `1.20±0.01ms`, `12.5k`
static RESULT: LazyLock<Regex> = LazyLock::new(|| grammar::pattern(r"^({n})(?:±({n}))?([a-zµμ]*|[kMG])$"));

/// Lines of a table at most: more parameters nobody prints.
const ROWS: usize = 2000;

/// All tables of a page.
pub fn read(page: &Page) -> Vec<Taken> {
    let (mut all, mut at) = (Vec::new(), 1);
    while at < page.lines.len() {
        let found = table(page, at);
        at = found.as_ref().map_or(at + 1, |taken: &Taken| taken.lines.end);
        all.extend(found);
    }
    all
}

/// The table that is drawn from a line on, below a name.
fn table(page: &Page, at: usize) -> Option<Taken> {
    let top = TOP.captures(page.text(at))?.get(1)?;
    let name = NAME.captures(page.text(at - 1))?[1].to_string();
    let indent = page.text(at)[..top.start()].chars().count();
    let columns = runs(top.as_str(), indent);
    let (mut sections, mut end): (Vec<Vec<usize>>, usize) = (vec![Vec::new()], at + 1);
    loop {
        let text = page.text(end).trim();
        if text.is_empty() || end > at + ROWS {
            break;
        }
        end += 1;
        match page.kind(end - 1) == Kind::Rule {
            true => sections.push(Vec::new()),
            false => sections.last_mut()?.push(end - 1),
        }
    }
    sections.retain(|lines| !lines.is_empty());
    let (rows, heads) = sections.split_last()?;
    let names = cells(page, *heads.last()?.first()?, &columns);
    let group = heads.len().checked_sub(2).map(|above| page.text(heads[above][0]).split_whitespace());
    let wide = group.clone().map_or(columns.len() - 1, |words| words.take_while(|word| *word == "--").count());
    let last = group.map(|words| words.filter(|word| *word != "--").collect::<Vec<&str>>().join(" "));
    let shape = Shape { page, name, head: heads.last()?[0], names, wide, last };
    let metrics: Vec<Measurement> =
        rows.iter().flat_map(|line| shape.row(*line, &cells(page, *line, &columns))).collect();
    (!metrics.is_empty()).then(|| Taken { lines: at - 1..end, metrics, ..Taken::default() })
}

/// What the headings of a table say.
struct Shape<'p> {
    page: &'p Page<'p>,
    name: String,
    head: usize,
    /// Headings by column.
    names: Vec<Range<usize>>,
    /// How many columns hold parameters.
    wide: usize,
    /// The parameter that heads the columns of results.
    last: Option<String>,
}

impl Shape<'_> {
    fn row(&self, line: usize, cells: &[Range<usize>]) -> Vec<Measurement> {
        let head = |column: usize| text_of(self.page, self.head, &self.names[column]);
        let mut params = vec![("benchmark".to_string(), Value::Text(self.name.clone()))];
        params.extend((0..self.wide).map(|i| (head(i).to_string(), value_of(text_of(self.page, line, &cells[i])))));
        let result = |column: usize| {
            let mut one = self.result(line, cells[column].clone())?;
            one.params.clone_from(&params);
            one.params.extend(self.last.iter().map(|last| (last.clone(), value_of(head(column)))));
            Some(one)
        };
        (self.wide..cells.len()).filter_map(result).collect()
    }

    /// A time, a size, or what the benchmark tracks.
    fn result(&self, line: usize, range: Range<usize>) -> Option<Measurement> {
        let text = text_of(self.page, line, &range);
        let found = RESULT.captures(text)?;
        let kind = self.name.rsplit('.').next().unwrap_or("");
        let sized = kind.starts_with("mem_") || kind.starts_with("peakmem_");
        let name = if sized {
            "memory"
        } else if kind.starts_with("track_") {
            "value"
        } else {
            "time"
        };
        let number_at = range.start..range.start + found.get(1)?.end();
        let value = if sized { range } else { number_at };
        let mut one = quantity(self.page, line, value, name, if sized { "B" } else { &found[3] })?;
        one.spread = found.get(2).and_then(|m| number(m.as_str(), Decimal::Point)).map(|(spread, _)| spread);
        one.better = (name != "value").then_some(Direction::Lower);
        Some(one)
    }
}

fn text_of<'p>(page: &'p Page, line: usize, range: &Range<usize>) -> &'p str {
    page.text(line).get(range.clone()).unwrap_or("")
}

/// Runs of one character, as columns of a line that is indented so far.
fn runs(text: &str, indent: usize) -> Vec<Range<usize>> {
    let mut from = indent;
    text.split(' ')
        .map(|run| {
            let range = from..from + run.len();
            from += run.len() + 1;
            range
        })
        .collect()
}

/// The bytes of a line in each column, without blanks around them.
fn cells(page: &Page, line: usize, columns: &[Range<usize>]) -> Vec<Range<usize>> {
    let text = page.text(line);
    let byte = |column: usize| text.char_indices().nth(column).map_or(text.len(), |(at, _)| at);
    let cell = |column: &Range<usize>| {
        let (start, end) = (byte(column.start), byte(column.end));
        let piece = &text[start..end];
        let lead = piece.len() - piece.trim_start().len();
        start + lead..start + lead + piece.trim().len()
    };
    columns.iter().map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_table() {
        assert!(TOP.is_match("[ 50.00%] ··· ======= ========"));
        assert!(!TOP.is_match("[ 50.00%] ··· ======="));
        assert!(
            NAME.is_match("[ 50.00%] ··· mill.time_grind      ok")
                && !NAME.is_match("[ 50.00%] ··· mill.time_grind  1.2±0.1ms")
        );
        assert!(RESULT.is_match("12.5±0.2ms") && RESULT.is_match("12k") && !RESULT.is_match("failed"));
        assert_eq!(runs("== ===", 4), [4..6, 7..10]);
    }
}
