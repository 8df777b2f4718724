//! oha: as hey, with a success rate, and units that change from line to line.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Grammar, Rule, begins, fig, line, quality},
};

/// See the module.
pub static TOOL: Tool = Tool {
    name: "oha",
    about: "HTTP load by oha: success rate, rate, response times, their distribution and parts",
    marks: &["Success rate:"],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(4, RULES));

static RULES: &[Rule] = &[
    begins(r"Summary:", &[]),
    line(r"(Success rate):\s+([\d.]+%)", &[fig(2, "$1").higher()]),
    line(r"(Total):\s+([\d.]+ (?:sec|ms|us|µs|ns))", &[fig(2, "$1").lower()]),
    line(r"(Slowest):\s+([\d.]+ (?:sec|ms|us|µs|ns))", &[fig(2, "$1").lower().stat("max")]),
    line(r"(Fastest):\s+([\d.]+ (?:sec|ms|us|µs|ns))", &[fig(2, "$1").lower().stat("min")]),
    line(r"(Average):\s+([\d.]+ (?:sec|ms|us|µs|ns))", &[fig(2, "$1").lower().stat("mean")]),
    line(r"(Requests/sec):\s+([\d.]+)", &[fig(2, "$1").unit("req/s").higher()]),
    line(r"(Total data|Size/request):\s+([\d.]+ \w+)", &[fig(2, "$1")]),
    line(r"(Size/sec):\s+([\d.]+ \w+)", &[fig(2, "$1").unit("/s").higher()]),
    line(r"Response time (?:histogram|distribution):|Status code distribution:|Error distribution:", &[]),
    line(r"[\d.]+ \w+ \[\d+\]\s*\|[■∎]*|Details \(average, fastest, slowest\):?", &[]),
    // `  99.00% in 0.0123 sec`
    line(r"(\d+\.\d+)% in ([\d.]+ (?:sec|ms|us|µs|ns))", &[fig(2, "Response time $~1%").lower()]),
    line(
        r"(DNS\+dialup|DNS-lookup):\s+([\d.]+ \w+), ([\d.]+ \w+), ([\d.]+ \w+)",
        &[
            fig(2, "$1 average").lower().stat("mean"),
            fig(3, "$1 fastest").lower().stat("min"),
            fig(4, "$1 slowest").lower().stat("max"),
        ],
    ),
    line(r"\[[23]\d\d\] (\d+) responses", &[quality(1, "succeeded")]),
    line(r"\[[145]\d\d\] (\d+) responses", &[quality(1, "failed")]),
    line(r"\[(\d+)\] [a-zA-Z].*", &[quality(1, "failed")]),
];
