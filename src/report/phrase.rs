//! Sentences in the making: pieces and evidence are added together, so that nothing stands in a sentence that its
//! evidence does not hold. The only maker of claims.

use crate::{
    base::{ids::MessageIdx, span::ByteSpan},
    model::{
        article::{ArticleRow, Basis, Claim, Piece},
        evidence::Evidence,
        session::Session,
    },
};

/// A sentence (or a row of a table) in the making.
#[derive(Clone)]
pub struct Phrase<'a> {
    session: &'a Session,
    cells: Vec<Vec<Piece>>,
    evidence: Vec<Evidence>,
    basis: Basis,
    rule: &'static str,
    weight: u8,
}

impl<'a> Phrase<'a> {
    /// Begins a sentence under a named rule.
    pub fn new(session: &'a Session, rule: &'static str, basis: Basis) -> Self {
        Self { session, cells: vec![Vec::new()], evidence: Vec::new(), basis, rule, weight: Claim::PLAIN }
    }

    /// How much a reader would miss it, 0–9.
    pub fn weighing(mut self, weight: u8) -> Self {
        self.weight = weight;
        self
    }

    fn push(mut self, piece: Piece) -> Self {
        self.cells.last_mut().expect("begins with a cell").push(piece);
        self
    }

    fn rests_on(mut self, evidence: Evidence) -> Self {
        if !self.evidence.contains(&evidence) {
            self.evidence.push(evidence);
        }
        self
    }

    /// Adds evidence that no piece shows by itself.
    pub fn resting(self, evidence: &Evidence) -> Self {
        self.rests_on(evidence.clone())
    }

    /// Fixed wording of the rule.
    pub fn say(self, words: &'static str) -> Self {
        self.push(Piece::Glue(words))
    }

    /// A word of one of our enumerations.
    pub fn word(self, word: impl Into<String>) -> Self {
        self.push(Piece::Word(word.into()))
    }

    /// Words of the log in quotation marks, with a mark where the sentence goes on behind them.
    pub fn quote(self, evidence: &Evidence) -> Self {
        let mut text = flat(self.session.quoted(evidence));
        if goes_on(self.session, evidence) {
            text.push_str(" …");
        }
        self.push(Piece::Quote(text)).rests_on(evidence.clone())
    }

    /// Words of the log as code.
    pub fn code(self, evidence: &Evidence) -> Self {
        let text = flat(self.session.quoted(evidence));
        self.push(Piece::Code(text)).rests_on(evidence.clone())
    }

    /// Words of the log without marks: names, cells.
    pub fn plain(self, evidence: &Evidence) -> Self {
        let text = flat(self.session.quoted(evidence));
        self.push(Piece::Plain(text)).rests_on(evidence.clone())
    }

    /// A number (with its unit) as the log prints it, whose place is `evidence`.
    pub fn figure(self, text: impl Into<String>, evidence: &Evidence) -> Self {
        self.push(Piece::Figure(text.into())).rests_on(evidence.clone())
    }

    /// A word of the log that stands at `evidence` (a header, a label), printed plain.
    pub fn label(self, text: &str, evidence: &Evidence) -> Self {
        self.push(Piece::Plain(flat(text))).rests_on(evidence.clone())
    }

    /// A number computed from values that are evidence of this sentence.
    pub fn computed(self, text: impl Into<String>) -> Self {
        self.push(Piece::Computed(text.into()))
    }

    /// A count over messages that are evidence of this sentence.
    pub fn count(self, n: usize) -> Self {
        self.push(Piece::Count(n.to_string()))
    }

    /// References to messages, sorted, each once.
    pub fn refs(self, messages: impl IntoIterator<Item = MessageIdx>) -> Self {
        let mut list: Vec<MessageIdx> = messages.into_iter().collect();
        list.sort();
        list.dedup();
        if list.is_empty() {
            return self;
        }
        let session = self.session;
        let with = list.iter().fold(self, |phrase, at| phrase.rests_on(session.whole(*at)));
        with.push(Piece::Refs(list))
    }

    /// A reference to a run of messages.
    pub fn range(self, from: MessageIdx, to: MessageIdx) -> Self {
        if from == to {
            return self.refs([from]);
        }
        let evidence = self.session.searched(from, to);
        self.push(Piece::RefRange(from, to)).rests_on(evidence)
    }

    /// The range that was searched for an absence.
    pub fn searched(self, from: MessageIdx, to: MessageIdx) -> Self {
        let evidence = self.session.searched(from, to);
        self.push(Piece::Searched(from, to)).rests_on(evidence)
    }

    /// A bare message number, for columns and after values.
    pub fn number(self, at: MessageIdx) -> Self {
        let evidence = self.session.whole(at);
        self.push(Piece::Number(at)).rests_on(evidence)
    }

    /// Items with `join` between them and `last` before the final one.
    pub fn list<T>(
        self,
        items: impl IntoIterator<Item = T>,
        join: &'static str,
        last: &'static str,
        add: impl Fn(Self, T) -> Self,
    ) -> Self {
        let items: Vec<T> = items.into_iter().collect();
        let count = items.len();
        items.into_iter().enumerate().fold(self, |phrase, (i, item)| {
            let phrase = match i {
                0 => phrase,
                i if i + 1 == count => phrase.say(last),
                _ => phrase.say(join),
            };
            add(phrase, item)
        })
    }

    /// Goes on in the next cell of a row.
    pub fn cell(mut self) -> Self {
        self.cells.push(Vec::new());
        self
    }

