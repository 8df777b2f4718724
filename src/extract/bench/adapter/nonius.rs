//! nonius: mean and standard deviation, each with bounds of a confidence interval.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Give, Grammar, figure, heads, noise, tells},
};

/// See the module.
pub const NONIUS: Tool = Tool {
    name: "nonius",
    about: "mean and deviation with bounds by nonius",
    marks: &[", lb "],
    grammars: &[&LINES],
    headings: &[],
};

const FIGURES: &[Give] =
    &[figure("mean", "mean").stat("mean").lower(), figure("deviation", "std dev").stat("stddev").open()];

static LINES: LazyLock<Grammar> = LazyLock::new(|| {
    let bounds = |name: &str, group: &str| {
        tells(format!(r"^{name}: (?<{group}>{{q}}), lb (?<{group}_lo>{{q}}), ub (?<{group}_hi>{{q}}), ci {{n}}$"))
    };
    Grammar::of_lines(
        FIGURES,
        vec![
            heads(1, r"^benchmarking (?<benchmark>.+)$"),
            bounds("mean", "mean"),
            bounds("std dev", "deviation"),
            noise(
                r"^(?:clock resolution: mean is |new round for parameters$|collecting \d+ samples|found \d+ outliers|variance is )",
            ),
        ],
    )
});
