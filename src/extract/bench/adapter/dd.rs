//! dd. What stands in parentheses restates the bytes.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Grammar, Rule, ends, fig, line, opens},
};

/// See the module.
pub static TOOL: Tool = Tool {
    name: "dd",
    about: "a copy by dd: bytes, time, rate",
    marks: &["records out", " copied, ", " bytes transferred in "],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(2, RULES));

static RULES: &[Rule] = &[
    opens(r"\d+\+\d+ records in", &[]),
    line(r"\d+\+\d+ records out", &[]),
    opens(
        r"(\d+) bytes(?: \(.*?\))? copied, ([\d.e+-]+) s(?:econds)?, ([\d.]+ ?\w+/s)",
        &[fig(1, "bytes copied").unit("B"), fig(2, "elapsed").unit("s").lower(), fig(3, "rate").higher()],
    ),
    ends(
        r"(\d+) bytes transferred in ([\d.]+) secs \((\d+) bytes/sec\)",
        &[fig(1, "bytes copied").unit("B"), fig(2, "elapsed").unit("s").lower(), fig(3, "rate").unit("B/s").higher()],
    ),
];
