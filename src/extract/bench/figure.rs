//! Single figures: a name and a reading become a measurement; how strongly the two say "this was measured".

use std::ops::Range;

use super::{
    cell::Reading,
    clean::Page,
    direction, vetoes,
    words::{self, COUNTS, METRICS, WEAK_METRICS, Words},
};
use crate::{
    base::lexicon::Lexicon,
    base::unit::{Unit, lookup},
    model::metric::Measurement,
};

/// How strongly name and unit say that a figure is a result.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Strength {
    /// A setting, an address, a date: never.
    Vetoed,
    /// Nothing says so.
    None,
    /// Only in company.
    Weak,
    /// By itself.
    Strong,
}

/// Judges a figure by its name and what is printed.
pub fn strength(name: &str, unit: Option<&Unit>, decimals: usize) -> Strength {
    let all = words::words(name);
    if vetoes::is_setting(&all) {
        return Strength::Vetoed;
    }
    let noun = is_metric(&all) || all.has_both("time", "per");
    let stat = words::stat(name).is_some();
    let weak = stat || all.any(&WEAK_METRICS);
    match unit {
        Some(u) if u.is_rate() || u.is_time_per() => Strength::Strong,
        Some(u) if (noun || stat) && !u.is_count() => Strength::Strong,
        None if noun && decimals > 0 => Strength::Strong,
        _ if all.any(&COUNTERS) => Strength::Strong,
        Some(_) if weak => Strength::Weak,
        _ if noun || weak || all.any(&COUNTS) || unit.is_some() => Strength::Weak,
        _ => Strength::None,
    }
}

/// Whether a name holds a metric's noun (`RunTime` too).
pub fn is_metric(all: &Words) -> bool {
    all.any(&METRICS) || all.has_both("run", "time")
}

/// Hardware counters: results even as bare integers; sorted.
static COUNTERS: Lexicon = Lexicon::new(&["cycles", "instructions"]);

/// The unit that a name carries: `Mean TTFT (ms)`, `ttft_ms`, `Requests per second`, `Total input tokens`.
pub fn unit_of_name(name: &str) -> Option<Unit> {
    let name = name.trim();
    if let Some(inner) = bracketed(name).and_then(lookup).filter(|u| !u.token.is_empty()) {
        return Some(inner);
    }
    // `Min` and `min` head columns of minima; minutes stand in parentheses.
    let unsure = |u: &Unit| matches!(u.token.as_ref(), "min" | "h");
    if let Some(whole) = lookup(name).filter(|u| !unsure(u) && (name.len() > 1 || u.token == "%")) {
        return Some(whole);
    }
    if let Some(whole) = name.contains(' ').then(|| lookup(&name.to_lowercase())).flatten() {
        return Some(whole);
    }
    let bare = name.split(['(', '[']).next().unwrap_or(name).trim();
    let last = bare.rsplit([' ', '_', '.']).next().unwrap_or(bare);
    let mut parts = bare.rsplitn(3, '_');
    if let (Some(per), Some(first)) = (parts.next(), parts.next())
        && let Some(unit) = lookup(&format!("{first}_{per}")).filter(|u| u.dimension.contains('/'))
    {
        return Some(unit);
    }
    lookup(last).filter(|u| !unsure(u) && last.len() < bare.len() && (last.len() > 1 || u.token == "s"))
}

/// What stands in the last parentheses or brackets.
fn bracketed(name: &str) -> Option<&str> {
    let end = name.trim_end_matches(':').trim_end();
    let (open, close) = if end.ends_with(')') { ('(', ')') } else { ('[', ']') };
    let body = end.strip_suffix(close)?;
    let inner = &body[body.rfind(open)? + 1..];
    Some(inner.strip_prefix("time in ").unwrap_or(inner).trim())
}

/// A unit among the parentheses of a name, wherever they stand.
pub fn unit_in_parentheses(name: &str) -> Option<Unit> {
    name.match_indices('(').find_map(|(at, _)| {
        let inner = name[at + 1..].split(')').next()?;
        lookup(inner.strip_prefix("time in ").unwrap_or(inner).trim())
    })
}

/// Builds a measurement: unit and direction resolved, the span led back to the recorded text.
pub fn measurement(
    page: &Page,
    line: usize,
    at: Range<usize>,
    name: &str,
    unit: Option<Unit>,
    reading: &Reading,
) -> Measurement {
    let stat = words::stat(name);
    let better = direction::better(name, unit.as_ref(), stat.as_deref());
    let spread = reading.spread.as_ref().map(|(value, own)| match (&unit, own) {
        (Some(unit), Some(own)) => unit.convert(*value, own).unwrap_or(*value),
        _ => *value,
    });
    Measurement {
        name: name.trim().to_string(),
        value: reading.value,
        text: page.text(line).get(at.clone()).unwrap_or("").to_string(),
        unit: unit.map(|u| u.token.into_owned()),
        better,
        stat,
        spread,
        approx: reading.approx,
        span: page.lines[line].span(at),
        ..Measurement::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_names() {
        let get = |n: &str| unit_of_name(n).map(|u| u.token.into_owned());
        for (name, want) in [
            ("Mean TTFT (ms)", Some("ms")),
            ("mean_ms", Some("ms")),
            ("output_tok_s", Some("tok/s")),
            ("tput_rps", Some("req/s")),
            ("Requests per second", Some("req/s")),
            ("Total input tokens", Some("tok")),
            ("T_PP s", Some("s")),
            ("Agg tok/s", Some("tok/s")),
            ("TPOT ms", Some("ms")),
            ("Wall(s)", Some("s")),
            ("C", None),
            ("B", None),
            ("status", None),
            ("class", None),
            ("Min", None),
        ] {
            assert_eq!(get(name).as_deref(), want, "{name}");
        }
    }

    #[test]
    fn strength_of_names() {
        let get = |n: &str, u: Option<&str>, d| strength(n, u.and_then(lookup).as_ref(), d);
        assert_eq!(get("Mean TTFT (ms)", Some("ms"), 2), Strength::Strong);
        assert_eq!(get("connect timeout", Some("s"), 0), Strength::Vetoed);
        assert_eq!(get("peak_fraction", None, 4), Strength::Weak);
        assert_eq!(get("foo", None, 1), Strength::None);
    }
}
