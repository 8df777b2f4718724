//! *Decisions, fallbacks, assumptions*, as recorded: options with the answer, announced choices, plan B, what was taken
//! for granted. Reasons only where one was written.

use std::sync::LazyLock;

use regex::Regex;

use super::{claims, section};
use crate::{
    model::{
        article::{Block, Claim, Section},
        evidence::Evidence,
        facts::{Question, Statement, StatementKind},
    },
    report::{
        Material, figures,
        phrase::{Phrase, shortened},
    },
};

/// Most statements of each kind.
const EACH: usize = 3;

/// See the module.
pub fn make(m: &Material) -> Option<Section> {
    let questions = m.facts.questions.iter().filter(|q| m.told(q.message)).map(|q| question(m, q));
    let kinds = [
        (StatementKind::Decision, "Decision: "),
        (StatementKind::Fallback, "Fallback: "),
        (StatementKind::Hypothesis, "Hypothesis: "),
        (StatementKind::Assumption, "Assumption: "),
        (StatementKind::Expectation, "Expectation: "),
    ];
    let stated = kinds.into_iter().flat_map(|(kind, lead)| {
        let words = |s: &Statement| m.session.quoted(&s.evidence);
        let mut all: Vec<&Statement> = Vec::new();
        for s in m.facts.statements.iter().filter(|s| s.kind == kind && m.told(s.message)) {
            // What is said again and again is one decision, told where it was said first. To wait is none.
            let said = all.iter().any(|known| opening(words(known)) == opening(words(s)));
            if figures::whole_sentence(words(s)) && !said && !WAITS.is_match(words(s)) {
                all.push(s);
            }
        }
        all.into_iter().rev().take(EACH).rev().map(move |s| statement(m, s, lead)).collect::<Vec<_>>()
    });
    section("Decisions, fallbacks, assumptions", vec![Block::List(claims(questions.chain(stated)))])
}

/// The first words of a sentence: "I'll keep polling" and "I'll keep polling it" begin alike.
fn opening(words: &str) -> Vec<String> {
    let words = words.split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '’')).filter(|w| !w.is_empty());
    words.take(4).map(str::to_lowercase).collect()
}

/// "I'll keep watching until it ends."; not "I'll keep the old gate."
static WAITS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:keep|continue|go on) (?:polling|watching|waiting|monitoring|checking|it to (?:status )?checks)\b",
    )
    .expect("valid")
});

fn question(m: &Material, q: &Question) -> Option<Claim> {
    let phrase = m.stated("question-answered").weighing(7).say("Asked: ").quote(&shortened(m.session, &q.question, 20));
    let phrase = if q.options.is_empty() {
        phrase
    } else {
        let count = q.options.len();
        let phrase = phrase.say(", with ").count(count).say(if count == 1 { " option (" } else { " options (" });
        phrase.list(&q.options, "; ", "; ", |p: Phrase, e| p.plain(&shortened(m.session, e, 8))).say(")")
    };
    match &q.answer {
        Some(answer) => {
            let verb = if chosen(m, q, answer) { "; the user chose " } else { "; the user answered " };
            phrase.say(verb).quote(&shortened(m.session, answer, 20)).refs([q.message]).say(".").end()
        }
        None => phrase.say("; no answer is recorded").refs([q.message]).say(".").end(),
    }
}

/// Whether an answer is one of the options, with or without a remark behind it.
fn chosen(m: &Material, q: &Question, answer: &Evidence) -> bool {
    let answer = m.session.quoted(answer);
    q.options.iter().any(|o| answer.starts_with(m.session.quoted(o)))
}

fn statement(m: &Material, s: &Statement, lead: &'static str) -> Option<Claim> {
    let weight = match s.kind {
        StatementKind::Decision | StatementKind::Fallback | StatementKind::Hypothesis => 6,
        _ => 4,
    };
    m.stated("statement-recorded")
        .weighing(weight)
        .say(lead)
        .quote(&shortened(m.session, &s.evidence, 30))
        .refs([s.message])
        .say(".")
        .end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn to_wait_is_no_decision() {
        assert!(WAITS.is_match("I'll keep watching until it ends.") && !WAITS.is_match("I'll keep the old gate."));
        assert_eq!(opening("I'll keep the gate."), opening("I'll keep the gate, then."));
    }
}
