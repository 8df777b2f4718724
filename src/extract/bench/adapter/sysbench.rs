//! sysbench. A heading holds the unit of the rows below it; the fairness of the threads is no result.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Grammar, Rule, begins, fig, line, opens, quality, section, setting},
};

/// See the module.
pub static TOOL: Tool = Tool {
    name: "sysbench",
    about: "CPU, memory, files and databases by sysbench: events per second, latency",
    marks: &["General statistics:", "Threads fairness:", "sysbench 1.", "sysbench 0."],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(2, RULES));

static RULES: &[Rule] = &[
    begins(r"sysbench \d[\d.]+.*", &[]),
    line(r"Number of threads: (\d+)", &[setting(1, "threads")]),
    line(r"Prime numbers limit: (\d+)", &[setting(1, "Prime numbers limit")]),
    line(r"(block size|total size|operation|scope): (\S+)", &[setting(2, "$1")]),
    line(r"Running the test .*|Initializing .*|Threads started!|Running memory speed test .*|DEPRECATED:.*", &[]),
    opens(r"(CPU speed|General statistics|SQL statistics|Throughput|File operations):", &[section("", "")]),
    line(r"queries performed:", &[section("queries", "")]),
    line(r"(Latency) \((\w+)\):", &[section("$1", "$2")]),
    line(r"Threads fairness:", &[section("fairness", "")]),
    line(r"events \(avg/stddev\): .*|execution time \(avg/stddev\): .*", &[]),
    line(r"(events per second|events/s \(eps\)):\s+([\d.]+)", &[fig(2, "$1").unit("events/s").higher()]),
    line(r"(total time|time elapsed):\s+([\d.]+s)", &[fig(2, "$1")]),
    line(r"(total number of events):\s+(\d+)", &[fig(2, "$1")]),
    line(r"(min|avg|max|\d+\w\w percentile):\s+([\d.]+)", &[fig(2, "$s $1").unit("=").lower()]),
    line(r"(sum):\s+([\d.]+)", &[fig(2, "$s $1").unit("=").stat("sum")]),
    line(r"(read|write|other|total):\s+(\d+)", &[fig(2, "$s $1")]),
    line(
        r"(transactions):\s+(\d+)\s+\(([\d.]+) per sec\.\)",
        &[fig(2, "$1"), fig(3, "$1 rate").unit("txn/s").higher()],
    ),
    line(r"(queries):\s+(\d+)\s+\(([\d.]+) per sec\.\)", &[fig(2, "$1"), fig(3, "$1 rate").unit("queries/s").higher()]),
    line(r"(ignored errors|reconnects):\s+(\d+)\s+\([\d.]+ per sec\.\)", &[fig(2, "$1").lower(), quality(2, "errors")]),
    line(
        r"(Total operations): (\d+) \(\s*([\d.]+) per second\)",
        &[fig(2, "$1"), fig(3, "$1 rate").unit("ops/s").higher()],
    ),
    line(r"([\d.]+ MiB) transferred \(([\d.]+ MiB/sec)\)", &[fig(1, "transferred"), fig(2, "transfer rate").higher()]),
    line(r"(reads|writes|fsyncs)/s:\s+([\d.]+)", &[fig(2, "$1/s").unit("1/s").higher()]),
    line(r"(read|written), (MiB/s):\s+([\d.]+)", &[fig(3, "$1").unit("$2").higher()]),
];
