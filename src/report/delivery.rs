//! The last act of delivery that went through: a commit, a push, a pull request, a release, with the sign by which it is
//! found again, where the output shows one.

use std::sync::LazyLock;

use regex::Regex;

use super::Material;
use crate::{
    base::{ids::MessageIdx, span::ByteSpan},
    model::{
        command::{CommandRun, SimpleCommand},
        evidence::Evidence,
        message::{Outcome, PartKind},
    },
};

/// An act of delivery.
pub struct Delivery {
    /// The call.
    pub message: MessageIdx,
    /// The command with its sub-command.
    pub what: Evidence,
    /// Address, branch or hash.
    pub sign: Option<Evidence>,
}

/// The last one of the stretch.
pub fn last(m: &Material) -> Option<Delivery> {
    let delivers = |c: &&CommandRun| m.told(c.message) && c.ran && c.parts.iter().any(hands_over);
    let run = m.facts.commands.iter().filter(delivers).rfind(|c| went_through(m, c))?;
    let part = run.parts.iter().rfind(|p| hands_over(p))?;
    let what = m.session.cite_words(run.message, words(part).trim())?;
    Some(Delivery { message: run.message, what, sign: sign(m, run, part) })
}

/// What the agent itself called a piece of work that it handed over.
pub struct Titled {
    /// Title of the pull request, or subject of the commit.
    pub words: Evidence,
    /// Whether it is a pull request's.
    pub request: bool,
}

/// Titles of the pull requests and commits of the stretch, in their order.
pub fn titles(m: &Material) -> Vec<Titled> {
    let done = m.facts.commands.iter().filter(|c| m.told(c.message) && c.ran && went_through(m, c));
    let parts = done.flat_map(|run| run.parts.iter().filter(|p| hands_over(p)).map(move |p| (run, p)));
    let title = |(run, part): (&CommandRun, &SimpleCommand)| {
        let request = matches!(act(part), "pr" | "mr");
        let flags: &[&str] = match act(part) {
            "pr" | "mr" if part.args.iter().any(|a| a == "create") => &["--title", "-t"],
            "commit" => &["--message", "-m", "-am"],
            _ => return None,
        };
        let words = m.session.cite_words(run.message, subject(valued(&part.args, flags)?)?)?;
        Some(Titled { words, request })
    };
    parts.filter_map(title).collect()
}

/// The value of the first of some flags.
fn valued<'a>(args: &'a [String], flags: &[&str]) -> Option<&'a str> {
    args.iter().enumerate().find_map(|(i, arg)| match arg.split_once('=') {
        _ if flags.contains(&arg.as_str()) => args.get(i + 1).map(String::as_str),
        Some((flag, value)) if flags.contains(&flag) => Some(value),
        _ => None,
    })
}

/// The first line of a message, also of one that the shell reads from a here-document.
fn subject(message: &str) -> Option<&str> {
    let mut lines = message.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next()?;
    let line = if first.starts_with("$(cat <<") { lines.next()? } else { first };
    (line.split_whitespace().count() >= 2 && !line.starts_with('$')).then_some(line)
}

/// Whether a call came back and did what it was asked. Without a result nobody knows.
fn went_through(m: &Material, run: &CommandRun) -> bool {
    m.session.message(run.message).call.as_ref().is_some_and(|call| {
        let stopped = matches!(call.outcome, Outcome::Failed | Outcome::Denied | Outcome::Interrupted);
        call.result_at.is_some() && !stopped
    })
}

fn hands_over(part: &SimpleCommand) -> bool {
    let tries = part.args.iter().any(|a| TRIES.contains(&a.as_str()));
    let publishes = part.class.0 == "publish" && !act(part).is_empty();
    !tries && (publishes || part.class.0 == "vcs-write" && DELIVERS.contains(&act(part)))
}

/// Flags under which nothing leaves the house.
const TRIES: &[&str] = &["--dry-run", "--help", "--list", "--snapshot", "--version", "-h", "-l", "-n"];

/// Acts of version control that hand work over.
const DELIVERS: &[&str] = &["commit", "push", "tag"];

fn act(part: &SimpleCommand) -> &str {
    part.args.iter().find(|a| !a.starts_with('-')).map_or("", String::as_str)
}

/// The command with its sub-command; of tools that act on kinds of things with both words.
fn words(part: &SimpleCommand) -> String {
    match part.args.get(1).filter(|_| matches!(part.program.as_str(), "gh" | "glab")) {
        Some(verb) => [part.program.as_str(), act(part), verb].join(" "),
        None => [part.program.as_str(), act(part)].join(" "),
    }
}

/// How an act shows what it made: the word of the act, and where the sign stands.
static SIGNS: LazyLock<[(&str, Regex); 4]> = LazyLock::new(|| {
    let valid = |pattern| Regex::new(pattern).expect("valid");
    [
        ("pr", valid(r"(https://[\w./-]+/pull/\d+)")),
        ("mr", valid(r"(https://[\w./-]+/merge_requests/\d+)")),
        ("commit", valid(r"(?m)^\[([\w./-]+(?: \(root-commit\))? [0-9a-f]{7,40})\]")),
        ("push", valid(r"(?m)^\s+(?:\* \[new (?:branch|tag)\]|\+? ?[0-9a-f]+\.{2,3}[0-9a-f]+)\s+(\S+ -> \S+)")),
    ]
});

fn sign(m: &Material, run: &CommandRun, part: &SimpleCommand) -> Option<Evidence> {
    let (_, like) = SIGNS.iter().find(|(word, _)| *word == act(part))?;
    let at = m.session.message(run.end()).part_at(PartKind::Output)?;
    let output = &m.session.message(run.end()).parts[at].text;
    let found = like.captures(output)?.get(1)?;
    m.session.cite(run.end(), at, ByteSpan::new(found.start(), found.end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subject_of_a_message_is_its_first_line() {
        assert_eq!(subject("Oil the gate\n\nIt squeaks."), Some("Oil the gate"));
        assert_eq!(subject("$(cat <<'EOF'\nOil the gate\nEOF\n)"), Some("Oil the gate"));
        assert_eq!(subject("$TITLE"), None);
        let args: Vec<String> = ["create", "--title=Oil the gate", "-b", "x"].map(String::from).to_vec();
        assert_eq!(valued(&args, &["--title", "-t"]), Some("Oil the gate"));
    }

    #[test]
    fn each_sign_is_known_in_its_output_and_in_no_other() {
        let of = |word: &str, text: &str| {
            let (_, like) = SIGNS.iter().find(|(w, _)| *w == word).unwrap();
            like.captures(text).map(|c| c[1].to_string())
        };
        assert_eq!(of("pr", "https://example.org/a/b/pull/7\n").as_deref(), Some("https://example.org/a/b/pull/7"));
        assert_eq!(of("commit", "[main 1a2b3c4] Mend\n 1 file changed").as_deref(), Some("main 1a2b3c4"));
        assert_eq!(of("push", "To x\n   1a2b3c4..5d6e7f8  main -> main\n").as_deref(), Some("main -> main"));
        assert_eq!(of("push", " ! [rejected]  main -> main (fetch first)"), None);
        assert_eq!(
            of("mr", "https://example.org/a/-/merge_requests/9").as_deref(),
            Some("https://example.org/a/-/merge_requests/9")
        );
        assert_eq!(of("commit", "commit 1a2b3c4"), None);
    }
}
