//! Conversations of a claude.ai data export (`conversations.json`): a list of them, or one alone; messages hold blocks of
//! Anthropic's shape. Model and tokens are not in it. Some forms link messages by parent and name the last one.

use std::collections::HashMap;

use super::{
    Card, Format, Recorded,
    anthropic::{blocks::Content, said::Said, tell},
};
use crate::{
    base::{diag::Diagnostics, error::Error, locate::Locator, time::Timestamp},
    model::{
        builder::{Origin, SessionBuilder},
        message::Aliases,
        session::{Branch, Session},
    },
    source::{
        Parsed,
        document::Source,
        format::anthropic::turn::Piece,
        frame::checked,
        lenient::{Any, List, Text, lenient},
        open::Input,
        seen::{Seen, has},
        sniff::Sniff,
    },
};

/// See the module.
pub struct ClaudeExport;

lenient! {
    /// A conversation.
    struct Conversation<'a> {
        id: Text<'a> = "uuid",
        name: Any<Text<'a>> = "name",
        leaf: Any<Text<'a>> = "current_leaf_message_uuid",
        model: Any<Text<'a>> = "model",
        messages: List<Message<'a>> = "chat_messages",
    }
}

lenient! {
    /// A message.
    struct Message<'a> {
        id: Text<'a> = "uuid",
        parent: Any<Text<'a>> = "parent_message_uuid",
        sender: Text<'a> = "sender",
        text: Any<Text<'a>> = "text",
        content: Content<'a> = "content",
        attachments: Any<List<Attachment<'a>>> = "attachments",
        time: Text<'a> = "created_at",
    }
}

lenient! {
    /// A file that was given along.
    struct Attachment<'a> { name: Any<Text<'a>> = "file_name" }
}

impl Format for ClaudeExport {
    fn name(&self) -> &'static str {
        "claude-export"
    }

    fn about(&self) -> &'static str {
        "conversations of a claude.ai data export (`conversations.json`)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "Claude",
            versions: "exports of 2024 to 2026",
            records: &[Recorded::Times, Recorded::Failures, Recorded::Reasoning],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let document = seen.document();
        let single = document.is_some_and(|n| has(n, &["uuid", "chat_messages"]));
        let items = document.and_then(|n| n.list()).unwrap_or_default();
        match single || items.iter().any(|n| has(n, &["uuid", "chat_messages"])) {
            true => Sniff::Yes(92, "conversations with `uuid` and `chat_messages`".into()),
            false => Sniff::No("no conversation with `uuid` and `chat_messages`".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let bytes = input.bytes()?;
        let source = Source::of(&bytes);
        let document = source.cut(&[]);
        let mut parsed = Parsed::default();
        source.report(&document, &mut parsed.diagnostics, &mut parsed.unassigned);
        for (raw, place) in source.one_or_list(&document, "chat_messages", &mut parsed.unassigned) {
            match conversation(self.name(), &raw, place, &mut parsed.diagnostics) {
                Some(session) if session.messages.is_empty() => parsed.unassigned.skipped("no message"),
                Some(session) => parsed.sessions.push(session),
                None => parsed.unassigned.damaged(),
            }
        }
        Ok(parsed.settled())
    }
}

fn conversation(format: &'static str, raw: &str, place: Locator, diagnostics: &mut Diagnostics) -> Option<Session> {
    let mut read: Conversation = serde_json::from_str(raw).ok()?;
    if !checked(&read.stray, read.fault(), place, diagnostics) {
        return None;
    }
    let mut session = SessionBuilder::new(format);
    session.info.id = read.id.owned().unwrap_or_default();
    session.info.title = read.name.0.owned();
    session.model(read.model.0.get().unwrap_or_default());
    session.info.records_outcome = true;
    let kept = kept(&read);
    let messages = std::mem::take(&mut read.messages.items);
    let mut left = 0;
    for (message, kept) in messages.into_iter().zip(kept) {
        if kept {
            tell_message(&mut session, message, place);
        } else {
            left += 1;
            session.accounting.skipped("abandoned-branch");
        }
    }
    if left > 0 {
        session.branches.push(Branch { after: None, records: left, opening: String::new() });
    }
    Some(session.finish())
}

/// Which messages lead to the last one; all, where that is not told.
fn kept(read: &Conversation) -> Vec<bool> {
    let messages = &read.messages.items;
    let index: HashMap<&str, usize> = messages.iter().enumerate().filter_map(|(i, m)| Some((m.id.get()?, i))).collect();
    let Some(mut at) = read.leaf.0.get().and_then(|leaf| index.get(leaf).copied()) else {
        return vec![true; messages.len()];
    };
    let mut kept = vec![false; messages.len()];
    while !kept[at] {
        kept[at] = true;
        match messages[at].parent.0.get().and_then(|parent| index.get(parent)) {
            Some(above) => at = *above,
            None => break,
        }
    }
    kept
}

fn tell_message(session: &mut SessionBuilder, mut message: Message, place: Locator) {
    let id = message.id.owned();
    let ids = Aliases { message: id.clone(), ..Default::default() };
    let time = message.time.get().and_then(Timestamp::parse);
    let mut pieces = std::mem::take(&mut message.content).pieces();
    let said = |piece: &Piece| !matches!(piece, Piece::Said(text) if text.trim().is_empty());
    if !pieces.iter().any(said) {
        pieces.extend(message.text.0.take().map(Piece::Said));
    }
    let names = message.attachments.0.items.iter().filter_map(|a| a.name.0.get());
    pieces.extend(names.map(|name| Piece::Placeholder(format!("[{name}]"))));
    let origin = Origin { ids, time, place, turn: id, ..Default::default() };
    let told = match message.sender.get() {
        Some("assistant") => tell::assistant(session, &origin, pieces),
        _ => tell::user(session, &Origin { turn: None, ..origin }, pieces, |text| Said::Prompt(text.into())),
    };
    match told {
        0 => session.accounting.skipped("no text and no call"),
        _ => session.accounting.used(),
    }
}
