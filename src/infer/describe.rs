//! Cue names in a reader's words, for the lines under "why".

use crate::model::{evidence::Evidence, session::Session};

/// Families of cues (`family:member`) and their wording; `{}` is the member. Sorted by family.
#[rustfmt::skip]
const FAMILIES: &[(&str, &str)] = &[
    ("act", "what is done here: {}"), ("active", "the item in progress speaks of {}"), ("after", "follows a {}"),
    ("after-todo", "the task list before it: {}"), ("around", "around it: {}"),
    ("asked", "the request speaks of {}"), ("before", "nothing of this yet: {}"),
    ("cmd", "commands of class {}"), ("edits", "changes {} files"),
    ("ends", "the last {} for a while"), ("first", "the first {}"), ("leads", "announces: {}"), ("list", "task list: {}"),
    ("reads", "reads {} files"), ("says", "the words speak of {}"),
    ("since", "after the first {}"), ("speaks", "the words hold a(n) {}"), ("starts", "the first {} in a while"), ("todo", "task list: {}"),
    ("tool", "calls a tool: {}"), ("turn", "the turn's {}"), ("turns-to", "the words turn to {}"), ("user", "the user speaks: {}"),
];

/// Single cues and their wording. Sorted.
#[rustfmt::skip]
const SINGLE: &[(&str, &str)] = &[
    ("always", "how common it is"), ("announced", "an announcement stands before it"), ("baseline", "the first figures of what was built"), ("closing", "a closing text"), ("closing-asks", "a closing text that asks for a decision"), ("failed", "ends in failure"),
    ("figures", "prints figures of speed or cost"), ("open-failure", "a failure is open"), ("passed", "ends in success"),
    ("pause", "a long pause before it"), ("speaks", "the assistant says something"),
];

/// A cue in words; words of the log that made it are quoted.
pub fn describe(name: &str, session: &Session, evidence: &Evidence) -> String {
    let quoted = session.quoted(evidence);
    let quote = if quoted.is_empty() || quoted.len() > 60 { String::new() } else { format!(" (“{quoted}”)") };
    let single = SINGLE.iter().find(|row| row.0 == name).map(|row| row.1.to_string());
    let words = single.or_else(|| {
        let (family, member) = name.split_once(':')?;
        let wording = FAMILIES.iter().find(|row| row.0 == family)?.1;
        Some(wording.replace("{}", &member.replace('+', " with ")))
    });
    words.unwrap_or_else(|| name.to_string()) + &quote
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(FAMILIES.windows(2).all(|w| w[0].0 < w[1].0));
        assert!(SINGLE.windows(2).all(|w| w[0].0 < w[1].0));
    }
}
