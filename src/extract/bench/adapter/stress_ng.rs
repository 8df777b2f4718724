//! stress-ng. The heading of its table has two lines; below stand means over the instances, one a line.

use std::sync::LazyLock;

use super::{
    build::{Spec, Tool, label, metric},
    grammar::{Grammar, Rule, begins, fig, line, opens, row},
};
use crate::model::metric::Direction::Higher;

const COLUMNS: &[Spec] = &[
    label("stressor"),
    metric("bogo ops", "", None),
    metric("real time (secs)", "s", None),
    metric("usr time (secs)", "s", None),
    metric("sys time (secs)", "s", None),
    metric("bogo ops/s (real time)", "ops/s", Some(Higher)),
    metric("bogo ops/s (usr+sys time)", "ops/s", Some(Higher)),
];

const MORE: &[Spec] = &[
    COLUMNS[0],
    COLUMNS[1],
    COLUMNS[2],
    COLUMNS[3],
    COLUMNS[4],
    COLUMNS[5],
    COLUMNS[6],
    metric("CPU used per instance (%)", "%", None),
    metric("RSS Max (KB)", "KB", None).stat("max"),
];

/// See the module.
pub static TOOL: Tool = Tool {
    name: "stress-ng",
    about: "load on a machine by stress-ng: bogo operations per second by stressor",
    marks: &["bogo ops"],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(1, RULES));

static RULES: &[Rule] = &[
    opens(r"stressor +bogo ops +real time.*", &[]),
    begins(r"setting to a .* run per stressor", &[]),
    line(
        r"dispatching hogs: .*|\(secs\) +\(secs\) .*|miscellaneous metrics:|successful run completed in .*|(?:passed|failed|skipped|metrics untrustworthy): .*",
        &[],
    ),
    line(r"([a-z][\w-]*) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)", &[row(COLUMNS)]),
    line(r"([a-z][\w-]*) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +(\d+)", &[row(MORE)]),
    // `matrix   361908.52 add matrix ops per sec (geometic mean of 1 instances)`
    line(
        r"([a-z][\w-]*) +([\d.]+) (.*?\bops) per sec(?:ond)? \(geo\w+ mean of \d+ instances?\)",
        &[fig(2, "$3").unit("ops/s").higher().stat("geomean").with(&[("stressor", "$1")])],
    ),
    line(
        r"([a-z][\w-]*) +([\d.]+) (MB|GB) per sec(?:ond)? (.*?) \((?:geo|har)\w+ mean of \d+ instances?\)",
        &[fig(2, "$4").unit("$3/s").higher().with(&[("stressor", "$1")])],
    ),
    line(
        r"([a-z][\w-]*) +([\d.]+) (nanosecs|microsecs|secs|millisecs) (.*?) \((?:geo|har)\w+ mean of \d+ instances?\)",
        &[fig(2, "$3 $4").unit("$3").lower().with(&[("stressor", "$1")])],
    ),
    line(
        r"([a-z][\w-]*) +([\d.]+) (.*?) \((?:geo|har)\w+ mean of \d+ instances?\)",
        &[fig(2, "$3").with(&[("stressor", "$1")])],
    ),
];
