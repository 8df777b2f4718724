//! What the log knows: every number that it shows, with its place; what was run, read, searched and changed before a
//! message.

use std::{
    cell::{OnceCell, RefCell},
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use super::edits::{self, Edit};

use crate::{
    base::{ids::MessageIdx, path::base_name, span::ByteSpan},
    model::{
        command::CommandRun,
        evidence::Evidence,
        facts::{Facts, FileAct, FileTouch},
        findings::Findings,
        message::{Message, MessageKind, PartKind, ToolKind},
        session::Session,
    },
    text::pattern::Regex,
};

/// Any number: `12`, `1,906.4`, `0.1671`, `2.1e6`.
static NUMBER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:[eE][-+]?\d{1,2}\b)?").expect("valid"));

/// `` `make check` ``, or a line of a fence.
static SPAN: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"`([^`\n]{4,100})`").expect("valid"));

/// A number and where it stands.
#[derive(Clone, Copy, Debug)]
struct Shown {
    value: f64,
    message: MessageIdx,
    /// Part and bytes; none where a notice before the message holds it.
    place: Option<(u16, ByteSpan)>,
    /// A command printed it, or a user wrote it: not what a file holds or a tool was given.
    told: bool,
}

/// How a figure is looked up.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Wanted {
    /// Its value.
    pub value: f64,
    /// Digits behind the point: half of the last one is how far it may be rounded.
    pub digits: usize,
    /// What it may have been multiplied by since it was printed.
    pub scales: &'static [f64],
    /// It reads as measured: only what commands printed and users wrote counts.
    pub measured: bool,
}

/// What the log knows.
pub struct Ledger<'a> {
    /// The log.
    pub session: &'a Session,
    /// What was read off it.
    pub facts: &'a Facts,
    /// What was concluded from that.
    pub findings: &'a Findings,
    /// By value, then by place; gathered when a figure is first looked up.
    numbers: OnceCell<Vec<Shown>>,
    /// Sums of decimals that one output shows after each other, with their message, by value.
    sums: OnceCell<Vec<(f64, MessageIdx)>>,
    /// First places of what was looked for so far.
    firsts: RefCell<BTreeMap<(&'static str, String), Option<Evidence>>>,
    /// All edits, once they are wanted.
    edits: OnceCell<Vec<Edit<'a>>>,
}

/// As printed.
pub const AS_PRINTED: &[f64] = &[1.0];
/// A share, printed in per cent or of one.
pub const SHARES: &[f64] = &[1.0, 100.0];
/// In the printed unit, or the next larger or smaller one.
pub const UNITS: &[f64] = &[1.0, 1000.0, 0.001, 1024.0, 1.0 / 1024.0];

impl<'a> Ledger<'a> {
    /// Of a session.
    pub fn of(session: &'a Session, facts: &'a Facts, findings: &'a Findings) -> Self {
        Self {
            session,
            facts,
            findings,
            numbers: OnceCell::new(),
            sums: OnceCell::new(),
            firsts: RefCell::default(),
            edits: OnceCell::new(),
        }
    }

    /// All edits of files whose words the log holds, in order.
    pub fn edits(&self) -> &[Edit<'a>] {
        self.edits.get_or_init(|| edits::of(self.session, self.facts))
    }

