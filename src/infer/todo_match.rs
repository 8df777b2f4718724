//! Which items of two task lists are one: by id, by equal text, by text equal but for a trailing result, by a
//! display-cut text that begins the other, by shared words. Each stage takes what the earlier ones left; ties go to the
//! nearer position.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::model::todo::{Pairing, TodoItem, TodoSnapshot, TodoSource};

/// Jaccard index of their words from which two texts are one item reworded.
const REWORDED: f64 = 0.6;
/// The same for two items that alone are left between the same matched neighbours: their place speaks for them.
const REWORDED_IN_PLACE: f64 = 0.2;
/// Ids that models write into full lists are often mere positions: an id counts there only with this share of words.
const SAME_ID: f64 = 0.2;
/// A cut text of fewer characters begins too many others.
const SHORTEST_PREFIX: usize = 12;
/// Above this many comparisons of words, lists are matched by equal texts only.
const MOST_COMPARISONS: usize = 1_000_000;

/// Pairs of positions (earlier, later), in the order of the later list.
pub(super) fn pairs(from: &TodoSnapshot, to: &TodoSnapshot) -> Vec<(usize, usize, Pairing)> {
    let mut matching = Matching {
        from: texts(&from.items),
        to: texts(&to.items),
        old: (0..from.items.len()).collect(),
        new: (0..to.items.len()).collect(),
        pairs: Vec::new(),
    };
    let trusted = from.source == TodoSource::Folded && to.source == TodoSource::Folded;
    matching.by_id(&from.items, &to.items, trusted);
    matching.by_key(Pairing::Exact, |text| text.raw.to_string());
    matching.by_key(Pairing::Normalised, |text| text.bare.clone());
    if matching.old.len().saturating_mul(matching.new.len()) <= MOST_COMPARISONS {
        matching.by_prefix();
        matching.by_words();
        matching.in_place();
    }
    matching.pairs.sort_by_key(|(_, t, _)| *t);
    matching.pairs
}

/// Lower case without punctuation and without a bracketed or dashed tail that tells a result.
fn bare(text: &str) -> String {
    let text = text.trim().trim_end_matches(['.', '…']);
    let head = match text.rfind(" (") {
        Some(at) if at > 0 && text.ends_with(')') => &text[..at],
        _ => text.split(" — ").next().unwrap_or(text),
    };
    let head = if head.trim().is_empty() { text } else { head };
    words(head).collect::<Vec<_>>().join(" ")
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase)
}

fn texts(items: &[TodoItem]) -> Vec<Text<'_>> {
    items.iter().map(|item| Text::of(&item.content, item.content_cut)).collect()
}

/// An item's text in the forms that are compared.
pub(super) struct Text<'a> {
    /// As shown.
    pub raw: &'a str,
    bare: String,
    cut: bool,
    /// Words without a plural `s`.
    words: BTreeSet<String>,
}

impl<'a> Text<'a> {
    /// A text, and whether it is shown only in part.
    pub fn of(raw: &'a str, cut: bool) -> Self {
        let stem = |word: String| match word.strip_suffix('s') {
            Some(stem) if stem.len() > 2 => stem.to_string(),
            _ => word,
        };
        Self { raw, bare: bare(raw), cut, words: words(raw).map(stem).collect() }
    }

    /// Whether this display-cut text begins the other.
    pub fn begins(&self, other: &Text) -> bool {
        let shown = self.raw.trim_end_matches(['.', '…']).trim_end();
        self.cut && shown.chars().count() >= SHORTEST_PREFIX && other.raw.starts_with(shown)
    }

    /// Whether both show one text: equal but for case, punctuation and a tail, or one a display cut of the other.
    pub fn is_other_sight_of(&self, other: &Text) -> bool {
        let equal = self.raw == other.raw || !self.bare.is_empty() && self.bare == other.bare;
        equal || self.begins(other) || other.begins(self)
    }

    fn jaccard(&self, other: &Text) -> f64 {
        let shared = self.words.intersection(&other.words).count();
        let all = self.words.len() + other.words.len() - shared;
        if all == 0 { 0.0 } else { shared as f64 / all as f64 }
    }
}

