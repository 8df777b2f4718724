//! GNU `time`: `-v`, and the two lines without it; BSD's `-l`. Sizes in `kbytes` count 1024; GNU's `k` too, BSD's are
//! bytes.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Grammar, Rule, begins, code, ends, fig, line, opens, setting},
};

/// See the module.
pub static TOOL: Tool = Tool {
    name: "gnu-time",
    about: "the resources that one command took: time, memory, page faults, context switches",
    marks: &["Command being timed", "elapsed ", "maximum resident set size", " real "],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(3, RULES));

static RULES: &[Rule] = &[
    opens(r#"Command being timed: "(.*)""#, &[setting(1, "command")]),
    line(r"User time \(seconds\): ([\d.]+)", &[fig(1, "User time").unit("s").lower()]),
    line(r"System time \(seconds\): ([\d.]+)", &[fig(1, "System time").unit("s").lower()]),
    line(r"Percent of CPU this job got: (\d+%)", &[fig(1, "Percent of CPU")]),
    line(r"Elapsed \(wall clock\) time \(.*\): ([\d:.]+)", &[fig(1, "Elapsed (wall clock) time").unit("s").lower()]),
    line(
        r"Maximum resident set size \(kbytes\): (\d+)",
        &[fig(1, "Maximum resident set size").unit("KiB").lower().stat("max")],
    ),
    line(r"(Major|Minor) \(.*\) page faults: (\d+)", &[fig(2, "$1 page faults").lower()]),
    line(r"((?:Inv|V)oluntary context switches): (\d+)", &[fig(2, "$1")]),
    line(r"(File system (?:in|out)puts): (\d+)", &[fig(2, "$1")]),
    line(r"Average .* \(kbytes\): \d+|Swaps: \d+|Socket messages \w+: \d+|Signals delivered: \d+", &[]),
    line(r"Page size \(bytes\): \d+", &[]),
    ends(r"Exit status: \d+", &[]),
    // It stands before the block that it belongs to.
    begins(
        r"Command exited with non-zero status \d+|Command terminated by signal \d+",
        &[code(|run, _| run.count("failed", 1.0))],
    ),
    // `0.01user 0.02system 0:00.20elapsed 15%CPU (0avgtext+0avgdata 2048maxresident)k`
    begins(
        r"([\d.]+)user ([\d.]+)system ([\d:.]+)elapsed (\d+%|\?%)CPU \(\d+avgtext\+\d+avgdata (\d+)maxresident\)k",
        &[
            fig(3, "elapsed").unit("s").lower(),
            fig(1, "user").unit("s").lower(),
            fig(2, "system").unit("s").lower(),
            fig(4, "CPU"),
            fig(5, "maxresident").unit("KiB").lower().stat("max"),
        ],
    ),
    ends(
        r"(\d+)inputs\+(\d+)outputs \((\d+)major\+(\d+)minor\)pagefaults \d+swaps",
        &[
            fig(1, "inputs"),
            fig(2, "outputs"),
            fig(3, "major page faults").lower(),
            fig(4, "minor page faults").lower(),
        ],
    ),
    // `        0.21 real         0.01 user         0.02 sys`
    begins(
        r"([\d.]+) real\s+([\d.]+) user\s+([\d.]+) sys",
        &[fig(1, "real").unit("s").lower(), fig(2, "user").unit("s").lower(), fig(3, "sys").unit("s").lower()],
    ),
    line(r"(\d+)  (maximum resident set size|peak memory footprint)", &[fig(1, "$2").unit("B").lower().stat("max")]),
    line(r"(\d+)  (page reclaims|page faults)", &[fig(1, "$2").lower()]),
    line(r"(\d+)  (instructions retired|cycles elapsed)", &[fig(1, "$2").lower()]),
    line(r"(\d+)  ((?:in)?voluntary context switches|block \w+ operations)", &[fig(1, "$2")]),
    line(r"\d+  (?:average .*|swaps|messages \w+|signals received)", &[]),
];
