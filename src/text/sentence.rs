//! Prose cut into sentences and clauses, with byte spans into the text as it stands.
//!
//! Chat prose is Markdown written in haste: fences, tables, rules and indented code are left out, headings and list
//! items are blocks of their own, a full stop inside a number, a path, an abbreviation or a code span ends nothing. It
//! does not correct, trim or normalise: every span is an exact substring.

use crate::base::span::ByteSpan;

/// The kind of block that a sentence stands in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Block {
    /// Running text.
    Paragraph,
    /// A heading; the sentence is its text.
    Heading,
    /// A list item.
    Item,
    /// Quoted with `>`: somebody else's words.
    Quote,
}

/// A sentence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sentence {
    /// Where it stands, without surrounding blanks.
    pub span: ByteSpan,
    /// What it stands in.
    pub block: Block,
}

/// The sentences of a text, in order.
pub fn sentences(text: &str) -> Vec<Sentence> {
    let mut found = Vec::new();
    for (block, span) in blocks(text) {
        if block == Block::Heading {
            found.push(Sentence { span, block });
        } else {
            cut(text, span, block, &mut found);
        }
    }
    found
}

/// The parts of a sentence between semicolons and line breaks, in order.
pub fn clauses(text: &str, sentence: ByteSpan) -> Vec<ByteSpan> {
    let Some(words) = sentence.of(text) else { return Vec::new() };
    let mut spans = Vec::new();
    let mut from = 0;
    let mut code = false;
    let mut aside = 0;
    for (at, c) in words.char_indices() {
        code ^= c == '`';
        aside = aside.max(aside_end(words, at));
        let rest = &words[at..];
        let parted = CLAUSE_ENDS.iter().find(|mark| !code && at >= aside && rest.starts_with(**mark));
        if let Some(mark) = parted.filter(|_| at >= from) {
            spans.extend(trimmed(words, from, at));
            from = at + mark.len();
        }
    }
    spans.extend(trimmed(words, from, words.len()));
    spans.into_iter().map(|s| s.shift(sentence.start)).collect()
}

/// Number of blank-separated tokens that hold a letter or a digit.
pub fn word_count(text: &str) -> usize {
    text.split_whitespace().filter(|t| t.chars().any(char::is_alphanumeric)).count()
}

/// What parts a sentence into clauses.
const CLAUSE_ENDS: &[&str] = &["; ", "\n", "；"];

/// Words before a full stop that does not end a sentence, in lower case.
#[rustfmt::skip]
const ABBREVIATIONS: &[&str] = &[
    "al", "approx", "ca", "cf", "dr", "e.g", "eg", "eq", "etc", "fig", "i.e", "ie", "incl", "mr", "no", "resp", "vs",
];

/// Blocks of prose with their bytes; what is no prose is left out.
fn blocks(text: &str) -> Vec<(Block, ByteSpan)> {
    let mut scan = Scan { text, done: Vec::new(), open: None, fence: None };
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        scan.line(at, line.trim_end_matches(['\n', '\r']));
        at += line.len();
    }
    scan.close();
    scan.done
}

struct Scan<'a> {
    text: &'a str,
    done: Vec<(Block, ByteSpan)>,
    open: Option<(Block, ByteSpan)>,
    fence: Option<&'static str>,
}

