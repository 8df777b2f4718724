//! nsys stats: kernels, calls and copies with the time they took in all and each.

use super::{
    build::{Spec, count, label, metric},
    headed::{Headed, as_it_is},
};
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

/// See the module.
pub static TOOL: Headed = Headed {
    name: "nsys-stats",
    about: "where the time goes by nsys stats: kernels, calls and copies with their times",
    marks: &["Total Time (ns)"],
    heads: &["Time (%)", "Total Time (ns)", "Avg (ns)"],
    columns: COLUMNS,
    captioned: true,
    then: as_it_is,
};
