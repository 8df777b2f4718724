//! Sentences of the assistant that state something worth holding against the log, and fallbacks kept as todo items.
//!
//! Each sentence is at most one statement: the first wording of the table that it matches, else a finding when it holds
//! a figure with its unit. Questions and conditions are no completions. What a sentence means is left to its reader;
//! only its exact words are kept.

use std::sync::LazyLock;

use crate::text::pattern::{Regex, in_ascii};

use super::{Extractor, sentence_cues::STATEMENTS};
use crate::{
    base::{ids::MessageIdx, span::ByteSpan},
    model::{
        evidence::Evidence,
        facts::{Facts, Statement, StatementKind},
        message::{Message, MessageKind, PartKind},
        session::Session,
    },
    text::{
        sentence::{Block, Sentence, sentences, word_count},
        terms::terms,
    },
};

/// See the module.
pub struct Statements;

impl Extractor for Statements {
    fn name(&self) -> &'static str {
        "statements"
    }

    fn about(&self) -> &'static str {
        "Sentences of the assistant that state something worth holding against the log"
    }

    fn run(&self, session: &Session, facts: &mut Facts) {
        let mut found = Vec::new();
        let said = |(at, m): &(MessageIdx, &Message)| m.kind == MessageKind::Text && !by_harness(session, *at);
        for (at, message) in session.iter().filter(said) {
            let parts = message.parts.iter().enumerate().filter(|(_, p)| p.kind == PartKind::Prose);
            for (part, text) in parts {
                found.extend(sentences(&text.text).iter().filter_map(|s| stated(session, at, part, &text.text, s)));
            }
        }
        found.extend(planned_fallbacks(session, facts));
        found.sort_by(|a: &Statement, b| a.evidence.cmp(&b.evidence));
        concede(session, &mut found);
        facts.statements = found;
    }
}

/// `11.17 ms`, `51.5 %`, `21.5x`; not `step 3`.
static FIGURE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&in_ascii(r"\bfactor of \d|\d\s*(?:(?:total|output|out|input|generated|aggregate|more|fewer|less) )?(?:%|[x×]\b|(?:[munµ]?s|sec|seconds?|min|minutes|hours|[KMGT]i?B(?:/s)?|[KMG]bps|tok(?:ens?)?(?:/s(?:ec)?)?|[kMGT]?FLOPS|req/s|it/s|Hz|GHz|W|MiB|GiB|fps|rows|shards|times|tests|faults|warnings|errors|mismatches|failures|passed|failed)\b)"))
    .expect("valid")
});

/// "once the tests pass", "should now work", "if it is done"; not "the tests pass".
static UNREAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&in_ascii(r"(?i)\b(?:if|once|when|until|unless|whether|should|would|will|might|may|could|before|need(?:s|ed)? to|to (?:be|see|check|verify|make|ensure|confirm)|not|never|isn'?t|aren'?t|doesn'?t|don'?t|didn'?t|haven'?t|hasn'?t|let me|let's|i'll|yet|as soon as|must|makes? sure|ensures?)\b|n’t\b"))
        .expect("valid")
});

/// "should shrink by 3x", "if that holds"; not "is 3x smaller".
static SUPPOSED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&in_ascii(r"(?i)\b(?:should|would|could|might|may|if|let me|let's|\w+['’]ll|will|we need|i need|need to|want|whether|try|aim|goal|target|limit|assum\w+|estimat\w+)\b")).expect("valid")
});

/// "unless it is still red", "it may not be tested"; not "I could not test it".
static OPEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&in_ascii(
        r"(?i)\b(?:if|whether|unless|until|once|when|should|would|might|may|want|let me|let's|i'll|i will)\b",
    ))
    .expect("valid")
});

/// "if it were bound by launches, that would halve it", "more than expected", "Total estimated time: 3 h", "I will run it
/// for 5 min": a thought, a result, a heading, a plan; not "it should halve the time".
static NOT_EXPECTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&in_ascii(r"(?i)\bif\b.{3,160}\b(?:would|could|might)\b|\b(?:would|could|might)\b.{3,160}\bif\b|\b(?:as|than|what|not|un)[ -]?(?:(?:we|I|was|had|initially|originally) )*expected\b|^\W*(?:[\w-]+ ){0,4}(?:time|duration|cost|effort|total)s?\W*:|\b(?:I|we)(?:'ll| will|'m going to| am going to| are going to)\b|’ll\b"))
        .expect("valid")
});

