//! What shells print after `time`: bash, ksh, zsh, fish, the POSIX form.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Grammar, Rule, begins, ends, fig, line},
};

/// See the module.
pub static TOOL: Tool = Tool {
    name: "shell-time",
    about: "the time of one command by a shell: real, user, sys",
    marks: &["sys\t", "sys ", "s system", "sys time"],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(3, RULES));

static RULES: &[Rule] = &[
    begins(r"real\s+(\d+m[\d.]+s|[\d.]+)", &[fig(1, "real").unit("s").lower()]),
    line(r"user\s+(\d+m[\d.]+s|[\d.]+)", &[fig(1, "user").unit("s").lower()]),
    ends(r"sys\s+(\d+m[\d.]+s|[\d.]+)", &[fig(1, "sys").unit("s").lower()]),
    // `make -j4  12.30s user 1.02s system 310% cpu 4.293 total`
    begins(
        r"(\S.*?)?\s*\b([\d.]+)s user ([\d.]+)s system ([\d.]+%) cpu ([\d:.]+) total",
        &[
            fig(5, "total").unit("s").lower().with(&[("command", "$1")]),
            fig(2, "user").unit("s").lower().with(&[("command", "$1")]),
            fig(3, "system").unit("s").lower().with(&[("command", "$1")]),
            fig(4, "cpu").unit("%").with(&[("command", "$1")]),
        ],
    ),
    // `    0m0.20s real     0m0.01s user     0m0.02s system`
    begins(
        r"(\d+m[\d.]+s) real\s+(\d+m[\d.]+s) user\s+(\d+m[\d.]+s) system",
        &[fig(1, "real").lower(), fig(2, "user").lower(), fig(3, "sys").lower()],
    ),
    // `Executed in  206.56 millis    fish           external`
    begins(r"Executed in\s+([\d.]+ \w+)(?:\s+fish.*)?", &[fig(1, "real").lower()]),
    line(r"usr time\s+([\d.]+ \w+)(?:\s.*)?", &[fig(1, "user").lower()]),
    ends(r"sys time\s+([\d.]+ \w+)(?:\s.*)?", &[fig(1, "sys").lower()]),
];
