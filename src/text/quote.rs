//! Transcript text made safe for Markdown and terminals. Everything of a log that reaches a reader passes here: titles
//! and tool names too. Nothing is dropped silently in Markdown: what could hide or act is shown as `[U+202E]`, or as
//! U+FFFD where it has no form. Secrets are the affair of [`redact`](super::redact), before.

use std::{borrow::Cow, ops::Range, sync::LazyLock};

use crate::text::pattern::Regex;

use super::{ansi, flavour::Flavour};

/// What GitHub acts on in plain prose: `@name`, `#12`, `owner/repo#12`, `GH-12`, `https://…`. Not `a@b` or `C#`.
static ACTIVE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:https?://|www\.)[^\s<>|`\[\]{}]+|[\w.-]*(?:/[\w.-]+)?#\d+|\bGH-\d+|@[A-Za-z0-9][\w-]*(?:/[\w-]+)?")
        .expect("valid")
});

/// What MathJax acts on in a finished page of a book, wherever it came from: `$$`, `\(`, `\]`. Not `$5`.
static MATH: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\$\$+|\\[()\[\]]").expect("valid"));

/// Text as Markdown prose on one line: what it says, with no effect. Line breaks and tabs become a space, the ends are
/// trimmed; mentions, issue numbers and addresses become code spans, since a report pasted into an issue would act on
/// them otherwise. It is fit for table cells too.
///
/// ```
/// use turnpoint::text::quote::inline;
/// assert_eq!(inline("snake_case is 3 < 4, *not* <b>"), r"snake_case is 3 < 4, \*not\* \<b>");
/// assert_eq!(inline("Fixes #12, thanks @ada"), "Fixes `#12`, thanks `@ada`");
/// assert_eq!(inline("see (https://example.org/a_(b))."), "see (`https://example.org/a_(b)`).");
/// assert_eq!(inline(r"@a-@ada \A#0"), r"`@a-@ada` `\A#0`");
/// ```
pub fn inline(text: &str) -> String {
    inline_for(Flavour::GitHub, text)
}

/// [`inline`] for a flavour.
///
/// ```
/// use turnpoint::text::{flavour::Flavour, quote::inline_for};
/// assert_eq!(inline_for(Flavour::MkDocs, "*not* ==marked== <b>"), "&#42;not&#42; &#61;&#61;marked&#61;&#61; &#60;b>");
/// assert_eq!(inline_for(Flavour::MdBook, "costs $$5 {.big}"), r"costs `$$`5 \{.big}");
/// ```
pub fn inline_for(flavour: Flavour, text: &str) -> String {
    let line = one_line(text);
    let mut out = String::with_capacity(line.len() + line.len() / 8);
    let mut done = 0;
    for hit in active(flavour, &line) {
        escape(flavour, &line, done, hit.start, &mut out);
        out.push_str(&span(&line[hit.clone()]));
        done = hit.end;
    }
    escape(flavour, &line, done, line.len(), &mut out);
    out
}

/// Stretches that would act whatever is escaped in them. Two that touch are one: the backticks of neighbouring code spans
/// would run together.
fn active(flavour: Flavour, line: &str) -> Vec<Range<usize>> {
    let mut hits: Vec<(usize, &str)> = ACTIVE.find_iter(line).map(|hit| (hit.start(), hit.as_str())).collect();
    if flavour == Flavour::MdBook {
        hits.extend(MATH.find_iter(line).map(|hit| (hit.start(), hit.as_str())));
        hits.sort_unstable();
    }
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, text) in hits {
        let before = line[..at].chars().next_back();
        let done = found.last().map_or(0, |last| last.end);
        if at < done || text.starts_with('@') && before.is_some_and(|c| c.is_alphanumeric() || c == '`') {
            continue;
        }
        // A backslash before a code span would take the first backtick away: it goes into the span.
        let end = at + address_end(text);
        let start = done + line[done..at].trim_end_matches('\\').len();
        match found.last_mut().filter(|last| last.end == start) {
            Some(last) => last.end = end,
            None => found.push(start..end),
        }
    }
    found
}

