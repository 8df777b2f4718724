//! tinybench: its tasks as a console table; the spread of a mean is a relative margin, that of a median a deviation.

use std::sync::LazyLock;

use super::build::{HIGHER, Heading, LOWER, Spec, Tool, count, label, metric};

/// See the module.
pub const TINYBENCH: Tool = Tool {
    name: "tinybench",
    about: "the console table of tinybench",
    marks: &["Task name", "Task Name"],
    grammars: &[],
    headings: &[&TABLES],
};

const COLUMNS: &[Spec] = &[
    count("(index)"),
    label("Task*"),
    metric("Latency avg*", "", LOWER).stat("mean").spread("rme"),
    metric("Latency average*", "", LOWER).stat("mean").spread("rme"),
    metric("Latency med*", "", LOWER).stat("median").spread("mad"),
    metric("Throughput avg*", "", HIGHER).stat("mean").spread("rme"),
    metric("Throughput average*", "", HIGHER).stat("mean").spread("rme"),
    metric("Throughput med*", "", HIGHER).stat("median").spread("mad"),
    metric("ops/sec", "ops/s", HIGHER),
    metric("Average Time*", "", LOWER).stat("mean"),
    metric("Margin", "%", None).stat("rme"),
    count("Samples"),
];

static TABLES: LazyLock<Vec<Heading>> =
    LazyLock::new(|| vec![Heading::new(r"^[│|] *\(index\) *[│|] *Task [Nn]ame *[│|]", COLUMNS)]);
