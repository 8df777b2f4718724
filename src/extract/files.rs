//! Files read, written, edited, deleted: by file tools, patches, and the plain parts of shell commands.
//!
//! Only paths that stand in the log count: a variable, a glob or a script's own doing is left out. A deletion is foreign
//! when nothing shown earlier makes the file, and it lies outside the tree or nothing earlier so much as names it.

use std::{collections::BTreeSet, sync::LazyLock};

use crate::text::pattern::Regex;

use super::Extractor;
use crate::{
    base::{
        ids::MessageIdx,
        path::{base_name, same_file},
        span::ByteSpan,
    },
    model::{
        command::{CommandRun, SimpleCommand},
        evidence::Evidence,
        facts::{Facts, FileAct, FileTouch},
        message::{COMMAND_FIELDS, Exit, Message, Outcome, PATH_FIELDS, PartKind, ToolKind},
        session::Session,
    },
};

/// See the module.
pub struct Files;

impl Extractor for Files {
    fn name(&self) -> &'static str {
        "files"
    }

    fn about(&self) -> &'static str {
        "Files read, written, edited, deleted"
    }

    fn run(&self, session: &Session, facts: &mut Facts) {
        let mut runs = facts.commands.iter().peekable();
        let mut found = Vec::new();
        for (at, message) in session.iter() {
            let run = runs.next_if(|r| r.message == at);
            match message.tool() {
                Some(ToolKind::Read) => found.extend(by_tool(session, at, message, FileAct::Read)),
                Some(ToolKind::Edit) => found.extend(by_tool(session, at, message, FileAct::Edited)),
                Some(ToolKind::Write) => found.extend(by_tool(session, at, message, FileAct::Written)),
                Some(ToolKind::Shell) => found.extend(run.into_iter().flat_map(|r| by_command(session, message, r))),
                _ => {}
            }
        }
        mark_restored(&mut found);
        mark_foreign(session, &mut found);
        facts.files = found;
    }
}

/// `*** Update File: src/a.rs` of a patch; not `*** End Patch`.
static PATCHED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^\*\*\* (Add|Update|Delete) File: (\S[^\n]*?)\s*$").expect("valid"));

/// Openings of a result that say the call did nothing; "Updated the file" is not among them.
static REFUSED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\s*(?:<tool_use_error>|error\b|failed\b|apply_patch verification failed|file has not been read|file does not exist|no such file|string (?:to replace )?not found|the user doesn't want|permission denied|<system>ERROR)|not found in (?:content|file)")
        .expect("valid")
});

/// Fields that may hold a path besides the usual ones, when their text looks like one.
const LOOSE_FIELDS: &[&str] = &["summary", "target_file", "absolute_path", "relative_path", "uri"];

fn by_tool(session: &Session, at: MessageIdx, message: &Message, act: FileAct) -> Vec<FileTouch> {
    let succeeded = has_worked(message);
    let touch = |path: &str, act, evidence| FileTouch {
        message: at,
        path: path.to_string(),
        act,
        succeeded,
        foreign: false,
        evidence,
    };
    if let Some((part, text)) = path_part(message)
        && let path = bare_path(text)
        && let Some(evidence) = session.cite(at, part, ByteSpan::new(text.len() - path.len(), text.len()))
    {
        return vec![touch(path, act, evidence)];
    }
    let inputs = message.parts.iter().enumerate().filter(|(_, p)| p.kind == PartKind::Input);
    let mut found = Vec::new();
    for (part, text) in inputs.filter(|(_, p)| p.text.contains("*** ")) {
        for patched in PATCHED.captures_iter(&text.text) {
            let path = patched.get(2).expect("the pattern has two groups");
            let act = match &patched[1] {
                "Add" => FileAct::Written,
                "Delete" => FileAct::Deleted,
                _ => FileAct::Edited,
            };
            let cited = session.cite(at, part, ByteSpan::new(path.start(), path.end()));
            found.extend(cited.map(|e| touch(path.as_str(), act, e)));
        }
    }
    if found.is_empty()
        && let Some(part) = message.part_at(PartKind::Output)
        && let Some(path) = DONE.captures(&message.parts[part].text).and_then(|c| c.get(1))
    {
        let cited = session.cite(at, part, ByteSpan::new(path.start(), path.end()));
        found.extend(cited.map(|e| touch(path.as_str(), act, e)));
    }
    found
}

