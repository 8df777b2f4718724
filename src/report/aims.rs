//! What the user wanted, as an article tells it: the first request, the one with most work under it, the last; which
//! words name a subject, and which sentence of the assistant's answers a question.

use std::sync::LazyLock;

use regex::Regex;

use super::{Material, material::announces, reported};
use crate::{
    base::ids::MessageIdx,
    model::{
        evidence::Evidence,
        facts::{Request, RequestKind, StatementKind},
        message::{MessageKind, PartKind},
    },
    text::sentence::{Block, sentences},
};

/// Whether words name a subject, of letters beyond ASCII always: "make a pr" and "fix it" name none, they could stand in
/// any session.
pub fn speaks(words: &str) -> bool {
    let linked = |w: &&str| w.contains("://") || w.starts_with(['@', '[']);
    let words = words.split_whitespace().filter(|w| !linked(w)).flat_map(|w| w.split(|c: char| !c.is_alphanumeric()));
    words.filter(|w| w.chars().any(char::is_alphabetic)).any(|w| {
        let plain = w.to_lowercase();
        !w.is_ascii() || plain.len() > 2 && EMPTY.binary_search(&plain.as_str()).is_err()
    })
}

/// Words that could stand in a request about anything. Sorted.
#[rustfmt::skip]
const EMPTY: &[&str] = &[
    "about", "above", "address", "again", "agent", "ahead", "all", "also", "and", "another", "answer", "any",
    "anything", "apply", "approve", "approved", "are", "assignment", "back", "begin", "below", "branch", "bug",
    "build", "but", "can", "change", "changes", "check", "comment", "comments", "commit", "complete", "completely",
    "continue", "could", "crashed", "create", "deal", "did", "direct", "directly", "disconnected", "discussion",
    "documentation", "does", "doing", "done", "each", "error", "errors", "everything", "exactly", "execute", "fail",
    "failed", "failing", "feature", "feedback", "finish", "first", "fix", "fixed", "fixes", "following", "for",
    "found", "from", "full", "get", "getting", "give", "going", "good", "got", "great", "handoff", "has", "have",
    "hello", "help", "here", "hey", "how", "identified", "implement", "improve", "interrupted", "into", "issue",
    "issues", "its", "job", "just", "keep", "last", "later", "latest", "let", "lets", "like", "look", "looking",
    "made", "main", "make", "maybe", "mean", "message", "missing", "more", "move", "need", "new", "next", "not",
    "notes", "now", "off", "okay", "one", "open", "order", "other", "out", "over", "place", "plan", "plans", "please",
    "pls", "point", "post", "problem", "proceed", "proper", "properly", "pull", "push", "quick", "quickly", "read",
    "rebase", "redo", "release", "reply", "request", "requests", "resume", "retry", "review", "rewrite", "right",
    "run", "same", "see", "send", "ship", "should", "solve", "some", "sorry", "stage", "start", "started", "step",
    "steps", "stopped", "suggestion", "suggestions", "sure", "take", "task", "tasks", "tell", "test", "tests",
    "thank", "thanks", "that", "the", "them", "then", "there", "these", "they", "thing", "things", "think", "this",
    "thoroughly", "those", "together", "too", "try", "two", "update", "upload", "use", "user", "verify", "wait",
    "want", "was", "what", "when", "where", "which", "why", "will", "with", "without", "work", "working", "would",
    "write", "yes", "yet", "you", "your",
];

/// The requests of the session that set an aim, told by [`Told`].
pub struct Told<'a> {
    /// The first thing that was asked.
    pub first: Option<&'a Request>,
    /// The one under which most messages stand, where that is another message's.
    pub heaviest: Option<&'a Request>,
    /// The last one, where that is another message's than both.
    pub last: Option<&'a Request>,
}

/// See [`Told`].
pub fn told<'a>(m: &Material<'a>) -> Told<'a> {
    let first = first(m);
    let apart = |r: &&Request, from: Option<&Request>| from.is_none_or(|other| other.message != r.message);
    let heaviest = m.aim().filter(|r| apart(r, first));
    let last =
        m.facts.requests.iter().rfind(|r| is_aim(r) && r.message <= m.to && !announces(m.session.quoted(&r.evidence)));
    let last = last.filter(|r| apart(r, first) && apart(r, heaviest));
    // Of the last message's requests the first says what it is about.
    let last = last.and_then(|last| m.facts.requests.iter().find(|r| r.message == last.message && is_aim(r)));
    Told { first, heaviest, last }
}

