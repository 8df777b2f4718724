//! Damaged JSON made readable: what real logs hold besides well-formed records.

use std::{borrow::Cow, ops::Range};

use memchr::memmem;
use serde::de::IgnoredAny;

use crate::base::diag::DiagCode;

/// What had to be repaired to get text from bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Repairs {
    /// A byte order mark was dropped.
    pub byte_order_mark: bool,
    /// NUL bytes at either end were dropped.
    pub nul: bool,
    /// Invalid UTF-8 became U+FFFD.
    pub utf8: bool,
    /// Lone surrogates became U+FFFD.
    pub surrogates: bool,
    /// Control characters stood unescaped in strings.
    pub controls: bool,
}

impl Repairs {
    /// What was done, as diagnostics.
    pub fn list(self) -> impl Iterator<Item = (DiagCode, &'static str)> {
        [
            (self.byte_order_mark, DiagCode::ByteOrderMark, "dropped"),
            (self.nul, DiagCode::NulPadding, "dropped"),
            (self.utf8, DiagCode::Utf8Invalid, "replaced by U+FFFD"),
            (self.surrogates, DiagCode::SurrogateLone, "replaced by U+FFFD"),
            (self.controls, DiagCode::ControlRaw, "read as if escaped"),
        ]
        .into_iter()
        .filter_map(|(done, code, what)| done.then_some((code, what)))
    }
}

/// Text that serde_json refuses, with lone surrogates and raw control characters put right; `None` when there are none.
pub fn repair(text: &str, repairs: &mut Repairs) -> Option<String> {
    let paired = pair_surrogates(text);
    repairs.surrogates = paired.is_some();
    let escaped = escape_controls(paired.as_deref().unwrap_or(text));
    repairs.controls = escaped.is_some();
    escaped.or(paired)
}

/// Writes control characters inside strings as escapes; `None` when there are none. Whether a quote opens or closes a
/// string is told by counting quotes, so this is only for text that already failed to parse.
fn escape_controls(text: &str) -> Option<String> {
    text.bytes().any(|b| b < b' ' && !matches!(b, b'\t' | b'\n' | b'\r')).then_some(())?;
    let mut out = String::with_capacity(text.len() + 16);
    let (mut inside, mut escaped) = (false, false);
    for c in text.chars() {
        match c {
            '"' if !escaped => inside = !inside,
            c if c < ' ' && inside => {
                out += &format!("\\u{:04x}", u32::from(c));
                continue;
            }
            _ => {}
        }
        escaped = c == '\\' && !escaped;
        out.push(c);
    }
    Some(out)
}

/// How many places of a damaged line are tried as the beginning of another record.
const RESTARTS: usize = 64;

/// Cuts a line that is not one JSON value into pieces: whole values that stand glued, and the damaged stretches between
/// them. After a damaged stretch a record begins at the next `{"` from which a value reaches to the end of the line;
/// not so in a line `at_end` of the input without line ending, whose end is rather torn off. At least one piece; the
/// pieces lie in order, with nothing but blanks between them.
pub fn pieces(text: &str, at_end: bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while from < text.len() {
        let rest = &text[from..];
        let blank = rest.len() - rest.trim_start().len();
        from += blank;
        if from == text.len() {
            break;
        }
        let end = match value_end(&text[from..]) {
            Some(length) => from + length,
            None if at_end => text.len(),
            None => restart(text, from),
        };
        found.push(from..end);
        from = end;
    }
    if found.is_empty() {
        found.push(0..text.len());
    }
    found
}

/// Length of the object at the beginning of `text`.
fn value_end(text: &str) -> Option<usize> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    text.starts_with('{').then(|| stream.next())??.ok()?;
    Some(stream.byte_offset())
}

/// Where, after the beginning of a damaged stretch, the next whole record begins: an object that reaches to the end of
/// the line. A nested object of the damaged record itself cannot: closing brackets follow it, unless it was torn there.
fn restart(text: &str, from: usize) -> usize {
    memmem::find_iter(&text.as_bytes()[from + 1..], b"{\"")
        .map(|at| from + 1 + at)
        .take(RESTARTS)
        .find(|at| value_end(&text[*at..]).is_some_and(|length| text[at + length..].trim().is_empty()))
        .unwrap_or(text.len())
}

/// How many bytes stand before a text that are none of it: a byte order mark, NULs.
pub fn padding(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let [0xEF, 0xBB, 0xBF, ..] | [0, ..] = bytes[at..] {
        at += if bytes[at] == 0 { 1 } else { 3 };
    }
    at
}

/// The text of a record or document, without byte order mark, NUL padding and invalid UTF-8.
pub fn text_of(bytes: &[u8]) -> (Cow<'_, str>, Repairs) {
    let (lead, mut rest) = bytes.split_at(padding(bytes));
    let mut repairs = Repairs { byte_order_mark: lead.contains(&0xEF), nul: lead.contains(&0), ..Repairs::default() };
    while let Some(before) = rest.strip_suffix(b"\0") {
        repairs.nul = true;
        rest = before;
    }
    match simdutf8::basic::from_utf8(rest) {
        Ok(text) => (Cow::Borrowed(text), repairs),
        Err(_) => {
            repairs.utf8 = true;
            (Cow::Owned(String::from_utf8_lossy(rest).into_owned()), repairs)
        }
    }
}