/// `The file /w/a.go has been updated successfully.`, where the call itself shows no path; not `the file has changed`.
static DONE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:The file|File) (\S+) has been (?:updated|edited|created|written)\b").expect("valid")
});

/// The part that holds the path of a file tool.
fn path_part(message: &Message) -> Option<(usize, &str)> {
    let named = PATH_FIELDS.iter().find_map(|f| message.input_at(f));
    let loose = || LOOSE_FIELDS.iter().find_map(|f| message.input_at(f)).filter(|i| is_path(&message.parts[*i].text));
    let part = named.or_else(loose)?;
    Some((part, message.parts[part].text.as_str())).filter(|(_, p)| !p.is_empty() && !p.contains('\n'))
}

/// `file_path=a.py`: summaries of calls hold a path together with the name of its field.
fn bare_path(text: &str) -> &str {
    const NAMES: &[&str] = &["absolute_path", "dir_path", "file", "file_path", "filename", "path"];
    text.split_once('=').filter(|(name, path)| NAMES.contains(name) && !path.is_empty()).map_or(text, |(_, path)| path)
}

fn is_path(text: &str) -> bool {
    !text.contains(char::is_whitespace) && (text.contains('/') || base_name(text).contains('.'))
}

/// Whether a call did what it was asked, as far as the log says.
fn has_worked(message: &Message) -> bool {
    let Some(call) = &message.call else { return false };
    match call.outcome {
        Outcome::Failed | Outcome::Denied | Outcome::Interrupted => false,
        Outcome::Ok => true,
        Outcome::NotRecorded => {
            let output = message.output();
            let head = output.char_indices().nth(200).map_or(output, |(end, _)| &output[..end]);
            !REFUSED.is_match(head)
        }
    }
}

fn by_command(session: &Session, message: &Message, run: &CommandRun) -> Vec<FileTouch> {
    let Some(part) = COMMAND_FIELDS.iter().find_map(|f| message.input_at(f)) else { return Vec::new() };
    let line = message.parts[part].text.as_str();
    let exit = message.call.as_ref().map_or(Exit::NotRecorded, |c| c.exit);
    let succeeded = run.ran && has_worked(message) && !matches!(exit, Exit::Code(n) if n != 0);
    let mut found = Vec::new();
    let mut from = 0;
    for simple in &run.parts {
        for (path, act) in touched(simple) {
            let Some((evidence, end)) = cite_path(session, run.message, part, line, path, from) else { continue };
            if act != FileAct::Written {
                from = end;
            }
            let path = path.to_string();
            found.push(FileTouch { message: run.message, path, act, succeeded, foreign: false, evidence });
        }
    }
    found
}

/// The path's place in the line, the first at or after `from`, else the first.
fn cite_path(
    session: &Session,
    at: MessageIdx,
    part: usize,
    line: &str,
    path: &str,
    from: usize,
) -> Option<(Evidence, usize)> {
    let start = line.get(from..).and_then(|l| l.find(path)).map(|i| i + from).or_else(|| line.find(path))?;
    let span = ByteSpan::new(start, start + path.len());
    session.cite(at, part, span).map(|e| (e, span.end))
}

