//! k6. Trends are rows of one table; counters have a total and a rate; the marks of checks and thresholds are counts.

use std::sync::LazyLock;

use super::{
    build::{Spec, Tool, label, metric},
    grammar::{Grammar, Rule, begins, each, fig, line, opens, quality, row, section},
};
use crate::model::metric::Direction::Lower;

const COLUMNS: &[Spec] = &[
    label("metric"),
    metric("avg", "ms", Some(Lower)).stat("mean"),
    metric("min", "ms", Some(Lower)).stat("min"),
    metric("med", "ms", Some(Lower)).stat("median"),
    metric("max", "ms", Some(Lower)).stat("max"),
    metric("p(90)", "ms", Some(Lower)).stat("p90"),
    metric("p(95)", "ms", Some(Lower)).stat("p95"),
];

/// See the module.
pub static TOOL: Tool = Tool {
    name: "k6",
    about: "load by k6: trends of request times, counters with their rates, checks",
    marks: &["http_req_duration", "iteration_duration", "data_received", "vus_max"],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(3, RULES));

static RULES: &[Rule] = &[
    begins(r"execution: \w+", &[]),
    opens(r"█ .*", &[]),
    line(r"script: .*|output: .*|scenarios: .*|\* \w+: .*|running \(.*|\w+ +[✓✗↳] +\[.*|[A-Z]+|[✓✗] [^:]*", &[]),
    // `http_req_waiting....: avg=29.62ms min=23.11ms med=26.53ms max=72.58ms  p(90)=35.21ms p(95)=38.46ms`
    opens(
        r"(?:[✓✗] )?(\w+|\{ ?.*? ?\})\.*: avg=(\S+)\s+min=(\S+)\s+med=(\S+)\s+max=(\S+)\s+p\(90\)=(\S+)\s+p\(95\)=(\S+)",
        &[row(COLUMNS)],
    ),
    // Other statistics were asked for.
    opens(
        r"(?:[✓✗] )?(\w+)\.*: ((?:(?:avg|min|med|max|p\([\d.]+\)|count)=\S+\s*)+)",
        &[section("$1", ""), each(2, r"(avg|min|med|max|p\([\d.]+\))=(\S+)", &[fig(2, "$s $1").lower()])],
    ),
    opens(
        r"(?:[✓✗] )?(checks)\.*: ([\d.]+%)\s+✓ (\d+)\s+✗ (\d+)",
        &[fig(2, "$1").higher(), fig(3, "$1 pass"), fig(4, "$1 fail"), quality(4, "failed")],
    ),
    line(r"(?:[✓✗] )?(http_req_failed)\.*: ([\d.]+%)\s.*", &[fig(2, "$1").lower()]),
    opens(r"(?:[✓✗] )?(checks_succeeded)\.*: ([\d.]+%)\s.*", &[fig(2, "$1").higher()]),
    line(r"(?:[✓✗] )?(checks_failed)\.*: ([\d.]+%)\s+(\d+) out of \d+", &[fig(2, "$1").lower(), quality(3, "failed")]),
    opens(r"(?:[✓✗] )?(data_(?:received|sent))\.*: ([\d.]+ \w+)\s+([\d.]+ \w+/s)", &[fig(2, "$1"), fig(3, "$1 rate")]),
    opens(r"(?:[✓✗] )?(http_reqs)\.*: (\d+)\s+([\d.]+)/s", &[fig(2, "$1"), fig(3, "$1 rate").unit("req/s").higher()]),
    line(r"(?:[✓✗] )?(iterations)\.*: (\d+)\s+([\d.]+)/s", &[fig(2, "$1"), fig(3, "$1 rate").unit("1/s").higher()]),
    line(r"(?:[✓✗] )?(vus|vus_max)\.*: (\d+)\s+min=\d+\s+max=\d+", &[fig(2, "$1")]),
    // A counter of the script's own.
    line(r"(?:[✓✗] )?(\w+)\.{2,}: (\d+)\s+([\d.]+)/s", &[fig(2, "$1"), fig(3, "$1 rate").unit("1/s")]),
    line(r"(?:[✓✗] )?(\w+)\.{2,}: ([\d.]+%)\s.*", &[fig(2, "$1")]),
];
