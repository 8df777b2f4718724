//! divan: a tree of benchmarks beside columns. The path is the name, its last step an argument; lines without a branch go
//! on with the leaf above them: throughput, or under a caption the counts and bytes of allocations.

use std::{ops::Range, sync::LazyLock};

use crate::text::pattern::Regex;

use super::{
    Adapter, Declined, Taken, build,
    build::{LOWER, Spec, count, label, metric},
    grammar::{self, Give, figure},
};
use crate::{
    extract::bench::clean::{Kind, Page},
    model::metric::{Cell, Direction, Measurement, MetricTable, Value},
};

/// See the module.
pub struct Divan;

/// `dv             fastest       │ slowest       │ median        │ mean          │ samples │ iters`
static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(\S.*?) +(fastest) +│ slowest +│ median +│ mean +│ samples +│ iters$").expect("fixed pattern")
});
/// `Timer precision: 16 ns`
static PRECISION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^Timer precision: (\d\S* [a-zµ]+)$").expect("fixed pattern"));

const COLUMNS: &[Spec] = &[
    label("benchmark"),
    metric("fastest", "", LOWER).stat("min"),
    metric("slowest", "", LOWER).stat("max"),
    metric("median", "", LOWER).stat("median"),
    metric("mean", "", LOWER).stat("mean"),
    count("samples"),
    count("iters"),
];

/// What a line of throughput holds, column by column: fast is much.
const RATES: [Give; 4] = [
    figure("", "throughput fastest").stat("max").higher(),
    figure("", "throughput slowest").stat("min").higher(),
    figure("", "throughput median").stat("median").higher(),
    figure("", "throughput mean").stat("mean").higher(),
];

impl Adapter for Divan {
    fn name(&self) -> &'static str {
        "divan"
    }

    fn about(&self) -> &'static str {
        "the tree of divan: times, throughput, allocations"
    }

    fn marks(&self) -> &'static [&'static str] {
        &["│ slowest"]
    }

    fn read(&self, page: &Page) -> Result<Vec<Taken>, Declined> {
        let (mut taken, mut at) = (Vec::new(), 0);
        while at < page.lines.len() {
            let found = Tree::read(page, at);
            at = found.as_ref().map_or(at + 1, |t| t.lines.end);
            taken.extend(found);
        }
        if taken.is_empty() { Err("no heading of a tree with rows below") } else { Ok(taken) }
    }
}

/// A tree half read.
struct Tree<'p, 't> {
    page: &'p Page<'t>,
    /// Characters before the first column.
    width: usize,
    path: Vec<String>,
    caption: Option<String>,
    unit: Option<String>,
    table: MetricTable,
    metrics: Vec<Measurement>,
}

impl<'p, 't> Tree<'p, 't> {
    fn read(page: &'p Page<'t>, at: usize) -> Option<Taken> {
        let heading = page.text(at);
        let found = HEADING.captures(heading)?;
        let width = heading[..found.get(2)?.start()].chars().count();
        let table = MetricTable { title: Some(found[1].to_string()), ..build::table_of(COLUMNS) };
        let mut tree = Tree { page, width, path: Vec::new(), caption: None, unit: None, table, metrics: Vec::new() };
        let precision = at.checked_sub(1).and_then(|above| tree.precision(above));
        let start = at - usize::from(precision.is_some());
        tree.metrics.extend(precision);
        let mut end = at + 1;
        while tree.line(end) {
            end += 1;
        }
        let (table, metrics) = (tree.table, tree.metrics);
        (!table.rows.is_empty()).then(|| Taken { lines: start..end, tables: vec![table], metrics, ..Taken::default() })
    }

    fn precision(&self, at: usize) -> Option<Measurement> {
        let found = PRECISION.captures(self.page.text(at))?;
        figure("", "Timer precision").open().at(self.page, at, found.get(1)?.range())
    }

