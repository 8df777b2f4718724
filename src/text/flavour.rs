//! For whom Markdown is written: each site generator has extensions and template marks of its own, on which the words of
//! a log must have no effect.

/// A reader of Markdown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Flavour {
    /// GitHub and whatever reads CommonMark with tables.
    #[default]
    GitHub,
    /// mdBook: no front matter; `{{#include}}`, heading attributes and MathJax are defused, dashes stay as they are.
    MdBook,
    /// MkDocs (Python-Markdown): front matter; backslash escapes are few there, so that character references serve, which
    /// also stop Jinja and the `pymdownx` extensions.
    MkDocs,
}

impl Flavour {
    /// All of them.
    pub const ALL: [Flavour; 3] = [Flavour::GitHub, Flavour::MdBook, Flavour::MkDocs];

    /// Its name, as typed and as articles carry it.
    pub fn word(self) -> &'static str {
        match self {
            Flavour::GitHub => "github",
            Flavour::MdBook => "mdbook",
            Flavour::MkDocs => "mkdocs",
        }
    }

    /// The flavour of a name.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|flavour| flavour.word() == word)
    }
}
