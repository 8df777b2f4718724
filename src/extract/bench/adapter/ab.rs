//! ApacheBench. The rate is a mean; the second `Time per request` is the first divided by the concurrency.

use std::sync::LazyLock;

use super::{
    build::{Spec, Tool, label, metric},
    grammar::{Grammar, Rule, begins, fig, line, opens, quality, row, setting},
};
use crate::model::metric::Direction::Lower;

const COLUMNS: &[Spec] = &[
    label("phase"),
    metric("min", "ms", Some(Lower)).stat("min"),
    metric("mean", "ms", Some(Lower)).stat("mean"),
    metric("[+/-sd]", "ms", None).stat("stddev"),
    metric("median", "ms", Some(Lower)).stat("median"),
    metric("max", "ms", Some(Lower)).stat("max"),
];

/// See the module.
pub static TOOL: Tool = Tool {
    name: "ab",
    about: "HTTP load by ApacheBench: rate, time per request, connection times, percentiles",
    marks: &["This is ApacheBench", "Time taken for tests:", "[#/sec]"],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(2, RULES));

static RULES: &[Rule] = &[
    begins(r"This is ApacheBench, .*", &[]),
    line(r"Copyright .*|Licensed to .*|Benchmarking .*|Completed \d+ requests|Finished \d+ requests", &[]),
    line(
        r"Server (?:Software|Hostname|Port):.*|Document Path:.*|SSL/TLS Protocol:.*|(?:Server Temp Key|TLS Server Name):.*",
        &[],
    ),
    line(r"(Document Length):\s+(\d+) bytes", &[setting(2, "$1")]),
    opens(r"(Concurrency Level):\s+(\d+)", &[setting(2, "$1")]),
    opens(r"(Time taken for tests):\s+(\S+ seconds)", &[fig(2, "$1").lower()]),
    line(r"(Complete requests|Keep-Alive requests):\s+(\d+)", &[fig(2, "$1")]),
    line(r"(Failed requests):\s+(\d+)", &[fig(2, "$1").lower(), quality(2, "failed")]),
    line(r"\(Connect: \d+, Receive: .*\)", &[]),
    line(r"(Non-2xx responses|Write errors):\s+(\d+)", &[quality(2, "$1")]),
    line(r"((?:Total|HTML) transferred|Total body sent):\s+(\d+ bytes)", &[fig(2, "$1")]),
    line(r"(Requests per second):\s+([\d.]+) \[#/sec\] \(mean\)", &[fig(2, "$1").unit("req/s").higher().stat("mean")]),
    line(r"(Time per request):\s+([\d.]+) \[ms\] \(mean\)", &[fig(2, "$1").unit("ms").lower().stat("mean")]),
    line(
        r"(Time per request):\s+([\d.]+) \[ms\] \(mean, (across all .*)\)",
        &[fig(2, "$1 ($3)").unit("ms").lower().stat("mean")],
    ),
    line(r"(Transfer rate):\s+([\d.]+) \[Kbytes/sec\] received", &[fig(2, "$1").unit("KB/s").higher()]),
    line(r"([\d.]+) (kb/s (?:sent|total))", &[]),
    line(r"Connection Times \(ms\)|min\s+mean\[\+/-sd\]\s+median\s+max|Percentage of the requests served .*", &[]),
    // `Processing:     0    5   5.6      3      52`
    line(r"(Connect|Processing|Waiting|Total):\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)", &[row(COLUMNS)]),
    line(r"(\d+%)\s+(\d+)(?: \(longest request\))?", &[fig(2, "$1").unit("ms").lower()]),
];
