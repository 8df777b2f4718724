//! A session: one conversation of one agent, with its sub-agents as a tree. Frozen once built.

use std::collections::HashMap;

use super::{
    accounting::Accounting,
    evidence::{Evidence, Place},
    message::{Message, MessageKind, Notice, PartKind, ToolKind, Usage},
};
use crate::base::{
    diag::Diagnostics,
    ids::{MessageIdx, StepIdx},
    span::ByteSpan,
    time::Timestamp,
};

/// Where the printed message numbers come from. The name is stored in every output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numbering {
    /// The log numbers its messages itself.
    Own,
    /// Counted from 1 in conversation order: user texts, assistant texts, tool calls.
    Counted,
}

impl Numbering {
    /// Versioned name: a later scheme gets another.
    pub fn name(self) -> &'static str {
        match self {
            Numbering::Own => "log",
            Numbering::Counted => "conversation/1",
        }
    }
}

/// A stretch of messages with one purpose of the model: a message, with the text that leads over to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// First message (the leading text, where there is one).
    pub first: MessageIdx,
    /// The message that it is about: the call, or the text itself.
    pub main: MessageIdx,
}

/// Messages that the conversation left behind (a rewind or an edited prompt).
#[derive(Clone, PartialEq, Debug)]
pub struct Branch {
    /// Producer's id of the message after which it leaves the conversation.
    pub after: Option<String>,
    /// How many records it holds.
    pub records: u64,
    /// Beginning of its first user text, for the reader to recognise it.
    pub opening: String,
}

/// What is known of the session as a whole.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SessionInfo {
    /// The producer's session id; the file stem where the log has none.
    pub id: String,
    /// Name of the format it was read by.
    pub format: &'static str,
    /// Title as recorded.
    pub title: Option<String>,
    /// Working directory as recorded.
    pub cwd: Option<String>,
    /// Models in order of first use.
    pub models: Vec<String>,
    /// Version of the producing program.
    pub version: Option<String>,
    /// Version-control branch as recorded.
    pub branch: Option<String>,
    /// Session that started this one.
    pub parent: Option<String>,
    /// Call in the parent that started it.
    pub spawned_by: Option<String>,
    /// The agent that wrote the log, in its own spelling, where the log tells it apart from its format.
    pub agent: Option<String>,
    /// Session that this one continues or was forked from; its records are not repeated here.
    pub continues: Option<String>,
    /// Ids of other sessions whose files hold nothing but a part of this one.
    pub also: Vec<String>,
    /// Tokens and cost of the whole session, where the log keeps them only as a total.
    pub usage: Option<Usage>,
    /// Whether results carry their exit status or error flag in this format.
    pub records_outcome: bool,
}

/// One conversation. Messages in conversation order, ids unique, a result belongs to at most one call.
#[derive(Clone, PartialEq, Debug)]
pub struct Session {
    /// What is known of it as a whole.
    pub info: SessionInfo,
    /// Messages in conversation order.
    pub messages: Vec<Message>,
    /// Steps: they partition the messages.
    pub steps: Vec<Step>,
    /// Where the numbers of the messages come from.
    pub numbering: Numbering,
    /// What the log holds besides messages.
    pub notices: Vec<Notice>,
    /// Left-behind branches.
    pub branches: Vec<Branch>,
    /// Sub-agents, in order of their first record.
    pub subagents: Vec<Session>,
    /// What became of its records.
    pub accounting: Accounting,
    /// What was odd.
    pub diagnostics: Diagnostics,
    pub(super) by_id: HashMap<String, MessageIdx>,
    pub(super) by_number: HashMap<u32, MessageIdx>,
}

/// As many letters and digits of two texts are compared.
const HANDED_ON: usize = 200;
/// Shorter texts may be equal by chance: "Yes, go on."
const LEAST_HANDED_ON: usize = 60;

/// A sub-agent gets its task at most so many messages after the call that starts it.
const DELEGATED: usize = 4;

impl Session {
    /// The message at an index.
    pub fn message(&self, at: MessageIdx) -> &Message {
        &self.messages[at.at()]
    }

