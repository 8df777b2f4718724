//! A text as lines that a table reader can read: colour codes gone, overwritten progress resolved, prefixes of loggers
//! and line numbers blanked. Every line keeps the way back to the bytes it was made from, so that spans point into the
//! text as recorded. What a line *is* (rule, prompt, fence) is told here too; what it *means* is not.

use std::{borrow::Cow, ops::Range, sync::LazyLock};

use crate::text::pattern::Regex;
use memchr::{memchr, memchr_iter, memchr2, memrchr};

use super::signs::{AT, BRACKET, COLON, DIGIT, Signs};
use crate::base::span::ByteSpan;

/// Longest line, in bytes, that is read. Tables are narrower; longer lines are data.
const LONGEST: usize = 4096;

/// What a line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Nothing on it.
    Blank,
    /// Dashes, equals signs, box corners.
    Rule,
    /// A command that was typed.
    Prompt,
    /// A Markdown code fence.
    Fence,
    /// Inside a fence that names a programming language.
    Code,
    /// Read already, by the adapter of a tool.
    Taken,
    /// Anything else.
    Text,
}

/// A line, cleaned.
#[derive(Clone, Debug)]
pub struct Line<'t> {
    /// Cleaned text, trailing blanks removed.
    pub text: Cow<'t, str>,
    /// What it is.
    pub kind: Kind,
    /// Inside a code fence.
    pub fenced: bool,
    /// Which characters occur on it.
    pub signs: Signs,
    /// Its first byte behind the indentation; 0 for none.
    pub first: u8,
    start: usize,
    /// Where bytes were taken out: from which byte of `text` on, and how many before it in all.
    cuts: Vec<(u32, u32)>,
}

impl<'t> Line<'t> {
    fn new(text: &'t str, start: usize) -> Self {
        let text = text.trim_end();
        let (signs, first) = (Signs::of(text), first(text));
        Line { text: Cow::Borrowed(text), kind: Kind::Text, fenced: false, signs, first, start, cuts: Vec::new() }
    }

    /// Its first byte; 0 for none.
    fn begins(&self) -> u8 {
        self.text.as_bytes().first().copied().unwrap_or(0)
    }

    /// Whether bytes were taken out of it: what was looked for in the text as recorded may have been parted there.
    pub fn is_mended(&self) -> bool {
        !self.cuts.is_empty()
    }

    /// Its first byte in the text as recorded.
    pub fn start(&self) -> usize {
        self.start
    }

    /// The bytes in the text as recorded.
    pub fn span(&self, range: Range<usize>) -> ByteSpan {
        let end = if range.is_empty() { self.recorded(range.start) } else { self.recorded(range.end - 1) + 1 };
        ByteSpan::new(self.start + self.recorded(range.start), self.start + end)
    }

    /// The byte after `start` that a byte of the text was.
    fn recorded(&self, at: usize) -> usize {
        let before = self.cuts.partition_point(|cut| cut.0 as usize <= at);
        at + before.checked_sub(1).map_or(0, |last| self.cuts[last].1 as usize)
    }
}

/// A text as cleaned lines.
#[derive(Clone, Debug)]
pub struct Page<'t> {
    /// The lines.
    pub lines: Vec<Line<'t>>,
    /// The last line is not ended by a newline: its last token may be cut.
    pub open: bool,
}

impl<'t> Page<'t> {
    /// Cleans a text.
    pub fn new(text: &'t str) -> Self {
        let mut lines = Vec::with_capacity(text.len() / 32 + 1);
        let mut start = 0;
        while start < text.len() {
            let len = memchr(b'\n', &text.as_bytes()[start..]).unwrap_or(text.len() - start);
            lines.push(clean(&text[start..start + len], start));
            start += len + 1;
        }
        blank_prefixes(&mut lines);
        classify(&mut lines);
        Self { lines, open: !text.ends_with('\n') }
    }

    /// The text of a line; "" past the end.
    pub fn text(&self, at: usize) -> &str {
        self.lines.get(at).map_or("", |l| l.text.as_ref())
    }

    /// Which characters occur on a line; none past the end.
    pub fn signs(&self, at: usize) -> Signs {
        self.lines.get(at).map_or(Signs::default(), |l| l.signs)
    }

