//! BenchmarkDotNet: units stand in the cells, ratios compare with the baseline, collections are per thousand operations.

use std::sync::LazyLock;

use super::build::{HIGHER, Heading, LOWER, Spec, Tool, count, label, metric, ratio};

/// See the module.
pub const BENCHMARK_DOTNET: Tool = Tool {
    name: "benchmark-dotnet",
    about: "the summary table of BenchmarkDotNet",
    marks: &["Method "],
    grammars: &[],
    headings: &[&TABLES],
};

const COLUMNS: &[Spec] = &[
    label("Method"),
    label("Type"),
    label("Job"),
    label("Runtime"),
    label("Toolchain"),
    label("Categories"),
    metric("Mean", "", LOWER).stat("mean"),
    metric("Error", "", None).stat("ci"),
    metric("StdDev", "", None).stat("stddev"),
    metric("StdErr", "", None).stat("stderr"),
    metric("Median", "", LOWER).stat("median"),
    metric("Min", "", LOWER).stat("min"),
    metric("Max", "", LOWER).stat("max"),
    metric("P95", "", LOWER).stat("p95"),
    metric("Op/s", "ops/s", HIGHER),
    ratio("Ratio", "x", "ratio"),
    ratio("RatioSD", "x", "spread"),
    ratio("Scaled", "x", "ratio"),
    ratio("ScaledSD", "x", "spread"),
    count("Rank"),
    metric("Gen*", "", LOWER),
    metric("Allocated", "", LOWER),
    ratio("Alloc Ratio", "x", "ratio"),
    metric("Code Size", "", LOWER),
];

static TABLES: LazyLock<Vec<Heading>> =
    LazyLock::new(|| vec![Heading::new(r"^\s*\|?(?:[^|]*\|)*? *Method +\|(?:[^|]*\|)* *Mean +\|", COLUMNS)]);
