//! What a session changed in the end. What its commits hold says it surest; else the files that were edited or written
//! and neither put back, moved away nor deleted later. Each is known by its last touch: the first may be a broken one.

use std::sync::LazyLock;

use regex::Regex;

use super::{Material, figures};
use crate::{
    base::{
        ids::MessageIdx,
        path::{base_name, same_file},
    },
    model::{
        command::{CommandRun, SimpleCommand},
        evidence::Evidence,
        facts::{FileAct, FileTouch},
        message::Outcome,
    },
};

/// A changed file.
pub struct Product {
    /// Where it was touched last; where no touch is shown, where it was handed to version control.
    pub message: MessageIdx,
    /// Its name there.
    pub name: Evidence,
    /// How often it was touched.
    pub times: usize,
}

/// The changed files, the most touched first.
pub fn of(m: &Material) -> Vec<Product> {
    let mut all = match committed(m) {
        Some((added, last)) => {
            let held = added.iter().filter_map(|(at, path)| handed_over(m, *at, path));
            let later = touched(m).into_iter().filter(|(_, t)| t.message > last);
            let later = later.filter(|(_, t)| !added.iter().any(|(_, path)| same_file(path, &t.path)));
            held.chain(later.map(|(times, touch)| by_touch(m, times, touch))).collect()
        }
        None => {
            let held = |t: &FileTouch| !left_out(m, t);
            let all = touched(m).into_iter().filter(|(_, t)| held(t));
            all.map(|(times, touch)| by_touch(m, times, touch)).collect::<Vec<_>>()
        }
    };
    all.sort_by_key(|p| (std::cmp::Reverse(p.times), p.message));
    all
}

fn by_touch(m: &Material, times: usize, touch: &FileTouch) -> Product {
    Product { message: touch.message, name: figures::file_name(m, touch), times }
}

/// Files of which the last act of the stretch changed them, each with how often it was touched and its last touch.
fn touched<'a>(m: &Material<'a>) -> Vec<(usize, &'a FileTouch)> {
    let mut files: Vec<(usize, &FileTouch)> = Vec::new();
    let acts = |f: &&FileTouch| f.act != FileAct::Read && f.succeeded && m.told(f.message) && !passing(&f.path);
    for touch in m.facts.files.iter().filter(acts) {
        match files.iter_mut().find(|(_, known)| same_file(&known.path, &touch.path)) {
            Some((times, last)) => (*times, *last) = (*times + 1, touch),
            None => files.push((1, touch)),
        }
    }
    files.retain(|(_, last)| matches!(last.act, FileAct::Edited | FileAct::Written));
    files.retain(|(_, last)| !m.facts.deleted_after(&last.path, last.message));
    files
}

/// Paths of what is not meant to stay: scratch files, the agent's own memory.
fn passing(path: &str) -> bool {
    ["/tmp/", "/scratch", "/.claude/", "/memory/", "/var/folders/"].iter().any(|part| path.contains(part))
}

/// What was handed to the commits of the stretch by name, each with where, and the last commit; `None` where no commit is
/// shown or one of them holds another number of files than were named.
fn committed<'a>(m: &Material<'a>) -> Option<(Vec<(MessageIdx, &'a str)>, MessageIdx)> {
    let (mut all, mut named, mut last) = (Vec::new(), Vec::new(), None);
    for run in m.facts.commands.iter().filter(|run| m.told(run.message) && run.ran) {
        for part in run.parts.iter().filter(|part| part.program == "git") {
            match part.args.first().map(String::as_str) {
                Some("add") => named.extend(paths(part).map(|path| (run.message, path))),
                Some("commit") if went_through(m, run) => {
                    let held = held_files(m, run)?;
                    named.sort_by_key(|n| n.1);
                    named.dedup_by_key(|n| n.1);
                    if held != named.len() {
                        return None;
                    }
                    all.append(&mut named);
                    last = Some(run.message);
                }
                _ => {}
            }
        }
    }
    all.sort_by_key(|n| (n.1, n.0));
    all.dedup_by_key(|n| n.1);
    Some((all, last?))
}

/// Words of a `git add` that are no flags.
fn paths(part: &SimpleCommand) -> impl Iterator<Item = &str> {
    part.args.iter().skip(1).map(String::as_str).filter(|a| !a.starts_with('-'))
}

fn went_through(m: &Material, run: &CommandRun) -> bool {
    let outcome = m.session.message(run.end()).call.as_ref().map(|call| call.outcome);
    !matches!(outcome, None | Some(Outcome::Failed | Outcome::Denied | Outcome::Interrupted))
}

/// How many files the commit of a run holds, by its own words.
fn held_files(m: &Material, run: &CommandRun) -> Option<usize> {
    HELD.captures(m.session.message(run.end()).output())?[1].parse().ok()
}

/// ` 2 files changed, 13 insertions(+)`; not `2 files were changed`.
static HELD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)^ (\d+) files? changed, ").expect("valid"));

fn handed_over(m: &Material, at: MessageIdx, path: &str) -> Option<Product> {
    let own = |f: &&FileTouch| f.act != FileAct::Read && f.succeeded && same_file(&f.path, path);
    let touches = || m.facts.files.iter().filter(own);
    match touches().rfind(|f| matches!(f.act, FileAct::Edited | FileAct::Written)) {
        Some(last) => Some(by_touch(m, touches().count(), last)),
        None => Some(Product { message: at, name: m.session.cite_words(at, base_name(path))?, times: 0 }),
    }
}

/// Whether a file was left out where files were handed to version control one by one: litter, what a test leaves behind.
fn left_out(m: &Material, touch: &FileTouch) -> bool {
    let later = m.facts.commands.iter().filter(|run| run.message > touch.message && run.ran && m.told(run.message));
    let (mut handed, mut named) = (false, false);
    for part in later.flat_map(|run| &run.parts).filter(|part| part.program == "git") {
        match part.args.first().map(String::as_str) {
            Some("add") => {
                let whole = part.args.iter().any(|a| matches!(a.as_str(), "-A" | "--all" | "-u" | "." | "-p"));
                let holds =
                    |path: &str| touch.path.contains(path.trim_start_matches("./").trim_end_matches(['/', '*']));
                handed = true;
                named |= whole || paths(part).any(holds);
            }
            Some("commit") => named |= part.args.iter().any(|a| a.starts_with("-a") || a == "--all"),
            _ => {}
        }
    }
    handed && !named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_count_their_files() {
        assert_eq!(&HELD.captures("[main 1a2b3c4] x\n 2 files changed, 13 insertions(+)").unwrap()[1], "2");
        assert!(!HELD.is_match("2 files were changed"));
    }
}
