//! Fits the numbers of a table of weights on labelled sessions: a conditional random field over the same scores that are
//! decoded, pulled towards the numbers of the table that it starts from.
//!
//! The decoder's score of a labelling is linear in the table's numbers, so what a number should gain is how often its cue
//! is met in the labelled path less how often it is expected under the scores (`decode::expected`). Only cells that the
//! table has are moved. Deterministic: one order of the sessions, no clock, no chance.

mod agreement;
mod gold;
mod ranking;

use super::{
    cells::{Cell, cells, rewrite},
    decode::{self, Decoded, KINDS, Passages, Posterior, Problem},
    problem::{self, Known},
    weights::{Weights, kind},
};
use crate::model::phase::{PhaseKind, StepCue};

pub use agreement::Agreement;
pub use ranking::{Ranked, fit_ranking};

/// A session with its labels, step by step.
#[derive(Clone, Debug, Default)]
pub struct Labelled {
    /// What the decoder was given.
    pub cues: Vec<StepCue>,
    /// The kinds that count as right; never empty.
    pub accepted: Vec<Vec<PhaseKind>>,
    /// Whether a phase begins here.
    pub begins: Vec<bool>,
}

/// How a table is fitted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// How strongly numbers are held to where they began: the precision of a normal prior, for all sessions together.
    pub pull: f64,
    /// What a boundary gains after the fit. The likelihood pays for a boundary that is one step off as for a missing one,
    /// and so draws fewer than a reader who is content with two steps.
    pub boundary: f64,
}

/// Times that each session is looked at.
const ROUNDS: usize = 10;
/// Size of the first changes.
const RATE: f64 = 0.05;

/// The table of the given text with its numbers fitted to the sessions.
///
/// # Errors
/// What is wrong with the text of the table.
pub fn fit(sessions: &[&Labelled], table: &str, settings: Settings) -> Result<String, String> {
    let weights = Weights::parse(table)?;
    let slots: Vec<(Slot, f64)> = cells(table)
        .into_iter()
        .filter_map(|(cell, value)| Slot::of(&cell, &weights).map(|slot| (slot, value)))
        .collect();
    let mut fitted = descend(sessions, &weights, &slots, settings).into_iter();
    Ok(rewrite(table, |cell, _| {
        let always = cell.section == "cut" && cell.row == "always" && cell.column == "any";
        let moved = Slot::of(&cell, &weights).and_then(|_| fitted.next());
        moved.map(|value| if always { value + settings.boundary } else { value })
    }))
}

/// The table of the given text in which boundaries are likelier by so much.
pub fn with_boundary(table: &str, boundary: f64) -> String {
    rewrite(table, |cell, value| {
        (cell.section == "cut" && cell.row == "always" && cell.column == "any").then_some(value + boundary)
    })
}

/// What a number of the table is for.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Start(usize),
    Passage(usize, usize),
    Emission(usize, Option<usize>),
    Cut(usize, Option<usize>),
}

impl Slot {
    /// `None` for cells that the decoder does not use.
    fn of(cell: &Cell, weights: &Weights) -> Option<Self> {
        let column = || if cell.column == "any" { Some(None) } else { kind(&cell.column).ok().map(Some) };
        match cell.section.as_str() {
            "start" => kind(&cell.column).ok().map(Slot::Start),
            "transition" => Some(Slot::Passage(kind(&cell.row).ok()?, kind(&cell.column).ok()?)),
            "emission" => Some(Slot::Emission(weights.emission.place(&cell.row)?, column()?)),
            "cut" => Some(Slot::Cut(weights.cut.place(&cell.row)?, column()?)),
            _ => None,
        }
    }

    /// Adds to what it stands for.
    fn add(self, to: &mut Weights, value: f64) {
        let spread = |row: &mut [f64; KINDS], column: Option<usize>| match column {
            Some(kind) => row[kind] += value,
            None => row.iter_mut().for_each(|number| *number += value),
        };
        match self {
            Slot::Start(kind) => to.start[kind] += value,
            Slot::Passage(from, next) => to.transition[from][next] += value,
            Slot::Emission(row, column) => spread(&mut to.emission.rows[row], column),
            Slot::Cut(row, column) => spread(&mut to.cut.rows[row], column),
        }
    }

    /// What it stands for in a gradient of the same shape.
    fn read(self, from: &Weights) -> f64 {
        let gather =
            |row: &[f64; KINDS], column: Option<usize>| column.map_or_else(|| row.iter().sum(), |kind| row[kind]);
        match self {
            Slot::Start(kind) => from.start[kind],
            Slot::Passage(before, next) => from.transition[before][next],
            Slot::Emission(row, column) => gather(&from.emission.rows[row], column),
            Slot::Cut(row, column) => gather(&from.cut.rows[row], column),
        }
    }
}

/// A session as the descent meets it.
struct Example<'a> {
    labelled: &'a Labelled,
    known: Vec<Known>,
}

