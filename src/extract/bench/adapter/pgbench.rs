//! pgbench. `tps` are transactions here; clients, threads and scale are settings; progress lines are intervals of the
//! whole.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Grammar, Rule, begins, fig, line, opens, quality, section, setting},
};

/// See the module.
pub static TOOL: Tool = Tool {
    name: "pgbench",
    about: "transactions of PostgreSQL by pgbench: rate, latency, failed transactions",
    marks: &["transaction type: "],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(1, RULES));

static RULES: &[Rule] = &[
    begins(r"pgbench \(.*\)", &[]),
    line(r"starting vacuum.*|progress: .*", &[]),
    opens(r"transaction type: (.*)", &[setting(1, "transaction type")]),
    line(
        r"(scaling factor|query mode|number of clients|number of threads|maximum number of tries|number of transactions per client|partition method|partitions): (\S+)",
        &[setting(2, "$1")],
    ),
    line(r"(duration): (\d+ s)", &[setting(2, "$1")]),
    line(r"(number of transactions actually processed): (\d+)(?:/\d+)?", &[fig(2, "$1")]),
    line(r"(number of failed transactions): (\d+) \([\d.]+%\)", &[fig(2, "$1").lower(), quality(2, "failed")]),
    line(
        r"(number of transactions (?:retried|above .*)|total number of retries|number of \w+ failures): (\d+).*",
        &[fig(2, "$1").lower()],
    ),
    line(r"(latency average) = ([\d.]+ ms)", &[fig(2, "$1").lower()]),
    line(r"(latency stddev) = ([\d.]+ ms)", &[fig(2, "$1")]),
    line(r"(initial connection time|average connection time) = ([\d.]+ ms)", &[fig(2, "$1").lower()]),
    line(
        r"rate limit schedule lag: avg ([\d.]+) \(max ([\d.]+)\) ms",
        &[fig(1, "schedule lag avg").unit("ms").lower(), fig(2, "schedule lag max").unit("ms").lower()],
    ),
    line(r"tps = ([\d.]+)(?: (\(.*\)))?", &[fig(1, "tps $2").unit("txn/s").higher()]),
    line(r"statement latencies in milliseconds.*:|- statement latencies .*", &[section("statement", "ms")]),
    // `         0.002           0  \set aid random(1, 100000 * :scale)`
    line(r"([\d.]+)(?:\s+\d+)?  (\\?[A-Za-z].*)", &[fig(1, "latency").unit("=").lower().with(&[("statement", "$2")])]),
    line(r"SQL script \d+: .*| - weight: .*", &[]),
];
