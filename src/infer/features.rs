//! Cues: what speaks for a phase at a step, and for a boundary before it. One forward pass over the signals, with
//! ledgers of failures, figures and the task list; windows look a few steps ahead.
//!
//! A cue has a name that the weight table knows, a value, and the place that shows it. What a cue is worth stands in the
//! table alone.

use std::{
    borrow::Cow,
    collections::{BTreeMap, VecDeque},
};

use super::{
    cue_words,
    signals::{self, Act, Ended, Signal},
};
use crate::{
    base::ids::{MessageIdx, StepIdx},
    model::{
        evidence::Evidence,
        facts::{Facts, RequestKind},
        findings::Findings,
        message::{MessageKind, ToolKind},
        phase::PhaseKind,
        session::Session,
        todo::{ListEvent, TodoStatus},
    },
};

/// One cue at one step.
#[derive(Clone, PartialEq, Debug)]
pub struct Cue {
    /// `family:member`, or one word.
    pub name: Cow<'static, str>,
    /// How strong, mostly 1.
    pub value: f64,
    /// What shows it.
    pub evidence: Evidence,
}

/// The cues of one step.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct StepCues {
    /// For the phase that the step is in.
    pub here: Vec<Cue>,
    /// For a boundary before the step.
    pub cut: Vec<Cue>,
    /// Whether it counts towards the length of its phase: a call with its polls and its announcement counts once.
    pub counts: bool,
    /// Whether a phase that begins here may be short.
    pub short_allowed: bool,
}

/// Steps to each side that a window takes in. Nothing looks further ahead.
pub const AROUND: usize = 6;
/// An act begins when it was not done in so many steps before, and ends when it is not done in as many after.
const APART: usize = 4;

/// The cues of all steps.
pub fn of(session: &Session, facts: &Facts, findings: &Findings) -> Vec<StepCues> {
    let signals = signals::of(session, facts);
    let mut all: Vec<StepCues> = signals.iter().map(|_| StepCues::default()).collect();
    let scene = Scene { session, signals: &signals };
    scene.own(&mut all);
    scene.windows(&mut all);
    scene.ledgers(&mut all);
    scene.beginnings(&mut all);
    scene.requests(facts, &mut all);
    scene.todos(facts, findings, &mut all);
    scene.pauses(&mut all);
    all
}

struct Scene<'a> {
    session: &'a Session,
    signals: &'a [Signal],
}

