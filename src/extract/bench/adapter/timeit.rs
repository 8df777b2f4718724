//! Python's `timeit` and the magics of IPython: the best of some repetitions, or mean and deviation over runs; `%time`
//! measures once. The statement stands in the command.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Give, Grammar, figure, heads, noise, tells},
};

/// See the module.
pub const TIMEIT: Tool = Tool {
    name: "python-timeit",
    about: "times per loop by timeit and %timeit, times of one run by %time",
    marks: &[" per loop", "CPU times: user "],
    grammars: &[&LINES],
    headings: &[],
};

const FIGURES: &[Give] = &[
    figure("best", "best").stat("min").lower(),
    figure("mean", "%timeit").stat("mean").lower(),
    figure("user", "CPU user").lower(),
    figure("sys", "CPU sys").lower(),
    figure("total", "CPU total").lower(),
    figure("wall", "Wall time").lower(),
];

static LINES: LazyLock<Grammar> = LazyLock::new(|| {
    Grammar::of_lines(
        FIGURES,
        vec![
            heads(1, r#"^.*?\btimeit\s(?:.*\s)?"(?<stmt>[^"]+)"$"#),
            heads(1, r"^.*?\btimeit\s(?:.*\s)?'(?<stmt>[^']+)'$"),
            heads(1, r"^\s*(?:In \[\d+\]: |>>> )?%{1,2}time(?:it)?(?: -[a-z] ?\d*)* (?<stmt>[^-\s].*)$"),
            tells(r"^\s*(?<loops>[\d,]+) loops?, best of (?<repeat>\d+): (?<best>{n} \S+ per loop)$"),
            tells(
                r"^\s*(?<mean>{n} \S+) ± (?<mean_pm>{n} \S+) per loop \(mean ± std\. dev\. of (?<runs>\d+) runs?, (?<loops>[\d,]+) loops? each\)$",
            ),
            tells(r"^\s*CPU times: user (?<user>{q}), sys: (?<sys>{q}), total: (?<total>{q})$"),
            tells(r"^\s*Wall time: (?<wall>{q})$"),
            noise(r"^\s*(?:raw times: |The slowest run took )"),
        ],
    )
});
