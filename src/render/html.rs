//! An article as one HTML page that needs nothing else: no script, no file beside it, no network. Each reference leads to
//! an excerpt of the message at the end of the page, and from there back. Values reach the template as text; the template
//! engine escapes every one of them.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    excerpt::{self, PartExcerpt, Run},
    markdown::{Identity, trailer},
    pieces::{Stretch, description, placed, set_off, stretches},
    plain::show::ended,
    svg::{self, Theme},
};
use crate::{
    base::{error::Error, ids::MessageIdx},
    model::{
        article::{Article, ArticleTable, Block, Claim, Piece},
        evidence::Evidence,
        message::{Cut, Message, MessageKind, PartKind},
        picture::Picture,
        session::Session,
    },
    text::{quote, template::Templates},
};

/// Name of the template.
pub const TEMPLATE: &str = "article.html";

/// Characters of code that stay on one line, at most.
const SHORT: usize = 24;

#[derive(Serialize)]
struct View {
    title: String,
    description: String,
    heading: Vec<Span>,
    subtitle: Vec<Span>,
    sections: Vec<SectionView>,
    evidence: Vec<MessageView>,
    trailer: String,
    version: &'static str,
}

/// A stretch of a sentence. Links are messages that it refers to.
#[derive(Serialize, Default)]
struct Span {
    kind: &'static str,
    text: String,
    between: &'static str,
    links: Vec<Link>,
}

/// A reference, and where it stands.
#[derive(Serialize)]
struct Link {
    number: u32,
    target: String,
    id: String,
}

#[derive(Serialize)]
struct SectionView {
    id: String,
    label: String,
    heading: Vec<Span>,
    blocks: Vec<BlockView>,
    pictures: Vec<PictureView>,
}

/// A picture in both themes, and its data.
#[derive(Serialize)]
struct PictureView {
    title: String,
    light: String,
    dark: String,
    table: BlockView,
}

/// One of three kinds; the fields of the others are empty.
#[derive(Serialize, Default)]
struct BlockView {
    kind: &'static str,
    sentences: Vec<Vec<Span>>,
    head: Vec<Cell>,
    rows: Vec<Vec<Cell>>,
}

#[derive(Serialize)]
struct Cell {
    spans: Vec<Span>,
    /// What its column holds: `words`, `number`, `message`.
    kind: &'static str,
}

/// A message of the evidence.
#[derive(Serialize)]
struct MessageView {
    id: String,
    number: u32,
    what: String,
    time: String,
    ended: String,
    parts: Vec<PartView>,
    cited: Vec<Back>,
}

#[derive(Serialize)]
struct PartView {
    kind: &'static str,
    label: String,
    runs: Vec<RunView>,
    note: &'static str,
}

#[derive(Serialize)]
struct RunView {
    kind: &'static str,
    text: String,
}

/// The way back from a message to where it is cited.
#[derive(Serialize)]
struct Back {
    id: String,
    section: String,
}

/// Renders an article.
///
/// # Errors
/// [`Error::Setup`] when the template cannot be rendered.
pub fn render(
    article: &Article,
    session: &Session,
    identity: &Identity,
    templates: &Templates,
) -> Result<String, Error> {
    let mut page = Page::new(session);
    let heading = page.spans(article.title.pieces());
    let subtitle = page.spans(article.subtitle.pieces());
    let sections = page.sections(article);
    let view = View {
        title: said(&heading),
        description: description(article, |pieces| words(session, pieces)),
        evidence: page.evidence(article),
        heading,
        subtitle,
        sections,
        trailer: trailer(article, session, identity),
        version: env!("CARGO_PKG_VERSION"),
    };
    templates.render(TEMPLATE, &view)
}

/// What a page is made of so far: which messages it cites, and where.
struct Page<'a> {
    session: &'a Session,
    cited: BTreeMap<MessageIdx, Vec<Back>>,
    /// The section at hand.
    section: String,
    references: usize,
}

impl<'a> Page<'a> {
    fn new(session: &'a Session) -> Self {
        Self { session, cited: BTreeMap::new(), section: "the heading".to_string(), references: 0 }
    }

    fn sections(&mut self, article: &Article) -> Vec<SectionView> {
        let mut ids: Vec<String> = Vec::new();
        let mut all = Vec::new();
        for (section, pictures) in article.sections.iter().zip(placed(article, &article.sections)) {
            self.section = words(self.session, &section.heading);
            let id = anchor(&self.section, &ids);
            ids.push(id.clone());
            let heading = self.spans(&section.heading);
            let blocks = section.blocks.iter().map(|b| self.block(b)).collect();
            let pictures = pictures.into_iter().map(|p| self.picture(p)).collect();
            all.push(SectionView { id, label: self.section.clone(), heading, blocks, pictures });
        }
        all
    }

