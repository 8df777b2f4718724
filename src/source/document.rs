//! A whole file that is one JSON document: cut into the members of its top-level object and the items of its lists,
//! each as raw text with its place. A document that ends early, is damaged somewhere, or has noise around it, is read as
//! far as its pieces are whole.

use std::borrow::Cow;

use serde::de::IgnoredAny;

use super::json::{Repairs, closed, padding, pair_surrogates, text_of};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        locate::Locator,
        span::ByteSpan,
    },
    model::accounting::Accounting,
};

/// The text of a document and how its positions lie in the file.
pub struct Source<'b> {
    text: Cow<'b, str>,
    repairs: Repairs,
    offsets: Offsets,
}

/// A piece of a document.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// Its JSON; of one that is not whole, what stands in its place.
    pub raw: &'a str,
    /// Its ordinal in its list and its bytes in the file.
    pub place: Locator,
    /// Whether it is a whole value.
    pub whole: bool,
}

/// The pieces.
#[derive(Debug, Default)]
pub struct Document<'a> {
    /// Members of the top-level object that are whole and no list that was asked for, in order.
    pub fields: Vec<(Cow<'a, str>, &'a str)>,
    lists: Vec<(Cow<'a, str>, Vec<Item<'a>>)>,
    span: ByteSpan,
    faults: Vec<(DiagCode, ByteSpan, String)>,
}

/// How many line beginnings are tried for the beginning of the document.
const TRIED: usize = 16;
/// How many places behind a damaged item are tried as the beginning of the next.
const RESTARTS: usize = 64;

impl<'b> Source<'b> {
    /// The text of a file: byte order mark, NUL padding, invalid UTF-8 and lone surrogates put right.
    pub fn of(bytes: &'b [u8]) -> Self {
        let (text, mut repairs) = text_of(bytes);
        let offsets = Offsets::new(bytes, &repairs);
        let paired = pair_surrogates(&text);
        repairs.surrogates |= paired.is_some();
        Self { text: paired.map_or(text, Cow::Owned), repairs, offsets }
    }

    /// The text of a file that is no JSON: byte order mark, NUL padding, invalid UTF-8 and line ends of Windows put right.
    pub fn plain(bytes: &'b [u8]) -> Self {
        let (text, repairs) = text_of(bytes);
        let offsets = Offsets::new(bytes, &repairs);
        match offsets.without_returns(&text) {
            Some((text, offsets)) => Self { text: Cow::Owned(text), repairs, offsets },
            None => Self { text, repairs, offsets },
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Tells what had to be repaired.
    pub fn report_repairs(&self, diagnostics: &mut Diagnostics) {
        for (code, told) in self.repairs.list() {
            diagnostics.add(code, Locator::default(), told);
        }
    }

    /// The value that the text is, and whether it is whole: for files that hold one record each.
    pub fn value(&self) -> (&str, bool) {
        let text = self.text.trim();
        (text, serde_json::from_str::<IgnoredAny>(text).is_ok())
    }

    /// Where a stretch of the text lies in the file.
    pub fn raw(&self, span: ByteSpan) -> ByteSpan {
        self.offsets.span(span)
    }

    /// Cuts the document: lists under the names of `lists` (or the top-level list, under "") into their items, all
    /// other members as they are.
    pub fn cut(&self, lists: &[&str]) -> Document<'_> {
        let text: &str = &self.text;
        let mut best = Document { span: ByteSpan::new(text.len(), text.len()), ..Document::default() };
        for start in beginnings(text) {
            let mut walk = Walk { text, at: start, lists, offsets: &self.offsets, document: Document::default() };
            walk.top();
            walk.document.span = ByteSpan::new(start, walk.at);
            let found = walk.document;
            if found.begins() {
                return found;
            }
            if best.is_empty() && !found.is_empty() {
                best = found;
            }
        }
        best
    }

    /// Texts and places of a document that is one record or a list of them: the items of the top-level list, else the
    /// whole text as one. A record that ends early is closed behind the last whole item of its member `inner`
    /// (see [`closed`]), and counted as damaged.
    pub fn one_or_list<'s>(
        &'s self,
        document: &Document<'s>,
        inner: &str,
        unassigned: &mut Accounting,
    ) -> Vec<(Cow<'s, str>, Locator)> {
        let bytes = self.raw(ByteSpan::new(0, self.text.len()));
        let (text, whole) = self.value();
        let one = [Item { raw: text, place: Locator { record: 1, line: 0, bytes }, whole }];
        let items = if document.has_list("") { document.list("") } else { &one };
        let record = |item: &Item<'s>| match (item.whole, closed(item.raw, inner)) {
            (false, Some(closed)) => {
                unassigned.damaged();
                (Cow::Owned(closed), item.place)
            }
            _ => (Cow::Borrowed(item.raw), item.place),
        };
        items.iter().map(record).collect()
    }

    /// Tells what had to be repaired, what the document lost, and what stands around it. Noise counts as a record that
    /// belongs to no session.
    pub fn report(&self, document: &Document, diagnostics: &mut Diagnostics, unassigned: &mut Accounting) {
        self.report_repairs(diagnostics);
        for (from, to) in [(0, document.span.start), (document.span.end, self.text.len())] {
            if !self.text[from..to].trim().is_empty() {
                let bytes = self.offsets.span(ByteSpan::new(from, to));
                unassigned.skipped("noise");
                diagnostics.add(DiagCode::NoiseAround, Locator { bytes, ..Locator::default() }, "passed over");
            }
        }
        for (code, span, told) in &document.faults {
            let place = Locator { bytes: self.offsets.span(*span), ..Locator::default() };
            diagnostics.add(*code, place, told.as_str());
        }
    }
}