    /// What a line is; blank past the end.
    pub fn kind(&self, at: usize) -> Kind {
        self.lines.get(at).map_or(Kind::Blank, |l| l.kind)
    }

    /// Keeps the layouts out of lines that an adapter has read.
    pub fn take(&mut self, lines: Range<usize>) {
        self.lines[lines].iter_mut().for_each(|line| line.kind = Kind::Taken);
    }

    /// Whether a line is the last one that holds anything.
    pub fn is_last(&self, at: usize) -> bool {
        self.lines.iter().skip(at + 1).take(3).all(|l| l.kind == Kind::Blank) && at + 4 > self.lines.len()
    }
}

/// Bytes of a control sequence behind its escape: `[1m`, `[0;32m`, `]0;title` up to a bell or `ESC \`, one letter.
fn code(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let run = |from: usize, class: fn(&u8) -> bool| from + bytes[from..].iter().take_while(|b| class(b)).count();
    let first = *bytes.first()?;
    if first == b'[' {
        let parameters = run(1, |b| b.is_ascii_digit() || matches!(b, b';' | b'?'));
        let end = run(parameters, |b| matches!(b, b' '..=b'/'));
        return bytes.get(end).filter(|b| matches!(b, b'@'..=b'~')).map(|_| end + 1);
    }
    let title = (first == b']').then(|| run(1, |b| !matches!(b, 0x07 | 0x1b)));
    let title = title.and_then(|end| match bytes.get(end..)? {
        [0x07, ..] => Some(end + 1),
        [0x1b, b'\\', ..] => Some(end + 2),
        _ => None,
    });
    title.or_else(|| matches!(first, b'@'..=b'Z' | b'\\'..=b'_').then_some(1))
}

fn first(text: &str) -> u8 {
    text.trim_start().as_bytes().first().copied().unwrap_or(0)
}

fn clean(raw: &str, start: usize) -> Line<'_> {
    if memchr2(b'\r', b'\x1b', raw.as_bytes()).is_none() {
        return Line::new(if raw.len() > LONGEST { "" } else { raw }, start);
    }
    let raw = raw.trim_end_matches('\r');
    let skipped = memrchr(b'\r', raw.as_bytes()).map_or(0, |at| at + 1);
    let (shown, start) = (&raw[skipped..], start + skipped);
    if shown.len() > LONGEST {
        return Line::new("", start);
    }
    if !shown.contains('\x1b') {
        return Line::new(shown, start);
    }
    let (mut text, mut cuts, mut from) = (String::with_capacity(shown.len()), Vec::new(), 0);
    for at in memchr_iter(b'\x1b', shown.as_bytes()) {
        let Some(len) = code(&shown[at + 1..]).filter(|_| at >= from) else { continue };
        text.push_str(&shown[from..at]);
        from = at + 1 + len;
        cuts.push((text.len() as u32, (from - text.len()) as u32));
    }
    text.push_str(&shown[from..]);
    text.truncate(text.trim_end().len());
    let (signs, first) = (Signs::of(&text), first(&text));
    Line { text: Cow::Owned(text), kind: Kind::Text, fenced: false, signs, first, start, cuts }
}

/// A prefix that a program puts before every line of another's output.
struct Prefix {
    /// What must hold of a line before the pattern is asked.
    may: fn(&Line) -> bool,
    like: Regex,
}

