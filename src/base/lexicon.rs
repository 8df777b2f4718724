//! Sorted tables of words that say no quickly: nearly every word that is asked about is in none of them.

/// What is remembered of each key of a table: a word that is not remembered is not in it. `N` times 64 bits.
#[derive(Clone, Copy, Debug)]
pub struct Filter<const N: usize>([u64; N]);

impl<const N: usize> Filter<N> {
    /// Of an empty table.
    pub const fn empty() -> Self {
        Self([0; N])
    }

    /// With one more key.
    pub const fn with(mut self, key: &str) -> Self {
        let bit = Self::bit(key.as_bytes());
        self.0[bit / 64] |= 1 << (bit % 64);
        self
    }

    /// Whether the table may hold a word.
    pub const fn may_hold(&self, word: &str) -> bool {
        let bit = Self::bit(word.as_bytes());
        self.0[bit / 64] >> (bit % 64) & 1 == 1
    }

    /// Length and three bytes tell most words apart.
    const fn bit(word: &[u8]) -> usize {
        let len = word.len();
        if len == 0 {
            return 0;
        }
        let (first, middle, last) = (word[0] as usize, word[len / 2] as usize, word[len - 1] as usize);
        (len.wrapping_mul(0x9E5) ^ first.wrapping_mul(0x3D) ^ middle.wrapping_mul(0x1A3) ^ last.wrapping_mul(0x71))
            % (64 * N)
    }
}

/// A sorted table of words. One that is not sorted does not compile.
#[derive(Debug)]
pub struct Lexicon {
    words: &'static [&'static str],
    filter: Filter<16>,
}

impl Lexicon {
    /// Of words in the order of their bytes.
    pub const fn new(words: &'static [&'static str]) -> Self {
        let (mut filter, mut at) = (Filter::empty(), 0);
        while at < words.len() {
            assert!(
                at == 0 || precedes(words[at - 1].as_bytes(), words[at].as_bytes()),
                "a table of words is not sorted"
            );
            filter = filter.with(words[at]);
            at += 1;
        }
        Self { words, filter }
    }

    /// Whether a word is in it.
    pub fn has(&self, word: &str) -> bool {
        self.filter.may_hold(word) && self.words.binary_search(&word).is_ok()
    }
}

/// Whether one comes before the other.
const fn precedes(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() {
        if a[at] != b[at] {
            return a[at] < b[at];
        }
        at += 1;
    }
    a.len() < b.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    static NOUNS: Lexicon = Lexicon::new(&["bandwidth", "bw", "latency", "p", "µ"]);

    #[test]
    fn a_table_holds_its_words_and_no_others() {
        for word in NOUNS.words {
            assert!(NOUNS.has(word), "{word}");
        }
        for no in ["", "b", "bandwidths", "latencz", "q", "Latency"] {
            assert!(!NOUNS.has(no), "{no}");
        }
        assert!(precedes(b"a", b"ab") && precedes(b"a_", b"aa") && !precedes(b"a", b"a"));
    }
}