/// The first request of the session: what it was opened for. Of its message the first that names a subject; where words
/// only announce what follows them, that.
pub fn first<'a>(m: &Material<'a>) -> Option<&'a Request> {
    let requests = &m.facts.requests;
    let opening = requests.iter().position(is_aim)?;
    let words = |r: &Request| m.session.quoted(&r.evidence);
    let mut same = requests[opening..].iter().take_while(|r| r.message == requests[opening].message);
    if announces(words(&requests[opening])) {
        return same.nth(1).or(Some(&requests[opening]));
    }
    Some(same.find(|r| is_aim(r) && speaks(words(r))).unwrap_or(&requests[opening]))
}

fn is_aim(r: &Request) -> bool {
    matches!(r.kind, RequestKind::Goal | RequestKind::Asks)
}

/// The sentence that answers a request: in the last text before the user speaks again the cause, else what gives a
/// reason, else the text's first telling sentence; where no text says the cause, the last one that any text before gave.
pub fn answer(m: &Material, request: &Request) -> Option<Evidence> {
    let until = m.next_user(request.message).unwrap_or(MessageIdx(m.last.0 + 1));
    let between = |at: MessageIdx| request.message < at && at < until && m.told(at);
    let text =
        m.session.indices().filter(|at| between(*at)).rfind(|at| m.session.message(*at).kind == MessageKind::Text)?;
    // Text before more work announces; it answers only where the user spoke next, or the log ends.
    let closes = text.0 + 1 == until.0;
    let causes = m.facts.statements.iter().filter(|s| s.kind == StatementKind::Cause && between(s.message));
    let main = |e: &&Evidence| whole(m.session.quoted(e)) && !BESIDES.is_match(m.session.quoted(e));
    let causes: Vec<&Evidence> = causes.map(|s| &s.evidence).filter(main).collect();
    let here = causes.iter().find(|e| e.message() == text && closes).copied().cloned();
    let question = request.kind == RequestKind::Asks;
    let told = || reported::of(m, text).into_iter().find(|e| question && !is_done(m, e));
    let said = || reason(m, text).or_else(told).filter(|_| closes);
    here.or_else(said).or_else(|| causes.last().copied().cloned())
}

/// Whether a sentence says that something was done: that answers no question.
fn is_done(m: &Material, sentence: &Evidence) -> bool {
    let own = m.facts.statements.iter().find(|s| s.evidence == *sentence);
    own.is_some_and(|s| s.kind == StatementKind::Completion) || DONE.is_match(m.session.quoted(sentence))
}

/// "`notes.md` is updated."; not "The clock is slow."
static DONE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:is|are|was|were|been|now) (?:now )?(?:added|changed|committed|created|done|fixed|pushed|removed|saved|updated|written)\b").expect("valid")
});

/// "There was an older failure too: …": not the answer, but something beside it.
static BESIDES: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:also|another|besides|earlier|older|previous|too)\b").expect("valid"));

/// Whether a request wants to know something: a question, or an order to find out.
pub fn asks(m: &Material, request: &Request) -> bool {
    request.kind == RequestKind::Asks || ASKS.is_match(m.session.quoted(&request.evidence))
}

/// "explain the clock", "can you review it"; not "implement the review".
static ASKS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\W*(?:(?:can|could|would) you |please )*(?:explain|investigate|analy[sz]e|review|find out|look (?:at|into)|debug|diagnose|why|what|how|check (?:why|what|if|whether))\b").expect("valid")
});

/// The first sentence of a text that gives a reason.
fn reason(m: &Material, at: MessageIdx) -> Option<Evidence> {
    let part = m.session.message(at).part_at(PartKind::Prose)?;
    let text = &m.session.message(at).parts[part].text;
    let all = sentences(text).into_iter().filter(|s| matches!(s.block, Block::Paragraph | Block::Item));
    let gives = |words: &str| words.contains(" because ") && whole(words) && !BESIDES.is_match(words);
    all.filter(|s| s.span.of(text).is_some_and(gives)).find_map(|s| m.session.cite(at, part, s.span))
}

/// Whether a sentence can be quoted as an answer: it says something behind its opening words.
fn whole(words: &str) -> bool {
    words.split_whitespace().count() >= 5 && !words.trim_end_matches([' ', '*', '_']).ends_with([':', '?'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_without_a_subject_are_known() {
        assert!(EMPTY.is_sorted());
        assert!(DONE.is_match("`notes.md` is updated.") && !DONE.is_match("The clock is slow."));
        assert!(ASKS.is_match("can you review it") && !ASKS.is_match("implement the review"));
        assert!(BESIDES.is_match("There was an older failure too: rust.") && !BESIDES.is_match("Rust was the cause."));
        for empty in [
            "make a pr to fix",
            "let's implement this",
            "can you review again",
            "read your handoff",
            "hello",
            "fix it in another pr",
        ] {
            assert!(!speaks(empty), "{empty}");
        }
        for subject in ["why does the clock stop", "make a pr that oils the gate", "修复时钟"] {
            assert!(speaks(subject), "{subject}");
        }
    }
}
