//! What the user asked for, limited, or objected to: user texts in clauses, each an exact substring.
//!
//! What the harness puts into the user's mouth (instruction files, command envelopes, resumed summaries) and what the
//! user pastes (logs, traces, code) makes no request. Whether a request was met is not told here.

use std::sync::LazyLock;

use crate::text::pattern::Regex;

use super::{
    Extractor,
    sentence_cues::{OBJECTION, REQUESTS},
};
use crate::{
    base::{ids::MessageIdx, span::ByteSpan},
    model::{
        evidence::Evidence,
        facts::{Facts, Request, RequestKind, StatementKind},
        message::{MessageKind, PartKind},
        session::Session,
    },
    text::{
        sentence::{Block, Sentence, clauses, sentences, word_count},
        terms::terms,
    },
};

/// See the module.
pub struct Requests;

impl Extractor for Requests {
    fn name(&self) -> &'static str {
        "requests"
    }

    fn about(&self) -> &'static str {
        "What the user asked for, limited, or objected to"
    }

    fn run(&self, session: &Session, facts: &mut Facts) {
        let mut found: Vec<Request> = Vec::new();
        for (at, message) in session.iter().filter(|(at, _)| session.by_user(*at)) {
            for (part, text) in message.parts.iter().enumerate().filter(|(_, p)| p.kind == PartKind::Prose) {
                let first = found.is_empty();
                found.extend(asked(session, at, part, &text.text, first));
            }
        }
        open_with_goal(&mut found);
        facts.requests = found;
    }
}

/// Longest request that is quoted, in words.
const LONGEST: usize = 40;
/// Most clauses that ask something taken from one message; task descriptions run on.
const MOST: usize = 16;
/// How many messages after a claim an objection to it may stand.
const REACH: u32 = 3;

/// A placeholder in place of the user's words: `[redacted:text:1]`, `[trimmed for fixture]`; not `[ ] check the door`.
static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\s*(?:\[(?:redacted|trimmed|omitted|truncated|removed)\b[^\]]*\]\s*)+$").expect("valid")
});

/// `# AGENTS.md instructions for /repo`, `<environment_context>`; not `# Fix the parser`.
static BOILERPLATE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:# AGENTS\.md|# CLAUDE\.md|<(?:environment_context|user_instructions|instructions|system-reminder|command-(?:name|message|args)|local-command-\w+|task-notification|bash-(?:input|stdout|stderr)|ide_\w+|turn_aborted|subagent_notification|permissions[ \w]*|collaboration_mode|skill|INSTRUCTIONS|EXTREMELY_IMPORTANT)\b|Caveat: The messages below|\[Request interrupted|Base directory for this skill|\[Image|API Error|Stop hook feedback)")
        .expect("valid")
});

/// `2026-03-10 14:13:43 INFO x`, `  File "a.py", line 3`, `    at foo (a.js:3)`, `$ make`; not `see a.py line 3`.
static PASTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d|\[?\d\d:\d\d:\d\d|File "[^"]+", line|at [\w.$<>]+ ?\(|Traceback \(|[\w.]*(?:Error|Exception): |(?:error|warning)(?:\[\w+\])?: |[$#>%] ?[\w./]+ |\w+@[\w.-]+[:~ ]|[+-]{3} |@@ |\d+[:|]\s|[{}\[\]<⎿]|\(\w+\) )"#)
        .expect("valid")
});

/// "ok ", "please " before the request and " then", " please" after it; not "then" within.
static LEAD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:(?:ok(?:ay)?|please|pls|and|so|also|now|hey|hi|well|alright|great|good|nice|yes|sure|cool|thanks)[,.!]? +)+").expect("valid")
});

