//! How wide text is, about: no font is at hand. The estimates are those of a wide sans-serif face, so that text of a
//! narrower one fits too.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar;

use crate::text::quote;

/// Width of a text at a font size, in the unit of the size.
pub fn width(text: &str, size: f64) -> f64 {
    text.chars().map(share).sum::<f64>() * size
}

/// Width of a character as a share of the font size.
fn share(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '\'' | '|' => 0.29,
        ' ' | '.' | ',' | ':' | ';' | '!' | 'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | 'I' => 0.39,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.96,
        '→' | '…' | '—' | '×' | '≈' => 0.86,
        c if c.is_ascii_uppercase() => 0.70,
        c if c.is_ascii() => 0.61,
        c => 0.62 * c.width().unwrap_or(0).max(1) as f64,
    }
}

/// The beginning of a text that fits, with ` …` for what is left out.
pub fn fit(text: &str, size: f64, room: f64) -> Cow<'_, str> {
    if width(text, size) <= room {
        return Cow::Borrowed(text);
    }
    let mut used = 0.0;
    let fits = |c: &char| {
        used += share(*c) * size;
        used <= room
    };
    let mut most = text.chars().take_while(fits).count();
    let mut cut = quote::shorten(text, most);
    // The mark may be wider than what it stands for.
    while most > 2 && width(&cut, size) > room {
        most -= 1;
        cut = quote::shorten(text, most);
    }
    cut
}

/// Lines of a text, broken at blanks, at most `most`; what does not fit into the last is left out with a mark.
pub fn wrap(text: &str, size: f64, room: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() && lines.len() + 1 < most {
        let end = line_end(rest, size, room);
        lines.push(rest[..end].trim_end().to_string());
        rest = rest[end..].trim_start();
    }
    if !rest.is_empty() {
        lines.push(fit(rest, size, room).into_owned());
    }
    lines
}

/// Where a line ends: behind the last word that fits, else behind the last character.
fn line_end(text: &str, size: f64, room: f64) -> usize {
    let mut used = 0.0;
    let mut blank = None;
    for (at, c) in text.char_indices() {
        used += share(c) * size;
        if c == ' ' {
            blank = Some(at);
        }
        if used > room {
            return blank.unwrap_or(if at == 0 { c.len_utf8() } else { at });
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_fits_its_room() {
        for text in [
            "",
            "short",
            "a line of several words that is too long",
            "wwwwwwwwwwwwwwwwwwwwwwwwwwwwww",
            "長い日本語の文字列です",
        ] {
            assert!(width(&fit(text, 10.0, 80.0), 10.0) <= 80.0, "{text}");
            let lines = wrap(text, 10.0, 80.0, 2);
            assert!(lines.len() <= 2 && lines.iter().all(|line| width(line, 10.0) <= 80.0), "{lines:?}");
        }
    }
}
