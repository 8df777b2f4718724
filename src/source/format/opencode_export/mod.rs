//! Output of `opencode export`: one JSON document `{info, messages: [{info, parts}]}`. Order is by time and id, never by
//! the part's own times; a document that was cut is read as far as its messages are whole. Exports of one session by
//! its sub-agents are documents of their own and are not followed.

mod document;
mod message;
mod shape;

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::{Card, Format, Recorded};
use crate::{
    base::error::Error,
    source::{Parsed, open::Input, seen::Seen, sniff::Sniff},
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
        Card {
            agent: "opencode",
            versions: "0.5 to 1.19",
            records: &[
                Recorded::Times,
                Recorded::Models,
                Recorded::Tokens,
                Recorded::Cost,
                Recorded::Exits,
                Recorded::Failures,
                Recorded::Cwd,
                Recorded::Todos,
                Recorded::Reasoning,
                Recorded::Subagents,
                Recorded::Compactions,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let sample = seen.sample;
        let head = sample.head.trim_ascii_start().strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&sample.head);
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
        Ok(document::read(self.name(), input.stem(), &bytes))
    }
}
