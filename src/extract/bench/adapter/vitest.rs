//! `vitest bench`: runs per second, then times that are milliseconds without saying so, the relative margin of error, how
//! many samples.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Give, Grammar, figure, heads, noise, tells},
};

/// See the module.
pub const VITEST: Tool = Tool {
    name: "vitest-bench",
    about: "rows of vitest bench: hz, milliseconds, margin, samples",
    marks: &["p995"],
    grammars: &[&LINES],
    headings: &[],
};

const FIGURES: &[Give] = &[
    figure("hz", "hz").unit("ops/s").higher(),
    figure("min", "min").unit("ms").stat("min").lower(),
    figure("max", "max").unit("ms").stat("max").lower(),
    figure("mean", "mean").unit("ms").stat("mean").lower(),
    figure("p75", "p75").unit("ms").stat("p75").lower(),
    figure("p99", "p99").unit("ms").stat("p99").lower(),
    figure("p995", "p995").unit("ms").stat("p99.5").lower(),
    figure("p999", "p999").unit("ms").stat("p99.9").lower(),
    figure("rme", "rme").unit("%").stat("rme").open(),
    figure("ratio", "times faster").unit("x").stat("ratio").derived(),
];

static LINES: LazyLock<Grammar> = LazyLock::new(|| {
    let columns: String =
        ["hz", "min", "max", "mean", "p75", "p99", "p995", "p999"].map(|c| format!(r"\s+(?<{c}>{{n}})")).concat();
    let row = format!(
        r"^\s*(?:· )?(?<benchmark>\S.*?){columns}\s+±(?<rme>{{n}}%)\s+(?<samples>[\d,]+)(?:\s+(?:fastest|slowest))?(?:\s+\[.*\])?$"
    );
    Grammar::of_lines(
        FIGURES,
        vec![
            heads(1, r"^\s*[✓❯] (?:\|\w+\| )?(?<suite>\S.*?)(?: \(\d+\))?(?: +\d+ms)?$"),
            tells(&row),
            noise(r"^\s*name\s+hz\s+min\s+max\s+mean\s+p75\s+p99\s+p995\s+p999\s+rme\s+samples$"),
            heads(1, r"^\s*BENCH +Summary$"),
            heads(2, r"^ +(?<benchmark>\S.*?) - \S+\.(?:bench|test)\.\S+(?: > .*)?$"),
            tells(r"^\s+(?<ratio>{n}x) (?:faster|slower) than (?<than>.+)$"),
        ],
    )
});
