//! From bytes to the document and its messages in order: noise around it, damage in it, a cut end.

use serde_json::value::RawValue;

use super::{
    message::{self, Head},
    shape::{Document, Envelope, SessionInfo},
};
use crate::{
    base::{diag::DiagCode, locate::Locator, span::ByteSpan},
    model::{
        builder::SessionBuilder,
        message::NoticeKind,
        session::{Branch, Session},
    },
    source::{
        Parsed,
        json::{Repairs, pair_surrogates, text_of},
    },
    text::partial_json::{self, Node, Stop},
};

/// A message of the document as raw JSON.
struct Raw<'a> {
    info: &'a str,
    parts: Vec<&'a str>,
    place: Locator,
}

/// What the document holds, however it was got at.
#[derive(Default)]
struct Contents<'a> {
    info: Option<&'a str>,
    todos: Option<&'a str>,
    messages: Vec<Raw<'a>>,
    damaged: Vec<(DiagCode, Locator, String)>,
    span: ByteSpan,
}

/// Reads an export.
pub(super) fn read(format: &'static str, stem: &str, bytes: &[u8]) -> Parsed {
    let (text, mut repairs) = text_of(bytes);
    let paired = pair_surrogates(&text);
    repairs.surrogates |= paired.is_some();
    let text = paired.as_deref().unwrap_or(&text);
    let mut contents = whole(text).unwrap_or_else(|| as_far_as_it_goes(text));
    let offsets = Offsets::new(bytes, &repairs);
    for raw in &mut contents.messages {
        raw.place.bytes = offsets.span(raw.place.bytes);
    }
    let mut parsed = Parsed::default();
    for (code, told) in repairs.list() {
        parsed.diagnostics.add(code, Locator::default(), told);
    }
    for (from, to) in [(0, contents.span.start), (contents.span.end, text.len())] {
        if !text[from..to].trim().is_empty() {
            let bytes = offsets.span(ByteSpan::new(from, to));
            parsed.unassigned.skipped("noise");
            parsed.diagnostics.add(DiagCode::NoiseAround, Locator { bytes, ..Default::default() }, "passed over");
        }
    }
    parsed.sessions.push(session(format, stem, contents));
    parsed
}

/// The document by a typed parse: the way of every well-formed export.
fn whole(text: &str) -> Option<Contents<'_>> {
    for start in beginnings(text) {
        let mut documents = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Document>();
        let Some(Ok(document)) = documents.next() else { continue };
        let end = start + documents.byte_offset();
        let mut contents = Contents {
            info: document.info.map(RawValue::get),
            todos: document.todos.map(RawValue::get),
            span: ByteSpan::new(start, end),
            ..Default::default()
        };
        for raw in document.messages {
            let raw = raw.get();
            contents.add(raw, place_of(text, raw));
        }
        return Some(contents);
    }
    None
}

/// Starts of lines at which the document may begin, the likeliest first.
fn beginnings(text: &str) -> impl Iterator<Item = usize> {
    const TRIED: usize = 16;
    let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
    starts.filter(|at| text[*at..].trim_start_matches([' ', '\t']).starts_with('{')).take(TRIED)
}

/// Where a slice of the text lies in it.
fn place_of(text: &str, slice: &str) -> ByteSpan {
    let start = slice.as_ptr() as usize - text.as_ptr() as usize;
    ByteSpan::new(start, start + slice.len())
}

impl<'a> Contents<'a> {
    fn place(&self, bytes: ByteSpan) -> Locator {
        Locator { record: (self.messages.len() + self.damaged.len()) as u32 + 1, line: 0, bytes }
    }

    fn add(&mut self, raw: &'a str, bytes: ByteSpan) {
        let place = self.place(bytes);
        match serde_json::from_str::<Envelope>(raw) {
            Ok(message) => {
                let parts = message.parts.into_iter().map(RawValue::get).collect();
                self.messages.push(Raw { info: message.info.get(), parts, place });
            }
            Err(error) => self.damaged.push((DiagCode::RecordDamaged, place, error.to_string())),
        }
    }
}

/// The document by a tolerant reader: one that was cut, or is damaged somewhere.
fn as_far_as_it_goes(text: &str) -> Contents<'_> {
    let start = beginnings(text).find(|at| text[*at..].contains("\"messages\"")).unwrap_or(0);
    let body = &text[start..];
    let partial = partial_json::read(body);
    let end = match partial.stop {
        Stop::Whole(at) => start + at,
        Stop::Cut(_) | Stop::Fault(_) => text.len(),
    };
    let mut contents = Contents { span: ByteSpan::new(start, end), ..Default::default() };
    let Some(document) = partial.node else { return contents };
    let slice = |node: &Node| &body[node.span.start..node.span.end];
    let whole = |name: &str| document.get(name).filter(|n| n.whole).map(slice);
    (contents.info, contents.todos) = (whole("info"), whole("todos"));
    for item in document.get("messages").and_then(Node::list).unwrap_or_default() {
        let bytes = item.span.shift(start);
        if item.whole {
            contents.add(slice(item), bytes);
            continue;
        }
        let place = contents.place(bytes);
        // Of the message at the cut, the parts that are whole.
        if let Some(info) = item.get("info").filter(|n| n.whole) {
            let parts = item.get("parts").and_then(Node::list).unwrap_or_default();
            let parts = parts.iter().filter(|p| p.whole).map(slice).collect();
            contents.messages.push(Raw { info: slice(info), parts, place });
        }
    }
    let (code, at) = match partial.stop {
        Stop::Fault(at) => (DiagCode::RecordDamaged, at),
        Stop::Cut(at) | Stop::Whole(at) => (DiagCode::RecordTorn, at),
    };
    let place = Locator { bytes: ByteSpan::new(start + at, text.len()), ..Default::default() };
    contents.damaged.push((code, place, format!("the document cannot be read on after byte {}", start + at)));
    contents
}