/// Where an address ends: before the marks of the sentence that it stands in, and the parenthesis around it.
fn address_end(text: &str) -> usize {
    let mut rest = text;
    if !text.starts_with("http") && !text.starts_with("www.") {
        return text.len();
    }
    while let Some(last) = rest.chars().next_back() {
        let count = |mark: char| rest.matches(mark).count();
        if matches!(last, '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '"' | '*')
            || last == ')' && count(')') > count('(')
        {
            rest = &rest[..rest.len() - last.len_utf8()];
        } else {
            break;
        }
    }
    rest.len()
}

/// Text as a code span on one line. Text that a template engine of a site would act on (`{{`, `{%`) cannot be defused in
/// a code span and becomes prose.
pub fn code(text: &str) -> String {
    code_for(Flavour::GitHub, text)
}

/// [`code`] for a flavour.
pub fn code_for(flavour: Flavour, text: &str) -> String {
    let line = one_line(text);
    if line.is_empty() || line.contains("{{") || line.contains("{%") || line.contains("{#") {
        return inline_for(flavour, text);
    }
    span(&line)
}

/// [`code_for`] a cell of a table, where a bar would end the cell even in a code span; Python-Markdown alone looks for
/// code first, and would show the backslash.
pub fn code_cell(flavour: Flavour, text: &str) -> String {
    let code = code_for(flavour, text);
    if code.starts_with('`') && flavour != Flavour::MkDocs { code.replace('|', r"\|") } else { code }
}

/// Text as a fenced block, with a fence longer than any run of backticks inside. `language` is reduced to letters,
/// digits, `+`, `#` and `-`.
pub fn fence(text: &str, language: &str) -> String {
    let body = visible(text).replace("{{#", r"\{{#");
    let fence = "`".repeat(longest_run(&body).max(2) + 1);
    let language: String =
        language.chars().filter(|c| c.is_ascii_alphanumeric() || "+#-".contains(*c)).take(20).collect();
    let end = if body.ends_with('\n') || body.is_empty() { "" } else { "\n" };
    format!("{fence}{language}\n{body}{end}{fence}\n")
}

/// Text for XML and HTML, between tags and in attributes, on one line: it is shown and never acts. What hides or reorders
/// is spelled out, what XML cannot hold becomes U+FFFD.
///
/// ```
/// use turnpoint::text::quote::markup;
/// assert_eq!(markup("a < b & \"c\" \u{202e}d"), "a &lt; b &amp; &quot;c&quot; [U+202E]d");
/// ```
pub fn markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for c in one_line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Text as a quoted value of front matter (YAML), on one line. Site generators put titles into their pages as they are:
/// it is [`markup`] already, as the titles are that they make themselves.
///
/// ```
/// use turnpoint::text::quote::yaml;
/// assert_eq!(yaml("a \"b\": <i> & c\\d"), r#""a &quot;b&quot;: &lt;i&gt; &amp; c\\d""#);
/// ```
pub fn yaml(text: &str) -> String {
    let text = markup(text).replace('\\', r"\\").replace('{', "&#123;").replace('}', "&#125;");
    format!("\"{text}\"")
}

/// Text for a terminal: its escape sequences, control characters other than newline and tab, and characters that hide
/// or reorder cannot reach it. A carriage return becomes a newline, so that progress bars do not overwrite a line.
pub fn terminal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = strip_ansi(text).chars().collect::<Vec<_>>().into_iter().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' => out.push('\n'),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => {}
            c => push_visible(c, &mut out),
        }
    }
    out
}

/// [`terminal`] on one line, for headers and lists.
pub fn terminal_line(text: &str) -> String {
    terminal(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text without the escape sequences of terminals.
pub fn strip_ansi(text: &str) -> Cow<'_, str> {
    match between_ansi(text).as_slice() {
        [_] => Cow::Borrowed(text),
        stretches => stretches.iter().map(|(from, to)| &text[*from..*to]).collect(),
    }
}

/// The stretches of a text between the escape sequences of terminals, as byte ranges.
pub(crate) fn between_ansi(text: &str) -> Vec<(usize, usize)> {
    let mut stretches = Vec::new();
    let mut done = 0;
    for sequence in ansi::sequences(text) {
        stretches.push((done, sequence.start));
        done = sequence.end;
    }
    stretches.push((done, text.len()));
    stretches
}

/// At most `most` characters: cut at a blank where one is near, else at a character, with ` …` for what is left out.
///
/// ```
/// use turnpoint::text::quote::shorten;
/// assert_eq!(shorten("one two three", 10), "one two …");
/// assert_eq!(shorten("short", 10), "short");
/// ```
pub fn shorten(text: &str, most: usize) -> Cow<'_, str> {
    let Some((mut end, _)) = text.char_indices().nth(most) else {
        return Cow::Borrowed(text);
    };
    // Two characters for the mark; half the length must remain, else a long word is cut in the middle.
    let room = most.saturating_sub(2);
    let limit = text.char_indices().nth(room).map_or(end, |(i, _)| i);
    end = match text[..limit].rfind(char::is_whitespace) {
        Some(blank) if blank * 2 >= limit && !text[limit..].starts_with(char::is_whitespace) => blank,
        _ => limit,
    };
    Cow::Owned(format!("{} …", text[..end].trim_end()))
}

