//! asv: airspeed velocity. Times with their spread glued to them; memory is in bytes without saying so; a comparison has
//! a column per commit and a ratio.

use std::sync::LazyLock;

use super::{
    build::{Heading, LOWER, Spec, Tool, label, metric, ratio},
    grammar::{Give, Grammar, figure, noise, tells},
};

/// See the module.
pub const ASV: Tool = Tool {
    name: "asv",
    about: "results and comparisons by airspeed velocity",
    marks: &["%] ·", "| Change ", "before           after         ratio"],
    grammars: &[&LINES],
    headings: &[&TABLES],
};

const FIGURES: &[Give] = &[
    figure("time", "time").lower(),
    figure("memory", "memory").unit("B").lower(),
    figure("before", "before").lower(),
    figure("after", "after").lower(),
    figure("ratio", "ratio").unit("x").stat("ratio").derived(),
];

/// `12.3±0.4ms`
fn spread(group: &str) -> String {
    format!(r"(?<{group}>{{n}})(?:±(?<{group}_pm>{{n}}))?(?<{group}_unit>[a-zµμ]+)")
}

static LINES: LazyLock<Grammar> = LazyLock::new(|| {
    let begun = r"^\[ *[\d.]+%\] ·+ ";
    Grammar::of_lines(
        FIGURES,
        vec![
            tells(format!(r"{begun}(?<benchmark>(?:\S+\.)?(?:peak)?mem_\S+) +(?<memory>{{n}}[kMG]?)$")),
            tells(format!(r"{begun}(?<benchmark>\S+) +{}$", spread("time"))),
            tells(format!(
                r"^ *[-+!x~]? +{} +{} +~?(?<ratio>{{n}}) +(?<benchmark>\S.*)$",
                spread("before"),
                spread("after")
            )),
            noise(r"^\[ *[\d.]+%\] ·"),
            noise(r"^· |^ +before +after +ratio$|^ +\[[0-9a-f]{6,}\] +\[[0-9a-f]{6,}\]$|^ +<\S+> +<\S+>$"),
        ],
    )
});

const COMPARED: &[Spec] = &[
    label("Change"),
    metric("Before*", "", LOWER),
    metric("After*", "", LOWER),
    ratio("Ratio", "x", "ratio"),
    label("Benchmark*"),
];

static TABLES: LazyLock<Vec<Heading>> =
    LazyLock::new(|| vec![Heading::new(r"^\| Change +\| Before [^|]*\| After [^|]*\| +Ratio +\| Benchmark", COMPARED)]);