    /// The touches of files before a message, in order.
    pub fn files_before(&self, before: MessageIdx) -> &'a [FileTouch] {
        &self.facts.files[..self.facts.files.partition_point(|f| f.message < before)]
    }

    /// Where the log shows a figure before a message.
    pub fn shows(&self, wanted: &Wanted, before: MessageIdx) -> Option<Evidence> {
        let numbers = self.numbers.get_or_init(|| numbers(self.session));
        let half = 0.5 * 10f64.powi(-(wanted.digits as i32)) + 1e-9;
        wanted.scales.iter().find_map(|scale| {
            let (low, high) = ((wanted.value - half) / scale, (wanted.value + half) / scale);
            let from = numbers.partition_point(|n| n.value < low);
            let near = numbers[from..].iter().take_while(|n| n.value <= high);
            let found = near.take(NEAR).find(|n| n.message < before && (n.told || !wanted.measured))?;
            match found.place {
                Some((part, span)) => self.session.cite(found.message, part as usize, span),
                None => Some(self.session.whole(found.message)),
            }
        })
    }

    /// Whether a figure is the sum of decimals that one output before a message shows after each other.
    pub fn adds_up(&self, wanted: &Wanted, before: MessageIdx) -> bool {
        let sums = self.sums.get_or_init(|| sums(self.session));
        let half = 0.5 * 10f64.powi(-(wanted.digits as i32)) + 1e-9;
        let from = sums.partition_point(|sum| sum.0 < wanted.value - half);
        sums[from..].iter().take_while(|sum| sum.0 <= wanted.value + half).take(NEAR).any(|sum| sum.1 < before)
    }

    /// The commands that ran before a message, the last one first.
    pub fn ran(&self, before: MessageIdx) -> impl Iterator<Item = &'a CommandRun> {
        self.facts.commands.iter().rev().filter(move |run| run.message < before && run.ran)
    }

    /// The first place of something before a message: looked for once over the whole log, whoever asks. `kind` and `words`
    /// name what is looked for.
    pub fn first(
        &self,
        (kind, words): (&'static str, &str),
        before: MessageIdx,
        find: impl FnOnce() -> Option<Evidence>,
    ) -> Option<Evidence> {
        let key = (kind, words.to_string());
        let known = self.firsts.borrow().get(&key).cloned();
        let first = known.unwrap_or_else(|| {
            let first = find();
            self.firsts.borrow_mut().insert(key, first.clone());
            first
        });
        first.filter(|place| place.message() < before)
    }

    /// The first command that holds all words of a line, one after the other, before a message.
    pub fn command(&self, line: &str, before: MessageIdx) -> Option<Evidence> {
        self.first(("command", line), before, || {
            let words: Vec<&str> = line.split_whitespace().collect();
            let first = words.first()?;
            let likely = self.facts.commands.iter().filter(|run| run.ran && run.line.contains(first));
            let found = likely.into_iter().find(|run| {
                let said = run.line.split(|c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '(' | ')'));
                let said: Vec<&str> = said.filter(|w| !w.is_empty()).collect();
                said.windows(words.len()).any(|part| part == words)
            });
            found.map(|run| self.session.whole(run.message))
        })
    }

    /// The first change of a file of this kind before a message.
    pub fn changed(&self, before: MessageIdx, fits: impl Fn(&str) -> bool) -> Option<&'a FileTouch> {
        let changes = |f: &&FileTouch| matches!(f.act, FileAct::Edited | FileAct::Written) && f.succeeded;
        self.facts.files.iter().filter(changes).find(|f| f.message < before && fits(&f.path))
    }

    /// Whether a file of this name was opened, or a command names it, before a message.
    pub fn opened(&self, name: &str, before: MessageIdx) -> Option<Evidence> {
        let wanted = name.to_lowercase();
        let same = |path: &str| base_name(path).to_lowercase().starts_with(&wanted);
        let touched = self.first(("touched", name), before, || {
            self.facts.files.iter().find(|f| same(&f.path)).map(|f| f.evidence.clone())
        });
        touched.or_else(|| {
            self.first(("named", name), before, || {
                let names = |run: &&CommandRun| run.parts.iter().any(|p| p.args.iter().any(|a| same(a)));
                self.facts.commands.iter().find(names).map(|run| self.session.whole(run.message))
            })
        })
    }

    /// Whether a tool printed words before a message.
    pub fn printed(&self, words: &str, before: MessageIdx) -> bool {
        let holds = |m: &Message| m.call.is_some() && m.output().contains(words);
        self.first(("printed", words), before, || self.first_message(holds)).is_some()
    }

    /// Whether a search was given these words before a message.
    pub fn searched_for(&self, words: &str, before: MessageIdx) -> bool {
        let searches = |m: &Message| matches!(m.tool(), Some(ToolKind::Search | ToolKind::Shell | ToolKind::Agent));
        let given = |m: &Message| m.parts.iter().any(|p| p.kind == PartKind::Input && holds_word(&p.text, words));
        self.first(("searched", words), before, || self.first_message(|m| searches(m) && given(m))).is_some()
    }

    /// Whether any page of the web was shown before a message.
    pub fn read_web(&self, before: MessageIdx) -> bool {
        let shows = |m: &Message| m.tool() == Some(ToolKind::Web) && m.output().len() > 200;
        self.first(("web", ""), before, || self.first_message(shows)).is_some()
    }

    /// The first message that fits.
    pub fn first_message(&self, fits: impl Fn(&Message) -> bool) -> Option<Evidence> {
        self.session.iter().find(|(_, m)| fits(m)).map(|(at, _)| self.session.whole(at))
    }

    /// The first command that ran and fits.
    pub fn first_run(&self, fits: impl Fn(&CommandRun) -> bool) -> Option<Evidence> {
        self.facts.commands.iter().find(|run| run.ran && fits(run)).map(|run| self.session.whole(run.message))
    }

    /// Whether a text of the agent, from a message on, says something.
    pub fn tells(&self, from: MessageIdx, says: impl Fn(&str) -> bool) -> bool {
        let mut later = self.session.messages[from.at()..].iter().filter(|m| m.kind == MessageKind::Text);
        later.any(|m| says(m.prose()))
    }

    /// The last text of the agent that says something.
    pub fn last_telling(&self, says: impl Fn(&str) -> bool) -> Option<MessageIdx> {
        let mut texts = self.session.iter().filter(|(_, m)| m.kind == MessageKind::Text);
        texts.rfind(|(_, m)| says(m.prose())).map(|(at, _)| at)
    }

    /// The last message.
    pub fn last(&self) -> MessageIdx {
        MessageIdx(self.session.messages.len().saturating_sub(1) as u32)
    }

    /// One past the last message: before it lies everything.
    pub fn end(&self) -> MessageIdx {
        MessageIdx(self.session.messages.len() as u32)
    }

    /// Commands in code spans of the last request before a message that holds some, or of the plan that was handed over:
    /// those whose program ran in this session, with something behind it.
    pub fn asked_for(&self, before: MessageIdx) -> Vec<Evidence> {
        let programs: BTreeSet<&str> =
            self.ran(before).flat_map(|run| &run.parts).map(|part| part.program.as_str()).collect();
        let asks =
            |at: &MessageIdx| self.session.by_user(*at) || self.session.message(*at).tool() == Some(ToolKind::Plan);
        let mut all = self.session.indices().rev().filter(|at| *at < before).filter(asks);
        all.find_map(|at| Some(self.commands_in(at, &programs)).filter(|found| !found.is_empty())).unwrap_or_default()
    }

    fn commands_in(&self, at: MessageIdx, programs: &BTreeSet<&str>) -> Vec<Evidence> {
        let known = |command: &str| {
            let mut words = command.split_whitespace();
            words.next().is_some_and(|program| programs.contains(program)) && words.next().is_some()
        };
        let texts = self.session.message(at).parts.iter().enumerate();
        let texts = texts.filter(|(_, part)| matches!(part.kind, PartKind::Prose | PartKind::Input));
        let mut found = Vec::new();
        for (part, text) in texts {
            for span in SPAN.captures_iter(&text.text).filter_map(|found| found.get(1)) {
                for command in span.as_str().split([';', '|', '&']).map(|c| c.trim().trim_start_matches("$ ")) {
                    let start = command.as_ptr() as usize - text.text.as_ptr() as usize;
                    let place = ByteSpan::new(start, start + command.len());
                    found.extend(Some(command).filter(|c| known(c)).and_then(|_| self.session.cite(at, part, place)));
                }
            }
        }
        found
    }

    /// What was searched for something that is not there.
    pub fn all_before(&self, at: MessageIdx) -> Evidence {
        self.session.searched(MessageIdx(0), at)
    }
}

