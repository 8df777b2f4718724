//! asv: airspeed velocity. Times with their spread glued to them; memory is in bytes without saying so; a comparison has
//! a column per commit and a ratio; what was run with parameters is a table below the name (`asv_parameters`).

use std::sync::LazyLock;

use super::{
    Adapter, Declined, Taken, asv_parameters,
    build::{Heading, LOWER, Spec, Tool, label, metric, ratio},
    grammar::{Give, Grammar, figure, noise, tells},
};
use crate::extract::bench::clean::Page;

/// See the module.
pub struct Asv;

const TOOL: Tool = Tool {
    name: "asv",
    about: "results and comparisons by airspeed velocity",
    marks: &["%] ·", "| Change ", "before           after         ratio"],
    grammars: &[&LINES],
    headings: &[&TABLES],
};

impl Adapter for Asv {
    fn name(&self) -> &'static str {
        TOOL.name
    }

    fn about(&self) -> &'static str {
        TOOL.about
    }

    fn marks(&self) -> &'static [&'static str] {
        TOOL.marks
    }

    fn read(&self, page: &Page) -> Result<Vec<Taken>, Declined> {
        let mut all = asv_parameters::read(page);
        all.extend(TOOL.read(page).unwrap_or_default());
        all.sort_by_key(|taken| taken.lines.start);
        // The lines around a table are known to the patterns as well.
        let mut merged: Vec<Taken> = Vec::new();
        for taken in all {
            match merged.last_mut().filter(|last| taken.lines.start < last.lines.end) {
                Some(last) => {
                    last.lines.end = last.lines.end.max(taken.lines.end);
                    last.metrics.extend(taken.metrics);
                }
                None => merged.push(taken),
            }
        }
        if merged.is_empty() { Err("its marks stand in lines that it would not print") } else { Ok(merged) }
    }
}

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