/// All prefixes. Each is blanked, not removed: columns stay put.
static PREFIXES: LazyLock<[Prefix; 4]> = LazyLock::new(|| {
    let prefix = |may: fn(&Line) -> bool, like| Prefix { may, like: Regex::new(like).expect("fixed pattern") };
    [
        // `[1,0]<stdout>: 12.3`
        prefix(|l| l.begins() == b'[', r"^\[\d+,\d+\]<std(?:out|err)>:"),
        // `[info] Benchmark`, `stress-ng: metrc: [9384] cpu`
        prefix(
            |l| l.signs.any(BRACKET) && (l.begins() == b'[' || l.begins().is_ascii_lowercase()),
            r"^(?:\[(?:info|warn|error|debug|INFO|WARN|ERROR|DEBUG)\] ?|[a-z][\w-]*: [a-z]+: +\[\d+\] )",
        ),
        // `2026-01-02T03:04:05.678Z INFO bench:12] x`, `[2026-01-02 03:04:05] x`, `INFO 01-02 03:04:05 [bench.py:12] x`
        prefix(
            |l| {
                l.signs.all(DIGIT.and(COLON))
                    && (l.begins() == b'[' || l.begins().is_ascii_digit() || l.begins().is_ascii_uppercase())
            },
            r"^(?:[A-Z]{4,8} )?\[?\d{2,4}[-/]\d\d(?:[-/]\d\d)?[T ]\d\d:\d\d:\d\d[^\s\]]*\]?(?: (?:TP\d+|DP\d+)\])?(?: +\[?(?:INFO|DEBUG|WARN|WARNING|ERROR)\]?)?(?: \[?[\w.]+:\d+\]?)?:? ",
        ),
        // ` * x`, `// x`, `-- x`: leaders of comments
        prefix(|l| matches!(l.first, b'*' | b'/'), r"^ *(?:\*|//[/!]?) "),
    ]
});

/// `     12→let x`, `00012| text`, `12:text`: the number, and the bytes up to what it stands before.
fn numbered(text: &str) -> Option<(u32, usize)> {
    let bare = text.trim_start();
    let digits = bare.bytes().take(7).take_while(u8::is_ascii_digit).count();
    let behind = &bare[digits..];
    let mark = ["\u{2192}", "\t", "| ", ":", "-"].into_iter().find(|mark| behind.starts_with(mark))?;
    let number = bare[..digits].parse().ok().filter(|_| digits <= 6)?;
    Some((number, text.len() - behind.len() + mark.len()))
}

