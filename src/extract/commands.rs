//! Shell calls, split, unwrapped and classified by the table in `commands.toml`.
//!
//! A command counts only if it ran: a line that the shell did not find, could not parse, or was denied is kept with
//! `ran` false. What a command did to the work is for later extractors.

use std::{cmp::Reverse, collections::BTreeMap, sync::LazyLock};

use regex::Regex;
use serde::Deserialize;

use super::{
    Extractor, invocation, jobs,
    shell::{self, Simple},
};
use crate::{
    base::ids::MessageIdx,
    model::{
        command::{CommandClass, CommandRun, SimpleCommand},
        facts::Facts,
        message::{Message, Outcome},
        session::Session,
    },
};

/// See the module.
pub struct Commands;

impl Extractor for Commands {
    fn name(&self) -> &'static str {
        "commands"
    }

    fn about(&self) -> &'static str {
        "Shell calls, split, unwrapped and classified by a table"
    }

    fn run(&self, session: &Session, facts: &mut Facts) {
        let mut polls = jobs::polls(session);
        facts.commands.extend(session.iter().filter_map(|(at, message)| {
            let run = run_of(at, message)?;
            Some(CommandRun { polls: polls.remove(&at).unwrap_or_default(), ..run })
        }));
    }
}

fn run_of(at: MessageIdx, message: &Message) -> Option<CommandRun> {
    let line = message.command()?;
    let parts = parts(line);
    let class = parts.iter().map(|p| &p.class).max_by_key(|c| VOCABULARY.consequence(c)).cloned();
    Some(CommandRun {
        message: at,
        line: line.to_string(),
        class: class.unwrap_or(CommandClass("noop".into())),
        ran: has_run(message, &parts),
        key: key(&parts),
        invocation: invocation::of(line, &parts),
        polls: Vec::new(),
        parts,
    })
}

/// The simple commands of a line, classified.
pub fn parts(line: &str) -> Vec<SimpleCommand> {
    shell::commands(line).into_iter().map(classified).collect()
}

fn classified(simple: Simple) -> SimpleCommand {
    let class = match VOCABULARY.class_of(&simple.program, &simple.args, &simple.writes) {
        class if simple.piped && SHAPES_ITS_INPUT.contains(&class.0.as_str()) => CommandClass("noop".into()),
        class => class,
    };
    let Simple { program, args, on, env, writes, stdin, background, status_hidden, .. } = simple;
    let called = invocation::named(&program, &args).0;
    SimpleCommand { program, args, called, class, on, env, writes, stdin, background, status_hidden }
}

/// Classes of programs that, behind a pipe, only shape what the command before them printed.
const SHAPES_ITS_INPUT: &[&str] = &["read", "search"];

/// `bash: foo: command not found`, `syntax error near unexpected token`.
static NOT_RUN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)command not found|syntax error near unexpected|unexpected EOF while looking").expect("valid")
});

fn has_run(message: &Message, parts: &[SimpleCommand]) -> bool {
    if message.call.as_ref().is_some_and(|c| c.outcome == Outcome::Denied) {
        return false;
    }
    let working = parts.iter().filter(|p| p.class.0 != "noop").count();
    let output = message.output();
    !(working <= 1 && output.len() < 400 && NOT_RUN.is_match(output))
}

/// Programs that only shape the output of another: they are no part of a command's key.
#[rustfmt::skip]
const FILTERS: &[&str] = &["awk", "cat", "cd", "cut", "echo", "grep", "head", "sed", "sort", "tail", "tee", "tr", "uniq", "wc"];

/// Paths as their last part, numbers as `#`, filters and directory changes left out.
fn key(parts: &[SimpleCommand]) -> String {
    let working: Vec<&SimpleCommand> = parts.iter().filter(|p| !FILTERS.contains(&p.program.as_str())).collect();
    let kept = if working.is_empty() { parts.iter().collect() } else { working };
    let normal = |part: &SimpleCommand| {
        let words: Vec<String> = part.args.iter().map(|a| normal_word(a)).collect();
        [std::slice::from_ref(&part.program), &words].concat().join(" ")
    };
    kept.into_iter().map(normal).collect::<Vec<_>>().join("; ")
}

