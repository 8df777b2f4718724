//! perf stat. What stands behind `#` is derived from two counters; `( +- x% )` is the deviation over runs.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Give, Grammar, Rule, Run, Seen, begins, code, fig, line, setting},
};
use crate::base::unit::multiplier;

/// See the module.
pub static TOOL: Tool = Tool {
    name: "perf-stat",
    about: "hardware and software counters of one command by perf stat",
    marks: &["Performance counter stats for"],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(2, RULES));

static RULES: &[Rule] = &[
    begins(
        r"Performance counter stats for (?:'(.*?)'|system wide|process id .*?)(?: \((\d+) runs\))?:",
        &[setting(1, "command"), setting(2, "runs")],
    ),
    line(
        r"([\d.]+)(?: \+- ([\d.]+))? +seconds time elapsed(?: +\( \+- .*\))?",
        &[fig(1, "time elapsed").unit("s").lower().spread(2)],
    ),
    line(r"([\d.]+)(?: \+- [\d.]+)? +seconds (user|sys)(?: +\(.*\))?", &[fig(1, "$2").unit("s").lower()]),
    line(r"<not (?:counted|supported)>.*", &[]),
    // `    90      page-faults     #   89.700 K/sec   ( +-  1.2% )`
    line(
        r"([\d.,]+) +(?:(msec|Joules|ns) +)?([a-zA-Z][\w:./-]*)(?: +# +([\d.,]+)(%)? *(.*?))?(?: +\( \+- *[\d.]+% \))?(?: +\([\d.]+%\))?",
        &[fig(1, "$3").unit("$2").by_name(), code(derived)],
    ),
    // `    #    0.52  stalled cycles per insn`
    line(r"#? *([\d.]+) +(stalled cycles per insn)(?: +\( \+- .*)?", &[fig(1, "$2").lower().derived()]),
];

const DERIVED: Give = fig(4, "");

/// What stands behind `#`, named by what it is.
fn derived(run: &mut Run, seen: &Seen) {
    let (event, words) = (seen.group(3), seen.group(6).trim());
    let (name, give, factor) = match words {
        "" => return,
        "CPUs utilized" => (words.to_string(), DERIVED, None),
        "insn per cycle" => (words.to_string(), DERIVED.higher(), None),
        "GHz" => (format!("{event} frequency"), DERIVED.unit("GHz"), None),
        _ if words.ends_with("/sec") => {
            (format!("{event} rate"), DERIVED.unit("1/s"), multiplier(words.trim_end_matches("/sec")))
        }
        _ if !seen.group(5).is_empty() => (format!("{event} {words}"), DERIVED.unit("%").by_name(), None),
        _ => (format!("{event} {words}"), DERIVED, None),
    };
    if let Some(mut metric) = run.measure(&give, seen, seen.range(4), &name) {
        metric.value *= factor.unwrap_or(1.0);
        run.push(seen, metric, seen.range(4).end);
    }
}
