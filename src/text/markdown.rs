//! The only door to pulldown-cmark: finished Markdown (ours or anybody's) as blocks with byte spans.
//!
//! Every block carries the plain text that a reader sees, where code and emphasis lie in it, and a map back to the
//! source. HTML is never interpreted: tags are text like any other, comments are blocks of their own. Knows nothing of
//! sentences, references or sessions, and hands out no type of the parser.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::base::span::ByteSpan;

/// Rows of one table beyond this are passed over and the table is marked as cut.
pub const MOST_ROWS: usize = 10_000;
/// Cells of one row beyond this are passed over and the table is marked as cut.
pub const MOST_CELLS: usize = 256;

/// What a stretch of text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MarkKind {
    /// A code span.
    Code,
    /// `*emphasis*`.
    Emphasis,
    /// `**strong**`.
    Strong,
}

/// A marked stretch of an [`Inline`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    /// What it is.
    pub kind: MarkKind,
    /// Bytes of the plain text.
    pub span: ByteSpan,
}

/// Running text without its markup.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Inline {
    /// What a reader sees; line breaks are blanks.
    pub text: String,
    /// Code spans and emphasis in it, in the order of their ends.
    pub marks: Vec<Mark>,
    /// Pairs of byte offsets, text and source, where a piece of text begins; rising in the text.
    origins: Vec<(usize, usize)>,
}

impl Inline {
    /// Where a byte of the text stands in the source. Exact but for characters written as entities.
    pub fn source(&self, at: usize) -> usize {
        let piece = self.origins.partition_point(|(text, _)| *text <= at).saturating_sub(1);
        self.origins.get(piece).map_or(0, |(text, source)| source + (at - text))
    }

    /// Code spans, in order.
    pub fn code(&self) -> impl Iterator<Item = ByteSpan> {
        self.marks.iter().filter(|m| m.kind == MarkKind::Code).map(|m| m.span)
    }

    fn push(&mut self, text: &str, source: usize) {
        self.origins.push((self.text.len(), source));
        self.text.push_str(text);
    }
}

/// A table: as many cells in a row as the source has, at most [`MOST_CELLS`].
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Table {
    /// Headings.
    pub head: Vec<Inline>,
    /// Rows with their bytes in the source.
    pub rows: Vec<(ByteSpan, Vec<Inline>)>,
    /// Whether rows or cells beyond the caps were passed over.
    pub cut: bool,
}

/// What a block is.
#[derive(Clone, PartialEq, Debug)]
pub enum BlockKind {
    /// A heading of level 1 to 6.
    Heading(u8),
    /// Running text.
    Paragraph,
    /// Text of a list item, without the paragraphs that follow in it.
    Item,
    /// A table.
    Table(Table),
    /// An indented or fenced block of code.
    Code,
    /// An HTML comment, marks included.
    Comment,
}

/// A block of a document.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Its text; empty for tables.
    pub text: Inline,
    /// Whether it stands in a block quotation.
    pub quoted: bool,
    /// Its bytes in the source.
    pub span: ByteSpan,
}

/// The blocks of a document in reading order, without its front matter. Never fails: every text is Markdown.
pub fn blocks(source: &str) -> Vec<Block> {
    let from = front_matter(source);
    let mut reader = Reader::default();
    for (event, range) in Parser::new_ext(&source[from..], Options::ENABLE_TABLES).into_offset_iter() {
        reader.take(event, ByteSpan::new(range.start, range.end).shift(from));
    }
    reader.close();
    reader.done
}

/// How many bytes of a document are front matter: lines `key: value` between two lines `---` at its very beginning, as
/// site generators read them. Not a rule that a text begins with.
pub fn front_matter(source: &str) -> usize {
    let mut end = 0;
    for (i, line) in source.split_inclusive('\n').enumerate() {
        end += line.len();
        match (i, line.trim_end()) {
            (0, "---") => {}
            (0, _) | (_, "") => return 0,
            (_, "---") => return end,
            _ => {}
        }
    }
    0
}

