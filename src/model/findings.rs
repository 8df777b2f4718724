//! What is concluded from the facts.

use super::{
    metric::Scaling,
    phase::{Arc, Lane, Phase, StepCue, TurnCue, TurningPoint},
    series::{Run, Series},
    todo::{LedgerEntry, TodoDelta},
};

/// Everything inference found.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Findings {
    /// One delta per snapshot, the first one included.
    pub deltas: Vec<TodoDelta>,
    /// Life of each todo item.
    pub ledger: Vec<LedgerEntry>,
    /// Phases, a partition of the steps.
    pub phases: Vec<Phase>,
    /// Steps from the beginning whose phases stay as they are however the session goes on.
    pub decided: usize,
    /// Pursuits of one aim each, a partition of the phases.
    pub arcs: Vec<Arc>,
    /// Services and background jobs beside the phases, by their starts.
    pub lanes: Vec<Lane>,
    /// The cues of each step that the phases were decoded from.
    pub cues: Vec<StepCue>,
    /// How likely, by the scores, a phase begins at each step, 0–1.
    pub begins: Vec<f64>,
    /// The steps among which the turning points were chosen.
    pub turn_cues: Vec<TurnCue>,
    /// Turning points by rank.
    pub turns: Vec<TurningPoint>,
    /// Ratios within sweeps.
    pub scaling: Vec<Scaling>,
    /// Commands that measured something, in order.
    pub runs: Vec<Run>,
    /// The same metric over the runs, most runs first.
    pub series: Vec<Series>,
    /// Name, version and hash of the weights that the decoder used.
    pub weights: String,
}
