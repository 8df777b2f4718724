//! criterion: the brackets are a confidence interval around the estimate. A long name stands on the line above; changes
//! against the run before come in a line of their own, or in a block of lines, and are computed.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Give, Grammar, figure, heads, noise, tells},
};

/// See the module.
pub const CRITERION: Tool = Tool {
    name: "criterion",
    about: "intervals of time and throughput by criterion, changes against the run before",
    marks: &["time:   [", "thrpt:  [", "change: ["],
    grammars: &[&LINES],
    headings: &[],
};

const FIGURES: &[Give] = &[
    figure("time", "time").stat("estimate").lower(),
    figure("thrpt", "thrpt").stat("estimate").higher(),
    figure("change_time", "change.time").unit("%").stat("delta").derived(),
    figure("change_thrpt", "change.thrpt").unit("%").stat("delta").derived(),
];

/// `[609.18 ns 629.19 ns 657.73 ns]`
fn interval(name: &str) -> String {
    format!(r"\[(?<{name}_lo>{{q}}) (?<{name}>{{q}}) (?<{name}_hi>{{q}})\]")
}

/// `[-3.0112% -0.8806% +1.3340%] (p = 0.43 > 0.05)`
fn change(name: &str) -> String {
    let share = |end: &str| format!("(?<{name}{end}>{{n}}%)");
    format!(r"\[{} {} {}\](?: \(p = (?<p>{{n}}) [<>] {{n}}\))?", share("_lo"), share(""), share("_hi"))
}

static LINES: LazyLock<Grammar> = LazyLock::new(|| {
    let (time, thrpt) = (interval("time"), interval("thrpt"));
    let (faster, more) = (change("change_time"), change("change_thrpt"));
    let lines = vec![
        noise(r"^Benchmarking .+: (?:Warming up|Collecting|Profiling) "),
        heads(1, r"^Benchmarking (?<benchmark>.+?)(?:: Analyzing)?$"),
        tells(format!(r"^\s*(?:change: +)?time: +{faster}")),
        tells(format!(r"^\s*(?:change: +)?thrpt: +{more}")),
        tells(format!(r"^\s+change: +{faster}")),
        heads(1, format!(r"^(?<benchmark>\S.*?) +time: +{time}$")),
        tells(format!(r"^\s+time: +{time}$")).named_above(),
        tells(format!(r"^\s+thrpt: +{thrpt}$")),
        noise(r"^\s+change:$"),
        noise(
            r"^\s+(?:No change in performance detected|Change within noise threshold|Performance has (?:improved|regressed))\.",
        ),
        noise(r"^Found \d+ outliers among \d+ measurements"),
        noise(r"^\s+\d+ \(\d+\.\d+%\) (?:low|high) (?:mild|severe)"),
        noise(r"^(?:slope|mean|median) +\[[^\]]+\] (?:R\^2|std\. dev\.|med\. abs\. dev\.) +\["),
    ];
    Grammar::of_lines(FIGURES, lines)
});
