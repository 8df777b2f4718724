//! Labels beside points: each takes the first place around its point where it covers nothing that was placed before.

use super::{
    canvas::{Anchor, Canvas, SMALL},
    measure,
};

/// Room that is taken.
type Box = (f64, f64, f64, f64);

/// What was placed so far, and the frame that labels stay in.
pub struct Labels {
    frame: Box,
    taken: Vec<Box>,
}

/// A point that a label belongs to needs this much around it.
const POINT: f64 = 5.0;

impl Labels {
    /// Nothing placed yet; left, top, right, bottom of the frame.
    pub fn within(frame: Box) -> Self {
        Self { frame, taken: Vec::new() }
    }

    /// Keeps labels off a point.
    pub fn avoid(&mut self, (x, y): (f64, f64)) {
        self.taken.push((x - POINT, y - POINT, x + POINT, y + POINT));
    }

    /// Keeps labels off a line through points.
    pub fn avoid_line(&mut self, points: &[(f64, f64)]) {
        points.iter().for_each(|p| self.avoid(*p));
        for ends in points.windows(2) {
            let ((x, y), (to_x, to_y)) = (ends[0], ends[1]);
            let steps = ((to_x - x).abs().max((to_y - y).abs()) / 4.0).ceil().clamp(1.0, 400.0) as usize;
            for step in 1..steps {
                let share = step as f64 / steps as f64;
                let (x, y) = (x + (to_x - x) * share, y + (to_y - y) * share);
                self.taken.push((x - 1.5, y - 1.5, x + 1.5, y + 1.5));
            }
        }
    }

    /// Writes a label near a point; says whether there was room.
    pub fn put(&mut self, canvas: &mut Canvas, (x, y): (f64, f64), text: &str) -> bool {
        let width = measure::width(text, SMALL);
        let places = [
            (x, y - 9.0, Anchor::Middle),
            (x, y + 19.0, Anchor::Middle),
            (x + 9.0, y + 4.0, Anchor::Start),
            (x - 9.0, y + 4.0, Anchor::End),
            (x + 7.0, y - 9.0, Anchor::Start),
            (x - 7.0, y - 9.0, Anchor::End),
            (x + 7.0, y + 19.0, Anchor::Start),
            (x - 7.0, y + 19.0, Anchor::End),
            (x, y - 24.0, Anchor::Middle),
            (x, y + 34.0, Anchor::Middle),
        ];
        for (at, base, anchor) in places {
            let left = match anchor {
                Anchor::Start => at,
                Anchor::Middle => at - width / 2.0,
                Anchor::End => at - width,
            };
            let room = (left, base - 11.0, left + width, base + 3.0);
            let inside =
                room.0 >= self.frame.0 && room.1 >= self.frame.1 && room.2 <= self.frame.2 && room.3 <= self.frame.3;
            if inside && !self.taken.iter().any(|t| overlap(*t, room)) {
                canvas.label(at, base, anchor, text);
                self.taken.push(room);
                return true;
            }
        }
        false
    }
}

fn overlap(a: Box, b: Box) -> bool {
    a.0 < b.2 && b.0 < a.2 && a.1 < b.3 && b.1 < a.3
}

/// Which of some labels along a line can stand without touching: from the first on, each behind the one before.
pub fn apart(labels: &[(f64, f64)], gap: f64) -> Vec<usize> {
    let mut end = f64::MIN;
    let mut kept = Vec::new();
    for (i, (middle, width)) in labels.iter().enumerate() {
        if middle - width / 2.0 >= end {
            kept.push(i);
            end = middle + width / 2.0 + gap;
        }
    }
    kept
}