fn session(format: &'static str, stem: &str, contents: Contents) -> Session {
    let mut session = SessionBuilder::new(format);
    let info: SessionInfo = contents.info.and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
    session.info.id = info.id.get().unwrap_or_else(|| stem.to_string());
    session.info.title = info.title.get();
    session.info.cwd = info.directory.get();
    session.info.version = info.version.get();
    session.info.parent = info.parent.get();
    session.info.records_outcome = true;
    for (code, place, detail) in contents.damaged {
        // A document that ends early is told of once; its records are those that were read.
        if place.record > 0 {
            session.accounting.damaged();
        }
        session.diagnostics.add(code, place, detail);
    }
    let mut messages: Vec<_> =
        contents.messages.into_iter().map(|raw| (Head::read(raw.info), raw.parts, raw.place)).collect();
    in_order(&mut messages);
    let revert = info.revert.get().unwrap_or_default();
    let (from, part) = (revert.message.get(), revert.part.get());
    let mut undone = Undone::default();
    for (head, parts, place) in messages {
        match &from {
            Some(from) if head.id().is_some_and(|id| id > from.as_str() || id == from && part.is_none()) => {
                undone.add(&head, &parts);
                session.accounting.skipped("reverted");
            }
            Some(from) if head.id() == Some(from) => message::read(&mut session, &head, &parts, place, part.as_deref()),
            _ => {
                undone.after = head.id().map(str::to_string);
                message::read(&mut session, &head, &parts, place, None);
            }
        }
    }
    session.branches.extend(undone.branch());
    if let Some(todos) = contents.todos {
        session.notice(NoticeKind::Meta, Locator::default(), None, todos);
    }
    session.finish()
}

/// By time of creation, then id; a message without a time keeps its place behind the one before it.
fn in_order(messages: &mut [(Head, Vec<&str>, Locator)]) {
    let mut last = f64::NEG_INFINITY;
    for (head, ..) in messages.iter_mut() {
        last = *head.created.get_or_insert(last);
    }
    messages.sort_by(|(a, ..), (b, ..)| {
        let by_time = a.created.partial_cmp(&b.created).unwrap_or(std::cmp::Ordering::Equal);
        by_time.then_with(|| match (a.id(), b.id()) {
            (Some(a), Some(b)) => a.cmp(b),
            _ => std::cmp::Ordering::Equal,
        })
    });
}

/// Messages that the user took back.
#[derive(Default)]
struct Undone {
    after: Option<String>,
    records: u64,
    opening: String,
}

impl Undone {
    fn add(&mut self, head: &Head, parts: &[&str]) {
        self.records += 1;
        if self.opening.is_empty() && head.is_user() {
            self.opening = message::opening(parts);
        }
    }

    fn branch(self) -> Option<Branch> {
        (self.records > 0).then_some(Branch { after: self.after, records: self.records, opening: self.opening })
    }
}

/// Positions of the repaired text in the input: they differ by what was dropped in front, and by invalid bytes.
struct Offsets {
    /// `(position in the text, position in the input)`, rising; between two entries both run on together.
    marks: Vec<(usize, usize)>,
    end: usize,
}

impl Offsets {
    fn new(bytes: &[u8], repairs: &Repairs) -> Self {
        let mut at = 0;
        while let [0xEF, 0xBB, 0xBF, ..] | [0, ..] = bytes[at..] {
            at += if bytes[at] == 0 { 1 } else { 3 };
        }
        let mut marks = vec![(0, at)];
        if repairs.utf8 {
            let mut text = 0;
            for chunk in bytes[at..].utf8_chunks() {
                text += chunk.valid().len();
                at += chunk.valid().len();
                if !chunk.invalid().is_empty() {
                    text += char::REPLACEMENT_CHARACTER.len_utf8();
                    at += chunk.invalid().len();
                    marks.push((text, at));
                }
            }
        }
        Self { marks, end: bytes.len() }
    }

    fn raw(&self, at: usize) -> usize {
        let (text, raw) = self.marks[self.marks.partition_point(|m| m.0 <= at).saturating_sub(1)];
        (raw + (at - text)).min(self.end)
    }

    fn span(&self, span: ByteSpan) -> ByteSpan {
        ByteSpan::new(self.raw(span.start), self.raw(span.end))
    }
}
