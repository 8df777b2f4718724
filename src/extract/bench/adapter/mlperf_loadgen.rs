//! MLPerf's loadgen. `Result is : VALID` says whether the figure counts; what stands under the parameters is none.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Grammar, Rule, begins, code, ends, fig, line, quality, setting},
};

/// See the module.
pub static TOOL: Tool = Tool {
    name: "mlperf-loadgen",
    about: "inference by MLPerf's loadgen: samples or tokens per second, latency and its distribution",
    marks: &["MLPerf Results Summary"],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(1, RULES));

static RULES: &[Rule] = &[
    begins(r"MLPerf Results Summary", &[]),
    line(r"(SUT name|Scenario|Mode)\s*: (\S+)", &[setting(2, "$1")]),
    line(
        r"(Samples per second|Completed samples per second)\s*: ([\d.e+]+)",
        &[fig(2, "$1").unit("samples/s").higher()],
    ),
    line(r"(Scheduled samples per second)\s*: ([\d.e+]+)", &[fig(2, "$1").unit("samples/s")]),
    line(
        r"(Tokens per second|Completed tokens per second)(?: \(inferred\))?\s*: ([\d.e+]+)",
        &[fig(2, "$1").unit("tok/s").higher()],
    ),
    line(r"(QPS w/o? loadgen overhead)\s*: ([\d.e+]+)", &[fig(2, "$1").unit("queries/s").higher()]),
    line(
        r"([\w. ]*(?:latency|[Tt]ime to [\w ]*|Time to Output Token|TPOT|TTFT)[\w ]*) \((ns|us|ms)\)\s*: ([\d.e+]+)",
        &[fig(3, "$1").unit("$2").lower()],
    ),
    line(r"Result is\s*: VALID", &[]),
    line(r"Result is\s*: INVALID", &[code(|run, _| run.count("invalid", 1.0))]),
    line(r"(?:Min|Performance|Early).* : (?:Yes|No)|Early stopping.*|\* .*|Additional Stats|Recommendations:?.*", &[]),
    line(r"(\d+) (warnings?|errors?) encountered.*", &[quality(1, "$2")]),
    ends(r"Test Parameters Used", &[]),
];