impl<'a> Document<'a> {
    /// Raw JSON of a member; the last one where it is repeated.
    pub fn field(&self, name: &str) -> Option<&'a str> {
        self.fields.iter().rev().find(|(key, _)| key == name).map(|(_, raw)| *raw)
    }

    /// A member that is a string.
    pub fn string(&self, name: &str) -> Option<String> {
        serde_json::from_str(self.field(name)?).ok()
    }

    /// Items of a list that was asked for; `""` is the top-level one.
    pub fn list(&self, name: &str) -> &[Item<'a>] {
        self.lists.iter().rev().find(|(key, _)| key == name).map_or(&[], |(_, items)| items)
    }

    /// Whether such a list stands there at all.
    pub fn has_list(&self, name: &str) -> bool {
        self.lists.iter().any(|(key, _)| key == name)
    }

    fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.lists.is_empty()
    }

    /// Whether it begins as a document does. One that is cut or damaged further on is still the document: an object on a
    /// line of its own inside it may be whole, but is not.
    fn begins(&self) -> bool {
        let empty = self.faults.is_empty() && !self.is_empty();
        let torn = self.faults.iter().all(|(code, ..)| *code == DiagCode::RecordTorn);
        let first = |item: &Item| item.whole || torn && item.raw.starts_with('{');
        empty || !self.fields.is_empty() || self.lists.iter().any(|(_, items)| items.first().is_some_and(first))
    }
}

/// Where the document may begin: the beginning of the text, else of a line.
fn beginnings(text: &str) -> impl Iterator<Item = usize> {
    let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
    starts.filter(|at| text[*at..].trim_start_matches([' ', '\t', '\r']).starts_with(['{', '['])).take(TRIED)
}

struct Walk<'t, 'l> {
    text: &'t str,
    at: usize,
    lists: &'l [&'l str],
    offsets: &'l Offsets,
    document: Document<'t>,
}

/// The walk cannot go on; its reason is noted.
struct Halt;