impl Scene<'_> {
    fn whole(&self, step: usize) -> Evidence {
        self.session.whole(self.signals[step].main)
    }

    fn here(&self, all: &mut [StepCues], step: usize, name: impl Into<Cow<'static, str>>, value: f64) {
        all[step].here.push(Cue { name: name.into(), value, evidence: self.whole(step) });
    }

    fn cut(&self, all: &mut [StepCues], step: usize, name: impl Into<Cow<'static, str>>, shown_at: usize) {
        all[step].cut.push(Cue { name: name.into(), value: 1.0, evidence: self.whole(shown_at) });
    }

    fn is_text(&self, step: usize) -> bool {
        self.signals[step].kind == MessageKind::Text
    }

    /// A text that nothing of the assistant follows before the user speaks or the log ends.
    fn is_closing(&self, step: usize) -> bool {
        self.is_text(step) && self.signals.get(step + 1).is_none_or(|next| next.kind == MessageKind::User)
    }

    /// A text that leads over to a call.
    fn is_announcement(&self, step: usize) -> bool {
        self.is_text(step) && self.signals.get(step + 1).is_some_and(|next| next.kind == MessageKind::Tool)
    }

    /// What the step does and says.
    fn own(&self, all: &mut [StepCues]) {
        for (step, signal) in self.signals.iter().enumerate() {
            self.here(all, step, "always", 1.0);
            self.here(all, step, format!("act:{}", signal.act.word()), 1.0);
            for class in signal.classes.iter().take(1) {
                self.here(all, step, format!("cmd:{class}"), 1.0);
            }
            for kind in &signal.changes {
                self.here(all, step, format!("edits:{}", kind.word()), 1.0);
            }
            for kind in &signal.reads {
                self.here(all, step, format!("reads:{}", kind.word()), 1.0);
            }
            if signal.kind != MessageKind::User {
                all[step].here.extend(self.votes("says", step));
            }
            match signal.ended {
                Ended::Failed => self.here(all, step, "failed", 1.0),
                Ended::Passed => self.here(all, step, "passed", 1.0),
                Ended::Open => {}
            }
            if signal.figures {
                self.here(all, step, "figures", 1.0);
            }
            if let Some(tool @ (ToolKind::Web | ToolKind::Agent | ToolKind::Question)) = signal.tool {
                self.here(all, step, format!("tool:{}", format!("{tool:?}").to_lowercase()), 1.0);
            }
            self.texts(all, step);
            all[step].counts = signal.act != Act::Wait && !self.is_announcement(step);
            all[step].short_allowed = signal.kind == MessageKind::User;
        }
    }

    /// Texts: closing ones belong to what they close, announcements to what they announce.
    fn texts(&self, all: &mut [StepCues], step: usize) {
        if self.is_closing(step) {
            self.here(all, step, "closing", 1.0);
            let text = self.session.message(self.signals[step].main).prose().trim_end();
            let offers = OFFERS.iter().any(|o| text.to_lowercase().contains(o));
            if text.ends_with(['?', '？']) && !offers {
                self.here(all, step, "closing-asks", 1.0);
                self.cut(all, step, "closing-asks", step);
            }
        }
        if self.is_announcement(step) {
            self.here(all, step, format!("leads:{}", self.signals[step + 1].act.word()), 1.0);
        }
    }

    /// Shares of acts, failures and figures among the neighbours: a loop shows in its surroundings, not in a step.
    fn windows(&self, all: &mut [StepCues]) {
        for step in 0..self.signals.len() {
            let window = &self.signals[step.saturating_sub(AROUND)..(step + AROUND + 1).min(self.signals.len())];
            let calls = window.iter().filter(|s| s.kind == MessageKind::Tool).count().max(1) as f64;
            let share = |test: &dyn Fn(&Signal) -> bool| window.iter().filter(|s| test(s)).count() as f64 / calls;
            let (edits, tests) = (share(&|s| s.does(Act::Edit)), share(&|s| s.does(Act::Test)));
            let (fails, figures) = (share(&|s| s.ended == Ended::Failed), share(&|s| s.figures));
            let acts = Act::ALL.into_iter().filter(|a| !matches!(a, Act::Ask | Act::Say));
            let mut shares: Vec<(&str, f64)> = acts.map(|act| (act.word(), share(&|s| s.act == act))).collect();
            shares.extend([("failed", fails), ("figures", figures), ("edit+figures", edits.min(figures))]);
            shares.extend([("edit+failed", edits.min(fails)), ("edit+test", edits.min(tests))]);
            for (name, value) in shares.into_iter().filter(|s| s.1 > 0.0) {
                self.here(all, step, format!("around:{name}"), value);
            }
        }
    }

    /// What is known by now: an open failure, figures printed before, nothing edited yet.
    fn ledgers(&self, all: &mut [StepCues]) {
        let (mut open, mut measured, mut edited, mut tested, mut baseline) = (None, false, false, false, false);
        for (step, signal) in self.signals.iter().enumerate() {
            if let Some(since) = open {
                let evidence = self.whole(since);
                all[step].here.push(Cue { name: "open-failure".into(), value: 1.0, evidence });
            }
            if step > 0 {
                let last = &self.signals[step - 1];
                match last.ended {
                    Ended::Failed if open == Some(step - 1) => self.cut(all, step, "after:first-failure", step - 1),
                    Ended::Failed => self.cut(all, step, "after:failure", step - 1),
                    Ended::Passed => self.cut(all, step, "after:success", step - 1),
                    Ended::Open => {}
                }
                if last.figures {
                    self.cut(all, step, "after:figures", step - 1);
                }
            }
            for (name, holds) in
                [("since:figures", measured), ("before:edit", !edited), ("before:test", edited && !tested)]
            {
                if holds {
                    self.here(all, step, name, 1.0);
                }
            }
            if signal.figures && !measured {
                self.cut(all, step, "first:figures", step);
            }
            if signal.figures && (signal.does(Act::Measure) || signal.does(Act::Profile)) {
                if edited && !baseline && !signal.does(Act::Profile) {
                    self.baseline(all, step);
                }
                baseline = true;
            }
            match signal.ended {
                Ended::Failed if open.is_none() => open = Some(step),
                Ended::Passed => open = None,
                _ if open.is_some_and(|since| step - since > EXPIRES) || signal.kind == MessageKind::User => {
                    open = None
                }
                _ => {}
            }
            measured |= signal.figures;
            edited |= signal.does(Act::Edit);
            tested |= signal.does(Act::Test);
        }
    }

    /// The first figures of what was built here: a measurement of its own, with the sentence that announces it and the
    /// task item that it opens.
    fn baseline(&self, all: &mut [StepCues], step: usize) {
        let leads = |at: usize| self.is_announcement(at) || self.signals[at].act == Act::Track;
        let from = (0..step).rev().take_while(|at| leads(*at)).last().unwrap_or(step);
        for at in from..=step {
            self.here(all, at, "baseline", 1.0);
        }
        if from > 0 {
            self.cut(all, from, "baseline", step);
        }
    }

    /// Acts that begin or end here, words that turn to something else.
    fn beginnings(&self, all: &mut [StepCues]) {
        for step in 1..self.signals.len() {
            self.cut(all, step, "always", step);
            let signal = &self.signals[step];
            let before = &self.signals[step.saturating_sub(APART)..step];
            let after = &self.signals[step..(step + APART).min(self.signals.len())];
            let act = if self.is_announcement(step) { self.signals[step + 1].act } else { signal.act };
            if before.iter().all(|s| s.act != act) {
                self.cut(all, step, format!("starts:{}", act.word()), step);
            }
            let last = self.signals[step - 1].act;
            if after.iter().all(|s| s.act != last) {
                self.cut(all, step, format!("ends:{}", last.word()), step - 1);
            }
            if self.is_announcement(step - 1) {
                self.cut(all, step, "announced", step - 1);
            }
            let said: Vec<PhaseKind> = before.iter().flat_map(|s| s.says.iter().map(|v| v.0)).collect();
            for (kind, (message, part, span)) in signal.says.iter().filter(|v| !said.contains(&v.0)) {
                let evidence = self.session.cite(*message, *part, *span).unwrap_or_else(|| self.whole(step));
                let name = format!("turns-to:{}", kind.word()).into();
                all[step].cut.push(Cue { name, value: 1.0, evidence });
            }
            if !signal.words.is_empty() && signal.kind != MessageKind::User {
                self.cut(all, step, "speaks", step);
                if OPENERS.iter().any(|o| signal.words.starts_with(o)) {
                    self.cut(all, step, "speaks:opener", step);
                }
                if VERDICTS.iter().any(|o| signal.words.contains(o)) {
                    self.cut(all, step, "speaks:verdict", step);
                }
            }
        }
    }

    /// What the user asked for, from the message on until the next one.
    fn requests(&self, facts: &Facts, all: &mut [StepCues]) {
        let goes_ahead: Vec<MessageIdx> =
            facts.requests.iter().filter(|r| r.kind == RequestKind::Affirmation).map(|r| r.message).collect();
        let mut asked: Vec<Cue> = Vec::new();
        let mut since = 0;
        for (step, signal) in self.signals.iter().enumerate() {
            if signal.kind == MessageKind::User {
                asked = self.votes("asked", step);
                since = step;
                let text = self.session.message(signal.main).prose();
                let affirms = goes_ahead.contains(&signal.main) || affirms(text);
                let question = text.trim_end().ends_with(['?', '？']);
                let name = if affirms {
                    "user:go-ahead"
                } else if question {
                    "user:question"
                } else {
                    "user:aim"
                };
                if step > 0 {
                    self.cut(all, step, name, step);
                }
                if question {
                    asked.push(Cue { name: "asked:question".into(), value: 1.0, evidence: self.whole(step) });
                }
            }
            let fades = if step - since <= FADES { 1.0 } else { 0.5 };
            all[step].here.extend(asked.iter().map(|cue| Cue { value: fades, ..cue.clone() }));
            if step - since <= 2 {
                self.here(all, step, "turn:opening", 1.0);
            }
        }
    }

    /// The phases that the words of a step speak for, as cues of a family.
    fn votes(&self, family: &str, step: usize) -> Vec<Cue> {
        let cue = |(kind, (message, part, span)): &(PhaseKind, signals::Place)| Cue {
            name: format!("{family}:{}", kind.word()).into(),
            value: 1.0,
            evidence: self.session.cite(*message, *part, *span).unwrap_or_else(|| self.whole(step)),
        };
        self.signals[step].says.iter().map(cue).collect()
    }

    /// The item in progress and the changes of the list.
    fn todos(&self, facts: &Facts, findings: &Findings, all: &mut [StepCues]) {
        let mut events: BTreeMap<StepIdx, Vec<ListEvent>> = BTreeMap::new();
        for delta in &findings.deltas {
            let at = self.session.step_of(facts.todos[delta.to].message);
            events.entry(at).or_default().extend(&delta.events);
        }
        let mut snapshots = facts.todos.iter().peekable();
        let mut active: Vec<Cue> = Vec::new();
        for step in 0..self.signals.len() {
            while let Some(snapshot) = snapshots.next_if(|s| self.session.step_of(s.message).at() <= step) {
                active.clear();
                for item in snapshot.items.iter().filter(|i| i.status == TodoStatus::InProgress) {
                    for (kind, _) in cue_words::votes(&item.content) {
                        let name = format!("active:{}", kind.word()).into();
                        active.push(Cue { name, value: 1.0, evidence: item.evidence.clone() });
                    }
                }
            }
            for event in events.get(&StepIdx(step as u32)).into_iter().flatten() {
                if step > 0 {
                    self.cut(all, step, format!("todo:{}", event_word(*event)), step);
                }
                if step + 1 < all.len() && *event != ListEvent::Created {
                    self.cut(all, step + 1, format!("after-todo:{}", event_word(*event)), step);
                }
                self.here(all, step, format!("list:{}", event_word(*event)), 1.0);
            }
            all[step].here.extend(active.iter().cloned());
        }
    }

    /// Pauses long against the median of those before: what comes later does not change what was a pause.
    fn pauses(&self, all: &mut [StepCues]) {
        let times: Vec<Option<i64>> =
            self.signals.iter().map(|s| self.session.message(s.main).time.map(|t| t.millis())).collect();
        let mut recent: VecDeque<i64> = VecDeque::with_capacity(RECENT);
        for step in 1..times.len() {
            let Some(gap) = times[step].zip(times[step - 1]).map(|(now, before)| now - before) else { continue };
            let mut sorted: Vec<i64> = recent.iter().copied().collect();
            sorted.sort_unstable();
            let median = sorted.get(sorted.len() / 2).copied().filter(|median| *median > 0);
            if sorted.len() >= FEW && median.is_some_and(|median| gap > LONG_PAUSE * median) {
                self.cut(all, step, "pause", step);
            }
            if recent.len() == RECENT {
                recent.pop_front();
            }
            recent.push_back(gap);
        }
    }
}

