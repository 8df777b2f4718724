//! Arcs: the pursuits of one aim of the user each, above the phases.

use super::{Inference, Options};
use crate::{
    base::ids::StepIdx,
    model::{facts::Facts, findings::Findings, message::MessageKind, phase::Arc, session::Session},
};

/// See the module.
pub struct Arcs;

impl Inference for Arcs {
    fn name(&self) -> &'static str {
        "arcs"
    }

    fn about(&self) -> &'static str {
        "Pursuits of one aim of the user each, above the phases"
    }

    fn run(&self, session: &Session, _: &Facts, _: &Options, findings: &mut Findings) {
        let begins = beginnings(findings);
        let ends = begins.iter().skip(1).map(|next| StepIdx(next.0 - 1));
        let last = findings.phases.last().map(|phase| phase.to);
        let arcs = begins.iter().zip(ends.chain(last));
        findings.arcs = arcs.map(|(from, to)| Arc { from: *from, to, goal: goal(session, *from) }).collect();
    }
}

/// Fewer steps are no pursuit of their own.
const LEAST: u32 = 5;
/// Steps within which a phase that begins belongs to the aim.
const NEAR: usize = 1;

/// What sets an aim. Sorted.
const SETS: &[&str] = &["todo:replaced", "user:aim"];

/// The phases that begin with an aim, far enough from each other and from the end.
fn beginnings(findings: &Findings) -> Vec<StepIdx> {
    let sets = |step: usize| {
        let near = step.saturating_sub(NEAR)..(step + NEAR + 1).min(findings.cues.len());
        findings.cues[near].iter().any(|cues| cues.cut.iter().any(|cue| SETS.contains(&cue.0.as_ref())))
    };
    let Some(last) = findings.phases.last() else { return Vec::new() };
    let mut begins = vec![StepIdx(0)];
    for phase in findings.phases.iter().skip(1).filter(|phase| sets(phase.from.at())) {
        let before = begins[begins.len() - 1];
        if phase.from.0 - before.0 >= LEAST && last.to.0 + 1 - phase.from.0 >= LEAST {
            begins.push(phase.from);
        }
    }
    begins
}

/// The user's message at the beginning of an arc.
fn goal(session: &Session, from: StepIdx) -> Option<crate::base::ids::MessageIdx> {
    let near = from.0.saturating_sub(NEAR as u32)..=(from.0 + NEAR as u32).min(session.steps.len() as u32 - 1);
    let mut mains = near.map(|step| session.main_of(StepIdx(step)));
    mains.find(|at| session.message(*at).kind == MessageKind::User)
}
