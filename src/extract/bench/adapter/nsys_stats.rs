//! nsys stats: kernels, calls and copies with the time they took in all and each.

use std::sync::LazyLock;

use super::build::{Heading, Spec, Tool, count, label, metric};
use crate::model::metric::Direction::Lower;

const COLUMNS: &[Spec] = &[
    metric("Time (%)", "%", None),
    metric("Total Time (ns)", "ns", Some(Lower)),
    count("Instances"),
    count("Num Calls"),
    count("Count"),
    metric("Avg (ns)", "ns", Some(Lower)).stat("mean"),
    metric("Med (ns)", "ns", Some(Lower)).stat("median"),
    metric("Min (ns)", "ns", Some(Lower)).stat("min"),
    metric("Max (ns)", "ns", Some(Lower)).stat("max"),
    metric("StdDev (ns)", "ns", None).stat("stddev"),
    label("Name"),
    label("Operation"),
    label("Range"),
];

/// The heading of its table.
static HEADINGS: LazyLock<Vec<Heading>> =
    LazyLock::new(|| vec![Heading::new(r"^ *Time \(%\) +Total Time \(ns\) .*Avg \(ns\)", COLUMNS).titled()]);

/// See the module.
pub const TOOL: Tool = Tool {
    name: "nsys-stats",
    about: "where the time goes by nsys stats: kernels, calls and copies with their times",
    marks: &["Total Time (ns)"],
    grammars: &[],
    headings: &[&HEADINGS],
};
