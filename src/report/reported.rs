//! What the closing text says first: whoever writes a report puts the result there.

use std::sync::LazyLock;

use crate::text::pattern::Regex;

use super::{Material, figures};
use crate::{
    base::ids::MessageIdx,
    model::{evidence::Evidence, facts::StatementKind, message::PartKind},
    text::sentence::{Block, sentences},
};

/// Most sentences that are taken.
const MOST: usize = 2;

/// How far into the text they are looked for, in sentences: a report that opens otherwise opens with something else.
const REACH: usize = 6;

/// The first whole sentences of the closing text; nothing for an article about a message.
pub fn first(m: &Material) -> Vec<Evidence> {
    let Some((at, part)) = closing(m) else { return Vec::new() };
    let text = &m.session.message(at).parts[part].text;
    let all = sentences(text).into_iter().filter(|s| matches!(s.block, Block::Paragraph | Block::Item)).take(REACH);
    let told = all.filter(|s| s.span.of(text).is_some_and(|words| tells(m, words)));
    let cited = told.filter_map(|s| m.session.cite(at, part, s.span));
    cited.filter(|e| !is_other(m, e)).take(MOST).collect()
}

/// The closing text: its message and the part that holds it.
fn closing(m: &Material) -> Option<(MessageIdx, usize)> {
    let at = m.closing().filter(|_| m.subject.is_none())?;
    Some((at, m.session.message(at).part_at(PartKind::Prose)?))
}

/// Whether words say something by themselves, and of what is still there.
fn tells(m: &Material, words: &str) -> bool {
    let asks = words.trim_end().ends_with('?');
    figures::whole_sentence(words) && !asks && !OPENS.is_match(words) && !m.tells_of_deleted(words)
}

/// "Here is the detailed report.", "I now have a complete picture."; not "The report is in docs/".
static OPENS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\W*(?:here(?:['’]s| is| are)|below (?:is|are)|I (?:now )?have (?:a|all|the|everything|enough)|let me|based on)\b").expect("valid")
});

/// Whether a sentence announces, proposes or concedes, or says what falls short, which is told by itself.
fn is_other(m: &Material, sentence: &Evidence) -> bool {
    use StatementKind::{Announcement, Concession, Proposal, Shortfall};
    let own = m.facts.statements.iter().find(|s| s.evidence == *sentence);
    own.is_some_and(|s| matches!(s.kind, Announcement | Concession | Proposal | Shortfall))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_are_told_from_results() {
        assert!(OPENS.is_match("Here is the detailed report.") && OPENS.is_match("I now have a complete picture."));
        assert!(!OPENS.is_match("The report is in docs/"));
    }
}
