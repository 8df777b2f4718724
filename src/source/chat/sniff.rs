//! What a sample shows of role messages: how many there are, where, and in whose spelling.

use super::message::Role;
use crate::{
    source::seen::{Seen, has, text},
    text::partial_json::{self, Node},
};

/// Names of the fields that hold a list of messages.
pub const LISTS: &[&str] = &["messages", "trajectory", "conversations", "conversation", "input", "output"];

/// What was counted.
#[derive(Clone, Copy, Default, Debug)]
pub struct Census {
    /// Objects that stand where messages stand.
    pub items: usize,
    /// Those that are messages.
    pub messages: usize,
    /// Those in the spelling of OpenAI's interfaces: calls beside the content, results under their own role.
    pub openai: usize,
    /// Those in the spelling of Anthropic's: calls and results as blocks of the content.
    pub anthropic: usize,
    /// Those with `from` and `value`.
    pub sharegpt: usize,
}

impl Census {
    /// Whether what was seen is a conversation.
    pub fn holds(&self) -> bool {
        self.messages > 0 && self.messages * 10 >= self.items * 8
    }

    fn count(&mut self, node: &Node) {
        // What is cut off by the sample's end is no evidence.
        if !node.whole && node.get("content").is_none() && node.get("value").is_none() {
            return;
        }
        self.items += 1;
        let kind = text(node, "type");
        let item = kind.ends_with("_call") || kind.ends_with("_call_output");
        let word = Some(text(node, "role")).filter(|w| !w.is_empty()).unwrap_or(text(node, "from"));
        let said = ["content", "value", "text", "tool_calls", "function_call"].iter().any(|name| has(node, &[name]));
        let speaks = !matches!(Role::of(word), Role::Unknown(_)) && said;
        if !speaks && !(item && (has(node, &["call_id"]) || has(node, &["action"]))) && kind != "reasoning" {
            return;
        }
        self.messages += 1;
        self.sharegpt += usize::from(has(node, &["from", "value"]));
        let calls = node.get("tool_calls").and_then(Node::list).is_some_and(|calls| !calls.is_empty());
        self.openai += usize::from(item || calls || matches!(word, "tool" | "function" | "developer"));
        let blocks = node.get("content").and_then(Node::list).unwrap_or_default();
        let own = |block: &Node| matches!(text(block, "type"), "tool_use" | "tool_result" | "thinking");
        self.anthropic += usize::from(blocks.iter().any(own));
    }

    fn list(&mut self, list: &Node) {
        for node in list.list().unwrap_or_default() {
            self.count(node);
        }
    }

    /// Counts the conversation that an object holds; whether it holds one.
    fn row(&mut self, row: &Node) -> bool {
        for name in LISTS {
            match row.get(name) {
                Some(node) if node.list().is_some() => self.list(node),
                // Data sets keep the list as a text.
                Some(node) => match node.text().filter(|t| t.trim_start().starts_with('[')).map(partial_json::read) {
                    Some(partial) => partial.node.iter().for_each(|list| self.list(list)),
                    None => continue,
                },
                None => continue,
            }
            // `input` and `output` are one conversation.
            if *name != "input" {
                return self.items > 0;
            }
        }
        self.items > 0
    }
}

/// Counts messages in a sample; `None` where none can stand.
pub fn census(seen: &Seen) -> Option<Census> {
    if let Some(document) = seen.document() {
        let Some(items) = document.list() else {
            let mut census = Census::default();
            return census.row(document).then_some(census);
        };
        let mut rows = Census::default();
        if items.iter().any(|item| rows.row(item)) {
            return Some(rows);
        }
        let mut census = Census::default();
        census.list(document);
        return (census.items > 0).then_some(census);
    }
    let (mut rows, mut messages) = (Census::default(), Census::default());
    let mut holding = 0;
    for line in seen.lines() {
        holding += usize::from(has(line, &["role"]) || rows.row(line));
        messages.count(line);
    }
    // The last line may be cut.
    let lines = seen.lines().len() + seen.other_lines().saturating_sub(1);
    if holding * 10 < lines * 8 || lines == 0 {
        return None;
    }
    match messages.messages > rows.messages / 2 && messages.messages > 1 {
        true => Some(messages),
        false => (rows.items > 0).then_some(rows),
    }
}
