//! Data of a shared opencode session: one flat JSON list of `{type, data}` in no promised order, in which the parts name
//! their messages.

use std::{borrow::Cow, collections::HashMap};

use super::{
    super::{Card, Format},
    STORED,
    message::Found,
    session::{self, Message},
    shape::SessionInfo,
};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        error::Error,
        locate::Locator,
    },
    model::accounting::Accounting,
    source::{
        Parsed,
        document::{Item, Source},
        lenient::{Raw, Text, lenient},
        open::Input,
        seen::{self, Seen},
        sniff::Sniff,
    },
    text::partial_json::Node,
};

/// See the module.
pub struct OpencodeShare;

/// Types of its items.
const TYPES: &[&str] = &["message", "model", "part", "session", "session_diff"];

impl Format for OpencodeShare {
    fn name(&self) -> &'static str {
        "opencode-share"
    }

    fn about(&self) -> &'static str {
        "data of a shared opencode session (a JSON list)"
    }

    fn card(&self) -> Card {
        Card { agent: "opencode", versions: "1.0 to 1.19", records: STORED }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let items = seen.document().and_then(Node::list).unwrap_or_default();
        let own = |item: &&Node| TYPES.contains(&seen::text(item, "type")) && item.get("data").is_some();
        let named = |item: &Node| {
            let id = seen::at(item, &["data", "id"]).and_then(Node::text).unwrap_or_default();
            ["ses_", "msg_", "prt_"].iter().any(|prefix| id.starts_with(prefix))
        };
        let count = items.iter().filter(own).count();
        match count * 2 >= items.len() && items.iter().any(named) {
            true => Sniff::Yes(95, format!("{count} of {} items are `{{type, data}}` of opencode", items.len())),
            false => Sniff::No("no list of `{type, data}`".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let bytes = input.bytes()?;
        let source = Source::of(&bytes);
        let document = source.cut(&[]);
        let mut items = Items::default();
        let list = document.list("");
        for (i, item) in list.iter().enumerate() {
            items.take(item, i + 1 == list.len());
        }
        let info: SessionInfo = items.info.and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
        let mut session = session::begin(self.name(), &info, info.id.get().unwrap_or_else(|| input.stem()));
        let messages = items.messages();
        session.accounting = items.accounting;
        session.diagnostics.extend(items.diagnostics);
        session::tell(&mut session, &messages, &info.revert);
        let mut parsed = Parsed::default();
        source.report(&document, &mut session.diagnostics, &mut parsed.unassigned);
        parsed.sessions.push(session.finish());
        Ok(parsed)
    }
}

lenient! {
    /// An item.
    struct Entry<'a> {
        kind: Text<'a> = "type",
        data: Raw<'a> = "data",
    }
}

lenient! {
    /// Ids of a message or a part.
    struct Ids<'a> {
        id: Text<'a> = "id",
        message: Text<'a> = "messageID",
    }
}

/// The items by what they are.
#[derive(Default)]
struct Items<'a> {
    info: Option<&'a str>,
    messages: Vec<(String, &'a str, Locator)>,
    parts: HashMap<String, Vec<(String, &'a str, Locator)>>,
    accounting: Accounting,
    diagnostics: Diagnostics,
}

impl<'a> Items<'a> {
    fn take(&mut self, item: &Item<'a>, last: bool) {
        let entry = item.whole.then(|| serde_json::from_str::<Entry>(item.raw).ok()).flatten();
        let Some(entry) = entry else {
            // That a list ends early is told once, with its end.
            if item.whole || !last {
                self.diagnostics.add(DiagCode::RecordDamaged, item.place, "an item is damaged");
            }
            return self.accounting.damaged();
        };
        let data = entry.data.map_or("", |raw| raw.get());
        let ids: Ids = serde_json::from_str(data).unwrap_or_default();
        let id = ids.id.owned().unwrap_or_default();
        match entry.kind.get().unwrap_or_default() {
            "session" => {
                self.accounting.used();
                self.info = Some(data);
            }
            "message" => self.messages.push((id, data, item.place)),
            "part" => {
                let of = ids.message.owned().unwrap_or_default();
                self.parts.entry(of).or_default().push((id, data, item.place));
            }
            kind if TYPES.contains(&kind) => self.accounting.skipped(kind),
            kind => {
                self.diagnostics.add(DiagCode::RecordTypeUnknown, item.place, format!("`{kind}`"));
                self.accounting.unknown(kind);
            }
        }
    }

    /// The messages with their parts by id; parts of no message are passed over.
    fn messages(&mut self) -> Vec<Message<'a>> {
        let mut messages = Vec::new();
        for (id, info, place) in std::mem::take(&mut self.messages) {
            let mut parts = self.parts.remove(&id).unwrap_or_default();
            parts.sort_by(|a, b| a.0.cmp(&b.0));
            parts.iter().for_each(|_| self.accounting.used());
            let found = |(_, raw, place)| Found { id: None, raw: Cow::Borrowed(raw), place };
            let parts = parts.into_iter().map(found).collect();
            messages.push(Message { id: None, info: Cow::Borrowed(info), parts, place });
        }
        let orphans: usize = self.parts.drain().map(|(_, parts)| parts.len()).sum();
        (0..orphans).for_each(|_| self.accounting.skipped("part without message"));
        messages
    }
}
