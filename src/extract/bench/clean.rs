//! A text as lines that a table reader can read: colour codes gone, overwritten progress resolved, prefixes of loggers
//! and line numbers blanked. Every line keeps the way back to the bytes it was made from, so that spans point into the
//! text as recorded. What a line *is* (rule, prompt, fence) is told here too; what it *means* is not.

use std::{borrow::Cow, ops::Range, sync::LazyLock};

use regex::Regex;

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
    start: usize,
    /// For each byte of `text` its byte after `start`; `None` when they are the same.
    map: Option<Vec<u32>>,
}

impl Line<'_> {
    /// The bytes in the text as recorded.
    pub fn span(&self, range: Range<usize>) -> ByteSpan {
        match &self.map {
            None => ByteSpan::new(self.start + range.start, self.start + range.end),
            Some(map) => {
                let from = map.get(range.start).map_or(0, |at| *at as usize);
                let to = range.end.checked_sub(1).and_then(|at| map.get(at)).map_or(from, |at| *at as usize + 1);
                ByteSpan::new(self.start + from, self.start + to)
            }
        }
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
        let mut lines = Vec::new();
        let mut start = 0;
        for raw in text.split_inclusive('\n') {
            lines.push(clean(raw.trim_end_matches('\n'), start));
            start += raw.len();
        }
        blank_prefixes(&mut lines);
        classify(&mut lines);
        Self { lines, open: !text.ends_with('\n') }
    }

    /// The text of a line; "" past the end.
    pub fn text(&self, at: usize) -> &str {
        self.lines.get(at).map_or("", |l| l.text.as_ref())
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

/// `\x1b[1m`, `\x1b[0;32m`, `\x1b]0;title\x07`
static ANSI: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]").expect("fixed pattern")
});

fn clean(raw: &str, start: usize) -> Line<'_> {
    let raw = raw.trim_end_matches('\r');
    let skipped = raw.rfind('\r').map_or(0, |at| at + 1);
    let (shown, start) = (&raw[skipped..], start + skipped);
    if shown.len() > LONGEST {
        return Line { text: Cow::Borrowed(""), kind: Kind::Text, fenced: false, start, map: None };
    }
    if !shown.contains('\x1b') {
        return Line { text: Cow::Borrowed(shown.trim_end()), kind: Kind::Text, fenced: false, start, map: None };
    }
    let (mut text, mut map, mut from) = (String::new(), Vec::new(), 0);
    for code in ANSI.find_iter(shown) {
        text.push_str(&shown[from..code.start()]);
        map.extend(from as u32..code.start() as u32);
        from = code.end();
    }
    text.push_str(&shown[from..]);
    map.extend(from as u32..shown.len() as u32);
    text.truncate(text.trim_end().len());
    Line { text: Cow::Owned(text), kind: Kind::Text, fenced: false, start, map: Some(map) }
}

/// Prefixes that a program puts before every line of another's output. Each is blanked, not removed: columns stay put.
static PREFIXES: LazyLock<[Regex; 4]> = LazyLock::new(|| {
    [
        // `[1,0]<stdout>: 12.3`
        r"^\[\d+,\d+\]<std(?:out|err)>:",
        // `[info] Benchmark`, `stress-ng: metrc: [9384] cpu`
        r"^(?:\[(?:info|warn|error|debug|INFO|WARN|ERROR|DEBUG)\] ?|[a-z][\w-]*: [a-z]+: +\[\d+\] )",
        // `2026-01-02T03:04:05.678Z INFO bench:12] x`, `[2026-01-02 03:04:05] x`, `INFO 01-02 03:04:05 [bench.py:12] x`
        r"^(?:[A-Z]{4,8} )?\[?\d{2,4}[-/]\d\d(?:[-/]\d\d)?[T ]\d\d:\d\d:\d\d[^\s\]]*\]?(?: (?:TP\d+|DP\d+)\])?(?: +\[?(?:INFO|DEBUG|WARN|WARNING|ERROR)\]?)?(?: \[?[\w.]+:\d+\]?)?:? ",
        // ` * x`, `// x`, `-- x`: leaders of comments
        r"^ *(?:\*|//[/!]?) ",
    ]
    .map(|pattern| Regex::new(pattern).expect("fixed pattern"))
});

/// `     12→let x`, `00012| text`, `12:text`
static NUMBERED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*(\d{1,6})(?:\u{2192}|\t|\| |[:-])").expect("fixed pattern"));

fn blank_prefixes(lines: &mut [Line<'_>]) {
    let mut at = 0;
    while at < lines.len() {
        let end = lines[at..].iter().position(|l| l.text.is_empty()).map_or(lines.len(), |n| at + n);
        let block = &mut lines[at..end];
        blank_numbers(block);
        for prefix in PREFIXES.iter() {
            let ends: Vec<Option<usize>> = block.iter().map(|l| prefix.find(&l.text).map(|m| m.end())).collect();
            if ends.iter().flatten().count() * 5 >= block.len() * 4 {
                block.iter_mut().zip(ends).for_each(|(line, end)| blank(line, end.unwrap_or(0)));
            }
        }
        for line in block {
            let hash = line.text.trim_start().starts_with("# ") || line.text.trim_start().starts_with("#  ");
            blank(line, if hash { line.text.find('#').map_or(0, |at| at + 1) } else { 0 });
        }
        at = end + 1;
    }
}

/// Blanks line numbers that a viewer put before the lines: at least three in a row, counting by one.
fn blank_numbers(block: &mut [Line<'_>]) {
    let found: Vec<Option<(u64, usize)>> = block
        .iter()
        .map(|l| NUMBERED.captures(&l.text).and_then(|c| Some((c[1].parse().ok()?, c.get(0)?.end()))))
        .collect();
    let counting = found.windows(2).filter(|w| matches!(w, [Some(a), Some(b)] if a.0 + 1 == b.0)).count();
    if counting >= 2 && (counting + 1) * 5 >= block.len() * 4 {
        block.iter_mut().zip(found).for_each(|(line, f)| blank(line, f.map_or(0, |f| f.1)));
    }
}

/// Replaces the first `end` bytes by as many blanks: offsets stay what they are.
fn blank(line: &mut Line<'_>, end: usize) {
    if end > 0 {
        let text = format!("{:end$}{}", "", &line.text[end..]);
        line.text = Cow::Owned(text);
    }
}

/// `$ cargo bench`, `>>> print(df)`, `In [4]: %timeit f()`, `root@host:~/app# ls`
static PROMPT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:\([\w.-]+\) ?)?(?:\$|>>>|❯|In \[\d+\]:|[\w.-]+@[\w.-]+:[^\s#$]*[#$])\s+\S")
        .expect("fixed pattern")
});

/// Info strings of fences that hold output or text, not code.
const OUTPUT_FENCES: &[&str] =
    &["", "bash", "console", "csv", "log", "markdown", "md", "output", "sh", "shell", "text", "txt"];

fn classify(lines: &mut [Line<'_>]) {
    let (mut fenced, mut code) = (false, false);
    for line in lines {
        let text = line.text.trim_start();
        line.kind = match text {
            "" => Kind::Blank,
            t if t.starts_with("```") || t.starts_with("~~~") => {
                fenced = !fenced;
                code = fenced && !OUTPUT_FENCES.contains(&t.trim_start_matches(['`', '~']).trim());
                Kind::Fence
            }
            _ if code => Kind::Code,
            t if is_rule(t) => Kind::Rule,
            t if PROMPT.is_match(t) => Kind::Prompt,
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
        assert!(!ANSI.is_match("[1m"));
        assert!(!NUMBERED.is_match("12 files"));
    }
}
