//! The words that stand in everything an adapter reads and in every line of a test runner, looked for once in a text, all
//! together: who finds none of its own is not asked.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::{adapter::ADAPTERS, clean::Page, quality};

/// Whose a word is: the place of an adapter in [`ADAPTERS`], or past them the runners.
static WORDS: LazyLock<(AhoCorasick, Vec<usize>)> = LazyLock::new(|| {
    let adapters = ADAPTERS.iter().enumerate().flat_map(|(i, a)| a.marks().iter().map(move |mark| (*mark, i)));
    let runners = quality::MARKS.iter().map(|mark| (*mark, ADAPTERS.len()));
    let (words, owners): (Vec<&str>, Vec<usize>) = adapters.chain(runners).unzip();
    // Few and short: the fastest automaton is small enough.
    let automaton = AhoCorasick::builder().kind(Some(AhoCorasickKind::DFA)).build(words).expect("few and short");
    (automaton, owners)
});

/// What was found.
pub struct Marks {
    adapters: Vec<bool>,
    runners: Vec<bool>,
}

impl Marks {
    /// Looks for the words in a text and on its lines.
    pub fn find(text: &str, page: &Page) -> Self {
        let (automaton, owners) = &*WORDS;
        let mut marks = Marks { adapters: vec![false; ADAPTERS.len()], runners: vec![false; page.lines.len()] };
        let mut line = 0;
        for hit in automaton.find_overlapping_iter(text) {
            let owner = owners[hit.pattern().as_usize()];
            if let Some(found) = marks.adapters.get_mut(owner) {
                *found = true;
                continue;
            }
            while page.lines.get(line + 1).is_some_and(|next| next.start() < hit.end()) {
                line += 1;
            }
            marks.runners[line] = true;
        }
        // What stood between the letters of a word there is gone from these lines.
        for (line, found) in page.lines.iter().zip(&mut marks.runners).filter(|(line, _)| line.is_mended()) {
            let mut hits = automaton.find_overlapping_iter(line.text.as_ref());
            *found |= hits.any(|hit| owners[hit.pattern().as_usize()] == ADAPTERS.len());
        }
        marks
    }

    /// The adapters that have a word in the text, by their place.
    pub fn adapters(&self) -> impl Iterator<Item = usize> {
        (0..ADAPTERS.len()).filter(|i| self.adapters[*i])
    }

    /// Whether a line may be one of a test runner.
    pub fn of_runner(&self, line: usize) -> bool {
        self.runners[line]
    }
}
