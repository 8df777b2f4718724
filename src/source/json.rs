//! Damaged JSON made readable: what real logs hold besides well-formed records.

use std::borrow::Cow;

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
}

/// The text of a record or document, without byte order mark, NUL padding and invalid UTF-8.
pub fn text_of(bytes: &[u8]) -> (Cow<'_, str>, Repairs) {
    let mut repairs = Repairs::default();
    let mut rest = bytes;
    loop {
        if let Some(after) = rest.strip_prefix(b"\xEF\xBB\xBF") {
            repairs.byte_order_mark = true;
            rest = after;
        } else if let Some(after) = rest.strip_prefix(b"\0") {
            repairs.nul = true;
            rest = after;
        } else {
            break;
        }
    }
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
