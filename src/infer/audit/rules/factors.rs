//! A factor that is said to hold for all: `~2x faster across all shapes`.

use std::{collections::BTreeMap, ops::RangeInclusive, sync::LazyLock};

use super::{Judgement, Ledger, Rule, Statement, is_intent};
use crate::{
    base::{ids::MessageIdx, span::ByteSpan},
    infer::{audit::ledger::value, series},
    model::{
        audit::{ClaimKind, Ruling},
        evidence::Evidence,
        message::{MessageKind, PartKind},
    },
    text::{number, pattern::Regex},
};

/// A factor for all, beside rows that it does not fit.
pub static FACTOR: Rule = Rule {
    name: "factor-for-all",
    kind: ClaimKind::Comparison,
    about: "A setting is called so many times faster for all, each or every case; the sweep printed before it shows, against each other value of the setting, cases that are far from that.",
    example: "\"`depth=2` is ~2x faster across all sizes\" where the sweep shows 1.2 to 1.9 times against every other depth: contradicted",
    limits: "Only sweeps of one output, whose rows name the setting's value and all hold the same cases; a baseline that another run printed is not known.",
    against: "the sweep before it shows other factors, whichever of its settings one compares with",
    missing: "",
    judge: for_all,
};

/// `~2x faster`, `2.5× speedup`
static TIMES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(\d+(?:\.\d+)?) ?[x×] (?:faster|slower|speed-?up|quicker|better|improvement|more throughput)\b")
        .expect("valid")
});

/// `across all shapes`, `for every size`
static ALL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:across|for|on|in|over|with|at) (?:all|each|every)\b|\ball \w+ (?:are|improve)\b|\beverywhere\b|\bacross the board\b").expect("valid")
});

/// `` `num_warps=2` ``
static SETTING: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b([A-Za-z_][\w-]*) ?= ?(\d+(?:\.\d+)?|[A-Za-z]\w*)").expect("valid"));

/// Bounds that a factor is not held to.
static BOUND: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:up to|at least|at most|more than|over|or more|or better|average|mean|geomean)\b")
        .expect("valid")
});

/// How far a case may lie from the factor, as a share of it.
const FAR: f64 = 0.2;

/// A sweep stands at most this many messages before what is said of it.
const REACH: u32 = 3;

fn for_all(log: &Ledger, said: &Statement) -> Option<Judgement> {
    let factor = value(TIMES.captures(said.text)?.get(1)?.as_str())?;
    let chosen = SETTING.captures(said.text)?.get(2)?.as_str();
    if !ALL.is_match(said.text) || BOUND.is_match(said.text) || is_intent(said.text) {
        return None;
    }
    let (knob, cases) = sweep(log, said.message, chosen)?;
    let fits =
        |range: &RangeInclusive<f64>| *range.start() >= factor * (1.0 - FAR) && *range.end() <= factor * (1.0 + FAR);
    let against: Vec<(&str, RangeInclusive<f64>)> = alternatives(&cases, chosen)?;
    if against.iter().any(|(_, range)| fits(range)) {
        return None;
    }
    let told = |(other, range): &(&str, RangeInclusive<f64>)| {
        format!("{} to {} times against {other}", number::times(*range.start()), number::times(*range.end()))
    };
    let told: Vec<String> = against.iter().map(told).collect();
    let why = format!("of {knob} the sweep shows {}", told.join(", "));
    let places: Vec<Evidence> = cases.values().filter_map(|rows| Some(rows.first()?.place.clone())).collect();
    Some(Judgement::new(Ruling::Contradicted, why, places))
}

/// A printed value under one value of the setting.
struct Row {
    setting: String,
    value: f64,
    place: Evidence,
}

/// Rows by what they have in common besides the setting.
type Cases = BTreeMap<Vec<(String, String)>, Vec<Row>>;

/// The last sweep before a message one of whose parameters takes the chosen value: the parameter, and the rows of each
/// case.
fn sweep(log: &Ledger, before: MessageIdx, chosen: &str) -> Option<(String, Cases)> {
    let reach = before.0.saturating_sub(REACH)..before.0;
    let calls = reach.rev().map(MessageIdx).filter(|at| log.session.message(*at).kind == MessageKind::Tool);
    calls
        .filter_map(|at| {
            let rows = rows(log, at);
            let mut values: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            for (name, value) in rows.iter().flat_map(|(params, ..)| params) {
                let known = values.entry(name).or_default();
                if !known.contains(&value.as_str()) {
                    known.push(value);
                }
            }
            let mut knobs = values.iter().filter(|(_, values)| values.len() > 1 && values.contains(&chosen));
            let (knob, only) = (knobs.next()?.0.to_string(), knobs.next().is_none());
            only.then(|| (knob.clone(), by_case(rows, &knob)))
        })
        .next()
}

