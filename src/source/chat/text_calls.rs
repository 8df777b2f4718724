//! Calls that the model writes into its text, because the interface has no place for them, and the marks by which a
//! harness hands their results back under the user's role. Version 1.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::{
    content::{Answer, Call, Piece},
    message::written_calls,
};
use crate::model::builder::Field;

/// `<function=execute_bash>`: the prompt form of OpenHands, SWE-agent and Qwen's coder models.
static FUNCTION: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"<function=([A-Za-z0-9_.-]{1,80})>").expect("valid"));
/// `<parameter=command>`, one field of it.
static PARAMETER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"<parameter=([A-Za-z0-9_.-]{1,80})>").expect("valid"));
/// Languages of a fence that holds a command.
const SHELLS: &[&str] = &["", "bash", "sh", "shell", "mswea_bash_command"];
/// `EXECUTION RESULT of [execute_bash]:` before a result.
static EXECUTED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^EXECUTION RESULT of \[([^\]\n]*)\]:").expect("valid"));

/// Beginnings of results that a harness hands back as the user.
const RESULTS: &[&str] = &["OBSERVATION:", "Observation:", "<returncode>", "<tool_response>", "<function_results>"];
/// Ends of such results: the prompt of SWE-agent's shell.
const PROMPTS: &[&str] = &["bash-$", "$ bash"];

/// The pieces of a text that holds calls; `None` for one that holds none.
pub fn split(text: &str) -> Option<Vec<Piece>> {
    if text.contains("<function=") {
        return functions(text);
    }
    text.contains("<tool_call>").then(|| tagged(text)).flatten()
}

/// `<function=name><parameter=key>value</parameter></function>`.
fn functions(text: &str) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(found) = FUNCTION.captures(rest) {
        let head = found.get(0)?;
        say(&mut pieces, &rest[..head.start()]);
        let body = &rest[head.end()..];
        // A stop word takes the closing tag away.
        let (inner, after) = body.split_once("</function>").unwrap_or((body, ""));
        pieces.push(Piece::Call(Call { id: None, name: found[1].to_string(), input: parameters(inner) }));
        rest = after;
    }
    say(&mut pieces, rest);
    pieces.iter().any(|piece| matches!(piece, Piece::Call(_))).then_some(pieces)
}

fn parameters(inner: &str) -> Vec<Field> {
    let heads: Vec<_> = PARAMETER.captures_iter(inner).collect();
    let mut fields = Vec::new();
    let mut taken = 0;
    for head in &heads {
        let Some(tag) = head.get(0).filter(|tag| tag.start() >= taken) else { continue };
        let body = &inner[tag.end()..];
        let end = body.find("</parameter>").unwrap_or(body.len());
        taken = tag.end() + end;
        let value = &body[..end];
        let value = value.strip_prefix('\n').unwrap_or(value);
        let value = value.strip_suffix('\n').unwrap_or(value);
        fields.push(Field { name: Some(head[1].to_string()), text: value.to_string(), cut: None });
    }
    fields
}

/// `<tool_call>{"name": …, "arguments": …}</tool_call>`.
fn tagged(text: &str) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, body)) = rest.split_once("<tool_call>") {
        say(&mut pieces, before);
        let (inner, after) = body.split_once("</tool_call>").unwrap_or((body, ""));
        pieces.extend(written_calls(inner.trim()));
        rest = after;
    }
    say(&mut pieces, rest);
    pieces.iter().any(|piece| matches!(piece, Piece::Call(_))).then_some(pieces)
}

fn say(pieces: &mut Vec<Piece>, text: &str) {
    let bare = text.trim();
    if !matches!(bare, "" | "<tool_call>" | "</tool_call>") {
        pieces.push(Piece::Said(bare.trim_end_matches("<tool_call>").trim_end().to_string()));
    }
}

/// The pieces of a text whose last fenced command is to be run, where the message after it is its result.
pub fn fenced(text: &str) -> Option<Vec<Piece>> {
    let (whole, command) = last_command(text)?;
    let mut pieces = Vec::new();
    say(&mut pieces, &text[..whole.start]);
    let field = Field { name: Some("command".to_string()), text: text[command].to_string(), cut: None };
    pieces.push(Piece::Call(Call { id: None, name: "bash".to_string(), input: vec![field] }));
    say(&mut pieces, &text[whole.end..]);
    Some(pieces)
}

