//! Quotations against the log: where their words stand, and which words of the log come nearest.

use super::{
    log::{Log, Page, bare, plain},
    read::{Quote, Statement},
};

/// A quotation made ready for comparison: its pieces between ellipses.
pub struct Wanted {
    pieces: Vec<String>,
    /// How many words it has.
    pub words: usize,
}

/// Punctuation that a writer puts at the end of a quotation of their own accord.
const ENDINGS: &[char] = &['.', ',', ';', ':', '!', '?', ' ', '-'];

impl Wanted {
    /// The quotation of a statement.
    pub fn new(statement: &Statement, quote: &Quote) -> Self {
        let text = plain(&statement.text[quote.span.start..quote.span.end]).replace("[...]", "…").replace("...", "…");
        let pieces: Vec<String> = text
            .split('…')
            .map(|p| p.trim_end_matches(if quote.code { &[' '][..] } else { ENDINGS }).trim_start().to_string())
            .filter(|p| !p.is_empty())
            .collect();
        let words = pieces.iter().map(|p| p.split_whitespace().count()).sum();
        Self { pieces, words }
    }

    /// Whether a message holds all its pieces, in order.
    pub fn stands_in(&self, page: &Page) -> bool {
        let mut at = 0;
        self.pieces.iter().all(|piece| match page.plain[at..].find(piece.as_str()) {
            Some(n) => {
                at += n + piece.len();
                true
            }
            None => false,
        })
    }

    /// The first message of the log that holds it.
    pub fn anywhere(&self, log: &Log<'_>) -> Option<u32> {
        // Words inside a piece are whole ones, so that they stand side by side wherever it does.
        let longest = self.pieces.iter().max_by_key(|p| p.len()).map_or("", String::as_str);
        let words: Vec<&str> = longest.split_whitespace().collect();
        let inner = words.get(1..words.len().saturating_sub(1)).and_then(|w| Some((*w.first()?, *w.get(1)?)));
        let may = |page: &Page| inner.is_none_or(|(a, b)| page.may_pair(a, b));
        log.pages().find(|(_, page)| may(page) && self.stands_in(page)).map(|(number, _)| number)
    }

    /// Words of these messages that differ from it in at most one word of five (at least one word).
    pub fn near<'p>(&self, pages: impl Iterator<Item = (u32, &'p Page)>) -> Option<(u32, String)> {
        let wanted: Vec<&str> = self.pieces.iter().flat_map(|p| p.split_whitespace()).collect();
        let allowed = (wanted.len() / 5).max(1);
        if wanted.len() < 3 {
            return None;
        }
        let mut best: Option<(usize, u32, String)> = None;
        let may = |page: &Page| wanted.windows(2).any(|w| page.may_pair(w[0], w[1]));
        for (number, page) in pages.filter(|(_, page)| may(page)) {
            for window in windows(&wanted, &page.plain) {
                let missing = wanted.len() - common(&wanted, &window);
                if missing <= allowed && best.as_ref().is_none_or(|b| missing < b.0) {
                    best = Some((missing, number, window.join(" ")));
                }
            }
        }
        best.map(|(_, number, text)| (number, text))
    }
}

/// Stretches of a text, as long as the quotation, laid so that two neighbouring words of it coincide.
fn windows<'p>(wanted: &[&str], text: &'p str) -> Vec<Vec<&'p str>> {
    let mut all = Vec::new();
    for (i, pair) in wanted.windows(2).enumerate() {
        let key = format!("{} {}", pair[0], pair[1]);
        for (at, _) in text.match_indices(&key).take(8) {
            let mut before: Vec<&str> = text[..at].split_whitespace().rev().take(i).collect();
            before.reverse();
            before.extend(text[at..].split_whitespace().take(wanted.len() - i));
            all.push(before);
        }
    }
    all
}

/// Length of the longest common subsequence of words.
fn common(a: &[&str], b: &[&str]) -> usize {
    let mut row = vec![0; b.len() + 1];
    for x in a {
        let mut corner = 0;
        for (j, y) in b.iter().enumerate() {
            let up = row[j + 1];
            row[j + 1] = if bare(x) == bare(y) { corner + 1 } else { up.max(row[j]) };
            corner = up;
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_are_counted_in_order() {
        assert_eq!(common(&["a", "b", "c"], &["a", "x", "c,"]), 2);
        assert_eq!(common(&["a", "b"], &["b", "a"]), 1);
    }

    #[test]
    fn windows_lie_on_shared_pairs() {
        assert_eq!(windows(&["x", "b", "c", "d"], "a b c z e"), [vec!["a", "b", "c", "z"]]);
    }
}