/// What one text of the user asks; the first of a session is its task, whatever it is called.
fn asked(session: &Session, at: MessageIdx, part: usize, text: &str, first: bool) -> Vec<Request> {
    if BOILERPLATE.is_match(text) || PLACEHOLDER.is_match(text) {
        return Vec::new();
    }
    if let Some(task) = task_of(text) {
        return titled(session, at, part, text, task).into_iter().collect();
    }
    let mut found = Vec::new();
    let own = own_words(text);
    let document = is_document(&text[..own]);
    let objected = objection(session, at, text);
    let mut all = sentences(text);
    all.retain(|s| s.span.end <= own);
    let title = all.iter().position(|s| s.block == Block::Heading).filter(|_| document);
    let task = title.is_some_and(|title| first || is_task(text, &all[..=title]));
    for (i, sentence) in all.iter().enumerate().filter(|(_, s)| s.block != Block::Quote) {
        for clause in clauses(text, sentence.span) {
            let clause = behind_command(text, clause);
            let clause = closed(text, sentence.span, clause);
            // Half a code span is half of something, and would break the Markdown around it.
            let Some(words) = clause.of(text).filter(|words| words.matches('`').count() % 2 == 0) else { continue };
            if BARE_COMMAND.is_match(words) {
                continue;
            }
            if PASTED.is_match(words) || is_pasted(text, clause.start) || !is_prose(words) {
                continue;
            }
            let span = shortened(text, bare(text, clause));
            let Some(evidence) = session.cite(at, part, span) else { continue };
            let kind = match title {
                Some(title) if i == title && task => RequestKind::Goal,
                Some(title) if i == title => RequestKind::Remark,
                Some(title) if i > title && !FORBIDDEN.is_match(words) => continue,
                _ => kind_of(words, sentence.block),
            };
            found.push(Request { message: at, kind, evidence, about: None, conceded: None });
            if found.iter().filter(|r: &&Request| r.kind != RequestKind::Remark).count() == MOST {
                return found;
            }
        }
    }
    if let Some((about, conceded)) = objected {
        correct(session, &mut found, about, conceded);
    }
    found
}

/// Whether a document in a user's text is what is to be done: it is announced before its title, or titled as a task.
fn is_task(text: &str, opening: &[Sentence]) -> bool {
    let words = |s: &Sentence| s.span.of(text).unwrap_or("");
    let Some((title, before)) = opening.split_last() else { return false };
    let announced = before.iter().any(|s| REQUESTS.kind(words(s)) == Some(RequestKind::Goal));
    announced || REQUESTS.kind(words(title)) == Some(RequestKind::Goal) || TITLED.is_match(words(title))
}

/// "Plan: move the clock", "Fix: the gate stays open"; not "Review of the plan".
static TITLED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\W*(?:(?:implementation |project )?(?:plan|task|goal|objective|spec(?:ification)?|requirements?)|[a-z]+ ?(?:plan|task|spec)|fix|feat|feature|bug|refactor|chore)\b(?:[:：—–-]|$| \w+)").expect("valid")
});

/// A clause that a code span or a bracket goes on behind is the whole sentence: half of it means nothing.
fn closed(text: &str, sentence: ByteSpan, clause: ByteSpan) -> ByteSpan {
    let words = clause.of(text).unwrap_or("");
    let count = |c: char| words.matches(c).count();
    let open = count('`') % 2 == 1 || count('(') != count(')') || count('[') != count(']');
    if open { sentence } else { clause }
}

/// Whether a place lies in what a program printed: its line is such a line, or stands under one that begins the paragraph.
fn is_pasted(text: &str, at: usize) -> bool {
    let paragraph = text[..at].rfind("\n\n").map_or(0, |blank| blank + 2);
    let opens = line_around(text, text[paragraph..].len() - text[paragraph..].trim_start().len() + paragraph);
    is_printed(line_around(text, at)) || is_printed(opens)
}

/// Whether a line is the output or the input of a program rather than somebody's sentence.
fn is_printed(line: &str) -> bool {
    PASTED.is_match(line) || is_command_line(line) || names_only(line)
}

/// `sync --tags $REMOTE`, `curl -s http://h`: flags or variables, and none of the small words that sentences need.
fn is_command_line(line: &str) -> bool {
    let small =
        |w: &str| SMALL.binary_search(&w.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().as_str()).is_ok();
    let given =
        |w: &str| w.starts_with("--") && w.len() > 3 || w.starts_with('$') && w.len() > 1 || w == "&&" || w == "|";
    line.split_whitespace().any(given) && !line.split_whitespace().any(small)
}

/// Small words of English. Sorted.
#[rustfmt::skip]
const SMALL: &[&str] = &[
    "a", "also", "an", "and", "are", "at", "be", "but", "by", "can", "do", "does", "for", "from", "how", "i", "if", "in", "into",
    "is", "it", "its", "let's", "lets", "my", "not", "of", "on", "or", "please", "should", "so", "that", "the", "then", "this",
    "to", "us", "we", "what", "when", "why", "with", "you",
];

