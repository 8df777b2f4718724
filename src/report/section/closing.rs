//! *The closing summary against the log*: can I forward the agent's summary? What the audit says of the last text; told
//! are only statements that the log does not bear out. That a figure stands in some output is no praise: it may be
//! another one's.

use super::{check_first, section, table};
use crate::{
    base::span::ByteSpan,
    model::{
        article::{ArticleRow, Section},
        audit::{ClaimKind, Claimed, Ruling},
        evidence::Evidence,
        message::{Cut, PartKind},
    },
    report::{
        Material,
        phrase::{Phrase, shortened},
    },
};

/// Most rows that the section holds.
const MOST: usize = 6;

/// See the module.
pub fn make(m: &Material) -> Option<Section> {
    let at = m.closing()?;
    let told: Vec<&Claimed> = check_first::accused(m).collect();
    let doubted = m.audit.claims.iter().filter(|claim| {
        claim.words.message() == at
            && matches!(claim.ruling, Ruling::Contradicted | Ruling::NotShown)
            && !told.contains(claim)
    });
    let rows = doubted.filter_map(|claim| row(m, claim)).take(MOST).collect();
    section("The closing summary against the log", vec![table(&["the last text says", "the log shows"], rows)])
}

fn row(m: &Material, claim: &Claimed) -> Option<ArticleRow> {
    let phrase = m.derived("summary-claim").weighing(8).quote(&subject(m, claim)).cell();
    let phrase = phrase.list(&claim.parts, ", ", " and ", |p: Phrase, part| p.code(part));
    let phrase = if claim.parts.is_empty() { phrase } else { phrase.say(": ") };
    let phrase = phrase.say(claim.short);
    let place = claim.log.first()?;
    let Some((from, to)) = place.searched() else {
        return phrase.say(" ").refs(claim.log.iter().map(Evidence::message)).row();
    };
    let phrase = phrase.searched(from, to);
    let phrase = if claim.kind == ClaimKind::Number && outputs_cut(m) {
        phrase.say("; outputs of this log are cut")
    } else {
        phrase
    };
    phrase.row()
}

/// What the claim is about: of a row of a table its first cell.
fn subject(m: &Material, claim: &Claimed) -> Evidence {
    let first_cell = || {
        let (part, span) = claim.words.quote()?;
        let cell = m.session.quoted(&claim.words).strip_prefix('|')?.split('|').next()?;
        let start = span.start + 1 + (cell.len() - cell.trim_start().len());
        let named = cell.chars().any(char::is_alphabetic);
        m.session.cite(claim.words.message(), part, ByteSpan::new(start, start + cell.trim().len())).filter(|_| named)
    };
    first_cell().unwrap_or_else(|| shortened(m.session, &claim.words, 16))
}

fn outputs_cut(m: &Material) -> bool {
    m.session.messages.iter().flat_map(|msg| &msg.parts).any(|p| p.kind == PartKind::Output && p.cut == Some(Cut::End))
}
