//! What a claim names: figures with their units, factors, quantifiers, paths, code spans, commands, tests, items of the
//! task list.

use std::{ops::Range, sync::LazyLock};

use crate::{
    base::{ids::MessageIdx, unit::lookup},
    model::{audit::EntityKind, facts::Facts},
    text::pattern::Regex,
};

/// `` `make check` ``
static CODE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"`([^`\n]+)`").expect("valid"));

/// `src/a.rs`, `notes.md`; not `and/or`, `1.5`
static PATH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:[\w.@~-]*/)*[\w@-][\w.@-]*\.[A-Za-z]\w{0,5}\b|(?:~|\.{1,2})?/[\w.@-]+(?:/[\w.@-]+)+")
        .expect("valid")
});

/// `2x`, `1.5×`
static FACTOR: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\d+(?:\.\d+)? ?[x×]").expect("valid"));

/// `1,906.4`, `52 %`, `0.12`
static FIGURE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?: ?%)?").expect("valid"));

/// `all`, `no other`
static QUANTIFIER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:all|every|each|any|both|none|nothing|nobody|everything|always|never|only|across the board|no other)\b").expect("valid")
});

/// `test_sum`, `TestSum`; not `testing`
static TEST: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\btest_\w+|\bTest[A-Z]\w+").expect("valid"));

/// What the words of a claim name, in order: its bytes, and of which kind it is. What lies within a code span is that.
pub fn of(facts: &Facts, said: &str, before: MessageIdx) -> Vec<(EntityKind, Range<usize>)> {
    let mut found: Vec<(EntityKind, Range<usize>)> = Vec::new();
    let mut add = |kind: EntityKind, range: Range<usize>| {
        if !found.iter().any(|(_, known)| known.start < range.end && range.start < known.end) {
            found.push((kind, range));
        }
    };
    for span in CODE.captures_iter(said).filter_map(|c| c.get(1)) {
        add(of_code(facts, span.as_str()), span.range());
    }
    for (kind, like) in [(EntityKind::Test, &TEST), (EntityKind::Path, &PATH), (EntityKind::Factor, &FACTOR)] {
        like.find_iter(said).for_each(|place| add(kind, place.range()));
    }
    for place in FIGURE.find_iter(said).filter(|f| stands_alone(said, f.range())) {
        add(EntityKind::Figure, place.start()..with_unit(said, place.end()));
    }
    QUANTIFIER.find_iter(said).for_each(|place| add(EntityKind::Quantifier, place.range()));
    let list = facts.todos.iter().rfind(|list| list.message < before);
    for item in list.iter().flat_map(|list| list.items.iter()).filter(|item| item.content.len() > 8) {
        if let Some(at) = said.find(item.content.as_str()) {
            add(EntityKind::Item, at..at + item.content.len());
        }
    }
    found.sort_by_key(|(_, range)| range.start);
    found
}

/// What a code span is: a command where its program ran in this session, a test, a path, else code.
fn of_code(facts: &Facts, span: &str) -> EntityKind {
    let mut programs = facts.commands.iter().flat_map(|run| &run.parts).map(|part| part.program.as_str());
    let mut words = span.split_whitespace();
    let program = words.next().unwrap_or("");
    let whole = |like: &Regex| like.find(span).is_some_and(|place| place.len() == span.len());
    match () {
        () if words.next().is_some() && programs.any(|known| known == program) => EntityKind::Command,
        () if whole(&TEST) => EntityKind::Test,
        () if whole(&PATH) => EntityKind::Path,
        () => EntityKind::Code,
    }
}

fn stands_alone(text: &str, at: Range<usize>) -> bool {
    let glue = |c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '-' | '#' | '@');
    let before = text[..at.start].chars().next_back();
    let after = text[at.end..].chars().next();
    !before.is_some_and(|c| glue(c) || c == '.') && !after.is_some_and(|c| matches!(c, '_' | '/' | '@'))
}

/// Where a figure ends, its unit included.
fn with_unit(text: &str, end: usize) -> usize {
    let rest = &text[end..];
    let word = rest.trim_start_matches(' ');
    let unit = word.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ')')).next().unwrap_or("");
    let unit = unit.trim_end_matches(['.', ':', '|', '*']);
    match lookup(unit) {
        Some(_) if !unit.is_empty() => end + (rest.len() - word.len()) + unit.len(),
        _ => end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_found_once() {
        let text = "All of src/pack.rs: `flush` is 2x faster, 4.25 ms in test_sum";
        let found = of(&Facts::default(), text, MessageIdx(0));
        let told: Vec<(EntityKind, &str)> = found.iter().map(|(kind, at)| (*kind, &text[at.clone()])).collect();
        assert_eq!(
            told,
            [
                (EntityKind::Quantifier, "All"),
                (EntityKind::Path, "src/pack.rs"),
                (EntityKind::Code, "flush"),
                (EntityKind::Factor, "2x"),
                (EntityKind::Figure, "4.25 ms"),
                (EntityKind::Test, "test_sum"),
            ]
        );
    }

    #[test]
    fn words_are_no_paths_and_testing_is_no_test() {
        assert!(!PATH.is_match("and/or 1.5") && !TEST.is_match("testing the Tests") && !FACTOR.is_match("ax b"));
    }
}
