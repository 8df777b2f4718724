//! Commands that somebody typed at the prompt of a shell, and what came back, read off the rows of a terminal. Who typed, a
//! person or a harness, no terminal tells.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use crate::{
    base::{locate::Locator, time::Timestamp},
    model::{
        builder::{Field, Origin, ResultOf, SessionBuilder},
        message::ToolKind,
    },
    source::terminal::{Page, Row},
};

/// Prompts that are known by their look, `cwd` and `command` being groups.
static PROMPTS: LazyLock<[Regex; 4]> = LazyLock::new(|| {
    [
        // `miller@mill:/srv/mill$ ls`, `(env) [miller@mill mill]# ls`, `miller@mill mill % ls`, `miller@mill ~> ls`
        r"^(?:\([^()\s]{1,40}\) )?\[?[\w.-]{1,40}@[\w.-]{1,80}(?:[: ](?P<cwd>[^\s$#%>\]]{0,400}))?\]? ?[$#%>](?: +(?P<command>.*))?$",
        // `bash-5.2$ ls`, `sh-5.1# ls`
        r"^[a-z]{0,8}sh-\d[\d.]{0,8}[$#](?: +(?P<command>.*))?$",
        // `➜  mill git:(main) ✗ ls`
        r"^➜ +\S+(?: git:\([^()\s]*\))?(?: ✗)?(?: +(?P<command>.*))?$",
        // `$ ls`
        r"^[$❯](?: +(?P<command>.*))?$",
    ]
    .map(|pattern| Regex::new(pattern).expect("valid"))
});
/// Any prompt, on a line that the shell itself marks as one: up to its first sign with a blank behind it.
static ANY: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^[^\n]{0,200}?[$#%>❯➜λ»](?: +(?P<command>.*))?$").expect("valid"));
/// What asks for the rest of a command: `> `, `quote> `.
static MORE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^(?:[a-z ]{0,40})> ?").expect("valid"));
/// Prompts of programs that mark their lines as a shell does: Python, IPython, Node.
static OTHERS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^(?:>>>|\.\.\.|In \[\d+\]:)(?: |$)").expect("valid"));

/// A prompt with what was typed there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prompt<'a> {
    /// The directory that it shows, where that is a whole path.
    pub cwd: Option<&'a str>,
    /// The command; "" where none was typed.
    pub command: &'a str,
}

/// The prompt that a line begins with, by its look.
pub fn prompt(line: &str) -> Option<Prompt<'_>> {
    let found = PROMPTS.iter().find_map(|pattern| pattern.captures(line))?;
    let group = |name: &str| found.name(name).map(|group| group.as_str());
    Some(Prompt {
        cwd: group("cwd").filter(|path| path.starts_with('/')),
        command: group("command").unwrap_or_default().trim(),
    })
}

/// The prompt of a row that the shell marked.
fn marked<'p>(row: &Row<'p>) -> Option<Prompt<'p>> {
    let typed = row.typed?;
    if OTHERS.is_match(row.text) {
        return None;
    }
    match (typed, prompt(row.text)) {
        (_, Some(prompt)) => Some(prompt),
        (0, None) => {
            let found = ANY.captures(row.text)?;
            Some(Prompt { cwd: None, command: found.name("command").map_or("", |group| group.as_str()).trim() })
        }
        (typed, None) => Some(Prompt { cwd: None, command: row.text[typed..].trim() }),
    }
}

/// A command and the rows that belong to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// As typed; lines of one that goes over several rows are joined.
    pub text: String,
    /// The directory in the prompt.
    pub cwd: Option<String>,
    /// Rows of the prompt and the command.
    pub typed: Range<usize>,
    /// Rows of the output.
    pub output: Range<usize>,
    /// Whether the prompt came back.
    pub ended: bool,
}

/// The commands in the rows of a terminal, in order.
pub fn commands(page: &Page) -> Vec<Command> {
    let marks = page.rows().any(|row| marked(&row).is_some());
    let mut commands: Vec<Command> = Vec::new();
    let mut running = false;
    for (at, row) in page.rows().enumerate() {
        let last = commands.last_mut().filter(|_| running);
        if let Some(last) = last {
            let of_a_shell = !OTHERS.is_match(row.text);
            let goes_on = marks && row.typed.is_some() && last.output.is_empty() && of_a_shell;
            if let Some(more) = MORE.find(row.text).filter(|_| goes_on) {
                last.text += "\n";
                last.text += row.text[more.end()..].trim_end();
                last.typed.end = at + 1;
                last.output = at + 1..at + 1;
                continue;
            }
            last.output.end = at;
        }
        let found = if marks { marked(&row) } else { prompt(row.text.trim_end()) };
        match (found, commands.last_mut().filter(|_| running)) {
            (Some(prompt), last) => {
                if let Some(last) = last {
                    last.ended = true;
                }
                running = !prompt.command.is_empty();
                if running {
                    commands.push(Command {
                        text: prompt.command.to_string(),
                        cwd: prompt.cwd.map(str::to_string),
                        typed: at..at + 1,
                        output: at + 1..at + 1,
                        ended: false,
                    });
                }
            }
            (None, Some(last)) => last.output.end = at + 1,
            (None, None) => {}
        }
    }
    commands
}

