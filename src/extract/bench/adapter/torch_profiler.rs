//! torch.profiler. Shares say where the time goes and have no direction; `Self` leaves out what was called.

use super::{
    build::{Spec, count, label, metric},
    headed::{Headed, as_it_is},
};
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

/// See the module.
pub static TOOL: Headed = Headed {
    name: "torch-profiler",
    about: "where the time goes by torch.profiler: operators with their own and their total time",
    marks: &["# of Calls", "# calls"],
    heads: &["Name ", " total "],
    columns: COLUMNS,
    captioned: false,
    then: as_it_is,
};
