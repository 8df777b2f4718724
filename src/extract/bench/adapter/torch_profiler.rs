//! torch.profiler. Shares say where the time goes and have no direction; `Self` leaves out what was called.

use std::sync::LazyLock;

use super::build::{Heading, Spec, Tool, count, label, metric};
use crate::model::metric::Direction::Lower;

const COLUMNS: &[Spec] = &[
    label("Name"),
    metric("Self CPU %", "%", None),
    metric("CPU total %", "%", None),
    metric("Self CUDA %", "%", None),
    metric("CUDA total %", "%", None),
    metric("Self CPU", "", Some(Lower)),
    metric("CPU total", "", Some(Lower)),
    metric("CPU time avg", "", Some(Lower)).stat("mean"),
    metric("Self CUDA", "", Some(Lower)),
    metric("CUDA total", "", Some(Lower)),
    metric("CUDA time avg", "", Some(Lower)).stat("mean"),
    count("# of Calls"),
    count("# Calls"),
];

/// The heading of its table.
static HEADINGS: LazyLock<Vec<Heading>> = LazyLock::new(|| {
    vec![Heading::new(r"^ *Name  +.*(?:CPU|CUDA|XPU) total.*# of Calls|^ *Name  +.* total .*# calls", COLUMNS)]
});

/// See the module.
pub const TOOL: Tool = Tool {
    name: "torch-profiler",
    about: "where the time goes by torch.profiler: operators with their own and their total time",
    marks: &["# of Calls", "# calls"],
    grammars: &[],
    headings: &[&HEADINGS],
};