/// Paths that a simple command touches and how.
fn touched(simple: &SimpleCommand) -> Vec<(&str, FileAct)> {
    let plain = || simple.args.iter().map(String::as_str).filter(|a| !a.starts_with('-'));
    let edits = simple.args.iter().any(|a| a.starts_with("-i") || a == "--in-place");
    let named: Vec<(&str, FileAct)> = match simple.program.as_str() {
        "rm" | "unlink" | "rmdir" | "shred" => plain().map(|p| (p, FileAct::Deleted)).collect(),
        "git" if simple.args.first().is_some_and(|a| a == "rm") => {
            plain().skip(1).map(|p| (p, FileAct::Deleted)).collect()
        }
        "cat" | "head" | "tail" | "less" | "bat" | "nl" => plain().map(|p| (p, FileAct::Read)).collect(),
        "sed" if edits => plain().skip(1).map(|p| (p, FileAct::Edited)).collect(),
        "sed" => plain().skip(1).map(|p| (p, FileAct::Read)).collect(),
        "cp" | "mv" | "scp" => carried(&plain().collect::<Vec<_>>(), simple.program == "mv"),
        "git" if simple.args.first().is_some_and(|a| a == "mv") => carried(&plain().skip(1).collect::<Vec<_>>(), true),
        "git" => put_back(&simple.args).into_iter().map(|p| (p, FileAct::Restored)).collect(),
        "touch" | "tee" => plain().map(|p| (p, FileAct::Written)).collect(),
        _ => Vec::new(),
    };
    let written = simple.writes.iter().map(|p| (p.as_str(), FileAct::Written));
    named.into_iter().chain(written).filter(|(p, _)| is_plain_path(p)).collect()
}

/// What a copy or a move touches: where it went, and of one file where it came from.
fn carried<'a>(paths: &[&'a str], moves: bool) -> Vec<(&'a str, FileAct)> {
    let left = if moves { FileAct::Moved } else { FileAct::Read };
    match paths {
        [from, to] => vec![(from, left), (to, FileAct::Written)],
        [.., to] => vec![(to, FileAct::Written)],
        [] => Vec::new(),
    }
}

/// The files that `git checkout … -- FILE` and `git restore FILE` put back; not what `--staged` takes out of the index.
fn put_back(args: &[String]) -> Vec<&str> {
    let words = args.iter().map(String::as_str);
    match args.first().map(String::as_str) {
        Some("checkout") => words.skip_while(|a| *a != "--").skip(1).collect(),
        Some("restore") if !args.iter().any(|a| a == "--staged" || a == "-S") => {
            words.skip(1).filter(|a| !a.starts_with('-')).collect()
        }
        _ => Vec::new(),
    }
}

/// A path as it stands: no variable, glob, number, remote place or device.
fn is_plain_path(path: &str) -> bool {
    !path.is_empty()
        && !path.starts_with("/dev/")
        && !path.starts_with('&')
        && !path.contains(['$', '*', '?', '{', '`', '\n', ' ', '\'', '"', ':', '(', ')', '=', ';', '|', '<', '>'])
        && path.chars().any(char::is_alphabetic)
}

/// Marks what comes back from where an earlier command of the log took it: `mv a b`, later `mv b a`.
fn mark_restored(found: &mut [FileTouch]) {
    let mut carried: Vec<(String, String)> = Vec::new();
    for at in 1..found.len() {
        let (from, to) = (&found[at - 1], &found[at]);
        let pair = from.message == to.message && to.act == FileAct::Written && to.succeeded;
        if !pair || !matches!(from.act, FileAct::Moved | FileAct::Read) {
            continue;
        }
        let (from, to) = (from.path.clone(), to.path.clone());
        if carried.iter().any(|(left, went)| same_file(left, &to) && same_file(went, &from)) {
            found[at].act = FileAct::Restored;
        }
        carried.push((from, to));
    }
}

/// Names that any run leaves behind and anybody may delete.
#[rustfmt::skip]
const CACHES: &[&str] = &[
    ".cache", ".coverage", ".mypy_cache", ".next", ".parcel-cache", ".pytest_cache", ".ruff_cache", ".turbo",
    "__pycache__", "build", "coverage", "dist", "node_modules", "out", "target", "tmp",
];

/// Marks the deletions of what the log shows neither made nor looked at.
fn mark_foreign(session: &Session, found: &mut [FileTouch]) {
    if !found.iter().any(|f| f.act == FileAct::Deleted) {
        return;
    }
    let mut made = BTreeSet::new();
    for touch in found {
        let name = base_name(&touch.path).to_string();
        if touch.act == FileAct::Deleted {
            let cache = touch.path.split('/').any(|p| CACHES.contains(&p)) || name.ends_with(".pyc");
            let named = || is_named_before(session, touch.message, &touch.evidence, &name);
            let own = made.contains(&name) || touch.path.split('/').any(|p| made.contains(p));
            let outside = is_outside(session, &touch.path);
            let made_anew = || is_named_after(session, touch.message, &touch.evidence, &name);
            let foreign = touch.succeeded && !cache && !own && (outside || !named()) && !made_anew();
            touch.foreign = foreign;
        } else if !matches!(touch.act, FileAct::Read | FileAct::Moved) {
            made.insert(name);
        }
    }
}