    fn block(&mut self, block: &Block) -> BlockView {
        let mut sentences = |claims: &[Claim]| claims.iter().map(|c| self.spans(c.pieces())).collect();
        match block {
            Block::Paragraph(claims) => {
                BlockView { kind: "paragraph", sentences: sentences(claims), ..Default::default() }
            }
            Block::List(claims) => BlockView { kind: "list", sentences: sentences(claims), ..Default::default() },
            Block::Table(table) => self.table(table),
        }
    }

    fn table(&mut self, table: &ArticleTable) -> BlockView {
        let kinds: Vec<&str> = (0..table.head.len()).map(|i| kind(table, i)).collect();
        let mut row = |cells: &[Vec<Piece>]| -> Vec<Cell> {
            cells.iter().zip(&kinds).map(|(pieces, kind)| Cell { spans: self.spans(pieces), kind }).collect()
        };
        let head = row(&table.head);
        let rows = table.rows.iter().map(|r| row(&r.cells)).collect();
        let sentences = table.lead.iter().map(|lead| self.spans(lead.pieces())).collect();
        BlockView { kind: "table", sentences, head, rows }
    }

    fn picture(&mut self, picture: &Picture) -> PictureView {
        PictureView {
            title: line(&picture.title),
            light: svg::draw(picture, Theme::Light),
            dark: svg::draw(picture, Theme::Dark),
            table: self.table(&picture.table),
        }
    }

    fn spans(&mut self, pieces: &[Piece]) -> Vec<Span> {
        let mut out: Vec<Span> = Vec::new();
        for piece in pieces {
            let before =
                out.last().and_then(|s| if s.links.is_empty() { s.text.chars().next_back() } else { Some(']') });
            if set_off(before, piece) {
                out.push(Span::text(" "));
            }
            self.piece(piece, &mut out);
        }
        out
    }

    fn piece(&mut self, piece: &Piece, out: &mut Vec<Span>) {
        let number = |at: &MessageIdx| self.session.message(*at).number;
        match piece {
            Piece::Glue(words) => out.push(Span::text(words)),
            Piece::Word(text) | Piece::Plain(text) | Piece::Figure(text) => out.push(Span::text(&line(text))),
            Piece::Count(text) => out.push(Span::text(text)),
            Piece::Computed(text) => out.push(Span::text(&format!("{text}†"))),
            Piece::Code(text) => out.push(Span::code(text)),
            Piece::Quote(text) => {
                out.push(Span::text("“"));
                out.extend(stretches(text).into_iter().map(|stretch| match stretch {
                    Stretch::Literal(words) => Span::text(&line(&words)),
                    Stretch::Code(code) => Span::code(&code),
                }));
                out.push(Span::text("”"));
            }
            Piece::Searched(from, to) => out.push(Span {
                kind: "searched",
                text: format!("searched {}–{}", number(from), number(to)),
                ..Default::default()
            }),
            Piece::Refs(list) => {
                let links = list.iter().map(|at| self.link(*at)).collect();
                out.push(Span { kind: "refs", text: "msg ".into(), between: ", ", links });
            }
            Piece::RefRange(from, to) => {
                let links = vec![self.link(*from), self.link(*to)];
                out.push(Span { kind: "refs", text: "msg ".into(), between: "–", links });
            }
            Piece::Number(at) => {
                let links = vec![self.link(*at)];
                out.push(Span { kind: "number", links, ..Default::default() });
            }
        }
    }

    fn link(&mut self, at: MessageIdx) -> Link {
        self.references += 1;
        let id = format!("c{}", self.references);
        let section = self.section.clone();
        let ways = self.cited.entry(at).or_default();
        // One way back for each section: to where it is cited first.
        if ways.last().is_none_or(|way| way.section != section) {
            ways.push(Back { id: id.clone(), section });
        }
        Link { number: self.session.message(at).number, target: target(self.session, at), id }
    }

    /// The messages that are cited, in their order.
    fn evidence(&mut self, article: &Article) -> Vec<MessageView> {
        let evidence: Vec<&Evidence> = article.claims().flat_map(Claim::evidence).collect();
        let cited = std::mem::take(&mut self.cited);
        cited.into_iter().map(|(at, cited)| self.message(at, &evidence, cited)).collect()
    }

