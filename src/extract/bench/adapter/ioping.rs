//! ioping. The single requests and those that were generated are no results; the statistics are.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Grammar, Rule, begins, fig, line},
};

/// See the module.
pub static TOOL: Tool = Tool {
    name: "ioping",
    about: "latency of a disk by ioping: requests per second, throughput, least, mean and greatest time",
    marks: &["ioping statistics ---"],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(2, RULES));

static RULES: &[Rule] = &[
    begins(r"--- .* ioping statistics ---", &[]),
    line(
        r"([\d.]+)(?: (k))? requests completed in ([\d.]+ \w+), [\d.]+ \w+ (?:read|written), ([\d.]+)(?: (k|M))? iops, ([\d.]+ \w+/s)",
        &[
            fig(1, "requests completed").times(2),
            fig(4, "iops").unit("IOPS").higher().times(5),
            fig(6, "throughput").higher(),
        ],
    ),
    line(r"generated .*", &[]),
    line(
        r"min/avg/max/mdev = ([\d.]+ \w+) / ([\d.]+ \w+) / ([\d.]+ \w+) / ([\d.]+ \w+)",
        &[fig(1, "min").lower(), fig(2, "avg").lower(), fig(3, "max").lower(), fig(4, "mdev")],
    ),
];
