//! YCSB: one figure a line, in the brackets what was done. Buckets of histograms are passed over.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Grammar, Rule, fig, line, opens},
};

/// See the module.
pub static TOOL: Tool = Tool {
    name: "ycsb",
    about: "operations of a database by YCSB: throughput, latencies by operation",
    marks: &["[OVERALL], ", "Latency(us), "],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(2, RULES));

static RULES: &[Rule] = &[
    opens(r"\[([\w%-]+)\], (Time)\((%)\), ([\d.E-]+)", &[fig(4, "$2").unit("$3").with(&[("operation", "$1")])]),
    opens(r"\[([\w%-]+)\], (Return=\w+|Operations|Count), ([\d.E]+)", &[fig(3, "$2").with(&[("operation", "$1")])]),
    // `[READ], 95thPercentileLatency(us), 252.0`
    opens(
        r"\[([\w%-]+)\], ([\w.]+)\(([\w/]+)\), ([\d.E-]+)",
        &[fig(4, "$2").unit("$3").by_name().with(&[("operation", "$1")])],
    ),
    line(r"\[[\w%-]+\], >?\d+, [\d.E]+|\.\.\.", &[]),
];