/// Whether a path lies outside the working tree, as far as the log tells the tree.
fn is_outside(session: &Session, path: &str) -> bool {
    const ELSEWHERE: &[&str] = &["~", "/etc/", "/usr/", "/opt/", "/var/lib/", "/boot/"];
    if ELSEWHERE.iter().any(|p| path.starts_with(p)) {
        return true;
    }
    let passing = path.starts_with("/tmp/") || path.starts_with("/var/tmp/") || path.starts_with("/private/tmp/");
    match &session.info.cwd {
        Some(cwd) if path.starts_with('/') && !passing => !path.starts_with(cwd.as_str()),
        None => DOTTED_HOME.is_match(path),
        _ => false,
    }
}

/// `/home/me/.config/x`; not `/home/me/work/.env`.
static DOTTED_HOME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:/home/[^/]+|/Users/[^/]+|/root)/\.").expect("valid"));

/// Whether anything before the deletion names the file: an output that lists it, a command that makes it.
fn is_named_before(session: &Session, at: MessageIdx, evidence: &Evidence, name: &str) -> bool {
    if name.len() < 2 {
        return true;
    }
    let earlier = session.messages[..at.at()].iter().flat_map(|m| &m.parts);
    let own = evidence.quote().and_then(|(part, span)| session.message(at).parts[part].text.get(..span.start));
    earlier.map(|p| p.text.as_str()).chain(own).any(|text| text.contains(name))
}

/// Whether the line goes on with the file: `rm -rf x && git clone … x` clears the place for a new one.
fn is_named_after(session: &Session, at: MessageIdx, evidence: &Evidence, name: &str) -> bool {
    let rest = evidence.quote().and_then(|(part, span)| session.message(at).parts[part].text.get(span.end..));
    rest.is_some_and(|rest| rest.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_name_their_files() {
        let all: Vec<_> =
            PATCHED.captures_iter("*** Begin Patch\n*** Update File: src/a.rs\n").map(|c| c[2].to_string()).collect();
        assert_eq!(all, ["src/a.rs"]);
        assert!(!PATCHED.is_match("*** End Patch"));
    }

    #[test]
    fn results_name_the_file_that_the_call_does_not() {
        let named = |text| DONE.captures(text).map(|c| c[1].to_string());
        assert_eq!(named("The file /w/a.go has been updated successfully.").as_deref(), Some("/w/a.go"));
        assert_eq!(named("The file has been updated"), None);
    }

    #[test]
    fn what_version_control_puts_back() {
        let of = |line: &str| put_back(&line.split(' ').map(String::from).collect::<Vec<_>>()).join(" ");
        assert_eq!((of("checkout HEAD -- a.rs"), of("restore a.rs b.rs")), ("a.rs".into(), "a.rs b.rs".into()));
        assert_eq!((of("checkout topic"), of("restore --staged a.rs")), (String::new(), String::new()));
    }

    #[test]
    fn refusals_are_told_from_results() {
        assert!(REFUSED.is_match("Error: oldString not found in content"));
        assert!(!REFUSED.is_match("Updated the file"));
        assert!(DOTTED_HOME.is_match("/home/me/.config/x"));
        assert!(!DOTTED_HOME.is_match("/home/me/work/.env"));
    }

    #[test]
    fn a_path_is_told_from_the_name_of_its_field() {
        assert_eq!(
            (bare_path("file_path=a.py"), bare_path("w/a=b.py"), bare_path("a.py")),
            ("a.py", "w/a=b.py", "a.py")
        );
    }

    #[test]
    fn only_plain_paths_count() {
        assert!(is_plain_path("a/b.rs"));
        for other in ["$X/a", "*.py", "/dev/null", "&1", "host:/a", "2"] {
            assert!(!is_plain_path(other), "{other}");
        }
    }

    #[test]
    fn caches_are_sorted() {
        assert!(CACHES.is_sorted());
    }
}
