//! Fits the ranking of turning points: of the candidates of a session, those that a reader marked should come first.
//!
//! Each marked point is a draw from the candidates in proportion to the exponential of their scores (any candidate near it
//! will do); the first-ranked one weighs most. Held to where the numbers began, like the rest of the table.

use crate::{
    infer::cells::{cells, rewrite},
    model::phase::TurnCue,
};

/// A session's candidates and the points that a reader marked.
#[derive(Clone, Debug, Default)]
pub struct Ranked {
    /// What the ranking was given.
    pub candidates: Vec<TurnCue>,
    /// For each marked point its step and those of its markers, the one to write about first.
    pub turns: Vec<Vec<usize>>,
}

/// Steps by which a candidate may be off.
const TOLERANCE: usize = 2;
/// Times that all sessions are looked at.
const ROUNDS: usize = 300;
/// Size of the first changes.
const RATE: f64 = 0.05;
/// Numbers of the section that say how many points are kept, not which.
const KEPT: &[&str] = &["apart", "every", "spacing"];

/// The table of the given text with the numbers of its ranking fitted to the sessions.
pub fn fit_ranking(sessions: &[&Ranked], table: &str, pull: f64) -> String {
    let ours = |section: &str, column: &str| section == "turning" && !KEPT.contains(&column);
    let numbers: Vec<(String, f64)> = cells(table)
        .into_iter()
        .filter(|(cell, _)| ours(&cell.section, &cell.column))
        .map(|(cell, value)| (cell.column, value))
        .collect();
    let draws: Vec<Draw> = sessions.iter().flat_map(|session| draws(session, &numbers)).collect();
    let mut fitted = descend(&draws, &numbers, pull).into_iter();
    rewrite(table, |cell, _| if ours(&cell.section, &cell.column) { fitted.next() } else { None })
}

/// One marked point among the candidates of its session.
struct Draw {
    /// Values of each candidate by number of the table.
    candidates: Vec<Vec<(usize, f64)>>,
    /// Which of them are near the point.
    near: Vec<bool>,
    /// How much it counts.
    weight: f64,
}

fn draws(session: &Ranked, numbers: &[(String, f64)]) -> Vec<Draw> {
    let place = |name: &str| numbers.iter().position(|(known, _)| known == name);
    let known = |cue: &TurnCue| cue.values.iter().filter_map(|(name, value)| Some((place(name)?, *value))).collect();
    let candidates: Vec<Vec<(usize, f64)>> = session.candidates.iter().map(known).collect();
    let near = |turn: &[usize]| -> Vec<bool> {
        let hits = |cue: &TurnCue| turn.iter().any(|at| at.abs_diff(cue.step.at()) <= TOLERANCE);
        session.candidates.iter().map(hits).collect()
    };
    let draw = |(rank, turn): (usize, &Vec<usize>)| Draw {
        candidates: candidates.clone(),
        near: near(turn),
        weight: 1.0 / (rank + 1) as f64,
    };
    session.turns.iter().enumerate().map(draw).filter(|draw| draw.near.contains(&true)).collect()
}

fn descend(draws: &[Draw], numbers: &[(String, f64)], pull: f64) -> Vec<f64> {
    let mut now: Vec<f64> = numbers.iter().map(|number| number.1).collect();
    let mut squares = vec![1e-3; now.len()];
    for _ in 0..ROUNDS {
        let mut slope: Vec<f64> = now.iter().zip(numbers).map(|(now, origin)| pull * (now - origin.1)).collect();
        draws.iter().for_each(|draw| draw.add_slope(&now, &mut slope));
        for ((number, square), slope) in now.iter_mut().zip(&mut squares).zip(slope) {
            *square += slope * slope;
            *number -= RATE * slope / square.sqrt();
        }
    }
    now
}

impl Draw {
    /// Adds the slope of the logarithm of its chance, turned round.
    fn add_slope(&self, numbers: &[f64], slope: &mut [f64]) {
        let score = |values: &Vec<(usize, f64)>| values.iter().map(|(at, value)| numbers[*at] * value).sum::<f64>();
        let scores: Vec<f64> = self.candidates.iter().map(score).collect();
        let high = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let odds: Vec<f64> = scores.iter().map(|score| (score - high).exp()).collect();
        let all: f64 = odds.iter().sum();
        let near: f64 = odds.iter().zip(&self.near).filter(|(_, near)| **near).map(|(odds, _)| odds).sum();
        for ((values, odds), is_near) in self.candidates.iter().zip(&odds).zip(&self.near) {
            let wanted = if *is_near { odds / near.max(f64::MIN_POSITIVE) } else { 0.0 };
            values.iter().for_each(|(at, value)| slope[*at] += self.weight * value * (odds / all - wanted));
        }
    }
}