/// Adaptive gradient descent, session by session; the numbers are averaged over the second half of the rounds.
fn descend(sessions: &[&Labelled], shape: &Weights, slots: &[(Slot, f64)], settings: Settings) -> Vec<f64> {
    let examples: Vec<Example> = sessions
        .iter()
        .map(|labelled| Example { labelled, known: labelled.cues.iter().map(|c| Known::named(c, shape)).collect() })
        .collect();
    let steps: usize = examples.iter().map(|e| e.known.len()).sum();
    let mut numbers: Vec<f64> = slots.iter().map(|slot| slot.1).collect();
    let mut squares = vec![1e-3; slots.len()];
    let mut mean = vec![0.0; slots.len()];
    for round in 0..ROUNDS {
        for at in 0..examples.len() {
            // Another order each round: a step through the list that does not divide it.
            let example = &examples[(at * stride(examples.len()) + round) % examples.len()];
            let gradient = gradient(example, &filled(shape, slots, &numbers));
            let share = settings.pull * example.known.len() as f64 / steps as f64;
            for (i, (slot, origin)) in slots.iter().enumerate() {
                let slope = slot.read(&gradient) + share * (numbers[i] - origin);
                squares[i] += slope * slope;
                numbers[i] -= RATE * slope / squares[i].sqrt();
            }
            if round >= ROUNDS / 2 {
                mean.iter_mut().zip(&numbers).for_each(|(sum, number)| *sum += number);
            }
        }
    }
    let looks = (examples.len() * (ROUNDS - ROUNDS / 2)) as f64;
    mean.into_iter().map(|sum| sum / looks).collect()
}

/// A step length that meets every element: the first number from a third on that has no factor in common with `n`.
fn stride(n: usize) -> usize {
    let common = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    (n / 3 + 1..).find(|step| common(*step, n) == 1).unwrap_or(1)
}

/// A table of the shape with these numbers and nothing else.
fn filled(shape: &Weights, slots: &[(Slot, f64)], numbers: &[f64]) -> Weights {
    let mut weights = empty(shape);
    slots.iter().zip(numbers).for_each(|((slot, _), number)| slot.add(&mut weights, *number));
    weights
}

fn empty(shape: &Weights) -> Weights {
    let mut weights = shape.clone();
    weights.start = [0.0; KINDS];
    weights.transition.fill([0.0; KINDS]);
    weights.emission.rows.fill([0.0; KINDS]);
    weights.cut.rows.fill([0.0; KINDS]);
    weights
}

/// What is expected under the scores less what the labels hold, in the shape of a table.
fn gradient(example: &Example, weights: &Weights) -> Weights {
    let problem = problem::of(&example.known, weights);
    let gold = gold::path(example.labelled, &problem);
    let (posterior, passages) = decode::expected(&problem);
    let mut gradient = empty(weights);
    add_expected(&mut gradient, example, &posterior, &passages);
    subtract_gold(&mut gradient, example, &gold);
    gradient
}

fn add_expected(gradient: &mut Weights, example: &Example, posterior: &Posterior, passages: &Passages) {
    for (step, known) in example.known.iter().enumerate() {
        for (row, value) in &known.here {
            let row = &mut gradient.emission.rows[*row];
            row.iter_mut().zip(&posterior.label[step]).for_each(|(sum, share)| *sum += value * share);
        }
        for (row, value) in known.cut.iter().filter(|_| step > 0) {
            let row = &mut gradient.cut.rows[*row];
            row.iter_mut().zip(&posterior.begins[step]).for_each(|(sum, share)| *sum += value * share);
        }
    }
    gradient.start = posterior.label.first().copied().unwrap_or([0.0; KINDS]);
    gradient.transition = passages.to_vec();
}

fn subtract_gold(gradient: &mut Weights, example: &Example, gold: &[Decoded]) {
    for (step, known) in example.known.iter().enumerate() {
        let kind = gold[step].kind;
        known.here.iter().for_each(|(row, value)| gradient.emission.rows[*row][kind] -= value);
        if step == 0 {
            gradient.start[kind] -= 1.0;
        } else if gold[step].begins {
            known.cut.iter().for_each(|(row, value)| gradient.cut.rows[*row][kind] -= value);
            gradient.transition[gold[step - 1].kind][kind] -= 1.0;
        }
    }
}

/// What a table makes of a session: for each step the kind, and whether a phase begins there.
///
/// # Errors
/// What is wrong with the text of the table.
pub fn decoded(session: &Labelled, table: &str) -> Result<Vec<(PhaseKind, bool)>, String> {
    let path = decode::best(&scores(session, table)?);
    Ok(path.into_iter().map(|step| (PhaseKind::ALL[step.kind], step.begins)).collect())
}

/// What it makes of each step alone, as tools do that tag single actions: a phase begins where the kind differs.
///
/// # Errors
/// What is wrong with the text of the table.
pub fn step_by_step(session: &Labelled, table: &str) -> Result<Vec<(PhaseKind, bool)>, String> {
    let best = |row: &[f64; KINDS]| (0..KINDS).fold(0, |best, kind| if row[kind] > row[best] { kind } else { best });
    let kinds: Vec<usize> = scores(session, table)?.emission.iter().map(best).collect();
    let begins = |step: usize| step == 0 || kinds[step] != kinds[step - 1];
    Ok((0..kinds.len()).map(|step| (PhaseKind::ALL[kinds[step]], begins(step))).collect())
}

fn scores(session: &Labelled, table: &str) -> Result<Problem, String> {
    let weights = Weights::parse(table)?;
    let known: Vec<Known> = session.cues.iter().map(|step| Known::named(step, &weights)).collect();
    Ok(problem::of(&known, &weights))
}