impl Scan<'_> {
    fn line(&mut self, at: usize, line: &str) {
        let body = line.trim_start();
        let indent = line.len() - body.len();
        let body = body.trim_end();
        if let Some(mark) = self.fence {
            if body.starts_with(mark) {
                self.fence = None;
            }
            return;
        }
        let start = at + indent;
        let end = start + body.len();
        if let Some(mark) = ["```", "~~~"].into_iter().find(|m| body.starts_with(m)) {
            self.close();
            self.fence = (!body[3..].contains(mark)).then_some(mark);
        } else if body.is_empty() || body.starts_with('|') || is_rule(body) {
            self.close();
        } else if let Some(title) = heading(body) {
            self.close();
            self.done.push((Block::Heading, ByteSpan::new(end - title.len(), end)));
        } else if let Some(item) = item(body) {
            self.close();
            self.open = Some((Block::Item, ByteSpan::new(end - item.len(), end)));
        } else if let Some(quoted) = body.strip_prefix('>') {
            self.close();
            self.open = Some((Block::Quote, ByteSpan::new(end - quoted.trim_start().len(), end)));
        } else if self.open.is_none() && (indent >= 4 || line.starts_with('\t')) {
            // Indented code.
        } else {
            self.extend(start, end, body);
        }
    }

    /// Continues the open block, or starts another where the line before was whole by itself.
    fn extend(&mut self, start: usize, end: usize, body: &str) {
        match &mut self.open {
            Some((_, span)) if !stands_alone(span.of(self.text).unwrap_or(""), body) => span.end = end,
            _ => {
                self.close();
                self.open = Some((Block::Paragraph, ByteSpan::new(start, end)));
            }
        }
    }

    fn close(&mut self) {
        self.done.extend(self.open.take().filter(|(_, span)| !span.is_empty()));
    }
}

/// Whether a line break ends what stands before it: a short line without a stop, followed by a capital.
fn stands_alone(before: &str, next: &str) -> bool {
    let last = before.rsplit('\n').next().unwrap_or(before);
    last.ends_with(':') || (last.chars().count() < 60 && next.starts_with(char::is_uppercase))
}

fn is_rule(body: &str) -> bool {
    body.len() >= 3 && body.chars().all(|c| "-=_*+|: ─━═".contains(c))
}

fn heading(body: &str) -> Option<&str> {
    let title = body.trim_start_matches('#');
    let level = body.len() - title.len();
    ((1..=6).contains(&level) && title.starts_with(' ')).then(|| title.trim_start()).filter(|t| !t.is_empty())
}

/// What follows the marker of a list item: `- `, `* `, `1. `, `2) `, with or without a check box.
fn item(body: &str) -> Option<&str> {
    let digits = body.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = body.len() - digits.len();
    let rest = match numbered {
        0 => body.strip_prefix(['-', '*', '+', '•'])?,
        1..=3 => digits.strip_prefix(['.', ')'])?,
        _ => return None,
    };
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let unboxed = ["[ ] ", "[x] ", "[X] "].iter().find_map(|b| rest.strip_prefix(b));
    Some(unboxed.unwrap_or(rest).trim_start()).filter(|r| !r.is_empty())
}

/// Cuts one block at its sentence ends.
fn cut(text: &str, span: ByteSpan, block: Block, found: &mut Vec<Sentence>) {
    let Some(words) = span.of(text) else { return };
    let mut from = 0;
    let mut code = false;
    let mut aside = 0;
    for (at, c) in words.char_indices() {
        aside = aside.max(aside_end(words, at));
        match c {
            '`' => code = !code,
            _ if at < aside => {}
            '.' | '!' | '?' if !code => {
                if let Some(end) = ends_at(words, from, at) {
                    found.extend(trimmed(words, from, end).map(|s| Sentence { span: s.shift(span.start), block }));
                    from = end;
                }
            }
            '。' | '！' | '？' if !code => {
                let end = at + c.len_utf8();
                found.extend(trimmed(words, from, end).map(|s| Sentence { span: s.shift(span.start), block }));
                from = end;
            }
            _ => {}
        }
    }
    found.extend(trimmed(words, from, words.len()).map(|s| Sentence { span: s.shift(span.start), block }));
}

/// Where the parenthesis that opens at a place closes, if it opens there and closes soon: nothing ends within it.
fn aside_end(words: &str, at: usize) -> usize {
    if !words[at..].starts_with('(') {
        return 0;
    }
    let mut depth = 0usize;
    for (i, c) in words[at..].char_indices().take(ASIDE) {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            '\n' => return 0,
            _ => {}
        }
        if depth == 0 {
            return at + i;
        }
    }
    0
}

