//! `zstd -b` and `lz4 -b`: one line a level.

use std::sync::LazyLock;

use super::{
    build::{Spec, Tool, label, metric, parameter},
    grammar::{Grammar, Rule, line, opens, row},
};
use crate::model::metric::Direction::{Higher, Lower};

const COLUMNS: &[Spec] = &[
    parameter("level"),
    label("file"),
    parameter("size").unit("B"),
    metric("compressed size", "B", Some(Lower)),
    metric("ratio", "x", Some(Higher)),
    metric("compression speed", "MB/s", Some(Higher)),
    metric("decompression speed", "MB/s", Some(Higher)),
];

/// See the module.
pub static TOOL: Tool = Tool {
    name: "zstd-bench",
    about: "compression by zstd -b and lz4 -b: ratio, speed in both directions by level",
    marks: &[" -> "],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(1, RULES));

static RULES: &[Rule] = &[
    // ` 3#silesia.tar       : 211957760 ->  66524168 (x3.186),  512.3 MB/s, 1512.3 MB/s`
    opens(r"(-?\d+)#(.*?) *: *(\d+) -> +(\d+) \(x?([\d.]+)\), *([\d.]+) MB/s *, *([\d.]+) MB/s", &[row(COLUMNS)]),
    line(r"-?\d+#.*", &[]),
];