    /// The finished sentence; `None` when nothing of the log is in it.
    pub fn end(self) -> Option<Claim> {
        let (first, more) = self.evidence.split_first()?;
        let pieces = self.cells.into_iter().flatten().collect();
        Some(Claim::new(pieces, first.clone(), more.to_vec(), self.basis, self.rule).weighing(self.weight))
    }

    /// The finished row; `None` when nothing of the log is in it.
    pub fn row(self) -> Option<ArticleRow> {
        let (first, more) = self.evidence.split_first()?;
        let claim = Claim::new(Vec::new(), first.clone(), more.to_vec(), self.basis, self.rule).weighing(self.weight);
        Some(ArticleRow { cells: self.cells, claim })
    }
}

/// Text on one line, runs of blanks as one blank.
pub fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a quotation ends within a sentence of the log.
fn goes_on(session: &Session, evidence: &Evidence) -> bool {
    let Some((part, span)) = evidence.quote() else { return false };
    let text = &session.message(evidence.message()).parts[part].text;
    breaks_off(&text[..span.start], session.quoted(evidence), &text[span.end..])
}

/// Whether words end within a sentence, by what stands before and behind them.
fn breaks_off(before: &str, words: &str, rest: &str) -> bool {
    // A whole string of a list, a word of courtesy behind an order.
    let marks = [("\"", "\""), ("\\\"", "\\\""), ("'", "'")];
    let string = marks.iter().any(|(open, close)| before.ends_with(open) && rest.starts_with(close));
    let courtesy = rest.trim_start_matches([',', ' ']);
    let polite = ["please", "pls", "then"].iter().any(|word| courtesy.starts_with(word));
    let ended = words.ends_with(['.', '!', '?', ':', '…', '。', '！', '？']);
    let rest = rest.trim_start_matches(['*', '_', '`', '"', '\'', ')', ']', '”', '’', ' ']);
    // `crates.io` goes on behind its stop.
    let within = rest.starts_with('.') && rest[1..].starts_with(char::is_alphanumeric);
    let ends = |c: char| !within && matches!(c, '.' | '!' | '?' | ';' | ':' | '|' | '。' | '！' | '？' | '；');
    let mut next = rest.chars();
    match next.next() {
        _ if ended || string || polite => false,
        // A line that goes on in small letters is wrapped.
        Some('\n' | '\r') => next.next().is_some_and(char::is_lowercase),
        Some(c) => !ends(c),
        None => false,
    }
}

/// The beginning of a quotation, at most `words` words: a smaller range of the same text, whose end [`Phrase::quote`] marks.
/// It ends at a clause where one ends late enough.
pub fn shortened(session: &Session, evidence: &Evidence, words: usize) -> Evidence {
    let Some((part, span)) = evidence.quote() else { return evidence.clone() };
    let text = session.quoted(evidence);
    // Paths and types make long words: a limit in letters keeps a quotation short as well.
    let room = text.char_indices().nth(words * LETTERS).map_or(text.len(), |(at, _)| at);
    let by_room = (room < text.len()).then(|| text[..room].rfind(char::is_whitespace).unwrap_or(room));
    let by_words = end_of_word(text, words);
    let Some(limit) = by_words.into_iter().chain(by_room).min() else { return evidence.clone() };
    let head = &text[..limit];
    let clause = clause_end(head).filter(|at| head[..*at].split_whitespace().count() * 2 > words);
    let end = clause.unwrap_or(limit);
    // Half a code span would break the Markdown around it.
    let end = match text[..end].rfind('`').filter(|at| *at > 0 && text[..end].matches('`').count() % 2 == 1) {
        Some(open) => open,
        None => end,
    };
    let end = text[..end].trim_end().len();
    session
        .cite(evidence.message(), part, ByteSpan::new(span.start, span.start + end))
        .unwrap_or_else(|| evidence.clone())
}

/// Where the last clause of some words ends; a stop within a name ends none.
fn clause_end(head: &str) -> Option<usize> {
    let ends = |(at, c): &(usize, char)| match c {
        '.' | ':' | ',' => head[at + 1..].starts_with(char::is_whitespace),
        ';' | '—' | '(' => true,
        _ => false,
    };
    head.char_indices().rev().find(ends).map(|(at, _)| at)
}

/// Letters that a word of a shortened quotation may have on average.
const LETTERS: usize = 9;

/// Byte at which the `n`th word ends, when the text has more than `n` words.
fn end_of_word(text: &str, n: usize) -> Option<usize> {
    let mut count = 0;
    let mut inside = false;
    for (i, c) in text.char_indices() {
        if c.is_whitespace() {
            if inside {
                count += 1;
                if count == n && !text[i..].trim().is_empty() {
                    return Some(i);
                }
            }
            inside = false;
        } else {
            inside = true;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_ends_within_a_sentence_is_marked() {
        assert!(breaks_off("", "The gate answers", " probes on port 9001."));
        assert!(breaks_off("", "The gate\nanswers", "\nprobes on port 9001."));
        assert!(!breaks_off("", "The gate answers", "**.\nMore") && !breaks_off("", "The gate answers.", " More"));
        assert!(!breaks_off("[{\"content\":\"", "Mend the gate", "\",\"status\":\"pending\"}]"));
        assert!(!breaks_off("--title '", "Mend the gate", "' --body x") && breaks_off("", "see crates", ".io for it"));
        assert_eq!(clause_end("the gate, as crates.io has"), Some(8));
        assert!(!breaks_off("", "mend the gate", ", please") && !breaks_off("", "Mend the gate", "\n- and the door"));
    }
}
