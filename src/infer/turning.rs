//! Turning points: steps after which the aim differs, ranked, with the messages that announce them.
//!
//! Candidates are the boundaries of the phases, and steps inside a phase at which the user sets an aim or the assistant
//! says that something is not as thought. Each is scored by terms whose weights stand in the table; then the best are
//! taken, apart from each other, at most one for every so many steps and one more.

use std::collections::BTreeMap;

use super::{Inference, Options, weights::Weights};
use crate::{
    base::ids::{MessageIdx, StepIdx},
    model::{
        facts::{Facts, RequestKind},
        findings::Findings,
        message::{MessageKind, ToolKind},
        phase::{Phase, PhaseKind, Term, TurnKind, TurningPoint},
        session::Session,
        todo::ListEvent,
    },
};

/// See the module.
pub struct Turning;

impl Inference for Turning {
    fn name(&self) -> &'static str {
        "turning"
    }

    fn about(&self) -> &'static str {
        "Turning points, ranked"
    }

    fn run(&self, session: &Session, facts: &Facts, options: &Options, findings: &mut Findings) {
        let weights = options.table();
        let scene = Scene::new(session, facts, findings);
        findings.turns = ranked(scene.candidates(&weights), session.steps.len(), &weights);
    }
}

/// Which kinds of phase serve one purpose. One row a group.
#[rustfmt::skip]
const GROUPS: &[&[PhaseKind]] = &[
    &[PhaseKind::Plan, PhaseKind::Research],
    &[PhaseKind::Acquire, PhaseKind::Setup, PhaseKind::DataPrep],
    &[PhaseKind::Implement],
    &[PhaseKind::Deploy, PhaseKind::Run, PhaseKind::Deliver],
    &[PhaseKind::Verify, PhaseKind::Debug],
    &[PhaseKind::Benchmark, PhaseKind::Profile, PhaseKind::Tune],
    &[PhaseKind::Cleanup, PhaseKind::Document],
];

/// Words with which the assistant finds that something is not as thought. Lower case, sorted.
#[rustfmt::skip]
const SURPRISES: &[&str] = &[
    "actually", "contrary", "interesting", "key finding", "key insight", "my mistake", "not what i", "root cause", "surpris", "the real", "turns out",
    "unexpected", "was wrong", "wait", "you're right",
];

/// Words with which another way is taken. Lower case, sorted.
#[rustfmt::skip]
const FALLBACKS: &[&str] = &[
    "a different approach", "abandon", "another approach", "fall back", "fallback", "give up", "instead", "let me try", "revert", "simpler", "start over",
    "switch to", "won't work",
];

/// How far around a boundary its announcements are looked for, in steps before and after.
const REACH: (usize, usize) = (2, 1);

struct Scene<'a> {
    session: &'a Session,
    facts: &'a Facts,
    findings: &'a Findings,
    /// List events by step.
    events: BTreeMap<usize, Vec<ListEvent>>,
    /// Steps at which an open failure is shown gone.
    gone: Vec<usize>,
}

/// A step that may be a turning point.
struct Candidate {
    step: usize,
    from: PhaseKind,
    to: PhaseKind,
    kinds: Vec<TurnKind>,
    markers: Vec<MessageIdx>,
    terms: Vec<Term>,
    score: f64,
}

impl<'a> Scene<'a> {
    fn new(session: &'a Session, facts: &'a Facts, findings: &'a Findings) -> Self {
        let mut events: BTreeMap<usize, Vec<ListEvent>> = BTreeMap::new();
        for delta in &findings.deltas {
            let step = session.step_of(facts.todos[delta.to].message).at();
            events.entry(step).or_default().extend(&delta.events);
        }
        let failures = facts.failures.iter().filter(|f| !f.tooling && f.seen.len() > 1);
        let gone = failures.filter_map(|f| f.gone).map(|m| session.step_of(m).at()).collect();
        Self { session, facts, findings, events, gone }
    }

    fn candidates(&self, weights: &Weights) -> Vec<Candidate> {
        let mut all = Vec::new();
        for (i, phase) in self.findings.phases.iter().enumerate() {
            if i > 0 {
                all.push(self.candidate(phase.from.at(), Some((&self.findings.phases[i - 1], phase)), phase, weights));
            }
            for step in phase.from.at() + 1..=phase.to.at() {
                if self.speaks(step, SURPRISES) || self.cut(step, "user:aim") {
                    all.push(self.candidate(step, None, phase, weights));
                }
            }
        }
        all
    }

