//! iai and its successors: exact counts of instructions and of accesses to caches, the count of the run before behind a
//! bar, the change in parentheses. The name stands on the line above.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Give, Grammar, figure, noise, tells},
};

/// See the module.
pub const IAI: Tool = Tool {
    name: "iai",
    about: "counts of instructions and accesses by iai, iai-callgrind, gungraun",
    marks: &["Estimated Cycles:", "RAM Hits:", "RAM Accesses:", "  Instructions:"],
    grammars: &[&LINES],
    headings: &[],
};

/// Counts and their changes. Caches that are hit more are not better by themselves: it depends on what was not hit.
const COUNTS: &[(Give, Give)] = &[
    (figure("instructions", "Instructions").unit("instr").lower(), change("d0", "Instructions change")),
    (figure("l1_accesses", "L1 Accesses").open(), change("d1", "L1 Accesses change")),
    (figure("l2_accesses", "L2 Accesses").open(), change("d2", "L2 Accesses change")),
    (figure("ram_accesses", "RAM Accesses").lower(), change("d3", "RAM Accesses change")),
    (figure("l1_hits", "L1 Hits").open(), change("d4", "L1 Hits change")),
    (figure("l2_hits", "L2 Hits").open(), change("d5", "L2 Hits change")),
    (figure("ll_hits", "LL Hits").open(), change("d6", "LL Hits change")),
    (figure("ram_hits", "RAM Hits").lower(), change("d7", "RAM Hits change")),
    (figure("both", "Total read+write").open(), change("d8", "Total read+write change")),
    (figure("cycles", "Estimated Cycles").unit("cycles").lower(), change("d9", "Estimated Cycles change")),
    (figure("bytes", "Total bytes").unit("B").lower(), change("d10", "Total bytes change")),
    (figure("blocks", "Total blocks").lower(), change("d11", "Total blocks change")),
];

const fn change(group: &'static str, name: &'static str) -> Give {
    figure(group, name).unit("%").stat("delta").derived()
}

static LINES: LazyLock<Grammar> = LazyLock::new(|| {
    let count = |(count, change): &(Give, Give)| {
        let (name, group, delta) = (count.name().replace('+', r"\+"), count.key(), change.key());
        let old = r"(?:\|(?:(?<old>{n})|N/A))?";
        let change = format!(r"(?:(?<{delta}>{{n}}%)|No change|[+-]+inf[+-]+%?|\*+)");
        tells(format!(r"^\s+{name}:\s+(?<{group}>{{n}}){old}\s+\(\s*{change}\s*\)(?:\s+\[.*\])?$")).named_above()
    };
    let mut lines: Vec<_> = COUNTS.iter().map(count).collect();
    lines.push(noise(r"^\s+(?:=+ \S+ =+|Baselines?:.*|Command:.*)$"));
    let figures: Vec<Give> = COUNTS.iter().flat_map(|(count, change)| [*count, *change]).collect();
    Grammar::of_lines(&figures, lines)
});
