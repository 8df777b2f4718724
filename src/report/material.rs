//! What an article is written from: one session with its facts and findings, and the stretch that it is about.

use std::sync::LazyLock;

use crate::text::pattern::Regex;

use super::{aims, checks};
use crate::{
    base::{
        ids::{MessageIdx, StepIdx},
        path::base_name,
    },
    model::{
        audit::Audit,
        command::CommandRun,
        facts::{Facts, FileAct, FileTouch, Request, RequestKind, Statement, StatementKind},
        findings::Findings,
        message::MessageKind,
        phase::{Phase, TurnKind},
        session::Session,
        todo::{ListEvent, TodoDelta},
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
    /// What the agent said, and did not say, against its own log.
    pub audit: &'a Audit,
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
    pub fn whole(
        session: &'a Session,
        facts: &'a Facts,
        findings: &'a Findings,
        audit: &'a Audit,
        log: &'a str,
    ) -> Self {
        let last = MessageIdx(session.messages.len().saturating_sub(1) as u32);
        Self { session, facts, findings, audit, log, subject: None, from: MessageIdx(0), to: last, last }
    }

    /// For an article about one message: the stretch begins where the user set the aim that the subject serves.
    pub fn about(self, subject: MessageIdx) -> Self {
        let whole = Self { subject: Some(subject), from: MessageIdx(0), to: subject, ..self };
        let from = whole.aim().map_or(whole.arc_start(), |aim| aim.message.min(whole.arc_start()));
        Self { from, ..whole }
    }

    /// Where the pursuit of one aim begins that the end of the stretch belongs to: the last new or replaced task list
    /// (a list that goes on across a user's message is one pursuit), else the last change of the user's goal; at least
    /// [`SHORTEST_STRETCH`] messages back.
    fn arc_start(&self) -> MessageIdx {
        let new_list = |d: &&TodoDelta| d.events.iter().any(|e| matches!(e, ListEvent::Created | ListEvent::Replaced));
        let lists = self.findings.deltas.iter().filter(new_list).filter_map(|d| self.facts.todos.get(d.to));
        let goals = self.findings.turns.iter().filter(|t| t.kinds.contains(&TurnKind::GoalChange));
        let early = |at: &MessageIdx| at.0 + SHORTEST_STRETCH <= self.to.0;
        let list = lists.map(|s| s.message).filter(early).max();
        let goal = goals.map(|t| self.session.main_of(t.step)).filter(early).max();
        list.or(goal).unwrap_or(MessageIdx(0))
    }

    /// Whether a message lies in the stretch.
    pub fn told(&self, at: MessageIdx) -> bool {
        self.from <= at && at <= self.to
    }

    /// Whether a message lies after the subject, and near enough to tell what came of it.
    pub fn after(&self, at: MessageIdx) -> bool {
        self.subject.is_some_and(|s| s < at && at.0 <= s.0 + SEQUEL)
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

    /// The request that the article is about: for a subject the question or aim that began its arc, else the first of
    /// the session. A question says more than an order.
    pub fn aim(&self) -> Option<&'a Request> {
        let first = self.first_aim()?;
        if !announces(self.session.quoted(&first.evidence)) {
            return Some(first);
        }
        let mut after = self.facts.requests.iter().skip_while(|r| !std::ptr::eq(*r, first)).skip(1);
        let announced = after.next();
        let said = announced.filter(|next| next.message == first.message);
        let later = || std::iter::once(announced?).chain(after).find(|r| is_aim(r) && r.message <= self.to);
        Some(said.or_else(later).unwrap_or(first))
    }

    /// The request under which most messages stand; two words say nothing of an aim.
    fn heaviest(&self) -> Option<&'a Request> {
        let says = |r: &&Request| {
            let words = self.session.quoted(&r.evidence).split_whitespace().count();
            is_aim(r) && words >= 3 && !self.in_passing(r)
        };
        let words = |r: &Request| self.session.quoted(&r.evidence);
        let speaks = |r: &&Request| aims::speaks(words(r)) || announces(words(r));
        let all = || self.facts.requests.iter().filter(says);
        let named: Vec<&Request> = all().filter(speaks).collect();
        let all: Vec<&Request> = if named.is_empty() { all().collect() } else { named };
        let next = |r: &Request| all.iter().find(|a| a.message > r.message).map_or(self.last.0 + 1, |a| a.message.0);
        let weight = |r: &Request| next(r) - r.message.0;
        let most = all.iter().map(|r| weight(r)).max()?;
        all.iter().find(|r| weight(r) == most).copied()
    }

    /// Whether a request goes on with an earlier one: its message begins with consent, or it is said besides ("also").
    fn in_passing(&self, r: &Request) -> bool {
        let begins = self.facts.requests.iter().find(|first| first.message == r.message);
        let consents = begins.is_some_and(|first| first.kind == RequestKind::Affirmation);
        let first = self.facts.requests.first().is_some_and(|first| first.message == r.message);
        let before = r.evidence.quote().and_then(|(part, span)| {
            let text = &self.session.message(r.message).parts[part].text;
            text.get(..span.start)
        });
        let besides = before.is_some_and(|text| text.trim_end().to_lowercase().ends_with("also"));
        !first && (consents || besides)
    }

    fn first_aim(&self) -> Option<&'a Request> {
        let kinds = [RequestKind::Asks, RequestKind::Goal];
        let Some(_) = self.subject else {
            return self.heaviest();
        };
        let start = self.arc_start();
        let of = |k: RequestKind| self.facts.requests.iter().filter(move |r| r.kind == k);
        let led_to = |r: &&Request| r.message <= start && r.message.0 + LEAD >= start.0;
        kinds
            .iter()
            .find_map(|k| of(*k).find(led_to))
            .or_else(|| kinds.iter().rev().find_map(|k| of(*k).rfind(|r| r.message <= self.to)))
    }

    /// The last assistant text that no call follows: the closing summary.
    pub fn closing(&self) -> Option<MessageIdx> {
        let (at, message) = self.session.iter().next_back()?;
        (message.kind == MessageKind::Text).then_some(at)
    }

    /// Whether a message stands under a request: the user asked for nothing else, and objected to nothing, between them.
    pub fn under(&self, aim: &Request, at: MessageIdx) -> bool {
        let asks = |r: &&Request| matches!(r.kind, RequestKind::Goal | RequestKind::Asks | RequestKind::Correction);
        let other = |r: &Request| aim.message < r.message && r.message < at;
        aim.message <= at && !self.facts.requests.iter().filter(asks).any(other)
    }

    /// What the closing text of the session says is blocked, red or not done; nothing for an article about a message.
    pub fn shortfalls(&self) -> impl Iterator<Item = &'a Statement> {
        let closing = self.closing().filter(|_| self.subject.is_none());
        let said = self.facts.statements.iter().filter(|s| s.kind == StatementKind::Shortfall);
        said.filter(move |s| Some(s.message) == closing)
    }

    /// Whether words name a file that was deleted and not made again: whatever they praise is gone.
    pub fn tells_of_deleted(&self, words: &str) -> bool {
        let deleted = self.facts.files.iter().filter(|f| f.act == FileAct::Deleted && f.succeeded);
        let mut named = deleted.filter(|f| words.contains(base_name(&f.path)));
        named.any(|f| self.facts.deleted_after(&f.path, MessageIdx(0)))
    }

    /// Whether work went on after a message: files were changed, something was run or handed over.
    pub fn worked_after(&self, at: MessageIdx) -> bool {
        let changes = |f: &FileTouch| f.message > at && f.succeeded && f.act != FileAct::Read;
        let runs = |c: &CommandRun| c.message > at && c.ran && c.parts.iter().any(checks::is_check);
        self.facts.files.iter().any(changes) || self.facts.commands.iter().any(runs)
    }

    /// Messages of user texts after `at`.
    pub fn next_user(&self, at: MessageIdx) -> Option<MessageIdx> {
        self.session.indices().find(|i| *i > at && self.session.by_user(*i))
    }
}

/// Whether a request sets an aim or asks for something.
fn is_aim(r: &Request) -> bool {
    matches!(r.kind, RequestKind::Goal | RequestKind::Asks)
}

/// Whether a request only announces what follows it.
pub fn announces(words: &str) -> bool {
    ANNOUNCES.is_match(words.trim_end())
}

/// "Implement the following plan:", "The task is:" only announce what follows; not "can you incorporate:".
static ANNOUNCES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:follow\w*|below|this|these|tasks?|plan|spec\w*|here)\b[^:]*[:：]$").expect("valid")
});

/// A request stands at most this many messages before the list or phase that it leads to.
const LEAD: u32 = 10;

/// What came of a message is looked for in this many messages after it.
const SEQUEL: u32 = 60;

/// A stretch shorter than this is told together with what led to it.
pub const SHORTEST_STRETCH: u32 = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_are_told_from_aims() {
        assert!(ANNOUNCES.is_match("Implement the following plan:") && ANNOUNCES.is_match("The task is:"));
        assert!(!ANNOUNCES.is_match("can you incorporate:") && !ANNOUNCES.is_match("follow the plan"));
    }
}
