//! An article as Markdown, laid out by a template. Pieces become text here, once; templates receive finished strings.

use serde::Serialize;

use crate::{
    base::{error::Error, hash},
    model::{
        article::{Article, ArticleTable, Block, Claim, Piece},
        picture::Picture,
        session::Session,
    },
    text::{flavour::Flavour, markdown::plain, quote, template::Templates},
};

use super::{
    pieces::{Stretch, description, placed, set_off, stretches},
    svg::{self, Theme},
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
    /// For whom the Markdown is written.
    pub flavour: Flavour,
    /// What the names of its picture files begin with, seen from the article (`pictures/night-`); "" without pictures.
    pub pictures: String,
}

#[derive(Serialize)]
struct View {
    front: String,
    title: String,
    subtitle: String,
    sections: Vec<SectionView>,
    omitted: Vec<String>,
    trailer: String,
}

#[derive(Serialize)]
struct SectionView {
    heading: String,
    blocks: Vec<BlockView>,
    pictures: Vec<String>,
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
    page(article, session, identity, templates, article.sections.len())
}

/// Renders an article so that it has at most so many bytes: sections are left out from the end, and named in a last
/// sentence. With it, how many sections are there.
///
/// # Errors
/// As [`render`]; also when not even the first section has room.
pub fn within(
    most: usize,
    article: &Article,
    session: &Session,
    identity: &Identity,
    templates: &Templates,
) -> Result<(String, usize), Error> {
    // An article without a section is its title.
    let all = article.sections.len();
    for kept in (all.min(1)..=all).rev() {
        let text = page(article, session, identity, templates, kept)?;
        if text.len() <= most {
            return Ok((text, kept));
        }
    }
    Err(Error::Setup(format!("{most} bytes hold not even the first section of the article")))
}

/// The article with its first `kept` sections.
fn page(
    article: &Article,
    session: &Session,
    identity: &Identity,
    templates: &Templates,
    kept: usize,
) -> Result<String, Error> {
    let printer = Printer { session, flavour: identity.flavour };
    let (shown, omitted) = article.sections.split_at(kept);
    let view = View {
        front: printer.front(article),
        title: printer.text(article.title.pieces(), Place::Prose),
        subtitle: printer.text(article.subtitle.pieces(), Place::Prose),
        sections: shown
            .iter()
            .zip(placed(article, shown))
            .map(|(s, pictures)| SectionView {
                heading: printer.text(&s.heading, Place::Prose),
                blocks: s.blocks.iter().map(|b| printer.block(b)).collect(),
                pictures: pictures.iter().filter_map(|p| printer.picture(p, &identity.pictures)).collect(),
            })
            .collect(),
        omitted: omitted.iter().map(|s| printer.text(&s.heading, Place::Prose)).collect(),
        trailer: trailer(article, session, identity),
    };
    templates.render(TEMPLATE, &view)
}

/// The last line, by which the article is known as ours: `<!-- turnpoint version="…" kind="…" … seal="…" -->`. The
/// seal is the hash of what stands before it, so that no digit of the line can be changed unseen.
pub(super) fn trailer(article: &Article, session: &Session, identity: &Identity) -> String {
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
    let known = match identity.flavour {
        Flavour::GitHub => known,
        flavour => format!("{known} flavour=\"{}\"", flavour.word()),
    };
    let known = match identity.pictures.as_str() {
        "" => known,
        prefix => format!("{known} pictures=\"{prefix}\""),
    };
    format!("<!-- turnpoint {known} seal=\"{}\" -->", hash::brief(&known))
}

/// Where pieces are printed: a bar ends a cell even inside a code span.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Prose,
    Cell,
}

/// What turns pieces into Markdown.
#[derive(Clone, Copy)]
struct Printer<'a> {
    session: &'a Session,
    flavour: Flavour,
}

