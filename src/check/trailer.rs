//! The last line of an article of ours, by which it is known again: `<!-- turnpoint version="…" … -->`.

use std::sync::LazyLock;

use regex::Regex;

use crate::{
    base::hash,
    model::{
        article::ArticleKind,
        session::Session,
        verdict::{Finding, Verdict},
    },
    text::flavour::Flavour,
};

/// What the line says, raw.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trailer {
    /// Line of the article, from 1.
    pub line: usize,
    /// Version that wrote it.
    pub version: String,
    /// Kind of article.
    pub kind: String,
    /// Public id of the message that it is about, "" for a session.
    pub subject: String,
    /// Its number, "" for a session.
    pub number: String,
    /// Identity of the log.
    pub input: String,
    /// Scheme of the message numbers.
    pub numbering: String,
    /// Most words that were asked for.
    pub words: String,
    /// For whom its Markdown is written; "" for GitHub.
    pub flavour: String,
    /// What the names of its pictures begin with, "" without pictures.
    pub pictures: String,
    /// Whether the line is as it was written: its seal is the hash of what stands before it.
    pub sealed: bool,
}

/// How the line begins.
const MARK: &str = "<!-- turnpoint ";

/// `words="900"`: one attribute.
static ATTRIBUTE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"(\w+)="([^"]*)""#).expect("valid"));

impl Trailer {
    /// The last such line of an article.
    pub fn of(article: &str) -> Option<Self> {
        let (at, line) = article.lines().enumerate().filter(|(_, l)| l.trim_start().starts_with(MARK)).last()?;
        let known = line.trim_start().strip_prefix(MARK).and_then(|rest| rest.split_once(" seal=\""));
        let sealed = known.is_some_and(|(known, seal)| seal.split('"').next() == Some(hash::brief(known).as_str()));
        let mut trailer = Trailer { line: at + 1, sealed, ..Default::default() };
        for pair in ATTRIBUTE.captures_iter(line) {
            let field = match &pair[1] {
                "version" => &mut trailer.version,
                "kind" => &mut trailer.kind,
                "subject" => &mut trailer.subject,
                "number" => &mut trailer.number,
                "input" => &mut trailer.input,
                "numbering" => &mut trailer.numbering,
                "words" => &mut trailer.words,
                "flavour" => &mut trailer.flavour,
                "pictures" => &mut trailer.pictures,
                _ => continue,
            };
            *field = pair[2].to_string();
        }
        Some(trailer)
    }

    /// The kind, when it is one of ours.
    pub fn kind(&self) -> Option<ArticleKind> {
        [ArticleKind::TurningPoint, ArticleKind::Retrospective].into_iter().find(|k| k.word() == self.kind)
    }

    /// The number of words, when it is one.
    pub fn words(&self) -> Option<usize> {
        self.words.parse().ok()
    }

    /// The flavour; GitHub's where the name is none.
    pub fn flavour(&self) -> Flavour {
        Flavour::named(&self.flavour).unwrap_or_default()
    }

    /// Whether an older version than this program wrote it, whose sentences may rightly differ.
    pub fn older(&self) -> bool {
        numbers(&self.version).is_some_and(|v| Some(v) < numbers(env!("CARGO_PKG_VERSION")))
    }

    /// What in the line itself does not hold for this article of this session, read from the input of this identity.
    pub fn faults(&self, article: &str, session: &Session, identity: &str) -> Vec<Finding> {
        let mut faults = Vec::new();
        let mut fault = |words: String, reason: String| {
            faults.push(Finding {
                verdict: Verdict::False,
                rule: "trailer",
                line: self.line,
                section: String::new(),
                words,
                reason,
                nearest: None,
            });
        };
        if !self.sealed {
            fault("seal".into(), "the last line is not as it was written".into());
        }
        let own = env!("CARGO_PKG_VERSION");
        if self.version != own && !self.older() {
            fault(format!("version {:?}", self.version), format!("this is version {own} and knows of no such version"));
        }
        if self.input != identity {
            fault(format!("input {:?}", self.input), format!("about another input: the log given has {identity}"));
        }
        if self.numbering != session.numbering.name() {
            fault(
                format!("numbering {:?}", self.numbering),
                format!("messages of this log are numbered by {:?}", session.numbering.name()),
            );
        }
        let found = session.find(&self.subject).map(|at| session.message(at).number);
        match self.kind() {
            None => fault(format!("kind {:?}", self.kind), "no kind of article".into()),
            Some(ArticleKind::Retrospective) if !self.subject.is_empty() || !self.number.is_empty() => {
                fault(format!("subject {:?}", self.subject), "a retrospective has no subject".into());
            }
            Some(ArticleKind::TurningPoint) if found.is_none() => {
                fault(format!("subject {:?}", self.subject), "the log has no such message".into());
            }
            Some(ArticleKind::TurningPoint) if self.number.parse() != Ok(found.unwrap_or(0)) => fault(
                format!("number {:?}", self.number),
                format!("the subject {:?} is message {}", self.subject, found.unwrap_or(0)),
            ),
            _ => {}
        }
        let counted = words(article);
        match self.words() {
            None => fault(format!("words {:?}", self.words), "no number of words".into()),
            Some(most) if most < counted => {
                fault(format!("words {:?}", self.words), format!("the article has {counted} words"));
            }
            _ => {}
        }
        faults
    }
}

/// Blank-separated tokens that hold a letter or digit, the trailer apart.
fn words(article: &str) -> usize {
    article
        .lines()
        .filter(|l| !l.trim_start().starts_with(MARK))
        .flat_map(str::split_whitespace)
        .filter(|t| t.chars().any(char::is_alphanumeric))
        .count()
}

fn numbers(version: &str) -> Option<Vec<u32>> {
    version.split('.').map(|n| n.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trailer_is_read_back() {
        let text = "# T\n\n<!-- turnpoint version=\"0.1.0\" kind=\"article\" subject=\"msg:4\" number=\"4\" input=\"0a\" numbering=\"log\" words=\"900\" -->\n";
        let trailer = Trailer::of(text).unwrap();
        assert_eq!((trailer.line, trailer.subject.as_str(), trailer.words()), (3, "msg:4", Some(900)));
        assert_eq!(trailer.kind(), Some(ArticleKind::TurningPoint));
        assert!(Trailer::of("<!-- a comment -->").is_none());
    }

    #[test]
    fn versions_compare_as_numbers() {
        let old = Trailer { version: "0.0.9".into(), ..Default::default() };
        let new = Trailer { version: "10.0.0".into(), ..Default::default() };
        assert!(old.older() && !new.older());
    }
}
