//! What the model was given: messages of Anthropic's shape. Older tasks write calls as XML elements in the text, and
//! results as texts under `[tool for '…'] Result:`.

use std::sync::LazyLock;

use regex::Regex;

use crate::{
    base::time::Timestamp,
    model::{
        builder::{Field, Origin, ResultOf, SessionBuilder},
        message::{Aliases, NoticeKind, ToolKind},
    },
    source::{
        document::{Item, Source},
        exit_words::{ending, flagged},
        fields::fields,
        format::anthropic::{
            blocks::Content,
            tell::as_command,
            turn::{Answer, Piece},
        },
        frame::checked,
        lenient::{Any, Number, Text, lenient},
        tool_names::kind_of,
    },
};

/// `[execute_command for 'make'] Result:`
static RESULT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\[(\w+)(?: [^\n]*)?\] Result:[ \t]*\n?").expect("valid"));
/// The opening tag of an element that may be a call or a parameter.
static TAG: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"<([a-z][a-z_]{2,40})>").expect("valid"));
/// `# Current Working Directory (/w) Files`
static CWD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"# Current (?:Working|Workspace) Directory \(([^)\n]+)\)").expect("valid"));

/// Tools that are no tools of other agents too, and so in no table of kinds.
const OWN: &[&str] = &["access_mcp_resource", "attempt_completion", "fetch_instructions", "use_mcp_tool"];

lenient! {
    /// A message.
    struct Message<'a> {
        role: Text<'a> = "role",
        content: Content<'a> = "content",
        time: Any<Number> = "ts",
    }
}

/// What the model was given back, by its responses and the calls in them.
#[derive(Default)]
pub(super) struct Results {
    /// For each response its results.
    pub responses: Vec<Vec<Given>>,
    /// The working directory, where a message tells it.
    pub cwd: Option<String>,
}

/// A result.
#[derive(Clone)]
pub(super) struct Given {
    /// What the model saw.
    pub text: String,
    /// Its error flag, where it has one.
    pub is_error: Option<bool>,
}

impl Results {
    /// Of a history; an empty one where it cannot be read.
    pub fn of(bytes: &[u8]) -> Self {
        let source = Source::of(bytes);
        let document = source.cut(&[]);
        let mut results = Self::default();
        for item in document.list("") {
            let Ok(message) = serde_json::from_str::<Message>(item.raw) else { continue };
            if results.cwd.is_none() {
                results.cwd = CWD.captures(item.raw).map(|found| found[1].to_string());
            }
            match message.role.get() {
                Some("assistant") => results.responses.push(Vec::new()),
                _ => {
                    if let Some(last) = results.responses.last_mut() {
                        given(message.content.pieces(), |result| last.push(result));
                    }
                }
            }
        }
        results
    }
}

/// The results in a user's message.
fn given(pieces: Vec<Piece>, mut each: impl FnMut(Given)) {
    let mut open: Option<Given> = None;
    for piece in pieces {
        match piece {
            Piece::Result(Answer { text, is_error, .. }) => each(Given { text, is_error }),
            Piece::Said(text) if RESULT.is_match(&text) => {
                open.take().into_iter().for_each(&mut each);
                open = Some(Given { text: RESULT.replace(&text, "").into_owned(), is_error: None });
            }
            Piece::Said(text) if !injected(&text) => {
                if let Some(open) = open.as_mut() {
                    open.text += if open.text.is_empty() { "" } else { "\n" };
                    open.text += &text;
                }
            }
            _ => open.take().into_iter().for_each(&mut each),
        }
    }
    open.take().into_iter().for_each(each);
}

/// Whether the harness put a text there.
fn injected(text: &str) -> bool {
    let head = text.trim_start();
    ["<environment_details>", "[TASK RESUMPTION]", "# task_progress", "# TODO LIST", "[ERROR] You did not use a tool"]
        .iter()
        .any(|begin| head.starts_with(begin))
}

/// Tells a history that stands alone.
pub(super) fn read(session: &mut SessionBuilder, items: &[Item]) {
    for item in items {
        let place = item.place;
        let parsed = serde_json::from_str::<Message>(item.raw);
        let message = match parsed {
            Ok(message) if checked(&message.stray, message.fault(), place, &mut session.diagnostics) => message,
            _ => {
                session.accounting.damaged();
                continue;
            }
        };
        if session.info.cwd.is_none() {
            session.info.cwd = CWD.captures(item.raw).map(|found| found[1].to_string());
        }
        let time = message.time.0.get().and_then(Timestamp::from_number);
        let turn = Some(format!("message {}", place.record));
        let origin = Origin { time, place, turn, ..Default::default() };
        match message.role.get() {
            Some("assistant") => assistant(session, &origin, message.content.pieces()),
            _ => user(session, &Origin { turn: None, ..origin }, message.content.pieces()),
        }
        session.accounting.used();
    }
}

