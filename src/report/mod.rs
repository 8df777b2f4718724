//! Session, facts and findings to articles. Each report is a list of sections; each section is one file that says which
//! question of the reader it answers.

mod aims;
mod budget;
mod checks;
mod delivery;
mod figures;
mod material;
mod phrase;
mod pictures;
mod products;
mod reported;
mod retrospective;
mod runs;
mod section;
mod turning_article;

pub use material::Material;

use crate::model::article::{Article, ArticleKind};

/// How an article is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// Most words it may have (blank-separated tokens that hold a letter or digit, tables included).
    pub words: usize,
}

/// A kind of article.
pub trait Report: Sync {
    /// The kind.
    fn kind(&self) -> ArticleKind;
    /// One clause: what it tells.
    fn about(&self) -> &'static str;
    /// Its sections, in the order in which a reader needs them.
    fn sections(&self) -> &'static [section::Maker];
}

/// All reports.
pub const REPORTS: &[&dyn Report] = &[&turning_article::TurningArticle, &retrospective::Retrospective];

/// Writes an article of a kind; `None` when the session holds no message.
pub fn compose(kind: ArticleKind, material: &Material, wanted: Wanted) -> Option<Article> {
    let report = REPORTS.iter().find(|report| report.kind() == kind)?;
    let article = Article {
        kind,
        subject: material.subject,
        title: section::title::make(material)?,
        subtitle: section::title::subtitle(material)?,
        sections: report.sections().iter().filter_map(|make| make(material)).collect(),
        pictures: pictures::choose(material),
    };
    Some(budget::fit(article, wanted.words))
}
