//! From cues and a table of weights to the scores that are decoded.

use super::{
    decode::{KINDS, Problem},
    features::StepCues,
    weights::{Rows, Weights},
};
use crate::model::phase::StepCue;

/// Cues of one step that the table knows, by the positions of their rows, with their values.
#[derive(Clone, Debug)]
pub struct Known {
    /// For the phase that the step is in.
    pub here: Vec<(usize, f64)>,
    /// For a boundary before the step.
    pub cut: Vec<(usize, f64)>,
    counts: bool,
    short_allowed: bool,
}

impl Known {
    /// Of a step as it was read.
    pub fn of(step: &StepCues, weights: &Weights) -> Self {
        Self {
            here: known(step.here.iter().map(|cue| (cue.name.as_ref(), cue.value)), &weights.emission),
            cut: known(step.cut.iter().map(|cue| (cue.name.as_ref(), cue.value)), &weights.cut),
            counts: step.counts,
            short_allowed: step.short_allowed,
        }
    }

    /// Of a step as findings keep it.
    pub fn named(step: &StepCue, weights: &Weights) -> Self {
        Self {
            here: known(step.here.iter().map(|(name, value)| (name.as_ref(), *value)), &weights.emission),
            cut: known(step.cut.iter().map(|(name, value)| (name.as_ref(), *value)), &weights.cut),
            counts: step.counts,
            short_allowed: step.short_allowed,
        }
    }
}

fn known<'a>(cues: impl Iterator<Item = (&'a str, f64)>, rows: &Rows) -> Vec<(usize, f64)> {
    cues.filter_map(|(name, value)| Some((rows.place(name)?, value))).collect()
}

/// The scores of a session.
pub fn of(steps: &[Known], weights: &Weights) -> Problem {
    let sum = |cues: &[(usize, f64)], rows: &Rows| {
        let mut total = [0.0; KINDS];
        for (at, value) in cues {
            total.iter_mut().zip(&rows.rows[*at]).for_each(|(sum, weight)| *sum += value * weight);
        }
        total
    };
    Problem {
        emission: steps.iter().map(|step| sum(&step.here, &weights.emission)).collect(),
        cut: steps.iter().map(|step| sum(&step.cut, &weights.cut)).collect(),
        transition: weights.transition.clone(),
        start: weights.start,
        states: weights.states,
        early: weights.early,
        counts: steps.iter().map(|step| step.counts).collect(),
        short_allowed: steps.iter().map(|step| step.short_allowed).collect(),
    }
}
