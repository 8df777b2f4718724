//! Bracketed plain text, in its two forms: whole transcripts, in which `<msg id=N>` lines open blocks of
//! `[role] [tool] <input JSON>` and output or of `[role] text`; and single messages quoted in an essay, which begin
//! with such a bracketed line and end at the first blank one. What the essay says around them is no part of the log and
//! gives no message its number.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::{Card, Format, Recorded};
use crate::{
    base::{diag::DiagCode, error::Error, locate::Locator, span::ByteSpan},
    model::{
        builder::{Origin, ResultOf, SessionBuilder},
        message::Cut,
    },
    source::{
        Parsed,
        cut_input::shown_fields,
        exit_words::ending,
        json::{padding, text_of},
        open::Input,
        seen::Seen,
        sniff::Sniff,
        tool_names::kind_of,
    },
    text::{
        cut_mark,
        partial_json::{self, Stop},
    },
};

/// See the module.
pub struct Bracketed;

/// `<msg id=6231>` alone on its line.
static OPENING: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m-u)^<msg id=(\d+)>[ \t]*\r?$").expect("valid"));
/// `[assistant] [bash] {…}` at the beginning of a line.
static CALL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m-u)^\[(user|assistant|tool|system)\] \[([\w.:/-]+)\](?: |\r?$)").expect("valid"));
/// `[user] …` at the beginning of a line.
static SAID: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m-u)^\[(user|assistant|tool|system)\](?: |\r?$)").expect("valid"));
/// `[assistant] [todowrite] {"todos":…` at the beginning of a line: a call quoted with its input.
static QUOTED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(?m-u)^\[(user|assistant|tool)\] \[[\w.:/-]+\] [{\["]"#).expect("valid"));
/// The end of a quoted message: a blank line.
static BLANK: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?-u)\n[ \t]*\r?\n").expect("valid"));

impl Format for Bracketed {
    fn name(&self) -> &'static str {
        "bracketed"
    }

    fn about(&self) -> &'static str {
        "bracketed plain text, `[role] [tool] input` under `<msg id=N>` lines, or single quoted messages"
    }

    fn card(&self) -> Card {
        Card { agent: "", versions: "as found in published articles", records: &[Recorded::Todos] }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let sample = seen.sample;
        let head = &sample.head[padding(&sample.head)..];
        let blocks = OPENING.find_iter(head).filter(|m| begins_message(&head[m.end()..])).count();
        if blocks > 0 {
            return Sniff::Yes(90, format!("{blocks} `<msg id=N>` lines at the beginning"));
        }
        let quoted = QUOTED.find_iter(head).count() + QUOTED.find_iter(&sample.tail).count();
        match quoted {
            0 => Sniff::No("neither a `<msg id=N>` line nor a quoted `[role] [tool] input`".into()),
            n => Sniff::Yes(60, format!("{n} quoted `[role] [tool] input` lines")),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let bytes = input.bytes()?;
        let mut session = SessionBuilder::new(self.name());
        session.info.id = input.stem().to_string();
        session.texts_stand_alone = true;
        let records = cut(&bytes);
        let mut reader = Reader { session, last: None };
        let (mut line, mut counted) = (1, 0);
        for (i, record) in records.iter().enumerate() {
            line += memchr::memchr_iter(b'\n', &bytes[counted..record.span.start]).count() as u32;
            counted = record.span.start;
            let place = Locator { record: i as u32 + 1, line, bytes: record.span };
            reader.record(record, &bytes[record.span.start..record.span.end], place);
        }
        Ok(Parsed { sessions: vec![reader.session.finish()], ..Default::default() })
    }
}

/// What a stretch of the input is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A block under its `<msg id=N>` line.
    Block,
    /// A message quoted without a number.
    Quoted,
    /// Text around them, and why it is passed over.
    Around(&'static str),
}

struct Record {
    kind: Kind,
    span: ByteSpan,
}

/// Cuts the input into records that tile it: blocks, or quoted messages and the prose around them.
fn cut(bytes: &[u8]) -> Vec<Record> {
    let padded = padding(bytes);
    let starts: Vec<usize> = OPENING.find_iter(&bytes[padded..]).map(|m| padded + m.start()).collect();
    if starts.iter().any(|at| begins_message(after_line(&bytes[*at..]))) {
        return blocks(bytes, &starts);
    }
    quoted(bytes)
}

fn blocks(bytes: &[u8], starts: &[usize]) -> Vec<Record> {
    let mut records = Vec::new();
    let first = starts.first().copied().unwrap_or(bytes.len());
    // Blanks, a byte order mark or padding before the first block are no record of their own.
    let mut from = 0;
    if !text_of(&bytes[..first]).0.trim().is_empty() {
        records.push(Record { kind: Kind::Around("preamble"), span: ByteSpan::new(0, first) });
        from = first;
    }
    for (i, start) in starts.iter().enumerate() {
        let end = starts.get(i + 1).copied().unwrap_or(bytes.len());
        records.push(Record { kind: Kind::Block, span: ByteSpan::new(if i == 0 { from } else { *start }, end) });
    }
    records
}

fn quoted(bytes: &[u8]) -> Vec<Record> {
    let mut records = Vec::new();
    let padded = padding(bytes);
    let mut at = 0;
    for found in SAID.find_iter(&bytes[padded..]).map(|m| padded + m.start()..padded + m.end()) {
        if found.start < at {
            continue;
        }
        around(&mut records, bytes, at, found.start);
        at = BLANK.find_at(bytes, found.end).map_or(bytes.len(), |blank| blank.end());
        records.push(Record { kind: Kind::Quoted, span: ByteSpan::new(found.start, at) });
    }
    around(&mut records, bytes, at, bytes.len());
    records
}

fn around(records: &mut Vec<Record>, bytes: &[u8], from: usize, to: usize) {
    if from == to {
        return;
    }
    match records.last_mut() {
        Some(last) if bytes[from..to].trim_ascii().is_empty() => last.span.end = to,
        _ => records.push(Record { kind: Kind::Around("prose"), span: ByteSpan::new(from, to) }),
    }
}

/// Whether the first line that is not blank opens a message.
fn begins_message(bytes: &[u8]) -> bool {
    let start = bytes.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(bytes.len());
    SAID.find(&bytes[start..]).is_some_and(|m| m.start() == 0)
}

fn after_line(bytes: &[u8]) -> &[u8] {
    memchr::memchr(b'\n', bytes).map_or(&[], |end| &bytes[end + 1..])
}

struct Reader {
    session: SessionBuilder,
    last: Option<u32>,
}

impl Reader {
    fn record(&mut self, record: &Record, bytes: &[u8], place: Locator) {
        let (text, repairs) = text_of(bytes);
        for (code, told) in repairs.list() {
            self.session.diagnostics.add(code, place, told);
        }
        match record.kind {
            Kind::Around(reason) => self.session.accounting.skipped(reason),
            Kind::Quoted => self.message(&text, None, place),
            Kind::Block => {
                let head = OPENING.captures(text.as_bytes()).expect("a block begins with its line");
                let number = std::str::from_utf8(&head[1]).ok().and_then(|digits| digits.parse().ok());
                self.rising(number, place);
                let body = &text[head.get(0).expect("a match has a whole").end()..];
                self.message(unclosed(body), number, place);
            }
        }
    }

    fn rising(&mut self, number: Option<u32>, place: Locator) {
        let told = match (number, self.last) {
            (None, _) => Some("a number is too large and was counted instead".to_string()),
            (Some(n), Some(last)) if n <= last => Some(format!("{n} follows {last}")),
            _ => None,
        };
        if let Some(told) = told {
            self.session.diagnostics.add(DiagCode::NumbersNotRising, place, told);
        }
        self.last = number.or(self.last);
    }

    /// A message from its bracketed line on.
    fn message(&mut self, body: &str, number: Option<u32>, place: Locator) {
        let body = body.trim_matches(['\n', '\r']);
        let origin = Origin { number, place, ..Default::default() };
        if let Some(call) = CALL.captures(body.as_bytes()).filter(|c| c.get(0).is_some_and(|m| m.start() == 0)) {
            let tool = String::from_utf8_lossy(&call[2]).into_owned();
            let (first, output) = body.split_once('\n').unwrap_or((body, ""));
            let input = first.get(call[0].len()..).unwrap_or("").trim_end_matches('\r');
            self.call(origin, &tool, input);
            self.output(output, place);
        } else if let Some(said) = SAID.captures(body.as_bytes()).filter(|c| c.get(0).is_some_and(|m| m.start() == 0)) {
            let text = body.get(said[0].len()..).unwrap_or("");
            self.said(origin, &said[1], text);
        } else {
            self.session.accounting.unknown("block without a role");
            self.session.diagnostics.add(DiagCode::RecordTypeUnknown, place, "a block does not begin with `[role]`");
            return;
        }
        self.session.accounting.used();
    }

    fn call(&mut self, origin: Origin, tool: &str, input: &str) {
        let (fields, cut) = shown_fields(input);
        if cut {
            self.session.diagnostics.add(DiagCode::ContentCut, origin.place, format!("input of {tool}"));
        }
        self.session.call(origin, tool, kind_of(tool), fields);
    }

    /// What follows the bracketed line. A block without it shows no output, which is not the same as an empty one.
    fn output(&mut self, text: &str, place: Locator) {
        if text.is_empty() {
            return;
        }
        let cut = shortened(text);
        if cut == Some(Cut::End) {
            self.session.diagnostics.add(DiagCode::ContentCut, place, "output");
        }
        let (outcome, exit) = ending(text);
        self.session.result_of_last(ResultOf {
            text: text.to_string(),
            cut,
            outcome,
            exit,
            time: None,
            place,
            spawned: None,
            extra: Vec::new(),
        });
    }

    fn said(&mut self, origin: Origin, role: &[u8], text: &str) {
        let place = origin.place;
        match role {
            b"assistant" => self.session.text(origin, text),
            // The result of a call that is not shown: no words of the agent's.
            b"tool" => {
                self.session.call(origin, "tool", kind_of("tool"), Vec::new());
                self.output(text, place);
                return;
            }
            _ => self.session.user(origin, text),
        }
        if cut_mark::counted(text).is_some() {
            self.session.cut_last(Cut::End);
            self.session.diagnostics.add(DiagCode::ContentCut, place, "text");
        }
    }
}

/// Without the closing `</msg>` line that some renderings write.
fn unclosed(body: &str) -> &str {
    let end = body.trim_end();
    end.strip_suffix("</msg>").filter(|rest| rest.is_empty() || rest.ends_with('\n')).unwrap_or(body)
}

/// How an output is less than what the agent saw. Three dots alone prove no cut, except where they break off JSON.
fn shortened(output: &str) -> Option<Cut> {
    if cut_mark::is_placeholder(output) {
        return Some(Cut::Placeholder);
    }
    if cut_mark::counted(output).is_some() {
        return Some(Cut::End);
    }
    if output.starts_with(['[', '{'])
        && let Some(mark) = cut_mark::at_end(output)
        && matches!(partial_json::read(&output[..mark.start]).stop, Stop::Cut(_))
    {
        return Some(Cut::End);
    }
    cut_mark::by_tool(output).then_some(Cut::ByTool)
}
