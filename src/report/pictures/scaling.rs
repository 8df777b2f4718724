//! How the figures of a sweep grow with its parameter, as multiples of the first row, against growth in proportion.
//! Only where more is hoped for: throughput that rises, or a time that falls, with what is put in.

use super::{Draft, spot};
use crate::{
    model::{
        article::{ArticleRow, ArticleTable, Piece},
        metric::{MetricTable, Scaling},
        picture::{Curve, CurvePoint, Curves, Drawing},
    },
    report::{Material, figures, phrase::flat},
    text::number,
};

/// Fewer levels than this are told in a sentence.
const FEWEST: usize = 3;
/// Most lines of a picture.
const LINES: usize = 3;
/// A parameter that grows by less than this is told in a sentence.
const NARROWEST: f64 = 3.0;
/// A parameter that grows by more than this is no resource that speed could be in proportion to.
const WIDEST: f64 = 4096.0;

/// See the module.
pub fn make(m: &Material) -> Vec<Draft> {
    figures::sweeps(m).iter().rev().find_map(|sweep| draft(m, sweep)).into_iter().collect()
}

fn draft(m: &Material, sweep: &figures::Sweep) -> Option<Draft> {
    let table = &sweep.placed.table;
    let of = |metric: usize| {
        let at = |s: &&Scaling| std::ptr::eq(&m.facts.tables[s.table], sweep.placed) && s.metric == metric;
        m.findings.scaling.iter().find(at)
    };
    let scalings = sweep.metrics.iter().filter_map(|(metric, ..)| of(*metric));
    let mut lines: Vec<(&Scaling, Curve)> = Vec::new();
    for line in scalings.filter_map(|s| Some((s, curve(table, s)?))) {
        // A rate and the time that it follows from are one line.
        if lines.len() < LINES && lines.iter().all(|(_, kept)| !same(kept, &line.1)) {
            lines.push(line);
        }
    }
    let (first, _) = lines.first()?;
    let parameter = flat(&table.columns[first.parameter].name);
    let at = spot(m, sweep.placed.at.message);
    let (from, to) = (lines[0].1.points.first()?, lines[0].1.points.last()?);
    let title = format!(
        "{} over {parameter}: {} at {}, {} at {}, a speed-up of {}×† where {}×† would be in proportion",
        lines[0].1.label,
        from.text,
        from.level,
        to.text,
        to.level,
        number::times(to.speedup),
        number::times(to.times).trim_end_matches(".0"),
    );
    let description = format!(
        "Speed-up against {parameter}, both as multiples of the first row of the table in message {}; the dashed line is growth in proportion.",
        at.number
    );
    let (head, rows) = rows(m, sweep, &lines);
    let curves = Curves { at, parameter, lines: lines.into_iter().map(|(_, curve)| curve).collect() };
    Some(Draft {
        title,
        description,
        drawing: Drawing::Scaling(curves),
        table: ArticleTable { lead: None, head, rows },
    })
}

/// Whether two figures grow alike at every level.
fn same(a: &Curve, b: &Curve) -> bool {
    let near = |(a, b): (&CurvePoint, &CurvePoint)| (a.speedup / b.speedup - 1.0).abs() < 0.03;
    a.points.len() == b.points.len() && a.points.iter().zip(&b.points).all(near)
}

fn heading(table: &MetricTable, column: usize) -> String {
    let column = &table.columns[column];
    match &column.unit {
        Some(unit) if !column.name.contains(unit.as_str()) => flat(&format!("{}, {unit}", column.name)),
        _ => flat(&column.name),
    }
}

fn curve(table: &MetricTable, scaling: &Scaling) -> Option<Curve> {
    let rows = table.rows.iter().zip(scaling.speedups(table)).skip(scaling.rows.0);
    let points: Vec<CurvePoint> = rows
        .filter_map(|(row, speedup)| {
            let (speedup, efficiency) = speedup?;
            let times = speedup / efficiency;
            let (level, text) = (flat(&row[scaling.parameter].text), flat(&row[scaling.metric].text));
            (speedup.is_finite() && times.is_finite()).then_some(CurvePoint { level, times, speedup, text })
        })
        .collect();
    let last = points.last()?;
    let hoped_for = last.speedup > 1.0 && points.iter().all(|p| p.speedup > 0.5);
    let resource = (NARROWEST..=WIDEST).contains(&last.times) && last.speedup <= 2.0 * last.times;
    (points.len() >= FEWEST && hoped_for && resource).then_some(Curve { label: heading(table, scaling.metric), points })
}

/// One row for each level: the figures as printed, and the speed-up.
fn rows(m: &Material, sweep: &figures::Sweep, lines: &[(&Scaling, Curve)]) -> (Vec<Vec<Piece>>, Vec<ArticleRow>) {
    let table = &sweep.placed.table;
    let mut head = vec![vec![Piece::Plain(heading(table, sweep.parameter))]];
    for (scaling, _) in lines {
        head.extend([vec![Piece::Plain(heading(table, scaling.metric))], vec![Piece::Glue("speed-up")]]);
    }
    head.push(vec![Piece::Glue("msg")]);
    let speedups: Vec<Vec<Option<(f64, f64)>>> = lines.iter().map(|(s, _)| s.speedups(table)).collect();
    let cite = |row: usize, column: usize| figures::cell(m.session, sweep.placed, &table.rows[row][column]);
    let first = lines[0].0.rows.0;
    let row = |at: usize| {
        let level =
            m.derived("sweep-speedup").figure(flat(&table.rows[at][sweep.parameter].text), &cite(at, sweep.parameter));
        let phrase = lines.iter().enumerate().fold(level, |p, (line, (scaling, _))| {
            let p = p.cell().figure(flat(&table.rows[at][scaling.metric].text), &cite(at, scaling.metric)).cell();
            match speedups[line][at] {
                Some((speedup, _)) => p.computed(number::times(speedup)),
                None => p.say("–"),
            }
        });
        phrase.cell().number(sweep.placed.at.message).row()
    };
    (head, (first..table.rows.len()).filter_map(row).collect())
}