    fn candidate(&self, step: usize, sides: Option<(&Phase, &Phase)>, phase: &Phase, weights: &Weights) -> Candidate {
        let (from, to) = sides.map_or((phase.kind, phase.kind), |(left, right)| (left.kind, right.kind));
        let kinds = self.kinds(step, sides);
        let markers = self.markers(step);
        let mut terms = Vec::new();
        let mut add = |name: &str, what: String, value: f64, message: MessageIdx| {
            let weight = value * weights.ranking(name);
            if weight != 0.0 {
                terms.push(Term { what, weight, message, evidence: self.session.whole(message) });
            }
        };
        let here = self.session.main_of(StepIdx(step as u32));
        let marker = markers.first().copied().unwrap_or(here);
        for kind in &kinds {
            add(&format!("kind:{}", kind.word()), phrase(*kind).into(), 1.0, marker);
        }
        match sides {
            Some((left, right)) => {
                let length = |p: &Phase| (p.to.0 + 1 - p.from.0) as f64;
                let shorter = length(left).min(length(right));
                add("posterior", "how clear the boundary is".into(), right.boundary, here);
                add("length", format!("the shorter side has {shorter} steps"), shorter.ln_1p(), here);
                add("right-length", "length of what follows".into(), length(right).ln_1p(), here);
                add(distance(from, to), format!("from {} to {}", from.word(), to.word()), 1.0, here);
                add(&format!("to:{}", to.word()), format!("{} begins", to.word()), 1.0, here);
                add(&format!("from:{}", from.word()), format!("{} ends", from.word()), 1.0, here);
            }
            None => add("inside", format!("inside {}", phase.kind.word()), 1.0, here),
        }
        add("markers", "messages announce it".into(), markers.len().min(3) as f64, marker);
        let opening = 1.0 - step as f64 / self.session.steps.len() as f64;
        add("opening", "early in the session".into(), opening, here);
        let score = terms.iter().map(|t| t.weight).sum();
        Candidate { step, from, to, kinds, markers, terms, score }
    }

    fn cut(&self, step: usize, name: &str) -> bool {
        self.findings.cues.get(step).is_some_and(|cues| cues.cut.iter().any(|cue| cue.0 == name))
    }

    fn nearby(&self, step: usize) -> std::ops::RangeInclusive<usize> {
        step.saturating_sub(REACH.0)..=(step + REACH.1).min(self.session.steps.len() - 1)
    }

    /// The assistant's words of a step, beginning and lower case; "" for other steps.
    fn words(&self, step: usize) -> String {
        let message = self.session.message(self.session.step(StepIdx(step as u32)).first);
        if message.kind != MessageKind::Text {
            return String::new();
        }
        message.prose().chars().take(SPOKEN).collect::<String>().to_lowercase()
    }

    fn speaks(&self, step: usize, words: &[&str]) -> bool {
        let said = self.words(step);
        !said.is_empty() && words.iter().any(|w| said.contains(w))
    }

    fn kinds(&self, step: usize, sides: Option<(&Phase, &Phase)>) -> Vec<TurnKind> {
        let mut kinds = Vec::new();
        let message = self.session.main_of(StepIdx(step as u32));
        let corrects = self.facts.requests.iter().any(|r| r.kind == RequestKind::Correction && r.message == message);
        if corrects {
            kinds.push(TurnKind::Correction);
        }
        if self.nearby(step).any(|s| self.speaks(s, SURPRISES)) {
            kinds.push(TurnKind::Surprise);
        }
        if self.nearby(step).any(|s| self.speaks(s, FALLBACKS)) {
            kinds.push(TurnKind::FallbackTaken);
        }
        let (left, right) = sides.map_or((None, None), |(l, r)| (Some(l.kind), Some(r.kind)));
        let differs = left != right;
        if (differs && left == Some(PhaseKind::Debug)) || self.nearby(step).any(|s| self.gone.contains(&s)) {
            kinds.push(TurnKind::ProblemClosed);
        }
        if self.cut(step, "user:aim") || self.cut(step, "user:question") {
            kinds.push(TurnKind::GoalChange);
        }
        for event in self.nearby(step).filter_map(|s| self.events.get(&s)).flatten() {
            kinds.extend(turn_of(*event));
        }
        if self.nearby(step).any(|s| self.cut(s, "first:figures")) || (differs && right == Some(PhaseKind::Benchmark)) {
            kinds.push(TurnKind::Measured);
        }
        if differs && right == Some(PhaseKind::Debug) {
            kinds.push(TurnKind::ProblemOpened);
        }
        kinds.sort_unstable();
        kinds.dedup();
        if kinds.is_empty() {
            kinds.push(TurnKind::PhaseChange);
        }
        kinds
    }

