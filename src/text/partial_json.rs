//! JSON that was cut: read as far as it goes. Every value says whether it is whole; what stands after the cut is not
//! guessed at. Raw control characters in strings are let pass, since logs hold them. Total on any input, linear in its
//! length, and bounded in depth. Well-formed documents are read faster by serde_json; this is for the others.

use std::borrow::Cow;

use crate::base::span::ByteSpan;

/// Lists and objects nested deeper than this are passed over.
pub const DEEPEST: usize = 64;

/// A value as far as it is shown.
#[derive(Clone, PartialEq, Debug)]
pub struct Node<'a> {
    /// What it is.
    pub value: Value<'a>,
    /// Whether its end was seen.
    pub whole: bool,
    /// Its bytes in the text that was read.
    pub span: ByteSpan,
}

/// What a value is.
#[derive(Clone, PartialEq, Debug)]
pub enum Value<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as written.
    Number(&'a str),
    /// A string, decoded as far as shown; a broken escape at the cut is left out, a lone surrogate is U+FFFD.
    Text(Cow<'a, str>),
    /// A list of the values that were begun.
    List(Vec<Node<'a>>),
    /// An object: the members whose value was begun, in order; a repeated key stands twice.
    Object(Vec<(Cow<'a, str>, Node<'a>)>),
    /// A list or object below [`DEEPEST`], passed over.
    TooDeep,
}

/// Where reading stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// After a whole value; there may be more text.
    Whole(usize),
    /// At the end of the text, in the middle of the value.
    Cut(usize),
    /// At a byte that cannot stand there.
    Fault(usize),
}

/// What was read.
#[derive(Clone, PartialEq, Debug)]
pub struct Partial<'a> {
    /// The value, if one was begun.
    pub node: Option<Node<'a>>,
    /// Where reading stopped.
    pub stop: Stop,
}

impl<'a> Node<'a> {
    /// The elements of a list.
    pub fn list(&self) -> Option<&[Node<'a>]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// The member of an object with this name; the last one where it is repeated.
    pub fn get(&self, name: &str) -> Option<&Node<'a>> {
        match &self.value {
            Value::Object(members) => members.iter().rev().find(|(key, _)| key == name).map(|(_, node)| node),
            _ => None,
        }
    }

    /// A string.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The bytes between the quotation marks of a string, as far as shown; the whole span of any other value.
    pub fn inner(&self) -> ByteSpan {
        match self.value {
            Value::Text(_) => ByteSpan::new(self.span.start + 1, self.span.end - usize::from(self.whole)),
            _ => self.span,
        }
    }
}

/// Reads the value that the text begins with.
pub fn read(text: &str) -> Partial<'_> {
    let mut reader = Reader { text, at: 0, halt: None };
    reader.blanks();
    let node = reader.value(0);
    let stop = reader.halt.unwrap_or(Stop::Whole(reader.at));
    Partial { node, stop }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    halt: Option<Stop>,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Notes that the value cannot be read on from here.
    fn halt(&mut self) {
        let stop = if self.at >= self.text.len() { Stop::Cut(self.text.len()) } else { Stop::Fault(self.at) };
        self.halt.get_or_insert(stop);
    }

    fn value(&mut self, depth: usize) -> Option<Node<'a>> {
        let start = self.at;
        let (value, whole) = match self.peek() {
            Some(b'{' | b'[') if depth >= DEEPEST => (Value::TooDeep, self.pass_over()),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => {
                let (text, whole) = self.string();
                (Value::Text(text), whole)
            }
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => (self.word()?, true),
        };
        Some(Node { value, whole, span: ByteSpan::new(start, self.at) })
    }

    fn object(&mut self, depth: usize) -> (Value<'a>, bool) {
        let mut members = Vec::new();
        self.at += 1;
        loop {
            self.blanks();
            match self.peek() {
                Some(b'}') => {
                    self.at += 1;
                    return (Value::Object(members), true);
                }
                Some(b',') if !members.is_empty() => {
                    self.at += 1;
                    continue;
                }
                Some(b'"') => {}
                _ => break,
            }
            let (key, whole) = self.string();
            self.blanks();
            if !whole || self.peek() != Some(b':') {
                break;
            }
            self.at += 1;
            self.blanks();
            let Some(node) = self.value(depth + 1) else { break };
            members.push((key, node));
            if self.halt.is_some() {
                break;
            }
        }
        self.halt();
        (Value::Object(members), false)
    }

    fn list(&mut self, depth: usize) -> (Value<'a>, bool) {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.blanks();
            match self.peek() {
                Some(b']') => {
                    self.at += 1;
                    return (Value::List(items), true);
                }
                Some(b',') if !items.is_empty() => {
                    self.at += 1;
                    continue;
                }
                _ => {}
            }
            let Some(node) = self.value(depth + 1) else { break };
            items.push(node);
            if self.halt.is_some() {
                break;
            }
        }
        self.halt();
        (Value::List(items), false)
    }

    /// A string from its opening quotation mark, decoded; and whether its closing one was seen.
    fn string(&mut self) -> (Cow<'a, str>, bool) {
        let start = self.at + 1;
        let bytes = self.text.as_bytes();
        let mut end = start;
        let mut escaped = false;
        while let Some(step) = memchr::memchr2(b'"', b'\\', &bytes[end..]) {
            end += step;
            if bytes[end] == b'"' {
                self.at = end + 1;
                return (decode(&self.text[start..end], escaped), true);
            }
            escaped = true;
            // What follows the backslash may be a longer character or the end.
            end = (end + 2).min(bytes.len());
        }
        self.at = bytes.len();
        self.halt();
        (decode(&self.text[start..], escaped), false)
    }

    fn number(&mut self) -> (Value<'a>, bool) {
        let start = self.at;
        while matches!(self.peek(), Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')) {
            self.at += 1;
        }
        // A number at the very end may go on beyond the cut.
        let whole = self.at < self.text.len() || start == 0;
        if !whole {
            self.halt();
        }
        (Value::Number(&self.text[start..self.at]), whole)
    }

    fn word(&mut self) -> Option<Value<'a>> {
        let rest = &self.text[self.at..];
        for (word, value) in [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))] {
            if rest.starts_with(word) {
                self.at += word.len();
                return Some(value);
            }
            if word.starts_with(rest) {
                self.at = self.text.len();
            }
        }
        self.halt();
        None
    }

    /// Moves behind a list or object without looking into it; says whether its end was seen.
    fn pass_over(&mut self) -> bool {
        let mut open = 0usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    self.string();
                    continue;
                }
                b'{' | b'[' => open += 1,
                b'}' | b']' => open -= 1,
                _ => {}
            }
            self.at += 1;
            if open == 0 {
                return true;
            }
        }
        self.halt();
        false
    }
}

