//! pytest-benchmark: the unit of all times stands in the heading of the names; figures in parentheses compare with the
//! best of the column.

use std::sync::LazyLock;

use super::build::{HIGHER, Heading, LOWER, Spec, Tool, count, label, metric};

/// See the module.
pub const PYTEST_BENCHMARK: Tool = Tool {
    name: "pytest-benchmark",
    about: "the table of pytest-benchmark",
    marks: &["Name (time in "],
    grammars: &[],
    headings: &[&TABLES],
};

const COLUMNS: &[Spec] = &[
    label("Name*"),
    metric("Min*", "", LOWER).stat("min"),
    metric("Max*", "", LOWER).stat("max"),
    metric("Mean*", "", LOWER).stat("mean"),
    metric("StdDev*", "", None).stat("stddev"),
    metric("Median*", "", LOWER).stat("median"),
    metric("IQR*", "", None).stat("iqr"),
    label("Outliers*"),
    metric("OPS", "ops/s", HIGHER),
    metric("OPS*", "", HIGHER),
    count("Rounds*"),
    count("Iterations*"),
];

static TABLES: LazyLock<Vec<Heading>> =
    LazyLock::new(|| vec![Heading::new(r"^Name \(time in [a-zµμ]+\) +\w", COLUMNS).titled()]);
