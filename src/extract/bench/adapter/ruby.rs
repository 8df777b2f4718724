//! Ruby's `Benchmark` and `benchmark-ips`: seconds without saying so, a rehearsal that is warm-up, iterations per second
//! with a margin. The comparison at the end repeats the rates; its ratios are new.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Give, Grammar, figure, heads, noise, tells},
};

/// See the module.
pub const RUBY: Tool = Tool {
    name: "ruby-benchmark",
    about: "tables of Ruby's Benchmark, rates of benchmark-ips",
    marks: &["total        real", ") i/s "],
    grammars: &[&LINES],
    headings: &[],
};

const FIGURES: &[Give] = &[
    figure("user", "user").unit("s").lower(),
    figure("system", "system").unit("s").lower(),
    figure("total", "total").unit("s").lower(),
    figure("real", "real").unit("s").lower(),
    figure("rate", "i/s").unit("i/s").higher(),
    figure("per", "time/i").lower(),
    figure("ratio", "times slower").unit("x").stat("ratio").derived(),
];

static LINES: LazyLock<Grammar> = LazyLock::new(|| {
    Grammar::of_lines(
        FIGURES,
        vec![
            heads(1, r"^(?<phase>Rehearsal) -+$"),
            heads(1, r"^\s+user\s+system\s+total\s+real$"),
            tells(r"^(?<benchmark>\S.*?)?\s+(?<user>{n})\s+(?<system>{n})\s+(?<total>{n}) \(\s*(?<real>{n})\)$"),
            noise(r"^-+ total: {n}sec$"),
            noise(r"^(?:Warming up|Calculating) -+$|\si/100ms$|^ruby \d"),
            heads(1, r"^Comparison:$"),
            tells(
                r"^\s*(?<benchmark>\S.*?)\s+(?<rate>{n}[kMG]?)\s+\(±\s*(?<rme_pct>{n})%\) i/s(?:\s+\((?<per>{n} \S+/i)\))?\s+-\s+(?<iterations>{n}[kMG]?) in\s+(?<seconds>{n})s$",
            ),
            tells(r"^\s*(?<benchmark>\S.*?): +{n} i/s - (?<ratio>{n})x +(?:\(± {n}\) )?(?:slower|faster)$"),
            noise(r"^\s*\S.*?: +{n} i/s(?: - .*)?$"),
        ],
    )
});
