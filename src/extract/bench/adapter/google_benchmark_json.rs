//! google-benchmark's JSON: an object per run or aggregate. The unit of the times follows them; an aggregate that is a
//! deviation or a coefficient is no time that could be better.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Grammar, Rule, Run, Seen, begins, code, fig, line, setting},
};
use crate::model::metric::Value;

/// See the module.
pub static TOOL: Tool = Tool {
    name: "google-benchmark-json",
    about: "JSON of google-benchmark: times per iteration, rates, aggregates",
    marks: &["\"real_time\""],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(1, RULES));

static RULES: &[Rule] = &[
    begins(r#""name": "(.*)",?"#, &[setting(1, "benchmark")]),
    line(r#""aggregate_name": "(\w+)",?"#, &[setting(1, "aggregate")]),
    line(r#""(iterations|threads)": (\d+),?"#, &[setting(2, "$1")]),
    line(r#""(real_time|cpu_time)": ({n}),?"#, &[fig(2, "$1").lower()]),
    line(r#""time_unit": "(\w+)",?"#, &[code(times)]),
    line(r#""(bytes_per_second)": ({n}),?"#, &[fig(2, "$1").unit("B/s").higher()]),
    line(r#""(items_per_second)": ({n}),?"#, &[fig(2, "$1").unit("items/s").higher()]),
    line(r#""error_occurred": true,?"#, &[code(|run, _| run.count("errors", 1.0))]),
    line(r#""\w+": .*|[\[\]{}]+,?"#, &[]),
];

/// Gives the times above their unit, and what they are of their repetitions; those of a run that failed are none.
fn times(run: &mut Run, seen: &Seen) {
    let aggregate = run.params.iter().find_map(|(name, value)| match value {
        Value::Text(text) if name == "aggregate" => Some(text.clone()),
        _ => None,
    });
    let failed = !run.stretch().quality.is_empty();
    run.stretch().metrics.retain(|_| !failed);
    for time in &mut run.stretch().metrics {
        time.unit = Some(seen.group(1).to_string());
        match aggregate.as_deref() {
            Some(kind @ ("mean" | "median")) => time.stat = Some(kind.to_string()),
            Some("stddev") => (time.stat, time.better) = (Some("stddev".into()), None),
            Some("cv") => (time.stat, time.better, time.unit) = (Some("spread".into()), None, None),
            _ => {}
        }
    }
}
