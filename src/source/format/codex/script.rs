//! Scripts by which the model calls several tools at once (`exec` with JavaScript): which tools they call, with which
//! arguments, as far as those are written out. Nothing is run: literals are read, constants looked up, the rest is left.

use std::collections::HashMap;

/// A call inside a script.
#[derive(Clone, PartialEq, Debug)]
pub struct Nested {
    /// Name of the tool.
    pub name: String,
    /// Its argument.
    pub input: Option<Literal>,
}

/// A value that is written out.
#[derive(Clone, PartialEq, Debug)]
pub enum Literal {
    /// A string, decoded.
    Text(String),
    /// A number, a truth value or `null`, as JSON.
    Plain(String),
    /// A list.
    List(Vec<Literal>),
    /// An object; members that are not written out are left out.
    Object(Vec<(String, Literal)>),
}

impl Literal {
    /// As compact JSON.
    pub fn json(&self) -> String {
        let string = |text: &str| serde_json::to_string(text).unwrap_or_default();
        match self {
            Literal::Text(text) => string(text),
            Literal::Plain(json) => json.clone(),
            Literal::List(items) => format!("[{}]", items.iter().map(Literal::json).collect::<Vec<_>>().join(",")),
            Literal::Object(members) => {
                let members = members.iter().map(|(key, value)| format!("{}:{}", string(key), value.json()));
                format!("{{{}}}", members.collect::<Vec<_>>().join(","))
            }
        }
    }

