//! An article as statements: sentences, list items, headings and table rows, each with its references, quotations, code
//! spans and numbers. Reads Markdown and plain text alike; judges nothing.

use std::sync::LazyLock;

use crate::text::pattern::Regex;

use super::{
    figures::{self, Stated},
    references::{self, Cite, Form},
};
use crate::{
    base::span::ByteSpan,
    text::markdown::{Block, BlockKind, Inline, Table, line_of},
};

/// A quotation: its words without the marks.
#[derive(Clone, PartialEq, Debug)]
pub struct Quote {
    /// Bytes of the words in the statement's text.
    pub span: ByteSpan,
    /// Whether it is a code span.
    pub code: bool,
}

/// A sentence, heading, item or row.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    /// Line of the article, from 1.
    pub line: usize,
    /// Heading under which it stands.
    pub section: String,
    /// What a reader sees; the cells of a row are joined by ` | `.
    pub text: String,
    /// References in it, in order.
    pub cites: Vec<Cite>,
    /// Messages that it may rest on besides: the lead of its table, its column heads.
    pub lead: Vec<Cite>,
    /// Quotations and code spans.
    pub quotes: Vec<Quote>,
    /// Its numbers outside references, quotations and code.
    pub numbers: Vec<Stated>,
    /// For a row, where its cells lie.
    pub cells: Vec<ByteSpan>,
}

/// Headings of columns whose numbers are references.
const COLUMNS: &[&str] = &["first", "last", "message", "messages", "msg", "msgs", "run", "seen"];

/// Ends of words before which a full stop ends no sentence.
const ABBREVIATIONS: &[&str] = &["approx", "cf", "e.g", "etc", "fig", "i.e", "no", "resp", "sec", "vs"];

/// The statements of an article; `exists` tells which message numbers there are, for the forms without a word.
pub fn statements(source: &str, blocks: &[Block], exists: impl Fn(u32) -> bool) -> Vec<Statement> {
    let mut reader = Reader { source, exists, section: String::new(), lead: Vec::new(), all: Vec::new() };
    for block in blocks.iter().filter(|b| !b.quoted) {
        reader.block(block);
    }
    reader.all
}

struct Reader<'a, F> {
    source: &'a str,
    exists: F,
    section: String,
    lead: Vec<Cite>,
    all: Vec<Statement>,
}

