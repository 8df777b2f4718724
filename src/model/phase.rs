//! Phases: stretches of steps with one purpose; boundaries between them; turning points.

use std::borrow::Cow;

use super::evidence::Evidence;
use crate::base::ids::{MessageIdx, StepIdx};

/// Purpose of a stretch of steps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PhaseKind {
    /// Deciding what to do.
    Plan,
    /// Learning how something is.
    Research,
    /// Bringing artefacts in.
    Acquire,
    /// Making the environment able.
    Setup,
    /// Writing or restructuring the product.
    Implement,
    /// Changing data, not code.
    DataPrep,
    /// Putting it into service.
    Deploy,
    /// Finding out if it is right.
    Verify,
    /// Explaining and removing a particular failure.
    Debug,
    /// Measuring how well or fast.
    Benchmark,
    /// Finding where the cost or error comes from.
    Profile,
    /// Changing a knob to move a number.
    Tune,
    /// The real long job.
    Run,
    /// Taking down, freeing, reverting.
    Cleanup,
    /// Writing down findings for people.
    Document,
    /// Commit, push, publish, hand over.
    Deliver,
    /// None of these.
    Other,
}

impl PhaseKind {
    /// Every kind, in the order of the annotation guide.
    pub const ALL: [PhaseKind; 17] = [
        PhaseKind::Plan,
        PhaseKind::Research,
        PhaseKind::Acquire,
        PhaseKind::Setup,
        PhaseKind::Implement,
        PhaseKind::DataPrep,
        PhaseKind::Deploy,
        PhaseKind::Verify,
        PhaseKind::Debug,
        PhaseKind::Benchmark,
        PhaseKind::Profile,
        PhaseKind::Tune,
        PhaseKind::Run,
        PhaseKind::Cleanup,
        PhaseKind::Document,
        PhaseKind::Deliver,
        PhaseKind::Other,
    ];

    /// Printed word.
    pub fn word(self) -> &'static str {
        match self {
            PhaseKind::Plan => "plan",
            PhaseKind::Research => "research",
            PhaseKind::Acquire => "acquire",
            PhaseKind::Setup => "setup",
            PhaseKind::Implement => "implement",
            PhaseKind::DataPrep => "data-prep",
            PhaseKind::Deploy => "deploy",
            PhaseKind::Verify => "verify",
            PhaseKind::Debug => "debug",
            PhaseKind::Benchmark => "benchmark",
            PhaseKind::Profile => "profile",
            PhaseKind::Tune => "tune",
            PhaseKind::Run => "run",
            PhaseKind::Cleanup => "cleanup",
            PhaseKind::Document => "document",
            PhaseKind::Deliver => "deliver",
            PhaseKind::Other => "other",
        }
    }

    /// Word for the kinds that serve one purpose together: what can be said where the kind itself is uncertain.
    pub fn group(self) -> &'static str {
        GROUPS.iter().find(|(_, kinds)| kinds.contains(&self)).map_or("other", |(word, _)| word)
    }

    /// The kind of a printed word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.word() == word)
    }

    /// Position in [`PhaseKind::ALL`].
    pub fn index(self) -> usize {
        Self::ALL.iter().position(|k| *k == self).unwrap_or(Self::ALL.len() - 1)
    }
}

/// Which kinds serve one purpose. One row a group.
#[rustfmt::skip]
const GROUPS: &[(&str, &[PhaseKind])] = &[
    ("understand", &[PhaseKind::Plan, PhaseKind::Research]),
    ("prepare", &[PhaseKind::Acquire, PhaseKind::Setup, PhaseKind::DataPrep]),
    ("build", &[PhaseKind::Implement]),
    ("ship", &[PhaseKind::Deploy, PhaseKind::Run, PhaseKind::Deliver]),
    ("check", &[PhaseKind::Verify, PhaseKind::Debug]),
    ("measure", &[PhaseKind::Benchmark, PhaseKind::Profile, PhaseKind::Tune]),
    ("close", &[PhaseKind::Cleanup, PhaseKind::Document]),
];

/// One additive term of a score.
#[derive(Clone, PartialEq, Debug)]
pub struct Term {
    /// What it is for, as a reader understands it.
    pub what: String,
    /// Its share of the score.
    pub weight: f64,
    /// The message that it comes from.
    pub message: MessageIdx,
    /// Where it stands.
    pub evidence: Evidence,
}