impl<'t> Walk<'t, '_> {
    fn top(&mut self) {
        self.blanks();
        // What stopped it is among the faults.
        let _ = match self.peek() {
            Some(b'[') => self.list(Cow::Borrowed("")),
            _ => self.members(),
        };
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
    }

    /// Notes why the walk stops here: the text ends, or goes on in a way that it must not.
    fn halt(&mut self) -> Halt {
        let torn = self.at >= self.text.len() || end_of(&self.text[self.at..]).is_err_and(|e| e.is_eof());
        let code = if torn { DiagCode::RecordTorn } else { DiagCode::RecordDamaged };
        let told = format!("the document cannot be read on after byte {}", self.at);
        self.document.faults.push((code, ByteSpan::new(self.at, self.text.len()), told));
        self.at = self.text.len();
        Halt
    }

    fn take(&mut self, byte: u8) -> bool {
        self.blanks();
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    /// A whole value from here.
    fn value(&mut self) -> Result<&'t str, Halt> {
        self.blanks();
        match end_of(&self.text[self.at..]) {
            Ok(length) => {
                let raw = &self.text[self.at..self.at + length];
                self.at += length;
                Ok(raw)
            }
            Err(_) => Err(self.halt()),
        }
    }

    fn members(&mut self) -> Result<(), Halt> {
        if !self.take(b'{') {
            return Err(self.halt());
        }
        if self.take(b'}') {
            return Ok(());
        }
        loop {
            self.blanks();
            if self.peek() != Some(b'"') {
                return Err(self.halt());
            }
            let key = self.value()?;
            let key: Cow<str> = serde_json::from_str(key).unwrap_or_default();
            if !self.take(b':') {
                return Err(self.halt());
            }
            self.blanks();
            match self.lists.contains(&&*key) && self.peek() == Some(b'[') {
                true => self.list(key)?,
                false => {
                    let raw = self.value()?;
                    self.document.fields.push((key, raw));
                }
            }
            if self.take(b'}') {
                return Ok(());
            }
            if !self.take(b',') {
                return Err(self.halt());
            }
        }
    }

    fn list(&mut self, name: Cow<'t, str>) -> Result<(), Halt> {
        self.at += 1;
        self.document.lists.push((name, Vec::new()));
        if self.take(b']') {
            return Ok(());
        }
        loop {
            self.blanks();
            let start = self.at;
            match end_of(&self.text[start..]) {
                Ok(length) => {
                    self.at += length;
                    self.item(start, true);
                }
                Err(error) if error.is_eof() || self.at >= self.text.len() => {
                    if start < self.text.len() {
                        self.at = self.text.len();
                        self.item(start, false);
                        self.at = start;
                    }
                    return Err(self.halt());
                }
                Err(_) => {
                    self.at = restart(self.text, start);
                    self.item(start, false);
                    if self.at >= self.text.len() {
                        return Err(self.halt());
                    }
                    continue;
                }
            }
            if self.take(b']') {
                return Ok(());
            }
            if !self.take(b',') {
                return Err(self.halt());
            }
        }
    }

    fn item(&mut self, start: usize, whole: bool) {
        let span = ByteSpan::new(start, self.at);
        let raw = &self.text[start..self.at];
        if let Some((_, items)) = self.document.lists.last_mut() {
            let record = items.len() as u32 + 1;
            items.push(Item { raw, place: Locator { record, line: 0, bytes: self.offsets.span(span) }, whole });
        }
    }
}

/// Length of the value at the beginning of a text.
fn end_of(text: &str) -> Result<usize, serde_json::Error> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    match stream.next() {
        Some(Ok(_)) => Ok(stream.byte_offset()),
        Some(Err(error)) => Err(error),
        None => Err(serde_json::from_str::<IgnoredAny>("").expect_err("nothing is no value")),
    }
}

/// Where, after a damaged item, the next whole one begins: an object that is followed by `,` or `]`.
fn restart(text: &str, from: usize) -> usize {
    let places = memchr::memmem::find_iter(&text.as_bytes()[from + 1..], b"{").map(|at| from + 1 + at);
    let follows = |end: usize| text[end..].trim_start().starts_with([',', ']']);
    places
        .filter(|at| text[..*at].trim_end().ends_with(','))
        .take(RESTARTS)
        .find(|at| end_of(&text[*at..]).is_ok_and(|length| follows(*at + length)))
        .unwrap_or(text.len())
}

/// Positions of the repaired text in the input: they differ by what was dropped in front, and by invalid bytes.
struct Offsets {
    /// `(position in the text, position in the input)`, rising; between two entries both run on together.
    marks: Vec<(usize, usize)>,
    end: usize,
}

