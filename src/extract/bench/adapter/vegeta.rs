//! vegeta. A line names its values in brackets and lists them behind: the rate that was asked for, the throughput that
//! was reached.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Give, Grammar, Rule, Run, Seen, begins, code, fig, line, opens, plain},
};
use crate::model::metric::Direction;

/// See the module.
pub static TOOL: Tool = Tool {
    name: "vegeta",
    about: "HTTP load by vegeta: rate, throughput, latencies, success",
    marks: &["[min, mean, 50", "[total, rate", "[mean, 50, 95"],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(2, RULES));

static RULES: &[Rule] = &[
    begins(r"(Requests)\s+\[(total, rate.*?)\]\s+(\S.*)", &[code(list)]),
    opens(r"(Latencies)\s+\[(.*?)\]\s+(\S.*)", &[code(list)]),
    line(r"(Duration|Bytes In|Bytes Out|Success)\s+\[(.*?)\]\s+(\S.*)", &[code(list)]),
    line(r"Status Codes\s+\[code:count\]\s*(.*)|Error Set:", &[code(failures)]),
];

const PLAIN: Give = fig(3, "");

/// `Latencies     [min, mean, 50, 99, max]  90.4ms, 113.1ms, 108.2ms, 264.8ms, 266.8ms`
fn list(run: &mut Run, seen: &Seen) {
    let (key, names) = (seen.group(1), seen.group(2).split(", "));
    let mut from = seen.range(3).start;
    for (name, value) in names.zip(seen.group(3).split(", ")) {
        let name = plain(name);
        let latency = key == "Latencies" && name.parse::<f64>().is_ok();
        let give = match (key, name) {
            ("Requests", "rate") => PLAIN.unit("req/s"),
            ("Requests", "throughput") => PLAIN.unit("req/s").higher(),
            ("Bytes In" | "Bytes Out", _) => PLAIN.unit("B"),
            _ => PLAIN,
        };
        let metric = run.measure(&give, seen, from..from + value.len(), &format!("{key} {name}"));
        if let Some(mut metric) = metric {
            metric.better = match key {
                "Latencies" => Some(Direction::Lower),
                "Success" => Some(Direction::Higher),
                _ => metric.better,
            };
            metric.stat = if latency { Some(format!("p{name}")) } else { metric.stat };
            run.push(seen, metric, from + value.len());
        }
        from += value.len() + ", ".len();
    }
}

/// `0:535  200:665`: codes of failures.
fn failures(run: &mut Run, seen: &Seen) {
    for (code, count) in seen.group(1).split_whitespace().filter_map(|pair| pair.split_once(':')) {
        if !code.starts_with(['2', '3']) {
            run.count("failed", count.parse().unwrap_or(0.0));
        }
    }
}