    /// Reads a line of the tree; false where it ends.
    fn line(&mut self, at: usize) -> bool {
        let text = self.page.text(at);
        if self.page.kind(at) != Kind::Text || !text.contains(['│', '├', '╰']) {
            return false;
        }
        let split = text.char_indices().nth(self.width).map_or(text.len(), |(at, _)| at);
        let cells = cells(text, split);
        match text[..split].find(['├', '╰']) {
            Some(branch) => self.branch(at, branch, split, &cells),
            None => self.more(at, &cells),
        }
        true
    }

    /// A step of the tree; a leaf where it has figures.
    fn branch(&mut self, at: usize, branch: usize, split: usize, cells: &[Range<usize>]) {
        let text = self.page.text(at);
        let depth = text[..branch].chars().count() / 3;
        let name_at = trimmed(text, branch..split, &['├', '╰', '─', ' ']);
        self.path.truncate(depth);
        self.path.resize(depth, String::new());
        self.path.push(text[name_at.clone()].to_string());
        self.caption = None;
        let figures = cells.iter().filter(|c| text[(*c).clone()].starts_with(|c: char| c.is_ascii_digit())).count();
        if figures == 0 {
            return;
        }
        if self.unit.is_none() {
            self.unit = cells.first().and_then(|c| build::printed_unit(self.page, at, c.clone()));
            let unit = self.unit.clone();
            self.table.columns.iter_mut().skip(1).take(4).for_each(|c| c.unit.clone_from(&unit));
        }
        let mut row = vec![build::named_cell(self.page, at, name_at, &self.path.join("/"))];
        row.extend((0..COLUMNS.len() - 1).map(|i| self.cell(at, cells.get(i), i < 4)));
        self.table.rows.push(row);
    }

    fn cell(&self, at: usize, range: Option<&Range<usize>>, timed: bool) -> Cell {
        let Some(range) = range.filter(|r| !r.is_empty() && !grammar::breaks_off(self.page, at, r.end)) else {
            return build::missing_cell();
        };
        build::figure_cell(self.page, at, range.clone(), self.unit.as_deref().filter(|_| timed))
    }

    /// A line that goes on with the leaf above.
    fn more(&mut self, at: usize, cells: &[Range<usize>]) {
        let text = self.page.text(at);
        let Some(first) = cells.first().map(|c| &text[c.clone()]) else { return };
        if let Some(caption) = first.strip_suffix(':') {
            self.caption = Some(caption.to_string());
            return;
        }
        for (i, range) in cells.iter().take(4).enumerate().filter(|(_, r)| !r.is_empty()) {
            let one = match &self.caption {
                None => RATES[i].at(self.page, at, range.clone()),
                Some(caption) => {
                    let name = format!("{caption} {}", COLUMNS[i + 1].name);
                    let less = (!caption.contains("dealloc")).then_some(Direction::Lower);
                    let one = grammar::quantity(self.page, at, range.clone(), &name, "");
                    one.map(|one| Measurement { better: less, ..one })
                }
            };
            let Some(mut one) = one else { continue };
            one.params.push(("benchmark".into(), Value::Text(self.path.join("/"))));
            self.metrics.push(one);
        }
    }
}

/// The cells between bars, from a byte on.
fn cells(text: &str, from: usize) -> Vec<Range<usize>> {
    let (mut all, mut start) = (Vec::new(), from);
    let bars = text[from..].match_indices('│').map(|(at, bar)| (from + at, bar.len()));
    for (end, len) in bars.chain([(text.len(), 0)]) {
        all.push(trimmed(text, start..end, &[' ']));
        start = end + len;
    }
    all
}

/// A stretch without some characters around it.
fn trimmed(text: &str, range: Range<usize>, around: &[char]) -> Range<usize> {
    let body = &text[range.clone()];
    let start = range.start + (body.len() - body.trim_start_matches(around).len());
    start..start + body.trim_matches(around).len()
}