/// `CREATE refs/heads/a-b - create refs/heads/a-b at 0fccf698`: half or more of the words are names of things in a
/// machine, and none of the small words joins them.
fn names_only(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let name = |w: &&&str| {
        let hash = w.len() >= 7 && w.chars().all(|c| c.is_ascii_hexdigit()) && w.contains(|c: char| c.is_ascii_digit());
        hash || w.matches('/').count() > 1 && !w.contains("://")
    };
    words.len() > 4
        && words.iter().filter(name).count() * 5 >= words.len() * 2
        && !words.iter().any(|w| *w != "at" && SMALL.binary_search(w).is_ok())
}

/// The task that a harness wraps into its instructions: the issue is what is wanted, the rest is the same in every session.
fn task_of(text: &str) -> Option<ByteSpan> {
    let found = TASK.captures(text)?;
    let task = found.name("issue").or_else(|| found.name("tagged"))?;
    Some(ByteSpan::new(task.start(), task.end()))
}

/// `ISSUE:` down to `INSTRUCTIONS:`, `<pr_description>` to its end; not `the issue: it hangs`.
static TASK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?s)(?:^|\n)(?:ISSUE|PROBLEM STATEMENT|TASK DESCRIPTION):[ \t]*\n(?P<issue>.+?)\n(?:INSTRUCTIONS|IMPORTANT|RULES):|<(?:pr_description|issue_description|issue|problem_statement|task_description)>(?P<tagged>.+?)</(?:pr_description|issue_description|issue|problem_statement|task_description)>")
        .expect("valid")
});

/// Where the user's words end and the rules begin that a harness adds to every task.
fn own_words(text: &str) -> usize {
    RULES.find(text).map_or(text.len(), |rules| rules.start())
}

/// `You can execute bash commands and edit files to implement the necessary changes.` on a line of its own.
static RULES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^You can execute bash commands and edit files to implement the necessary changes\b")
        .expect("valid")
});

/// The first sentence of a task, which is its title: what follows was written for somebody else.
fn titled(session: &Session, at: MessageIdx, part: usize, text: &str, task: ByteSpan) -> Option<Request> {
    let inside = |s: &&Sentence| task.start <= s.span.start && s.span.end <= task.end;
    let all = sentences(text);
    let first = all.iter().filter(inside).find(|s| s.span.of(text).is_some_and(is_prose))?;
    let evidence = session.cite(at, part, shortened(text, first.span))?;
    Some(Request { message: at, kind: RequestKind::Goal, evidence, about: None, conceded: None })
}

/// The line that a place lies in: a sentence within a line of a log is a line of that log.
fn line_around(text: &str, to: usize) -> &str {
    let start = text[..to].rfind('\n').map_or(0, |at| at + 1);
    text[start..].lines().next().unwrap_or("")
}