    /// All indices in order.
    pub fn indices(&self) -> impl DoubleEndedIterator<Item = MessageIdx> + ExactSizeIterator + use<> {
        (0..self.messages.len() as u32).map(MessageIdx)
    }

    /// Messages with their index.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (MessageIdx, &Message)> {
        self.messages.iter().enumerate().map(|(i, m)| (MessageIdx(i as u32), m))
    }

    /// Whether a message holds words of the user: harnesses also put there what the assistant said last, for another model
    /// to work on, and summaries of a compacted conversation.
    pub fn by_user(&self, at: MessageIdx) -> bool {
        self.message(at).kind == MessageKind::User
            && !self.message(at).resumes()
            && !self.is_handed_on(at)
            && !self.is_delegated(at)
    }

    /// Whether a text in the user's place is what a call just before it gave to a sub-agent.
    fn is_delegated(&self, at: MessageIdx) -> bool {
        let own = self.message(at).prose().trim();
        let before = self.messages[..at.at()].iter().rev().take(DELEGATED);
        let mut calls = before.filter(|m| m.tool() == Some(ToolKind::Agent)).flat_map(|m| &m.parts);
        own.chars().count() >= LEAST_HANDED_ON && calls.any(|p| p.kind == PartKind::Input && p.text.contains(own))
    }

    /// Whether a text in the user's place begins as the assistant's last text does, for [`HANDED_ON`] letters or all of it.
    fn is_handed_on(&self, at: MessageIdx) -> bool {
        let before = self.messages[..at.at()].iter().rev();
        let mut before = before.take_while(|m| m.kind != MessageKind::User).filter(|m| m.kind == MessageKind::Text);
        let letters =
            |m: &Message| -> Vec<char> { m.prose().chars().filter(|c| c.is_alphanumeric()).take(HANDED_ON).collect() };
        let own = letters(self.message(at));
        own.len() >= LEAST_HANDED_ON && before.next().is_some_and(|said| letters(said) == own)
    }

    /// Finds a message by a producer's id (message, part or call), or by `msg:<n>`, `L<line>`, or its printed number.
    pub fn find(&self, name: &str) -> Option<MessageIdx> {
        if let Some(at) = self.by_id.get(name) {
            return Some(*at);
        }
        if let Some(line) = name.strip_prefix('L').and_then(|n| n.parse::<u32>().ok()) {
            return self.iter().find(|(_, m)| m.place.line == line).map(|(i, _)| i);
        }
        name.strip_prefix("msg:").unwrap_or(name).parse().ok().and_then(|n| self.numbered(n))
    }

    /// Finds a message by its printed number.
    pub fn numbered(&self, number: u32) -> Option<MessageIdx> {
        self.by_number.get(&number).copied()
    }

    /// The step that a message belongs to.
    pub fn step_of(&self, at: MessageIdx) -> StepIdx {
        let next = self.steps.partition_point(|s| s.first <= at);
        StepIdx(next.saturating_sub(1) as u32)
    }

    /// The step at an index.
    pub fn step(&self, at: StepIdx) -> &Step {
        &self.steps[at.at()]
    }

    /// The message a step is about.
    pub fn main_of(&self, at: StepIdx) -> MessageIdx {
        self.steps[at.at()].main
    }

    /// The id by which other tools know a message: the call's, else the producer's, else `L<line>`, else `msg:<n>`.
    pub fn public_id(&self, at: MessageIdx) -> String {
        let message = self.message(at);
        let ids = &message.ids;
        let own = match message.kind {
            MessageKind::Tool => ids.call.as_ref().or(ids.part.as_ref()).or(ids.message.as_ref()),
            _ => ids.part.as_ref().or(ids.message.as_ref()),
        };
        match own {
            Some(id) => id.clone(),
            None if message.place.line > 0 && self.numbering == Numbering::Counted => {
                format!("L{}", message.place.line)
            }
            None => format!("msg:{}", message.number),
        }
    }

    /// Evidence for bytes of a part. `None` when the part or the range does not exist or splits a character.
    pub fn cite(&self, message: MessageIdx, part: usize, span: ByteSpan) -> Option<Evidence> {
        let text = &self.messages.get(message.at())?.parts.get(part)?.text;
        span.of(text)?;
        Some(Evidence(Place::Quote { message, part: part as u16, span }))
    }

    /// Evidence for the first occurrence of `words` in any quotable part of a message.
    pub fn cite_words(&self, message: MessageIdx, words: &str) -> Option<Evidence> {
        let parts = &self.messages.get(message.at())?.parts;
        parts.iter().enumerate().find_map(|(i, p)| {
            let at = p.text.find(words)?;
            self.cite(message, i, ByteSpan::new(at, at + words.len()))
        })
    }

    /// Evidence that a message exists and is what it is.
    ///
    /// # Panics
    /// When the index is of another session.
    pub fn whole(&self, message: MessageIdx) -> Evidence {
        assert!(message.at() < self.messages.len(), "a message index stays within its session");
        Evidence(Place::Whole { message })
    }

    /// Evidence that a range of messages was searched, both ends included.
    ///
    /// # Panics
    /// When an index is of another session or the range is inverted.
    pub fn searched(&self, from: MessageIdx, to: MessageIdx) -> Evidence {
        assert!(from <= to && to.at() < self.messages.len(), "a searched range lies within its session");
        Evidence(Place::Searched { from, to })
    }

    /// The quoted text; "" for evidence that is no quotation.
    pub fn quoted(&self, evidence: &Evidence) -> &str {
        match evidence.0 {
            Place::Quote { message, part, span } => {
                span.of(&self.messages[message.at()].parts[part as usize].text).unwrap_or("")
            }
            _ => "",
        }
    }

    /// First recorded time.
    pub fn started(&self) -> Option<Timestamp> {
        self.messages.iter().find_map(|m| m.time)
    }

    /// Last recorded time.
    pub fn ended(&self) -> Option<Timestamp> {
        self.messages.iter().rev().find_map(|m| m.call.as_ref().and_then(|c| c.ended).or(m.time))
    }

    /// Tokens and cost as recorded: the total that the log keeps, else the sum over its responses. Sub-agents apart.
    pub fn usage(&self) -> Usage {
        let mut sum = Usage::default();
        for usage in self.messages.iter().filter_map(|m| m.usage.as_deref()) {
            sum.add(usage);
        }
        self.info.usage.unwrap_or(sum)
    }

    /// What became of the records of this session and all below it.
    pub fn tree_accounting(&self) -> Accounting {
        let mut sum = Accounting::default();
        for session in self.tree() {
            sum.merge(&session.accounting);
        }
        sum
    }

    /// This session and all below it, depth first.
    pub fn tree(&self) -> Vec<&Session> {
        let mut all = vec![self];
        let mut next = 0;
        while next < all.len() {
            let children: Vec<&Session> = all[next].subagents.iter().collect();
            for (offset, child) in children.into_iter().enumerate() {
                all.insert(next + 1 + offset, child);
            }
            next += 1;
        }
        all
    }

    /// Gives every text of the log that this session and its sub-agents hold to `edit`, always in the same order: the
    /// one place through which texts are rewritten after parsing. Ids, times and places are no texts.
    pub fn texts_mut(&mut self, edit: &mut dyn FnMut(&mut String)) {
        let info = &mut self.info;
        [&mut info.title, &mut info.cwd, &mut info.branch].into_iter().flatten().for_each(&mut *edit);
        for message in &mut self.messages {
            let setting = &mut message.setting;
            for shared in [&mut setting.cwd, &mut setting.branch].into_iter().flatten() {
                let mut text = shared.to_string();
                edit(&mut text);
                if text != **shared {
                    *shared = text.into();
                }
            }
            message.parts.iter_mut().for_each(|part| edit(&mut part.text));
            if let Some(call) = &mut message.call {
                edit(&mut call.name);
                call.extra.iter_mut().for_each(|(_, json)| edit(json));
            }
        }
        self.notices.iter_mut().for_each(|notice| edit(&mut notice.text));
        self.branches.iter_mut().for_each(|branch| edit(&mut branch.opening));
        self.diagnostics.details_mut().for_each(&mut *edit);
        for subagent in &mut self.subagents {
            subagent.texts_mut(edit);
        }
    }
}
