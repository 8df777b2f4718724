//! hey. Times are in seconds; the histogram repeats what the distribution says.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Grammar, Rule, begins, fig, line, quality},
};

/// See the module.
pub static TOOL: Tool = Tool {
    name: "hey",
    about: "HTTP load by hey: rate, response times, their distribution and parts",
    marks: &["Summary:"],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(4, RULES));

static RULES: &[Rule] = &[
    begins(r"Summary:", &[]),
    line(r"(Total):\s+([\d.]+ secs)", &[fig(2, "$1").lower()]),
    line(r"(Slowest):\s+([\d.]+ secs)", &[fig(2, "$1").lower().stat("max")]),
    line(r"(Fastest):\s+([\d.]+ secs)", &[fig(2, "$1").lower().stat("min")]),
    line(r"(Average):\s+([\d.]+ secs)", &[fig(2, "$1").lower().stat("mean")]),
    line(r"(Requests/sec):\s+([\d.]+)", &[fig(2, "$1").unit("req/s").higher()]),
    line(r"(Total data|Size/request):\s+(\d+ bytes)", &[fig(2, "$1")]),
    line(r"Response time histogram:|Latency distribution:|Status code distribution:|Error distribution:", &[]),
    line(r"[\d.]+ \[\d+\]\s*\|[■∎]*|Details \(average, fastest, slowest\):", &[]),
    // `  99% in 0.0123 secs`
    line(r"(\d+%) in ([\d.]+ secs)", &[fig(2, "Latency $1").lower()]),
    // `  DNS+dialup:	0.0002 secs, 0.0000 secs, 0.0010 secs`
    line(
        r"(DNS\+dialup|DNS-lookup|req write|resp wait|resp read):\s+([\d.]+ secs), ([\d.]+ secs), ([\d.]+ secs)",
        &[
            fig(2, "$1 average").lower().stat("mean"),
            fig(3, "$1 fastest").lower().stat("min"),
            fig(4, "$1 slowest").lower().stat("max"),
        ],
    ),
    line(r"\[[23]\d\d\]\s+(\d+) responses", &[quality(1, "succeeded")]),
    line(r"\[[145]\d\d\]\s+(\d+) responses", &[quality(1, "failed")]),
    line(r"\[(\d+)\]\s+(?:Get|Post|Put|Head|Delete|Patch) .*", &[quality(1, "failed")]),
];