impl<F: Fn(u32) -> bool> Reader<'_, F> {
    fn block(&mut self, block: &Block) {
        match &block.kind {
            BlockKind::Heading(_) => {
                self.section = block.text.text.clone();
                self.lead = self.read(&block.text.text, &[]).cites;
                self.sentences(&block.text);
            }
            BlockKind::Paragraph | BlockKind::Item => {
                self.sentences(&block.text);
                let leads = block.text.text.trim_end().ends_with(':');
                self.lead = self.all.last().filter(|_| leads).map_or(Vec::new(), |s| s.cites.clone());
            }
            BlockKind::Table(table) => self.rows(table),
            BlockKind::Code | BlockKind::Comment => {}
        }
    }

    fn sentences(&mut self, inline: &Inline) {
        let code: Vec<ByteSpan> = inline.code().collect();
        for span in sentences(&inline.text, &code) {
            let marks: Vec<ByteSpan> = code
                .iter()
                .filter(|c| span.contains(**c))
                .map(|c| ByteSpan::new(c.start - span.start, c.end - span.start))
                .collect();
            let mut statement = self.read(&inline.text[span.start..span.end], &marks);
            statement.line = line_of(self.source, inline.source(span.start));
            self.all.push(statement);
        }
    }

    fn rows(&mut self, table: &Table) {
        let head: Vec<&str> = table.head.iter().map(|h| h.text.as_str()).collect();
        let mut lead = self.lead.clone();
        lead.extend(head.iter().flat_map(|h| self.numbers_of(h)));
        for (span, cells) in &table.rows {
            let mut row = self.row(&head, cells);
            row.line = line_of(self.source, span.start);
            row.lead = lead.clone();
            self.all.push(row);
        }
        let (mut text, mut code) = (String::new(), Vec::new());
        for cell in &table.head {
            join(cell, &mut text, &mut code);
        }
        let mut statement = self.read(&text, &code);
        statement.line = table.rows.first().map_or(0, |(span, _)| line_of(self.source, span.start).saturating_sub(2));
        statement.lead = lead;
        self.all.push(statement);
    }

    fn row(&self, head: &[&str], cells: &[Inline]) -> Statement {
        let (mut text, mut code, mut spans) = (String::new(), Vec::new(), Vec::new());
        for cell in cells {
            spans.push(join(cell, &mut text, &mut code));
        }
        let mut columns = Vec::new();
        for (span, head) in spans.iter().zip(head) {
            let named = COLUMNS.contains(&head.trim().to_lowercase().as_str());
            let runs = references::cell(&text[span.start..span.end]);
            if named && !runs.is_empty() {
                columns.push(Cite { form: Form::Bare, span: *span, runs });
            }
        }
        let mut statement = self.read_with(&text, &code, columns);
        for (span, head) in spans.iter().zip(head) {
            let computed = head.contains('†');
            statement.numbers.iter_mut().filter(|n| span.contains(n.figure.span)).for_each(|n| n.computed |= computed);
        }
        statement.cells = spans;
        statement
    }

    fn read(&self, text: &str, code: &[ByteSpan]) -> Statement {
        self.read_with(text, code, Vec::new())
    }

    fn read_with(&self, text: &str, code: &[ByteSpan], columns: Vec<Cite>) -> Statement {
        let mut cites = references::read(text);
        for more in columns.into_iter().chain(references::bare(text, &self.exists)) {
            if !cites.iter().any(|c| overlap(c.span, more.span)) {
                cites.push(more);
            }
        }
        cites.sort_by_key(|c| c.span);
        let mut quotes: Vec<Quote> = code.iter().map(|span| Quote { span: *span, code: true }).collect();
        quotes.extend(quotations(text, code).into_iter().map(|span| Quote { span, code: false }));
        quotes.sort_by_key(|q| q.span);
        let outside: Vec<ByteSpan> = cites.iter().map(|c| c.span).chain(quotes.iter().map(|q| q.span)).collect();
        let numbers = figures::stated(text, &outside);
        let (section, text) = (self.section.clone(), text.to_string());
        Statement { line: 0, section, text, cites, lead: Vec::new(), quotes, numbers, cells: Vec::new() }
    }

    /// Bare message numbers of a column head: `2399`, `GB/s before (70)`, `89 says`.
    fn numbers_of(&self, head: &str) -> Vec<Cite> {
        figures::stated(head, &[])
            .into_iter()
            .filter(|n| n.unit.is_none() && n.figure.decimals == 0 && (self.exists)(n.figure.value as u32))
            .map(|n| Cite {
                form: Form::Bare,
                span: n.figure.span,
                runs: vec![(n.figure.value as u32, n.figure.value as u32)],
            })
            .collect()
    }
}

fn join(cell: &Inline, text: &mut String, code: &mut Vec<ByteSpan>) -> ByteSpan {
    if !text.is_empty() {
        text.push_str(" | ");
    }
    let start = text.len();
    text.push_str(&cell.text);
    code.extend(cell.code().map(|c| c.shift(start)));
    ByteSpan::new(start, text.len())
}

fn overlap(a: ByteSpan, b: ByteSpan) -> bool {
    a.start < b.end && b.start < a.end
}

/// Quotations in double marks, straight or curly, outside code spans; an unpaired mark quotes nothing.
pub fn quotations(text: &str, code: &[ByteSpan]) -> Vec<ByteSpan> {
    let mut spans = Vec::new();
    let mut open: Option<(usize, char)> = None;
    let mut last = ' ';
    for (at, c) in text.char_indices() {
        // A code span inside a quotation is part of it; a mark inside a code span is none.
        if !code.iter().any(|s| s.start <= at && at < s.end) {
            match (c, open) {
                ('“', _) => open = Some((at + c.len_utf8(), '”')),
                ('"', None) if !last.is_alphanumeric() => open = Some((at + 1, '"')),
                (_, Some((start, close))) if c == close => {
                    if start < at {
                        spans.push(ByteSpan::new(start, at));
                    }
                    open = None;
                }
                _ => {}
            }
        }
        last = c;
    }
    spans
}

