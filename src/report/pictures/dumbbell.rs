//! The first run of a command against the last, row by row, where the rows are too many for a sentence.

use super::{Draft, agrees, series::better, spot};
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

/// Fewer rows than this are told in a sentence; over three runs or more, by the lines of a series.
const FEWEST: usize = 3;
const FEWEST_BESIDE_SERIES: usize = 5;
/// Fewer rows that went somewhere are told in a sentence.
const MOVED: usize = 2;
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
        let ends = from.run == 0 && to.run == last;
        let once = readings.windows(2).all(|pair| pair[0].run < pair[1].run);
        let printed = agrees(&from.text, from.value) && agrees(&to.text, to.value);
        (ends && once && printed).then_some((key.as_str(), from, to))
    });
    let mut both: Vec<Both> = both.collect();
    let beyond =
        |(key, from, to): &Both| matches!(repeated.trend(&Step { key, from, to }), Trend::Better | Trend::Worse);
    let fewest = if repeated.runs.len() < 3 { FEWEST } else { FEWEST_BESIDE_SERIES };
    if both.len() < fewest || both.iter().filter(|row| beyond(row)).count() < MOVED {
        return None;
    }
    both.sort_by_key(|(_, from, _)| from.evidence.clone());
    let shown: Vec<Both> = telling(repeated, &both);
    let more = both.len() - shown.len();
    let (before, after) = (spot(m, repeated.runs[0]), spot(m, repeated.runs[last]));
    let by = flat(&m.findings.runs[repeated.calls[0]].by);
    let by = if by.is_empty() { String::new() } else { format!("{by}, ") };
    let rows: Vec<Dumbbell> = shown.iter().map(|(key, from, to)| row(repeated, key, from, to)).collect();
    let counts = counts(repeated, &both);
    let title = format!("{by}message {} against {}: {counts}", after.number, before.number);
    let unit = repeated.unit.as_ref().map(|unit| format!(" in {unit}")).unwrap_or_default();
    let description = format!(
        "One row for each figure that both runs printed, a line from the value in message {} to that in message {}{unit}; \
         {}. Of {}: {counts}.",
        before.number,
        after.number,
        better(repeated.better),
        number::count(both.len(), "figure", "figures"),
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
        phrase.cell().word(word(row.trend)).row()
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

/// `5 better, 11 about as before`.
fn counts(repeated: &Repeated, both: &[Both]) -> String {
    let trends: Vec<Trend> = both.iter().map(|(key, from, to)| repeated.trend(&Step { key, from, to })).collect();
    let count = |trend: Trend| (trends.iter().filter(|t| **t == trend).count(), word(trend));
    let all = [Trend::Better, Trend::Worse, Trend::WithinSpread, Trend::CannotTell].map(count);
    let shown: Vec<String> = all.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    shown.join(", ")
}

/// Which way a figure went: what repeats are known to vary by, or may, is no difference.
fn word(trend: Trend) -> &'static str {
    match trend {
        Trend::WithinSpread => "about as before",
        other => other.words(),
    }
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
        verdict: word(repeated.trend(&Step { key, from, to })),
    }
}