    /// A member of an object.
    pub fn get(&self, name: &str) -> Option<&Literal> {
        match self {
            Literal::Object(members) => members.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// A string.
    pub fn text(&self) -> Option<&str> {
        match self {
            Literal::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Nested deeper than this, a value is not read.
const DEEPEST: usize = 32;
/// How many values are read for each byte of the script: constants that name each other must not multiply.
const FUEL_PER_BYTE: usize = 4;

/// The calls of tools in a script, in order.
pub fn calls(source: &str) -> Vec<Nested> {
    let (places, constants) = outline(source);
    let mut fuel = source.len() * FUEL_PER_BYTE;
    let one = |(name, at): (&str, usize)| {
        let mut reader = Reader { source, at, constants: &constants, fuel: &mut fuel };
        Nested { name: name.to_string(), input: reader.expression(0) }
    };
    places.into_iter().map(one).collect()
}

/// What a script holds outside strings and comments: places of tool arguments, and where constants have their values.
fn outline(source: &str) -> (Vec<(&str, usize)>, HashMap<&str, usize>) {
    let (mut places, mut constants) = (Vec::new(), HashMap::new());
    // No values are read here.
    let mut fuel = 0;
    let mut reader = Reader { source, at: 0, constants: &HashMap::new(), fuel: &mut fuel };
    while let Some(byte) = reader.peek() {
        match byte {
            b'"' | b'\'' | b'`' => reader.pass_string(),
            b'/' if reader.comment() => {}
            _ => match reader.word() {
                "" => reader.step(),
                "tools" if reader.take(b'.') => {
                    let name = reader.word();
                    if !name.is_empty() && reader.take(b'(') {
                        places.push((name, reader.at));
                    }
                }
                "const" | "let" | "var" => {
                    let name = reader.word();
                    if !name.is_empty() && reader.take(b'=') {
                        constants.entry(name).or_insert(reader.at);
                    }
                }
                _ => {}
            },
        }
    }
    (places, constants)
}

struct Reader<'s, 'c> {
    source: &'s str,
    at: usize,
    constants: &'c HashMap<&'s str, usize>,
    fuel: &'c mut usize,
}

impl<'s> Reader<'s, '_> {
    fn rest(&self) -> &'s str {
        &self.source[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.source.as_bytes().get(self.at).copied()
    }

    fn step(&mut self) {
        self.at += self.rest().chars().next().map_or(0, char::len_utf8);
    }

    /// Passes over blanks and comments.
    fn blanks(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            if !self.comment() {
                return;
            }
        }
    }

    fn comment(&mut self) -> bool {
        let rest = self.rest();
        let length = match rest.as_bytes() {
            [b'/', b'/', ..] => rest.find('\n').unwrap_or(rest.len()),
            [b'/', b'*', ..] => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ => return false,
        };
        self.at += length;
        true
    }

    fn take(&mut self, byte: u8) -> bool {
        self.blanks();
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// The name that stands next; "" when none does.
    fn word(&mut self) -> &'s str {
        let rest = self.rest().trim_start();
        let start = self.source.len() - rest.len();
        let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$')).count();
        if length > 0 {
            self.at = start + length;
        }
        &rest[..length]
    }

    /// Passes over a string of any kind.
    fn pass_string(&mut self) {
        let Some(quote) = self.peek() else { return };
        self.at += 1;
        let mut escaped = false;
        for (offset, byte) in self.rest().bytes().enumerate() {
            if byte == quote && !escaped {
                self.at += offset + 1;
                return;
            }
            escaped = byte == b'\\' && !escaped;
        }
        self.at = self.source.len();
    }

    /// Passes over what is left of an expression, up to the comma or bracket that ends it.
    fn pass_expression(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' | b'\'' | b'`' => {
                    self.pass_string();
                    continue;
                }
                b'/' if self.comment() => continue,
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' | b',' | b';' if depth == 0 => return,
                b')' | b']' | b'}' => depth -= 1,
                _ => {}
            }
            self.step();
        }
    }

    /// A value and what is joined to it by `+`; nothing when it is not written out.
    fn expression(&mut self, depth: usize) -> Option<Literal> {
        let mut value = self.value(depth)?;
        while self.take(b'+') {
            match (&mut value, self.value(depth)?) {
                (Literal::Text(text), Literal::Text(more)) => text.push_str(&more),
                _ => return None,
            }
        }
        Some(value)
    }

    fn value(&mut self, depth: usize) -> Option<Literal> {
        *self.fuel = self.fuel.checked_sub(1)?;
        if depth > DEEPEST {
            return None;
        }
        self.blanks();
        match self.peek()? {
            b'"' | b'\'' => self.string().map(Literal::Text),
            b'`' => self.template(false).map(Literal::Text),
            b'[' => self.list(depth),
            b'{' => self.object(depth),
            b'-' | b'0'..=b'9' => self.number(),
            b'(' => {
                self.at += 1;
                let inner = self.expression(depth + 1)?;
                self.take(b')').then_some(inner)
            }
            _ => self.name(depth),
        }
    }

    fn name(&mut self, depth: usize) -> Option<Literal> {
        match self.word() {
            "" => None,
            word @ ("true" | "false" | "null") => Some(Literal::Plain(word.to_string())),
            "undefined" => Some(Literal::Plain("null".to_string())),
            "String" if self.take(b'.') && self.word() == "raw" && self.peek() == Some(b'`') => {
                self.template(true).map(Literal::Text)
            }
            word => {
                // A property or a call of it is no constant.
                if matches!(self.peek(), Some(b'.' | b'(' | b'[')) {
                    return None;
                }
                self.constant(word, depth)
            }
        }
    }

    /// The value of a constant. What it takes to read it is taken from the fuel each time.
    fn constant(&mut self, name: &str, depth: usize) -> Option<Literal> {
        let at = *self.constants.get(name)?;
        let mut reader = Reader { source: self.source, at, constants: self.constants, fuel: self.fuel };
        let value = reader.expression(depth + 1)?;
        let length = reader.at - at;
        *self.fuel = self.fuel.checked_sub(length)?;
        Some(value)
    }

    fn number(&mut self) -> Option<Literal> {
        let rest = self.rest();
        let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_')).count();
        self.at += length;
        let plain = rest[..length].replace('_', "");
        serde_json::from_str::<f64>(&plain).ok().map(|_| Literal::Plain(plain))
    }

    fn string(&mut self) -> Option<String> {
        let from = self.at;
        self.pass_string();
        let inner = self.source.get(from + 1..self.at.checked_sub(1)?)?;
        (self.at > from + 1 && self.source.as_bytes()[self.at - 1] == self.source.as_bytes()[from])
            .then(|| unescaped(inner))
    }

    /// A template without values in it.
    fn template(&mut self, raw: bool) -> Option<String> {
        let from = self.at;
        self.pass_string();
        let inner = self.source.get(from + 1..self.at.checked_sub(1)?)?;
        match () {
            () if raw => (!inner.contains("${")).then(|| inner.to_string()),
            () => (!inner.replace("\\$", "").contains("${")).then(|| unescaped(inner)),
        }
    }

    fn list(&mut self, depth: usize) -> Option<Literal> {
        self.at += 1;
        let mut items = Vec::new();
        while !self.take(b']') {
            items.push(self.expression(depth + 1)?);
            if !self.take(b',') && self.peek() != Some(b']') {
                return None;
            }
        }
        match self.joined(&items) {
            Some(text) => Some(Literal::Text(text)),
            None => Some(Literal::List(items)),
        }
    }

    /// `.join("\n")` behind a list of strings.
    fn joined(&mut self, items: &[Literal]) -> Option<String> {
        let after = self.rest().trim_start().strip_prefix(".join(")?;
        self.at = self.source.len() - after.len();
        let between = match self.take(b')') {
            true => ",".to_string(),
            false => {
                self.blanks();
                let between = self.string()?;
                self.take(b')').then_some(between)?
            }
        };
        let texts: Option<Vec<&str>> = items.iter().map(Literal::text).collect();
        Some(texts?.join(&between))
    }

    fn object(&mut self, depth: usize) -> Option<Literal> {
        self.at += 1;
        let mut members = Vec::new();
        while !self.take(b'}') {
            let key = match self.peek()? {
                b'"' | b'\'' => self.string()?,
                _ => self.word().to_string(),
            };
            let value = match self.take(b':') {
                true => self.expression(depth + 1),
                // `{cmd}` is short for `{cmd: cmd}`.
                false => self.constant(&key, depth),
            };
            self.pass_expression();
            if let Some(value) = value.filter(|_| !key.is_empty()) {
                members.push((key, value));
            }
            if !self.take(b',') && self.peek() != Some(b'}') {
                return None;
            }
        }
        Some(Literal::Object(members))
    }
}

/// A string with its escapes decoded.
fn unescaped(inner: &str) -> String {
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    // The first half of a surrogate pair.
    let mut high = None;
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('v') => out.push('\u{b}'),
            Some('0') => out.push('\0'),
            Some('\n') | None => {}
            Some(kind @ ('x' | 'u')) => match code(&mut chars, kind) {
                Some(unit @ 0xD800..=0xDBFF) => high = Some(unit),
                Some(unit @ 0xDC00..=0xDFFF) => {
                    let pair = high.take().map(|first| 0x10000 + ((first - 0xD800) << 10) + (unit - 0xDC00));
                    out.push(pair.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                other => out.push(other.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)),
            },
            Some(other) => out.push(other),
        }
    }
    out
}

