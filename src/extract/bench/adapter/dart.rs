//! Dart's `benchmark_harness`: a name and its run time, ended by a full stop.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Give, Grammar, figure, tells},
};

/// See the module.
pub const DART: Tool = Tool {
    name: "dart-benchmark-harness",
    about: "lines `…(RunTime): … us.` of Dart's benchmark_harness",
    marks: &["(RunTime", "(CodeSize)"],
    grammars: &[&LINES],
    headings: &[],
};

const FIGURES: &[Give] = &[
    figure("time", "RunTime").lower(),
    figure("raw", "RunTimeRaw").lower(),
    figure("size", "CodeSize").unit("B").lower(),
];

static LINES: LazyLock<Grammar> = LazyLock::new(|| {
    Grammar::of_lines(
        FIGURES,
        vec![
            tells(r"^(?<benchmark>\S.*)\(RunTime\): (?<time>{n} [num]?s)\.?$"),
            tells(r"^(?<benchmark>\S.*)\(RunTimeRaw\): (?<raw>{n} [num]?s)\.?$"),
            tells(r"^(?<benchmark>\S.*)\(CodeSize\): (?<size>{n})\.?$"),
        ],
    )
});
