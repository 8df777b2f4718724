//! An article as Markdown, laid out by a template. Pieces become text here, once; templates receive finished strings.

use serde::Serialize;

use crate::{
    base::{error::Error, hash},
    model::{
        article::{Article, ArticleTable, Block, Claim, Piece},
        picture::Picture,
        session::Session,
    },
    text::{quote, template::Templates},
};

/// Name of the template.
pub const TEMPLATE: &str = "article.md";

/// By what an article is known again: printed in its last line, read by `check`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    /// Hash of the input's bytes (16 hex digits).
    pub input: String,
    /// Most words that were asked for.
    pub words: usize,
}

#[derive(Serialize)]
struct View {
    title: String,
    subtitle: String,
    sections: Vec<SectionView>,
    trailer: String,
}

#[derive(Serialize)]
struct SectionView {
    heading: String,
    blocks: Vec<BlockView>,
}

/// One of three kinds; the fields of the others are empty.
#[derive(Serialize, Default)]
struct BlockView {
    kind: &'static str,
    text: String,
    items: Vec<String>,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
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
    let view = View {
        title: text(session, article.title.pieces(), Place::Prose),
        subtitle: text(session, article.subtitle.pieces(), Place::Prose),
        sections: article
            .sections
            .iter()
            .map(|s| SectionView {
                heading: text(session, &s.heading, Place::Prose),
                blocks: s.blocks.iter().map(|b| block(session, b)).collect(),
            })
            .collect(),
        trailer: trailer(article, session, identity),
    };
    templates.render(TEMPLATE, &view)
}

/// The last line, by which the article is known as ours: `<!-- turnpoint version="…" kind="…" … seal="…" -->`. The
/// seal is the hash of what stands before it, so that no digit of the line can be changed unseen.
fn trailer(article: &Article, session: &Session, identity: &Identity) -> String {
    let (id, number) = match article.subject {
        Some(at) => (session.public_id(at), session.message(at).number.to_string()),
        None => Default::default(),
    };
    let safe: String = id.chars().filter(|c| c.is_ascii_alphanumeric() || "_-:.".contains(*c)).collect();
    let known = format!(
        "version=\"{}\" kind=\"{}\" subject=\"{safe}\" number=\"{number}\" input=\"{}\" numbering=\"{}\" words=\"{}\"",
        env!("CARGO_PKG_VERSION"),
        article.kind.word(),
        identity.input,
        session.numbering.name(),
        identity.words,
    );
    format!("<!-- turnpoint {known} seal=\"{}\" -->", hash::brief(&known))
}

fn block(session: &Session, block: &Block) -> BlockView {
    let sentence = |c: &Claim| text(session, c.pieces(), Place::Prose);
    match block {
        Block::Paragraph(claims) => {
            let text = claims.iter().map(sentence).collect::<Vec<_>>().join(" ");
            BlockView { kind: "paragraph", text, ..Default::default() }
        }
        Block::List(claims) => {
            BlockView { kind: "list", items: claims.iter().map(sentence).collect(), ..Default::default() }
        }
        Block::Table(table) => table_view(session, table),
    }
}

fn table_view(session: &Session, table: &ArticleTable) -> BlockView {
    let cell = |pieces: &Vec<Piece>| text(session, pieces, Place::Cell);
    BlockView {
        kind: "table",
        text: table.lead.as_ref().map(|c| text(session, c.pieces(), Place::Prose)).unwrap_or_default(),
        head: table.head.iter().map(cell).collect(),
        rows: table.rows.iter().map(|r| r.cells.iter().map(cell).collect()).collect(),
        ..Default::default()
    }
}

/// What a picture shows, for those who read text: its title, its description, and its data as a table.
pub fn picture(picture: &Picture, session: &Session) -> String {
    let table = table_view(session, &picture.table);
    let row = |cells: &[String]| cells.iter().fold("|".to_string(), |line, cell| format!("{line} {cell} |"));
    let mut lines = vec![row(&table.head), row(&vec!["---".to_string(); table.head.len()]).replace(' ', "")];
    lines.extend(table.rows.iter().map(|cells| row(cells)));
    let (title, description) = (quote::inline(&picture.title), quote::inline(&picture.description));
    format!("**{title}**\n\n{description}\n\n{}\n", lines.join("\n"))
}

/// Where pieces are printed: a bar ends a cell even inside a code span.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Prose,
    Cell,
}

fn text(session: &Session, pieces: &[Piece], place: Place) -> String {
    let mut out = String::new();
    for piece in pieces {
        let printed = print(session, piece, place);
        let reference = matches!(piece, Piece::Refs(_) | Piece::RefRange(..) | Piece::Searched(..));
        if reference && !out.is_empty() && !out.ends_with([' ', '(']) {
            out.push(' ');
        }
        out.push_str(&printed);
    }
    out
}

fn print(session: &Session, piece: &Piece, place: Place) -> String {
    let number = |at: &crate::base::ids::MessageIdx| session.message(*at).number;
    match piece {
        Piece::Glue(words) => (*words).to_string(),
        Piece::Word(text) | Piece::Plain(text) | Piece::Figure(text) => quote::inline(text),
        Piece::Count(text) => text.clone(),
        Piece::Quote(text) if text.contains('"') => format!("“{}”", quoted(text, place)),
        Piece::Quote(text) => format!("\"{}\"", quoted(text, place)),
        Piece::Code(text) if place == Place::Cell => quote::code_cell(text),
        Piece::Code(text) => quote::code(text),
        Piece::Computed(text) => format!("{text}†"),
        Piece::Refs(list) => {
            let numbers: Vec<String> = list.iter().map(|at| number(at).to_string()).collect();
            format!("[msg {}]", numbers.join(", "))
        }
        Piece::RefRange(from, to) => format!("[msg {}–{}]", number(from), number(to)),
        Piece::Searched(from, to) => format!("[searched {}–{}]", number(from), number(to)),
        Piece::Number(at) => number(at).to_string(),
    }
}

/// Words of the log that may be Markdown themselves: code spans stay code spans, marks of emphasis go, everything else
/// is literal.
fn quoted(text: &str, place: Place) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return quote::inline(text);
    }
    let mut out = String::new();
    for (i, part) in parts.iter().enumerate() {
        match (i % 2, place) {
            (0, _) => {
                let literal = part.replace("**", "");
                let blank = |edge: bool| if edge { " " } else { "" };
                out.push_str(blank(i > 0 && literal.starts_with(' ')));
                out.push_str(&quote::inline(&literal));
                out.push_str(blank(literal.trim() != "" && literal.ends_with(' ')));
            }
            (_, Place::Cell) => out.push_str(&quote::code_cell(part)),
            _ => out.push_str(&quote::code(part)),
        }
    }
    out
}

/// A sentence as it is printed in running text, for the manifest.
pub fn sentence(session: &Session, claim: &Claim) -> String {
    text(session, claim.pieces(), Place::Prose)
}

/// A row of a table as it is printed, for the manifest.
pub fn row(session: &Session, cells: &[Vec<Piece>]) -> String {
    cells.iter().map(|c| text(session, c, Place::Cell)).collect::<Vec<_>>().join(" | ")
}
