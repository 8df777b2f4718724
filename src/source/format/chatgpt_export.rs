//! Conversations of a ChatGPT data export (`conversations.json`): a list of them, or one alone. Each is a tree of nodes;
//! the conversation is what leads from `current_node` to the root. Tools are called by messages to another recipient.

use std::collections::{BTreeMap, BTreeSet};

use super::{Card, Format, Recorded};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        error::Error,
        locate::Locator,
        time::Timestamp,
    },
    model::{
        builder::{Field, Origin, ResultOf, SessionBuilder},
        message::{Aliases, Cut, NoticeKind},
        session::{Branch, Session},
    },
    source::{
        Parsed,
        document::Source,
        exit_words::ending,
        frame::checked,
        lenient::{Any, Flag, List, Number, Text, lenient},
        open::Input,
        sections::Responses,
        seen::{Seen, has},
        sniff::Sniff,
        tool_names::kind_of,
    },
};

/// See the module.
pub struct ChatgptExport;

lenient! {
    /// A conversation.
    struct Conversation<'a> {
        id: Text<'a> = "conversation_id",
        short: Any<Text<'a>> = "id",
        title: Any<Text<'a>> = "title",
        current: Text<'a> = "current_node",
        mapping: Any<BTreeMap<String, Node<'a>>> = "mapping",
    }
}

lenient! {
    /// A node of its tree.
    struct Node<'a> {
        parent: Text<'a> = "parent",
        message: Message<'a> = "message",
    }
}

lenient! {
    /// A message.
    struct Message<'a> {
        author: Author<'a> = "author",
        time: Any<Number> = "create_time",
        content: Content<'a> = "content",
        recipient: Any<Text<'a>> = "recipient",
        metadata: Any<Metadata<'a>> = "metadata",
    }
}

lenient! {
    /// Who wrote it.
    struct Author<'a> {
        role: Text<'a> = "role",
        name: Any<Text<'a>> = "name",
    }
}

lenient! {
    /// What it says.
    struct Content<'a> {
        kind: Text<'a> = "content_type",
        parts: List<Part<'a>> = "parts",
        text: Any<Text<'a>> = "text",
        content: Any<Text<'a>> = "content",
        thoughts: List<Thought<'a>> = "thoughts",
    }
}

lenient! {
    /// A part: a bare text, or an object for an image or a recording.
    struct Part<'a> {
        kind: Any<Text<'a>> = "content_type",
        text: Any<Text<'a>> = "text",
    }
}

lenient! {
    /// A thought.
    struct Thought<'a> { content: Any<Text<'a>> = "content" }
}

lenient! {
    /// What is known of it besides.
    struct Metadata<'a> {
        model: Any<Text<'a>> = "model_slug",
        hidden: Any<Flag> = "is_visually_hidden_from_conversation",
    }
}

impl Format for ChatgptExport {
    fn name(&self) -> &'static str {
        "chatgpt-export"
    }

    fn about(&self) -> &'static str {
        "conversations of a ChatGPT data export (`conversations.json`)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "ChatGPT",
            versions: "exports of 2024 to 2026",
            records: &[Recorded::Times, Recorded::Models, Recorded::Reasoning],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let document = seen.document();
        let single = document.is_some_and(|n| has(n, &["mapping", "current_node"]));
        let list = document.and_then(|n| n.list()).is_some_and(|items| items.iter().any(|n| has(n, &["mapping"])));
        // The first conversation of an export may be longer than what is sampled.
        let begun = document.is_some_and(|n| n.list().is_some()) && seen.text().contains("\"mapping\":");
        match (single || list, begun && seen.text().contains("\"author\":")) {
            (true, _) => Sniff::Yes(90, "conversations with a `mapping` of nodes".into()),
            (_, true) => Sniff::Yes(75, "a list that begins with a `mapping` of nodes".into()),
            _ => Sniff::No("no conversation with a `mapping` of nodes".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let bytes = input.bytes()?;
        let source = Source::of(&bytes);
        let document = source.cut(&[]);
        let mut parsed = Parsed::default();
        source.report(&document, &mut parsed.diagnostics, &mut parsed.unassigned);
        for (raw, place) in source.one_or_list(&document, "mapping", &mut parsed.unassigned) {
            match conversation(self.name(), &raw, place, &mut parsed.diagnostics) {
                Some(session) if session.messages.is_empty() => parsed.unassigned.merge(&session.accounting),
                Some(session) => parsed.sessions.push(session),
                None => parsed.unassigned.damaged(),
            }
        }
        Ok(parsed.settled())
    }
}

