//! Figures over the runs of one command: a panel for each, changes marked below them.

use super::{
    axis::Scale,
    canvas::{Anchor, Canvas, LINE, MARGIN, SMALL, Shape, Stroke, TEXT, WIDTH},
    labels::{self, Labels},
    measure,
    theme::Role,
};
use crate::model::{
    metric::Direction,
    picture::{Panel, RunSeries},
};

/// Where the plot begins: left of it stand the values of the axis.
const LEFT: f64 = 62.0;
/// Where it ends.
const RIGHT: f64 = WIDTH - MARGIN - 4.0;
/// Height of a panel, and of one of several.
const TALL: f64 = 170.0;
const LOW: f64 = 110.0;
/// Room between the frame and the first and last run.
const PAD: f64 = 26.0;

/// Draws it.
pub fn draw(canvas: &mut Canvas, series: &RunSeries) {
    let top = canvas.y;
    for one in &series.panels {
        panel(canvas, series, one, if series.panels.len() == 1 { TALL } else { LOW });
    }
    changes(canvas, series, top);
    runs(canvas, series);
    key(canvas, series);
}

/// Runs are equally far apart.
fn place(series: &RunSeries, run: usize) -> f64 {
    let (left, right) = (LEFT + PAD, RIGHT - PAD);
    match series.runs.len() {
        0 | 1 => (left + right) / 2.0,
        n => left + (right - left) * run as f64 / (n - 1) as f64,
    }
}

fn panel(canvas: &mut Canvas, series: &RunSeries, panel: &Panel, height: f64) {
    canvas.y += 16.0;
    let unit = panel.unit.as_ref().map(|u| format!(", {u}")).unwrap_or_default();
    let values: Vec<f64> = panel.readings.iter().map(|r| r.value).collect();
    let (top, bottom) = (canvas.y + 8.0, canvas.y + height);
    let scale = Scale::over(&values, bottom - 14.0, top + 14.0, 4);
    let how = match panel.better {
        Direction::Higher => "↑ higher is better",
        Direction::Lower => "↓ lower is better",
    };
    let how = match (scale.log, scale.from_zero()) {
        (true, _) => format!("{how}; axis by factors"),
        (false, true) => how.to_string(),
        (false, false) => format!("{how}; axis not from zero"),
    };
    let room = measure::width(&how, SMALL);
    canvas.text(
        MARGIN,
        canvas.y,
        Anchor::Start,
        Role::Ink,
        TEXT,
        &format!("{}{unit}", panel.label),
        WIDTH - 2.0 * MARGIN - room - 12.0,
    );
    canvas.text(RIGHT, canvas.y, Anchor::End, Role::Muted, SMALL, &how, room + 1.0);
    for (value, text) in scale.ticks() {
        let y = scale.place(value);
        canvas.line((LEFT, y), (RIGHT, y), Role::Grid, 1.0, Stroke::Solid);
        canvas.text(LEFT - 6.0, y + 4.0, Anchor::End, Role::Muted, SMALL, &text, LEFT - 8.0);
    }
    let points: Vec<(f64, f64)> = panel.readings.iter().map(|r| (place(series, r.run), scale.place(r.value))).collect();
    canvas.path(&points, Role::Accent, 2.0, Stroke::Solid);
    let mut labels = Labels::within((LEFT, top - 2.0, RIGHT + 4.0, bottom + 2.0));
    points.iter().for_each(|p| labels.avoid(*p));
    let (best, last) = (panel.best(), panel.readings.len() - 1);
    for (i, point) in points.iter().enumerate() {
        match i {
            i if i == best => canvas.mark(*point, Shape::Diamond, Role::Second, 5.5),
            0 => canvas.mark(*point, Shape::Ring, Role::Accent, 4.5),
            _ => canvas.mark(*point, Shape::Disc, Role::Accent, if i == last { 4.5 } else { 3.0 }),
        }
    }
    let first_of_all = |i: &usize| [0, last, best].iter().position(|k| k == i).unwrap_or(3);
    let mut named = vec![0, last, best];
    named.dedup();
    named.sort_by_key(first_of_all);
    named.dedup();
    for i in named {
        let words: Vec<&str> =
            [(0, "first"), (best, "best"), (last, "latest")].iter().filter(|(k, _)| *k == i).map(|(_, w)| *w).collect();
        let reading = &panel.readings[i];
        let full = format!("{} {}", words.join(", "), reading.text);
        if !labels.put(canvas, points[i], Role::Ink, &full) {
            labels.put(canvas, points[i], Role::Ink, &reading.text);
        }
    }
    canvas.y = bottom + 2.0;
}

/// A dashed line before each run that something was changed before, with the letter that the key explains.
fn changes(canvas: &mut Canvas, series: &RunSeries, top: f64) {
    let mut runs: Vec<usize> = series.changes.iter().map(|c| c.run).collect();
    runs.dedup();
    if runs.is_empty() {
        return;
    }
    canvas.y += 12.0;
    let mut end = f64::MIN;
    for run in runs {
        let before = place(series, run.saturating_sub(1));
        let x = (before + place(series, run)) / 2.0;
        canvas.line((x, top + 20.0), (x, canvas.y - 9.0), Role::Muted, 1.0, Stroke::Dotted);
        let letter = letter(series, run);
        if x - 10.0 >= end {
            canvas.badge((x, canvas.y), &letter);
            end = x + 10.0;
        }
    }
    canvas.y += 8.0;
}

/// The letter of the changes before a run.
fn letter(series: &RunSeries, run: usize) -> String {
    let mut runs: Vec<usize> = series.changes.iter().map(|c| c.run).collect();
    runs.dedup();
    let at = runs.iter().position(|r| *r == run).unwrap_or(0);
    char::from(b'a' + (at % 26) as u8).to_string()
}

/// The messages of the runs.
fn runs(canvas: &mut Canvas, series: &RunSeries) {
    canvas.y += 15.0;
    let places: Vec<(f64, f64)> = series
        .runs
        .iter()
        .enumerate()
        .map(|(i, spot)| (place(series, i), measure::width(&spot.number.to_string(), SMALL)))
        .collect();
    for i in labels::apart(&places, 8.0) {
        canvas.text(
            places[i].0,
            canvas.y,
            Anchor::Middle,
            Role::Muted,
            SMALL,
            &series.runs[i].number.to_string(),
            90.0,
        );
    }
    canvas.text(MARGIN, canvas.y, Anchor::Start, Role::Muted, SMALL, "message", LEFT - MARGIN);
}

fn key(canvas: &mut Canvas, series: &RunSeries) {
    canvas.y += 8.0;
    for (i, change) in series.changes.iter().enumerate() {
        canvas.y += LINE + 1.0;
        let letter = letter(series, change.run);
        if i == 0 || series.changes[i - 1].run != change.run {
            canvas.badge((MARGIN + 9.0, canvas.y - 4.0), &letter);
        }
        let text = format!("message {}: {}", change.at.number, change.what);
        canvas.text(MARGIN + 26.0, canvas.y, Anchor::Start, Role::Ink, SMALL, &text, WIDTH - 2.0 * MARGIN - 26.0);
    }
    if series.more_changes > 0 {
        canvas.note(&format!("and {} more changes", series.more_changes));
    }
}
