//! *Not visible here*: how far may I trust this? What the log cuts, compacts or does not record.

use super::{claims, section};
use crate::{
    base::ids::MessageIdx,
    model::{
        article::{Block, Claim, Section},
        message::{MessageKind, NoticeKind, PartKind},
    },
    report::{Material, phrase::Phrase},
};

/// See the module.
pub fn make(m: &Material) -> Option<Section> {
    section(
        "Not visible here",
        vec![Block::Paragraph(claims([no_user(m), cuts(m), clock(m), status(m), compaction(m), branches(m)]))],
    )
}

fn no_user(m: &Material) -> Option<Claim> {
    let none = !m.session.messages.iter().any(|msg| msg.kind == MessageKind::User);
    if !none {
        return None;
    }
    m.derived("no-user-text")
        .weighing(7)
        .say("The task: the log holds no user message")
        .searched(MessageIdx(0), m.last)
        .say(".")
        .end()
}

/// Messages of the stretch whose input or output is cut.
fn cuts(m: &Material) -> Option<Claim> {
    let cut: Vec<MessageIdx> = m
        .session
        .iter()
        .filter(|(at, msg)| m.told(*at) && msg.parts.iter().any(|p| p.cut.is_some() && p.kind != PartKind::Reasoning))
        .map(|(at, _)| at)
        .collect();
    if cut.is_empty() {
        return None;
    }
    let count = cut.len();
    let phrase = m.derived("cut-messages").weighing(6).say("What is cut off in ").count(count);
    let phrase = phrase.say(if count == 1 { " message" } else { " messages" });
    let phrase = if count > 8 { phrase.say(", among them") } else { phrase };
    phrase.refs(cut.into_iter().take(8)).say(".").end()
}

fn clock(m: &Material) -> Option<Claim> {
    if m.session.messages.iter().any(|msg| msg.time.is_some()) {
        return None;
    }
    m.derived("no-clock")
        .weighing(5)
        .say("Wall-clock times: messages carry none")
        .searched(MessageIdx(0), m.last)
        .say(".")
        .end()
}

fn status(m: &Material) -> Option<Claim> {
    let calls = m.session.messages.iter().any(|msg| msg.call.is_some());
    if m.session.info.records_outcome || !calls {
        return None;
    }
    m.derived("no-status")
        .weighing(5)
        .say("Exit statuses: this form of log records none beside the output")
        .searched(MessageIdx(0), m.last)
        .say(".")
        .end()
}

fn compaction(m: &Material) -> Option<Claim> {
    let at: Vec<MessageIdx> = m
        .session
        .notices
        .iter()
        .filter(|n| n.kind == NoticeKind::Compaction)
        .map(|n| MessageIdx(n.before.min(m.last.0)))
        .collect();
    if at.is_empty() {
        return None;
    }
    let count = at.len();
    let phrase = m.derived("compaction").weighing(5).say("The conversation was compacted ");
    let phrase = if count == 1 { phrase.say("once, before") } else { phrase.count(count).say(" times, before") };
    phrase.refs(at.into_iter().take(6)).say(".").end()
}

fn branches(m: &Material) -> Option<Claim> {
    let count = m.session.branches.len();
    if count == 0 {
        return None;
    }
    let all = m.session.searched(MessageIdx(0), m.last);
    let phrase: Phrase = m.derived("left-branches").weighing(4).resting(&all).count(count);
    phrase
        .say(if count == 1 {
            " abandoned branch of the conversation is left out."
        } else {
            " abandoned branches of the conversation are left out."
        })
        .end()
}
