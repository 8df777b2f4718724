//! `go test -bench`: after the name, which ends in the number of processors, the iterations, then values each with its
//! unit, as many as the benchmark reports. The package is part of the identity.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Give, Grammar, heads, noise, pairs, tells},
};

/// See the module.
pub const GO_TEST: Tool = Tool {
    name: "go-test-bench",
    about: "lines of go test -bench: iterations, then values with units",
    marks: &[" ns/op", "\tns/op"],
    grammars: &[&LINES],
    headings: &[],
};

const VALUES: &[Give] = &[pairs(3)];

static LINES: LazyLock<Grammar> = LazyLock::new(|| {
    let value = r"{n} \S+";
    Grammar::of_lines(
        &[],
        vec![
            heads(1, r"^pkg: (?<pkg>\S+)$"),
            tells(format!(r"^(?<benchmark>Benchmark\S*)\s+(?<iterations>\d+)((?:\s+{value})+)$")).gives(VALUES),
            noise(r"^(?:goos|goarch|cpu|commit|toolchain): "),
            noise(r"^Benchmark\S*$"),
            noise(r"^(?:PASS|ok\s+\S+\s+[\d.]+s)$"),
        ],
    )
});
