//! What a column is for: settings to the left and rising, results with units and nouns, counts, names.

use super::words::{COUNTS, METRICS, PARAMETERS, WEAK_METRICS, Words};
use crate::base::lexicon::Lexicon;
use crate::{base::unit::Unit, model::metric::Role};

/// What is seen of a column.
pub struct Sight<'d> {
    /// Heading.
    pub name: &'d str,
    /// Its words.
    pub words: &'d Words,
    /// The heading names a statistic.
    pub stat: bool,
    /// Most cells are figures.
    pub numeric: bool,
    /// All figures are integers.
    pub integers: bool,
    /// Each figure is greater than the one above.
    pub rising: bool,
    /// All figures are the same.
    pub constant: bool,
    /// The first cell occurs again.
    pub repeats: bool,
    /// Its figures.
    pub values: Vec<f64>,
    /// Unit.
    pub unit: Option<&'d Unit>,
}

/// Headings that are conditions under which the same thing was measured; sorted.
#[rustfmt::skip]
pub static CONDITIONS: Lexicon = Lexicon::new(&[
    "after", "base", "baseline", "before", "change", "current", "delta", "diff", "improvement", "new", "now", "old",
    "optimized", "result", "speedup", "tuned", "value",
]);

/// The role of each column.
pub fn of(columns: &[Sight]) -> Vec<Option<Role>> {
    let namesakes: Vec<bool> = (0..columns.len()).map(|at| is_namesake(at, columns)).collect();
    let measured = |at: usize| !namesakes[at] && surely_measured(at, &columns[at]);
    let first = (0..columns.len()).find(|at| measured(*at)).unwrap_or(columns.len());
    let setting = |at: usize| namesakes[at].then_some(Role::Parameter);
    columns.iter().enumerate().map(|(at, c)| setting(at).or_else(|| role(at, c, first))).collect()
}

/// A setting whose short name happens to be that of a unit of time: `ns=4 ms=0.027`. Integers before a column of times
/// with decimals, that come again, or that stand behind another setting and are as small as one; and that are not the
/// same times in a smaller unit.
fn is_namesake(at: usize, columns: &[Sight]) -> bool {
    let column = &columns[at];
    let own = column.unit.filter(|u| u.is_time() && u.token == column.name.trim_end_matches([' ', '=', ':']));
    let Some(unit) = own.filter(|_| column.integers) else { return false };
    let setting = |before: &Sight| before.numeric && before.integers && before.unit.is_none_or(Unit::is_count);
    let small = column.values.iter().all(|v| (0.0..SMALL).contains(v));
    let told = column.repeats || column.constant || small && at > 0 && setting(&columns[at - 1]);
    let timed = |other: &&Sight| other.numeric && !other.integers && other.unit.is_some_and(Unit::is_time);
    let mut times = columns[at + 1..].iter().filter(timed).peekable();
    told && times.peek().is_some() && !times.any(|other| is_same(column, unit, other))
}

/// Settings that are named like a time (stages, splits) are less than this.
const SMALL: f64 = 64.0;

/// Whether two columns hold the same times in different units.
fn is_same(column: &Sight, unit: &Unit, other: &Sight) -> bool {
    let near = |(a, b): (&f64, &f64)| {
        let b = other.unit.and_then(|own| unit.convert(*b, own)).unwrap_or(f64::NAN);
        (a - b).abs() <= 0.05 * a.abs().max(b.abs())
    };
    column.values.len() == other.values.len() && column.values.iter().zip(&other.values).all(near)
}

fn surely_measured(at: usize, column: &Sight) -> bool {
    if !column.numeric || is_key(at, column) {
        return false;
    }
    let all = column.words;
    match column.unit {
        Some(unit) if unit.is_rate() || unit.is_time_per() || unit.is_time() => true,
        Some(unit) if !unit.is_count() => !all.any(&PARAMETERS) || all.any(&METRICS),
        _ => all.any(&METRICS) && !(column.integers && all.any(&COUNTS)),
    }
}

/// A leading column of integers that rise, or whose heading is a setting's.
fn is_key(at: usize, column: &Sight) -> bool {
    let all = column.words;
    let setting = all.any(&PARAMETERS) && !all.any(&METRICS) && !column.stat;
    let plain = column.unit.is_none_or(|u| u.is_count() || u.dimension == "B");
    column.integers && plain && (setting || at == 0 && column.rising)
}

fn role(at: usize, column: &Sight, first: usize) -> Option<Role> {
    if !column.numeric {
        return Some(Role::Label);
    }
    if surely_measured(at, column) {
        return Some(Role::Metric);
    }
    let all = column.words;
    let counted = all.any(&COUNTS) || column.unit.is_some_and(Unit::is_count);
    if column.integers && counted && !(at < first && column.rising) && !(at == 0 && is_key(at, column)) {
        return Some(Role::Count);
    }
    if at < first && (column.integers || at == 0) {
        return Some(Role::Parameter);
    }
    if all.any(&PARAMETERS) && !column.stat && at < first {
        return Some(Role::Parameter);
    }
    if column.integers && counted {
        return Some(Role::Count);
    }
    let weak = all.any(&WEAK_METRICS) || column.stat || all.any(&CONDITIONS);
    if weak || column.unit.is_some() || !column.integers {
        return Some(Role::Metric);
    }
    (at < first && (column.constant || column.repeats)).then_some(Role::Parameter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{base::unit::lookup, extract::bench::words};

    #[test]
    fn a_sweep_has_a_key_results_and_counts() {
        let sweep = [
            ("C", true, true, None),
            ("Agg tok/s", false, true, Some("tok/s")),
            ("Tokens", true, true, Some("tok")),
            ("Wall(s)", false, false, Some("s")),
            ("Ok", true, true, None),
        ];
        let read: Vec<(Words, Option<Unit>)> =
            sweep.iter().map(|(name, .., unit)| (words::words(name), unit.and_then(lookup))).collect();
        let sights: Vec<Sight> = sweep
            .iter()
            .zip(&read)
            .map(|(&(name, integers, rising, _), (words, unit))| Sight {
                name,
                words,
                stat: words::stat(name).is_some(),
                numeric: true,
                integers,
                rising,
                constant: false,
                repeats: false,
                values: Vec::new(),
                unit: unit.as_ref(),
            })
            .collect();
        let roles = of(&sights);
        use Role::{Count, Metric, Parameter};
        assert_eq!(roles, [Some(Parameter), Some(Metric), Some(Count), Some(Metric), Some(Count)]);
    }
}
