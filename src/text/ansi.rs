//! Escape sequences of terminals (ECMA-48, read leniently), found by hand: the output of builds is dense with them, and
//! a regular expression takes far longer to begin a search than the few bytes of a colour are long.

use std::ops::Range;

/// How a sequence begins.
const ESC: u8 = 0x1b;
/// First byte of the characters U+0080 to U+00BF, some of which stand for `ESC [`, `ESC ]` …
const C1: u8 = 0xc2;

/// Whole sequences in a text, in order, as byte ranges: `ESC [ 31 m`, `ESC ] 0 ; title BEL`, `ESC ( B`. Not a bare
/// `[31m`.
pub(crate) fn sequences(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + memchr::memchr2(ESC, C1, &bytes[at..])?;
            at = start + 1;
            if let Some(length) = length(&bytes[start..]) {
                at = start + length;
                return Some(start..at);
            }
        }
    })
}

/// Length of the sequence that these bytes begin with. Of a control sequence that is not whole, its introducer's.
pub(crate) fn length(bytes: &[u8]) -> Option<usize> {
    let run = |from: usize, class: Range<u8>| from + bytes[from..].iter().take_while(|b| class.contains(b)).count();
    match bytes {
        // Control sequences: colours, cursor. Of one that is not whole, the introducer.
        [ESC, b'[', ..] | [C1, 0x9b, ..] => match run(run(2, b'0'..b'@'), b' '..b'0') {
            end if matches!(bytes.get(end), Some(b'@'..=b'~')) => Some(end + 1),
            _ => (bytes[0] == ESC).then_some(2),
        },
        // Strings: titles, links, clipboard.
        [ESC, b']' | b'P' | b'X' | b'^' | b'_', ..] | [C1, 0x90 | 0x98 | 0x9d..=0x9f, ..] => Some(string(bytes)),
        // Everything shorter.
        [ESC, ..] => {
            let end = run(1, b' '..b'0');
            Some(end + usize::from(matches!(bytes.get(end), Some(b'0'..=b'~'))))
        }
        _ => None,
    }
}

/// Length of a string with its terminator; one without any ends with the line.
fn string(bytes: &[u8]) -> usize {
    let mut end = 2;
    loop {
        match bytes[end..] {
            [] | [b'\n', ..] => return end,
            [0x07, ..] => return end + 1,
            [ESC, b'\\', ..] | [C1, 0x9c, ..] => return end + 2,
            [ESC, ..] => return end,
            _ => end += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a sequence is, as an expression. Not a bare `[31m`.
    const GRAMMAR: &str = r"(?x)
        (?: \x1b\[ | \u{9b} ) [0-?]* [\x20-/]* [@-~]
        | (?: \x1b[\]PX^_] | [\u{90}\u{98}\u{9d}-\u{9f}] ) [^\x07\x1b\u{9c}\n]* (?: \x07 | \x1b\\ | \u{9c} )?
        | \x1b [\x20-/]* [0-~]?";

    #[test]
    fn every_short_text_is_read_by_the_grammar() {
        let grammar = regex::Regex::new(GRAMMAR).expect("valid");
        assert!(!grammar.is_match("[31m"));
        const LETTERS: [&str; 13] =
            ["\x1b", "[", "]", "3", ";", "(", "m", "\\", "\x07", "\n", "\u{9b}", "\u{9c}", "\u{90}é"];
        for number in 0..13_usize.pow(5) {
            let text: String = (0..5).map(|place| LETTERS[number / 13_usize.pow(place) % 13]).collect();
            let expected: Vec<Range<usize>> = grammar.find_iter(&text).map(|found| found.range()).collect();
            assert_eq!(sequences(&text).collect::<Vec<_>>(), expected, "{text:?}");
        }
    }
}
