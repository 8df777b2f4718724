//! The sections of a history: what stands before the first header, comments that name a session, turns.

use std::sync::LazyLock;

use regex::Regex;

use crate::base::{span::ByteSpan, time::Timestamp};

/// `_**Agent - sidechain (model 2026-03-02 11:00:06Z)**_` alone on its line.
static TURN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^_\*\*(User|Agent|Assistant)( - sidechain)?(?: \(([^()\n]{0,200})\))?\*\*_\s*$").expect("valid")
});
/// `<!-- Claude Code Session 0c56 (2026-03-02 11:00:00Z) -->` alone on its line.
static SESSION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^<!-- (.{1,60}?) Session (\S+) \([^()]{0,60}\) -->\s*$").expect("valid"));
/// A time at the end of what a header says: `2026-03-02 11:00:06Z`, `2026-03-02T11:00:06.123Z`.
static TIME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?(?:\.\d+)?)Z?$").expect("valid"));

/// What a section is.
#[derive(Clone, PartialEq, Debug)]
pub enum Head {
    /// Everything before the first header.
    Preamble,
    /// The comment that names the session.
    Session {
        /// The agent, as SpecStory spells it.
        agent: String,
        /// Id of the session.
        id: String,
    },
    /// A turn.
    Turn(Turn),
}

/// What the header of a turn says.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Turn {
    /// Whether the user speaks.
    pub user: bool,
    /// Whether it is a sub-agent's.
    pub sidechain: bool,
    /// Model, where it is named.
    pub model: Option<String>,
    /// Time, where it is told.
    pub time: Option<Timestamp>,
}

/// A section.
#[derive(Clone, PartialEq, Debug)]
pub struct Section {
    /// What it is.
    pub head: Head,
    /// All its bytes in the text: the spans of all sections tile it.
    pub span: ByteSpan,
    /// The bytes of what it says, without header, blank lines and rule around it.
    pub body: ByteSpan,
}

/// Whether a text is nothing but a time.
pub fn is_time(text: &str) -> bool {
    TIME.find(text).is_some_and(|found| found.start() == 0)
}

/// The turn that a line is the header of.
pub fn turn(line: &str) -> Option<Turn> {
    let found = line.starts_with("_**").then(|| TURN.captures(line))??;
    let inner = found.get(3).map_or("", |m| m.as_str());
    let time = TIME.captures(inner);
    let stamp = time.as_ref().and_then(|t| Timestamp::parse_zoneless(&format!("{}T{}", &t[1], &t[2])));
    let rest = time.map_or(inner, |t| &inner[..t.get(0).map_or(0, |m| m.start())]).trim();
    let model = rest.split(", mode ").next().unwrap_or("").trim_start_matches("model ").trim();
    Some(Turn {
        user: &found[1] == "User",
        sidechain: found.get(2).is_some(),
        model: Some(model.to_string()).filter(|m| !m.is_empty()),
        time: stamp,
    })
}

/// Cuts a history.
pub fn sections(text: &str) -> Vec<Section> {
    let lines = lines(text);
    let last_end = lines.iter().rposition(|(_, line)| ends_use(line)).unwrap_or(0);
    let mut heads = vec![(0, Head::Preamble, 0)];
    let mut i = 0;
    while i < lines.len() {
        let (at, line) = lines[i];
        let next = at + line.len();
        let blank_before = i == 0 || lines[i - 1].1.trim().is_empty();
        if let Some(turn) = turn(line) {
            heads.push((at, Head::Turn(turn), next));
        } else if let Some(found) = blank_before.then(|| SESSION.captures(line)).flatten() {
            heads.push((at, Head::Session { agent: found[1].to_string(), id: found[2].to_string() }, next));
        } else if blank_before && line.starts_with("<tool-use ") && i <= last_end {
            i = end_of_use(&lines, i);
        }
        i += 1;
    }
    let ends: Vec<usize> = heads.iter().skip(1).map(|h| h.0).chain([text.len()]).collect();
    let spans = heads.into_iter().zip(ends);
    let sections = spans.map(|((at, head, from), end)| {
        let body = body(text, from, end);
        Section { head, span: ByteSpan::new(at, end), body }
    });
    // A history that begins with a header has nothing before it.
    sections.filter(|s| s.head != Head::Preamble || s.span.end > s.span.start).collect()
}

/// Lines with their first byte, line endings included.
fn lines(text: &str) -> Vec<(usize, &str)> {
    let mut at = 0;
    let with_start = |line: &'_ str| {
        at += line.len();
        at - line.len()
    };
    let starts: Vec<usize> = text.split_inclusive('\n').map(with_start).collect();
    starts.into_iter().zip(text.split_inclusive('\n')).collect()
}

fn ends_use(line: &str) -> bool {
    line.trim_end().ends_with("</details></tool-use>")
}

/// The line at which the call ends that begins at line `start`: the first closing tag behind which something of the
/// transcript follows, else the first closing tag.
pub fn end_of_use(lines: &[(usize, &str)], start: usize) -> usize {
    const TRIED: usize = 64;
    let ends = || (start..lines.len()).filter(|i| ends_use(lines[*i].1));
    let follows = |end: &usize| {
        let next = lines[end + 1..].iter().map(|(_, line)| line.trim_end()).find(|line| !line.is_empty());
        next.is_none_or(|line| {
            line == "---" || line.starts_with("<tool-use ") || line.starts_with("<think>") || turn(line).is_some()
        })
    };
    ends().take(TRIED).find(follows).or_else(|| ends().next()).unwrap_or(start)
}

/// Without blank lines around it and the rule that ends it.
fn body(text: &str, from: usize, end: usize) -> ByteSpan {
    let whole = &text[from..end];
    let start = from + (whole.len() - whole.trim_start_matches(['\n', '\r']).len());
    let mut rest = text[start..end].trim_end();
    if let Some(before) = rest.strip_suffix("---")
        && (before.is_empty() || before.ends_with('\n'))
    {
        rest = before.trim_end();
    }
    ByteSpan::new(start, start + rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_all_versions() {
        let new = turn("_**Agent - sidechain (demo-1 2026-03-02T11:00:06.5Z)**_\n").expect("a header");
        assert_eq!((new.user, new.sidechain, new.model.as_deref()), (false, true, Some("demo-1")));
        assert!(new.time.is_some());
        let cursor = turn("_**Assistant (model demo-1, mode Agent)**_").expect("a header");
        assert_eq!((cursor.model.as_deref(), cursor.time), (Some("demo-1"), None));
        assert!(turn("_**User**_").is_some_and(|t| t.user));
        assert_eq!(turn("    _**User**_"), None);
        assert_eq!(turn("_**Userland**_"), None);
        assert!(!SESSION.is_match("<!-- a Session -->"));
        assert!(!TIME.is_match("2026-03-02"));
    }
}
