//! Figures over the runs of one command: a panel for each, changes marked below them.

use std::collections::BTreeSet;

use super::{
    axis::Scale,
    canvas::{Anchor, Canvas, LINE, MARGIN, SMALL, Shape, Stroke, TEXT, WIDTH},
    labels::{self, Labels},
    measure,
    theme::Role,
};
use crate::{
    model::{
        metric::Direction,
        picture::{Panel, RunSeries},
    },
    text::number,
};

/// Where the plot begins: left of it stand the values of the axis.
const LEFT: f64 = 62.0;
/// Where it ends.
const RIGHT: f64 = WIDTH - MARGIN - 4.0;
/// Height of a panel, and of one of several.
const TALL: f64 = 180.0;
const LOW: f64 = 118.0;
/// Room between the frame and the first and last run.
const PAD: f64 = 38.0;

/// Draws it.
pub fn draw(canvas: &mut Canvas, series: &RunSeries) {
    for one in &series.panels {
        panel(canvas, series, one, if series.panels.len() == 1 { TALL } else { LOW });
    }
    changes(canvas, series);
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
    let scale = Scale::over(&values, bottom - 16.0, top + 20.0, 4);
    let how = match panel.better {
        Direction::Higher => "↑ higher is better",
        Direction::Lower => "↓ lower is better",
    };
    let how = match (scale.log, scale.begins_at_zero()) {
        (true, _) => format!("{how}; axis by factors"),
        (false, true) => how.to_string(),
        (false, false) => format!("{how}; axis not from zero"),
    };
    let room = measure::width(&how, SMALL);
    canvas.text(
        (MARGIN, canvas.y),
        Anchor::Start,
        Role::Ink,
        TEXT,
        &format!("{}{unit}", panel.label),
        WIDTH - 2.0 * MARGIN - room - 12.0,
    );
    canvas.text((RIGHT, canvas.y), Anchor::End, Role::Muted, SMALL, &how, room + 1.0);
    for (value, text) in scale.ticks() {
        let y = scale.place(value);
        canvas.line((LEFT, y), (RIGHT, y), Role::Grid, 1.0, Stroke::Solid);
        canvas.text((LEFT - 6.0, y + 4.0), Anchor::End, Role::Muted, SMALL, &text, LEFT - 8.0);
    }
    let points: Vec<(f64, f64)> = panel.readings.iter().map(|r| (place(series, r.run), scale.place(r.value))).collect();
    for run in changed(series) {
        let x = between(series, run);
        canvas.line((x, top), (x, bottom + 4.0), Role::Muted, 1.0, Stroke::Dotted);
    }
    canvas.path(&points, Role::Accent, 2.0, Stroke::Solid);
    let mut labels = Labels::within((LEFT, top - 2.0, RIGHT + 4.0, bottom + 2.0));
    labels.avoid_line(&points);
    let (best, last) = (panel.best(), panel.readings.len() - 1);
    for (i, point) in points.iter().enumerate() {
        match i {
            i if i == best => canvas.mark(*point, Shape::Diamond, Role::Second, 5.5),
            0 => canvas.mark(*point, Shape::Ring, Role::Accent, 4.5),
            _ => canvas.mark(*point, Shape::Disc, Role::Accent, if i == last { 4.5 } else { 3.0 }),
        }
    }
    let named = BTreeSet::from([0, last, best]);
    for i in named {
        let words: Vec<&str> =
            [(0, "first"), (best, "best"), (last, "latest")].iter().filter(|(k, _)| *k == i).map(|(_, w)| *w).collect();
        let reading = &panel.readings[i];
        let full = format!("{} {}", words.join(", "), reading.text);
        if !labels.put(canvas, points[i], &full) {
            labels.put(canvas, points[i], &reading.text);
        }
    }
    canvas.y = bottom + 2.0;
}

/// A letter before each run that something was changed before; the key explains it.
fn changes(canvas: &mut Canvas, series: &RunSeries) {
    if series.changes.is_empty() {
        return;
    }
    canvas.y += 12.0;
    let mut end = f64::MIN;
    for run in changed(series) {
        let x = between(series, run);
        if x - 10.0 >= end {
            canvas.badge((x, canvas.y), &letter(series, run));
            end = x + 10.0;
        }
    }
    canvas.y += 8.0;
}

/// Runs that something was changed before.
fn changed(series: &RunSeries) -> Vec<usize> {
    let mut runs: Vec<usize> = series.changes.iter().map(|c| c.run).collect();
    runs.dedup();
    runs
}

/// Half-way from the run before to a run.
fn between(series: &RunSeries, run: usize) -> f64 {
    (place(series, run.saturating_sub(1)) + place(series, run)) / 2.0
}

/// The letter of the changes before a run.
fn letter(series: &RunSeries, run: usize) -> String {
    let at = changed(series).iter().position(|r| *r == run).unwrap_or(0);
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
            (places[i].0, canvas.y),
            Anchor::Middle,
            Role::Muted,
            SMALL,
            &series.runs[i].number.to_string(),
            90.0,
        );
    }
    canvas.text((MARGIN, canvas.y), Anchor::Start, Role::Muted, SMALL, "msg", LEFT - MARGIN);
}

/// What was changed, a line for each kind of change with the letters of the runs before which it was made.
fn key(canvas: &mut Canvas, series: &RunSeries) {
    canvas.y += 8.0;
    let mut lines: Vec<(String, Vec<usize>)> = Vec::new();
    for run in changed(series) {
        let what: Vec<&str> = series.changes.iter().filter(|c| c.run == run).map(|c| c.what.as_str()).collect();
        let what = what.join(", ");
        match lines.iter_mut().find(|line| line.0 == what) {
            Some(line) => line.1.push(run),
            None => lines.push((what, vec![run])),
        }
    }
    for (what, runs) in lines {
        canvas.y += LINE + 2.0;
        let mut x = MARGIN + 9.0;
        for run in &runs {
            canvas.badge((x, canvas.y - 4.0), &letter(series, *run));
            x += 19.0;
        }
        let made = series.changes.iter().filter(|c| runs.contains(&c.run));
        let messages: Vec<String> = made.map(|c| c.at.number.to_string()).collect();
        let text = format!("{what} (msg {})", messages.join(", "));
        canvas.text((x - 2.0, canvas.y), Anchor::Start, Role::Ink, SMALL, &text, WIDTH - MARGIN - x);
    }
    if series.more_changes > 0 {
        canvas.note(&format!("and {} later", number::count(series.more_changes, "change", "changes")));
    }
}