/// Whether a character hides, joins or reorders what is around it.
fn deceives(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

fn push_visible(c: char, out: &mut String) {
    if deceives(c) {
        out.push_str(&format!("[U+{:04X}]", c as u32));
    } else {
        out.push(c);
    }
}

/// Escape sequences away, deceivers spelled out, other control characters as U+FFFD; newlines and tabs stay.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in strip_ansi(text).replace("\r\n", "\n").chars() {
        match c {
            '\n' | '\t' => out.push(c),
            '\r' => out.push('\n'),
            c if c.is_control() => out.push('\u{fffd}'),
            c => push_visible(c, &mut out),
        }
    }
    out
}

/// [`visible`] with each run of blanks that holds a line break, and each tab, as one space; ends trimmed.
fn one_line(text: &str) -> String {
    let seen = visible(text);
    let lines = seen.split('\n').map(|l| l.trim_matches([' ', '\t'])).filter(|l| !l.is_empty());
    lines.collect::<Vec<_>>().join(" ").replace('\t', " ").trim().to_string()
}

fn longest_run(text: &str) -> usize {
    let (mut longest, mut run) = (0, 0);
    for b in text.bytes() {
        run = if b == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// A code span around one line.
fn span(line: &str) -> String {
    let ticks = "`".repeat(longest_run(line) + 1);
    let edge = |c: Option<char>| c == Some('`');
    let blank_ends = line.starts_with(' ') && line.ends_with(' ') && line.chars().any(|c| c != ' ');
    let pad = if edge(line.chars().next()) || edge(line.chars().next_back()) || blank_ends { " " } else { "" };
    format!("{ticks}{pad}{line}{pad}{ticks}")
}

/// Appends `line[from..to]` with every character defused that would act where it stands. Its neighbours may be other
/// text of an article, so the ends are escaped as if anything could follow.
fn escape(flavour: Flavour, line: &str, from: usize, to: usize, out: &mut String) {
    let chars: Vec<char> = line[from..to].chars().collect();
    let whole_before = line[..from].chars().next_back();
    let after_all = line[to..].chars().next();
    let ordinal = if from == 0 { ordinal_mark(&chars) } else { None };
    for (i, &c) in chars.iter().enumerate() {
        let before = if i == 0 { whole_before } else { Some(chars[i - 1]) };
        let after = chars.get(i + 1).copied().or(after_all);
        let first = from == 0 && i == 0;
        let own = match flavour {
            Flavour::GitHub => false,
            Flavour::MdBook => acts_in_mdbook(c, before, after),
            Flavour::MkDocs => acts_in_mkdocs(c, before, after, first),
        };
        match own || acts(c, before, after, first) || ordinal == Some(i) {
            true if flavour == Flavour::MkDocs => out.push_str(&format!("&#{};", c as u32)),
            true => out.extend(['\\', c]),
            false => out.push(c),
        }
    }
}

/// Position of the mark in `12. ` or `3) ` at the beginning, which would be a list.
fn ordinal_mark(chars: &[char]) -> Option<usize> {
    let digits = chars.iter().take_while(|c| c.is_ascii_digit()).count();
    (digits > 0 && matches!(chars.get(digits), Some('.' | ')')) && chars.get(digits + 1).is_none_or(|c| *c == ' '))
        .then_some(digits)
}

/// Whether a character would act in Markdown (CommonMark with tables, strikethrough, footnotes and math) or in the
/// template engines of documentation sites.
fn acts(c: char, before: Option<char>, after: Option<char>, first: bool) -> bool {
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    match c {
        '`' | '*' | '[' | ']' | '|' | '$' => true,
        '\\' => after.is_none_or(|a| a.is_ascii_punctuation()),
        '_' => !(word(before) && word(after)),
        '~' => !(before.is_none_or(|b| b == ' ') && after.is_some_and(|a| a.is_ascii_digit())),
        '<' => after.is_none_or(|a| a.is_ascii_alphabetic() || "/!?<%{".contains(a)),
        '&' => after.is_none_or(|a| a.is_ascii_alphanumeric() || a == '#'),
        '!' => after.is_none_or(|a| a == '['),
        '{' | '%' | '#' if before == Some('{') => true,
        '{' => first || after.is_none(),
        '#' | '>' | '-' | '+' | '=' | ':' => first,
        _ => false,
    }
}

/// What mdBook does besides: attributes of headings (`{.class}`), and smart punctuation, which would turn `--flag` into
/// a dash.
fn acts_in_mdbook(c: char, before: Option<char>, after: Option<char>) -> bool {
    match c {
        '{' => true,
        '-' | '.' => before == Some(c) || after == Some(c),
        _ => false,
    }
}

/// What Python-Markdown and the extensions that are common with MkDocs do besides: `==mark==`, `^^insert^^`,
/// `++key++`, `:emoji:`, `!!! note`, `??? details`, `/// block`, attribute lists, arrows and fractions.
fn acts_in_mkdocs(c: char, before: Option<char>, after: Option<char>, first: bool) -> bool {
    let doubled = before == Some(c) || after == Some(c);
    match c {
        '{' | '^' => true,
        '=' | '+' => doubled || after == Some('/'),
        '-' => doubled,
        '/' => first || [before, after].iter().all(|c| c.is_some_and(|c| c.is_ascii_digit())),
        ':' => doubled || after.is_some_and(|a| a.is_ascii_alphabetic() || a == '+' || a == '-'),
        '!' | '?' => first,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_escaped_only_where_it_would_act() {
        let cases = [
            ("~225 out tok/s, ~516 total", "~225 out tok/s, ~516 total"),
            ("a ~~b~~", r"a \~\~b\~\~"),
            ("__init__.py and mem_fraction_static", r"\_\_init\_\_.py and mem_fraction_static"),
            ("1. not a list", r"1\. not a list"),
            ("- not a list", r"\- not a list"),
            ("a | b", r"a \| b"),
            ("{{#include /etc/hostname}} {% raw %}", r"\{\{\#include /etc/hostname}} {\% raw %}"),
            ("see https://example.com/a_b#c.", "see `https://example.com/a_b#c`."),
            ("owner/repo#7 and ada@example.org", "`owner/repo#7` and ada@example.org"),
            ("line one\n   line two\t!", r"line one line two \!"),
            (r"C:\new\*", r"C:\new\\\*"),
        ];
        for (text, wanted) in cases {
            assert_eq!(inline(text), wanted);
        }
    }

    #[test]
    fn what_hides_is_shown() {
        assert_eq!(inline("pay\u{202e}lap \u{e0041}x\u{7}"), "pay\\[U+202E\\]lap \\[U+E0041\\]x\u{fffd}");
        assert_eq!(code("a\u{200b}b"), "`a[U+200B]b`");
    }

    #[test]
    fn code_spans_hold_any_backticks() {
        assert_eq!(code("a `b` ``c``"), "``` a `b` ``c`` ```");
        assert_eq!(code("plain"), "`plain`");
        assert_eq!(code_cell(Flavour::GitHub, "a|b"), r"`a\|b`");
        assert_eq!(code("{{ secret }}"), r"\{\{ secret }}");
    }

    #[test]
    fn fences_are_longer_than_any_run_inside() {
        assert_eq!(fence("```sh\nls\n```", "rust ignore\"><"), "````rustignore\n```sh\nls\n```\n````\n");
        assert_eq!(fence("", ""), "```\n```\n");
    }

    #[test]
    fn terminals_see_no_escape_sequence() {
        let text = "\x1b[31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x07 \x1b]52;c;AAAA\x1b\\ \u{9b}2J 50%\r60%\r\nend\u{7}\x1b";
        assert_eq!(terminal(text), "red link   50%\n60%\nend");
        assert_eq!(terminal_line("a\n  b"), "a b");
    }

    #[test]
    fn active_words_are_told_from_their_neighbours() {
        assert!(ACTIVE.find("C# and F#").is_none());
        assert_eq!(ACTIVE.find("see GH-12").unwrap().as_str(), "GH-12");
    }

    #[test]
    fn shortening_keeps_characters_and_words() {
        assert_eq!(shorten("ééééé", 4), "éé …");
        assert_eq!(shorten("a verylongwordwithoutblank", 12), "a verylong …");
        assert!(shorten("abc", 0).len() <= 4);
    }
}