/// "If CUDA graph crashes, fall back to 0.92": condition and remedy; not a sentence without `if`.
static IF_THEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&in_ascii(r"(?i)\bif\s+(?P<when>[^,;:]{3,120}?)(?:\s*[,;:–—]\s*|\s+)(?:then\s+)?(?P<then>(?:(?:we|I)(?:'ll|’ll| can| will| could)?\s+)?(?:fall(?:ing)? back|revert|switch|go(?:ing)? back|try|use|keep|drop)\b.{2,})$"))
        .expect("valid")
});

/// Kinds of which the words after a colon are the object.
const WITH_OBJECT: &[StatementKind] =
    &[StatementKind::Hypothesis, StatementKind::Proposal, StatementKind::Cause, StatementKind::Decision];

/// Whether a text is the harness's answer to a slash command: it stands there within a second, which no model does.
fn by_harness(session: &Session, at: MessageIdx) -> bool {
    let Some(asked) = at.at().checked_sub(1).map(|before| &session.messages[before]) else { return false };
    let command = asked.prose().trim();
    let typed = asked.kind == MessageKind::User && command.starts_with('/') && !command.contains('\n');
    let times = asked.time.zip(session.message(at).time);
    typed && times.is_some_and(|(from, to)| (0..1000).contains(&(to.millis() - from.millis())))
}

fn stated(session: &Session, at: MessageIdx, part: usize, text: &str, sentence: &Sentence) -> Option<Statement> {
    let words = sentence.span.of(text)?;
    if words.len() > 600 || sentence.block == Block::Quote {
        return None;
    }
    let kind = kind_of(words, sentence.block)?;
    if TRUE_ONLY_IF.contains(&kind) && is_branch(&text[..sentence.span.end]) {
        return None;
    }
    let evidence = session.cite(at, part, sentence.span)?;
    let parts = if kind == StatementKind::Shortfall { short_end(words) } else { halves(kind, words) };
    let parts = parts.into_iter().filter_map(|span| session.cite(at, part, span.shift(sentence.span.start))).collect();
    Some(Statement { message: at, kind, evidence, parts, about: None })
}

/// What holds only under a condition is none of these.
const TRUE_ONLY_IF: &[StatementKind] = &[
    StatementKind::Cause,
    StatementKind::Completion,
    StatementKind::Decision,
    StatementKind::Finding,
    StatementKind::Hypothesis,
];

/// Whether a line, as far as a sentence goes, makes it a branch: "If the door jams: …", "The probe passes → …". A
/// step from one value to another is none.
fn is_branch(line: &str) -> bool {
    let line = line.trim_end().rsplit('\n').next().unwrap_or("");
    let leads =
        |mark: &str| line.split_once(mark).is_some_and(|(from, to)| [from, to].iter().all(|side| word_count(side) > 2));
    let opening = line.trim_start_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    opening.starts_with("if ") || leads(" → ") && !line.contains(|c: char| c.is_ascii_digit())
}

fn kind_of(words: &str, block: Block) -> Option<StatementKind> {
    let asks = words.trim_end_matches(['*', '"', ')', '_']).ends_with('?');
    let cue = STATEMENTS.kind(words).filter(|kind| match kind {
        StatementKind::Completion => !asks && !UNREAL.is_match(words),
        StatementKind::Cause => !asks && !starts_open(words),
        StatementKind::Shortfall => !asks && !starts_open(words) && !OPEN.is_match(words),
        StatementKind::Expectation => !asks && !NOT_EXPECTED.is_match(words) && !words.starts_with(char::is_lowercase),
        StatementKind::Concession | StatementKind::Decision => !asks,
        _ => true,
    });
    let titled = block != Block::Heading || matches!(cue, Some(StatementKind::Proposal | StatementKind::Cause));
    cue.filter(|_| titled).or_else(|| is_finding(words, block, asks).then_some(StatementKind::Finding))
}

