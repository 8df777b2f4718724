//! Two runs, row by row: a ring for the earlier value, a disc for the later one, an arrow of a line between them.

use super::{
    axis::Scale,
    canvas::{Anchor, Canvas, MARGIN, SMALL, Shape, Stroke, WIDTH},
    labels, measure,
    theme::Role,
};
use crate::model::{
    metric::Direction,
    picture::{Dumbbell, Dumbbells},
    series::Trend,
};

/// Edges of the rows.
const LEFT: f64 = MARGIN + 6.0;
const RIGHT: f64 = WIDTH - MARGIN - 6.0;
/// From the text of a row to its line, and from there to the next row.
const DOWN: f64 = 11.0;
const GAP: f64 = 9.0;

/// Draws it.
pub fn draw(canvas: &mut Canvas, dumbbells: &Dumbbells) {
    let values: Vec<f64> = dumbbells.rows.iter().flat_map(|r| [r.from, r.to]).collect();
    let scale = Scale::over(&values, LEFT, RIGHT, 4);
    // The labels below the first and last tick must not be cut at the edges.
    let widest = scale.ticks().iter().map(|(_, text)| measure::width(text, SMALL)).fold(0.0, f64::max);
    let inset = (widest / 2.0 - 8.0).clamp(0.0, 60.0);
    let scale = Scale::over(&values, LEFT + inset, RIGHT - inset, 4);
    legend(canvas, dumbbells, &scale);
    for row in &dumbbells.rows {
        draw_row(canvas, row, &scale);
    }
    axis(canvas, dumbbells, &scale);
    if dumbbells.more > 0 {
        canvas.note(&format!("and {} more, which changed less", dumbbells.more));
    }
}

fn legend(canvas: &mut Canvas, dumbbells: &Dumbbells, scale: &Scale) {
    canvas.y += 14.0;
    let y = canvas.y - 4.0;
    canvas.mark((LEFT, y), Shape::Ring, Role::Muted, 4.5);
    let before = format!("message {}", dumbbells.before.number);
    canvas.text((LEFT + 10.0, canvas.y), Anchor::Start, Role::Muted, SMALL, &before, 140.0);
    let x = LEFT + 30.0 + measure::width(&before, SMALL);
    canvas.mark((x, y), Shape::Disc, Role::Muted, 5.0);
    canvas.text(
        (x + 10.0, canvas.y),
        Anchor::Start,
        Role::Muted,
        SMALL,
        &format!("message {}", dumbbells.after.number),
        140.0,
    );
    let how = match dumbbells.better {
        Direction::Higher => "→ higher is better",
        Direction::Lower => "← lower is better",
    };
    let how = if scale.log { format!("{how}; axis by factors") } else { how.to_string() };
    canvas.text((RIGHT + 6.0, canvas.y), Anchor::End, Role::Muted, SMALL, &how, 260.0);
    canvas.y += 6.0;
}

fn draw_row(canvas: &mut Canvas, row: &Dumbbell, scale: &Scale) {
    let role = match row.trend {
        Trend::Better => Role::Third,
        Trend::Worse => Role::Second,
        Trend::WithinSpread | Trend::CannotTell => Role::Muted,
    };
    let change = row.change.as_ref().map(|c| format!(", {c}†")).unwrap_or_default();
    let values = format!("{} → {}{change}, {}", row.from_text, row.to_text, row.verdict);
    let (own, room) = (measure::width(&row.label, SMALL), measure::width(&values, SMALL));
    canvas.y += 16.0;
    canvas.text((MARGIN, canvas.y), Anchor::Start, Role::Ink, SMALL, &row.label, WIDTH - 2.0 * MARGIN);
    // A long name has a line of its own.
    canvas.y += if own + room + 14.0 > WIDTH - 2.0 * MARGIN { 16.0 } else { 0.0 };
    canvas.text((RIGHT + 6.0, canvas.y), Anchor::End, Role::Ink, SMALL, &values, WIDTH - 2.0 * MARGIN);
    let y = canvas.y + DOWN;
    let (from, to) = (scale.place(row.from), scale.place(row.to));
    canvas.line((LEFT, y), (RIGHT, y), Role::Grid, 1.0, Stroke::Solid);
    for (value, _) in scale.ticks() {
        let x = scale.place(value);
        canvas.line((x, y - 4.0), (x, y + 4.0), Role::Grid, 1.0, Stroke::Solid);
    }
    canvas.line((from, y), (to, y), role, 3.0, if row.trend == Trend::Worse { Stroke::Dashed } else { Stroke::Solid });
    canvas.mark((from, y), Shape::Ring, role, 4.5);
    canvas.mark((to, y), Shape::Disc, role, 5.5);
    canvas.y = y + GAP;
}

fn axis(canvas: &mut Canvas, dumbbells: &Dumbbells, scale: &Scale) {
    canvas.y += 14.0;
    let ticks = scale.ticks();
    let width = |text: &str| measure::width(text, SMALL);
    let places: Vec<(f64, f64)> = ticks.iter().map(|(v, text)| (scale.place(*v), width(text))).collect();
    for i in labels::apart(&places, 8.0) {
        canvas.text((places[i].0, canvas.y), Anchor::Middle, Role::Muted, SMALL, &ticks[i].1, 90.0);
    }
    let from_zero = if scale.begins_at_zero() || scale.log { "" } else { "; the axis does not begin at zero" };
    let unit = dumbbells.unit.as_ref().map(|u| format!("In {u}. ")).unwrap_or_default();
    canvas.note(&format!("{unit}† computed from the two printed values{from_zero}."));
}