fn normal_word(word: &str) -> String {
    let base = if word.contains("://") { word } else { word.trim_end_matches('/').rsplit('/').next().unwrap_or(word) };
    let mut out = String::with_capacity(base.len());
    for c in base.chars() {
        let c = if c.is_ascii_digit() { '#' } else { c };
        if c == '#' && out.ends_with('#') {
            continue;
        }
        out.push(if c.is_whitespace() { ' ' } else { c });
    }
    out
}

/// The table as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    version: u32,
    class: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    #[serde(rename = "match")]
    patterns: Vec<String>,
}

/// The table, ready for look-up.
struct Vocabulary {
    version: u32,
    classes: Vec<CommandClass>,
    patterns: BTreeMap<String, Vec<Pattern>>,
}

struct Pattern {
    words: Vec<String>,
    flags: Vec<String>,
    class: usize,
}

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
    let table: Table = toml::from_str(include_str!("commands.toml")).expect("the built-in table is valid");
    Vocabulary::new(table)
});

/// Version of the command vocabulary, which reports print.
pub fn vocabulary_version() -> u32 {
    VOCABULARY.version
}

/// How many plain arguments a sub-command is looked for in: value flags may stand before it (`kubectl -n web get`).
const REACH: usize = 3;

impl Vocabulary {
    fn new(table: Table) -> Self {
        let mut patterns: BTreeMap<String, Vec<Pattern>> = BTreeMap::new();
        for (class, row) in table.class.iter().enumerate() {
            for text in &row.patterns {
                let mut words = text.split(' ').map(str::to_string);
                let program = words.next().unwrap_or_default();
                let (flags, words) = words.partition(|w| w.starts_with('-'));
                patterns.entry(program).or_default().push(Pattern { words, flags, class });
            }
        }
        let classes = table.class.into_iter().map(|row| CommandClass(row.name)).collect();
        Self { version: table.version, classes, patterns }
    }

    fn consequence(&self, class: &CommandClass) -> usize {
        self.classes.iter().position(|c| c == class).unwrap_or(0)
    }

    fn class_of(&self, program: &str, args: &[String], writes: &[String]) -> CommandClass {
        let found = self.look_up(program, args).map(|class| self.classes[class].clone());
        let class = found.unwrap_or_else(|| CommandClass("unknown".into()));
        let only_text = matches!(class.0.as_str(), "noop" | "read") && !writes.is_empty();
        if only_text && matches!(program, "cat" | "echo" | "printf" | "tee") {
            return CommandClass("write-heredoc".into());
        }
        class
    }

    fn look_up(&self, program: &str, args: &[String]) -> Option<usize> {
        let plain: Vec<&str> = args
            .iter()
            .map(String::as_str)
            .filter(|a| !a.starts_with('-') && !a.starts_with('+'))
            .take(REACH)
            .collect();
        let patterns = self.patterns.get(program).into_iter().flatten();
        let best = patterns
            .filter_map(|p| Some((p.fit(&plain, args)?, p.class)))
            .min_by_key(|(fit, class)| (*fit, Reverse(*class)));
        best.map(|(_, class)| class)
    }
}

impl Pattern {
    /// How well it fits, the least being best: where its words begin, then how many there are. Flags alone count as
    /// words that stand first.
    fn fit(&self, plain: &[&str], args: &[String]) -> Option<(usize, usize)> {
        let mut from = 0;
        let mut first = None;
        for word in &self.words {
            let at = from + plain[from..].iter().position(|arg| matches_word(word, arg))?;
            first.get_or_insert(at);
            from = at + 1;
        }
        let flags = self.flags.iter().all(|flag| args.iter().any(|arg| matches_flag(flag, arg)));
        let first = first.unwrap_or(if self.flags.is_empty() { REACH } else { 0 });
        flags.then_some((first, usize::MAX - self.words.len() - self.flags.len()))
    }
}