    /// Messages that announce the turn, strongest first: the user's, a list that changed, a question, the assistant's words.
    fn markers(&self, step: usize) -> Vec<MessageIdx> {
        let mut found: Vec<(u8, usize, MessageIdx)> = Vec::new();
        for near in self.nearby(step) {
            let at = StepIdx(near as u32);
            let (first, main) = (self.session.step(at).first, self.session.main_of(at));
            let rank = match (self.session.message(main).kind, self.session.message(main).tool()) {
                (MessageKind::User, _) => Some(0),
                (_, Some(ToolKind::Todo | ToolKind::Plan)) if self.events.contains_key(&near) => Some(1),
                (_, Some(ToolKind::Question)) => Some(2),
                (MessageKind::Text, _) => Some(3),
                _ => None,
            };
            found.extend(rank.map(|rank| (rank, near.abs_diff(step), main)));
            if first != main && near == step {
                found.push((3, 0, first));
            }
        }
        found.sort_unstable();
        found.into_iter().map(|f| f.2).collect()
    }
}

/// How much of a text is read for words.
const SPOKEN: usize = 400;

fn turn_of(event: ListEvent) -> Option<TurnKind> {
    match event {
        ListEvent::Created => Some(TurnKind::PlanCreated),
        ListEvent::Replaced => Some(TurnKind::PlanReplaced),
        ListEvent::ClosedAll => Some(TurnKind::PlanClosed),
        ListEvent::Handover => Some(TurnKind::Handover),
        ListEvent::Reopened => Some(TurnKind::Reopened),
        ListEvent::Dropped => Some(TurnKind::Abandoned),
        ListEvent::Opened | ListEvent::Closed => None,
    }
}

/// A kind in a reader's words, for the lines under "why".
fn phrase(kind: TurnKind) -> &'static str {
    match kind {
        TurnKind::Correction => "the user objects",
        TurnKind::Surprise => "something is not as thought",
        TurnKind::FallbackTaken => "another way is taken",
        TurnKind::ProblemClosed => "a failure is gone",
        TurnKind::GoalChange => "the user asks for something",
        TurnKind::PlanReplaced => "the task list is replaced",
        TurnKind::Handover => "one task item is closed, another opened",
        TurnKind::PlanClosed => "the task list is closed",
        TurnKind::Measured => "first figures",
        TurnKind::PlanCreated => "the task list is made",
        TurnKind::ProblemOpened => "a failure is taken up",
        TurnKind::Reopened => "a closed task item is open again",
        TurnKind::Abandoned => "a task item is dropped",
        TurnKind::PhaseChange => "the activity changes",
    }
}

fn distance(from: PhaseKind, to: PhaseKind) -> &'static str {
    if from == to {
        "distance:none"
    } else if GROUPS.iter().any(|group| group.contains(&from) && group.contains(&to)) {
        "distance:near"
    } else {
        "distance:far"
    }
}

/// The best candidates, apart from each other. Ties: the earlier one.
fn ranked(mut candidates: Vec<Candidate>, steps: usize, weights: &Weights) -> Vec<TurningPoint> {
    let most = steps.div_ceil((weights.ranking("every") as usize).max(1)) + 1;
    let apart = (weights.ranking("spacing") * steps as f64).max(weights.ranking("apart")) as usize;
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.step.cmp(&b.step)));
    let mut taken: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        if taken.len() < most && taken.iter().all(|t| t.step.abs_diff(candidate.step) > apart) {
            taken.push(candidate);
        }
    }
    taken.into_iter().enumerate().map(|(i, candidate)| candidate.into_turn(i + 1)).collect()
}

impl Candidate {
    fn into_turn(mut self, rank: usize) -> TurningPoint {
        self.terms.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()).then_with(|| a.what.cmp(&b.what)));
        let Self { step, from, to, kinds, markers, terms, score } = self;
        TurningPoint { rank, step: StepIdx(step as u32), kinds, from, to, score, markers, why: terms }
    }
}
