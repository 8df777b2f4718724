//! The session over its messages: what it was at, where it turned, what became of its tasks.

use super::{
    canvas::{Anchor, Canvas, LINE, MARGIN, SMALL, Shape, Stroke, TEXT, WIDTH},
    labels, measure,
    theme::Role,
};
use crate::model::{
    picture::{JobRow, Spot, Strip, TaskRow},
    todo::TodoStatus,
};

/// Where the axis begins: left of it stand names and final states.
const LEFT: f64 = 98.0;
/// Where it ends.
const RIGHT: f64 = WIDTH - MARGIN - 6.0;
/// Height of a row of phases.
const ROW: f64 = 19.0;
/// Height of a lane: its name above, its line below.
const LANE: f64 = 31.0;
/// From one badge to the next in a row.
const BADGE: f64 = 19.0;

/// Draws it.
pub fn draw(canvas: &mut Canvas, strip: &Strip) {
    let axis = Axis(strip);
    turns(canvas, strip, &axis);
    phases(canvas, strip, &axis);
    ticks(canvas, strip, &axis);
    if !strip.tasks.is_empty() {
        section(canvas, "Tasks of the agent's own lists", &more(strip.more_tasks));
        strip.tasks.iter().for_each(|task| lane_of_task(canvas, task, &axis));
        key_of_tasks(canvas, &strip.tasks);
    }
    if !strip.jobs.is_empty() {
        section(canvas, "Services and background jobs", &more(strip.more_jobs));
        strip.jobs.iter().for_each(|job| lane_of_job(canvas, job, &axis));
        key_of_jobs(canvas, &strip.jobs);
    }
    key_of_turns(canvas, strip);
}

/// From messages to places: all are equally wide.
struct Axis<'a>(&'a Strip);

impl Axis<'_> {
    fn start(&self, spot: Spot) -> f64 {
        let all = f64::from(self.0.to.at.0 + 1 - self.0.from.at.0);
        LEFT + (RIGHT - LEFT) * f64::from(spot.at.0.saturating_sub(self.0.from.at.0)) / all
    }

    fn middle(&self, spot: Spot) -> f64 {
        (self.start(spot) + self.end(spot)) / 2.0
    }

    fn end(&self, spot: Spot) -> f64 {
        let all = f64::from(self.0.to.at.0 + 1 - self.0.from.at.0);
        (self.start(spot) + (RIGHT - LEFT) / all).min(RIGHT)
    }
}

fn more(n: usize) -> String {
    if n == 0 { String::new() } else { format!(" (and {n} more)") }
}