/// An object that ends early, closed behind the last whole item of its member `inner` (a list or an object, at any
/// depth), or behind a whole member that follows; `None` when there is no such item. What is half there is left out: it
/// would be told as if it were all.
pub fn closed(text: &str, inner: &str) -> Option<String> {
    let bytes = text.as_bytes();
    // Brackets that are open, by what closes them; how many were when `inner` began.
    let (mut open, mut within): (Vec<u8>, Option<usize>) = (Vec::new(), None);
    let mut safe: Option<(usize, String)> = None;
    // The last string: a key when a bracket follows it.
    let (mut key, mut at) = (0..0, 0);
    while let Some(byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'"' => {
                at = string_end(bytes, at);
                key = start + 1..at - 1;
            }
            b'{' | b'[' => {
                open.push(byte + 2);
                if within.is_none() && text.get(key.clone()) == Some(inner) {
                    within = Some(open.len());
                }
            }
            b'}' | b']' => {
                open.pop().filter(|close| close == byte)?;
                within = within.filter(|depth| open.len() >= *depth);
            }
            _ => {}
        }
        let item = matches!(byte, b'}' | b']') && within == Some(open.len());
        let behind = safe.is_some() && within.is_none();
        if item || behind && matches!(byte, b',' | b'}' | b']') {
            let end = if *byte == b',' { start } else { at };
            safe = Some((end, open.iter().rev().map(|close| char::from(*close)).collect()));
        }
    }
    safe.map(|(end, close)| format!("{}{close}", &text[..end]))
}

/// Where a string ends, behind its quote; its text begins at `at`. At the end of the text where it has none.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(next) = memchr::memchr2(b'"', b'\\', &bytes[at.min(bytes.len())..]) {
        at += next;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

/// Rewrites `\uD8xx`–`\uDFxx` escapes that have no partner to `\uFFFD`; `None` when there are none. serde_json refuses
/// a whole record for one of them, and agents write them when a truncation cuts an emoji in half.
pub fn pair_surrogates(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut fixed: Option<Vec<u8>> = None;
    let mut i = 0;
    while let Some(step) = memchr::memchr(b'\\', &bytes[i..]) {
        let at = i + step;
        if bytes.get(at + 1) != Some(&b'u') {
            i = (at + 2).min(bytes.len());
            continue;
        }
        match escape(bytes, at) {
            Some(high @ 0xD800..=0xDBFF) => {
                let _ = high;
                if matches!(escape(bytes, at + 6), Some(0xDC00..=0xDFFF)) {
                    i = at + 12;
                    continue;
                }
                fixed.get_or_insert_with(|| bytes.to_vec())[at + 2..at + 6].copy_from_slice(b"FFFD");
                i = at + 6;
            }
            Some(0xDC00..=0xDFFF) => {
                fixed.get_or_insert_with(|| bytes.to_vec())[at + 2..at + 6].copy_from_slice(b"FFFD");
                i = at + 6;
            }
            _ => i = (at + 2).min(bytes.len()),
        }
    }
    fixed.map(|bytes| String::from_utf8(bytes).expect("ASCII was replaced by ASCII"))
}

/// Value of a `\uXXXX` escape at `at`.
fn escape(bytes: &[u8], at: usize) -> Option<u16> {
    let hex = bytes.get(at..at + 6).filter(|e| e.starts_with(b"\\u"))?;
    u16::from_str_radix(std::str::from_utf8(&hex[2..]).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, at_end: bool) -> Vec<&str> {
        pieces(text, at_end).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn what_ends_early_is_closed_behind_its_last_whole_item() {
        let cases = [
            (r#"{"a":"x","in":[{"b":"]\""},{"c":[1]},{"d":"#, Some(r#"{"a":"x","in":[{"b":"]\""},{"c":[1]}]}"#)),
            (r#"{"in":{"k":{"b":1},"l":{"c":{}"#, Some(r#"{"in":{"k":{"b":1}}}"#)),
            (r#"{"in":[{"b":1}],"e":2,"f":"#, Some(r#"{"in":[{"b":1}],"e":2}"#)),
            (
                r#"{"o":[{"in":[{"b":[2]},{"c":3}]},{"in":[{"d":1},{"#,
                Some(r#"{"o":[{"in":[{"b":[2]},{"c":3}]},{"in":[{"d":1}]}]}"#),
            ),
            (r#"{"a":"in","e":[{"f":1},{"#, None),
            (r#"{"a":"\"#, None),
            (r#"{"in":[{"b":1"#, None),
            (r#"{"a":[}"#, None),
        ];
        for (text, wanted) in cases {
            assert_eq!(closed(text, "in").as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn glued_records_are_cut_apart() {
        assert_eq!(cut(r#"{"a":1}{"b":{"c":2}} {"d":3}"#, false), [r#"{"a":1}"#, r#"{"b":{"c":2}}"#, r#"{"d":3}"#]);
    }

    #[test]
    fn after_a_torn_record_the_next_one_is_found() {
        assert_eq!(cut(r#"{"a":{"x":"cut {"b":{"c":2}}"#, false), [r#"{"a":{"x":"cut "#, r#"{"b":{"c":2}}"#]);
        assert_eq!(cut(r#"{"a":{"x":{"y":1}"#, true), [r#"{"a":{"x":{"y":1}"#]);
    }

    #[test]
    fn only_lone_surrogates_are_replaced() {
        let text = r#"{"a":"\ud83d\ude00 \ud83d \\ud83d \ude00"}"#;
        let fixed = pair_surrogates(text).expect("two are alone");
        assert_eq!(fixed, r#"{"a":"\ud83d\ude00 \uFFFD \\ud83d \uFFFD"}"#);
        assert_eq!(pair_surrogates(&fixed), None);
    }

    #[test]
    fn controls_are_escaped_in_strings_only() {
        let mut repairs = Repairs::default();
        let fixed = repair("{\"a\":\"x\u{1b}[0m\\\"\"}", &mut repairs).expect("one stands there");
        assert_eq!(fixed, "{\"a\":\"x\\u001b[0m\\\"\"}");
        assert!(repairs.controls && !repairs.surrogates);
    }
}
