//! What mini-swe-agent shows on a terminal: who speaks on a line of its own, in bold where there are colours and always
//! behind a blank one, the message below it, wrapped at the width of the terminal, and a rule before each step. What the
//! run cost so far, rounded to cents, stands beside the number of each step; the last is kept as the total. Runs of
//! versions 1 and 2.

use std::{collections::BTreeMap, ops::Range, sync::LazyLock};

use regex::Regex;
use unicode_width::UnicodeWidthStr;

use super::text_mode::{TextMode, call, ended, said};
use crate::{
    base::{locate::Locator, time::Timestamp},
    model::{
        builder::SessionBuilder,
        message::{NoticeKind, Usage},
    },
    source::{
        chat::{
            content::{Answer, Piece},
            message::{Message, Role},
            tell::{Told, Turn, tell as tell_turns},
        },
        format::shell_session,
        terminal::{Page, Row},
    },
};

/// `👋 This is mini-swe-agent version 1.9.0.`
static VERSION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\S{0,8} ?This is mini-swe-agent version (\S+?)\.?$").expect("valid"));
/// `mini-swe-agent (step 3, $0.02):`
static STEP: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^mini-swe-agent \(step (\d{1,9}), \$(\d{1,9}(?:\.\d+)?)\):$").expect("valid"));
/// `User:` alone on its line.
static SPEAKER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(System|User|Tool|Function_call_output|Exit):$").expect("valid"));
/// What the program itself says to the person before it.
static ASIDE: LazyLock<Regex> = LazyLock::new(|| {
    let forms = [
        r"Execute\b[^\n]{0,40}\? Enter to confirm",
        r"Agent wants to finish\. Type ",
        r"Interrupted\. Type a comment",
        r"Limits exceeded\. Limits: ",
        r"Switched to \w+ mode\.$",
    ];
    Regex::new(&format!("^(?:{})", forms.join("|"))).expect("valid")
});
/// `Saved trajectory to '/tmp/run.traj.json'`: the last that a run says.
static ENDS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^Saved trajectory to '").expect("valid"));
/// `mini -m acme/demo-1 -t 'Count.'`: the command that started a run.
static STARTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"\bmini(?:-swe-agent)? (?:[^|;&\n'"]* )?(?:-m|--model)[ =]['"]?([^\s'"]+)"#).expect("valid")
});
/// `<returncode>`, the status, `<output>`, each on a line: a result of version 2.
static RETURNED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^<returncode>\n(-?\d{1,9})(?:\n<output>)?(?:\n|$)").expect("valid"));
/// What the line says that is redrawn while the model thinks.
const WAITING: &str = "Waiting for the LM to respond...";
/// Shortest rule that tells the width of a terminal.
const RULE: usize = 20;
/// How many rows before a run are looked at for the command that started it.
const BEFORE: usize = 200;

/// A stretch of rows.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// What it is.
    pub kind: Kind,
    /// Its rows.
    pub rows: Range<usize>,
    /// Which run it belongs to, counted from 0; `None` outside of all.
    pub run: Option<usize>,
}

/// What rows are.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    /// Output of other programs.
    Outside,
    /// A run begins; its version.
    Opening(String),
    /// The model's answer: the number of the step and what the run cost so far, in dollars.
    Step(u32, f64),
    /// Somebody else speaks; the word.
    Speaks(String),
    /// The program to the person before it.
    Aside,
}

/// Whether a line of a terminal, free of escape codes, is the header of a step.
pub fn is_step(line: &str) -> bool {
    line.len() < 80 && STEP.is_match(line)
}

/// Cuts the rows of a terminal into parts; all of them together are all rows. Without a run there is one part at most.
pub fn parts(page: &Page) -> Vec<Part> {
    // Where there are colours, a line that only looks like a header is not in bold.
    let bold = page.rows().any(|row| row.bold && is_step(row.text.trim_end()));
    let mut parts: Vec<Part> = Vec::new();
    let (mut run, mut runs, mut blank) = (None, 0, true);
    for (at, row) in page.rows().enumerate() {
        let begins = begins(&row, run.is_some(), bold, blank);
        blank = row.text.trim().is_empty();
        match &begins {
            Some(Kind::Opening(_)) => (run, runs) = (Some(runs), runs + 1),
            Some(Kind::Step(..)) if run.is_none() => (run, runs) = (Some(runs), runs + 1),
            Some(Kind::Outside) => run = None,
            _ => {}
        }
        match parts.last_mut() {
            Some(last) if begins.is_none() => last.rows.end = at + 1,
            _ => parts.push(Part { kind: begins.unwrap_or(Kind::Outside), rows: at..at + 1, run }),
        }
    }
    parts
}