/// Steps after which an open failure that nobody touched no longer counts.
const EXPIRES: usize = 40;
/// Steps after which the words of a request weigh half.
const FADES: usize = 12;
/// Gaps whose median a pause is held against, and how many there must be.
const RECENT: usize = 50;
const FEW: usize = 5;
/// A pause is long from so many medians on.
const LONG_PAUSE: i64 = 10;

/// Courtesy offers: a question that asks for no decision (guide 2.30). Sorted.
const OFFERS: &[&str] = &["anything else", "let me know", "shall i", "want me to", "would you like"];

/// Beginnings of sentences that lead over to something else. Sorted.
#[rustfmt::skip]
const OPENERS: &[&str] = &["all ", "excellent", "good", "great", "next", "now ", "perfect", "so ", "the ", "wait"];

/// Words with which something is found settled. Sorted.
#[rustfmt::skip]
const VERDICTS: &[&str] = &["all tests pass", "builds clean", "confirmed", "i have enough", "i now have", "i see the", "is complete", "now i understand", "passes", "the issue is", "the problem is", "works"];

fn event_word(event: ListEvent) -> &'static str {
    match event {
        ListEvent::Created => "created",
        ListEvent::Replaced => "replaced",
        ListEvent::ClosedAll => "closed-all",
        ListEvent::Handover => "handover",
        ListEvent::Opened => "opened",
        ListEvent::Closed => "closed",
        ListEvent::Reopened => "reopened",
        ListEvent::Dropped => "dropped",
    }
}

/// Words of agreement with which a short message sets no aim of its own. Sorted.
#[rustfmt::skip]
const AGREEMENT: &[&str] = &["approved", "continue", "do it", "go", "great", "hello", "hey", "hi", "looks good", "ok", "okay", "perfect", "please do", "proceed", "sounds good", "sure", "thanks", "y", "yeah", "yep", "yes", "好", "可以", "是", "继续"];

/// Words that a message of agreement has at most.
const AGREES_WITHIN: usize = 6;

fn affirms(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    let first = lower.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    lower.split_whitespace().count() <= AGREES_WITHIN
        && AGREEMENT.iter().any(|a| first == *a || (a.contains(' ') && lower.starts_with(a)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_agreement_sets_no_aim() {
        assert!(affirms("yes, go ahead"));
        assert!(affirms("Continue."));
        assert!(!affirms("yes, but first explain to me how the cache is keyed"));
        assert!(!affirms("Good grief, where did the gopher tests go, all of them?"));
    }
}