/// `*` matches anything but blanks, so that no word inside a program given as an argument counts; a path counts whole and
/// by its base name.
fn matches_word(pattern: &str, arg: &str) -> bool {
    if pattern.contains('*') && arg.contains(char::is_whitespace) {
        return false;
    }
    let base = arg.rsplit('/').next().unwrap_or(arg);
    matches_glob(pattern, arg) || (base != arg && matches_glob(pattern, base))
}

fn matches_glob(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
    let Some(last) = pattern.contains('*').then(|| pattern.rsplit('*').next().unwrap_or_default()) else {
        return rest.is_empty();
    };
    let middle: Vec<&str> = pieces.collect();
    for piece in &middle[..middle.len() - 1] {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

/// `-i` also in `-ni` and `-i.bak`; longer flags also with `=value`.
fn matches_flag(flag: &str, arg: &str) -> bool {
    let Some(letter) = flag.strip_prefix('-').filter(|l| l.len() == 1) else {
        return arg == flag || arg.strip_prefix(flag).is_some_and(|rest| rest.starts_with('='));
    };
    arg.strip_prefix('-').is_some_and(|letters| !letters.starts_with('-') && letters.contains(letter))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn class(line: &str) -> String {
        let parts = parts(line);
        let class = parts.iter().map(|p| &p.class).max_by_key(|c| VOCABULARY.consequence(c)).cloned();
        class.map(|c| c.0).unwrap_or_default()
    }

    #[test]
    fn no_pattern_stands_in_two_classes() {
        let table: Table = toml::from_str(include_str!("commands.toml")).expect("valid");
        let mut seen = BTreeSet::new();
        for pattern in table.class.iter().flat_map(|row| &row.patterns) {
            assert!(seen.insert(pattern), "{pattern} is listed twice");
        }
    }

    #[test]
    fn the_most_consequential_part_names_the_line() {
        for (line, expected) in [
            ("git add -A && git commit -m 'push it' && git push origin main", "publish"),
            ("cd /srv && ls -la | head", "list"),
            (": pytest", "noop"),
            ("cat > bench.py <<'EOF'\nprint(1)\nEOF", "write-heredoc"),
            ("cat bench.py 2>/dev/null", "read"),
            ("sed -n 1,20p x.rs", "read"),
            ("sed -i.bak s/a/b/ x.rs", "edit-inplace"),
            ("curl -sSL -o w.bin https://example.org/w", "download"),
            ("curl -s http://localhost:8000/health", "http-probe"),
            ("kubectl -n web get pods", "cluster-read"),
            ("python3 -m pytest -q", "unit-test"),
            ("CUDA_VISIBLE_DEVICES=0 python bench_attn.py", "microbench"),
            ("sudo systemctl restart web", "service-control"),
            ("sudo systemctl stop web", "stop"),
            ("ssh h 'sudo journalctl -u web -n 50'", "log-read"),
            ("cargo +nightly test -q", "unit-test"),
            ("frobnicate --all", "unknown"),
        ] {
            assert_eq!(class(line), expected, "{line}");
        }
    }

    #[test]
    fn equal_keys_are_runs_of_one_command() {
        let key_of = |line: &str| key(&parts(line));
        assert_eq!(key_of("cd /a && python /a/bench.py --n 64 2>&1 | tail -5"), key_of("python bench.py --n 128"));
        assert_ne!(key_of("python bench.py"), key_of("python test.py"));
    }

    #[test]
    fn not_found_is_not_run() {
        assert!(NOT_RUN.is_match("bash: nsys: command not found"));
        assert!(!NOT_RUN.is_match("the command was found"));
    }
}