/// The number of an escape: `\x41`, `\u0041`, `\u{1F600}`.
fn code(chars: &mut std::str::Chars, kind: char) -> Option<u32> {
    let rest = chars.as_str();
    let (digits, length) = match rest.strip_prefix('{') {
        Some(inner) if kind == 'u' => {
            let end = inner.find('}')?;
            (&inner[..end], end + 2)
        }
        _ => {
            let length = if kind == 'x' { 2 } else { 4 };
            (rest.get(..length)?, length)
        }
    };
    let number = u32::from_str_radix(digits, 16).ok()?;
    *chars = rest.get(length..)?.chars();
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(source: &str) -> Vec<(String, String)> {
        let json = |n: &Nested| n.input.as_ref().map(Literal::json).unwrap_or_default();
        calls(source).iter().map(|n| (n.name.clone(), json(n))).collect()
    }

    fn one(source: &str) -> String {
        told(source).remove(0).1
    }

    #[test]
    fn arguments_that_are_written_out_are_read() {
        let plan = r#"await tools.update_plan({plan:[{step:'a "b"', status:"completed"},], explanation: `why`});"#;
        let read = r#"{"plan":[{"step":"a \"b\"","status":"completed"}],"explanation":"why"}"#;
        assert_eq!(told(plan), [("update_plan".to_string(), read.to_string())]);
        assert_eq!(
            one(r#"tools.exec_command({cmd: "a" + 'b', tty: false, n: 1_000})"#),
            r#"{"cmd":"ab","tty":false,"n":1000}"#
        );
        assert_eq!(one(r#"text(await tools.apply_patch(["x", "y"].join("\n")))"#), r#""x\ny""#);
        assert_eq!(one(r"tools.a(String.raw`c:\new`)"), r#""c:\\new""#);
        assert_eq!(one(r#"tools.a("\u0041\x42\u{43}\ud83d\ude00")"#), "\"ABC😀\"");
    }

    #[test]
    fn constants_are_looked_up() {
        let source = "const plan = [{step: \"a\", status: \"pending\"}]; const cmd = 'ls';\nawait tools.update_plan({plan});\ntools.exec_command({cmd, workdir: where()})";
        assert_eq!(told(source)[0].1, r#"{"plan":[{"step":"a","status":"pending"}]}"#);
        assert_eq!(told(source)[1].1, r#"{"cmd":"ls"}"#);
    }

    #[test]
    fn what_is_computed_is_left_out() {
        assert_eq!(one("tools.exec_command({cmd: `ls ${dir}`, workdir: \"/w\"})"), r#"{"workdir":"/w"}"#);
        assert_eq!(one("tools.update_plan(make())"), "");
        assert_eq!(told("// tools.a({})\nconst s = \"tools.b({})\";"), []);
    }

    #[test]
    fn constants_that_name_each_other_end() {
        assert_eq!(one("const a = [b, b]; const b = [a, a]; tools.x(a)"), "");
        assert_eq!(one(&format!("tools.x({})", "[".repeat(10_000))), "");
    }
}
