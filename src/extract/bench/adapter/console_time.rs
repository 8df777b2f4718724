//! `console.time` of browsers and Deno: a label, which may hold colons itself, and how long its timer ran.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Give, Grammar, figure, tells},
};

/// See the module.
pub const CONSOLE_TIME: Tool = Tool {
    name: "js-console-time",
    about: "lines `…: …ms - timer ended` of console.timeEnd",
    marks: &[" - timer ended"],
    grammars: &[&LINES],
    headings: &[],
};

const FIGURES: &[Give] = &[figure("timer", "timer").lower()];

static LINES: LazyLock<Grammar> = LazyLock::new(|| {
    Grammar::of_lines(FIGURES, vec![tells(r"^\s*(?<benchmark>\S.*): (?<timer>{n} ?m?s) - timer ended$")])
});