/// Tells commands to a session. `place` says where rows lie, `time` when a byte of the terminal's text was shown.
pub fn tell(
    session: &mut SessionBuilder,
    page: &Page,
    commands: &[Command],
    place: impl Fn(Range<usize>) -> Locator,
    time: impl Fn(usize) -> Option<Timestamp>,
) {
    for command in commands {
        let entered = page.row(command.typed.end - 1).runs().last().map_or(0, |run| run.start);
        let origin = Origin {
            place: place(command.typed.clone()),
            time: time(entered),
            cwd: command.cwd.clone(),
            ..Default::default()
        };
        session.call(origin, "shell", ToolKind::Shell, input(&command.text));
        if command.ended || !command.output.is_empty() {
            let at = if command.output.is_empty() { command.typed.clone() } else { command.output.clone() };
            let mut result = ResultOf::new(text(page, command.output.clone()), place(at));
            // The row behind the output is the prompt that came back.
            result.time = command.ended.then(|| time(page.row(command.output.end).start)).flatten();
            session.result_of_last(result);
        }
    }
}

/// The input of a call that runs a command.
pub fn input(command: &str) -> Vec<Field> {
    vec![Field { name: Some("command".to_string()), text: command.to_string(), cut: None }]
}

/// The text of rows, without blanks at the ends of rows and blank rows at the end.
pub fn text(page: &Page, rows: Range<usize>) -> String {
    let mut text = String::new();
    for at in rows {
        text += page.row(at).text.trim_end();
        text += "\n";
    }
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, String, bool)> {
        let page = Page::of(text, &[]);
        let told =
            |command: &Command| (command.text.clone(), super::text(&page, command.output.clone()), command.ended);
        commands(&page).iter().map(told).collect()
    }

    fn row(command: &str, output: &str, ended: bool) -> (String, String, bool) {
        (command.to_string(), output.to_string(), ended)
    }

    #[test]
    fn prompts_are_known_by_their_look() {
        let known = |line| prompt(line).map(|p| (p.cwd.unwrap_or_default().to_string(), p.command.to_string()));
        let own = |cwd: &str, command: &str| Some((cwd.to_string(), command.to_string()));
        assert_eq!(known("miller@mill:/srv/mill# ls -l"), own("/srv/mill", "ls -l"));
        assert_eq!(known("(env) [miller@mill mill]$ ls"), own("", "ls"));
        assert_eq!(known("miller@mill mill % ls"), own("", "ls"));
        assert_eq!(known("bash-5.2$ ls"), own("", "ls"));
        assert_eq!(known("➜  mill git:(main) ✗ ls"), own("", "ls"));
        assert_eq!(known("$ ls"), own("", "ls"));
        assert_eq!(known("$"), own("", ""));
        for line in ["$5 a sack", "# Heading", "mail miller@mill: now", "a $ b", "push-1.2$x"] {
            assert_eq!(known(line), None, "{line}");
        }
    }

    #[test]
    fn marked_lines_are_prompts_of_any_look() {
        let text = "\x1b[?2004hmill> wc 'a\n\x1b[?2004l\x1b[?2004h> b'\n\x1b[?2004l3\n$ no prompt\n\x1b[?2004hmill> ";
        assert_eq!(read(text), [row("wc 'a\nb'", "3\n$ no prompt", true)]);
        let zsh = "% \x1b[?2004hls\x1b[?2004l\r\na\r\n% \x1b[?2004h\x1b[?2004l\r\n";
        assert_eq!(read(zsh), [row("ls", "a", true)]);
        let python = "\x1b[?2004h$ python3\n\x1b[?2004l\x1b[?2004h>>> 1\n\x1b[?2004l1\n";
        assert_eq!(read(python), [row("python3", ">>> 1\n1", false)]);
    }

    #[test]
    fn without_marks_the_look_decides() {
        assert_eq!(read("$ ls\na\n\nb\n$ true\n$ "), [row("ls", "a\n\nb", true), row("true", "", true)]);
        assert_eq!(read("nothing typed\n"), []);
        assert!(!ANY.is_match("no prompt"));
        assert!(!MORE.is_match("3 > 2"));
        assert!(!OTHERS.is_match(">> x"));
    }
}
