//! mitata: mean and 75th percentile beside the name, below them the range and the 99th percentile, bars between. The
//! rows of heap sizes are noise; the summary holds ratios.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Give, Grammar, figure, heads, noise, tells},
};

/// See the module.
pub const MITATA: Tool = Tool {
    name: "mitata",
    about: "times per iteration with range and percentiles by mitata",
    marks: &["/iter"],
    grammars: &[&LINES],
    headings: &[],
};

const FIGURES: &[Give] = &[
    figure("avg", "avg").stat("mean").lower(),
    figure("min", "min").stat("min").lower(),
    figure("max", "max").stat("max").lower(),
    figure("p75", "p75").stat("p75").lower(),
    figure("p99", "p99").stat("p99").lower(),
    figure("ratio", "times faster").unit("x").stat("ratio").derived(),
];

static LINES: LazyLock<Grammar> = LazyLock::new(|| {
    let (name, range) = (r"^(?<benchmark>\S.*?)\s+(?<avg>{n} \S+)/iter\s+", r"\(\s*(?<min>{q}) … +(?<max>{q})\)\s+");
    Grammar::of_lines(
        FIGURES,
        vec![
            heads(1, format!(r"{name}{range}(?<p75>{{n}} \S+)\s+(?<p99>{{n}} \S+)\s+{{n}} \S+$")),
            heads(1, format!(r"{name}(?<p75>{{n}} \S+)(?:\s+[▁-█! ]+)?$")),
            noise(r"^\s+\(\s*{n} +[kmg]?b … +{n} +[kmg]?b\)"),
            tells(format!(r"^\s+{range}(?<p99>{{n}} \S+)(?:\s+[▁-█! ]+)?$")),
            tells(r"^\s+(?<ratio>{n})(?:…{n})?x (?:faster|slower) than (?<than>.+)$").named_above(),
            heads(1, r"^summary(?: for .*)?$"),
            noise(r"^(?:clk|cpu|runtime): |^benchmark +(?:avg|time \(avg\)) +\(min … max\)"),
            noise(r"^\s+(?:benchmark was likely optimized out|https://)"),
        ],
    )
});