/// Letters of the longest parenthesis within a sentence.
const ASIDE: usize = 240;

/// One past the sentence that the stop at `at` ends, closing quotes and emphasis included; `None` when it ends none.
fn ends_at(words: &str, from: usize, at: usize) -> Option<usize> {
    let rest = &words[at + 1..];
    let closers = rest.len() - rest.trim_start_matches(['"', '\'', ')', ']', '*', '_', '”', '’', '»']).len();
    let after = &rest[closers..];
    if !(after.is_empty() || after.starts_with(char::is_whitespace)) {
        return None;
    }
    let next = after.trim_start().chars().next();
    if words[at..].starts_with('.') {
        let word = words[from.min(at)..at].rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or("");
        let ellipsis = words[..at].ends_with('.');
        let short = match word.to_ascii_lowercase().as_str() {
            "no" => next.is_some_and(|c| c.is_ascii_digit()),
            "etc" => next.is_some_and(char::is_lowercase),
            other => ABBREVIATIONS.contains(&other),
        };
        let initial = word.len() == 1 && word.starts_with(|c: char| c.is_ascii_uppercase());
        if short || initial || (ellipsis && next.is_some_and(char::is_lowercase)) {
            return None;
        }
    }
    Some(at + 1 + closers)
}

fn trimmed(words: &str, from: usize, to: usize) -> Option<ByteSpan> {
    let part = &words[from..to];
    let start = from + (part.len() - part.trim_start().len());
    let span = ByteSpan::new(start, start + part.trim().len());
    (!span.is_empty()).then_some(span)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        sentences(text).iter().map(|s| s.span.of(text).unwrap()).collect()
    }

    #[test]
    fn stops_inside_numbers_paths_and_code_end_nothing() {
        assert_eq!(
            texts("It takes 11.17 ms, e.g. in `a. b` of src/main.rs. then it stops at 2 ms. Why? See no. 5"),
            ["It takes 11.17 ms, e.g. in `a. b` of src/main.rs.", "then it stops at 2 ms.", "Why?", "See no. 5"]
        );
    }

    #[test]
    fn blocks_that_are_no_prose_are_left_out() {
        let text = "Before.\n```\ncode. More.\n```\n| a | b |\n|---|---|\n\n# The title\n- [x] an item. Its end\n\n    indented. code\n> theirs.\n";
        assert_eq!(texts(text), ["Before.", "The title", "an item.", "Its end", "theirs."]);
    }

    #[test]
    fn closing_marks_belong_to_the_sentence() {
        assert_eq!(texts("**Done.** It (all of it.) works."), ["**Done.**", "It (all of it.) works."]);
    }

    #[test]
    fn nothing_ends_within_a_parenthesis() {
        let text = "skip the flag ( do we need it? I doubt it. ), keep the rest";
        assert_eq!(texts(text), [text]);
        assert_eq!(texts("It is (was it? Yes."), ["It is (was it?", "Yes."]);
    }

    #[test]
    fn chinese_stops_need_no_blank() {
        assert_eq!(texts("完成了。下一步？好"), ["完成了。", "下一步？", "好"]);
    }

    #[test]
    fn clauses_part_at_semicolons() {
        let text = "keep the file; `a; b` stays\nno more";
        let all: Vec<_> = clauses(text, ByteSpan::new(0, text.len())).iter().map(|s| s.of(text).unwrap()).collect();
        assert_eq!(all, ["keep the file", "`a; b` stays", "no more"]);
    }

    #[test]
    fn any_text_gives_ordered_spans() {
        for text in ["", ".", "...", "é. ü!\n\n- ", "```", "a\r\nb.\r\n", "# ", "1. ", "`. "] {
            let all = sentences(text);
            assert!(all.windows(2).all(|w| w[0].span.end <= w[1].span.start), "{text:?}");
            assert!(all.iter().all(|s| s.span.of(text).is_some()), "{text:?}");
        }
    }
}
