//! `7z b`. Each row is a dictionary size, in both directions; the last two are averages and the total. Usage counts all
//! threads together.

use std::sync::LazyLock;

use super::{
    build::{Spec, Tool, metric, parameter},
    grammar::{Grammar, Rule, begins, ends, fig, line, opens, row},
};
use crate::model::metric::Direction::Higher;

const COLUMNS: &[Spec] = &[
    parameter("Dict"),
    metric("Compressing Speed", "KiB/s", Some(Higher)),
    metric("Compressing Usage", "%", None),
    metric("Compressing R/U", "MIPS", Some(Higher)),
    metric("Compressing Rating", "MIPS", Some(Higher)),
    metric("Decompressing Speed", "KiB/s", Some(Higher)),
    metric("Decompressing Usage", "%", None),
    metric("Decompressing R/U", "MIPS", Some(Higher)),
    metric("Decompressing Rating", "MIPS", Some(Higher)),
];

/// See the module.
pub static TOOL: Tool = Tool {
    name: "sevenzip",
    about: "compression by 7z b: speed, usage and rating by dictionary size",
    marks: &["Decompressing"],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(1, RULES));

static RULES: &[Rule] = &[
    begins(r"7-Zip .*Copyright.*", &[]),
    line(r"p7zip .*|Compiler: .*|Linux : .*|PageSize:.*|.*CPU Freq.*|RAM (?:size|usage): .*", &[]),
    opens(r"(?:Dict +)?Compressing +\| +Decompressing", &[]),
    line(r"(?:Dict +)?Speed +Usage +R/U +Rating .*|Ki?B/s +% +MIPS .*|-+ *\| *-+", &[]),
    // `22:      10811    98   9807   9632  |      48570    89   4433   3928`
    line(r"(\d+|Avr):? +(\d+) +(\d+) +(\d+) +(\d+) +\| +(\d+) +(\d+) +(\d+) +(\d+)", &[row(COLUMNS)]),
    line(
        r"Avr: +(\d+) +(\d+) +(\d+) +\| +(\d+) +(\d+) +(\d+)",
        &[
            fig(1, "Avr Compressing Usage").unit("%"),
            fig(2, "Avr Compressing R/U").unit("MIPS").higher(),
            fig(3, "Avr Compressing Rating").unit("MIPS").higher(),
            fig(4, "Avr Decompressing Usage").unit("%"),
            fig(5, "Avr Decompressing R/U").unit("MIPS").higher(),
            fig(6, "Avr Decompressing Rating").unit("MIPS").higher(),
        ],
    ),
    ends(
        r"Tot: +(\d+) +(\d+) +(\d+)",
        &[
            fig(1, "Tot Usage").unit("%"),
            fig(2, "Tot R/U").unit("MIPS").higher(),
            fig(3, "Tot Rating").unit("MIPS").higher(),
        ],
    ),
];
