//! redis-benchmark (and memtier's relatives that copied it): quiet, CSV and full form. The percentiles of the full form
//! repeat the summary finely and are passed over.

use std::sync::LazyLock;

use super::{
    build::{Spec, Tool, label, metric},
    grammar::{Grammar, Rule, begins, fig, line, opens, row, setting},
};
use crate::model::metric::Direction::{Higher, Lower};

const CSV: &[Spec] = &[
    label("test"),
    metric("rps", "req/s", Some(Higher)),
    metric("avg_latency_ms", "ms", Some(Lower)).stat("mean"),
    metric("min_latency_ms", "ms", Some(Lower)).stat("min"),
    metric("p50_latency_ms", "ms", Some(Lower)).stat("p50"),
    metric("p95_latency_ms", "ms", Some(Lower)).stat("p95"),
    metric("p99_latency_ms", "ms", Some(Lower)).stat("p99"),
    metric("max_latency_ms", "ms", Some(Lower)).stat("max"),
];

/// See the module.
pub static TOOL: Tool = Tool {
    name: "redis-benchmark",
    about: "commands of a Redis server by redis-benchmark: rate and latency per command",
    marks: &["requests per second", "\"avg_latency_ms\""],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(1, RULES));

static RULES: &[Rule] = &[
    begins(r#""test","rps","avg_latency_ms".*"#, &[]),
    line(r#""([^"]+)","([\d.]+)","([\d.]+)","([\d.]+)","([\d.]+)","([\d.]+)","([\d.]+)","([\d.]+)""#, &[row(CSV)]),
    // `SET: 102564.11 requests per second, p50=0.231 msec`
    opens(
        r"([A-Z][\w ():]*?): ([\d.]+) requests per second(?:, p50=([\d.]+ msec))?",
        &[
            fig(2, "requests per second").unit("req/s").higher().with(&[("test", "$1")]),
            fig(3, "p50").lower().with(&[("test", "$1")]),
        ],
    ),
    begins(r"={4,} (.*?) ={4,}", &[setting(1, "test")]),
    line(r"(\d+) requests completed in ([\d.]+ seconds)", &[fig(2, "completed in").lower()]),
    line(r"(\d+) parallel clients", &[setting(1, "clients")]),
    line(r"(\d+) bytes payload", &[setting(1, "payload")]),
    line(
        r#"keep alive: \d+|host configuration .*|multi-thread: \w+|threads: \d+|node \[.*|Latency by percentile .*|Cumulative distribution .*|Summary:"#,
        &[],
    ),
    line(r"[\d.]+% <= [\d.]+ milliseconds.*", &[]),
    line(r"(?:throughput summary: )?([\d.]+) requests per second", &[fig(1, "throughput").unit("req/s").higher()]),
    line(r"latency summary \(msec\):|avg\s+min\s+p50\s+p95\s+p99\s+max", &[]),
    line(
        r"([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)",
        &[
            fig(1, "latency avg").unit("ms").lower(),
            fig(2, "latency min").unit("ms").lower(),
            fig(3, "latency p50").unit("ms").lower(),
            fig(4, "latency p95").unit("ms").lower(),
            fig(5, "latency p99").unit("ms").lower(),
            fig(6, "latency max").unit("ms").lower(),
        ],
    ),
];
