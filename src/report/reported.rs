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
    m.closing().filter(|_| m.subject.is_none()).map_or_else(Vec::new, |at| of(m, at))
}

/// The first whole sentences of a text of the assistant.
pub fn of(m: &Material, at: MessageIdx) -> Vec<Evidence> {
    let Some(part) = m.session.message(at).part_at(PartKind::Prose) else { return Vec::new() };
    let text = &m.session.message(at).parts[part].text;
    let all = sentences(text).into_iter().filter(|s| matches!(s.block, Block::Paragraph | Block::Item)).take(REACH);
    let told = all.filter(|s| s.span.of(text).is_some_and(|words| tells(m, words)));
    let cited = told.filter_map(|s| m.session.cite(at, part, s.span));
    cited.filter(|e| !is_other(m, e)).take(MOST).collect()
}

/// Whether words say something by themselves, and of what is still there.
fn tells(m: &Material, words: &str) -> bool {
    let asks = words.trim_end().ends_with('?');
    figures::whole_sentence(words) && !asks && !OPENS.is_match(words) && !passing(words) && !m.tells_of_deleted(words)
}

/// Whether a sentence tells of what is still going on, or of the agent's own notes: it says nothing of the work.
pub fn passing(words: &str) -> bool {
    PASSING.is_match(words)
}

/// "CI is still running.", "Deleted the clock memory."; not "The gate is running on port 80."
static PASSING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:ci|checks?|jobs?|builds?|workflows?|runs?|pipeline)\b[^.]{0,40}\b(?:(?:is|are) (?:now |still |currently )?(?:running|pending|queued|in progress)|(?:running|pending|queued)\b)|\b(?:deleted|saved|updated|wrote|written|removed|recorded|stored)\b[^.]{0,60}\b(?:memory|memories|hand-?off|notes)\b")
        .expect("valid")
});

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
        assert!(passing("CI is still running.") && passing("Deleted the clock memory."));
        assert!(!passing("The gate is running on port 80."));
    }
}