/// The cues of one step by name and value, as the weights were applied to them: what a table is fitted on.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct StepCue {
    /// For the phase that the step is in.
    pub here: Vec<(Cow<'static, str>, f64)>,
    /// For a boundary before the step.
    pub cut: Vec<(Cow<'static, str>, f64)>,
    /// Whether it counts towards the length of its phase.
    pub counts: bool,
    /// Whether a phase that begins here may be short.
    pub short_allowed: bool,
}

/// A step that may be a turning point, with the values that it is ranked by: what the ranking is fitted on.
#[derive(Clone, PartialEq, Debug)]
pub struct TurnCue {
    /// The step.
    pub step: StepIdx,
    /// Name and value of each.
    pub values: Vec<(Cow<'static, str>, f64)>,
}

/// A stretch of steps with one purpose. Phases partition the steps.
#[derive(Clone, PartialEq, Debug)]
pub struct Phase {
    /// Purpose.
    pub kind: PhaseKind,
    /// First step.
    pub from: StepIdx,
    /// Last step, included.
    pub to: StepIdx,
    /// How clear the label is, 0–1, from forward–backward.
    pub score: f64,
    /// How clear its left boundary is, 0–1; 1 for the first phase.
    pub boundary: f64,
    /// The terms that made the left boundary, strongest first.
    pub why: Vec<Term>,
    /// Class of most of its commands, where one class leads: `compile` in a setup that builds.
    pub mostly: Option<String>,
}

/// The pursuit of one aim of the user: phases from the message that sets it until the next aim. Arcs partition the
/// phases.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arc {
    /// First step.
    pub from: StepIdx,
    /// Last step, included.
    pub to: StepIdx,
    /// The user's message that sets the aim; none where the log begins without one or a new plan sets it.
    pub goal: Option<MessageIdx>,
}

/// A service or background job beside the phases, from its start to the last that is seen of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lane {
    /// Position in [`Facts::jobs`](super::facts::Facts::jobs).
    pub job: usize,
    /// First step.
    pub from: StepIdx,
    /// Last step, included: of its end, or of the last reading.
    pub to: StepIdx,
    /// Whether its end is shown. Else it may have gone on.
    pub ended: bool,
}

/// What a turning point is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TurnKind {
    /// The user overrules.
    Correction,
    /// A result contradicts a stated expectation.
    Surprise,
    /// Plan B was taken.
    FallbackTaken,
    /// A failure is gone.
    ProblemClosed,
    /// The user sets a new aim.
    GoalChange,
    /// The task list was replaced.
    PlanReplaced,
    /// One item closed, the next begun.
    Handover,
    /// The whole list is closed.
    PlanClosed,
    /// First number of a metric.
    Measured,
    /// A figure is better than in every run before.
    BestReached,
    /// First task list.
    PlanCreated,
    /// A failure appeared.
    ProblemOpened,
    /// A completed item is open again.
    Reopened,
    /// An item was dropped or cancelled.
    Abandoned,
    /// The aim differs, for no kind above.
    PhaseChange,
}

impl TurnKind {
    /// Printed word.
    pub fn word(self) -> &'static str {
        match self {
            TurnKind::Correction => "correction",
            TurnKind::Surprise => "surprise",
            TurnKind::FallbackTaken => "fallback-taken",
            TurnKind::ProblemClosed => "problem-closed",
            TurnKind::GoalChange => "goal-change",
            TurnKind::PlanReplaced => "plan-replaced",
            TurnKind::Handover => "handover",
            TurnKind::PlanClosed => "plan-closed",
            TurnKind::Measured => "measured",
            TurnKind::BestReached => "best-reached",
            TurnKind::PlanCreated => "plan-created",
            TurnKind::ProblemOpened => "problem-opened",
            TurnKind::Reopened => "reopened",
            TurnKind::Abandoned => "abandoned",
            TurnKind::PhaseChange => "phase-change",
        }
    }
}

/// A boundary (or a step inside a phase) after which the session's aim differs.
#[derive(Clone, PartialEq, Debug)]
pub struct TurningPoint {
    /// 1 is the one to write about.
    pub rank: usize,
    /// The step.
    pub step: StepIdx,
    /// What it is, strongest first; never empty.
    pub kinds: Vec<TurnKind>,
    /// Purpose before.
    pub from: PhaseKind,
    /// Purpose after.
    pub to: PhaseKind,
    /// What it was ranked by.
    pub score: f64,
    /// Messages that announce it, strongest first.
    pub markers: Vec<MessageIdx>,
    /// The terms of the score, strongest first.
    pub why: Vec<Term>,
}
