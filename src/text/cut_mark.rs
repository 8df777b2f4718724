//! The marks that renderers and tools leave where they cut a text short, and the placeholders they put in place of one.
//! Whether a text that ends in three dots was really cut is for the caller to know: prose may end so by itself.

use std::{ops::Range, sync::LazyLock};

use crate::text::pattern::Regex;

/// `... (875 more chars)` at the end, with the blank line that renderers put before it.
static COUNTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:\r?\n){0,2}[ \t]*(?:\.\.\.|…) ?[(\[]\+?[\d,]+ (?:more )?(?:chars|characters|bytes|lines|tokens)[^)\]\n]{0,40}[)\]]\s*$")
        .expect("valid")
});
/// `[... 120 lines truncated ...]`, `...51 lines truncated...`, `(output truncated)`: left by the tool itself.
static BY_TOOL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\.\.\.\s*\[?[\d,]+ (?:lines|bytes|chars|characters|tokens) truncated|[\[(<](?:tool )?output (?:was )?truncated|truncated due to length limit|Full output saved to: ",
    )
    .expect("valid")
});
/// `<4831 chars — see diff>`, `[redacted:tool-output:prt_1]`, `{"redacted":"…"}` as the whole of a value.
static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^\s*(?:<[\d,]+ (?:chars|characters|bytes|lines)\b[^<>\n]*>|\[redacted(?::[^\]\n]*)?\]|\{"redacted":[^{}]*\})\s*$"#)
        .expect("valid")
});

/// Where a counted cut mark at the end of the text stands, the blank line before it included.
pub fn counted(text: &str) -> Option<Range<usize>> {
    let from = text.len().saturating_sub(160);
    let from = (from..=text.len()).find(|i| text.is_char_boundary(*i))?;
    text[from..]
        .contains(['.', '…'])
        .then(|| COUNTED.find(&text[from..]))
        .flatten()
        .map(|m| from + m.start()..text.len())
}

/// Where the mark at the end of a text that is known to be cut stands: a counted one, or bare dots.
pub fn at_end(text: &str) -> Option<Range<usize>> {
    if let Some(found) = counted(text) {
        return Some(found);
    }
    let body = text.trim_end();
    ["...", "…"].iter().find_map(|dots| body.strip_suffix(dots)).map(|rest| rest.len()..text.len())
}

/// Whether the tool says that it shortened this output. Looks at the first and the last two thousand bytes.
pub fn by_tool(text: &str) -> bool {
    const WINDOW: usize = 2000;
    if text.len() <= 2 * WINDOW {
        return BY_TOOL.is_match(text);
    }
    let head = (0..=WINDOW).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
    let tail = (text.len() - WINDOW..=text.len()).find(|i| text.is_char_boundary(*i)).unwrap_or(text.len());
    BY_TOOL.is_match(&text[..head]) || BY_TOOL.is_match(&text[tail..])
}

/// Whether the whole value is a placeholder for content that the log does not hold.
pub fn is_placeholder(text: &str) -> bool {
    text.len() < 400 && PLACEHOLDER.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counted_mark_takes_its_blank_line_with_it() {
        let text = "total 40\n\n... (875 more chars)";
        assert_eq!(counted(text).map(|r| &text[..r.start]), Some("total 40"));
        assert_eq!(counted("waits ... (a while)"), None);
        assert_eq!(counted("f(... 12 more)"), None);
    }

    #[test]
    fn bare_dots_count_only_where_the_caller_knows_of_a_cut() {
        assert_eq!(at_end("\"complete...\n"), Some(9..13));
        assert_eq!(counted("Downloading..."), None);
        assert_eq!(at_end("\"complete"), None);
    }

    #[test]
    fn tools_say_that_they_shortened() {
        assert!(by_tool("a\n\n...51 lines truncated...\n\nb"));
        assert!(!by_tool("the table was truncated by TRUNCATE TABLE"));
    }

    #[test]
    fn a_placeholder_is_the_whole_value() {
        assert!(is_placeholder("<4831 chars — see diff>"));
        assert!(is_placeholder("[redacted:tool-output:prt_1]"));
        assert!(is_placeholder("{\"redacted\":\"input\"}"));
        assert!(!is_placeholder("see <4831 chars> there"));
        assert!(!is_placeholder("<div>"));
    }
}
