//! Bracketed plain text: `<msg id=N>` lines, then `[role] text` or `[role] [tool] <input JSON>` and the tool's output.

use std::sync::LazyLock;

use regex::Regex;

use super::Format;
use crate::{
    base::{error::Error, locate::Locator, span::ByteSpan},
    model::{
        builder::{Origin, ResultOf, SessionBuilder},
        message::{Exit, Outcome},
    },
    source::{
        Parsed,
        fields::fields,
        json::text_of,
        open::{Input, Sample},
        sniff::Sniff,
        tool_names::kind_of,
    },
};

/// See the module.
pub struct Bracketed;

/// `<msg id=6231>` alone on its line.
static OPENING: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)^<msg id=(\d+)>[ \t]*\r?\n").expect("valid"));
/// `[assistant] [bash] {…}` at the beginning of a block.
static CALL: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\[(\w+)\] \[([\w.-]+)\] ").expect("valid"));
/// `[user] …` at the beginning of a block.
static SAID: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\[(\w+)\] ?").expect("valid"));

impl Format for Bracketed {
    fn name(&self) -> &'static str {
        "bracketed"
    }

    fn about(&self) -> &'static str {
        "bracketed plain text, `[role] [tool] input` under `<msg id=N>` lines, or single quoted messages"
    }

    fn sniff(&self, sample: &Sample) -> Sniff {
        let (text, _) = text_of(&sample.head);
        match OPENING.find_iter(&text).count() {
            0 => Sniff::No("no `<msg id=N>` line".into()),
            n => Sniff::Yes(90, format!("{n} `<msg id=N>` lines at the beginning")),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        let bytes = input.bytes()?;
        let (text, _) = text_of(&bytes);
        let mut session = SessionBuilder::new(self.name());
        session.info.id = input.stem().to_string();
        session.texts_stand_alone = true;
        let openings: Vec<_> = OPENING.captures_iter(&text).collect();
        for (i, opening) in openings.iter().enumerate() {
            let whole = opening.get(0).expect("a match has a whole");
            let end = openings.get(i + 1).map_or(text.len(), |next| next.get(0).expect("whole").start());
            let place = Locator { record: i as u32 + 1, line: 0, bytes: ByteSpan::new(whole.start(), end) };
            block(&mut session, &opening[1], text[whole.end()..end].trim_matches('\n'), place);
            session.accounting.used();
        }
        Ok(Parsed { sessions: vec![session.finish()], ..Default::default() })
    }
}

fn block(session: &mut SessionBuilder, number: &str, body: &str, place: Locator) {
    let body = body.strip_suffix("</msg>").unwrap_or(body).trim_end_matches('\n');
    let origin = Origin { number: number.parse().ok(), place, ..Default::default() };
    if let Some(call) = CALL.captures(body) {
        let (first, rest) = body.split_once('\n').unwrap_or((body, ""));
        session.call(origin, &call[2], kind_of(&call[2]), fields(&first[call[0].len()..]));
        session.result_of_last(ResultOf {
            text: rest.to_string(),
            cut: None,
            outcome: Outcome::NotRecorded,
            exit: Exit::NotRecorded,
            time: None,
            place,
            spawned: None,
            extra: Vec::new(),
        });
    } else if let Some(said) = SAID.captures(body) {
        let text = &body[said[0].len()..];
        match &said[1] {
            "user" => session.user(origin, text),
            _ => session.text(origin, text),
        }
    }
}