/// A figure with its unit, told as a fact.
fn is_finding(words: &str, block: Block, asks: bool) -> bool {
    block != Block::Heading && !asks && FIGURE.is_match(words) && !starts_open(words) && !SUPPOSED.is_match(words)
}

/// Begins as a condition or a plan.
fn starts_open(words: &str) -> bool {
    let first = words.split_whitespace().next().unwrap_or("").to_ascii_lowercase();
    ["if", "once", "when", "should", "would", "let", "maybe", "perhaps", "try", "run", "use", "set"]
        .contains(&first.trim_matches(|c: char| !c.is_alphanumeric()))
}

/// The parts of a statement that matter: both halves of a fallback, the object after the colon, the words after
/// `because`.
fn halves(kind: StatementKind, words: &str) -> Vec<ByteSpan> {
    if kind == StatementKind::Fallback {
        let Some(found) = IF_THEN.captures(words) else { return Vec::new() };
        return ["when", "then"]
            .iter()
            .filter_map(|n| found.name(n))
            .map(|m| tight(words, m.start(), m.end()))
            .collect();
    }
    let object = match WITH_OBJECT.contains(&kind) {
        true => words.find(": ").map(|at| tight(words, at + 2, words.len())),
        false => None,
    };
    let reason = words.find(" because ").map(|at| tight(words, at + 1, words.len()));
    object.or(reason).into_iter().filter(|s| !s.is_empty()).collect()
}

/// Of a long sentence the shortest end that says what falls short: "it is pushed, but the PR is still red" says it in the
/// second half.
fn short_end(words: &str) -> Vec<ByteSpan> {
    const MARKS: &[&str] = &[", and ", ", but ", "; ", ": "];
    let says = |start: &usize| STATEMENTS.kind(&words[*start..]) == Some(StatementKind::Shortfall);
    let starts = MARKS.iter().flat_map(|mark| words.match_indices(mark).map(|(at, mark)| at + mark.len()));
    let last = starts.filter(|_| word_count(words) > LONG).filter(says).max();
    last.map(|start| tight(words, start, words.len())).into_iter().collect()
}

/// A sentence of more words is quoted in part.
const LONG: usize = 24;

/// A range without blanks, emphasis and the closing stop.
fn tight(words: &str, start: usize, end: usize) -> ByteSpan {
    let part = &words[start..end];
    let lead = part.len() - part.trim_start_matches([' ', '\n', '*', '_']).len();
    let kept = part.trim_end_matches([' ', '\n', '*', '_', '.', ':']).len();
    ByteSpan::new(start + lead.min(kept), start + kept)
}

/// Fallbacks that stand in the task list: the first sight of each.
fn planned_fallbacks(session: &Session, facts: &Facts) -> Vec<Statement> {
    let mut seen = std::collections::BTreeSet::new();
    facts
        .new_todo_items()
        .filter(|(_, item)| STATEMENTS.kind(&item.content) == Some(StatementKind::Fallback))
        .filter(|(_, item)| seen.insert(item.content.clone()))
        .map(|(message, item)| {
            let quoted = session.quoted(&item.evidence);
            let inside = item.evidence.quote().zip(quoted.find(&item.content));
            let cite = |span: ByteSpan| {
                let ((part, whole), at) = inside?;
                session.cite(message, part, span.shift(whole.start + at))
            };
            let all = ByteSpan::new(0, item.content.len());
            let evidence = cite(all).unwrap_or_else(|| item.evidence.clone());
            let parts = halves(StatementKind::Fallback, &item.content).into_iter().filter_map(cite).collect();
            Statement { message, kind: StatementKind::Fallback, evidence, parts, about: None }
        })
        .collect()
}