/// Sentences of running text, references behind the full stop included. Digits never decide where one ends, so that a
/// changed digit moves no boundary.
pub fn sentences(text: &str, code: &[ByteSpan]) -> Vec<ByteSpan> {
    let quotes = quotations(text, code);
    let inside = |at: usize| code.iter().chain(&quotes).any(|s| s.start <= at && at < s.end);
    let mut spans = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices() {
        if at < start || !matches!(c, '.' | '!' | '?') || inside(at) && !closes(at, &quotes) {
            continue;
        }
        let closing = text[at + 1..].chars().take_while(|c| matches!(c, '"' | '”' | '’' | ')' | '*' | ']'));
        let end = behind_references(text, at + 1 + closing.map(char::len_utf8).sum::<usize>());
        if ends_here(&text[end..]) && !abbreviated(&text[start..at]) {
            push(&mut spans, text, start, end);
            start = end;
        }
    }
    push(&mut spans, text, start, text.len());
    spans
}

/// ` [msg 4]` directly behind a stop: belongs to the sentence before.
static BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:\s*[(\[<]+(?:msgs?|messages?|searched)\b[^\]\[)>]{1,400}[)\]>]+)+").expect("valid")
});

fn behind_references(text: &str, end: usize) -> usize {
    BEHIND.find(&text[end..]).map_or(end, |m| end + m.end())
}

/// A stop directly before the closing mark of a quotation ends the sentence around it too.
fn closes(at: usize, quotes: &[ByteSpan]) -> bool {
    quotes.iter().any(|q| q.end == at + 1)
}

fn ends_here(rest: &str) -> bool {
    let next = rest.trim_start().chars().next();
    next.is_none_or(|next| rest.starts_with(char::is_whitespace) && !next.is_lowercase())
}

fn abbreviated(before: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or("");
    word.chars().count() == 1 && word.chars().all(char::is_alphabetic)
        || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

fn push(spans: &mut Vec<ByteSpan>, text: &str, start: usize, end: usize) {
    let piece = &text[start..end];
    let lead = piece.len() - piece.trim_start().len();
    let span = ByteSpan::new(start + lead, start + piece.trim_end().len());
    if !span.is_empty() {
        spans.push(span);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::markdown::blocks;

    fn all(source: &str) -> Vec<Statement> {
        statements(source, &blocks(source), |n| n < 100)
    }

    #[test]
    fn sentences_keep_their_references() {
        let texts: Vec<String> =
            all("One is 1.5 ms, e.g. here. [msg 4] Two \"ends. Here.\" [msg 5]. Then, i.e. 3 \"is so.\" Four?")
                .into_iter()
                .map(|s| s.text)
                .collect();
        assert_eq!(
            texts,
            ["One is 1.5 ms, e.g. here. [msg 4]", "Two \"ends. Here.\" [msg 5].", "Then, i.e. 3 \"is so.\"", "Four?"]
        );
    }

    #[test]
    fn rows_take_the_references_of_their_columns_and_lead() {
        let rows = all("Figures [msg 3]:\n\n| a | msg | b (7) |\n|---|---|---|\n| 1.5 ms | 4, 5 | 2.5 (6) |\n");
        let row = &rows[1];
        assert_eq!(row.cites.iter().map(|c| c.runs.len()).collect::<Vec<_>>(), [2, 1]);
        assert!(row.lead.iter().any(|c| c.names(3)) && row.lead.iter().any(|c| c.names(7)));
        assert_eq!(row.numbers.len(), 2);
        assert_eq!(row.line, 5);
    }

    #[test]
    fn an_inch_mark_quotes_nothing() {
        assert!(quotations("a 5\" disk and no more", &[]).is_empty());
        assert_eq!(quotations("“a” and \"b c\"", &[]).len(), 2);
    }
}
