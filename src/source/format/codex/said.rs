//! What a text under the user's role is: something that the user said, or something that Codex put there. Version 1.

use crate::model::message::NoticeKind;

/// Beginnings of texts that are no prompts, and what they are. Sorted.
#[rustfmt::skip]
const BEGINNINGS: &[(&str, NoticeKind)] = &[
    ("# AGENTS.md instructions",                                        NoticeKind::Meta),
    ("<INSTRUCTIONS>",                                                  NoticeKind::Meta),
    ("<apps_instructions>",                                             NoticeKind::Meta),
    ("<codex_internal_context",                                         NoticeKind::Meta),
    ("<collaboration_mode>",                                            NoticeKind::Meta),
    ("<environment_context>",                                           NoticeKind::Meta),
    ("<goal_context>",                                                  NoticeKind::Meta),
    ("<hook_prompt",                                                    NoticeKind::Meta),
    ("<model_switch>",                                                  NoticeKind::Meta),
    ("<multi_agent_mode>",                                              NoticeKind::Meta),
    ("<permissions instructions>",                                      NoticeKind::Meta),
    ("<personality_spec>",                                              NoticeKind::Meta),
    ("<plugins_instructions>",                                          NoticeKind::Meta),
    ("<recommended_plugins>",                                           NoticeKind::Meta),
    ("<skill>",                                                         NoticeKind::Meta),
    ("<skills_instructions>",                                           NoticeKind::Meta),
    ("<subagent_notification>",                                         NoticeKind::Meta),
    ("<turn_aborted>",                                                  NoticeKind::Interruption),
    ("<user_action>",                                                   NoticeKind::Meta),
    ("<user_instructions>",                                             NoticeKind::Meta),
    ("<user_shell_command>",                                            NoticeKind::Meta),
    ("Another language model started to solve this problem",            NoticeKind::Compaction),
];

/// Before what the user typed, where an editor puts its state in front of it.
const REQUEST: &str = "## My request for Codex:";

/// What a text that the user did not say is.
pub fn injected(text: &str) -> Option<NoticeKind> {
    let head = text.trim_start();
    BEGINNINGS.iter().find(|(words, _)| head.starts_with(words)).map(|row| row.1)
}

/// Whether a text only frames an image.
pub fn is_frame(text: &str) -> bool {
    let text = text.trim();
    text == "</image>" || text == "<image>" || text.starts_with("<image name=") && text.ends_with('>')
}

/// What an editor put before the prompt, and the prompt.
pub fn request(text: &str) -> (&str, &str) {
    match text.split_once(REQUEST) {
        Some((context, prompt)) if !prompt.trim().is_empty() => (context, prompt.trim_start()),
        _ => ("", text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_are_told_from_what_was_put_there() {
        assert_eq!(injected("\n<environment_context>\n<cwd>/w</cwd>"), Some(NoticeKind::Meta));
        assert_eq!(injected("<turn_aborted>\n"), Some(NoticeKind::Interruption));
        assert_eq!(injected("explain <environment_context>"), None);
        assert_eq!(request("# Context from my IDE setup:\n\n## My request for Codex:\nfix it\n").1, "fix it\n");
        assert_eq!(request("fix it"), ("", "fix it"));
        assert!(is_frame("<image name=[Image #1]>") && is_frame("</image>") && !is_frame("<image of a cat>"));
    }
}
