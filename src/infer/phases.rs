//! Phases, decoded jointly over all steps, each boundary with the terms that made it.

use std::collections::BTreeMap;

use super::{
    Inference, Options,
    decode::{self, Decoded, Posterior},
    describe::describe,
    features::{self, Cue, StepCues},
    problem::{self, Known},
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
        let known: Vec<Known> = cues.iter().map(|step| Known::of(step, &weights)).collect();
        let problem = problem::of(&known, &weights);
        let path = decode::best(&problem);
        let posterior = decode::posterior(&problem);
        findings.phases = phases(session, &cues, &weights, &path, &posterior);
        findings.phases.iter_mut().for_each(|phase| phase.mostly = mostly(session, facts, phase));
        findings.decided = decode::decided(&problem, known.len().saturating_sub(features::AROUND));
        findings.begins = posterior.begins.iter().map(|kinds| kinds.iter().sum::<f64>().min(1.0)).collect();
        findings.weights = weights.identity;
        findings.cues = cues.into_iter().map(names).collect();
    }
}

fn names(cues: StepCues) -> StepCue {
    let named = |cues: Vec<Cue>| cues.into_iter().map(|c| (c.name, c.value)).collect();
    StepCue { here: named(cues.here), cut: named(cues.cut), counts: cues.counts, short_allowed: cues.short_allowed }
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
            mostly: None,
        });
    }
    phases
}

/// The class of more of a phase's commands than any other, and of at least half of them. Never a boundary by itself.
fn mostly(session: &Session, facts: &Facts, phase: &Phase) -> Option<String> {
    let (first, last) = (session.step(phase.from).first, session.main_of(phase.to));
    let from = facts.commands.partition_point(|run| run.message < first);
    let runs = facts.commands[from..].iter().take_while(|run| run.message <= last);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let classes = runs.filter(|run| run.ran).map(|run| run.class.0.as_str());
    classes.filter(|class| !SAY_NOTHING.contains(class)).for_each(|class| *counts.entry(class).or_default() += 1);
    let all: usize = counts.values().sum();
    let (class, most) = counts.iter().max_by_key(|(_, n)| **n)?;
    (*most >= 2 && 2 * most >= all).then(|| class.to_string())
}

/// Classes that say nothing about what a phase is for. Sorted.
const SAY_NOTHING: &[&str] = &["noop", "unknown"];

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
