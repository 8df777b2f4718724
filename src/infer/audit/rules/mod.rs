//! The rules, each with an example and what it cannot see. A statement may be known to several.

mod absences;
mod boxes;
mod causes;
mod completion;
mod factors;
mod figures;
mod files;
mod outside;
mod verdicts;

pub(super) use boxes::RUN as TICKED;
pub(super) use completion::ASKED;

use std::{ops::Range, sync::LazyLock};

use super::{entities, ledger::Ledger, statements::Statement};
use crate::{
    base::span::ByteSpan,
    model::{
        audit::{ClaimKind, Claimed, Ruling},
        evidence::Evidence,
    },
    text::pattern::Regex,
};

/// A rule.
pub struct Rule {
    /// Name, kebab-case.
    pub name: &'static str,
    /// What it is about.
    pub kind: ClaimKind,
    /// What it asks, in a sentence.
    pub about: &'static str,
    /// A statement that it judges, and how.
    pub example: &'static str,
    /// What it cannot see.
    pub limits: &'static str,
    /// What an article says where the rule contradicts; "" for rules that never do.
    pub against: &'static str,
    /// What an article says where the log does not show it; "" for rules that never say so.
    pub missing: &'static str,
    judge: fn(&Ledger, &Statement) -> Option<Judgement>,
}

/// What a rule found.
struct Judgement {
    ruling: Ruling,
    why: String,
    log: Vec<Evidence>,
    /// The words that it is about, where they are fewer than the statement's: bytes of the part.
    span: Option<ByteSpan>,
    /// The words among them that decide, where not all do: bytes of the part.
    parts: Vec<ByteSpan>,
}

impl Judgement {
    fn new(ruling: Ruling, why: impl Into<String>, log: Vec<Evidence>) -> Self {
        Self { ruling, why: why.into(), log, span: None, parts: Vec::new() }
    }

    /// About a part of the statement's words.
    fn of(self, span: ByteSpan) -> Self {
        Self { span: Some(span), ..self }
    }

    /// Decided by these words of a statement: bytes of its text.
    fn by(self, said: &Statement, parts: impl IntoIterator<Item = Range<usize>>) -> Self {
        let placed = |part: Range<usize>| ByteSpan::new(part.start, part.end).shift(said.span.start);
        Self { parts: parts.into_iter().map(placed).collect(), ..self }
    }
}

/// All rules, in the order in which they are asked; each may speak.
pub static RULES: &[&Rule] = &[
    &TICKED,
    &boxes::TESTS,
    &boxes::READ,
    &verdicts::QUOTED,
    &completion::OPEN,
    &ASKED,
    &completion::STALE,
    &figures::BEYOND,
    &factors::FACTOR,
    &files::ADDED,
    &files::REMOVED,
    &absences::PRE_EXISTING,
    &absences::FILED,
    &absences::UNSEARCHED,
    &outside::DOCUMENTED,
    &causes::UNPROFILED,
    &figures::SHOWN,
];

impl Rule {
    /// Whether it ever contradicts.
    pub fn can_contradict(&self) -> bool {
        !self.against.is_empty()
    }

    /// What it says to a statement, if it knows it.
    pub(super) fn judged(&self, log: &Ledger, said: &Statement) -> Option<Claimed> {
        let found = (self.judge)(log, said)?;
        let cited = |span| log.session.cite(said.message, said.part, span);
        let span = found.span.unwrap_or(said.span);
        let words = cited(span)?;
        let named = entities::of(log.facts, log.session.quoted(&words), said.message).into_iter();
        let placed = |at: Range<usize>| cited(ByteSpan::new(at.start, at.end).shift(span.start));
        Some(Claimed {
            kind: self.kind,
            ruling: found.ruling,
            rule: self.name,
            why: found.why,
            short: match found.ruling {
                Ruling::Contradicted => self.against,
                Ruling::NotShown => self.missing,
                Ruling::NotCheckable | Ruling::Supported => "",
            },
            parts: found.parts.into_iter().filter_map(cited).collect(),
            entities: named.filter_map(|(kind, at)| Some((kind, placed(at)?))).collect(),
            words,
            log: found.log,
            repeats: None,
        })
    }
}

/// `let me`, `should`, `if`, `estimated`, a question.
static INTENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:let me|let's|let’s|i'll|i’ll|i will|we will|will|should|could|would|might|may|maybe|perhaps|probably|likely|if|whether|need to|needs to|try|next|plan|planned|todo|expect\w*|estimat\w*|project(?:ed|ion)|target|goal|assum\w*|want|once|until|can we|how about)\b|\?\s*$").expect("valid")
});

/// Whether a statement is about what will be, may be or should be: no claim.
fn is_intent(text: &str) -> bool {
    INTENT.is_match(text)
}