/// Badges over the phases, in as many rows as keep them apart.
fn turns(canvas: &mut Canvas, strip: &Strip, axis: &Axis) {
    if strip.turns.is_empty() {
        return;
    }
    let mut order: Vec<(f64, usize)> = strip.turns.iter().map(|t| (axis.middle(t.at), t.rank)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut ends: Vec<f64> = Vec::new();
    let mut placed = Vec::new();
    for (x, rank) in order {
        let row = ends.iter().position(|end| end + BADGE <= x).unwrap_or(ends.len());
        if row == ends.len() {
            ends.push(x);
        }
        ends[row] = x;
        placed.push((x, row, rank));
    }
    let (top, rows) = (canvas.y + 12.0, ends.len());
    let bottom = top + rows as f64 * BADGE - 6.0;
    let y = |row: usize| top + (rows - 1 - row) as f64 * BADGE;
    let floor = bottom + ROW * strip.phases.len() as f64 + 4.0;
    for (x, row, _) in &placed {
        canvas.line((*x, y(*row)), (*x, floor), Role::Muted, 1.0, Stroke::Dotted);
    }
    for (x, row, rank) in &placed {
        canvas.badge((*x, y(*row)), &rank.to_string());
    }
    canvas.text((MARGIN, y(0) + 4.0), Anchor::Start, Role::Muted, SMALL, "turns", LEFT - MARGIN - 4.0);
    canvas.y = bottom;
}

fn phases(canvas: &mut Canvas, strip: &Strip, axis: &Axis) {
    for row in &strip.phases {
        let middle = canvas.y + ROW / 2.0;
        canvas.text((MARGIN, middle + 4.0), Anchor::Start, Role::Ink, TEXT, row.kind.word(), LEFT - MARGIN - 4.0);
        canvas.line((LEFT, middle), (RIGHT, middle), Role::Grid, 1.0, Stroke::Solid);
        for (from, to) in &row.stretches {
            let (x, end) = (axis.start(*from), axis.end(*to));
            canvas.bar(x, canvas.y + 3.0, end - x - 0.5, ROW - 6.0, Role::Phase(row.kind));
        }
        canvas.y += ROW;
    }
}

/// The line of messages: first and last number, round ones between them.
fn ticks(canvas: &mut Canvas, strip: &Strip, axis: &Axis) {
    let y = canvas.y + 4.0;
    canvas.line((LEFT, y), (RIGHT, y), Role::Muted, 1.0, Stroke::Solid);
    let width = |spot: &Spot| measure::width(&spot.number.to_string(), SMALL) + 8.0;
    let clear = |s: &&Spot| {
        let apart = |end: Spot| (axis.middle(**s) - axis.middle(end)).abs() > (width(s) + width(&end)) / 2.0;
        apart(strip.from) && apart(strip.to)
    };
    let inner: Vec<Spot> = strip.ticks.iter().filter(clear).copied().collect();
    let places: Vec<(f64, f64)> = inner.iter().map(|s| (axis.middle(*s), width(s))).collect();
    let kept = labels::apart(&places, 2.0).into_iter().map(|i| inner[i]);
    for spot in [strip.from].into_iter().chain(kept).chain([strip.to]) {
        let x = axis.middle(spot);
        canvas.line((x, y), (x, y + 4.0), Role::Muted, 1.0, Stroke::Solid);
        let (at, anchor) = if spot == strip.to { (RIGHT + 4.0, Anchor::End) } else { (x, Anchor::Middle) };
        canvas.text((at, y + 16.0), anchor, Role::Muted, SMALL, &spot.number.to_string(), 80.0);
    }
    canvas.text((MARGIN, y + 16.0), Anchor::Start, Role::Muted, SMALL, "msg", LEFT - MARGIN);
    canvas.y = y + 20.0;
}

fn section(canvas: &mut Canvas, name: &str, more: &str) {
    canvas.y += 22.0;
    let text = format!("{name}{more}");
    canvas.text((MARGIN, canvas.y), Anchor::Start, Role::Ink, TEXT, &text, WIDTH - 2.0 * MARGIN);
    canvas.y += 5.0;
}

/// The name of a lane over it, its final state beside it; gives the height of its line.
fn lane(canvas: &mut Canvas, label: &str, state: &str) -> f64 {
    let y = canvas.y + 25.0;
    canvas.text((LEFT, canvas.y + 14.0), Anchor::Start, Role::Ink, SMALL, label, RIGHT - LEFT);
    canvas.text((MARGIN, y + 3.0), Anchor::Start, Role::Muted, SMALL, state, LEFT - MARGIN - 4.0);
    canvas.line((LEFT, y), (RIGHT, y), Role::Grid, 1.0, Stroke::Solid);
    canvas.y += LANE;
    y
}

fn lane_of_task(canvas: &mut Canvas, task: &TaskRow, axis: &Axis) {
    let y = lane(canvas, &task.label, task.end());
    for (from, to, status) in &task.stretches {
        let (x, end) = (axis.middle(*from), axis.middle(*to));
        match status {
            TodoStatus::InProgress => canvas.bar(x, y - 4.0, end - x, 8.0, Role::Accent),
            TodoStatus::Completed => canvas.mark((x, y), Shape::Disc, Role::Third, 5.0),
            TodoStatus::Cancelled | TodoStatus::Deleted => canvas.mark((x, y), Shape::Cross, Role::Second, 4.0),
            TodoStatus::Pending | TodoStatus::Blocked | TodoStatus::Other => {
                canvas.line((x, y), (end, y), Role::Muted, 2.0, Stroke::Dotted);
            }
            TodoStatus::NotShown => canvas.line((x, y), (end, y), Role::Muted, 1.0, Stroke::Dashed),
        }
    }
    if let Some(spot) = task.dropped {
        canvas.mark((axis.middle(spot), y), Shape::Cross, Role::Second, 4.0);
    }
}

/// Draws a mark of the key around a point.
type Sample = fn(&mut Canvas, f64, f64);
/// What a mark means, whether a task has it, and the mark.
type KeyRow = (&'static str, fn(&TaskRow) -> bool, Sample);

/// The marks of the lanes.
const KEY: &[KeyRow] = &[
    (
        "pending",
        |t| has(t, &[TodoStatus::Pending, TodoStatus::Blocked, TodoStatus::Other]),
        |c, x, y| {
            c.line((x - 8.0, y), (x + 8.0, y), Role::Muted, 2.0, Stroke::Dotted);
        },
    ),
    ("in progress", |t| has(t, &[TodoStatus::InProgress]), |c, x, y| c.bar(x - 8.0, y - 4.0, 16.0, 8.0, Role::Accent)),
    ("completed", |t| has(t, &[TodoStatus::Completed]), |c, x, y| c.mark((x, y), Shape::Disc, Role::Third, 5.0)),
    (
        "cancelled, dropped",
        |t| t.dropped.is_some() || has(t, &[TodoStatus::Cancelled, TodoStatus::Deleted]),
        |c, x, y| c.mark((x, y), Shape::Cross, Role::Second, 4.0),
    ),
    (
        "not shown",
        |t| has(t, &[TodoStatus::NotShown]),
        |c, x, y| {
            c.line((x - 8.0, y), (x + 8.0, y), Role::Muted, 1.0, Stroke::Dashed);
        },
    ),
];

fn has(task: &TaskRow, statuses: &[TodoStatus]) -> bool {
    task.stretches.iter().any(|(.., status)| statuses.contains(status))
}

fn key_of_tasks(canvas: &mut Canvas, tasks: &[TaskRow]) {
    canvas.y += 16.0;
    let mut x = MARGIN;
    for (word, _, sample) in KEY.iter().filter(|(_, of, _)| tasks.iter().any(of)) {
        sample(canvas, x + 8.0, canvas.y - 4.0);
        canvas.text((x + 21.0, canvas.y), Anchor::Start, Role::Muted, SMALL, word, 200.0);
        x += 32.0 + measure::width(word, SMALL);
    }
}

/// A bar for each time that it is seen to run. An open end is an arrow: it may have gone on.
fn lane_of_job(canvas: &mut Canvas, job: &JobRow, axis: &Axis) {
    let y = lane(canvas, &job.label, job.stretches.last().map_or("", |s| s.state));
    for stretch in &job.stretches {
        let (x, end) = (axis.start(stretch.from), axis.end(stretch.to));
        canvas.bar(x, y - 3.0, end - x, 6.0, Role::Second);
        end_of_job(canvas, stretch.ended, (end, y));
    }
}

fn end_of_job(canvas: &mut Canvas, ended: bool, (x, y): (f64, f64)) {
    match ended {
        true => canvas.line((x, y - 5.0), (x, y + 5.0), Role::Second, 2.0, Stroke::Solid),
        false => canvas.path(&[(x, y - 4.0), (x + 4.0, y), (x, y + 4.0)], Role::Second, 1.5, Stroke::Solid),
    }
}

/// What the ends of the bars mean.
fn key_of_jobs(canvas: &mut Canvas, jobs: &[JobRow]) {
    canvas.y += 16.0;
    let mut x = MARGIN;
    let ends = [(true, "its end is shown"), (false, "last seen; its end is not shown")];
    let occurs = |ended: bool| jobs.iter().flat_map(|job| &job.stretches).any(|s| s.ended == ended);
    for (ended, words) in ends.into_iter().filter(|(ended, _)| occurs(*ended)) {
        canvas.bar(x, canvas.y - 7.0, 12.0, 6.0, Role::Second);
        end_of_job(canvas, ended, (x + 12.0, canvas.y - 4.0));
        canvas.text((x + 22.0, canvas.y), Anchor::Start, Role::Muted, SMALL, words, 300.0);
        x += 38.0 + measure::width(words, SMALL);
    }
}

/// What each turning point is.
fn key_of_turns(canvas: &mut Canvas, strip: &Strip) {
    if strip.turns.is_empty() {
        return;
    }
    section(canvas, "Turning points", "");
    for turn in &strip.turns {
        canvas.y += LINE + 3.0;
        canvas.badge((MARGIN + 9.0, canvas.y - 4.0), &turn.rank.to_string());
        let text = format!("msg {}: {}", turn.at.number, turn.what);
        canvas.text((MARGIN + 26.0, canvas.y), Anchor::Start, Role::Ink, SMALL, &text, WIDTH - 2.0 * MARGIN - 26.0);
    }
}
