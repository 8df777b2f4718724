//! Facts to findings: deltas, ledger, scaling, phases, turning points.

mod phases;
mod scaling;
pub mod todo_delta;
mod todo_ledger;
mod todo_match;
mod turning;

use crate::model::{facts::Facts, findings::Findings, session::Session};

/// What inference may be told.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Text of a weights file that replaces the built-in table.
    pub weights: Option<String>,
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
pub const INFERENCES: &[&dyn Inference] =
    &[&todo_delta::TodoDeltas, &scaling::ScalingOf, &phases::Phases, &turning::Turning];

/// Runs all inferences.
pub fn run(session: &Session, facts: &Facts, options: &Options) -> Findings {
    let mut findings = Findings::default();
    for inference in INFERENCES {
        inference.run(session, facts, options, &mut findings);
    }
    findings
}
