//! wrk and wrk2: HTTP load. The `Req/Sec` row is per thread; `Requests/sec` is the whole. Connections, threads and
//! duration are settings.

use std::sync::LazyLock;

use regex::Regex;

use super::{Adapter, Declined, Taken, build};
use crate::{
    extract::bench::clean::Page,
    model::metric::{Cell, Direction, Measurement, MetricTable},
};

/// See the module.
pub struct Wrk;

/// `Running 3s test @ http://127.0.0.1:8080/`
static BEGINS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\s*Running \S+ test @ \S+").expect("valid"));
/// `    Latency     5.75ms   14.64ms 198.39ms   94.21%`
static ROW: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*(Latency|Req/Sec)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s*$").expect("valid"));
/// `     99%   81.62ms`
static SHARE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\s*(\d+(?:\.\d+)?%)\s+(\d\S*)\s*$").expect("valid"));
/// `Requests/sec:  17777.25`, `Transfer/sec:      6.92MB`
static WHOLE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*(Requests/sec|Transfer/sec):\s+(\S+)\s*$").expect("valid"));
/// `  Socket errors: connect 0, read 5, write 0, timeout 12`
static ERRORS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)").expect("valid")
});
/// `  Non-2xx or 3xx responses: 7`
static REFUSED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\s*Non-2xx or 3xx responses: (\d+)").expect("valid"));

const COLUMNS: &[build::Spec] = &[
    build::label("stat"),
    build::metric("Avg", "", None).stat("mean"),
    build::metric("Stdev", "", None).stat("stddev"),
    build::metric("Max", "", None).stat("max"),
    build::metric("+/- Stdev", "%", None),
];

impl Adapter for Wrk {
    fn name(&self) -> &'static str {
        "wrk"
    }

    fn about(&self) -> &'static str {
        "HTTP load by wrk and wrk2: latency, requests per thread, the distribution, the totals"
    }

    fn marks(&self) -> &'static [&'static str] {
        &[" test @ "]
    }

    fn read(&self, page: &Page) -> Result<Vec<Taken>, Declined> {
        let starts: Vec<usize> = (0..page.lines.len()).filter(|at| BEGINS.is_match(page.text(*at))).collect();
        if starts.is_empty() {
            return Err("no line `Running … test @ …`");
        }
        let ends = starts.iter().skip(1).copied().chain([page.lines.len()]);
        let taken: Vec<Taken> = starts.iter().zip(ends).filter_map(|(from, to)| run(page, *from, to)).collect();
        if taken.is_empty() { Err("a run without a figure") } else { Ok(taken) }
    }
}

/// One run: from its first line to the last one that belongs to it.
fn run(page: &Page, from: usize, to: usize) -> Option<Taken> {
    let mut taken = Taken { lines: from..from, ..Taken::default() };
    let mut rows = build::table_of(COLUMNS);
    for at in from..to {
        let line = page.text(at);
        let known = if let Some(found) = ROW.captures(line) {
            row(page, at, &found, &mut rows);
            true
        } else if let Some(found) = SHARE.captures(line) {
            taken.metrics.extend(share(page, at, &found));
            true
        } else if let Some(found) = WHOLE.captures(line) {
            taken.metrics.extend(whole(page, at, &found));
            true
        } else if let Some(found) = ERRORS.captures(line) {
            let sum = (1..=4).filter_map(|i| found[i].parse::<f64>().ok()).sum();
            taken.quality.push(("failed".into(), sum));
            true
        } else if let Some(found) = REFUSED.captures(line) {
            taken.quality.push(("failed".into(), found[1].parse().ok()?));
            true
        } else {
            false
        };
        if known {
            taken.lines.end = at + 1;
        }
    }
    if !rows.rows.is_empty() {
        taken.tables.push(rows);
    }
    (!taken.lines.is_empty()).then_some(taken)
}

fn row(page: &Page, at: usize, found: &regex::Captures, rows: &mut MetricTable) {
    let range = |i: usize| found.get(i).map_or(0..0, |m| m.range());
    let label = build::text_cell(page, at, range(1));
    // The unit is that of the mean; a rate has none printed.
    let latency = &found[1] == "Latency";
    let unit = if latency { build::printed_unit(page, at, range(2)) } else { Some("req/s".into()) };
    let figures = (2..=5).map(|i| build::figure_cell(page, at, range(i), unit.as_deref().filter(|_| i < 5 && latency)));
    let cells: Vec<Cell> = std::iter::once(label).chain(figures).collect();
    let better = if latency { Direction::Lower } else { Direction::Higher };
    rows.row_better.push((found[1].to_string(), better));
    rows.row_units.extend(unit.map(|unit| (found[1].to_string(), unit)));
    rows.rows.push(cells);
}

fn share(page: &Page, at: usize, found: &regex::Captures) -> Option<Measurement> {
    let name = format!("Latency {}", &found[1]);
    let mut metric = build::single(page, at, found.get(2)?.range(), &name, None)?;
    metric.stat = Some(format!("p{}", found[1].trim_end_matches('%').trim_end_matches(".000")));
    metric.better = Some(Direction::Lower);
    Some(metric)
}

fn whole(page: &Page, at: usize, found: &regex::Captures) -> Option<Measurement> {
    let requests = &found[1] == "Requests/sec";
    let mut metric = build::single(page, at, found.get(2)?.range(), &found[1], requests.then_some("req/s"))?;
    if !requests {
        metric.unit = metric.unit.map(|unit| format!("{unit}/s"));
    }
    metric.better = Some(Direction::Higher);
    Some(metric)
}
