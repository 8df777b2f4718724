//! What a text under the user's role is: a prompt, or something that a harness put there. Version 1.

use crate::model::message::NoticeKind;

/// Elements that harnesses put before a prompt, or instead of one.
#[rustfmt::skip]
const INJECTED: &[&str] = &[
    "environment_context", "environment_details", "ide_opened_file", "ide_selection", "local-command-caveat",
    "local-command-stdout", "permissions instructions", "system-reminder", "system_reminder", "user_instructions",
];

/// Beginnings of texts that are no prompts.
#[rustfmt::skip]
const BEGINNINGS: &[(&str, NoticeKind)] = &[
    ("# AGENTS.md instructions",                                       NoticeKind::Meta),
    ("<INSTRUCTIONS>",                                                 NoticeKind::Meta),
    ("<turn_aborted>",                                                 NoticeKind::Interruption),
    ("This session is being continued from a previous conversation",   NoticeKind::Compaction),
    ("[Request interrupted",                                           NoticeKind::Interruption),
];

/// The prompt in a text, without what stands before it; or what the text is instead.
pub fn classify(text: &str) -> Result<&str, NoticeKind> {
    let mut rest = text;
    loop {
        let head = rest.trim_start();
        let Some(name) = INJECTED.iter().find(|name| opens(head, name)) else { break };
        rest = head.split_once(&format!("</{name}>")).map_or("", |(_, after)| after);
    }
    let head = rest.trim_start();
    if head.is_empty() {
        return Err(NoticeKind::Meta);
    }
    match BEGINNINGS.iter().find(|(words, _)| head.starts_with(words)) {
        Some((_, kind)) => Err(*kind),
        // Untouched when nothing was injected: a text is never trimmed.
        None => Ok(if rest.len() == text.len() { text } else { head }),
    }
}

fn opens(text: &str, name: &str) -> bool {
    text.strip_prefix('<').and_then(|t| t.strip_prefix(name)).is_some_and(|t| t.starts_with(['>', ' ', '\n']))
}

/// Reasoning that the model wrote before its answer as `<think>…</think>`, and the answer.
pub fn without_thoughts(text: &str) -> Option<(&str, &str)> {
    let rest = text.trim_start();
    ["think", "thinking"].iter().find_map(|name| {
        let inner = rest.strip_prefix('<')?.strip_prefix(name)?.strip_prefix('>')?;
        let (thought, after) = inner.split_once(&format!("</{name}>"))?;
        Some((thought.trim(), after.trim_start_matches(['\r', '\n'])))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_behind_a_reminder_is_a_prompt() {
        assert_eq!(classify("<system-reminder>be brief</system-reminder>\nfix it\n"), Ok("fix it\n"));
        assert_eq!(classify("  fix it\n"), Ok("  fix it\n"));
        assert_eq!(classify("<environment_context>\n<cwd>/w</cwd>\n</environment_context>"), Err(NoticeKind::Meta));
        assert_eq!(classify("<turn_aborted>x"), Err(NoticeKind::Interruption));
    }

    #[test]
    fn thoughts_stand_before_the_answer() {
        assert_eq!(without_thoughts("<think>\nhm\n</think>\n\nyes"), Some(("hm", "yes")));
        assert_eq!(without_thoughts("I <think> so"), None);
    }
}