    fn message(&self, at: MessageIdx, evidence: &[&Evidence], cited: Vec<Back>) -> MessageView {
        let message = self.session.message(at);
        MessageView {
            id: target(self.session, at),
            number: message.number,
            what: what(message),
            time: message.time.map(|t| t.iso()).unwrap_or_default(),
            ended: ended(message).unwrap_or_default(),
            parts: excerpt::of(self.session, at, evidence).into_iter().map(part).collect(),
            cited,
        }
    }
}

impl Span {
    fn text(text: &str) -> Self {
        Self { kind: "text", text: text.to_string(), ..Default::default() }
    }

    fn code(text: &str) -> Self {
        let text = line(text);
        // A short one is not broken at its hyphens.
        let kind = if text.chars().count() <= SHORT { "word" } else { "code" };
        Self { kind, text, ..Default::default() }
    }
}

/// Text of the log within a sentence: nothing that hides or reorders, line breaks as blanks.
fn line(text: &str) -> String {
    quote::visible(text).replace(['\n', '\t'], " ")
}

/// What a reader sees of some stretches.
fn said(spans: &[Span]) -> String {
    let mut out = String::new();
    for span in spans {
        let numbers: Vec<String> = span.links.iter().map(|l| l.number.to_string()).collect();
        let inside = format!("{}{}", span.text, numbers.join(span.between));
        out += &if matches!(span.kind, "refs" | "searched") { format!("[{inside}]") } else { inside };
    }
    out
}

/// The words of some pieces, cited nowhere.
pub(super) fn words(session: &Session, pieces: &[Piece]) -> String {
    said(&Page::new(session).spans(pieces))
}

/// What a column holds: messages, figures (and a word where there is none), else words. The first one names its rows.
fn kind(table: &ArticleTable, column: usize) -> &'static str {
    let figure = |piece: &Piece| match piece {
        Piece::Figure(_) | Piece::Computed(_) | Piece::Count(_) => true,
        Piece::Plain(text) => text.starts_with(|c: char| c.is_ascii_digit()) && !text.contains(' '),
        Piece::Glue(text) => text.chars().all(|c| !c.is_alphanumeric()),
        _ => false,
    };
    let lone = |cell: &[Piece]| matches!(cell, [] | [Piece::Glue(_) | Piece::Word(_)]);
    let message = |piece: &Piece| matches!(piece, Piece::Number(_) | Piece::Glue(_));
    let cells: Vec<&[Piece]> = table.rows.iter().filter_map(|r| r.cells.get(column)).map(Vec::as_slice).collect();
    let figures = |cell: &[Piece]| !cell.is_empty() && cell.iter().all(figure);
    match column {
        _ if cells.iter().all(|cell| cell.iter().all(message)) => "message",
        1.. if cells.iter().all(|c| figures(c) || lone(c)) && cells.iter().any(|c| figures(c)) => "number",
        _ => "words",
    }
}

/// The name of a message's place in the page. Where a log gives one number to several messages, the further ones are
/// told apart by their place in the session.
fn target(session: &Session, at: MessageIdx) -> String {
    let number = session.message(at).number;
    match session.numbered(number) {
        Some(first) if first != at => format!("m{number}-{}", at.at()),
        _ => format!("m{number}"),
    }
}

/// A name for a section's place in the page that is not taken yet.
fn anchor(heading: &str, taken: &[String]) -> String {
    let words = heading.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty());
    let slug = words.take(8).collect::<Vec<_>>().join("-").to_ascii_lowercase();
    let name = format!("s-{slug}");
    if taken.contains(&name) { format!("{name}-{}", taken.len()) } else { name }
}

/// `User`, `Assistant`, `Tool Bash`.
fn what(message: &Message) -> String {
    match (message.kind, &message.call) {
        (MessageKind::Tool, Some(call)) => format!("Tool {}", line(&call.name)),
        (MessageKind::User, _) => "User".to_string(),
        _ => "Assistant".to_string(),
    }
}

fn part(part: PartExcerpt) -> PartView {
    let (kind, label) = match part.kind {
        PartKind::Input => ("input", line(&part.field)),
        PartKind::Output => ("output", "output".to_string()),
        PartKind::Prose | PartKind::Reasoning => ("prose", String::new()),
    };
    let run = |run: Run| match run {
        Run::Around(text) => RunView { kind: "around", text },
        Run::Quoted(text) => RunView { kind: "quoted", text },
        Run::Gap => RunView { kind: "gap", text: "[…]".to_string() },
    };
    PartView { kind, label, runs: part.runs.into_iter().map(run).collect(), note: part.cut.map_or("", Cut::words) }
}
