//! The block that serving benchmarks of language models print: sglang's `bench_serving`, vLLM's `bench serve` and those
//! that copied them. Rates and limits of the requests are settings; the concurrency that was reached is a result.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Grammar, Rule, begins, ends, fig, line, quality, whole},
};

/// See the module.
pub static TOOL: Tool = Tool {
    name: "bench-serving",
    about: "serving of a language model: throughput, time to first token, time per output token, inter-token latency",
    marks: &["Serving Benchmark Result"],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(2, RULES));

static RULES: &[Rule] = &[
    begins(r"[=\s]*Serving Benchmark Result[=\s]*", &[]),
    ends(r"={20,}", &[]),
    line(
        r"(Backend|Traffic request rate|Request rate configured \(RPS\)|Max(?:imum)? req\w+ concurrency|Tensor parallel\w*|Burstiness factor):\s+(\S+)",
        &[whole(2, "$1")],
    ),
    line(r"(Successful requests):\s+(\d+)", &[fig(2, "$1").higher()]),
    line(r"(Failed requests):\s+(\d+)", &[fig(2, "$1").lower(), quality(2, "failed")]),
    line(r"(Total [\w -]*tokens[^:]*|Draft tokens|Accepted tokens):\s+([\d.,]+)", &[fig(2, "$1").unit("tok")]),
    line(r"(Peak concurrent requests|Concurrency|Drafts):\s+([\d.,]+)", &[fig(2, "$1")]),
    line(r"(Accept(?:ance)? length):\s+([\d.,]+)", &[fig(2, "$1").higher().stat("mean")]),
    line(r"(Acceptance rate) \(%\):\s+([\d.,]+)", &[fig(2, "$1").unit("%").higher()]),
    line(r"(Position \d+):\s+([\d.,]+)", &[fig(2, "Acceptance at $1").unit("%").higher()]),
    // `Mean TTFT (ms):     12.34`
    line(r"([A-Z][\w -]*? \((ms|s|req/s|tok/s|token/s|GB/s)\)):\s+([\d.,]+)", &[fig(3, "$1").unit("$2").by_name()]),
    line(r"-+[A-Z][^:]*-+|Per-position acceptance \(%\):", &[]),
    // A key whose value was cut off.
    line(r"[A-Z][\w -]*? \((?:ms|s|req/s|tok/s)\):?", &[]),
];
