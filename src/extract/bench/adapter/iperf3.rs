//! iperf3 and iperf. The intervals are parts of the last lines; bytes count 1024, bits 1000, both as printed.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Grammar, Rule, begins, fig, line, opens},
};

/// See the module.
pub static TOOL: Tool = Tool {
    name: "iperf3",
    about: "network throughput by iperf3: transfer, bitrate, retransmits, jitter",
    marks: &["[ ID] Interval"],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(1, RULES));

static RULES: &[Rule] = &[
    begins(r"Connecting to host \S+, port \d+|Server listening on .*", &[]),
    opens(r"\[ ID\] Interval.*", &[]),
    line(
        r"\[ *\d+\] local .*|iperf Done\.|Accepted connection .*|(?:- )+-?|Client connecting .*|TCP window size: .*",
        &[],
    ),
    line(
        r"\[( *\d+|SUM)\]\s+([\d.]+ *- *[\d.]+)\s+sec\s+([\d.]+ \w+)\s+([\d.]+ \w+/sec)(?:\s+(\d+))?\s+(sender|receiver)",
        &[
            fig(3, "Transfer").with(&[("stream", "$1"), ("side", "$6")]),
            fig(4, "Bitrate").higher().with(&[("stream", "$1"), ("side", "$6")]),
            fig(5, "Retr").lower().with(&[("stream", "$1"), ("side", "$6")]),
        ],
    ),
    line(
        r"\[( *\d+|SUM)\]\s+([\d.]+ *- *[\d.]+)\s+sec\s+([\d.]+ \w+)\s+([\d.]+ \w+/sec)\s+([\d.]+ ms)\s+(\d+)/(\d+) \(([\d.e-]+%)\)\s+(sender|receiver)",
        &[
            fig(3, "Transfer").with(&[("stream", "$1"), ("side", "$9")]),
            fig(4, "Bitrate").higher().with(&[("stream", "$1"), ("side", "$9")]),
            fig(5, "Jitter").lower().with(&[("stream", "$1"), ("side", "$9")]),
            fig(6, "Lost").lower().with(&[("stream", "$1"), ("side", "$9")]),
        ],
    ),
    line(r"\[(?: *\d+|SUM)\]\s+[\d.]+ *- *[\d.]+\s+sec\s.*", &[]),
];
