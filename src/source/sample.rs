//! Beginning and end of an input, by which formats tell whether it is theirs.

use std::{
    borrow::Cow,
    io::{self, Read},
};

use super::open::Input;

/// How much of the beginning and of the end of an input a format sees when it is asked whether it knows it.
pub const SAMPLE: usize = 64 * 1024;
/// A string of JSON that is longer stands in the sample as its beginning: behind it comes what tells the formats apart.
const STRING: usize = 32 * 1024;
/// Most bytes that are shown where strings were cut.
const SHORTENED: usize = 4 * SAMPLE;
/// Most bytes that are looked at behind long strings.
pub(super) const FAR: usize = 4 << 20;
/// A first line that is longer than [`SAMPLE`] without its long strings is shown whole, up to here.
const LINE: usize = 1 << 20;

/// Beginning and end of an input.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The beginning, byte order mark and leading NULs included: [`SAMPLE`] bytes, more where the first line is longer.
    /// Of very long strings of JSON only the beginning stands there.
    pub head: Vec<u8>,
    /// Last [`SAMPLE`] bytes, not overlapping `head`; empty when the head is all, and of compressed inputs.
    pub tail: Vec<u8>,
    /// Whether `head` shows the whole input.
    pub whole: bool,
    /// File name, for the explanation only: no format decides by it.
    pub name: String,
    /// Tables with their columns, when it is a database.
    pub tables: Vec<(String, Vec<String>)>,
    /// Names of the members, when it is a `.zip`.
    pub members: Vec<String>,
    /// What it is a sample of, for a format that must know which file lies beside it; `None` of bytes at hand.
    pub input: Option<Input>,
}

impl Sample {
    /// Of bytes at hand.
    pub fn of_bytes(name: impl Into<String>, bytes: &[u8]) -> Self {
        let (mut sample, shown) = Self::of_head(name, bytes).expect("memory can be read");
        sample.tail = bytes[bytes.len().saturating_sub(SAMPLE).max(shown)..].to_vec();
        sample
    }

    /// Of a stream: its beginning, and how many bytes of the stream that shows.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn of_head(name: impl Into<String>, mut stream: impl Read) -> io::Result<(Self, usize)> {
        let mut bytes = Vec::new();
        let mut more = |bytes: &mut Vec<u8>, most: usize| {
            let wanted = (most + 1).saturating_sub(bytes.len());
            stream.by_ref().take(wanted as u64).read_to_end(bytes).map(|_| bytes.len() <= most)
        };
        let mut all = more(&mut bytes, SAMPLE)?;
        let (mut head, mut shown) = shortened(&bytes, SAMPLE);
        if !all && shown > head.len() {
            all = more(&mut bytes, FAR)?;
            (head, shown) = shortened(&bytes, SHORTENED);
        }
        if !all && memchr::memchr(b'\n', &head).is_none() {
            all = more(&mut bytes, FAR)?;
            (head, shown) = shortened(&bytes, LINE);
        }
        let whole = all && shown == bytes.len();
        let head = head.into_owned();
        let sample = Self {
            head,
            tail: Vec::new(),
            whole,
            name: name.into(),
            tables: Vec::new(),
            members: Vec::new(),
            input: None,
        };
        Ok((sample, shown))
    }
}

/// The beginning of a text of at most `most` bytes, with its long strings of JSON cut, and how many bytes of the text it
/// shows. A string ends with its line at the latest, so that a stray quote does no harm.
fn shortened(text: &[u8], most: usize) -> (Cow<'_, [u8]>, usize) {
    let mut out = Vec::new();
    // From where on the text is not yet in `out`.
    let (mut from, mut at) = (0, 0);
    while out.len() + (at - from) < most
        && let Some(quote) = memchr::memchr(b'"', &text[at..])
    {
        let start = at + quote + 1;
        let (end, cut) = string(&text[start..]);
        at = start + end;
        if let Some(cut) = cut {
            out.extend_from_slice(&text[from..start + cut]);
            from = at;
        }
        at = (at + 1).min(text.len());
    }
    let rest = &text[from..text.len().min(from + most.saturating_sub(out.len()))];
    let shown = from + rest.len();
    if out.is_empty() {
        return (Cow::Borrowed(rest), shown);
    }
    out.extend_from_slice(rest);
    out.truncate(most);
    (Cow::Owned(out), shown)
}

/// Where a string ends (at its quote, or with the line), and where it is cut if it is long: between two characters or
/// escapes.
fn string(text: &[u8]) -> (usize, Option<usize>) {
    let (mut at, mut cut) = (0, None);
    while let Some(next) = memchr::memchr3(b'"', b'\\', b'\n', &text[at..]).map(|next| at + next) {
        if cut.is_none() && next > STRING {
            cut = (at.max(STRING)..next).find(|at| text[*at] & 0xC0 != 0x80);
        }
        if text[next] != b'\\' {
            return (next, cut);
        }
        at = (next + if text.get(next + 1) == Some(&b'u') { 6 } else { 2 }).min(text.len());
        if cut.is_none() && at > STRING {
            cut = Some(at);
        }
    }
    if cut.is_none() && text.len() > STRING {
        cut = (at.max(STRING)..text.len()).find(|at| text[*at] & 0xC0 != 0x80);
    }
    (text.len(), cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> (String, bool) {
        let sample = Sample::of_bytes("x", text.as_bytes());
        (String::from_utf8(sample.head).expect("cut between characters"), sample.whole)
    }

    #[test]
    fn what_stands_behind_a_long_string_is_seen() {
        for long in [
            "x".repeat(300_000),
            "é".repeat(99_999),
            "\\u00e9\\n".repeat(20_001),
            format!("{}é{}", "x".repeat(STRING - 1), "x".repeat(90_000)),
        ] {
            let text = format!("{{\"system\":\"{long}\",\"messages\":[\"a\\\"b\",\"{long}\"]}}\n");
            let (head, whole) = head(&text);
            let read = serde_json::from_str::<serde_json::Value>(&head).expect("JSON still");
            assert!(whole && head.len() < 3 * STRING && read["messages"][0] == "a\"b", "{}", head.len());
        }
    }

    #[test]
    fn what_has_no_long_string_stands_as_it_is() {
        let text = "{\"a\":\"b\\\\\"}\n'tis \" noise\n".repeat(9000);
        let (head, whole) = head(&text);
        assert_eq!((head.as_str(), whole), (&text[..SAMPLE], false));
        let sample = Sample::of_bytes("x", text.as_bytes());
        assert_eq!(sample.tail, &text.as_bytes()[text.len() - SAMPLE..]);
    }

    #[test]
    fn a_long_first_line_is_seen_to_its_end() {
        let items: Vec<String> = (0..20_000).map(|i| format!("\"item {i}\"")).collect();
        let text = format!("{{\"list\":[{}],\"type\":\"x\"}}\n{{\"type\":\"y\"}}\n", items.join(","));
        let (head, whole) = head(&text);
        assert!(whole && head == text);
    }

    #[test]
    fn a_string_without_an_end_is_cut_too() {
        let (head, whole) = head(&format!("{{\"a\":1,\"b\":\"{}", "x".repeat(5 << 20)));
        assert!(head.starts_with("{\"a\":1,\"b\":\"xxx") && head.len() < 2 * STRING && !whole);
    }
}