/// The numbers of a log, the assistant's texts and reasoning left out.
fn numbers(session: &Session) -> Vec<Shown> {
    let mut numbers = Vec::new();
    for (message, m) in session.iter().filter(|(_, m)| m.kind != MessageKind::Text) {
        let prints = m.kind == MessageKind::User || m.tool().is_some_and(|kind| PRINTING.contains(&kind));
        for (part, text) in m.parts.iter().enumerate().filter(|(_, p)| p.kind != PartKind::Reasoning) {
            let values = NUMBER.find_iter(&text.text).filter(|n| !is_line_number(&text.text, n.start(), n.end()));
            numbers.extend(values.filter_map(|found| {
                let span = ByteSpan::new(found.start(), found.end());
                let told = prints && text.kind != PartKind::Input;
                Some(Shown { value: value(found.as_str())?, message, place: Some((part as u16, span)), told })
            }));
        }
    }
    // What the harness hands in, sub-agents' reports among it, is told beside the message that it stands behind.
    for notice in session.notices.iter().filter(|notice| notice.before > 0) {
        let message = MessageIdx(notice.before - 1);
        let values = NUMBER.find_iter(&notice.text).filter_map(|found| value(found.as_str()));
        numbers.extend(values.map(|value| Shown { value, message, place: None, told: true }));
    }
    numbers.sort_by(|a, b| a.value.total_cmp(&b.value).then(a.message.cmp(&b.message)).then(a.place.cmp(&b.place)));
    numbers
}

