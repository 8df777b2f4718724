//! pyperf: mean and standard deviation; two results beside each other with the factor between them.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Give, Grammar, fig, figure, heads, noise, tells},
};

/// See the module.
pub const PYPERF: Tool = Tool {
    name: "pyperf",
    about: "mean, standard deviation and percentiles by pyperf, comparisons",
    marks: &["Mean +- std dev:", "Median +- MAD:"],
    grammars: &[&LINES],
    headings: &[],
};

const FIGURES: &[Give] = &[
    figure("mean", "Mean").stat("mean").lower(),
    figure("median", "Median").stat("median").lower(),
    figure("minimum", "Minimum").stat("min").lower(),
    figure("maximum", "Maximum").stat("max").lower(),
    figure("before", "Mean").stat("mean").lower(),
    figure("after", "Mean changed").stat("mean").lower(),
    figure("factor", "factor").unit("x").stat("ratio").derived(),
];

/// ` 50th percentile: 22.5 ms (-0% of the mean) -- median`
const PERCENTILE: &[Give] = &[fig(2, "p$1").lower()];

static LINES: LazyLock<Grammar> = LazyLock::new(|| {
    let result = |group: &str| format!(r"(?<{group}>{{q}}) \+- (?<{group}_pm>{{q}})");
    let name = r"^(?:(?<benchmark>\S.*?): )?";
    Grammar::of_lines(
        FIGURES,
        vec![
            heads(1, r#"^.*?pyperf timeit\b.*\s"(?<benchmark>[^"]+)"$"#),
            heads(1, r"^.*?pyperf timeit\b.*\s'(?<benchmark>[^']+)'$"),
            tells(format!(r"{name}Mean \+- std dev: +{}$", result("mean"))),
            tells(format!(r"{name}Median \+- MAD: +{}$", result("median"))),
            tells(format!(
                r"{name}Mean \+- std dev: \[(?<base>[^\]]+)\] {} -> \[(?<changed>[^\]]+)\] {}: (?<factor>{{n}}x) (?:slower|faster)",
                result("before"),
                result("after")
            )),
            tells(r"^Minimum: +(?<minimum>{q})(?: \(.*\))?$"),
            tells(r"^Maximum: +(?<maximum>{q})(?: \(.*\))?$"),
            tells(r"^ *(\d+)(?:st|nd|rd|th) percentile: +({q}) \(.*\)(?: -- \w+)?$").gives(PERCENTILE),
            noise(
                r"^(?:Total duration|Start date|End date|Raw value (?:minimum|maximum)|Number of .+|Loop iterations per value|Total number of .+): ",
            ),
            noise(r"^\.+$"),
            noise(
                r"^WARNING: the benchmark result may be unstable|^\* (?:the|Not enough) |^(?:Try to rerun|Run '|Use )",
            ),
        ],
    )
});
