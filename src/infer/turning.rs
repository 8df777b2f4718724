//! Turning points: steps after which the aim differs, ranked, with the messages that announce them.
//!
//! Candidates are the boundaries of the phases, and steps inside a phase at which something happens: the user sets an aim,
//! the assistant says that something is not as thought or takes another way, the task list turns, a failure is shown gone, a
//! figure is better than ever, or the decoder nearly drew a boundary. Each has named values whose weights stand in the
//! table; the best are taken, apart from each other, at most one for every so many steps and one more.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use super::{Inference, Options, weights::Weights};
use crate::{
    base::ids::{MessageIdx, StepIdx},
    model::{
        facts::{Facts, RequestKind},
        findings::Findings,
        message::{MessageKind, ToolKind},
        phase::{Phase, PhaseKind, Term, TurnCue, TurnKind, TurningPoint},
        series::Series,
        session::Session,
        todo::ListEvent,
    },
    text::pattern::Regex,
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
        let candidates = scene.candidates();
        findings.turn_cues = candidates.iter().map(Candidate::cue).collect();
        findings.turns = ranked(candidates, session, &weights);
    }
}

/// The assistant finds that something is not as thought: "turns out", "the real cause is", "but wait, …"; not "waiting",
/// "as it actually stands", "you're right" (that concedes a point to the user).
static SURPRISES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:contrary to|interesting(?:ly)?[:,!]|key (?:finding|insight)|my mistake|not what i \w+|that explains|surpris\w+|",
        r"root cause (?:is|was|found|identified)\b|(?:is|found|have|here's|identified) the root cause|turns out|unexpected(?:ly)?|",
        r"the (?:real|actual|true) (?:cause|problem|issue|reason|bug|bottleneck|culprit|key|error)|(?:i|that|this|it|assumption) was wrong)\b|",
        r"(?:^|[.!?] |\bbut |\boh,? |\bhm+[,.]? )wait(?:[,.!:]| [—–-] |[—–])",
    ))
    .expect("valid")
});

/// The assistant takes another way: "I'll revert", "let me try a different approach"; not "the revert script".
static FALLBACKS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:(?:a |an)(?:different|another|other|simpler|new) (?:approach|way|route|strategy|design)|abandon(?:ing|ed)?|",
        r"(?:fall|falling|go|going|switch|switching) back to|giv(?:e|ing) up|not worth|start(?:ing)? over|switch(?:ing)? to|too slow|",
        r"(?:i'll|i will|let me|let's|i should|i need to|now|so) (?:\w+ )?(?:revert|fall back|go back|undo|drop|simplify|switch)|reverting|",
        r"let me try (?:an?|another|the|with(?:out)?|using) |won't work|(?:is|are|was|were|got|it's|even|made it|much) (?:slower|worse)|",
        r"(?:use|try|using|do|take|go with) [^.!?\n]{1,60} instead\b|instead,)",
    ))
    .expect("valid")
});

/// Something great is said to have come out; not praise of what the user said.
static WINS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:(?:big|great|huge|massive|significant|substantial) (?:improvement|win|gain|speed-?up|jump)|breakthrough|wow|excellent[!:]|fantastic[!:])",
    )
    .expect("valid")
});

/// How far around a boundary its announcements are looked for, in steps before and after.
const REACH: (usize, usize) = (2, 1);

struct Scene<'a> {
    session: &'a Session,
    facts: &'a Facts,
    findings: &'a Findings,
    /// List events by step.
    events: BTreeMap<usize, Vec<ListEvent>>,
    /// Steps at which an open failure is shown gone.
    gone: BTreeSet<usize>,
    /// Steps whose figures are better than in every run before.
    best: BTreeSet<usize>,
    said: Vec<Said>,
}

/// What the beginning of the assistant's words of a step tells; nothing for other steps.
#[derive(Clone, Copy, Default)]
struct Said {
    surprise: bool,
    fallback: bool,
    win: bool,
    /// Bytes of it.
    length: usize,
}

/// A step that may be a turning point.
struct Candidate {
    step: usize,
    from: PhaseKind,
    to: PhaseKind,
    kinds: Vec<TurnKind>,
    markers: Vec<MessageIdx>,
    values: Vec<Value>,
}

/// What a candidate is ranked by.
struct Value {
    /// As the table names it.
    name: Cow<'static, str>,
    /// As a reader understands it.
    what: Cow<'static, str>,
    value: f64,
    message: MessageIdx,
}

/// Steps that the decoder was not far from beginning a phase at.
const NEARLY: f64 = 0.1;

