//! A figure where a rule says that one stands.

use std::ops::Range;

use super::rule::{Better, Give};
use crate::{
    base::unit::{Decimal, Quantity, Unit, lookup, number},
    extract::bench::{
        cell::{self, Reading},
        clean::Page,
        figure,
        words::SECONDARY,
    },
    model::metric::{Measurement, Value},
};

/// A number with the unit printed behind it, whatever word that is; else the unit that is given. `None` where the text
/// breaks off inside it.
pub fn quantity(page: &Page, line: usize, range: Range<usize>, name: &str, unit: &str) -> Option<Measurement> {
    let text = page.text(line).get(range.clone())?;
    let (reading, word) = read(text)?;
    let cut = breaks_off(page, line, range.end) && (reading.unit.is_none() || !word.is_empty());
    (!cut).then(|| measurement(page, line, range.start, name, &reading, word, unit))
}

impl Give {
    /// The measurement that it is where it stands.
    pub fn at(&self, page: &Page, line: usize, range: Range<usize>) -> Option<Measurement> {
        quantity(page, line, range, self.name, self.unit).map(|one| self.told(one))
    }

    /// What the rule says of a figure.
    pub(super) fn told(&self, mut one: Measurement) -> Measurement {
        if !self.stat.is_empty() {
            one.stat = Some(self.stat.to_string());
        }
        one.better = match self.better {
            Better::Told(better) => better,
            Better::ByName => one.better.filter(|_| !self.derived && !SECONDARY.contains(&self.stat)),
        };
        one.derived = self.derived;
        one
    }
}

/// The figure in a stretch, and the word behind it that is no unit known.
pub(super) fn read(text: &str) -> Option<(Reading, &str)> {
    if cell::is_broken(text) {
        return None;
    }
    if let Some(reading) = cell::read(text, Decimal::Point).or_else(|| clock(text)) {
        return Some((reading, ""));
    }
    let body = text.trim();
    let start = text.len() - text.trim_start().len();
    let (value, len) = number(body, Decimal::Point)?;
    let word = body[len..].trim();
    let unit = lookup(word);
    let word = if unit.is_some() { "" } else { word };
    Some((Reading { value, unit, at: start..start + len, ..Reading::default() }, word))
}

/// A measurement of a reading in a stretch that begins at `from`: in the printed unit, else in the one that is given.
pub(super) fn measurement(
    page: &Page,
    line: usize,
    from: usize,
    name: &str,
    reading: &Reading,
    word: &str,
    unit: &str,
) -> Measurement {
    let known = match &reading.unit {
        Some(printed) if unit.starts_with('/') => lookup(&format!("{}{unit}", printed.token)),
        Some(printed) => Some(printed.clone()),
        None => unit_of(unit).filter(|_| word.is_empty()),
    };
    let at = from + reading.at.start..from + reading.at.end;
    let mut one = figure::measurement(page, line, at, name, known, reading);
    let spelled = if word.is_empty() { unit } else { word };
    one.unit = one.unit.or_else(|| Some(spelled.to_string()).filter(|s| !s.is_empty() && !s.starts_with('/')));
    one
}

/// Whether the text ends just here without the end of a line: what stands before it may go on.
pub fn breaks_off(page: &Page, line: usize, end: usize) -> bool {
    page.open && line + 1 == page.lines.len() && end >= page.text(line).len()
}

/// Drops the last figure where it has fewer decimals than the one of its unit before it.
pub(super) fn drop_cut(metrics: &mut Vec<Measurement>) {
    let Some((last, before)) = metrics.split_last() else { return };
    let above = before.iter().rev().find(|m| m.unit == last.unit).map(|m| m.text.as_str());
    if cell::looks_cut(&last.text, above) {
        metrics.pop();
    }
}

/// The unit of a spelling; `1/s` is that of things that have no name.
fn unit_of(spelling: &str) -> Option<Unit> {
    match spelling {
        "1/s" => Some(Unit { token: "1/s".into(), dimension: "1/s".into(), factor: 1.0 }),
        named => lookup(named),
    }
}

/// A setting's value: a number where all of it is one.
pub fn value_of(text: &str) -> Value {
    let text = text.trim().trim_matches('"');
    match number(text, Decimal::Point) {
        Some((value, len)) if len == text.len() => Value::Number(value),
        _ => Value::Text(text.to_string()),
    }
}

/// The name of the parameter that says what was measured.
pub(super) const NAME: &str = "benchmark";

/// The parameter that a named group holds: a number where all of it is one; names stay as they are.
pub(super) fn parameter(name: &str, text: &str) -> Value {
    let text = text.trim();
    match Quantity::whole(text, Decimal::Point).filter(|q| q.unit.is_none()) {
        Some(q) if name != NAME => Value::Number(q.value),
        _ => Value::Text(text.to_string()),
    }
}

/// `99.50` as `99.5`.
pub fn plain(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

/// `0:01.50`, `1:02:03`: seconds.
fn clock(text: &str) -> Option<Reading> {
    let body = text.trim();
    if !body.bytes().all(|b| b.is_ascii_digit() || matches!(b, b':' | b'.')) || !body.contains(':') {
        return None;
    }
    let mut seconds = 0.0;
    for part in body.split(':') {
        seconds = seconds * 60.0 + part.parse::<f64>().ok()?;
    }
    let decimals = body.split_once('.').map_or(0, |(_, d)| d.len());
    let lead = text.len() - text.trim_start().len();
    let value = format!("{seconds:.9}").parse().ok()?;
    Some(Reading { value, unit: lookup("s"), decimals, at: lead..lead + body.len(), ..Reading::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_and_settings() {
        assert_eq!(clock("1:02.5").map(|r| r.value), Some(62.5));
        assert_eq!(clock("1:02:03").map(|r| r.value), Some(3723.0));
        assert_eq!(clock("12.5").map(|r| r.value), None);
        assert_eq!(value_of("16"), Value::Number(16.0));
        assert_eq!(value_of("4k"), Value::Text("4k".into()));
        assert_eq!(read("4.0 widgets").map(|(r, word)| (r.value, word)), Some((4.0, "widgets")));
    }
}
