//! wrk and wrk2: HTTP load. The `Req/Sec` row is per thread; `Requests/sec` is the whole. Connections, threads and
//! duration are settings.

use std::sync::LazyLock;

use super::{
    build::{ROW, Spec, Tool, label, metric},
    grammar::{Grammar, Rule, begins, fig, line, quality, row, setting},
};

const COLUMNS: &[Spec] = &[
    label("stat"),
    metric("Avg", ROW, None).stat("mean"),
    metric("Stdev", ROW, None).stat("stddev"),
    metric("Max", ROW, None).stat("max"),
    metric("+/- Stdev", "%", None),
];

/// See the module.
pub static TOOL: Tool = Tool {
    name: "wrk",
    about: "HTTP load by wrk and wrk2: latency, requests per thread, the distribution, the totals",
    marks: &[" test @ "],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(2, RULES));

static RULES: &[Rule] = &[
    begins(r"Running (\S+) test @ \S+", &[setting(1, "duration")]),
    line(r"(\d+) threads and (\d+) connections", &[setting(1, "threads"), setting(2, "connections")]),
    line(r"Thread Stats\s+Avg.*|(?:Uncorrected )?Latency Distribution.*|Thread calibration:.*", &[]),
    // `    Latency     5.75ms   14.64ms 198.39ms   94.21%`
    line(r"(Latency)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\d\S*%)", &[row(COLUMNS).lower()]),
    line(r"(Req/Sec)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\d\S*%)", &[row(COLUMNS).unit("req/s").higher()]),
    // `     99%   81.62ms`
    line(r"(\d+(?:\.\d+)?)%\s+(\d\S*)", &[fig(2, "Latency $~1%").lower()]),
    line(r"(\d+) requests in ([\d.]+\w+), ([\d.]+\w+) read", &[fig(1, "requests"), fig(2, "elapsed"), fig(3, "read")]),
    line(r"(Requests/sec):\s+(\S+)", &[fig(2, "$1").unit("req/s").higher()]),
    line(r"(Transfer/sec):\s+(\d\S*)", &[fig(2, "$1").unit("/s").higher()]),
    line(
        r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)",
        &[quality(1, "failed"), quality(2, "failed"), quality(3, "failed"), quality(4, "failed")],
    ),
    line(r"Non-2xx or 3xx responses: (\d+)", &[quality(1, "failed")]),
];
