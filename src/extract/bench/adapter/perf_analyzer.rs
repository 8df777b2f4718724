//! Triton's `perf_analyzer`. Each level of concurrency or request rate is a block of its own; the last lines repeat the
//! throughput and latency of every level.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Grammar, Rule, begins, each, fig, line, opens, quality, setting},
};

/// See the module.
pub static TOOL: Tool = Tool {
    name: "perf-analyzer",
    about: "inference requests by Triton's perf_analyzer: throughput and latency at the client and in the server",
    marks: &["*** Measurement Settings ***", "Inferences/Second vs. Client"],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(2, RULES));

static RULES: &[Rule] = &[
    begins(r"\*\*\* Measurement Settings \*\*\*", &[]),
    line(r"(Batch size): (\d+)", &[setting(2, "$1")]),
    line(r"(Service Kind): (\S+)", &[]),
    line(r#"Using .*|Measurement window: .*|Stabilizing .*|Minimum number of .*|Latency limit: .*|Sending .*"#, &[]),
    line(r"(Request concurrency|Request Rate|Concurrency limit): (\d+(?:\.\d+)?)(?:.*)?", &[setting(2, "$1")]),
    line(r"(Client|Server):", &[setting(1, "side")]),
    line(r"(Failed request count): (\d+)", &[fig(2, "$1").lower(), quality(2, "failed")]),
    line(r"((?:\w+ )*[Rr]equest count|Inference count|Execution count|Cache hit count): (\d+)", &[fig(2, "$1")]),
    line(r"(Throughput): ([\d.]+ \w+/sec)", &[fig(2, "$1").higher()]),
    // `Avg latency: 708 usec (standard deviation 663 usec)`
    line(r"(Avg latency): (\d+ \w+) \(standard deviation (\d+ \w+)\)", &[fig(2, "$1").lower().spread(3)]),
    line(r"(p\d+ latency): (\d+ \w+)", &[fig(2, "$1").lower()]),
    // `Avg gRPC time: 700 usec (send/recv 102 usec + response wait 598 usec)`
    line(
        r"(Avg [\w ]+): (\d+ usec)(?: \((.*)\))?",
        &[fig(2, "$1").lower(), each(3, r"((?:\(un\))?[a-z][\w/ ]*?) (\d+ usec)", &[fig(2, "$1").lower()])],
    ),
    opens(r"Inferences/Second vs\. Client .* Latency", &[]),
    line(r"(?:Concurrency|Request Rate): ([\d.]+), throughput: ([\d.]+ infer/sec), latency (\d+ usec)", &[]),
];