impl<'a> Scene<'a> {
    fn new(session: &'a Session, facts: &'a Facts, findings: &'a Findings) -> Self {
        let mut events: BTreeMap<usize, Vec<ListEvent>> = BTreeMap::new();
        for delta in &findings.deltas {
            let step = session.step_of(facts.todos[delta.to].message).at();
            events.entry(step).or_default().extend(&delta.events);
        }
        let failures = facts.failures.iter().filter(|f| !f.tooling && f.seen.len() > 1);
        let gone = failures.filter_map(|f| f.gone).map(|m| session.step_of(m).at()).collect();
        let said = (0..session.steps.len() as u32).map(|step| said(session, StepIdx(step))).collect();
        Self { session, facts, findings, events, gone, best: best_steps(session, findings), said }
    }

    fn candidates(&self) -> Vec<Candidate> {
        let mut all = Vec::new();
        for (i, phase) in self.findings.phases.iter().enumerate() {
            if i > 0 {
                all.push(self.candidate(phase.from.at(), Some((&self.findings.phases[i - 1], phase)), phase));
            }
            let inside = (phase.from.at() + 1..=phase.to.at()).filter(|step| self.stirs(*step));
            all.extend(inside.map(|step| self.candidate(step, None, phase)));
        }
        all
    }

    /// Whether something happens at a step inside a phase.
    fn stirs(&self, step: usize) -> bool {
        let turns = |step| self.events.get(&step).is_some_and(|events| events.iter().any(|e| turn_of(*e).is_some()));
        let said = self.said[step];
        said.surprise
            || said.fallback
            || said.win
            || self.cut(step, "user:aim")
            || turns(step)
            || self.gone.contains(&step)
            || self.best.contains(&step)
            || self.findings.begins.get(step).is_some_and(|likely| *likely >= NEARLY)
    }

    fn candidate(&self, step: usize, sides: Option<(&Phase, &Phase)>, phase: &Phase) -> Candidate {
        let (from, to) = sides.map_or((phase.kind, phase.kind), |(left, right)| (left.kind, right.kind));
        let kinds = self.kinds(step, sides);
        let markers = self.markers(step);
        let here = self.session.main_of(StepIdx(step as u32));
        let marker = markers.first().copied().unwrap_or(here);
        let mut values = Vec::new();
        let mut add = |name: Cow<'static, str>, what: Cow<'static, str>, value: f64, message: MessageIdx| {
            values.push(Value { name, what, value, message });
        };
        for kind in &kinds {
            add(format!("kind:{}", kind.word()).into(), phrase(*kind).into(), 1.0, marker);
        }
        let likely = self.findings.begins.get(self.nearby(step)).unwrap_or_default().iter().sum::<f64>().min(1.0);
        add("posterior".into(), "how clear the boundary is".into(), likely, here);
        match sides {
            Some((left, right)) => {
                let length = |p: &Phase| (p.to.0 + 1 - p.from.0) as f64;
                let shorter = length(left).min(length(right));
                add("length".into(), format!("the shorter side has {shorter} steps").into(), shorter.ln_1p(), here);
                add("right-length".into(), "length of what follows".into(), length(right).ln_1p(), here);
                add(distance(from, to).into(), format!("from {} to {}", from.word(), to.word()).into(), 1.0, here);
                add(format!("to:{}", to.word()).into(), format!("{} begins", to.word()).into(), 1.0, here);
                add(format!("from:{}", from.word()).into(), format!("{} ends", from.word()).into(), 1.0, here);
            }
            None => {
                add("inside".into(), format!("inside {}", to.word()).into(), 1.0, here);
                add(format!("inside:{}", to.word()).into(), format!("inside {}", to.word()).into(), 1.0, here);
            }
        }
        add("markers".into(), "messages announce it".into(), markers.len().min(3) as f64, marker);
        let spoken = self.said[step].length as f64 / SPOKEN as f64;
        add("words".into(), "the assistant says much about it".into(), spoken, here);
        let done = step as f64 / self.session.steps.len() as f64;
        add("opening".into(), "early in the session".into(), 1.0 - done, here);
        add("middle".into(), "amid the session".into(), 4.0 * done * (1.0 - done), here);
        Candidate { step, from, to, kinds, markers, values }
    }

    fn cut(&self, step: usize, name: &str) -> bool {
        self.findings.cues.get(step).is_some_and(|cues| cues.cut.iter().any(|cue| cue.0 == name))
    }

    fn nearby(&self, step: usize) -> std::ops::RangeInclusive<usize> {
        step.saturating_sub(REACH.0)..=(step + REACH.1).min(self.session.steps.len() - 1)
    }

    /// Steps around one whose words belong to it: what was said before a message of the user closed what came before.
    fn heard(&self, step: usize) -> std::ops::RangeInclusive<usize> {
        let near = self.nearby(step);
        if self.by_user(step) { step..=*near.end() } else { near }
    }

    fn by_user(&self, step: usize) -> bool {
        self.session.message(self.session.main_of(StepIdx(step as u32))).kind == MessageKind::User
    }