fn decode(raw: &str, escaped: bool) -> Cow<'_, str> {
    if !escaped {
        return Cow::Borrowed(raw);
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(kind) = rest.chars().next() else { return Cow::Owned(text) };
        rest = &rest[kind.len_utf8()..];
        match kind {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'u' => match unicode(rest) {
                Some((character, used)) => {
                    text.push(character);
                    rest = &rest[used..];
                }
                None if rest.len() < 4 => return Cow::Owned(text),
                None => text.push(char::REPLACEMENT_CHARACTER),
            },
            other => text.push(other),
        }
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// The character of the hexadecimal digits after `\u`, and how many bytes it took; a pair of surrogates is one.
fn unicode(rest: &str) -> Option<(char, usize)> {
    let unit = |at: usize| u32::from_str_radix(rest.get(at..at + 4)?, 16).ok();
    let first = unit(0)?;
    if (0xD800..0xDC00).contains(&first)
        && rest.get(4..6) == Some("\\u")
        && let Some(second @ 0xDC00..=0xDFFF) = unit(6)
    {
        let scalar = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        return Some((char::from_u32(scalar)?, 10));
    }
    Some((char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER), 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects(text: &str) -> Vec<(String, bool)> {
        let partial = read(text);
        let list = partial.node.expect("begun");
        list.list()
            .expect("a list")
            .iter()
            .map(|o| (o.get("a").and_then(Node::text).unwrap_or("-").to_string(), o.whole))
            .collect()
    }

    #[test]
    fn whole_values_are_whole() {
        let text = r#" {"a":[1,true,null,"x\n\u00e9\ud83d\ude00"]} tail"#;
        let partial = read(text);
        let node = partial.node.expect("an object");
        assert!(node.whole);
        assert_eq!(partial.stop, Stop::Whole(text.len() - 5));
        assert_eq!(node.get("a").and_then(Node::list).expect("list")[3].text(), Some("x\né😀"));
    }

    #[test]
    fn a_cut_list_tells_which_objects_closed() {
        assert_eq!(objects(r#"[{"a":"one"},{"a":"tw"#), [("one".into(), true), ("tw".into(), false)]);
        assert_eq!(objects(r#"[{"a":"one"},{"#), [("one".into(), true), ("-".into(), false)]);
        assert_eq!(objects(r#"[{"a":"one"},"#), [("one".into(), true)]);
        assert_eq!(objects(r#"[{"a":"one\u00"#), [("one".into(), false)]);
    }

    #[test]
    fn depth_is_bounded_and_the_rest_still_read() {
        let deep = format!("[{}{},\"after\"]", "[".repeat(100_000), "]".repeat(100_000));
        let partial = read(&deep);
        let node = partial.node.expect("a list");
        assert!(node.whole);
        assert_eq!(node.list().expect("list")[1].text(), Some("after"));
    }

    #[test]
    fn any_prefix_and_any_damage_is_read_without_panic() {
        let text = r#"{"k":[{"a":"é\u12ab","b":-1.5e3},[[]],null],"x\"y":{"z":false}}"#;
        for end in (0..=text.len()).filter(|i| text.is_char_boundary(*i)) {
            let partial = read(&text[..end]);
            assert_eq!(matches!(partial.stop, Stop::Whole(_)), end == text.len(), "{end}");
        }
        for odd in ["", "\\", "\"\\", "{]", "[}", "[,]", "{\"a\" 1}", "nul", "nulx", "-", "[1 2]", "\u{feff}{}"] {
            read(odd);
        }
    }
}
