//! Content terms of a text, for the question whether two texts speak of the same thing. No stemming beyond a plural `s`.

use std::collections::BTreeSet;

/// Words of three letters and more without function words, in lower case; identifiers also in their parts.
pub fn terms(text: &str) -> BTreeSet<String> {
    let tokens = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-' || c == '.'));
    let mut found = BTreeSet::new();
    for token in tokens {
        let token = token.trim_matches(['.', '-', '_']).to_lowercase();
        for word in std::iter::once(token.as_str()).chain(token.split(['-', '_', '.'])) {
            let word = word.strip_suffix('s').filter(|w| w.len() > 3).unwrap_or(word);
            if word.chars().count() >= 3 && !is_common(word) && !word.chars().all(|c| c.is_ascii_digit()) {
                found.insert(word.to_string());
            }
        }
    }
    found
}

fn is_common(word: &str) -> bool {
    COMMON.binary_search(&word).is_ok()
}

/// Function words and words that any two texts about software share.
#[rustfmt::skip]
const COMMON: &[&str] = &[
    "about", "after", "all", "also", "and", "any", "are", "back", "because", "been", "before", "being", "between",
    "both", "but", "can", "change", "code", "could", "did", "does", "doesn", "don", "each", "even", "every", "file",
    "first", "fix", "for", "from", "get", "good", "had", "has", "have", "her", "here", "how", "into", "issue", "its",
    "just", "let", "like", "make", "may", "might", "more", "most", "much", "need", "new", "not", "now", "off", "one",
    "only", "other", "our", "out", "over", "point", "problem", "really", "right", "run", "same", "say", "see", "should",
    "since", "some", "still", "such", "sure", "take", "test", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "thi", "thing", "this", "those", "too", "try", "two", "under", "use", "used", "using", "very",
    "via", "wa", "want", "was", "way", "well", "were", "what", "when", "where", "which", "while", "who", "why", "will",
    "with", "work", "would", "wrong", "yes", "yet", "you", "your",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_are_sorted_and_left_out() {
        assert!(COMMON.is_sorted());
        let all: Vec<_> = terms("The expert GEMMs were wrong, 12 of them").into_iter().collect();
        assert_eq!(all, ["expert", "gemm"]);
    }

    #[test]
    fn identifiers_count_in_their_parts() {
        assert!(terms("all-to-all over moe_wna16").contains("moe"));
    }
}
