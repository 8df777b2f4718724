//! benchmark.js: operations per second, the relative margin of error, how many runs were sampled.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Give, Grammar, figure, noise, tells},
};

/// See the module.
pub const BENCHMARK_JS: Tool = Tool {
    name: "benchmark-js",
    about: "lines `… x … ops/sec ±…%` of benchmark.js",
    marks: &[" ops/sec ±"],
    grammars: &[&LINES],
    headings: &[],
};

const FIGURES: &[Give] = &[figure("ops", "ops/sec").higher()];

static LINES: LazyLock<Grammar> = LazyLock::new(|| {
    Grammar::of_lines(
        FIGURES,
        vec![
            tells(r"^\s*(?<benchmark>\S.*) x (?<ops>{n} ops/sec) ±(?<rme_pct>{n})% \((?<samples>\d+) runs? sampled\)$"),
            noise(r"^\s*Fastest is "),
        ],
    )
});
