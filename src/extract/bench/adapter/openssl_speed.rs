//! `openssl speed`. The columns of ciphers and digests are block sizes, their figures thousands of bytes per second;
//! keys have times and rates of their operations.

use std::sync::LazyLock;

use super::{
    build::{self, Tool},
    grammar::{Grammar, Rule, Run, Seen, begins, code, fig, line, opens},
};
use crate::model::metric::{Column, Direction, MetricTable, Role};

/// See the module.
pub static TOOL: Tool = Tool {
    name: "openssl-speed",
    about: "ciphers, digests and keys by openssl speed: bytes per second by block size, operations per second",
    marks: &["The 'numbers' are in 1000s", "16 bytes     64 bytes", "sign/s verify/s", "op/s"],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(1, RULES));

static RULES: &[Rule] = &[
    line(r"Doing .*|version: .*|built on: .*|options: .*|compiler: .*|CPUINFO: .*|OpenSSL .*", &[]),
    opens(r"The 'numbers' are in 1000s of bytes per second processed\.", &[]),
    begins(r"type((?: +\d+ bytes)+)", &[code(heading)]),
    opens(r"sign +verify +(?:encrypt +decrypt +)?sign/s +verify/s.*|op +op/s", &[]),
    line(r"(\S+(?: \S+)*?) ((?: +[\d.]+k)+)", &[code(sizes)]),
    // `rsa 2048 bits 0.000600s 0.000018s   1666.7  54054.1`
    line(
        r"(.*?bits.*?) +([\d.]+s) +([\d.]+s) +([\d.]+) +([\d.]+)",
        &[
            fig(2, "sign").lower().with(&[("key", "$1")]),
            fig(3, "verify").lower().with(&[("key", "$1")]),
            fig(4, "sign/s").unit("ops/s").higher().with(&[("key", "$1")]),
            fig(5, "verify/s").unit("ops/s").higher().with(&[("key", "$1")]),
        ],
    ),
    line(
        r"(.*?bits.*?) +([\d.]+s) +([\d.]+)",
        &[fig(2, "op").lower().with(&[("key", "$1")]), fig(3, "op/s").unit("ops/s").higher().with(&[("key", "$1")])],
    ),
];

/// `type             16 bytes     64 bytes    256 bytes`
fn heading(run: &mut Run, seen: &Seen) {
    let label = Column { name: "type".into(), role: Some(Role::Label), ..Column::default() };
    let sizes = seen.group(1).split("bytes").map(str::trim).filter(|s| !s.is_empty());
    let size = |size: &str| Column {
        name: format!("{size} bytes"),
        unit: Some("KB/s".into()),
        role: Some(Role::Metric),
        better: Some(Direction::Higher),
        ..Column::default()
    };
    let columns = std::iter::once(label).chain(sizes.map(size)).collect();
    run.stretch().tables.push(MetricTable { columns, ..MetricTable::default() });
}

/// `md5              75846.88k   208838.34k`: `k` is the unit's, not the number's.
fn sizes(run: &mut Run, seen: &Seen) {
    let mut cells = vec![build::text_cell(seen.page, seen.line, seen.range(1))];
    for word in build::words(seen.page.text(seen.line), seen.range(2)) {
        cells.push(build::figure_cell(seen.page, seen.line, word.start..word.end - 1, None));
    }
    let Some(table) = run.stretch().tables.last_mut().filter(|t| cells.len() <= t.columns.len()) else { return };
    table.truncated |= cells.len() < table.columns.len();
    cells.resize_with(table.columns.len(), build::missing_cell);
    table.rows.push(cells);
}
