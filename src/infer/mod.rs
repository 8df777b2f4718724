//! Facts to findings: deltas, ledger, scaling, phases, turning points.

mod arcs;
pub mod audit;
mod cells;
mod cue_words;
mod decode;
mod describe;
mod features;
pub mod fit;
mod lanes;
mod phases;
mod problem;
mod scaling;
pub mod series;
mod signals;
pub mod todo_delta;
mod todo_ledger;
mod todo_match;
mod turning;
mod weights;

use crate::model::{facts::Facts, findings::Findings, session::Session};

/// What inference may be told.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Text of a weights file that replaces the built-in table.
    pub weights: Option<String>,
}

impl Options {
    /// The table that is in force: the given one, or the built-in one where none is given or it cannot be read.
    fn table(&self) -> weights::Weights {
        let given = self.weights.as_ref().and_then(|text| weights::Weights::parse(text).ok());
        given.unwrap_or_else(weights::Weights::built_in)
    }
}

/// Says what is wrong with the text of a weights file.
///
/// # Errors
/// A sentence for the reader who wrote it.
pub fn check_weights(text: &str) -> Result<(), String> {
    weights::Weights::parse(text).map(|_| ())
}

/// One kind of finding.
pub trait Inference: Sync {
    /// Name, kebab-case.
    fn name(&self) -> &'static str;
    /// One clause: what it concludes.
    fn about(&self) -> &'static str;
    /// Adds what it concludes.
    fn run(&self, session: &Session, facts: &Facts, options: &Options, findings: &mut Findings);
}

/// All inferences, in the order in which they run: later ones may read the findings of earlier ones.
pub const INFERENCES: &[&dyn Inference] = &[
    &todo_delta::TodoDeltas,
    &scaling::ScalingOf,
    &series::SeriesOf,
    &phases::Phases,
    &arcs::Arcs,
    &lanes::Lanes,
    &turning::Turning,
];

/// Runs all inferences.
pub fn run(session: &Session, facts: &Facts, options: &Options) -> Findings {
    let mut findings = Findings::default();
    for inference in INFERENCES {
        inference.run(session, facts, options, &mut findings);
    }
    findings
}
