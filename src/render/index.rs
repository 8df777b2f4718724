//! The first page of a folder of articles: what was written, each with its finding.

use serde::Serialize;

use super::{html, markdown};
use crate::{
    base::error::Error,
    model::{article::Article, session::Session},
    text::{flavour::Flavour, quote, template::Templates},
};

/// An article of the folder.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// What was written.
    pub article: &'a Article,
    /// Name of its files, without ending.
    pub stem: String,
}

#[derive(Serialize)]
struct View {
    front: String,
    title: String,
    description: String,
    entries: Vec<EntryView>,
    version: &'static str,
}

#[derive(Serialize)]
struct EntryView {
    stem: String,
    title: String,
    subtitle: String,
}

/// The index in Markdown, with links to `<stem>.md`.
///
/// # Errors
/// [`Error::Setup`] when the template cannot be rendered.
pub fn markdown(
    entries: &[Entry],
    session: &Session,
    flavour: Flavour,
    templates: &Templates,
) -> Result<String, Error> {
    let title = title(session);
    let front = if flavour == Flavour::MkDocs {
        format!("---\ntitle: {}\n---\n\n", quote::yaml(&title))
    } else {
        String::new()
    };
    let entry = |e: &Entry| {
        let text = |pieces| markdown::text(session, flavour, pieces);
        let (title, subtitle) = (text(e.article.title.pieces()), text(e.article.subtitle.pieces()));
        EntryView { stem: e.stem.clone(), title, subtitle }
    };
    let view = View { title: quote::inline_for(flavour, &title), ..view(front, entries, entry) };
    templates.render("index.md", &view)
}

/// The index as a page, with links to `<stem>.html`.
///
/// # Errors
/// [`Error::Setup`] when the template cannot be rendered.
pub fn html(entries: &[Entry], session: &Session, templates: &Templates) -> Result<String, Error> {
    let entry = |e: &Entry| {
        let text = |pieces| html::words(session, pieces);
        let (title, subtitle) = (text(e.article.title.pieces()), text(e.article.subtitle.pieces()));
        EntryView { stem: e.stem.clone(), title, subtitle }
    };
    let view = View { title: title(session), ..view(String::new(), entries, entry) };
    templates.render("index.html", &view)
}

fn view(front: String, entries: &[Entry], entry: impl Fn(&Entry) -> EntryView) -> View {
    View {
        front,
        title: String::new(),
        description: "Articles about one session of a coding agent".to_string(),
        entries: entries.iter().map(entry).collect(),
        version: env!("CARGO_PKG_VERSION"),
    }
}

/// The session's own title, else its id.
fn title(session: &Session) -> String {
    let title = session.info.title.as_deref().filter(|t| !t.trim().is_empty());
    quote::visible(title.unwrap_or(&session.info.id)).replace(['\n', '\t'], " ")
}