    fn kinds(&self, step: usize, sides: Option<(&Phase, &Phase)>) -> Vec<TurnKind> {
        let mut kinds = Vec::new();
        let message = self.session.main_of(StepIdx(step as u32));
        let corrects = self.facts.requests.iter().any(|r| r.kind == RequestKind::Correction && r.message == message);
        if corrects {
            kinds.push(TurnKind::Correction);
        }
        if self.heard(step).any(|s| self.said[s].surprise) {
            kinds.push(TurnKind::Surprise);
        }
        if self.heard(step).any(|s| self.said[s].fallback) {
            kinds.push(TurnKind::FallbackTaken);
        }
        let (left, right) = sides.map_or((None, None), |(l, r)| (Some(l.kind), Some(r.kind)));
        let differs = left != right;
        if self.nearby(step).any(|s| self.gone.contains(&s)) {
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
        if self.nearby(step).any(|s| self.best.contains(&s)) || self.heard(step).any(|s| self.said[s].win) {
            kinds.push(TurnKind::BestReached);
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

/// Steps at which a figure is better than in all other runs, the first run aside.
fn best_steps(session: &Session, findings: &Findings) -> BTreeSet<usize> {
    let best = |series: &Series| series.best().map(|best| best.0).filter(|run| *run != series.baseline().0);
    findings.series.iter().filter_map(best).map(|run| session.step_of(findings.runs[run].message).at()).collect()
}

fn said(session: &Session, step: StepIdx) -> Said {
    let message = session.message(session.step(step).first);
    if message.kind != MessageKind::Text {
        return Said::default();
    }
    let words: String = message.prose().chars().take(SPOKEN).collect();
    let says = |pattern: &Regex| pattern.is_match(&words);
    Said { surprise: says(&SURPRISES), fallback: says(&FALLBACKS), win: says(&WINS), length: words.len() }
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
        TurnKind::BestReached => "better than ever",
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
    } else if from.group() == to.group() {
        "distance:near"
    } else {
        "distance:far"
    }
}

/// The best candidates, apart from each other. Ties: the earlier one.
fn ranked(candidates: Vec<Candidate>, session: &Session, weights: &Weights) -> Vec<TurningPoint> {
    let steps = session.steps.len();
    let most = steps.div_ceil((weights.ranking("every") as usize).max(1)) + 1;
    let apart = (weights.ranking("spacing") * steps as f64).max(weights.ranking("apart")) as usize;
    let mut scored: Vec<(f64, Candidate)> = candidates.into_iter().map(|c| (c.score(weights), c)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.step.cmp(&b.1.step)));
    let mut taken: Vec<(f64, Candidate)> = Vec::new();
    for (score, candidate) in scored {
        if taken.len() < most && taken.iter().all(|(_, t)| t.step.abs_diff(candidate.step) > apart) {
            taken.push((score, candidate));
        }
    }
    taken
        .into_iter()
        .enumerate()
        .map(|(i, (score, candidate))| candidate.into_turn(i + 1, score, session, weights))
        .collect()
}

impl Candidate {
    fn score(&self, weights: &Weights) -> f64 {
        self.values.iter().map(|value| value.value * weights.ranking(&value.name)).sum()
    }

    fn cue(&self) -> TurnCue {
        let values = self.values.iter().map(|value| (value.name.clone(), value.value)).collect();
        TurnCue { step: StepIdx(self.step as u32), values }
    }

    fn into_turn(self, rank: usize, score: f64, session: &Session, weights: &Weights) -> TurningPoint {
        let Self { step, from, to, kinds, markers, values } = self;
        let term = |value: Value| Term {
            weight: value.value * weights.ranking(&value.name),
            what: value.what.into_owned(),
            message: value.message,
            evidence: session.whole(value.message),
        };
        let mut why: Vec<Term> = values.into_iter().map(term).filter(|term| term.weight != 0.0).collect();
        why.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()).then_with(|| a.what.cmp(&b.what)));
        TurningPoint { rank, step: StepIdx(step as u32), kinds, from, to, score, markers, why }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_turn_are_no_parts_of_others() {
        assert!(SURPRISES.is_match("But wait — the cache is empty."));
        assert!(SURPRISES.is_match("It turns out that the flag is ignored."));
        assert!(!SURPRISES.is_match("Still waiting for the job, let me actually look."));
        assert!(!SURPRISES.is_match("You're right."));
        assert!(FALLBACKS.is_match("That is slower. I'll revert it."));
        assert!(FALLBACKS.is_match("Let me use the loader instead."));
        assert!(!FALLBACKS.is_match("The revert script is part of the task, as is the fallback path."));
        assert!(WINS.is_match("A huge improvement over the first run."));
        assert!(!WINS.is_match("Excellent points, the jump table is huge."));
    }
}