fn conversation(format: &'static str, raw: &str, place: Locator, diagnostics: &mut Diagnostics) -> Option<Session> {
    let mut read: Conversation = serde_json::from_str(raw).ok()?;
    if !checked(&read.stray, read.fault(), place, diagnostics) {
        return None;
    }
    let mut session = SessionBuilder::new(format);
    session.info.id = read.id.owned().or_else(|| read.short.0.owned()).unwrap_or_default();
    session.info.title = read.title.0.owned();
    let mut nodes = std::mem::take(&mut read.mapping.0);
    let path = path(&nodes, read.current.get(), &mut session, place);
    let on: BTreeSet<&String> = path.iter().collect();
    let left: Vec<&Node> = nodes.iter().filter(|(id, _)| !on.contains(id)).map(|(_, node)| node).collect();
    let said = |node: &&&Node| matches!(node.message.author.role.get(), Some("user" | "assistant"));
    let records = left.iter().filter(said).count() as u64;
    if records > 0 {
        session.branches.push(Branch { after: None, records, opening: String::new() });
    }
    left.iter().for_each(|_| session.accounting.skipped("abandoned-branch"));
    let mut teller = Teller { session, responses: Responses::default(), thought: String::new(), place };
    for id in path {
        match nodes.remove(&id) {
            Some(node) if node.message.author.role.get().is_some() => teller.message(id, node.message),
            _ => teller.session.accounting.skipped("no message"),
        }
    }
    Some(teller.session.finish())
}

/// Ids from the root to the current node; where that is not told or lost, to the node that was written last.
fn path(
    nodes: &BTreeMap<String, Node>,
    current: Option<&str>,
    session: &mut SessionBuilder,
    place: Locator,
) -> Vec<String> {
    let time = |node: &Node| node.message.time.0.get().unwrap_or(f64::NEG_INFINITY);
    let latest = || nodes.iter().max_by(|a, b| time(a.1).total_cmp(&time(b.1))).map(|(id, _)| id.as_str());
    let mut next = current.filter(|id| nodes.contains_key(*id)).or_else(latest);
    let mut met = BTreeSet::new();
    let mut path = Vec::new();
    while let Some(id) = next {
        let Some(node) = nodes.get(id) else {
            session.diagnostics.add(DiagCode::ParentMissing, place, format!("{id:?} is not in the log"));
            break;
        };
        if !met.insert(id) {
            session.diagnostics.add(DiagCode::ParentCircular, place, format!("{id:?} is its own ancestor"));
            break;
        }
        path.push(id.to_string());
        next = node.parent.get();
    }
    path.reverse();
    path
}

struct Teller {
    session: SessionBuilder,
    responses: Responses,
    thought: String,
    place: Locator,
}

impl Teller {
    fn message(&mut self, id: String, mut message: Message) {
        let time = message.time.0.get().and_then(Timestamp::from_number);
        let ids = Aliases { message: Some(id), ..Default::default() };
        let origin =
            Origin { ids, time, place: self.place, model: message.metadata.0.model.0.owned(), ..Default::default() };
        let kind = message.content.kind.get().unwrap_or_default().to_string();
        let (text, placeholder) = text(&mut message.content);
        let role = message.author.role.take().unwrap_or_default();
        if message.metadata.0.hidden.0.set() || role == "system" || text.trim().is_empty() && kind != "thoughts" {
            return self.session.accounting.skipped(if role == "system" { "system" } else { "hidden or empty" });
        }
        self.session.accounting.used();
        let before = self.session.len();
        match (role.as_str(), kind.as_str()) {
            ("user", "user_editable_context") => self.session.notice(NoticeKind::Meta, self.place, time, text),
            ("user", _) => {
                self.responses.user();
                self.session.user(Origin { model: None, ..origin }, text);
            }
            ("assistant", "thoughts" | "reasoning_recap") => {
                let thoughts = message.content.thoughts.items.iter().filter_map(|t| t.content.0.get());
                self.thought += &thoughts.collect::<Vec<_>>().join("\n");
            }
            ("assistant", _) => match message.recipient.0.get().filter(|name| *name != "all") {
                Some(name) => {
                    let (turn, reasoning) = (self.responses.call(), std::mem::take(&mut self.thought));
                    let name_of_field = if kind == "code" { "code" } else { "input" };
                    let input = vec![Field { name: Some(name_of_field.into()), text, cut: None }];
                    self.session.call(Origin { turn, reasoning, ..origin }, name, kind_of(name), input);
                }
                None => {
                    let (turn, reasoning) = (self.responses.text(), std::mem::take(&mut self.thought));
                    self.session.text(Origin { turn, reasoning, ..origin }, text);
                }
            },
            _ if self.session.awaits_result() => {
                let ended = ending(&text);
                self.session.result_of_last(ResultOf { time, ..ResultOf::new(text, self.place) }.ended(ended));
            }
            _ => self.session.notice(NoticeKind::Meta, self.place, time, text),
        }
        if placeholder && self.session.len() > before {
            self.session.cut_last(Cut::Placeholder);
        }
    }
}

/// What a content says, and whether something else stands for a part of it.
fn text(content: &mut Content) -> (String, bool) {
    let mut placeholder = false;
    let mut out = String::new();
    for part in &mut content.parts.items {
        let text = part.stray.take().or_else(|| part.text.0.take()).unwrap_or_else(|| {
            placeholder = true;
            format!("[{}]", part.kind.0.get().unwrap_or("part"))
        });
        out += if out.is_empty() || text.is_empty() { "" } else { "\n" };
        out += &text;
    }
    if out.is_empty() {
        out = content.text.0.take().or_else(|| content.content.0.take()).unwrap_or_default();
    }
    (out, placeholder)
}