/// Ties each concession to the latest earlier hypothesis, proposal or cause that shares a term with it, or else with
/// the objection that stands between them.
fn concede(session: &Session, found: &mut [Statement]) {
    for later in 0..found.len() {
        if found[later].kind != StatementKind::Concession {
            continue;
        }
        let (words, reach) = around(session, &found[later].evidence);
        let own = terms(words);
        let since = found[later].message.0.saturating_sub(reach);
        found[later].about = (0..later).rev().take_while(|i| found[*i].message.0 >= since).find(|earlier| {
            let one = &found[*earlier];
            let open = matches!(
                one.kind,
                StatementKind::Hypothesis | StatementKind::Proposal | StatementKind::Cause | StatementKind::Assumption
            );
            open && one.message < found[later].message
                && terms(session.quoted(&one.evidence)).intersection(&own).next().is_some()
        });
    }
}

/// The words by which a concession names its object, and how many messages back that may stand. A bare "You are right."
/// names it in the sentences that follow, loosely: it is looked for nearby.
fn around<'a>(session: &'a Session, evidence: &Evidence) -> (&'a str, u32) {
    let quoted = session.quoted(evidence);
    if word_count(quoted) > 5 {
        return (quoted, 400);
    }
    (session.message(evidence.message()).prose(), 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(words: &str) -> Option<StatementKind> {
        kind_of(words, Block::Paragraph)
    }

    #[test]
    fn one_kind_a_sentence_the_first_that_fits() {
        assert_eq!(kind("So my GEMM hypothesis was wrong."), Some(StatementKind::Concession));
        assert_eq!(kind("My working hypothesis: the expert GEMMs."), Some(StatementKind::Hypothesis));
        assert_eq!(kind("The throughput is 82.6 tok/s."), Some(StatementKind::Finding));
        assert_eq!(kind("The file has three parts."), None);
    }

    #[test]
    fn conditions_and_questions_complete_nothing() {
        assert_eq!(kind("All tests pass."), Some(StatementKind::Completion));
        assert_ne!(kind("Once all tests pass, we push."), Some(StatementKind::Completion));
        assert_ne!(kind("Do all tests pass?"), Some(StatementKind::Completion));
        assert_eq!(kind("All unit tests pass, but the PR is still red."), Some(StatementKind::Shortfall));
        assert_eq!(kind("I could not reproduce it here."), Some(StatementKind::Shortfall));
        assert_ne!(kind("If the PR is still red, run it again."), Some(StatementKind::Shortfall));
        assert!(OPEN.is_match("unless it is still red") && !OPEN.is_match("I could not test it"));
    }

    #[test]
    fn what_nobody_expects_is_no_expectation() {
        assert_eq!(kind("The fused pass should take about 4 ms."), Some(StatementKind::Expectation));
        for other in [
            "If it were bound by launches, a replay would cut it to 2 ms.",
            "The gain of 3x is more than expected from 2 ms.",
            "Total estimated time: 90 min",
            "I will run the sweep, which should take 5 min.",
            "variant (which should be 1.5x).",
        ] {
            assert_ne!(kind(other), Some(StatementKind::Expectation), "{other}");
        }
        assert!(!NOT_EXPECTED.is_match("it should halve the time"));
    }

    #[test]
    fn what_holds_in_one_branch_only_is_told_from_what_holds() {
        assert!(
            is_branch("- The probe gets through → the gate is sound. ") && is_branch("**If the door jams:** it rusts")
        );
        assert!(!is_branch("the wait went down → 12 ms in all"));
        assert!(!is_branch("If it jams, wait.\nThe door is open. "));
        assert!(SUPPOSED.is_match("they'll know it in 30 s"));
    }

    #[test]
    fn a_fallback_has_two_halves() {
        let words = "If CUDA graph crashes, fall back to mem-fraction 0.92.";
        let parts: Vec<_> = halves(StatementKind::Fallback, words).into_iter().map(|s| s.of(words).unwrap()).collect();
        assert_eq!(parts, ["CUDA graph crashes", "fall back to mem-fraction 0.92"]);
    }

    #[test]
    fn figures_need_a_unit() {
        assert!(FIGURE.is_match("11.17 ms"));
        assert!(!FIGURE.is_match("step 3"));
        assert!(UNREAL.is_match("once the tests pass"));
        assert!(!UNREAL.is_match("the tests pass"));
        assert!(SUPPOSED.is_match("should shrink by 3x"));
        assert!(!SUPPOSED.is_match("is 3x smaller"));
        assert!(!IF_THEN.is_match("fall back to the other"));
    }
}