fn blank_prefixes(lines: &mut [Line<'_>]) {
    let mut at = 0;
    while at < lines.len() {
        let end = lines[at..].iter().position(|l| l.text.is_empty()).map_or(lines.len(), |n| at + n);
        let block = &mut lines[at..end];
        blank_numbers(block);
        PREFIXES.iter().for_each(|prefix| prefix.blank(block));
        for line in block {
            let bare = if line.first == b'#' { line.text.trim_start() } else { "" };
            if bare.starts_with("# ") {
                let end = line.text.len() - bare.len() + 1;
                blank(line, end);
            }
        }
        at = end + 1;
    }
}

/// Whether so many lines of a block are nearly all of them.
fn nearly_all(found: usize, block: &[Line<'_>]) -> bool {
    found * 5 >= block.len() * 4
}

impl Prefix {
    /// Blanks the prefix where nearly all lines of a block have it.
    fn blank(&self, block: &mut [Line<'_>]) {
        if !nearly_all(block.iter().filter(|line| (self.may)(line)).count(), block) {
            return;
        }
        let end = |line: &Line| if (self.may)(line) { self.like.find(&line.text).map(|m| m.end()) } else { None };
        let ends: Vec<Option<usize>> = block.iter().map(end).collect();
        if nearly_all(ends.iter().flatten().count(), block) {
            block.iter_mut().zip(ends).for_each(|(line, end)| blank(line, end.unwrap_or(0)));
        }
    }
}

/// Blanks line numbers that a viewer put before the lines: at least three in a row, counting by one.
fn blank_numbers(block: &mut [Line<'_>]) {
    let begins = |line: &&Line| line.first.is_ascii_digit();
    if !nearly_all(block.iter().filter(begins).count(), block) {
        return;
    }
    let found: Vec<Option<(u32, usize)>> = block.iter().map(|line| numbered(&line.text)).collect();
    let counting = found.windows(2).filter(|w| matches!(w, [Some(a), Some(b)] if a.0 + 1 == b.0)).count();
    if counting >= 2 && nearly_all(counting + 1, block) {
        block.iter_mut().zip(found).for_each(|(line, f)| blank(line, f.map_or(0, |f| f.1)));
    }
}

/// Replaces the first `end` bytes by as many blanks: offsets stay what they are.
fn blank(line: &mut Line<'_>, end: usize) {
    if end > 0 {
        let mut text = String::with_capacity(line.text.len());
        text.extend(std::iter::repeat_n(' ', end));
        text.push_str(&line.text[end..]);
        (line.signs, line.first) = (Signs::of(&text), first(&text));
        line.text = Cow::Owned(text);
    }
}

/// `$ cargo bench`, `>>> print(df)`, `In [4]: %timeit f()`, `root@host:~/app# ls`
static PROMPT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:\([\w.-]+\) ?)?(?:\$|>>>|❯|In \[\d+\]:|[\w.-]+@[\w.-]+:[^\s#$]*[#$])\s+\S")
        .expect("fixed pattern")
});

/// Whether a line has a sign of a prompt.
fn may_prompt(signs: Signs, first: u8) -> bool {
    signs.any(AT) || matches!(first, b'(' | b'$' | b'>' | b'I') || !first.is_ascii()
}

/// Info strings of fences that hold output or text, not code.
const OUTPUT_FENCES: &[&str] =
    &["", "bash", "console", "csv", "log", "markdown", "md", "output", "sh", "shell", "text", "txt"];

fn classify(lines: &mut [Line<'_>]) {
    let (mut fenced, mut code) = (false, false);
    for line in lines {
        let text = || line.text.trim_start();
        line.kind = match line.first {
            0 => Kind::Blank,
            b'`' | b'~' if text().starts_with("```") || text().starts_with("~~~") => {
                fenced = !fenced;
                code = fenced && !OUTPUT_FENCES.contains(&text().trim_start_matches(['`', '~']).trim());
                Kind::Fence
            }
            _ if code => Kind::Code,
            first if !first.is_ascii_alphanumeric() && is_rule(text()) => Kind::Rule,
            first if may_prompt(line.signs, first) && PROMPT.is_match(text()) => Kind::Prompt,
            _ => Kind::Text,
        };
        line.fenced = fenced && line.kind != Kind::Fence;
    }
}

/// Whether a line is drawn, not written: at least three dashes or their like and nothing else but joints.
fn is_rule(text: &str) -> bool {
    let mut drawn = 0;
    for c in text.chars() {
        match c {
            '-' | '=' | '*' | '_' | '~' | '─' | '━' | '═' | '╌' | '╍' | '┄' | '┅' => drawn += 1,
            '|' | ':' | '+' | ' ' | '\t' | '\u{2500}'..='\u{257f}' => {}
            _ => return false,
        }
    }
    drawn >= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_lead_back_to_the_recorded_bytes() {
        let text = "10%\r20%\rmean \x1b[1m12.5\x1b[0m ms\n";
        let page = Page::new(text);
        let at = page.text(0).find("12.5").unwrap();
        assert_eq!(page.text(0), "mean 12.5 ms");
        assert_eq!(page.lines[0].span(at..at + 4).of(text), Some("12.5"));
    }

    #[test]
    fn viewers_and_loggers_are_blanked_in_place() {
        let page = Page::new("  1\u{2192}a  b\n  2\u{2192}1  2\n  3\u{2192}3  4\n\n[info] x  y\n[info] 1  2\n");
        assert_eq!(page.text(1).trim_start(), "1  2");
        assert_eq!(page.text(5), "       1  2");
        assert_eq!(Page::new("7 1\n9 2\n12 3\n").text(0), "7 1");
    }

    #[test]
    fn kinds() {
        let page = Page::new("---+---\n$ ls\n```rust\nx - y\n```\n| a |\n\n--\n");
        let kinds: Vec<Kind> = page.lines.iter().map(|l| l.kind).collect();
        use Kind::*;
        assert_eq!(kinds, [Rule, Prompt, Fence, Code, Fence, Text, Blank, Text]);
        assert!(!PROMPT.is_match("cost is $ 5"));
        assert_eq!(numbered("12 files"), None);
    }

    #[test]
    fn control_sequences() {
        for (text, len) in [("[1mx", 3), ("[0;32m", 6), ("]0;t\u{7}x", 5), ("]0;t\u{1b}\\x", 6), ("]0;t", 1), ("Mx", 1)]
        {
            assert_eq!(code(text), Some(len), "{text:?}");
        }
        for no in ["", "[1", "[µ", "x", "é"] {
            assert_eq!(code(no), None, "{no:?}");
        }
    }
}