/// Whether a number counts the lines of a listing, or names a place in a file: `  403→`, `403\t`, `main.go:403:`.
fn is_line_number(text: &str, start: usize, end: usize) -> bool {
    let before = &text.as_bytes()[..start];
    let leads = before.iter().rev().find(|b| **b != b' ').is_none_or(|b| *b == b'\n');
    let rest = &text[end..];
    leads && (rest.starts_with(['→', '\t', '│']) || rest.starts_with(": ") || rest.starts_with("| "))
        || before.ends_with(b":") && rest.starts_with(':')
}

/// Most decimals after each other that are added.
const ADDED: usize = 6;
/// Outputs with more decimals than this are tables, of which nobody adds neighbours.
const MOST_DECIMALS: usize = 40;

/// Sums of two to [`ADDED`] decimals after each other, in outputs that show few.
fn sums(session: &Session) -> Vec<(f64, MessageIdx)> {
    let mut sums = Vec::new();
    for (message, m) in session.iter().filter(|(_, m)| m.tool().is_some_and(|kind| PRINTING.contains(&kind))) {
        let found = NUMBER.find_iter(m.output()).filter(|n| n.as_str().contains('.'));
        let decimals: Vec<f64> = found.take(MOST_DECIMALS + 1).filter_map(|n| value(n.as_str())).collect();
        if decimals.len() > MOST_DECIMALS {
            continue;
        }
        for from in 0..decimals.len() {
            let mut sum = decimals[from];
            for next in decimals[from + 1..].iter().take(ADDED - 1) {
                sum += next;
                sums.push((sum, message));
            }
        }
    }
    sums.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    sums
}

/// What tools print, other than what files hold.
const PRINTING: [ToolKind; 5] = [ToolKind::Shell, ToolKind::Job, ToolKind::Web, ToolKind::Agent, ToolKind::Other];

/// Places of one value that are looked at for one before the message: nearly always the first is.
const NEAR: usize = 4096;

/// Whether a text holds a word that is no part of a longer one.
pub fn holds_word(text: &str, word: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(word)
        .any(|(at, _)| !part(text[..at].chars().next_back()) && !part(text[at + word.len()..].chars().next()))
}

/// The value of a number as written.
pub fn value(token: &str) -> Option<f64> {
    let digits: String =
        token.chars().filter(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '-' | '+')).collect();
    digits.parse().ok()
}
