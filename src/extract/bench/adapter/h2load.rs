//! h2load. Each row of its last table has its own unit.

use std::sync::LazyLock;

use super::{
    build::{ROW, Spec, Tool, label, metric},
    grammar::{Grammar, Rule, begins, fig, line, opens, quality, row, setting},
};

const COLUMNS: &[Spec] = &[
    label("stat"),
    metric("min", ROW, None).stat("min"),
    metric("max", ROW, None).stat("max"),
    metric("mean", ROW, None).stat("mean"),
    metric("sd", ROW, None).stat("stddev"),
    metric("+/- sd", "%", None),
];

/// See the module.
pub static TOOL: Tool = Tool {
    name: "h2load",
    about: "HTTP load by h2load: rate, transfer, times of requests and connections",
    marks: &["starting benchmark...", "finished in ", "time for request:"],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(3, RULES));

static RULES: &[Rule] = &[
    begins(r"starting benchmark\.\.\.", &[]),
    line(r"spawning thread #\d+: .*|progress: \d+% done|(?:TLS|Cipher|Server Temp Key|ALPN).*", &[]),
    line(r"(Application protocol): (\S+)", &[setting(2, "$1")]),
    opens(
        r"finished in ([\d.]+\w+), ([\d.]+ req/s), ([\d.]+[KMG]?B/s)",
        &[fig(1, "finished in").lower(), fig(2, "req/s").higher(), fig(3, "transfer rate").higher()],
    ),
    line(
        r"requests: (\d+) total, (\d+) started, (\d+) done, (\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout",
        &[
            fig(1, "requests total"),
            fig(4, "succeeded").higher(),
            fig(5, "failed").lower(),
            fig(6, "errored").lower(),
            fig(7, "timeout").lower(),
            quality(5, "failed"),
        ],
    ),
    line(r"status codes: .*|traffic: .*|UDP datagram: .*|min\s+max\s+mean\s+sd\s+\+/- sd", &[]),
    line(
        r"(time for request|time for connect|time to 1st byte|request)\s*:\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+%)",
        &[row(COLUMNS).lower()],
    ),
    line(r"(req/s)\s*:\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+%)", &[row(COLUMNS).unit("req/s").higher()]),
];