impl Printer<'_> {
    /// Front matter, for generators that read it: title and opening words, and the day on which the session ended.
    fn front(self, article: &Article) -> String {
        if self.flavour != Flavour::MkDocs {
            return String::new();
        }
        let mut front = format!("---\ntitle: {}\n", quote::yaml(&self.words(article.title.pieces())));
        let description = description(article, |pieces| self.words(pieces));
        if !description.is_empty() {
            front += &format!("description: {}\n", quote::yaml(&description));
        }
        if let Some(day) = self.session.ended() {
            front += &format!("date: {}\n", &day.iso()[..10]);
        }
        front + "---\n\n"
    }

    /// A picture by its files, whose names begin so: GitHub shows the one for the reader's theme, site generators move
    /// only pictures in Markdown's own form. Nothing without files.
    fn picture(self, picture: &Picture, prefix: &str) -> Option<String> {
        let file = |theme| format!("{prefix}{}", svg::file_name(picture, theme));
        let alt = format!("{}: {}", picture.title, picture.description);
        let shown = match self.flavour {
            Flavour::GitHub => format!(
                "<picture><source media=\"(prefers-color-scheme: dark)\" srcset=\"{}\"><img src=\"{}\" alt=\"{}\"></picture>",
                file(Theme::Dark),
                file(Theme::Light),
                quote::markup(&alt)
            ),
            flavour => format!("![{}]({})", quote::inline_for(flavour, &alt), file(Theme::Light)),
        };
        (!prefix.is_empty()).then_some(shown)
    }

    /// What a reader sees of some pieces.
    fn words(self, pieces: &[Piece]) -> String {
        plain(&Printer { flavour: Flavour::GitHub, ..self }.text(pieces, Place::Prose))
    }

    fn block(self, block: &Block) -> BlockView {
        let sentence = |c: &Claim| self.text(c.pieces(), Place::Prose);
        match block {
            Block::Paragraph(claims) => {
                let text = claims.iter().map(sentence).collect::<Vec<_>>().join(" ");
                BlockView { kind: "paragraph", text, ..Default::default() }
            }
            Block::List(claims) => {
                BlockView { kind: "list", items: claims.iter().map(sentence).collect(), ..Default::default() }
            }
            Block::Table(table) => self.table(table),
        }
    }

    fn table(self, table: &ArticleTable) -> BlockView {
        let cell = |pieces: &Vec<Piece>| self.text(pieces, Place::Cell);
        BlockView {
            kind: "table",
            text: table.lead.as_ref().map(|c| self.text(c.pieces(), Place::Prose)).unwrap_or_default(),
            head: table.head.iter().map(cell).collect(),
            rows: table.rows.iter().map(|r| r.cells.iter().map(cell).collect()).collect(),
            ..Default::default()
        }
    }

    fn text(self, pieces: &[Piece], place: Place) -> String {
        let mut out = String::new();
        for piece in pieces {
            if set_off(out.chars().next_back(), piece) {
                out.push(' ');
            }
            out.push_str(&self.piece(piece, place));
        }
        out
    }

    fn piece(self, piece: &Piece, place: Place) -> String {
        let number = |at: &crate::base::ids::MessageIdx| self.session.message(*at).number;
        match piece {
            Piece::Glue(words) => (*words).to_string(),
            Piece::Word(text) | Piece::Plain(text) | Piece::Figure(text) => quote::inline_for(self.flavour, text),
            Piece::Count(text) => text.clone(),
            // One kind of marks outside, the other inside.
            Piece::Quote(text) => format!("“{}”", self.quoted(&text.replace(['“', '”'], "\""), place)),
            Piece::Code(text) => self.code(text, place),
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

    fn code(self, text: &str, place: Place) -> String {
        match place {
            Place::Cell => quote::code_cell(self.flavour, text),
            Place::Prose => quote::code_for(self.flavour, text),
        }
    }

    /// Words of the log, with their own code spans.
    fn quoted(self, text: &str, place: Place) -> String {
        let blank = |edge: bool| if edge { " " } else { "" };
        let mut out = String::new();
        for (i, stretch) in stretches(text).iter().enumerate() {
            match stretch {
                Stretch::Literal(words) => {
                    out.push_str(blank(i > 0 && words.starts_with(' ')));
                    out.push_str(&quote::inline_for(self.flavour, words));
                    out.push_str(blank(words.trim() != "" && words.ends_with(' ')));
                }
                Stretch::Code(code) => out.push_str(&self.code(code, place)),
            }
        }
        out
    }
}

/// Some pieces as they are printed in running text.
pub(super) fn text(session: &Session, flavour: Flavour, pieces: &[Piece]) -> String {
    Printer { session, flavour }.text(pieces, Place::Prose)
}

/// What a picture shows, for those who read text: its title, its description, and its data as a table.
pub fn picture(picture: &Picture, session: &Session, flavour: Flavour) -> String {
    let table = Printer { session, flavour }.table(&picture.table);
    let row = |cells: &[String]| cells.iter().fold("|".to_string(), |line, cell| format!("{line} {cell} |"));
    let mut lines = vec![row(&table.head), row(&vec!["---".to_string(); table.head.len()]).replace(' ', "")];
    lines.extend(table.rows.iter().map(|cells| row(cells)));
    let words = |text| quote::inline_for(flavour, text);
    let (title, description) = (words(&picture.title), words(&picture.description));
    format!("**{title}**\n\n{description}\n\n{}\n", lines.join("\n"))
}

/// A sentence as it is printed in running text, for the manifest.
pub fn sentence(session: &Session, claim: &Claim) -> String {
    text(session, Flavour::GitHub, claim.pieces())
}

/// A row of a table as it is printed, for the manifest.
pub fn row(session: &Session, cells: &[Vec<Piece>]) -> String {
    let printer = Printer { session, flavour: Flavour::GitHub };
    cells.iter().map(|c| printer.text(c, Place::Cell)).collect::<Vec<_>>().join(" | ")
}
