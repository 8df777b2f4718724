//! libtest's benches, also those of crates that print the same lines: nanoseconds per iteration, how far the samples lie
//! apart, and a throughput where the bench tells its bytes.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Give, Grammar, figure, tells},
};

/// See the module.
pub const LIBTEST: Tool = Tool {
    name: "libtest-bench",
    about: "lines `test … bench: … ns/iter` of cargo bench",
    marks: &[" ... bench: "],
    grammars: &[&LINES],
    headings: &[],
};

const FIGURES: &[Give] = &[figure("bench", "bench").lower(), figure("throughput", "throughput").higher()];

static LINES: LazyLock<Grammar> = LazyLock::new(|| {
    let bench = r"^test (?<benchmark>.+?) +\.\.\. bench: +(?<bench>{n} \S+/iter) \(\+/- ";
    let whole = format!(r"{bench}(?<bench_pm>{{n}})\)(?: = (?<throughput>{{n}} \S+/s))?$");
    let cut = format!(r"{bench}(?:{{n}}|(?<bench_pm>{{n}})\) = .*)$");
    Grammar::of_lines(FIGURES, vec![tells(&whole), tells(&cut)])
});
