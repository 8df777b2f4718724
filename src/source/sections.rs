//! Places in a text that is cut into sections from top to bottom: record, line and bytes of each.

use super::document::Source;
use crate::base::{locate::Locator, span::ByteSpan};

/// Counts sections and the lines before them. Sections are asked for in the order of the text.
pub struct Places<'s> {
    source: &'s Source<'s>,
    record: u32,
    line: u32,
    counted: usize,
}

impl<'s> Places<'s> {
    /// Of a text.
    pub fn of(source: &'s Source<'s>) -> Self {
        Self { source, record: 0, line: 1, counted: 0 }
    }

    /// The place of the next section.
    pub fn next(&mut self, span: ByteSpan) -> Locator {
        self.record += 1;
        Locator { record: self.record, ..self.within(span) }
    }

    /// A place inside the section that was placed last.
    pub fn within(&mut self, span: ByteSpan) -> Locator {
        let text = self.source.text();
        if let Some(between) = text.get(self.counted..span.start) {
            self.line += memchr::memchr_iter(b'\n', between.as_bytes()).count() as u32;
            self.counted = span.start;
        }
        Locator { record: self.record, line: self.line, bytes: self.source.raw(span) }
    }
}

/// Names the model responses of a log that does not: a text or a thought after a call, and whatever follows the user,
/// begins the next one.
#[derive(Debug, Default)]
pub struct Responses {
    count: u32,
    called: bool,
}

impl Responses {
    /// The response of a text.
    pub fn text(&mut self) -> Option<String> {
        if self.called {
            self.user();
        }
        Some(format!("response {}", self.count))
    }

    /// The response of a call.
    pub fn call(&mut self) -> Option<String> {
        self.called = true;
        Some(format!("response {}", self.count))
    }

    /// The user spoke.
    pub fn user(&mut self) {
        self.count += 1;
        self.called = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_bytes_of_the_file() {
        let source = Source::plain(b"\xEF\xBB\xBFa\nb\nc\n");
        let mut places = Places::of(&source);
        assert_eq!(places.next(ByteSpan::new(0, 2)).line, 1);
        let third = places.next(ByteSpan::new(4, 6));
        assert_eq!((third.line, third.record, third.bytes), (3, 2, ByteSpan::new(7, 9)));
    }

    #[test]
    fn a_text_behind_a_call_is_another_response() {
        let mut responses = Responses::default();
        let (text, call) = (responses.text(), responses.call());
        assert_eq!(text, call);
        assert_ne!(responses.text(), call);
    }
}
