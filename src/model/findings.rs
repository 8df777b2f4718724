//! What is concluded from the facts.

use super::{
    metric::Scaling,
    phase::{Phase, StepCue, TurningPoint},
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
    /// The cues of each step that the phases were decoded from.
    pub cues: Vec<StepCue>,
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
