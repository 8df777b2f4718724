//! Markdown transcripts that opencode writes (`/export`): sections `## User` and `## Assistant (…)` between rules, calls
//! as `**Tool: name**` with fenced input and output. Nothing says where a thought ends and the text after it begins:
//! before a call all of it is taken for thought, in a section without calls its first paragraph.

use std::sync::LazyLock;

use regex::Regex;

use super::{Card, Format, Recorded};
use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        error::Error,
        locate::Locator,
        span::ByteSpan,
    },
    model::{
        builder::{Origin, ResultOf, SessionBuilder},
        message::{Cut, Exit, Outcome, ToolKind},
    },
    source::{
        Parsed, cut_input::shown_fields, document::Source, exit_words::ending, fenced::fenced, open::Input,
        sections::Places, seen::Seen, sniff::Sniff, tool_names::kind_of,
    },
    text::cut_mark,
};

/// See the module.
pub struct OpencodeMd;

/// `## Assistant (Build · demo-1 · 5.3s)` alone on its line.
static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^## (User|Assistant)(?: \(([^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\))?[ \t]*\r?\n?$").expect("valid")
});
/// `**Tool: bash**` alone on its line.
static TOOL: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)^\*\*Tool: ([^*\n]+)\*\*[ \t]*\r?$").expect("valid"));
/// `**Session ID:** ses_1c58`
static SESSION: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)^\*\*Session ID:\*\* (\S+)").expect("valid"));
/// What stands before a thought.
const THINKING: &str = "_Thinking:_";

impl Format for OpencodeMd {
    fn name(&self) -> &'static str {
        "opencode-md"
    }

    fn about(&self) -> &'static str {
        "Markdown transcripts of opencode (`/export`)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "opencode",
            versions: "1.0 to 1.4",
            records: &[Recorded::Models, Recorded::Failures, Recorded::Todos, Recorded::Reasoning],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let head = seen.text();
        let named = SESSION.captures(head).is_some_and(|found| found[1].starts_with("ses_"));
        let turns = head.lines().filter(|line| HEADER.is_match(line)).count();
        match (named, turns) {
            (true, 1..) => Sniff::Yes(94, format!("`**Session ID:** ses_…` and {turns} headers of turns")),
            (false, 2..) if TOOL.is_match(head) => {
                Sniff::Yes(70, format!("{turns} headers of turns and `**Tool: …**`"))
            }
            _ => Sniff::No("no `**Session ID:** ses_…` with headers of turns".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let bytes = input.bytes()?;
        let source = Source::plain(&bytes);
        let text = source.text();
        let mut session = SessionBuilder::new(self.name());
        session.info.id = input.stem().to_string();
        session.info.records_outcome = true;
        let mut places = Places::of(&source);
        for (header, span, body) in sections(text) {
            let place = places.next(span);
            match header.as_ref().map(|h| h.user) {
                None => preamble(&mut session, &text[body.start..body.end]),
                Some(true) => user(&mut session, &text[body.start..body.end], place),
                Some(false) => {
                    let model = header.and_then(|h| h.model);
                    Section { session: &mut session, model, turn: format!("section {}", place.record), place }.read(
                        &text[body.start..body.end],
                        body.start,
                        &mut places,
                    );
                }
            }
        }
        let mut diagnostics = Diagnostics::default();
        source.report_repairs(&mut diagnostics);
        session.diagnostics.extend(diagnostics);
        Ok(Parsed { sessions: vec![session.finish()], ..Default::default() })
    }
}

struct Header {
    user: bool,
    model: Option<String>,
}

/// Header, all bytes, and the bytes of the body of each section. A header stands behind a rule and a blank line.
fn sections(text: &str) -> Vec<(Option<Header>, ByteSpan, ByteSpan)> {
    let mut heads: Vec<(Option<Header>, usize, usize)> = vec![(None, 0, 0)];
    let (mut at, mut rule) = (0, true);
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        if let Some(found) = HEADER.captures(line).filter(|_| rule) {
            // The model stands between the mode and how long it took.
            let parts: Vec<&str> = found.get(2).map_or("", |m| m.as_str()).split(" · ").collect();
            let model = parts.get(1).filter(|_| parts.len() > 1).map(|m| m.trim().to_string());
            heads.push((Some(Header { user: &found[1] == "User", model }), at, end));
        }
        if !line.trim().is_empty() {
            rule = line.trim_end() == "---";
        }
        at = end;
    }
    let ends: Vec<usize> = heads.iter().skip(1).map(|h| h.1).chain([text.len()]).collect();
    let section = |((header, at, from), end): ((Option<Header>, usize, usize), usize)| {
        let body = text[from..end].trim_end();
        let body = body.strip_suffix("---").filter(|b| b.is_empty() || b.ends_with('\n')).unwrap_or(body).trim_end();
        (header, ByteSpan::new(at, end), ByteSpan::new(from, from + body.len()))
    };
    heads.into_iter().zip(ends).map(section).filter(|s| s.1.start < s.1.end).collect()
}

fn preamble(session: &mut SessionBuilder, text: &str) {
    if let Some(found) = SESSION.captures(text) {
        session.info.id = found[1].to_string();
    }
    session.info.title = text.lines().find_map(|line| line.strip_prefix("# ")).map(|t| t.trim().to_string());
    session.accounting.skipped("preamble");
}

