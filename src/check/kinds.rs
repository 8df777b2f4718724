//! What a reference says about its message in passing: "the user's remark in [msg 9]", "the todo list created in
//! [msg 9]". The message's own kind decides.

use std::sync::LazyLock;

use crate::text::pattern::Regex;

use super::log::Log;
use crate::model::message::{Message, MessageKind, ToolKind};

/// `The user's objection in [msg 9]`, `the user asks in [msg 9]`.
static USER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\buser(?:'s|’s)? (?:\w+ )?(?:asks?|asked|remark|objects?|objected|objection|question|wrote|writes|correction|reply|replies|replied|request|said|says)(?: in)? [(]?(?:\[msg |<msg id=|message )(\d{1,9})[\]> ,.;)]")
        .expect("valid")
});
/// `the todo list created in [msg 9]`, `the todowrite call in [msg 9]`.
static LIST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:todo list|task list|todowrite)(?: call| update)?(?: created| written| issued| made| updated)? (?:in|at) [(]?(?:\[msg |<msg id=|message )(\d{1,9})[\]> ,.;)]")
        .expect("valid")
});

/// A phrase that says what a message is.
struct Rule {
    phrase: &'static LazyLock<Regex>,
    holds: fn(&Message) -> bool,
    denial: &'static str,
}

const RULES: &[Rule] = &[
    Rule {
        phrase: &USER,
        holds: |m| m.kind == MessageKind::User || m.tool() == Some(ToolKind::Question),
        denial: "no message of the user",
    },
    Rule {
        phrase: &LIST,
        holds: |m| matches!(m.tool(), Some(ToolKind::Todo | ToolKind::Plan)),
        denial: "no todo list",
    },
];

/// A message that a sentence names as what it is not.
pub struct Wrong {
    /// The words of the sentence.
    pub words: String,
    /// The message.
    pub message: u32,
    /// What it is instead.
    pub reason: String,
}

/// Messages that a sentence names as what they are not.
pub fn wrong(text: &str, log: &Log<'_>) -> Vec<Wrong> {
    let mut all = Vec::new();
    for rule in RULES {
        for found in rule.phrase.captures_iter(text) {
            let at = found[1].parse().ok().and_then(|n| log.session().numbered(n));
            let Some(message) = at.map(|at| log.session().message(at)).filter(|m| !(rule.holds)(m)) else { continue };
            let words = found[0].trim_end_matches([' ', ',', '.', ';']).to_string();
            let reason = format!("message {} is {}, but {}", message.number, rule.denial, kind(message));
            all.push(Wrong { words, message: message.number, reason });
        }
    }
    all
}

fn kind(message: &Message) -> String {
    match (message.kind, &message.call) {
        (MessageKind::User, _) => "a message of the user".into(),
        (MessageKind::Tool, Some(call)) => format!("a call of {}", call.name),
        _ => "a text of the assistant".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::builder::{Origin, SessionBuilder};

    #[test]
    fn a_message_is_what_it_is() {
        let mut builder = SessionBuilder::new("bracketed");
        builder.user(Origin::default(), "why?");
        builder.text(Origin::default(), "so");
        let session = builder.finish();
        let log = Log::new(&session);
        let count = |text: &str| wrong(text, &log).len();
        assert_eq!(count("The user's question in [msg 1] and the user asked in [msg 1]."), 0);
        assert_eq!(count("The user's remark in [msg 2], the todo list created in [msg 2]."), 2);
        assert_eq!(count("The user was told in [msg 2] that the todo list grew [msg 2]."), 0);
    }
}
