//! Which way a figure went between two readings, and how sure that is.

use crate::{
    base::unit::lookup,
    model::{
        metric::Direction,
        series::{Judgement, Reading, Trend},
    },
    text::number,
};

/// Below this change single readings without a printed spread are not told apart, in per cent: repeated runs of
/// unchanged code commonly vary by so much.
pub const NOISE: f64 = 3.0;

/// Change in per cent of the first value; `None` from zero.
pub fn change(from: f64, to: f64) -> Option<f64> {
    number::change_between(from, to)
}

/// A reading in the unit of another; `None` when the units measure different things.
pub fn in_unit_of(first: &Reading, other: Reading) -> Option<Reading> {
    if first.unit == other.unit {
        return Some(other);
    }
    let (to, from) = (lookup(first.unit.as_deref()?)?, lookup(other.unit.as_deref()?)?);
    let value = to.convert(other.value, &from)?;
    let range = other.range.and_then(|(low, high)| Some((to.convert(low, &from)?, to.convert(high, &from)?)));
    Some(Reading { value, range, unit: first.unit.clone(), ..other })
}

/// The second reading against the first, both in one unit. `noise` is what repeats were seen to vary by, in per cent.
pub fn judge(a: &Reading, b: &Reading, noise: Option<f64>) -> Judgement {
    let change = change(a.value, b.value);
    let told = |trend, why: String| Judgement { trend, change, why };
    let Some(better) = a.better.or(b.better) else {
        return told(Trend::CannotTell, "which way is better is not known".into());
    };
    let way = match better {
        Direction::Higher if b.value > a.value => Trend::Better,
        Direction::Lower if b.value < a.value => Trend::Better,
        _ => Trend::Worse,
    };
    let apart = |(low, high): (f64, f64), (from, to): (f64, f64)| high < from || to < low;
    match (a.range, b.range) {
        (Some(x), Some(y)) if apart(x, y) => told(way, "the printed ranges do not meet".into()),
        (Some(_), Some(_)) => told(Trend::WithinSpread, "the printed ranges overlap".into()),
        (Some(x), None) | (None, Some(x)) => {
            let other = if a.range.is_some() { b.value } else { a.value };
            match apart(x, (other, other)) {
                true => told(way, "outside the range that one side prints; the other is a single run".into()),
                false => told(Trend::WithinSpread, "inside the range that one side prints".into()),
            }
        }
        (None, None) => single(a, b, change, way, noise),
    }
}

/// Two readings that print no spread.
fn single(a: &Reading, b: &Reading, change: Option<f64>, way: Trend, noise: Option<f64>) -> Judgement {
    let told = |trend, why: String| Judgement { trend, change, why };
    if a.value == b.value {
        return told(Trend::WithinSpread, "the same value".into());
    }
    let Some(moved) = change.map(f64::abs) else {
        return told(Trend::CannotTell, "from zero there is no share".into());
    };
    if (a.value - b.value).abs() < 1.5 * resolution(&a.text).max(resolution(&b.text)) {
        return told(Trend::CannotTell, "one step of the last printed digit".into());
    }
    match noise {
        Some(seen) if moved <= seen => {
            let why = format!("repeats of unchanged code differ by as much ({})", number::percent(seen));
            told(Trend::WithinSpread, why)
        }
        Some(seen) if moved > NOISE => {
            told(way, format!("more than repeats of unchanged code differ by ({})", number::percent(seen)))
        }
        _ if moved > NOISE => told(way, "single runs, no spread printed".into()),
        _ => told(Trend::CannotTell, format!("under {NOISE} %, single runs, no spread printed")),
    }
}

/// The smallest difference that a printed number can show: 0.01 for `0.26`. Numbers with an exponent or a suffix show
/// what they show.
fn resolution(text: &str) -> f64 {
    let digits = text.trim_start_matches(['~', '≈', '<', '>', '-', '+', ' ']);
    let plain: String = digits.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    if plain.len() < digits.trim_end().len() && digits[plain.len()..].starts_with(|c: char| c.is_alphabetic()) {
        return 0.0;
    }
    let decimals = plain.rsplit_once('.').map_or(0, |(_, d)| d.len());
    10f64.powi(-(decimals as i32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::series::{Key, Spot};

    fn reading(text: &str, unit: &str, range: Option<(f64, f64)>) -> Reading {
        Reading {
            key: Key::default(),
            unit: Some(unit.into()),
            better: Some(Direction::Lower),
            value: text.parse().expect("a number"),
            text: text.into(),
            range,
            spot: Spot::Figure(0),
        }
    }

    #[test]
    fn verdicts_need_more_than_what_readings_vary_by() {
        let of = |a: &str, b: &str, noise| judge(&reading(a, "ms", None), &reading(b, "ms", None), noise).trend;
        assert_eq!(of("10.00", "8.00", None), Trend::Better);
        assert_eq!(of("10.00", "12.00", None), Trend::Worse);
        assert_eq!(of("10.00", "10.20", None), Trend::CannotTell);
        assert_eq!(of("0.2", "0.3", None), Trend::CannotTell);
        assert_eq!(of("10.00", "8.00", Some(25.0)), Trend::WithinSpread);
        let ranged = |a: (f64, f64), b: (f64, f64)| {
            judge(&reading("10", "ms", Some(a)), &reading("9", "ms", Some(b)), None).trend
        };
        assert_eq!(ranged((9.5, 10.5), (8.8, 9.2)), Trend::Better);
        assert_eq!(ranged((9.0, 11.0), (8.0, 10.0)), Trend::WithinSpread);
    }

    #[test]
    fn units_of_one_dimension_meet() {
        let got = in_unit_of(&reading("1.5", "ms", None), reading("1500", "us", Some((1400.0, 1600.0))));
        let got = got.expect("both are times");
        assert_eq!((got.value, got.range), (1.5, Some((1.4, 1.6))));
        assert!(in_unit_of(&reading("1", "ms", None), reading("1", "tok/s", None)).is_none());
    }
}
