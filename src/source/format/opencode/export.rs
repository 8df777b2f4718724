//! Output of `opencode export`: one JSON document `{info, messages: [{info, parts}]}`. A document that was cut is read as
//! far as its parts are whole. Exports of one session by its sub-agents are documents of their own and are not followed.

use std::{borrow::Cow, sync::LazyLock};

use regex::bytes::Regex;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    super::{Card, Format},
    STORED,
    message::Found,
    session::{self, Message},
    shape::SessionInfo,
};
use crate::{
    base::{diag::DiagCode, error::Error, locate::Locator},
    model::{builder::SessionBuilder, message::NoticeKind},
    source::{
        Parsed,
        document::{Item, Source},
        json::padding,
        open::Input,
        seen::Seen,
        sniff::Sniff,
    },
    text::partial_json::{self, Node},
};

/// See the module.
pub struct OpencodeExport;

/// `{ "info": {` where the document begins.
static BEGINS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(?m-u)^[^\S\n]*\{\s*"(?:info|messages|todos)"\s*:\s*[\[{]"#).expect("valid"));
/// `"id": "ses_…"`, `"sessionID":"ses_…"`: ids as opencode makes them.
static SESSION_ID: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(?-u)"(?:id|sessionID)"\s*:\s*"ses_"#).expect("valid"));
/// `"parts": [`: messages that are made of parts.
static PARTS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"(?-u)"parts"\s*:\s*\["#).expect("valid"));

impl Format for OpencodeExport {
    fn name(&self) -> &'static str {
        "opencode-export"
    }

    fn about(&self) -> &'static str {
        "output of `opencode export` (one JSON document)"
    }

    fn card(&self) -> Card {
        Card { agent: "opencode", versions: "0.5 to 1.19", records: STORED }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let sample = seen.sample;
        let head = &sample.head[padding(&sample.head)..];
        let head = &head[head.iter().position(|b| *b != 0).unwrap_or(0)..];
        if !BEGINS.is_match(head) {
            return Sniff::No("no object that begins with `info` or `messages`".into());
        }
        let session = SESSION_ID.is_match(head);
        let parts = PARTS.is_match(head) || PARTS.is_match(&sample.tail);
        match (session, parts) {
            (true, true) => Sniff::Yes(95, "an object with a `ses_` id and messages made of parts".into()),
            (true, false) => Sniff::Yes(70, "an object with a `ses_` id".into()),
            (false, true) => Sniff::Yes(60, "an object with messages made of parts".into()),
            (false, false) => Sniff::No("its messages are not made of parts".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let bytes = input.bytes()?;
        let source = Source::of(&bytes);
        let document = source.cut(&["messages"]);
        let info: SessionInfo =
            document.field("info").and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
        let id = info.id.get().unwrap_or_else(|| input.stem());
        let mut session = session::begin(self.name(), &info, id);
        let items = document.list("messages");
        let messages: Vec<Message> = items
            .iter()
            .enumerate()
            .filter_map(|(i, item)| message(&mut session, item, i + 1 == items.len()))
            .collect();
        session::tell(&mut session, &messages, &info.revert);
        if let Some(todos) = document.field("todos") {
            session.notice(NoticeKind::Meta, Locator::default(), None, todos);
        }
        let mut parsed = Parsed::default();
        source.report(&document, &mut session.diagnostics, &mut parsed.unassigned);
        // The file is let go before its session is indexed.
        drop(bytes);
        parsed.sessions.push(session.finish());
        Ok(parsed)
    }
}

/// An item of `messages`.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    info: &'a RawValue,
    #[serde(borrow, default)]
    parts: Vec<&'a RawValue>,
}

/// A message with its parts; of one that is not whole, the parts that are.
fn message<'a>(session: &mut SessionBuilder, item: &Item<'a>, last: bool) -> Option<Message<'a>> {
    let (raw, place) = (item.raw, item.place);
    let found = |raw| Found { id: None, raw: Cow::Borrowed(raw), place };
    if item.whole {
        match serde_json::from_str::<Envelope>(raw) {
            Ok(message) => {
                let parts = message.parts.into_iter().map(|part| found(part.get())).collect();
                return Some(Message { id: None, info: Cow::Borrowed(message.info.get()), parts, place });
            }
            Err(error) => session.diagnostics.add(DiagCode::RecordDamaged, place, error.to_string()),
        }
        session.accounting.damaged();
        return None;
    }
    // That a document ends early is told once, with its end.
    if !last {
        session.diagnostics.add(DiagCode::RecordDamaged, place, "a message is damaged");
    }
    let node = partial_json::read(raw).node;
    let slice = |node: &Node| &raw[node.span.start..node.span.end];
    let whole = |name| node.as_ref().and_then(|n| n.get(name)).filter(|n| n.whole).map(slice);
    let Some(info) = whole("info") else {
        session.accounting.damaged();
        return None;
    };
    let parts = node.as_ref().and_then(|n| n.get("parts")).and_then(Node::list).unwrap_or_default();
    let parts = parts.iter().filter(|p| p.whole).map(|part| found(slice(part))).collect();
    Some(Message { id: None, info: Cow::Borrowed(info), parts, place })
}
