//! Scales: from values to places, with round values to label.

use crate::text::number;

/// Values that lie so far apart are drawn by their factors.
const FACTOR: f64 = 30.0;
/// Most powers of ten that are labelled, about.
const MOST_TENS: usize = 7;

/// From values to places along one direction.
#[derive(Clone, Debug)]
pub struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    /// Whether equal distances are equal factors.
    pub log: bool,
    ticks: Vec<f64>,
}

impl Scale {
    /// For values between two places: by factors where they are all positive and far apart; else evenly, from zero where
    /// that leaves at least half of the room to them. About `ticks` values are labelled.
    pub fn over(values: &[f64], from: f64, to: f64, ticks: usize) -> Self {
        let (low, high) = ends(values);
        if low > 0.0 && high / low >= FACTOR {
            return Self::by_factors(low, high, from, to);
        }
        let low = if low > 0.0 && low <= high / 2.0 { 0.0 } else { low };
        let high = if high < 0.0 && high >= low / 2.0 { 0.0 } else { high };
        // Small differences look small: the axis covers at least a fifth of its largest value.
        let size = low.abs().max(high.abs());
        let least = if size > 0.0 { size * 0.2 } else { 1.0 };
        let pad = ((least - (high - low)) / 2.0).max(0.0);
        Self::evenly(low - pad, high + pad, from, to, ticks)
    }

    fn evenly(low: f64, high: f64, from: f64, to: f64, ticks: usize) -> Self {
        let step = nice_step((high - low) / ticks.max(1) as f64);
        let (first, last) = ((low / step).floor(), (high / step).ceil());
        let count = (last - first).clamp(0.0, 50.0) as usize;
        let ticks: Vec<f64> = (0..=count).map(|i| (first + i as f64) * step).collect();
        Self { low: first * step, high: last * step, from, to, log: false, ticks }
    }

    /// By factors, with powers of ten or, where these are few, with 1 and 3 of each labelled.
    pub fn by_factors(low: f64, high: f64, from: f64, to: f64) -> Self {
        let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
        let all = |steps: &[f64]| -> Vec<f64> {
            let within = |v: &f64| *v >= low * 0.999 && *v <= high * 1.001;
            decades.clone().flat_map(|d| steps.iter().map(move |s| s * 10f64.powi(d))).filter(within).collect()
        };
        let tens = all(&[1.0]);
        let every = tens.len() / MOST_TENS + 1;
        let ticks = if tens.len() >= 3 { tens.into_iter().step_by(every).collect() } else { all(&[1.0, 3.0]) };
        Self { low, high, from, to, log: true, ticks }
    }

    /// By factors with the given values labelled.
    pub fn with_ticks(self, ticks: Vec<f64>) -> Self {
        Self { ticks, ..self }
    }

    /// The place of a value.
    pub fn place(&self, value: f64) -> f64 {
        let share = match self.log {
            true => (value / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        };
        self.from + (self.to - self.from) * if share.is_finite() { share } else { 0.5 }
    }

    /// Whether the axis begins at zero.
    pub fn begins_at_zero(&self) -> bool {
        !self.log && self.low == 0.0
    }

    /// Round values with their text, in order.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let decimals = match (self.log, self.ticks.as_slice()) {
            (false, [a, b, ..]) => decimals(b - a),
            _ => return self.ticks.iter().map(|v| (*v, short(*v))).collect(),
        };
        self.ticks.iter().map(|v| (*v, number::fixed(*v, decimals))).collect()
    }
}

fn ends(values: &[f64]) -> (f64, f64) {
    let finite = values.iter().filter(|v| v.is_finite());
    let (low, high) = finite.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
    if low <= high { (low, high) } else { (0.0, 1.0) }
}

/// 1, 2, 2.5 or 5 times a power of ten, not below what is asked for.
fn nice_step(rough: f64) -> f64 {
    if !(rough.is_finite() && rough > 0.0) {
        return 1.0;
    }
    let power = 10f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0];
    steps.into_iter().map(|s| s * power).find(|s| *s >= rough * 0.999).unwrap_or(power * 10.0)
}

/// Decimals that a step needs.
fn decimals(step: f64) -> usize {
    (0..=9)
        .find(|d| (step * 10f64.powi(*d)).fract().abs() < 1e-6 || (step * 10f64.powi(*d)).fract().abs() > 1.0 - 1e-6)
        .unwrap_or(9) as usize
}

/// A power of ten or a small multiple of one.
fn short(value: f64) -> String {
    let decimals = if value >= 1.0 { 0 } else { (-value.log10().floor()).clamp(0.0, 9.0) as usize };
    number::fixed(value, if value.fract() == 0.0 { 0 } else { decimals.max(1) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(values: &[f64]) -> Vec<String> {
        Scale::over(values, 0.0, 100.0, 4).ticks().into_iter().map(|t| t.1).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(&[52.4, 97.3]), ["40", "60", "80", "100"]);
        assert_eq!(labels(&[4.1, 51.2]), ["0", "20", "40", "60"]);
        assert_eq!(labels(&[0.412, 0.701]), ["0.4", "0.5", "0.6", "0.7", "0.8"]);
        assert_eq!(labels(&[0.592, 0.598]), ["0.50", "0.55", "0.60", "0.65", "0.70"]);
        assert_eq!(labels(&[0.02, 90.0]), ["0.1", "1", "10"]);
        assert_eq!(labels(&[0.026, 1.499]), ["0.03", "0.1", "0.3", "1"]);
        assert_eq!(labels(&[]), ["0.00", "0.25", "0.50", "0.75", "1.00"]);
    }

    #[test]
    fn every_value_has_a_place() {
        for values in [&[0.0, 0.0][..], &[-5.0, 7.0], &[1e-9, 1e9], &[f64::NAN, 1.0], &[f64::MAX, f64::MIN]] {
            let scale = Scale::over(values, 10.0, 90.0, 4);
            assert!(values.iter().all(|v| scale.place(*v).is_finite()), "{values:?}");
        }
    }
}
