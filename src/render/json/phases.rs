//! `phases --json` and `turning-points --json`: `turnpoint.phases/1`.

use std::borrow::Cow;

use serde::Serialize;

use super::Ids;
use crate::{
    base::ids::StepIdx,
    model::{
        facts::{Facts, Job},
        findings::Findings,
        message::MessageKind,
        phase::{Arc, Lane, Phase, StepCue, Term, TurningPoint},
        session::Session,
    },
};

/// The document of one session.
#[derive(Serialize)]
pub struct Document<'a> {
    schema: &'static str,
    session: &'a str,
    format: &'a str,
    numbering: &'static str,
    weights: &'a str,
    steps: Vec<StepView<'a>>,
    segments: Vec<Segment<'a>>,
    arcs: Vec<Pursuit>,
    jobs: Vec<Beside<'a>>,
    turning_points: Vec<Turn>,
}

#[derive(Serialize)]
struct StepView<'a> {
    step: u32,
    #[serde(flatten)]
    ids: Ids<'a>,
    message: u32,
    kind: &'static str,
    phase: &'static str,
    segment: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    cues: Option<Cues<'a>>,
}

#[derive(Serialize)]
struct Cues<'a> {
    here: &'a [(Cow<'static, str>, f64)],
    cut: &'a [(Cow<'static, str>, f64)],
    counts: bool,
    short_allowed: bool,
}

#[derive(Serialize)]
struct Segment<'a> {
    segment: usize,
    phase: &'static str,
    group: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mostly: Option<&'a str>,
    arc: usize,
    from: u32,
    to: u32,
    first_message: u32,
    last_message: u32,
    score: f64,
    boundary: f64,
    why: Vec<Why>,
}

#[derive(Serialize)]
struct Pursuit {
    arc: usize,
    from: u32,
    to: u32,
    /// Id of the user's message that sets the aim.
    #[serde(skip_serializing_if = "Option::is_none")]
    goal: Option<String>,
}

/// A service or background job.
#[derive(Serialize)]
struct Beside<'a> {
    name: &'a str,
    service: bool,
    from: u32,
    to: u32,
    ended: bool,
}

#[derive(Serialize)]
struct Turn {
    rank: usize,
    step: u32,
    id: String,
    message: u32,
    kinds: Vec<&'static str>,
    from: &'static str,
    to: &'static str,
    score: f64,
    markers: Vec<String>,
    why: Vec<Why>,
}

#[derive(Serialize)]
struct Why {
    what: String,
    weight: f64,
    message: u32,
    id: String,
}

impl<'a> Document<'a> {
    /// The document of a session; `cues` adds to each step what the decoder was given, for fitting a table of weights.
    pub fn new(session: &'a Session, facts: &'a Facts, findings: &'a Findings, cues: Option<&'a [StepCue]>) -> Self {
        let mut steps = Vec::with_capacity(session.steps.len());
        for (number, phase) in findings.phases.iter().enumerate() {
            for at in phase.from.0..=phase.to.0 {
                let cues = cues.and_then(|all| all.get(at as usize));
                steps.push(StepView::new(session, StepIdx(at), phase.kind.word(), number, cues));
            }
        }
        Self {
            schema: "turnpoint.phases/1",
            session: &session.info.id,
            format: session.info.format,
            numbering: session.numbering.name(),
            weights: &findings.weights,
            steps,
            segments: segments(session, findings),
            arcs: findings.arcs.iter().enumerate().map(|(number, arc)| Pursuit::new(session, number, arc)).collect(),
            jobs: findings.lanes.iter().map(|lane| Beside::new(&facts.jobs[lane.job], lane)).collect(),
            turning_points: findings.turns.iter().map(|turn| Turn::new(session, turn)).collect(),
        }
    }
}

impl<'a> StepView<'a> {
    fn new(session: &'a Session, at: StepIdx, phase: &'static str, segment: usize, cues: Option<&'a StepCue>) -> Self {
        let main = session.main_of(at);
        let message = session.message(main);
        Self {
            step: at.0,
            ids: Ids::new(session, main, main),
            message: message.number,
            kind: match message.kind {
                MessageKind::User => "user",
                MessageKind::Text => "text",
                MessageKind::Tool => "tool",
            },
            phase,
            segment,
            cues: cues.map(|c| Cues { here: &c.here, cut: &c.cut, counts: c.counts, short_allowed: c.short_allowed }),
        }
    }
}

impl Pursuit {
    fn new(session: &Session, arc: usize, Arc { from, to, goal }: &Arc) -> Self {
        Self { arc, from: from.0, to: to.0, goal: goal.map(|at| session.public_id(at)) }
    }
}

impl<'a> Beside<'a> {
    fn new(job: &'a Job, Lane { from, to, ended, .. }: &Lane) -> Self {
        Self { name: &job.name, service: job.service, from: from.0, to: to.0, ended: *ended }
    }
}

fn segments<'a>(session: &Session, findings: &'a Findings) -> Vec<Segment<'a>> {
    let number = |at| session.message(at).number;
    let arc = |phase: &Phase| findings.arcs.iter().rposition(|arc| arc.from <= phase.from).unwrap_or(0);
    let view = |(segment, phase): (usize, &'a Phase)| Segment {
        segment,
        phase: phase.kind.word(),
        group: phase.kind.group(),
        mostly: phase.mostly.as_deref(),
        arc: arc(phase),
        from: phase.from.0,
        to: phase.to.0,
        first_message: number(session.step(phase.from).first),
        last_message: number(session.main_of(phase.to)),
        score: rounded(phase.score),
        boundary: rounded(phase.boundary),
        why: why(session, &phase.why),
    };
    findings.phases.iter().enumerate().map(view).collect()
}

impl Turn {
    fn new(session: &Session, turn: &TurningPoint) -> Self {
        let main = session.main_of(turn.step);
        Self {
            rank: turn.rank,
            step: turn.step.0,
            id: session.public_id(main),
            message: session.message(main).number,
            kinds: turn.kinds.iter().map(|k| k.word()).collect(),
            from: turn.from.word(),
            to: turn.to.word(),
            score: rounded(turn.score),
            markers: turn.markers.iter().map(|m| session.public_id(*m)).collect(),
            why: why(session, &turn.why),
        }
    }
}

fn why(session: &Session, terms: &[Term]) -> Vec<Why> {
    let view = |term: &Term| Why {
        what: term.what.clone(),
        weight: rounded(term.weight),
        message: session.message(term.message).number,
        id: session.public_id(term.message),
    };
    terms.iter().map(view).collect()
}

/// Three decimals: a score is no measurement.
fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
