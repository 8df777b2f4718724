//! JMH's JSON: an object per benchmark and set of parameters, its unit behind the score; the mode says which way is
//! better. What a profiler counted stands below as secondary metrics.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Grammar, Rule, Run, Seen, begins, code, fig, line, section, setting},
};
use crate::{
    base::unit::{Decimal, lookup, number},
    model::metric::{Direction, Value},
};

/// See the module.
pub static TOOL: Tool = Tool {
    name: "jmh-json",
    about: "JSON of JMH: scores with their errors, what profilers counted",
    marks: &["\"primaryMetric\""],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(1, RULES));

static RULES: &[Rule] = &[
    begins(r#""benchmark" : "(.*)",?"#, &[setting(1, "benchmark")]),
    line(r#""(mode)" : "(\w+)",?"#, &[setting(2, "$1")]),
    line(r#""(threads)" : (\d+),?"#, &[setting(2, "$1")]),
    line(r#""(?:jmhVersion|jvm|jvmArgs|jdkVersion|vmName|vmVersion|forks|(?:warmup|measurement)\w+)" : .*"#, &[]),
    line(r#""primaryMetric" : \{"#, &[section("Score", "")]),
    line(r#""([^"]+)" : \{\}?,?"#, &[section("$1", "")]),
    line(r#""score" : ({n}),?"#, &[fig(1, "$s").stat("mean")]),
    line(r#""scoreError" : (?:({n})|"NaN"),?"#, &[code(error)]),
    line(r#""scoreUnit" : "(\S+)",?"#, &[code(unit)]),
    // Percentiles, raw data.
    line(r#""[^"]+" : (?:{n}|\[.*),?|[\[\]{}]+,?|{n},?"#, &[]),
    // `"size" : "128"`, among the parameters
    line(r#""(\w+)" : "([^"]*)",?"#, &[setting(2, "$1")]),
];

/// The error belongs to the score above it.
fn error(run: &mut Run, seen: &Seen) {
    let error = number(seen.group(1), Decimal::Point).map(|(value, _)| value);
    if let Some(score) = run.stretch().metrics.last_mut() {
        score.spread = error;
    }
}

/// The unit belongs to the score above it. Throughput is better higher, times lower; what is counted beside is open.
fn unit(run: &mut Run, seen: &Seen) {
    let mode = run.params.iter().find(|(name, _)| name == "mode").map(|(_, value)| value.clone());
    let spelled = seen.group(1);
    let Some(score) = run.stretch().metrics.last_mut() else { return };
    score.unit = Some(lookup(spelled).map_or_else(|| spelled.to_string(), |unit| unit.token.into_owned()));
    let throughput = mode == Some(Value::Text("thrpt".into()));
    let better = if throughput { Direction::Higher } else { Direction::Lower };
    score.better = (score.name == "Score").then_some(better);
}