/// What begins at a row, if anything does.
fn begins(row: &Row, running: bool, bold: bool, after_blank: bool) -> Option<Kind> {
    // No header is longer.
    let text = Some(row.text.trim_end()).filter(|text| !text.is_empty() && text.len() < 200)?;
    if let Some(found) = VERSION.captures(text) {
        return Some(Kind::Opening(found[1].to_string()));
    }
    let marked = if bold { row.bold } else { after_blank };
    if let Some(found) = STEP.captures(text).filter(|_| marked) {
        return Some(Kind::Step(found[1].parse().ok()?, found[2].parse().ok()?));
    }
    if !running {
        return None;
    }
    if let Some(found) = SPEAKER.captures(text).filter(|_| marked) {
        return Some(Kind::Speaks(found[1].to_string()));
    }
    let prompt = row.typed.is_some() && shell_session::prompt(text).is_some();
    match () {
        () if ENDS.is_match(text) || prompt => Some(Kind::Outside),
        () if ASIDE.is_match(text) => Some(Kind::Aside),
        () => None,
    }
}

/// Tells a run to a session; `place` says where a part lies and when it was shown. What became of each part.
pub fn tell(
    session: &mut SessionBuilder,
    page: &Page,
    parts: &[Part],
    columns: Option<usize>,
    mut place: impl FnMut(&Part) -> (Locator, Option<Timestamp>),
) -> Vec<Told> {
    let columns = width(page, parts).or(columns);
    session.info.agent = Some("mini-swe-agent".to_string());
    session.info.records_outcome = true;
    let (mut turns, mut text_mode, mut told) = (Vec::new(), TextMode::default(), Vec::new());
    for (i, part) in parts.iter().enumerate() {
        let (locator, time) = place(part);
        match &part.kind {
            Kind::Opening(version) => {
                session.info.version = Some(version.clone());
                if let Some(model) = started(page, part.rows.start) {
                    session.model(&model);
                }
                told.push(Some(Told::Used));
            }
            Kind::Outside | Kind::Aside => told.push(Some(Told::Skipped("console"))),
            Kind::Step(_, cost) => {
                session.info.usage = Some(Usage { cost: Some(*cost), ..Usage::default() });
                let behind = parts[i + 1..].iter().filter(|part| part.kind != Kind::Aside);
                let results = behind.take_while(|part| part.is_result()).count();
                let mut turn = blank_turn(locator, time);
                turn.role = Role::Assistant;
                turn.pieces = with_calls(&content(page, part, columns), results);
                text_mode.turn(&mut turn);
                turns.push(turn);
                told.push(None);
            }
            Kind::Speaks(word) => {
                let text = content(page, part, columns);
                turns.push(spoken(word, text, blank_turn(locator, time), &mut text_mode));
                told.push(None);
            }
        }
    }
    let mut turned = tell_turns(session, turns).into_iter();
    told.into_iter().filter_map(|one| one.or_else(|| turned.next())).collect()
}

/// The id of the session that a part belongs to, by the name of the file: the first run has it, further ones a number.
pub fn id(stem: &str, part: &Part) -> String {
    match part.run {
        None | Some(0) => stem.to_string(),
        Some(run) => format!("{stem}-{}", run + 1),
    }
}

impl Part {
    fn is_result(&self) -> bool {
        matches!(&self.kind, Kind::Speaks(word) if is_tool(word))
    }
}

fn is_tool(word: &str) -> bool {
    matches!(word, "Tool" | "Function_call_output")
}

fn blank_turn(place: Locator, time: Option<Timestamp>) -> Turn {
    let mut turn = Turn::of(Message::default(), place);
    turn.time = time;
    turn
}

/// What somebody said who is not the model.
fn spoken(word: &str, text: String, mut turn: Turn, text_mode: &mut TextMode) -> Turn {
    if word == "Exit" {
        return Turn::notice(NoticeKind::Meta, format!("exit: {text}"), turn.place, turn.time);
    }
    if is_tool(word) {
        let found = RETURNED.captures(&text).map(|found| (found[0].len(), found[1].parse().ok()));
        let (from, code) = found.unwrap_or_default();
        turn.role = Role::Tool;
        turn.ended = ended(&text, code, false);
        turn.pieces = vec![Piece::Result(Answer { text: text[from..].to_string(), ..Default::default() })];
        return turn;
    }
    turn.role = Role::of(&word.to_lowercase());
    let ended = ended(&text, None, false);
    turn.pieces = vec![Piece::Said(text)];
    text_mode.turn(&mut turn);
    if turn.role == Role::Tool {
        turn.ended = ended;
    }
    turn
}

/// Version 2 shows calls as bare fences behind the text, one for each result that follows.
fn with_calls(text: &str, results: usize) -> Vec<Piece> {
    let (mut rest, mut pieces) = (text.trim_end(), Vec::new());
    while pieces.len() < results {
        let Some(body) = rest.strip_suffix("\n```") else { break };
        let opening = body.rfind("\n\n```\n").map(|at| (at, at + 6));
        let Some((at, from)) = opening.or(body.starts_with("```\n").then_some((0, 4))) else { break };
        pieces.push(call(&body[from..]));
        rest = body[..at].trim_end();
    }
    pieces.extend(said(rest));
    pieces.reverse();
    pieces
}

