//! *Not visible here*: how far may I trust this? What the log cuts, compacts or does not record.

use super::{claims, section};
use crate::{
    base::ids::MessageIdx,
    model::{
        article::{Block, Claim, Section},
        message::{Cut, Message, NoticeKind, Part, PartKind},
    },
    report::{Material, phrase::Phrase},
    text::cut_mark,
};

/// See the module.
pub fn make(m: &Material) -> Option<Section> {
    section(
        "Not visible here",
        vec![Block::Paragraph(claims([no_user(m), cuts(m), clock(m), status(m), compaction(m), branches(m)]))],
    )
}

fn no_user(m: &Material) -> Option<Claim> {
    if m.session.indices().any(|at| m.session.by_user(at)) {
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
        .filter(|(at, msg)| m.told(*at) && msg.parts.iter().any(|p| is_cut(msg, p)))
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

/// Whether something of a part is missing that the agent did not leave out itself: a page that it asked for is whole, and
/// a picture or a reference in place of text was no text before.
fn is_cut(message: &Message, part: &Part) -> bool {
    let paged = ["limit", "offset"].iter().any(|field| message.input(field).is_some());
    match part.cut {
        _ if part.kind == PartKind::Reasoning => false,
        Some(Cut::End) => true,
        Some(Cut::ByTool) => !paged || cut_mark::by_tool(&part.text),
        Some(Cut::Placeholder) => cut_mark::is_placeholder(&part.text),
        None => false,
    }
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
    let notices = m.session.notices.iter().filter(|n| n.kind == NoticeKind::Compaction);
    let notices = notices.map(|n| MessageIdx(n.before.min(m.last.0)));
    // Renderings without notices show the summary alone.
    let summaries = m.session.iter().filter(|(_, msg)| msg.resumes()).map(|(at, _)| at);
    let mut at: Vec<MessageIdx> = notices.collect();
    if at.is_empty() {
        at.extend(summaries);
    }
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
