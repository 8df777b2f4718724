//! Speed-up over a parameter, both as multiples of the first row, by factors; growth in proportion is the dashed line.

use super::{
    axis::Scale,
    canvas::{Anchor, Canvas, MARGIN, SMALL, Shape, Stroke, TEXT, WIDTH},
    labels::{self, Labels},
    measure,
    theme::Role,
};
use crate::{model::picture::Curves, text::number};

const LEFT: f64 = 58.0;
const RIGHT: f64 = WIDTH - MARGIN - 14.0;
/// Height of the plot.
const HEIGHT: f64 = 250.0;

/// How the lines differ besides their colour.
const LOOKS: [(Role, Shape, Stroke); 3] = [
    (Role::Accent, Shape::Disc, Stroke::Solid),
    (Role::Second, Shape::Square, Stroke::Solid),
    (Role::Third, Shape::Triangle, Stroke::Solid),
];

/// Draws it.
pub fn draw(canvas: &mut Canvas, curves: &Curves) {
    legend(canvas, curves);
    let points = || curves.lines.iter().flat_map(|line| &line.points);
    let widest = points().map(|p| p.times).fold(1.0, f64::max);
    let highest = points().map(|p| p.speedup).fold(widest, f64::max);
    let lowest = points().map(|p| p.speedup).fold(1.0, f64::min);
    let (top, bottom) = (canvas.y + 12.0, canvas.y + HEIGHT);
    let (across, up) = scales((widest, lowest, highest), (top + 8.0, bottom - 10.0));
    for (value, text) in up.ticks() {
        let y = up.place(value);
        canvas.line((LEFT, y), (RIGHT, y), Role::Grid, 1.0, Stroke::Solid);
        canvas.text((LEFT - 6.0, y + 4.0), Anchor::End, Role::Muted, SMALL, &format!("{text}×"), LEFT - 8.0);
    }
    let ideal = [(across.place(1.0), up.place(1.0)), (across.place(widest), up.place(widest))];
    canvas.path(&ideal, Role::Muted, 1.5, Stroke::Dashed);
    let mut labels = Labels::within((LEFT, top - 8.0, WIDTH - 2.0, bottom));
    let lines: Vec<Vec<(f64, f64)>> = curves
        .lines
        .iter()
        .map(|line| line.points.iter().map(|p| (across.place(p.times), up.place(p.speedup))).collect())
        .collect();
    lines.iter().for_each(|line| labels.avoid_line(line));
    labels.avoid_line(&ideal);
    for (line, (role, shape, stroke)) in lines.iter().zip(LOOKS) {
        canvas.path(line, role, 2.0, stroke);
        line.iter().for_each(|point| canvas.mark(*point, shape, role, 4.5));
    }
    for (points, line) in lines.iter().zip(&curves.lines) {
        if let (Some(at), Some(point)) = (points.last(), line.points.last()) {
            labels.put(canvas, *at, &format!("{}×†", number::times(point.speedup)));
        }
    }
    levels(canvas, curves, &across, bottom);
    let how = if up.log { "Both axes by factors" } else { "Both axes" };
    canvas.note(&format!("{how}, as multiples of the first row. † computed from the printed values."));
}

/// Across and up: by factors where the parameter doubles more than twice.
fn scales((widest, lowest, highest): (f64, f64, f64), (top, bottom): (f64, f64)) -> (Scale, Scale) {
    let left = LEFT + 12.0;
    if widest <= 4.0 {
        let low = lowest.min(1.0);
        return (Scale::over(&[1.0, widest], left, RIGHT, 4), Scale::over(&[low, highest], bottom, top, 5));
    }
    let up = Scale::by_factors(lowest, highest, bottom, top).with_ticks(doublings(lowest, highest));
    (Scale::by_factors(1.0, widest, left, RIGHT), up)
}

/// What the lines are.
fn legend(canvas: &mut Canvas, curves: &Curves) {
    for (line, (role, shape, _)) in curves.lines.iter().zip(LOOKS) {
        canvas.y += 16.0;
        canvas.line((MARGIN, canvas.y - 4.0), (MARGIN + 22.0, canvas.y - 4.0), role, 2.0, Stroke::Solid);
        canvas.mark((MARGIN + 11.0, canvas.y - 4.0), shape, role, 4.5);
        canvas.text(
            (MARGIN + 30.0, canvas.y),
            Anchor::Start,
            Role::Ink,
            TEXT,
            &line.label,
            WIDTH - 2.0 * MARGIN - 30.0,
        );
    }
    canvas.y += 16.0;
    canvas.line((MARGIN, canvas.y - 4.0), (MARGIN + 22.0, canvas.y - 4.0), Role::Muted, 1.5, Stroke::Dashed);
    let ideal = format!("ideal: in proportion to {}", curves.parameter);
    canvas.text((MARGIN + 30.0, canvas.y), Anchor::Start, Role::Muted, SMALL, &ideal, WIDTH - 2.0 * MARGIN - 30.0);
}

/// 1, 2, 4 … as far as they reach; every second or third where they are many.
fn doublings(low: f64, high: f64) -> Vec<f64> {
    let (from, to) = (low.log2().ceil() as i32, high.log2().floor() as i32);
    let step = ((to - from) / 6 + 1).max(1) as usize;
    (from..=to).step_by(step).map(|power| 2f64.powi(power)).collect()
}

/// The parameter as it is printed, below its points.
fn levels(canvas: &mut Canvas, curves: &Curves, across: &Scale, bottom: f64) {
    canvas.y = bottom + 16.0;
    let points = &curves.lines[0].points;
    let places: Vec<(f64, f64)> =
        points.iter().map(|p| (across.place(p.times), measure::width(&p.level, SMALL))).collect();
    for i in labels::apart(&places, 8.0) {
        canvas.line((places[i].0, bottom), (places[i].0, bottom + 4.0), Role::Muted, 1.0, Stroke::Solid);
        canvas.text((places[i].0, canvas.y), Anchor::Middle, Role::Muted, SMALL, &points[i].level, 90.0);
    }
    canvas.y += 17.0;
    let name = format!("{} (message {})", curves.parameter, curves.at.number);
    canvas.text(((LEFT + RIGHT) / 2.0, canvas.y), Anchor::Middle, Role::Ink, SMALL, &name, RIGHT - LEFT);
}