struct Matching<'a> {
    from: Vec<Text<'a>>,
    to: Vec<Text<'a>>,
    /// Positions not matched yet.
    old: BTreeSet<usize>,
    new: BTreeSet<usize>,
    pairs: Vec<(usize, usize, Pairing)>,
}

impl Matching<'_> {
    fn pair(&mut self, f: usize, t: usize, how: Pairing) {
        self.old.remove(&f);
        self.new.remove(&t);
        self.pairs.push((f, t, how));
    }

    fn by_id(&mut self, from: &[TodoItem], to: &[TodoItem], trusted: bool) {
        let mut ids: BTreeMap<&str, VecDeque<usize>> = BTreeMap::new();
        for (f, item) in from.iter().enumerate() {
            if let Some(id) = &item.id {
                ids.entry(id).or_default().push_back(f);
            }
        }
        for (t, item) in to.iter().enumerate() {
            let Some(queue) = item.id.as_deref().and_then(|id| ids.get_mut(id)) else { continue };
            let Some(f) = queue.front().copied() else { continue };
            let same = self.from[f].raw == self.to[t].raw;
            if trusted || same || self.from[f].jaccard(&self.to[t]) >= SAME_ID {
                queue.pop_front();
                self.pair(f, t, Pairing::Id);
            }
        }
    }

    /// Equal texts of some form, in order of their positions.
    fn by_key(&mut self, how: Pairing, key: fn(&Text) -> String) {
        let mut keys: BTreeMap<String, VecDeque<usize>> = BTreeMap::new();
        for f in &self.old {
            keys.entry(key(&self.from[*f])).or_default().push_back(*f);
        }
        for t in self.new.clone() {
            let text = key(&self.to[t]);
            if let Some(f) = keys.get_mut(&text).filter(|_| !text.is_empty()).and_then(VecDeque::pop_front) {
                self.pair(f, t, how);
            }
        }
    }

    fn by_prefix(&mut self) {
        for t in self.new.clone() {
            let fits = |f: &&usize| self.from[**f].begins(&self.to[t]) || self.to[t].begins(&self.from[**f]);
            if let Some(f) = self.old.iter().filter(fits).min_by_key(|f| f.abs_diff(t)).copied() {
                self.pair(f, t, Pairing::Prefix);
            }
        }
    }

    /// The best scores first.
    fn by_words(&mut self) {
        let mut scored: Vec<(f64, usize, usize)> = Vec::new();
        for f in &self.old {
            for t in &self.new {
                let score = self.from[*f].jaccard(&self.to[*t]);
                if score >= REWORDED {
                    scored.push((score, *f, *t));
                }
            }
        }
        scored.sort_by(|a, b| {
            b.0.total_cmp(&a.0).then((a.1.abs_diff(a.2), a.1, a.2).cmp(&(b.1.abs_diff(b.2), b.1, b.2)))
        });
        for (score, f, t) in scored {
            if self.old.contains(&f) && self.new.contains(&t) {
                self.pair(f, t, Pairing::Reworded(score));
            }
        }
    }

    /// Two items that alone are left between the same matched neighbours, and share some of their words.
    fn in_place(&mut self) {
        let later: BTreeMap<usize, usize> = self.pairs.iter().map(|(f, t, _)| (*f, *t)).collect();
        let earlier: BTreeMap<usize, usize> = self.pairs.iter().map(|(f, t, _)| (*t, *f)).collect();
        for f in self.old.clone() {
            let lone_old = [f.checked_sub(1), Some(f + 1)].into_iter().flatten().all(|n| !self.old.contains(&n));
            let t = match f.checked_sub(1) {
                None => Some(0),
                Some(before) => later.get(&before).map(|t| t + 1),
            };
            let Some(t) = t.filter(|t| lone_old && self.new.contains(t)) else { continue };
            let last = f + 1 == self.from.len() && t + 1 == self.to.len();
            let same_next = last || earlier.get(&(t + 1)) == Some(&(f + 1));
            let score = self.from[f].jaccard(&self.to[t]);
            if same_next && score >= REWORDED_IN_PLACE {
                self.pair(f, t, Pairing::Reworded(score));
            }
        }
    }
}
