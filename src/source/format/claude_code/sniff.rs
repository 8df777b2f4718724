//! Whether a sample is a Claude Code session: told by the shapes of many lines, since the first ones are often
//! bookkeeping, and since Qwen Code, iFlow and the stream output of Claude Code share most of the fields.

use super::{
    document::is_document,
    record::{BOOKKEEPING, TITLES},
};
use crate::source::{
    json::text_of,
    lenient::{Present, Text, lenient},
    sample::Sample,
    sniff::Sniff,
};

lenient! {
    /// What tells the formats apart that write records of this family.
    pub struct Probe<'a> {
        kind: Text<'a> = "type",
        uuid: Text<'a> = "uuid",
        parent: Present = "parentUuid",
        session: Text<'a> = "sessionId",
        stream_session: Text<'a> = "session_id",
        stream_parent: Present = "parent_tool_use_id",
        message: ProbeMessage<'a> = "message",
    }
}

lenient! {
    /// Its message.
    pub struct ProbeMessage<'a> {
        id: Text<'a> = "id",
        role: Text<'a> = "role",
        content: Present = "content",
        parts: Present = "parts",
    }
}

impl Probe<'_> {
    /// Whether it is a record of the stream output: that one names the session in another spelling.
    pub fn is_stream(&self) -> bool {
        self.session.get().is_none() && (self.stream_session.get().is_some() || self.stream_parent.0)
    }

    /// Whether its type is one of these.
    pub fn kind_in(&self, types: &[&str]) -> bool {
        self.kind.get().is_some_and(|kind| types.contains(&kind))
    }
}

/// Types of records that are part of the tree.
const CHAIN: &[&str] = &["assistant", "attachment", "progress", "system", "user"];

/// Probes of the whole lines of a sample.
pub fn probes(sample: &Sample, mut each: impl FnMut(&Probe)) {
    let cut = if sample.whole { sample.head.len() } else { memchr::memrchr(b'\n', &sample.head).unwrap_or(0) };
    let tail_from = memchr::memchr(b'\n', &sample.tail).map_or(sample.tail.len(), |at| at + 1);
    for line in sample.head[..cut].split(|b| *b == b'\n').chain(sample.tail[tail_from..].split(|b| *b == b'\n')) {
        let (text, _) = text_of(line);
        // A damaged line votes too, by its first whole record: the sample may be one glued line.
        if let Some(Ok(probe)) = serde_json::Deserializer::from_str(&text).into_iter::<Probe>().next() {
            each(&probe);
        }
    }
}

/// The verdict.
pub fn sniff(sample: &Sample) -> Sniff {
    if is_document(sample) {
        return Sniff::Yes(85, "one document with `loglines`".into());
    }
    let (mut own, mut lines, mut others) = (0, 0, "");
    probes(sample, |probe| {
        lines += 1;
        match vote(probe) {
            Ok(true) => own += 1,
            Ok(false) => {}
            Err(other) => others = other,
        }
    });
    match (own, others) {
        (_, other) if !other.is_empty() => Sniff::No(format!("records are those of {other}")),
        (0, _) if lines == 0 && in_one_line(&sample.head) => Sniff::Yes(40, "a long first line with its fields".into()),
        (0, _) => Sniff::No("no record with `type` and `sessionId` or `parentUuid`".into()),
        (own, _) if own * 2 >= lines => Sniff::Yes(80, format!("{own} of {lines} sampled lines are its records")),
        (own, _) => Sniff::No(format!("only {own} of {lines} sampled lines are its records")),
    }
}

/// Whether a line is one of ours; an error names the producer whose it is for certain.
fn vote(probe: &Probe) -> Result<bool, &'static str> {
    let Some(kind) = probe.kind.get() else { return Ok(false) };
    if probe.message.parts.0 {
        return Err("Qwen Code (`message.parts`)");
    }
    if probe.message.id.get().is_some_and(|id| id.starts_with("response-")) {
        return Err("iFlow (`response-…` message ids)");
    }
    let named = probe.session.get().is_some();
    if probe.is_stream() {
        return Ok(false);
    }
    let turn = matches!(kind, "user" | "assistant") && probe.message.content.0;
    Ok(match () {
        () if turn => named || probe.parent.0 || probe.message.role.get().is_some(),
        () if CHAIN.contains(&kind) => named && probe.uuid.get().is_some() || probe.parent.0,
        () => BOOKKEEPING.contains(&kind) || TITLES.contains(&kind),
    })
}

/// Whether the beginning of one long line shows the fields of our records.
fn in_one_line(head: &[u8]) -> bool {
    let has = |words: &str| memchr::memmem::find(head, words.as_bytes()).is_some();
    head.starts_with(b"{") && has("\"sessionId\":") && (has("\"parentUuid\":") || has("\"isSidechain\":"))
}
