//! autocannon. Both tables have a unit per row; the totals are rounded by a suffix.

use std::sync::LazyLock;

use super::{
    build::{ROW, Spec, Tool, label, metric},
    grammar::{Grammar, Rule, begins, fig, line, opens, quality, row, setting},
};
use crate::model::metric::Direction::Lower;

const LATENCY: &[Spec] = &[
    label("Stat"),
    metric("2.5%", "ms", Some(Lower)).stat("p2.5"),
    metric("50%", "ms", Some(Lower)).stat("p50"),
    metric("97.5%", "ms", Some(Lower)).stat("p97.5"),
    metric("99%", "ms", Some(Lower)).stat("p99"),
    metric("Avg", "ms", Some(Lower)).stat("mean"),
    metric("Stdev", "ms", None).stat("stddev"),
    metric("Max", "ms", Some(Lower)).stat("max"),
];

const RATES: &[Spec] = &[
    label("Stat"),
    metric("1%", ROW, None).stat("p1"),
    metric("2.5%", ROW, None).stat("p2.5"),
    metric("50%", ROW, None).stat("p50"),
    metric("97.5%", ROW, None).stat("p97.5"),
    metric("Avg", ROW, None).stat("mean"),
    metric("Stdev", ROW, None).stat("stddev"),
    metric("Min", ROW, None).stat("min"),
];

/// See the module.
pub static TOOL: Tool = Tool {
    name: "autocannon",
    about: "HTTP load by autocannon: latency, requests and bytes per second, the totals",
    marks: &["Req/Bytes counts sampled", " test @ "],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(3, RULES));

static RULES: &[Rule] = &[
    begins(r"Running (?:\S+|\d+ requests) test @ \S+", &[]),
    line(
        r"(\d+) connections(?: with (\d+) pipelining factor)?",
        &[setting(1, "connections"), setting(2, "pipelining")],
    ),
    line(r"(\d+) workers", &[setting(1, "workers")]),
    opens(r"[┌├└][─┬┼┴]+[┐┤┘]|│ Stat\s+│.*", &[]),
    line(
        r"│ (Latency)\s*│ (.*?)\s*│ (.*?)\s*│ (.*?)\s*│ (.*?)\s*│ (.*?)\s*│ (.*?)\s*│ (.*?)\s*│",
        &[row(LATENCY).lower()],
    ),
    line(
        r"│ (Req/Sec)\s*│ (.*?)\s*│ (.*?)\s*│ (.*?)\s*│ (.*?)\s*│ (.*?)\s*│ (.*?)\s*│ (.*?)\s*│",
        &[row(RATES).unit("req/s").higher()],
    ),
    line(
        r"│ (Bytes/Sec)\s*│ (.*?)\s*│ (.*?)\s*│ (.*?)\s*│ (.*?)\s*│ (.*?)\s*│ (.*?)\s*│ (.*?)\s*│",
        &[row(RATES).unit("/s").higher()],
    ),
    line(r"Req/Bytes counts sampled .*|# of samples: \d+|of samples: \d+", &[]),
    line(r"(\S+) requests in ([\d.]+s), ([\d.]+ \w+) read", &[fig(1, "requests"), fig(2, "duration"), fig(3, "read")]),
    line(r"(\S+) errors \((\S+) timeouts\)", &[quality(1, "failed")]),
    line(r"(\d+) 2xx responses, (\d+) non 2xx responses", &[quality(2, "failed")]),
];
