//! What an article is written from: one session with its facts and findings, and the stretch that it is about.

use crate::{
    base::ids::{MessageIdx, StepIdx},
    model::{
        facts::{Facts, Request, RequestKind},
        findings::Findings,
        message::MessageKind,
        phase::Phase,
        session::Session,
    },
};

/// The session as an article sees it.
#[derive(Clone, Copy)]
pub struct Material<'a> {
    /// The log.
    pub session: &'a Session,
    /// What was read off it.
    pub facts: &'a Facts,
    /// What was concluded.
    pub findings: &'a Findings,
    /// File name of the log, printed in the subtitle.
    pub log: &'a str,
    /// The message the article is about; `None` for a retrospective.
    pub subject: Option<MessageIdx>,
    /// First message of the stretch that is told: the request that led to the subject, else the first of all.
    pub from: MessageIdx,
    /// Last message of the stretch: the subject, else the last of all.
    pub to: MessageIdx,
    /// Last message of the session.
    pub last: MessageIdx,
}

impl<'a> Material<'a> {
    /// For an article about the whole session.
    pub fn whole(session: &'a Session, facts: &'a Facts, findings: &'a Findings, log: &'a str) -> Self {
        let last = MessageIdx(session.messages.len().saturating_sub(1) as u32);
        Self { session, facts, findings, log, subject: None, from: MessageIdx(0), to: last, last }
    }

    /// For an article about one message. The stretch begins at the last request that set an aim at least
    /// [`SHORTEST_STRETCH`] messages before it: the user's "go on" directly before says little.
    pub fn about(self, subject: MessageIdx) -> Self {
        let goals = self.facts.requests.iter().filter(|r| matches!(r.kind, RequestKind::Goal | RequestKind::Asks));
        let early = goals.map(|r| r.message).filter(|at| at.0 + SHORTEST_STRETCH <= subject.0).last();
        Self { subject: Some(subject), from: early.unwrap_or(MessageIdx(0)), to: subject, ..self }
    }

    /// Whether a message lies in the stretch.
    pub fn told(&self, at: MessageIdx) -> bool {
        self.from <= at && at <= self.to
    }

    /// Whether a message lies after the subject.
    pub fn after(&self, at: MessageIdx) -> bool {
        self.subject.is_some_and(|s| s < at)
    }

    /// The phase that a message lies in.
    pub fn phase(&self, at: MessageIdx) -> Option<&'a Phase> {
        let step = self.session.step_of(at);
        self.findings.phases.iter().find(|p| p.from <= step && step <= p.to)
    }

    /// First message of a step.
    pub fn first_of(&self, step: StepIdx) -> MessageIdx {
        self.session.step(step).first
    }

    /// Last message of a step.
    pub fn last_of(&self, step: StepIdx) -> MessageIdx {
        self.session.step(step).main
    }

    /// The request that the stretch serves: the last aim or question up to its end, else the first user text.
    pub fn aim(&self) -> Option<&'a Request> {
        let in_reach = |r: &&Request| r.message <= self.to;
        let kinds = [RequestKind::Goal, RequestKind::Asks];
        match self.subject {
            Some(_) => kinds.iter().find_map(|k| {
                self.facts
                    .requests
                    .iter()
                    .filter(in_reach)
                    .filter(|r| r.kind == *k && r.message >= self.from)
                    .next_back()
            }),
            None => kinds.iter().find_map(|k| self.facts.requests.iter().find(|r| r.kind == *k)),
        }
    }

    /// The last assistant text that no call follows: the closing summary.
    pub fn closing(&self) -> Option<MessageIdx> {
        let (at, message) = self.session.iter().next_back()?;
        (message.kind == MessageKind::Text).then_some(at)
    }

    /// Messages of user texts after `at`.
    pub fn next_user(&self, at: MessageIdx) -> Option<MessageIdx> {
        self.session.iter().find(|(i, m)| *i > at && m.kind == MessageKind::User).map(|(i, _)| i)
    }
}

/// A stretch shorter than this is told together with what led to it.
pub const SHORTEST_STRETCH: u32 = 12;