impl Offsets {
    fn new(bytes: &[u8], repairs: &Repairs) -> Self {
        let mut at = padding(bytes);
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

    /// A text whose lines end with `\n` alone, and its positions; `None` where they do.
    fn without_returns(&self, text: &str) -> Option<(String, Self)> {
        let mut returns = memchr::memmem::find_iter(text.as_bytes(), b"\r\n").peekable();
        returns.peek()?;
        let (mut out, mut marks, mut from) = (String::with_capacity(text.len()), Vec::new(), 0);
        let mut old = self.marks.iter().peekable();
        for at in returns.chain([text.len()]) {
            while let Some((own, raw)) = old.next_if(|mark| mark.0 <= at) {
                marks.push((out.len() + (own - from), *raw));
            }
            out += &text[from..at];
            from = (at + 1).min(text.len());
            marks.push((out.len(), self.raw(from)));
        }
        Some((out, Self { marks, end: self.end }))
    }

    fn raw(&self, at: usize) -> usize {
        let (text, raw) = self.marks[self.marks.partition_point(|m| m.0 <= at).saturating_sub(1)];
        (raw + (at - text)).min(self.end)
    }

    fn span(&self, span: ByteSpan) -> ByteSpan {
        ByteSpan::new(self.raw(span.start), self.raw(span.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Items and whether they are whole, other members, faults.
    type Told = (Vec<(String, bool)>, Vec<String>, Vec<(DiagCode, String)>);

    fn told(bytes: &[u8]) -> Told {
        let source = Source::of(bytes);
        let document = source.cut(&["steps"]);
        let steps = document.list("steps").iter().chain(document.list(""));
        let steps = steps.map(|item| (item.raw.to_string(), item.whole)).collect();
        let fields = document.fields.iter().map(|(key, raw)| format!("{key}={raw}")).collect();
        let (mut diagnostics, mut unassigned) = Default::default();
        source.report(&document, &mut diagnostics, &mut unassigned);
        let faults = diagnostics.iter().map(|(code, _, kept)| (code, kept[0].detail.clone())).collect();
        (steps, fields, faults)
    }

    #[test]
    fn line_ends_of_windows_are_read_as_any_other() {
        let source = Source::plain(b"\xEF\xBB\xBFa\r\n\xFFb\r\n\r\nc\r");
        assert_eq!(source.text(), "a\n\u{FFFD}b\n\nc\r");
        let raw = |text: &str| source.raw(ByteSpan::new(source.text().find(text).expect("there"), source.text().len()));
        assert_eq!((raw("a"), raw("b"), raw("c")), (ByteSpan::new(3, 14), ByteSpan::new(7, 14), ByteSpan::new(12, 14)));
    }

    #[test]
    fn a_document_is_cut_into_members_and_items() {
        let (steps, fields, faults) = told(br#"{"v":"1","steps":[{"a":1},2, {"b":[3]}],"end":{"x":[]}}"#);
        assert_eq!(steps.iter().map(|s| s.0.as_str()).collect::<Vec<_>>(), [r#"{"a":1}"#, "2", r#"{"b":[3]}"#]);
        assert_eq!(fields, [r#"v="1""#, r#"end={"x":[]}"#]);
        assert!(faults.is_empty());
    }

    #[test]
    fn any_cut_leaves_the_whole_items_and_one_fault_at_most() {
        let whole = br#"{"v":"1","steps":[{"a":1},{"b":[3]},{"c":"x"}],"end":{"x":[]}}"#;
        let items = told(whole).0;
        for cut in 1..whole.len() {
            let (steps, _, faults) = told(&whole[..cut]);
            let good: Vec<_> = steps.into_iter().filter(|s| s.1).collect();
            assert_eq!(good[..], items[..good.len()], "{cut}");
            assert!(faults.len() <= 1, "{cut}: {faults:?}");
        }
    }

    #[test]
    fn a_whole_object_inside_a_cut_document_is_not_the_document() {
        let (steps, fields, faults) = told(b"{\n\"v\": 1,\n\"steps\": [\n{\"a\": 1},\n{\"b\": 2},\n{\"c\"");
        assert_eq!(fields, ["v=1"]);
        assert_eq!(steps.iter().filter(|s| s.1).count(), 2);
        assert_eq!(faults.len(), 1);
    }

    #[test]
    fn noise_around_and_a_damaged_item_cost_only_themselves() {
        let (steps, _, faults) = told(b"Exporting\n[{\"a\":1},{\"b\" oops},{\"c\":3}]\ndone\n");
        assert_eq!(steps.iter().filter(|s| s.1).count(), 2);
        assert_eq!(faults[0].0, DiagCode::NoiseAround);
    }
}