fn user(session: &mut SessionBuilder, origin: &Origin, pieces: Vec<Piece>) {
    let mut answered = false;
    for piece in pieces {
        match piece {
            Piece::Result(answer) => {
                let result = ResultOf { time: origin.time, cut: answer.cut, ..ResultOf::new("", origin.place) };
                let ended = flagged(&answer.text, answer.is_error);
                let result = ResultOf { text: answer.text, ..result }.ended(ended);
                match &answer.id {
                    Some(id) => session.result(id, result),
                    None => session.result_of_last(result),
                };
            }
            Piece::Said(text) if injected(&text) => {
                session.notice(NoticeKind::Meta, origin.place, origin.time, text);
            }
            Piece::Said(text) if RESULT.is_match(&text) => {
                let text = RESULT.replace(&text, "").into_owned();
                answered = !text.is_empty();
                if answered {
                    settle(session, origin, text);
                }
            }
            // The text under a bare heading.
            Piece::Said(text) if !answered && session.awaits_result() && !text.trim_start().starts_with('<') => {
                answered = true;
                settle(session, origin, text);
            }
            Piece::Said(text) => {
                let text = prompt(&text);
                if !text.is_empty() {
                    session.user(origin.clone(), text);
                }
            }
            Piece::Placeholder(text) => session.placeholder(text),
            _ => {}
        }
    }
}

fn settle(session: &mut SessionBuilder, origin: &Origin, text: String) {
    let ended = ending(&text);
    session.result_of_last(ResultOf { time: origin.time, ..ResultOf::new(text, origin.place) }.ended(ended));
}

/// A prompt without the element around it.
fn prompt(text: &str) -> &str {
    for name in ["task", "feedback", "user_message", "answer"] {
        let inner = text.trim().strip_prefix(&format!("<{name}>"));
        if let Some(inner) = inner.and_then(|rest| rest.split(&format!("</{name}>")).next()) {
            return inner.trim();
        }
    }
    text.trim()
}

fn assistant(session: &mut SessionBuilder, origin: &Origin, pieces: Vec<Piece>) {
    let mut thought = String::new();
    for piece in pieces {
        let mut origin = Origin { reasoning: std::mem::take(&mut thought), ..origin.clone() };
        match piece {
            Piece::Thought(text) => thought = text,
            Piece::Said(text) => elements(session, origin, &text),
            Piece::Call { id, name, input } => {
                origin.ids = Aliases { call: id, ..Default::default() };
                session.call(origin, &name, kind_of(&name), as_command(fields(&input)));
            }
            _ => {}
        }
    }
}

/// A text with the calls that are written in it as elements.
fn elements(session: &mut SessionBuilder, origin: Origin, text: &str) {
    let mut at = 0;
    let mut origin = Some(origin);
    // A second text of the response has no reasoning of its own.
    let next = |origin: &mut Option<Origin>| {
        let now = origin.take().unwrap_or_default();
        *origin = Some(Origin { reasoning: String::new(), ..now.clone() });
        now
    };
    let calls = TAG.captures_iter(text).filter_map(|found| {
        let (tag, name) = (found.get(0)?, found.get(1)?.as_str());
        let known = kind_of(name) != ToolKind::Other || OWN.contains(&name);
        known.then_some((tag.start(), tag.end(), name))
    });
    // Names that nothing closes from here on.
    let mut open: Vec<&str> = Vec::new();
    for (start, inside, name) in calls {
        if start < at || open.contains(&name) {
            continue;
        }
        let closing = format!("</{name}>");
        let Some(end) = text[inside..].find(&closing).map(|length| inside + length) else {
            open.push(name);
            continue;
        };
        said(session, next(&mut origin), &text[at..start]);
        at = end + closing.len();
        let input = parameters(&text[inside..end]);
        if name == "attempt_completion" {
            let result = input.iter().find(|field| field.name.as_deref() == Some("result"));
            said(session, next(&mut origin), result.map_or("", |field| &field.text));
        } else {
            session.call(next(&mut origin), name, kind_of(name), input);
        }
    }
    said(session, next(&mut origin), &text[at..]);
}

fn said(session: &mut SessionBuilder, origin: Origin, text: &str) {
    let text = text.trim();
    let (thought, text) = match text.strip_prefix("<thinking>").and_then(|rest| rest.split_once("</thinking>")) {
        Some((thought, rest)) => (thought.trim(), rest.trim()),
        None => ("", text),
    };
    if !text.is_empty() {
        let reasoning = if thought.is_empty() { origin.reasoning.clone() } else { thought.to_string() };
        session.text(Origin { reasoning, ..origin }, text);
    }
}

/// The parameters of a call that is written as an element.
fn parameters(body: &str) -> Vec<Field> {
    let mut input = Vec::new();
    let mut at = 0;
    while let Some(found) = TAG.captures_at(body, at) {
        let (tag, name) = (found.get(0).map_or(0..0, |m| m.range()), found[1].to_string());
        let Some(end) = body[tag.end..].find(&format!("</{name}>")).map(|length| tag.end + length) else { break };
        let text = body[tag.end..end].trim_matches('\n').to_string();
        at = end + name.len() + 3;
        input.push(Field { name: Some(name), text, cut: None });
    }
    input
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_and_results_are_told_from_prose() {
        let input = parameters("\n<path>src/a.rs</path>\n<diff>\n<<< a\n</diff>\n");
        assert_eq!((input[0].text.as_str(), input[1].text.as_str()), ("src/a.rs", "<<< a"));
        assert!(RESULT.is_match("[execute_command for 'make'] Result:\nok"));
        assert!(!RESULT.is_match("The [result] Result: x"));
        assert!(!TAG.is_match("<T>"));
        assert!(!CWD.is_match("# Current Time"));
        assert_eq!(prompt("<task>\nfix it\n</task>"), "fix it");
    }
}