/// "Do not touch the API" inside a handed-over plan; not "the API does not change".
static FORBIDDEN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)^\W*(?:do not|don'?t|never|you must|must not)\b").expect("valid"));

/// Whether a text is a document (a plan, a specification) rather than a message: of it only what stands before its
/// first heading, that heading, and plain prohibitions are requests.
fn is_document(text: &str) -> bool {
    word_count(text) > 200 && text.lines().filter(|l| l.starts_with('#')).count() >= 3
}

fn kind_of(words: &str, block: Block) -> RequestKind {
    match REQUESTS.kind(words) {
        Some(RequestKind::Affirmation) if word_count(words) > 8 => RequestKind::Remark,
        Some(_) if block == Block::Heading => RequestKind::Remark,
        Some(kind) => kind,
        None => RequestKind::Remark,
    }
}

/// Whether a clause is made of words rather than of code or log. What it links to is not looked at.
fn is_prose(words: &str) -> bool {
    let bare = LINK.replace_all(words, "link");
    let words = bare.trim();
    let letters = words.chars().filter(|c| c.is_alphabetic() || *c == ' ').count();
    letters * 10 >= words.chars().count() * 7 && words.chars().any(char::is_alphabetic)
}

/// `https://a/b`, `[https://a/b](https://a/b)`; not `a/b`.
static LINK: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\[https?://[^\]\s]+\]\([^)\s]*\)|https?://\S+").expect("valid"));

/// The clause without the slash command before it: `/goal get the build green` asks for what follows.
fn behind_command(text: &str, clause: ByteSpan) -> ByteSpan {
    let command = clause.of(text).and_then(|words| COMMAND.find(words)).map_or(0, |found| found.end());
    ByteSpan::new(clause.start + command, clause.end)
}

/// `/exit`: said to the program, not to the agent; not `/usr/bin`.
static BARE_COMMAND: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^/[a-z][\w-]*\s*$").expect("valid"));

/// `/goal ` before words; not `/usr/bin is full`.
static COMMAND: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^/[a-z][\w:-]*\s+").expect("valid"));

/// The clause without interjections before it and a trailing `then` or `please`.
fn bare(text: &str, clause: ByteSpan) -> ByteSpan {
    let words = clause.of(text).unwrap_or("");
    // "now that we have it" begins with a clause of its own.
    let lead = LEAD.find(words).map_or(0, |m| m.end());
    let lead = if words[lead..].starts_with("that ") { 0 } else { lead };
    let mut end = words.len();
    for tail in [" then", " please", " pls"] {
        if words[..end].to_ascii_lowercase().ends_with(tail) {
            end -= tail.len();
        }
    }
    end = words[..end].trim_end_matches([',', ' ']).len();
    if lead >= end {
        return clause;
    }
    ByteSpan::new(clause.start + lead, clause.start + end)
}

/// The first forty words of a longer clause.
fn shortened(text: &str, clause: ByteSpan) -> ByteSpan {
    let words = clause.of(text).unwrap_or("");
    let mut ends =
        words.match_indices(char::is_whitespace).filter(|(i, _)| !words[..*i].ends_with(char::is_whitespace));
    match ends.nth(LONGEST - 1) {
        Some((end, _)) => ByteSpan::new(clause.start, clause.start + end),
        None => clause,
    }
}

/// The assistant's message that a user text objects to, and the concession that follows, if the text is an objection.
fn objection(session: &Session, at: MessageIdx, text: &str) -> Option<(MessageIdx, Option<Evidence>)> {
    let own = terms(text);
    let conceded = concession(session, at);
    let from = at.0.saturating_sub(REACH);
    let shares = |i: &MessageIdx| terms(session.message(*i).prose()).intersection(&own).next().is_some();
    let said: Vec<MessageIdx> =
        (from..at.0).rev().map(MessageIdx).filter(|i| session.message(*i).kind == MessageKind::Text).collect();
    let about = said.iter().copied().find(shares);
    match (about, OBJECTION.is_match(text)) {
        (Some(about), true) => Some((about, conceded)),
        // A concession says that what came before it was an objection, whatever its words.
        (about, _) if conceded.is_some() => about.or(said.first().copied()).map(|about| (about, conceded)),
        _ => None,
    }
}

/// The assistant's concession in its next text, before the user speaks again.
fn concession(session: &Session, at: MessageIdx) -> Option<Evidence> {
    let mut after = session.iter().skip(at.at() + 1).take(12).take_while(|(_, m)| m.kind != MessageKind::User);
    let (index, message) = after.find(|(_, m)| m.kind == MessageKind::Text)?;
    let part = message.part_at(PartKind::Prose)?;
    let text = &message.parts[part].text;
    let opening = sentences(text).into_iter().take(3);
    opening
        .filter(|s| {
            super::sentence_cues::STATEMENTS.kind(s.span.of(text).unwrap_or("")) == Some(StatementKind::Concession)
        })
        .find_map(|s| session.cite(index, part, s.span))
}

/// Marks the clause of a message that objects: the first with words of objection, else the first that says something.
fn correct(session: &Session, found: &mut [Request], about: MessageIdx, conceded: Option<Evidence>) {
    let objects = |r: &Request| OBJECTION.is_match(session.quoted(&r.evidence));
    let says = |r: &Request| r.kind != RequestKind::Affirmation;
    let Some(chosen) = found.iter().position(objects).or_else(|| found.iter().position(says)) else { return };
    let constraint = found[chosen].kind == RequestKind::Constraint && conceded.is_none();
    if !constraint {
        found[chosen].kind = RequestKind::Correction;
        found[chosen].about = Some(about);
        found[chosen].conceded = conceded;
    }
}

/// A session is opened for something: when its first text neither sets an aim nor asks, its first clause is the aim.
fn open_with_goal(found: &mut [Request]) {
    let Some(first) = found.first().map(|r| r.message) else { return };
    let opening = found.iter().take_while(|r| r.message == first).count();
    let opening = &mut found[..opening];
    let aims = |r: &Request| matches!(r.kind, RequestKind::Goal | RequestKind::Asks);
    if !opening.iter().any(aims)
        && let Some(remark) = opening.iter_mut().find(|r| r.kind == RequestKind::Remark)
    {
        remark.kind = RequestKind::Goal;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interjections_are_put_aside() {
        let text = "ok look into decoding for this model then";
        assert_eq!(bare(text, ByteSpan::new(0, text.len())).of(text), Some("look into decoding for this model"));
        let text = "delete the notes, please";
        assert_eq!(bare(text, ByteSpan::new(0, text.len())).of(text), Some("delete the notes"));
        let text = "/goal get the build green";
        assert_eq!(behind_command(text, ByteSpan::new(0, text.len())).of(text), Some("get the build green"));
        assert!(!COMMAND.is_match("/usr/bin is full"));
        assert!(BARE_COMMAND.is_match("/exit") && !BARE_COMMAND.is_match("/usr/bin"));
        assert!(!LEAD.is_match("then measure it"));
    }

    #[test]
    fn what_programs_print_is_told_from_what_people_write() {
        assert!(is_printed("relay pull --all https://example.org/a $TARGET"));
        assert!(is_printed("CREATE refs/heads/a-b - create refs/heads/a-b at 0fccf698"));
        assert!(!is_printed("run it with --all and tell me what it says"));
        assert!(!is_printed("compare src/a/b.rs and src/a/c.rs"));
        assert!(
            SMALL.is_sorted() && is_prose("why did this fail https://example.org/runs/28943891068/job/85872673903")
        );
        assert!(LINK.is_match("https://a/b") && !LINK.is_match("a/b"));
        assert!(PLACEHOLDER.is_match("[redacted:text:1]") && !PLACEHOLDER.is_match("[ ] check the door"));
        assert!(TITLED.is_match("Plan: move the clock") && !TITLED.is_match("Review of the plan"));
        let text = "relay pull --all $TARGET\nUsername for the relay: x\n\nwhy does it ask";
        assert!(is_pasted(text, text.find("Username").unwrap()) && !is_pasted(text, text.find("why").unwrap()));
        let text = "now that the gate is done, oil it";
        assert_eq!(bare(text, ByteSpan::new(0, text.len())).of(text), Some(text));
    }

    #[test]
    fn long_clauses_end_after_forty_words() {
        let text = "word ".repeat(60);
        assert_eq!(word_count(shortened(&text, ByteSpan::new(0, text.len())).of(&text).unwrap()), 40);
    }

    #[test]
    fn boilerplate_and_pastes_are_known() {
        assert!(BOILERPLATE.is_match("<environment_context>\n"));
        assert!(!BOILERPLATE.is_match("# Fix the parser"));
        assert!(PASTED.is_match("2026-03-10 14:13:43 INFO x"));
        assert!(!PASTED.is_match("see a.py line 3"));
        let log = "10:31:02 build failed. Does it compile?";
        assert!(PASTED.is_match(line_around(log, log.find("Does").unwrap())));
        assert!(FORBIDDEN.is_match("Do not touch the API"));
        assert!(!FORBIDDEN.is_match("the API does not change"));
    }

    #[test]
    fn a_task_is_taken_out_of_its_instructions() {
        let task = |text: &'static str| task_of(text).and_then(|span| span.of(text));
        assert_eq!(
            task("Solve this.\nISSUE:\nThe clock is slow\n\nINSTRUCTIONS:\nOne command.\n"),
            Some("The clock is slow\n")
        );
        assert_eq!(task("<issue>The clock is slow</issue> Always wait."), Some("The clock is slow"));
        assert_eq!(task("the issue: it hangs\nINSTRUCTIONS: none"), None);
        let text = "Please mend the clock.\n\nYou can execute bash commands and edit files to implement the necessary changes.";
        assert_eq!(&text[..own_words(text)], "Please mend the clock.\n\n");
        assert!(!RULES.is_match("then You can execute bash commands"));
    }

    #[test]
    fn kinds_of_clauses() {
        let kind = |w| kind_of(w, Block::Paragraph);
        assert_eq!(kind("where do the milliseconds per token go?"), RequestKind::Asks);
        assert_eq!(kind("dont leave the service down overnight"), RequestKind::Constraint);
        assert_eq!(kind("macro first, then the kernels alone, then a real profile"), RequestKind::Goal);
        assert_eq!(kind("INT4 Kimi is stable now."), RequestKind::Remark);
        assert_eq!(kind("nice."), RequestKind::Affirmation);
    }
}