type Printed = (Vec<(String, String)>, f64, Evidence);

fn by_case(rows: Vec<Printed>, knob: &str) -> Cases {
    let mut cases: Cases = BTreeMap::new();
    for (mut params, value, place) in rows {
        let Some(at) = params.iter().position(|(name, _)| name == knob) else { continue };
        let (_, setting) = params.remove(at);
        cases.entry(params).or_default().push(Row { setting, value, place });
    }
    cases
}

/// Against each other value of the setting the least and the largest factor over all cases; `None` unless each case shows
/// each value once, and there are two cases or more.
fn alternatives<'c>(cases: &'c Cases, chosen: &str) -> Option<Vec<(&'c str, RangeInclusive<f64>)>> {
    let first = cases.values().next()?;
    let of = |rows: &[Row], setting: &str| {
        let mut found = rows.iter().filter(|row| row.setting == setting);
        found.next().map(|row| row.value).filter(|v| *v > 0.0 && found.next().is_none())
    };
    let others = first.iter().map(|row| row.setting.as_str()).filter(|setting| *setting != chosen);
    let mut all = Vec::new();
    for other in others {
        let factors = cases.values().map(|rows| {
            let (a, b) = (of(rows, other)?, of(rows, chosen)?);
            Some((a / b).max(b / a)).filter(|_| rows.len() == first.len())
        });
        let factors: Vec<f64> = factors.collect::<Option<_>>()?;
        let (low, high) = factors.iter().fold((f64::MAX, f64::MIN), |(l, h), f| (l.min(*f), h.max(*f)));
        all.push((other, low..=high));
    }
    (cases.len() > 1 && !all.is_empty()).then_some(all)
}

/// What a call printed under parameters: of one metric, the first that it prints; else line by line.
fn rows(log: &Ledger, at: MessageIdx) -> Vec<Printed> {
    let readings = series::of_message(log.session, log.facts, at);
    if let Some(first) = readings.iter().find(|r| !r.key.params.is_empty()) {
        let name = first.key.name.clone();
        let same = readings.iter().filter(|r| r.key.name == name && r.unit == first.unit && !r.key.params.is_empty());
        return same.map(|r| (r.key.params.clone(), r.value, log.facts.place(log.session, r.spot))).collect();
    }
    let Some(part) = log.session.message(at).part_at(PartKind::Output) else { return Vec::new() };
    let text = log.session.message(at).parts[part].text.as_str();
    let lines = text.lines().filter_map(|line| {
        let (params, value) = line_of(line)?;
        let start = line.as_ptr() as usize - text.as_ptr() as usize;
        Some((params, value, log.session.cite(at, part, ByteSpan::new(start, start + line.len()))?))
    });
    lines.collect()
}

/// `B=8 L=1024: nw=2 -> 0.0687 ms`: parameters, then one value with its unit at the end.
static LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(.*\w=\w.*?)(?:->|=>|:|→|\s)\s*(\d+\.\d+) ?(?:ns|us|µs|μs|ms|s|[GMT]B/s|tok/s)$").expect("valid")
});

fn line_of(line: &str) -> Option<(Vec<(String, String)>, f64)> {
    let found = LINE.captures(line.trim())?;
    let params = SETTING.captures_iter(found.get(1)?.as_str()).map(|c| (c[1].to_string(), c[2].to_string()));
    Some((params.collect(), value(found.get(2)?.as_str())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_parameters_and_one_value() {
        let (params, value) = line_of("  case n=8 m=16: depth=2 -> 0.0687 ms").unwrap();
        assert_eq!((params.len(), value), (3, 0.0687));
        assert!(line_of("it took 3.5 ms").is_none() && line_of("best n=8: depth=2 (0.0687 ms)").is_none());
        assert!(TIMES.is_match("~2x faster") && !TIMES.is_match("0x20 faster"));
        assert!(ALL.is_match("faster across all sizes") && !ALL.is_match("all of it"));
    }
}
