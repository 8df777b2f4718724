//! The log as a check asks it: which message holds these words, this figure. Each message is prepared once, when it is
//! first asked.

use std::cell::OnceCell;

use super::figures::{self, Figure};
use crate::{base::ids::MessageIdx, model::session::Session, text::quote};

/// A session, prepared for questions.
pub struct Log<'a> {
    session: &'a Session,
    pages: Vec<OnceCell<Page>>,
}

/// A message, prepared.
pub struct Page {
    /// All its parts as they stand, one after the other, each on lines of its own.
    pub raw: String,
    /// The same without case, markup and differences of blanks and quotation marks; see [`plain`].
    pub plain: String,
    /// Its numbers, by value.
    pub figures: Vec<Figure>,
    /// Hashes of its pairs of neighbouring words, sorted; made when a search of the whole log first asks.
    pairs: OnceCell<Vec<u32>>,
}

impl<'a> Log<'a> {
    /// Nothing is read yet.
    pub fn new(session: &'a Session) -> Self {
        Self { session, pages: session.messages.iter().map(|_| OnceCell::new()).collect() }
    }

    /// The session.
    pub fn session(&self) -> &'a Session {
        self.session
    }

    /// Whether a message has this number.
    pub fn has(&self, number: u32) -> bool {
        self.session.numbered(number).is_some()
    }

    /// First and last message number.
    pub fn reach(&self) -> (u32, u32) {
        let numbers = self.session.messages.iter().map(|m| m.number);
        (numbers.clone().min().unwrap_or(0), numbers.max().unwrap_or(0))
    }

    /// The message with this number.
    pub fn page(&self, number: u32) -> Option<&Page> {
        self.session.numbered(number).map(|at| self.at(at))
    }

    /// Numbers of all messages with their pages, in order.
    pub fn pages(&self) -> impl Iterator<Item = (u32, &Page)> {
        self.session.iter().map(|(at, message)| (message.number, self.at(at)))
    }

    fn at(&self, at: MessageIdx) -> &Page {
        self.pages[at.at()].get_or_init(|| Page::new(self.session, at))
    }
}

impl Page {
    fn new(session: &Session, at: MessageIdx) -> Self {
        let message = session.message(at);
        let mut raw = String::new();
        if let Some(call) = &message.call {
            raw.push_str(&call.name);
            raw.push('\n');
        }
        for part in &message.parts {
            for text in part.name.iter().chain([&part.text]) {
                raw.push_str(&quote::visible(text));
                raw.push('\n');
            }
        }
        let plain = plain(&raw);
        let mut figures = figures::scan(&raw);
        figures.sort_by(|a, b| a.value.total_cmp(&b.value));
        Self { raw, plain, figures, pairs: OnceCell::new() }
    }

    /// Whether two words may stand side by side in it. Never a wrong no: a cheap test before a search.
    pub fn may_pair(&self, first: &str, second: &str) -> bool {
        let pairs = self.pairs.get_or_init(|| {
            let words: Vec<&str> = self.plain.split_whitespace().collect();
            let mut pairs: Vec<u32> = words.windows(2).map(|w| pair(w[0], w[1])).collect();
            pairs.sort_unstable();
            pairs.dedup();
            pairs
        });
        pairs.binary_search(&pair(first, second)).is_ok()
    }

    /// The line of the raw text around a byte.
    pub fn line(&self, at: usize) -> &str {
        let start = self.raw[..at].rfind('\n').map_or(0, |n| n + 1);
        let end = self.raw[at..].find('\n').map_or(self.raw.len(), |n| at + n);
        &self.raw[start..end]
    }
}

/// A word without the punctuation at its ends.
pub fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric() && c != '%' && c != '#')
}

/// Hash of two neighbouring words (FNV-1a).
fn pair(first: &str, second: &str) -> u32 {
    let bytes = bare(first).bytes().chain([b' ']).chain(bare(second).bytes());
    bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Text as quotations are compared: no case, no markup, one kind of quotation mark and dash, blanks as one blank,
/// escaped quotes and line ends of JSON inside JSON undone.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let c = match c {
            '\\' => match chars.peek() {
                Some('n' | 't' | 'r') => {
                    chars.next();
                    ' '
                }
                Some('"' | '\\' | '/') => continue,
                _ => c,
            },
            '*' | '`' => continue,
            '“' | '”' | '„' => '"',
            '‘' | '’' => '\'',
            '–' | '—' | '−' => '-',
            '×' => 'x',
            c if c.is_whitespace() => ' ',
            c => c,
        };
        if c == ' ' {
            if !out.ends_with(' ') {
                out.push(' ');
            }
        } else if c.is_ascii() {
            out.push(c.to_ascii_lowercase());
        } else {
            out.extend(c.to_lowercase());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_forgets_form_but_no_digit() {
        assert_eq!(plain("**The** “big”\n  `x` — 12.5\u{a0}ms"), "the \"big\" x - 12.5 ms");
        assert_eq!(plain(r#"say \"hi\"\nthere"#), "say \"hi\" there");
    }
}
