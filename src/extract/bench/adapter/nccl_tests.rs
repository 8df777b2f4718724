//! nccl-tests (and rccl-tests): each size twice, out of place and in place. `busbw` compares across numbers of ranks;
//! `#wrong` must be 0; the average at the end mixes all sizes.

use std::sync::LazyLock;

use super::{
    build::{Spec, Tool, count, metric, parameter},
    grammar::{Grammar, Rule, fig, line, opens, quality, row},
};
use crate::model::metric::Direction::{Higher, Lower};

const COLUMNS: &[Spec] = &[
    parameter("size").unit("B"),
    parameter("count").unit("elements"),
    parameter("type"),
    parameter("redop"),
    parameter("root"),
    metric("out-of-place time", "us", Some(Lower)),
    metric("out-of-place algbw", "GB/s", Some(Higher)),
    metric("out-of-place busbw", "GB/s", Some(Higher)),
    count("out-of-place #wrong"),
    metric("in-place time", "us", Some(Lower)),
    metric("in-place algbw", "GB/s", Some(Higher)),
    metric("in-place busbw", "GB/s", Some(Higher)),
    count("in-place #wrong"),
];

/// Without `redop` and `root`, as older versions print what has none.
const SHORT: &[Spec] = &[
    COLUMNS[0],
    COLUMNS[1],
    COLUMNS[2],
    COLUMNS[5],
    COLUMNS[6],
    COLUMNS[7],
    COLUMNS[8],
    COLUMNS[9],
    COLUMNS[10],
    COLUMNS[11],
    COLUMNS[12],
];

/// See the module.
pub static TOOL: Tool = Tool {
    name: "nccl-tests",
    about: "collective operations of GPUs by nccl-tests: time, algorithm and bus bandwidth by size",
    marks: &["out-of-place", "Avg bus bandwidth"],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(1, RULES));

static RULES: &[Rule] = &[
    opens(r"out-of-place +in-place", &[]),
    line(r"size +count +type .*|\(B\) +\(elements\) .*|Rank +\d+ .*|nThread .*|Using devices|#", &[]),
    // `1073741824     268435456     float     sum      -1    10314  104.11  195.20      0    10339  103.85  194.73      0`
    line(
        r"(\d+) +(\d+) +([a-z]\w*) +([a-z]\w*) +(-?\d+) +([\d.]+) +([\d.]+) +([\d.]+) +(\S+) +([\d.]+) +([\d.]+) +([\d.]+) +(\S+)",
        &[row(COLUMNS), quality(9, "wrong"), quality(13, "wrong")],
    ),
    line(
        r"(\d+) +(\d+) +([a-z]\w*) +([\d.]+) +([\d.]+) +([\d.]+) +(\S+) +([\d.]+) +([\d.]+) +([\d.]+) +(\S+)",
        &[row(SHORT), quality(7, "wrong"), quality(11, "wrong")],
    ),
    opens(r"#? *(Out of bounds values) *: *(\d+) (?:OK|FAILED)", &[fig(2, "$1").lower()]),
    opens(r"#? *(Avg bus bandwidth) *: *([\d.]+)", &[fig(2, "$1").unit("GB/s").higher()]),
];
