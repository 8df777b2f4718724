//! hyperfine: times of commands, on the console, as a table, as CSV, as JSON.
//!
//! User and system times are means too; `x times faster` is a ratio; a run that it warns about is measured all the same.
//! CSV and JSON are in seconds without saying so.

use std::sync::LazyLock;

use super::{
    build::{Heading, LOWER, Tool, label, metric, parameter, ratio},
    grammar::{Give, Grammar, figure, heads, noise, tells},
};

/// See the module.
pub const HYPERFINE: Tool = Tool {
    name: "hyperfine",
    about: "times of commands by hyperfine: console, Markdown, CSV, JSON",
    marks: &["Time (mean", "Time (abs", "Range (min", "| Relative |", "command,mean,stddev,", "\"exit_codes\""],
    grammars: &[&CONSOLE, &JSON],
    headings: &[&TABLES],
};

const FIGURES: &[Give] = &[
    figure("mean", "Time (mean)").stat("mean").lower(),
    figure("once", "Time").lower(),
    figure("user", "User").lower(),
    figure("system", "System").lower(),
    figure("min", "min").stat("min").lower(),
    figure("max", "max").stat("max").lower(),
    figure("ratio", "times faster").unit("x").stat("ratio").derived(),
];

static CONSOLE: LazyLock<Grammar> = LazyLock::new(|| {
    let processes = r"(?: +\[User: (?<user>{q}), System: (?<system>{q})\])?$";
    Grammar::of_lines(
        FIGURES,
        vec![
            heads(1, r"^\s*Benchmark #?\d+: (?<command>.+)$"),
            tells(format!(r"^\s+Time \(mean ± σ\): +(?<mean>{{q}}) ± +(?<mean_pm>{{q}}){processes}")),
            tells(format!(r"^\s+Time \(abs ≡\): +(?<once>{{q}}){processes}")),
            tells(r"^\s+Range \(min … max\): +(?<min>{q}) … +(?<max>{q})(?: +(?<runs>\d+) runs)?$"),
            noise(r"^\s*Summary$"),
            heads(1, r"^\s+(?<command>\S.*) ran$"),
            tells(r"^\s+(?<ratio>{n})(?: ± (?<ratio_pm>{n}))? times (?:faster|slower) than (?<than>.+)$"),
            noise(r"^\s+(?:Warning: |Current estimate|Initial time measurement|Performing warmup runs)"),
        ],
    )
});

const EXPORTED: &[Give] = &[
    figure("mean", "mean").unit("s").stat("mean").lower(),
    figure("stddev", "stddev").unit("s").stat("stddev").open(),
    figure("median", "median").unit("s").stat("median").lower(),
    figure("user", "user").unit("s").lower(),
    figure("system", "system").unit("s").lower(),
    figure("min", "min").unit("s").stat("min").lower(),
    figure("max", "max").unit("s").stat("max").lower(),
];

static JSON: LazyLock<Grammar> = LazyLock::new(|| {
    let names = EXPORTED.iter().map(|f| tells(format!(r#"^\s*"{0}": (?<{0}>{{n}}),?$"#, f.key())));
    let mut lines = vec![heads(1, r#"^\s*"command": "(?<command>.*)",?$"#)];
    lines.extend(names);
    lines.push(noise(r#"^\s*"(?:results|times|exit_codes|memory_usage_byte|parameters)": "#));
    lines.push(noise(r"^\s*(?:[\[\]{}]+|{n}),?$"));
    Grammar::of_lines(EXPORTED, lines)
});

const MARKDOWN: &[super::build::Spec] = &[
    label("Command"),
    metric("Mean*", "", LOWER).stat("mean").spread("stddev"),
    metric("Min*", "", LOWER).stat("min"),
    metric("Max*", "", LOWER).stat("max"),
    ratio("Relative", "x", "ratio"),
];

const CSV: &[super::build::Spec] = &[
    label("command"),
    metric("mean", "s", LOWER).stat("mean"),
    metric("stddev", "s", None).stat("stddev"),
    metric("median", "s", LOWER).stat("median"),
    metric("user", "s", LOWER),
    metric("system", "s", LOWER),
    metric("min", "s", LOWER).stat("min"),
    metric("max", "s", LOWER).stat("max"),
    parameter("parameter_*"),
];

static TABLES: LazyLock<Vec<Heading>> = LazyLock::new(|| {
    vec![
        Heading::new(
            r"^\s*\| Command \|(?: [^|]+ \|)* Mean \[\w+\] \| Min \[\w+\] \| Max \[\w+\] \| Relative \|",
            MARKDOWN,
        ),
        Heading::new(r"^\s*command,mean,stddev,median,user,system,min,max\b", CSV),
    ]
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::bench::{adapter::Adapter, clean::Page};

    #[test]
    fn other_lines_decline() {
        for no in ["  Time (mean ± σ): fast", "| Command | Relative |\n|---|---|\n| a | 1.5 |\n", "\"mean\": 3 apples"]
        {
            assert!(HYPERFINE.read(&Page::new(no)).is_err(), "{no}");
        }
    }
}
