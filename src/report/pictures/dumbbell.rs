//! The first run of a command against the last, row by row, where the rows are too many for a sentence.

use super::{Draft, series::better, spot};
use crate::{
    model::{
        article::{ArticleTable, Piece},
        picture::{Drawing, Dumbbell, Dumbbells},
        series::Trend,
    },
    report::{
        Material,
        figures::with_unit,
        phrase::flat,
        runs::{self, Reading, Repeated, Step},
    },
    text::number,
};

/// Fewer rows than this are told in a sentence.
const FEWEST: usize = 3;
/// Most rows that are drawn.
const ROWS: usize = 12;

/// See the module.
pub fn make(m: &Material) -> Vec<Draft> {
    runs::repeated(m).iter().find_map(|repeated| draft(m, repeated)).into_iter().collect()
}

/// A key with its readings in the first and in the last run.
type Both<'r> = (&'r str, &'r Reading, &'r Reading);

fn draft(m: &Material, repeated: &Repeated) -> Option<Draft> {
    let last = repeated.runs.len() - 1;
    let both = repeated.keys.iter().filter_map(|(key, readings)| {
        let (from, to) = (readings.first()?, readings.last()?);
        let ends = from.run == 0 && to.run == last && from.value.is_finite() && to.value.is_finite();
        ends.then_some((key.as_str(), from, to))
    });
    let mut both: Vec<Both> = both.collect();
    let moved = both.iter().filter(|(_, from, to)| from.value != to.value).count();
    if both.len() < FEWEST || moved < 2 {
        return None;
    }
    both.sort_by_key(|(_, from, _)| from.evidence.clone());
    let shown: Vec<Both> = telling(repeated, &both);
    let more = both.len() - shown.len();
    let (before, after) = (spot(m, repeated.runs[0]), spot(m, repeated.runs[last]));
    let by = flat(&m.findings.runs[repeated.calls[0]].by);
    let by = if by.is_empty() { String::new() } else { format!(" of {by}") };
    let rows: Vec<Dumbbell> = shown.iter().map(|(key, from, to)| row(repeated, key, from, to)).collect();
    let count = |trend: Trend| rows.iter().filter(|row| row.trend == trend).count();
    let counts = format!(
        "{} better, {} worse, {} about as before",
        count(Trend::Better),
        count(Trend::Worse),
        rows.len() - count(Trend::Better) - count(Trend::Worse)
    );
    let title = format!("First and last run{by}, messages {} and {}: {counts}", before.number, after.number);
    let description = format!(
        "One row for each figure that both runs printed, a line from its first to its last value{}; {}. {}.",
        repeated.unit.as_ref().map(|unit| format!(" in {unit}")).unwrap_or_default(),
        better(repeated.better),
        counts,
    );
    let head = vec![
        vec![Piece::Glue("figure")],
        vec![Piece::Number(before.at)],
        vec![Piece::Number(after.at)],
        vec![Piece::Glue("change")],
        vec![Piece::Glue("it is")],
    ];
    let table = both.iter().filter_map(|(key, from, to)| {
        let row = row(repeated, key, from, to);
        let phrase = m.derived("first-and-last-run").label(key, &from.evidence).cell();
        let phrase =
            phrase.figure(from.text.clone(), &from.evidence).cell().figure(to.text.clone(), &to.evidence).cell();
        let phrase = match row.change {
            Some(change) => phrase.computed(change),
            None => phrase.say("–"),
        };
        phrase.cell().word(row.trend.words()).row()
    });
    Some(Draft {
        title,
        description,
        table: ArticleTable { lead: None, head, rows: table.collect() },
        drawing: Drawing::Dumbbell(Dumbbells {
            before,
            after,
            unit: repeated.unit.clone(),
            better: repeated.better,
            rows,
            more,
        }),
    })
}

/// The rows that changed most, at most [`ROWS`], in the order in which they are printed.
fn telling<'r>(repeated: &Repeated, both: &[Both<'r>]) -> Vec<Both<'r>> {
    let size = |(key, from, to): &Both| repeated.gain(&Step { key, from, to }).ln_1p().abs();
    let mut order: Vec<usize> = (0..both.len()).collect();
    order.sort_by(|a, b| size(&both[*b]).total_cmp(&size(&both[*a])).then(a.cmp(b)));
    order.truncate(ROWS);
    order.sort_unstable();
    order.into_iter().map(|i| both[i]).collect()
}

fn row(repeated: &Repeated, key: &str, from: &Reading, to: &Reading) -> Dumbbell {
    let unit = repeated.unit.as_deref();
    Dumbbell {
        label: flat(key),
        from: from.value,
        from_text: from.text.clone(),
        to: to.value,
        to_text: with_unit(&to.text, unit),
        change: number::change_between(from.value, to.value).map(number::change),
        trend: repeated.trend(&Step { key, from, to }),
    }
}