/// What a reader sees of some Markdown: the texts of its blocks, one after the other.
pub fn plain(source: &str) -> String {
    blocks(source).into_iter().map(|block| block.text.text).collect::<Vec<_>>().join(" ")
}

/// Line of a byte offset, from 1.
pub fn line_of(source: &str, at: usize) -> usize {
    1 + source.as_bytes()[..at.min(source.len())].iter().filter(|b| **b == b'\n').count()
}

#[derive(Default)]
struct Reader {
    done: Vec<Block>,
    open: Option<Block>,
    quotes: usize,
    table: Option<(Table, Vec<Inline>)>,
    cell: Option<Inline>,
    starts: Vec<(MarkKind, usize)>,
}

impl Reader {
    fn take(&mut self, event: Event<'_>, span: ByteSpan) {
        match event {
            Event::Start(tag) => self.start(&tag, span),
            Event::End(tag) => self.end(tag, span),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text, span),
            Event::Code(text) => self.code(&text, span),
            Event::SoftBreak | Event::HardBreak => self.text(" ", span),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, span: ByteSpan) {
        match tag {
            Tag::Heading { level, .. } => self.begin(BlockKind::Heading(*level as u8), span),
            Tag::Paragraph
                if self.open.as_ref().is_some_and(|b| b.kind == BlockKind::Item && b.text.text.is_empty()) => {}
            Tag::Paragraph | Tag::HtmlBlock => self.begin(BlockKind::Paragraph, span),
            Tag::Item => self.begin(BlockKind::Item, span),
            Tag::CodeBlock(_) => self.begin(BlockKind::Code, span),
            Tag::BlockQuote(_) => {
                self.close();
                self.quotes += 1;
            }
            Tag::Table(_) => {
                self.close();
                self.table = Some(Default::default());
            }
            Tag::TableCell => self.cell = Some(Inline::default()),
            Tag::Emphasis => self.mark(MarkKind::Emphasis),
            Tag::Strong => self.mark(MarkKind::Strong),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, span: ByteSpan) {
        match tag {
            TagEnd::Heading(_) | TagEnd::Paragraph | TagEnd::HtmlBlock | TagEnd::Item | TagEnd::CodeBlock => {
                self.close()
            }
            TagEnd::BlockQuote(_) => {
                self.close();
                self.quotes = self.quotes.saturating_sub(1);
            }
            TagEnd::TableCell => self.end_cell(),
            TagEnd::TableHead | TagEnd::TableRow => self.end_row(tag == TagEnd::TableHead, span),
            TagEnd::Table => {
                if let Some((table, _)) = self.table.take() {
                    self.push(BlockKind::Table(table), span);
                }
            }
            TagEnd::Emphasis | TagEnd::Strong => {
                if let Some((kind, start)) = self.starts.pop()
                    && let Some(inline) = self.inline()
                {
                    let end = inline.text.len();
                    inline.marks.push(Mark { kind, span: ByteSpan::new(start, end) });
                }
            }
            _ => {}
        }
    }

    fn end_cell(&mut self) {
        let Some(cell) = self.cell.take() else { return };
        if let Some((table, row)) = &mut self.table {
            if row.len() < MOST_CELLS {
                row.push(cell);
            } else {
                table.cut = true;
            }
        }
    }

    fn end_row(&mut self, head: bool, span: ByteSpan) {
        let Some((table, row)) = &mut self.table else { return };
        let row = std::mem::take(row);
        if head {
            table.head = row;
        } else if table.rows.len() < MOST_ROWS {
            table.rows.push((span, row));
        } else {
            table.cut = true;
        }
    }

    fn begin(&mut self, kind: BlockKind, span: ByteSpan) {
        self.close();
        self.open = Some(Block { kind, text: Inline::default(), quoted: self.quotes > 0, span });
    }

    fn push(&mut self, kind: BlockKind, span: ByteSpan) {
        self.done.push(Block { kind, text: Inline::default(), quoted: self.quotes > 0, span });
    }

    fn close(&mut self) {
        self.starts.clear();
        let Some(mut block) = self.open.take() else { return };
        if block.kind == BlockKind::Paragraph && block.text.text.trim_start().starts_with("<!--") {
            block.kind = BlockKind::Comment;
        }
        if !block.text.text.trim().is_empty() {
            self.done.push(block);
        }
    }

    fn inline(&mut self) -> Option<&mut Inline> {
        self.cell.as_mut().or(self.open.as_mut().map(|b| &mut b.text))
    }

    fn text(&mut self, text: &str, span: ByteSpan) {
        if let Some(inline) = self.inline() {
            inline.push(text, span.start);
        }
    }

    fn code(&mut self, text: &str, span: ByteSpan) {
        let Some(inline) = self.inline() else { return };
        let start = inline.text.len();
        // The fence of a code span is as long on both sides; a blank inside it is part of the source only.
        inline.push(text, span.start + span.len().saturating_sub(text.len()) / 2);
        let end = inline.text.len();
        inline.marks.push(Mark { kind: MarkKind::Code, span: ByteSpan::new(start, end) });
    }

    fn mark(&mut self, kind: MarkKind) {
        let start = self.inline().map_or(0, |i| i.text.len());
        self.starts.push((kind, start));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(source: &str) -> Vec<BlockKind> {
        blocks(source).into_iter().map(|b| b.kind).collect()
    }

    #[test]
    fn a_document_falls_into_its_blocks() {
        let source = "# A `b` c\n\nText *x*\nruns.\n\n- one\n- two\n\n```\ncode\n```\n\n<!-- note -->\n";
        let all = blocks(source);
        assert_eq!(all[0].text.text, "A b c");
        assert_eq!(all[0].text.code().next(), Some(ByteSpan::new(2, 3)));
        assert_eq!(all[1].text.text, "Text x runs.");
        assert_eq!(all[3].kind, BlockKind::Item);
        assert_eq!(all[5].kind, BlockKind::Comment);
    }

    #[test]
    fn front_matter_is_no_part_of_the_text() {
        let source = "---\ntitle: \"x\"\n---\n\n# A\n";
        let all = blocks(source);
        assert_eq!((all.len(), all[0].span.of(source)), (1, Some("# A\n")));
        assert_eq!(front_matter("---\n\nA text between rules\n\n---\n"), 0);
        assert_eq!(front_matter("---\nnever closed\n"), 0);
    }

    #[test]
    fn html_is_text_and_runs_nothing() {
        let all = blocks("In <msg id=62> it says <b>so</b>.\n");
        assert_eq!(all[0].text.text, "In <msg id=62> it says <b>so</b>.");
    }

    #[test]
    fn offsets_lead_back_to_the_source() {
        let source = "*Über* `x` 12.5 ms";
        let inline = &blocks(source)[0].text;
        let at = inline.text.find("12.5").unwrap();
        assert_eq!(&source[inline.source(at)..], "12.5 ms");
        let code = inline.code().next().unwrap();
        assert!(source[inline.source(code.start)..].starts_with("x`"));
    }

    #[test]
    fn a_table_keeps_head_rows_and_spans() {
        let source = "| a | b |\n|---|---|\n| 1 | `2` |\n";
        let all = blocks(source);
        let BlockKind::Table(table) = &all[0].kind else { panic!("a table") };
        assert_eq!(table.head[1].text, "b");
        assert_eq!(table.rows[0].1[1].text, "2");
        assert_eq!(table.rows[0].0.of(source).map(str::trim), Some("| 1 | `2` |"));
    }

    #[test]
    fn tables_are_capped() {
        let rows = "| 1 |\n".repeat(MOST_ROWS + 2);
        let all = blocks(&format!("| a |\n|---|\n{rows}"));
        let BlockKind::Table(table) = &all[0].kind else { panic!("a table") };
        assert!(table.cut);
        assert_eq!(table.rows.len(), MOST_ROWS);
    }

    #[test]
    fn items_quotes_and_nesting_stay_in_order() {
        assert_eq!(kinds("> q\n\n1. a\n   1. b\n2. c\n").len(), 4);
        assert!(blocks("> q\n")[0].quoted);
        assert!(blocks(&"> ".repeat(5000)).is_empty());
    }
}