/// The model that the command names which started the run at a row.
fn started(page: &Page, at: usize) -> Option<String> {
    let before = (at.saturating_sub(BEFORE)..at).rev();
    before.map(|row| page.row(row).text).find_map(|text| Some(STARTED.captures(text)?[1].to_string()))
}

fn is_rule(text: &str) -> bool {
    text.starts_with('─') && text.trim_end().chars().all(|c| c == '─')
}

/// The width of the terminal, by the rules across it.
fn width(page: &Page, parts: &[Part]) -> Option<usize> {
    let mut counts = BTreeMap::new();
    for row in parts.iter().flat_map(|part| part.rows.clone()).map(|at| page.row(at).text) {
        if is_rule(row) && row.trim_end().width() >= RULE {
            *counts.entry(row.trim_end().width()).or_insert(0_usize) += 1;
        }
    }
    counts.into_iter().max_by_key(|(columns, count)| (*count, *columns)).map(|(columns, _)| columns)
}

/// The text of a message, its lines put together again.
fn content(page: &Page, part: &Part, columns: Option<usize>) -> String {
    let around = |row: &&str| row.trim().is_empty() || is_rule(row) || row.trim_end().ends_with(WAITING);
    let rows: Vec<&str> = part.rows.clone().skip(1).map(|at| page.row(at).text).collect();
    let end = rows.len() - rows.iter().rev().take_while(|row| around(row)).count();
    let begin = rows[..end].iter().take_while(|row| row.trim().is_empty() || row.ends_with(WAITING)).count();
    let mut text = String::new();
    for (i, row) in rows[begin..end].iter().enumerate() {
        if i > 0 {
            text += columns.map_or("\n", |columns| seam(rows[begin + i - 1], row, columns));
        }
        text += row;
    }
    text.truncate(text.trim_end().len());
    text
}

/// What stood between two rows before they were wrapped. A wrapped row keeps the blank behind its last word where it
/// fits, the next word would not have fitted, and a word longer than the terminal is broken where the row is full.
fn seam(row: &str, next: &str, columns: usize) -> &'static str {
    let (cells, word) = (row.width(), next.split(' ').next().unwrap_or_default());
    if word.is_empty() || cells > columns {
        return "\n";
    }
    match row.ends_with(' ') {
        true if cells + word.width() > columns => "",
        false if cells == columns && !is_drawn(row) && row.contains(' ') => " ",
        false if cells == columns && !is_drawn(row) => "",
        _ => "\n",
    }
}

/// Whether a row ends in what is drawn across terminals of any width, not written.
fn is_drawn(row: &str) -> bool {
    row.ends_with(|c: char| !c.is_alphanumeric() && !",.;:!?)]}\"'`/\\".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_rows_are_put_together() {
        assert_eq!(seam("what files are ", "in the folder", 16), "");
        assert_eq!(seam("what files are ", "in the folder", 40), "\n");
        assert_eq!(seam("what files are in", "the folder", 17), " ");
        assert_eq!(seam("aaaaaaaaaa", "aaaa", 10), "");
        assert_eq!(seam("== passed ==", "next", 12), "\n");
        assert_eq!(seam("a line", "", 6), "\n");
    }

    #[test]
    fn calls_are_the_fences_before_results() {
        let pieces = with_calls("Look:\n\n```python\nx\n```\n\nso\n\n```\nls\n```\n\n```\ncat a\n\nb\n```", 2);
        let texts: Vec<String> = pieces
            .iter()
            .map(|piece| match piece {
                Piece::Call(call) => call.input[0].text.clone(),
                Piece::Said(text) => text.clone(),
                _ => String::new(),
            })
            .collect();
        assert_eq!(texts, ["Look:\n\n```python\nx\n```\n\nso", "ls", "cat a\n\nb"]);
        assert_eq!(with_calls("no fence", 1).len(), 1);
    }

    #[test]
    fn headers_are_whole_lines() {
        assert!(is_step("mini-swe-agent (step 3, $0.02):"));
        assert!(!is_step("as mini-swe-agent (step 3, $0.02): said"));
        assert!(!VERSION.is_match("a note: This is mini-swe-agent version"));
        assert!(!SPEAKER.is_match("User: miller"));
        assert!(!ASIDE.is_match("Execute the plan?"));
        assert!(!ENDS.is_match("Saved trajectory"));
        assert!(!RETURNED.is_match("<returncode>0</returncode>"));
        assert_eq!(&STARTED.captures("$ mini -y -m acme/demo-1 -t 'x'").expect("named")[1], "acme/demo-1");
        assert!(!STARTED.is_match("minimal -m x"));
    }
}
