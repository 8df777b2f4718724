//! Phases, decoded jointly over all steps, each boundary with the terms that made it.

use std::collections::BTreeMap;

use super::{
    Inference, Options,
    decode::{self, Decoded, KINDS, Posterior, Problem},
    describe::describe,
    features::{self, Cue, StepCues},
    weights::Weights,
};
use crate::{
    base::ids::StepIdx,
    model::{
        evidence::Evidence,
        facts::Facts,
        findings::Findings,
        phase::{Phase, PhaseKind, StepCue, Term},
        session::Session,
    },
};

/// See the module.
pub struct Phases;

impl Inference for Phases {
    fn name(&self) -> &'static str {
        "phases"
    }

    fn about(&self) -> &'static str {
        "Phases, decoded jointly over all steps"
    }

    fn run(&self, session: &Session, facts: &Facts, options: &Options, findings: &mut Findings) {
        let weights = options.table();
        let cues = features::of(session, facts, findings);
        let problem = problem(&cues, &weights);
        let path = decode::best(&problem);
        let posterior = decode::posterior(&problem);
        findings.phases = phases(session, &cues, &weights, &path, &posterior);
        findings.weights = weights.identity;
        findings.cues = cues.into_iter().map(names).collect();
    }
}

fn names(cues: StepCues) -> StepCue {
    let named = |cues: Vec<Cue>| cues.into_iter().map(|c| (c.name.into_owned(), c.value)).collect();
    StepCue { here: named(cues.here), cut: named(cues.cut), counts: cues.counts, short_allowed: cues.short_allowed }
}

fn problem(cues: &[StepCues], weights: &Weights) -> Problem {
    let sum = |cues: &[Cue], table: &BTreeMap<String, [f64; KINDS]>| {
        let mut row = [0.0; KINDS];
        for cue in cues {
            if let Some(weight) = table.get(cue.name.as_ref()) {
                (0..KINDS).for_each(|kind| row[kind] += cue.value * weight[kind]);
            }
        }
        row
    };
    Problem {
        emission: cues.iter().map(|c| sum(&c.here, &weights.emission)).collect(),
        cut: cues.iter().map(|c| sum(&c.cut, &weights.cut)).collect(),
        transition: weights.transition.clone(),
        start: weights.start,
        states: weights.states,
        early: weights.early,
        counts: cues.iter().map(|c| c.counts).collect(),
        short_allowed: cues.iter().map(|c| c.short_allowed).collect(),
    }
}

/// Steps to each side within which a boundary counts as the same.
const TOLERANCE: usize = 2;

fn phases(
    session: &Session,
    cues: &[StepCues],
    weights: &Weights,
    path: &[Decoded],
    posterior: &Posterior,
) -> Vec<Phase> {
    let begins: Vec<usize> = (0..path.len()).filter(|step| path[*step].begins).collect();
    let mut phases: Vec<Phase> = Vec::with_capacity(begins.len());
    for (i, &from) in begins.iter().enumerate() {
        let to = begins.get(i + 1).map_or(path.len(), |next| *next) - 1;
        let kind = path[from].kind;
        let score = (from..=to).map(|step| posterior.label[step][kind]).sum::<f64>() / (to + 1 - from) as f64;
        let nearby = from.saturating_sub(TOLERANCE)..(from + TOLERANCE + 1).min(path.len());
        let boundary = nearby.map(|step| posterior.begins[step][kind]).sum::<f64>().min(1.0);
        let why = match phases.last() {
            Some(before) => why(session, cues, weights, before.kind.index(), kind, from..to + 1),
            None => Vec::new(),
        };
        phases.push(Phase {
            kind: PhaseKind::ALL[kind],
            from: StepIdx(from as u32),
            to: StepIdx(to as u32),
            score,
            boundary: if from == 0 { 1.0 } else { boundary },
            why,
        });
    }
    phases
}

/// How many terms explain a boundary.
const TERMS: usize = 5;

/// The terms by which the path with this boundary differs from the one in which the phase before goes on: what speaks
/// for cutting here, and what speaks for the new kind over the old one in the steps of the phase.
fn why(
    session: &Session,
    cues: &[StepCues],
    weights: &Weights,
    before: usize,
    kind: usize,
    steps: std::ops::Range<usize>,
) -> Vec<Term> {
    let mut terms: BTreeMap<(String, bool), (f64, f64, Evidence)> = BTreeMap::new();
    let from = steps.start;
    for cue in cues[from].cut.iter().filter(|c| c.name != "always") {
        if let Some(weight) = weights.cut.get(cue.name.as_ref()) {
            add(&mut terms, (cue, true), cue.value * weight[kind]);
        }
    }
    for cue in steps.flat_map(|step| &cues[step].here) {
        if let Some(weight) = weights.emission.get(cue.name.as_ref()) {
            add(&mut terms, (cue, false), cue.value * (weight[kind] - weight[before]));
        }
    }
    let mut terms: Vec<Term> = terms
        .into_iter()
        .map(|((name, _), (weight, _, evidence))| Term {
            what: describe(&name, session, &evidence),
            weight,
            message: evidence.message(),
            evidence,
        })
        .filter(|term| term.weight.abs() >= LEAST)
        .collect();
    terms.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()).then_with(|| a.what.cmp(&b.what)));
    terms.truncate(TERMS);
    terms
}

/// Terms below this explain nothing.
const LEAST: f64 = 0.05;

/// Sums a cue's share; its place is that of its strongest sight.
fn add(terms: &mut BTreeMap<(String, bool), (f64, f64, Evidence)>, (cue, cuts): (&Cue, bool), share: f64) {
    let entry =
        terms.entry((cue.name.to_string(), cuts)).or_insert_with(|| (0.0, f64::NEG_INFINITY, cue.evidence.clone()));
    entry.0 += share;
    if share > entry.1 {
        (entry.1, entry.2) = (share, cue.evidence.clone());
    }
}
