//! Patterns over what people, agents and tools write: as in `regex`, but a word ends where ASCII says so.
//!
//! At a boundary of Unicode words the fast engines of `regex` give up as soon as a text holds a byte that is no ASCII, and
//! outputs hold one nearly always (a dash, a quotation mark, a check mark): the same search then takes ten times as long.

use std::{borrow::Cow, fmt, ops::Deref};

/// A pattern whose `\b` is that of ASCII.
#[derive(Clone, Debug)]
pub struct Regex(regex::Regex);

impl Regex {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(pattern: &str) -> Result<Self, regex::Error> {
        regex::Regex::new(&with_ascii_boundaries(pattern)).map(Self)
    }
}

impl Deref for Regex {
    type Target = regex::Regex;

    fn deref(&self) -> &regex::Regex {
        &self.0
    }
}

impl fmt::Display for Regex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Patterns that are looked for together, each as [`Regex`] reads it.
#[derive(Clone, Debug)]
pub struct RegexSet(regex::RegexSet);

impl RegexSet {
    /// Compiles patterns.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub fn new(patterns: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self, regex::Error> {
        let patterns = patterns.into_iter().map(|p| with_ascii_boundaries(p.as_ref()).into_owned());
        regex::RegexSet::new(patterns).map(Self)
    }
}

impl Deref for RegexSet {
    type Target = regex::RegexSet;

    fn deref(&self) -> &regex::RegexSet {
        &self.0
    }
}

/// A pattern whose `\w` too is that of ASCII: for long tables over prose, whose automata are smaller then.
pub fn in_ascii(pattern: &str) -> String {
    with_ascii_boundaries(pattern).replace(r"\w", "[[:word:]]")
}

/// The pattern with `(?-u:\b)` for `\b`; an escaped backslash before a `b` is none.
fn with_ascii_boundaries(pattern: &str) -> Cow<'_, str> {
    if !pattern.contains(r"\b") {
        return Cow::Borrowed(pattern);
    }
    let mut all = String::with_capacity(pattern.len() + 64);
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match (c, if c == '\\' { chars.next() } else { None }) {
            ('\\', Some('b')) => all.push_str(r"(?-u:\b)"),
            (c, escaped) => {
                all.push(c);
                all.extend(escaped);
            }
        }
    }
    Cow::Owned(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_are_those_of_ascii() {
        assert_eq!(with_ascii_boundaries(r"\bok\b|\\b|\d"), r"(?-u:\b)ok(?-u:\b)|\\b|\d");
        let ok = Regex::new(r"(?i)\bok\b").expect("valid");
        assert!(ok.is_match("✓ OK – done") && ok.is_match("全部OK了") && !ok.is_match("token"));
        assert!(RegexSet::new([r"\ba\b", r"\bz\b"]).expect("valid").is_match("é a"));
    }
}