/// The last fence that holds a command and is closed: with its marks, and without.
fn last_command(text: &str) -> Option<(Range<usize>, Range<usize>)> {
    let mut last = None;
    // Where the open fence begins, where its content does, and whether it is a command's.
    let mut open: Option<(usize, usize, bool)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        match (line.trim_end().strip_prefix("```"), open) {
            (Some(language), None) if !language.contains('`') => open = Some((at, end, SHELLS.contains(&language))),
            (Some(""), Some((from, inner, command))) => {
                let content = text[inner..at].trim_end_matches(['\n', '\r']);
                last = if command { Some((from..at + "```".len(), inner..inner + content.len())) } else { last };
                open = None;
            }
            _ => {}
        }
        at = end;
    }
    last
}

/// The result that a text under the user's role hands back, if it does.
pub fn result(text: &str) -> Option<Answer> {
    let head = text.trim_start();
    if let Some(found) = EXECUTED.captures(head) {
        let body = head[found[0].len()..].trim_start_matches(['\r', '\n']);
        let name = Some(found[1].to_string()).filter(|name| !name.is_empty());
        return Some(Answer { name, text: body.to_string(), ..Default::default() });
    }
    let marked = RESULTS.iter().find(|mark| head.starts_with(*mark));
    let told = PROMPTS.iter().any(|prompt| head.trim_end().ends_with(prompt));
    let body = match marked {
        Some(mark) if mark.ends_with(':') => head[mark.len()..].trim_start_matches([' ', '\r', '\n']),
        Some(&"<tool_response>") => {
            let inner = &head["<tool_response>".len()..];
            inner.split_once("</tool_response>").map_or(inner, |(inner, _)| inner).trim_matches(['\r', '\n'])
        }
        Some(_) => head,
        None if told => text,
        None => return None,
    };
    Some(Answer { text: body.to_string(), ..Default::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(pieces: Option<Vec<Piece>>) -> Vec<String> {
        let one = |piece: &Piece| match piece {
            Piece::Call(call) => {
                let input = call.input.iter().map(|f| format!("{}={}", f.name.as_deref().unwrap_or("-"), f.text));
                format!("{}({})", call.name, input.collect::<Vec<_>>().join(","))
            }
            Piece::Said(text) => text.clone(),
            _ => "?".to_string(),
        };
        pieces.iter().flatten().map(one).collect()
    }

    #[test]
    fn calls_are_taken_out_of_the_text() {
        let text = "First look.\n<function=bash>\n<parameter=command>\nls -a\n</parameter>\n<parameter=n>2</parameter>\n</function>";
        assert_eq!(told(split(text)), ["First look.", "bash(command=ls -a,n=2)"]);
        assert_eq!(told(split("<function=bash>\n<parameter=command>ls")), ["bash(command=ls)"]);
        assert_eq!(
            told(split("Go\n<tool_call>\n{\"name\":\"sh\",\"arguments\":{\"c\":1}}\n</tool_call>")),
            ["Go", "sh(c=1)"]
        );
        assert_eq!(split("a <tool_call> without one"), None);
        assert_eq!(split("f(<parameter=x>)"), None);
        assert!(!PARAMETER.is_match("<parameter>") && !FUNCTION.is_match("<function>"));
    }

    #[test]
    fn the_last_fence_is_the_command() {
        let text = "See:\n```python\nx\n```\nRun\n```bash\nls\nwc\n```\n";
        assert_eq!(told(fenced(text)), ["See:\n```python\nx\n```\nRun", "bash(command=ls\nwc)"]);
        assert_eq!(fenced("```python\nx\n```"), None);
        assert_eq!(fenced("``` inline ```"), None);
    }

    #[test]
    fn results_are_told_by_their_marks() {
        let of = |text: &str| result(text).map(|answer| answer.text);
        assert_eq!(of("EXECUTION RESULT of [bash]:\n6 ms"), Some("6 ms".to_string()));
        assert_eq!(of("OBSERVATION:\n6 ms"), Some("6 ms".to_string()));
        let prompted = "6 ms\n(Open file: n/a)\n(Current directory: /w)\nbash-$";
        assert_eq!(of(prompted), Some(prompted.to_string()));
        assert_eq!(of("OBSERVATIONS are good"), None);
        assert!(!EXECUTED.is_match("EXECUTION RESULT of x"));
    }
}