fn user(session: &mut SessionBuilder, text: &str, place: Locator) {
    session.accounting.used();
    let text = text.trim_start_matches(['\n', '\r']);
    if !text.is_empty() {
        session.user(Origin { place, ..Default::default() }, text);
    }
}

struct Section<'s> {
    session: &'s mut SessionBuilder,
    model: Option<String>,
    turn: String,
    place: Locator,
}

impl Section<'_> {
    fn read(mut self, body: &str, start: usize, places: &mut Places) {
        self.session.accounting.used();
        let mut thought = String::new();
        let mut at = 0;
        while let Some(found) = TOOL.captures_at(body, at) {
            let (head, name) = (found.get(0).map_or(0..0, |m| m.range()), &found[1]);
            self.words(&body[at..head.start], &mut thought, true);
            let (used, call) = self.call(name, &body[head.end..]);
            self.place = places.within(ByteSpan::new(start + head.start, start + head.end + used));
            let origin = Origin { reasoning: std::mem::take(&mut thought), ..self.origin() };
            call.tell(self.session, origin, name);
            at = head.end + used;
        }
        self.words(&body[at..], &mut thought, false);
    }

    fn origin(&self) -> Origin {
        let (turn, model) = (Some(self.turn.clone()), self.model.clone());
        Origin { place: self.place, turn, model, ..Default::default() }
    }

    /// Thoughts and text before a call or at the end of a section.
    fn words(&mut self, words: &str, thought: &mut String, before_call: bool) {
        let (text, thinking) = match words.split_once(THINKING) {
            Some((text, thinking)) => (text.trim(), thinking.trim()),
            None => (words.trim(), ""),
        };
        if !text.is_empty() {
            let origin = Origin { reasoning: std::mem::take(thought), ..self.origin() };
            self.session.text(origin, text);
        }
        let (thinking, said) = match thinking.split_once("\n\n") {
            Some((first, rest)) if !before_call => (first, rest.trim()),
            _ => (thinking, ""),
        };
        *thought += if thought.is_empty() || thinking.is_empty() { "" } else { "\n\n" };
        *thought += thinking;
        if !said.is_empty() {
            let origin = Origin { reasoning: std::mem::take(thought), ..self.origin() };
            self.session.text(origin, said);
        }
    }

    /// Input and output that follow the name of a tool, and how many bytes they take.
    fn call(&mut self, name: &str, rest: &str) -> (usize, Call) {
        let mut call = Call::default();
        let mut at = 0;
        if let Some((begin, _)) = labelled(rest, "**Input:**")
            && let Some(block) = fenced(&rest[begin..], |_| true)
        {
            let (fields, cut) = shown_fields(block.text);
            if cut {
                self.session.diagnostics.add(DiagCode::ContentCut, self.place, format!("input of {name}"));
            }
            call.fields = fields;
            at = begin + block.end;
        }
        for (label, failed) in [("**Output:**", false), ("**Error:**", true)] {
            if let Some((begin, _)) = labelled(&rest[at..], label)
                && let Some(block) = fenced(&rest[at + begin..], ends_output)
            {
                call.output = Some((block.text.to_string(), failed));
                at += begin + block.end;
            }
        }
        (at, call)
    }
}

/// Where the block begins that stands under a label at the beginning of a text.
fn labelled(text: &str, label: &str) -> Option<(usize, ())> {
    let lead = text.len() - text.trim_start().len();
    text[lead..].starts_with(label).then_some((lead + label.len(), ()))
}

/// Whether something of the transcript follows a fence, so that it closes an output.
fn ends_output(rest: &str) -> bool {
    let next = rest.trim_start();
    next.is_empty() || next.starts_with("**Tool: ") || next.starts_with(THINKING)
}

#[derive(Default)]
struct Call {
    fields: Vec<crate::model::builder::Field>,
    /// What it returned, and whether as an error.
    output: Option<(String, bool)>,
}

impl Call {
    fn tell(self, session: &mut SessionBuilder, origin: Origin, name: &str) {
        let (place, kind) = (origin.place, kind_of(name));
        session.call(origin, name, kind, self.fields);
        let Some((text, failed)) = self.output else { return };
        let cut = cut_mark::by_tool(&text).then_some(Cut::ByTool);
        let ended = match (failed, kind) {
            (true, _) => (Outcome::Failed, Exit::NotRecorded),
            // A command that fails completes all the same.
            (false, ToolKind::Shell) => ending(&text),
            (false, _) => (Outcome::Ok, Exit::NotRecorded),
        };
        session.result_of_last(ResultOf { cut, ..ResultOf::new(text, place) }.ended(ended));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_and_tools() {
        let found = HEADER.captures("## Assistant (Build · Demo (free) · 5.3s)\n").expect("a header");
        assert_eq!(&found[2], "Build · Demo (free) · 5.3s");
        assert!(!HEADER.is_match("## User guide"));
        assert!(!TOOL.is_match("**Tool: bash** is"));
        assert!(!SESSION.is_match("Session ID: x"));
    }
}
