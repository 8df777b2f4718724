//! Which items of two task lists are one: the very same item; by id; by equal text; by text equal but for a trailing
//! result; by a display-cut text that begins the other; by shared words. Each stage takes what the earlier ones left;
//! ties go to the nearer position. No stage compares every item with every other: lists of thousands are matched in
//! nearly linear time, and lists of ordinary length as if every pair had been looked at.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    ops::Bound,
};

use crate::model::todo::{Items, Pairing, Pairs, TodoItem, TodoSnapshot, TodoSource};

/// Jaccard index of their words from which two texts are one item reworded: 3 of 5.
const REWORDED: (usize, usize) = (3, 5);
/// The same for two items that alone are left between the same matched neighbours: their place speaks for them.
const REWORDED_IN_PLACE: f64 = 0.2;
/// Ids that models write into full lists are often mere positions: an id counts there only with this share of words.
const SAME_ID: f64 = 0.2;
/// A cut text of fewer characters begins too many others.
const SHORTEST_PREFIX: usize = 12;
/// Of items that have a word (or the beginning of a cut text) in common, only as many of the nearest are looked at.
const NEAREST: usize = 64;

/// Pairs of positions (earlier, later), in the order of the later list.
pub(super) fn pairs(from: &TodoSnapshot, to: &TodoSnapshot) -> Pairs {
    let trusted = from.source == TodoSource::Folded && to.source == TodoSource::Folded;
    matched(&from.items, &to.items, trusted).0
}

/// The pairs, and how many texts were compared word by word for them. `trusted`: the ids are the producer's own.
fn matched(from: &Items, to: &Items, trusted: bool) -> (Pairs, usize) {
    let mut matching = Matching::of(from, to, trusted);
    matching.by_id(|f, t| trusted || f.content == t.content);
    matching.by_key(Pairing::Exact, |item| item.content.clone());
    matching.by_key(Pairing::Normalised, |item| bare(&item.content));
    if !matching.old.is_empty() && !matching.new.is_empty() {
        if !trusted {
            matching.by_id(|f, t| jaccard(&stems(&f.content), &stems(&t.content)) >= SAME_ID);
        }
        matching.by_prefix();
        matching.by_words();
        matching.in_place();
    }
    matching.pairs.sort_by_key(|(_, t, _)| *t);
    (matching.pairs.into_iter().collect(), matching.compared)
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

/// Words without a plural `s`.
fn stems(text: &str) -> BTreeSet<String> {
    let stem = |word: String| match word.strip_suffix('s') {
        Some(stem) if stem.len() > 2 => stem.to_string(),
        _ => word,
    };
    words(text).map(stem).collect()
}

fn jaccard(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    share(one.intersection(other).count(), one.len(), other.len())
}

fn share(shared: usize, one: usize, other: usize) -> f64 {
    let all = one + other - shared;
    if all == 0 { 0.0 } else { shared as f64 / all as f64 }
}

/// An item's text in the forms by which two sights of it are known for one.
pub(super) struct Text<'a> {
    /// As shown.
    pub raw: &'a str,
    /// Whether it is shown only in part.
    pub cut: bool,
    bare: String,
}

impl<'a> Text<'a> {
    /// A text, and whether it is shown only in part.
    pub fn of(raw: &'a str, cut: bool) -> Self {
        Self { raw, bare: bare(raw), cut }
    }

    /// Lower case without punctuation and tail.
    pub fn bare(&self) -> &str {
        &self.bare
    }

    /// What a display-cut text shows, where that is long enough to know another by.
    pub fn beginning(&self) -> Option<&'a str> {
        beginning(self.raw, self.cut)
    }

    /// Whether this display-cut text begins the other.
    pub fn begins(&self, other: &Text) -> bool {
        self.beginning().is_some_and(|shown| other.raw.starts_with(shown))
    }

    /// Whether both show one text: equal but for case, punctuation and a tail, or one a display cut of the other.
    pub fn is_other_sight_of(&self, other: &Text) -> bool {
        let equal = self.raw == other.raw || !self.bare.is_empty() && self.bare == other.bare;
        equal || self.begins(other) || other.begins(self)
    }
}

fn beginning(raw: &str, cut: bool) -> Option<&str> {
    let shown = raw.trim_end_matches(['.', '…']).trim_end();
    (cut && shown.chars().count() >= SHORTEST_PREFIX).then_some(shown)
}

/// Texts by which something is found again: whole ones, and the beginnings that display-cut ones show.
#[derive(Default)]
pub(super) struct Beginnings {
    whole: BTreeMap<String, BTreeSet<usize>>,
    cut: BTreeMap<String, BTreeSet<usize>>,
    /// Bytes of the longest cut one.
    longest: usize,
}

impl Beginnings {
    /// Puts a text in under a number.
    pub fn add(&mut self, number: usize, raw: &str, cut: bool) {
        self.whole.entry(raw.to_string()).or_default().insert(number);
        if let Some(shown) = beginning(raw, cut) {
            self.longest = self.longest.max(shown.len());
            self.cut.entry(shown.to_string()).or_default().insert(number);
        }
    }

    /// Groups of numbers whose text is a display cut of this one, or the other way round; or the same.
    pub fn akin<'s>(&'s self, raw: &'s str, cut: bool) -> impl Iterator<Item = &'s BTreeSet<usize>> {
        let begun = beginning(raw, cut).into_iter().flat_map(|shown| {
            let from = self.whole.range::<str, _>((Bound::Included(shown), Bound::Unbounded));
            from.take_while(move |(text, _)| text.starts_with(shown)).map(|(_, numbers)| numbers)
        });
        let ends = raw.char_indices().skip(SHORTEST_PREFIX).map(|(at, _)| at).chain([raw.len()]);
        let longest = self.longest;
        let cuts = ends.take_while(move |end| *end <= longest).filter_map(|end| self.cut.get(&raw[..end]));
        begun.chain(cuts).chain(self.whole.get(raw))
    }
}

struct Matching<'a> {
    from: Vec<&'a TodoItem>,
    to: Vec<&'a TodoItem>,
    /// Positions not matched yet.
    old: BTreeSet<usize>,
    new: BTreeSet<usize>,
    pairs: Vec<(usize, usize, Pairing)>,
    /// Texts compared word by word.
    compared: usize,
}

impl<'a> Matching<'a> {
    /// In lists that are folded, an item that stands where it stood is the same one.
    fn of(from: &'a Items, to: &'a Items, trusted: bool) -> Self {
        let (old, new): (BTreeSet<usize>, BTreeSet<usize>) = match trusted {
            true => (from.unlike(to).map(|(at, _)| at).collect(), to.unlike(from).map(|(at, _)| at).collect()),
            false => ((0..from.len()).collect(), (0..to.len()).collect()),
        };
        let (from, to): (Vec<_>, Vec<_>) = (from.iter().collect(), to.iter().collect());
        let how = |t: usize| if to[t].id.is_some() { Pairing::Id } else { Pairing::Exact };
        let same = (0..to.len()).filter(|t| !new.contains(t));
        let pairs = same.map(|t| (t, t, how(t))).collect();
        Self { from, to, old, new, pairs, compared: 0 }
    }

    fn pair(&mut self, f: usize, t: usize, how: Pairing) {
        self.old.remove(&f);
        self.new.remove(&t);
        self.pairs.push((f, t, how));
    }

    /// Equal ids of items that also fit otherwise.
    fn by_id(&mut self, fit: impl Fn(&TodoItem, &TodoItem) -> bool) {
        let mut ids: BTreeMap<&str, VecDeque<usize>> = BTreeMap::new();
        for f in &self.old {
            if let Some(id) = &self.from[*f].id {
                ids.entry(id).or_default().push_back(*f);
            }
        }
        if ids.is_empty() {
            return;
        }
        for t in self.new.clone() {
            let Some(queue) = self.to[t].id.as_deref().and_then(|id| ids.get_mut(id)) else { continue };
            let Some(f) = queue.front().copied() else { continue };
            if fit(self.from[f], self.to[t]) {
                queue.pop_front();
                self.pair(f, t, Pairing::Id);
            }
        }
    }

    /// Equal texts of some form, in order of their positions.
    fn by_key(&mut self, how: Pairing, key: fn(&TodoItem) -> String) {
        if self.old.is_empty() || self.new.is_empty() {
            return;
        }
        let mut keys: BTreeMap<String, VecDeque<usize>> = BTreeMap::new();
        for f in &self.old {
            keys.entry(key(self.from[*f])).or_default().push_back(*f);
        }
        for t in self.new.clone() {
            let text = key(self.to[t]);
            if let Some(f) = keys.get_mut(&text).filter(|_| !text.is_empty()).and_then(VecDeque::pop_front) {
                self.pair(f, t, how);
            }
        }
    }

    fn by_prefix(&mut self) {
        if !self.old.iter().any(|f| self.from[*f].content_cut) && !self.new.iter().any(|t| self.to[*t].content_cut) {
            return;
        }
        let mut texts = Beginnings::default();
        for f in &self.old {
            texts.add(*f, &self.from[*f].content, self.from[*f].content_cut);
        }
        for t in self.new.clone() {
            let item = self.to[t];
            let groups = texts.akin(&item.content, item.content_cut).take(NEAREST);
            let near = groups.flat_map(|group| nearest(group, t, &self.old));
            let cut = |f: &usize| self.from[*f].content_cut || item.content_cut;
            if let Some(f) = near.filter(cut).min_by_key(|f| (f.abs_diff(t), *f)) {
                self.pair(f, t, Pairing::Prefix);
            }
        }
    }

    /// The best scores first. Two texts share so many words only if they share one of the few rarest of each: only such
    /// are compared.
    fn by_words(&mut self) {
        let vocabulary =
            Vocabulary::of(self.old.iter().map(|f| self.from[*f]).chain(self.new.iter().map(|t| self.to[*t])));
        let ranked = |at: &BTreeSet<usize>, items: &[&TodoItem]| -> Vec<(usize, Vec<usize>)> {
            at.iter().map(|at| (*at, vocabulary.ranks(items[*at]))).collect()
        };
        let (old, new) = (ranked(&self.old, &self.from), ranked(&self.new, &self.to));
        let mut holders: Vec<Vec<usize>> = vec![Vec::new(); vocabulary.size()];
        for (i, (_, words)) in new.iter().enumerate() {
            rarest(words).iter().for_each(|word| holders[*word].push(i));
        }
        let mut scored: Vec<(f64, usize, usize)> = Vec::new();
        for (f, words) in &old {
            let near = rarest(words).iter().flat_map(|word| window(&holders[*word], *f, |i| new[*i].0));
            let near: BTreeSet<usize> = near.copied().collect();
            for (t, others) in near.into_iter().map(|i| &new[i]) {
                self.compared += 1;
                let shared = in_common(words, others);
                if shared * REWORDED.1 >= (words.len() + others.len() - shared) * REWORDED.0 && shared > 0 {
                    scored.push((share(shared, words.len(), others.len()), *f, *t));
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
        let mut later: Vec<Option<usize>> = vec![None; self.from.len()];
        let mut earlier: Vec<Option<usize>> = vec![None; self.to.len()];
        for (f, t, _) in &self.pairs {
            (later[*f], earlier[*t]) = (Some(*t), Some(*f));
        }
        for f in self.old.clone() {
            let lone_old = [f.checked_sub(1), Some(f + 1)].into_iter().flatten().all(|n| !self.old.contains(&n));
            let t = match f.checked_sub(1) {
                None => Some(0),
                Some(before) => later[before].map(|t| t + 1),
            };
            let Some(t) = t.filter(|t| lone_old && self.new.contains(t)) else { continue };
            let last = f + 1 == self.from.len() && t + 1 == self.to.len();
            let same_next = last || earlier.get(t + 1).copied().flatten() == Some(f + 1);
            let score = jaccard(&stems(&self.from[f].content), &stems(&self.to[t].content));
            if same_next && score >= REWORDED_IN_PLACE {
                self.pair(f, t, Pairing::Reworded(score));
            }
        }
    }
}

/// The members of a group that are still open, nearest to a position on either side.
fn nearest<'g>(group: &'g BTreeSet<usize>, at: usize, open: &'g BTreeSet<usize>) -> impl Iterator<Item = usize> + 'g {
    let above = group.range(at..).find(|f| open.contains(f));
    let below = group.range(..at).rev().find(|f| open.contains(f));
    below.into_iter().chain(above).copied()
}

/// Of an ascending list, the members around a position.
fn window(list: &[usize], at: usize, position: impl Fn(&usize) -> usize) -> &[usize] {
    let middle = list.partition_point(|i| position(i) < at);
    let start = middle.saturating_sub(NEAREST / 2).min(list.len().saturating_sub(NEAREST));
    &list[start..list.len().min(start + NEAREST)]
}

/// As many of a text's rarest words (they come first) as one of them must be shared by any text with so many in common.
fn rarest(words: &[usize]) -> &[usize] {
    let needed = (words.len() * REWORDED.0).div_ceil(REWORDED.1);
    &words[..words.len().min(words.len() - needed + 1)]
}

fn in_common(one: &[usize], other: &[usize]) -> usize {
    let (mut shared, mut rest) = (0, other);
    for word in one {
        let at = rest.partition_point(|w| w < word);
        rest = &rest[at..];
        if rest.first() == Some(word) {
            shared += 1;
        }
    }
    shared
}

/// The words of some texts, each with its rank: the rarer, the smaller.
struct Vocabulary {
    ranks: BTreeMap<String, usize>,
}

impl Vocabulary {
    fn of<'i>(items: impl Iterator<Item = &'i TodoItem>) -> Self {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for word in items.flat_map(|item| stems(&item.content)) {
            *counts.entry(word).or_default() += 1;
        }
        let mut sorted: Vec<(usize, String)> = counts.into_iter().map(|(word, count)| (count, word)).collect();
        sorted.sort();
        Self { ranks: sorted.into_iter().enumerate().map(|(rank, (_, word))| (word, rank)).collect() }
    }

    fn size(&self) -> usize {
        self.ranks.len()
    }

    /// A text's words, the rarest first.
    fn ranks(&self, item: &TodoItem) -> Vec<usize> {
        let mut ranks: Vec<usize> =
            stems(&item.content).iter().filter_map(|word| self.ranks.get(word).copied()).collect();
        ranks.sort_unstable();
        ranks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        base::ids::MessageIdx,
        model::{
            builder::{Origin, SessionBuilder},
            todo::{Provenance, TodoStatus},
        },
    };

    /// Texts of a few words each, the same at every run.
    fn texts(seed: usize, many: usize, vocabulary: usize) -> Vec<String> {
        let mut next = seed;
        let mut word = || {
            next = next.wrapping_mul(1_103_515_245).wrapping_add(12_345) % 2_147_483_648;
            format!("w{}", next / 65_536 % vocabulary)
        };
        (0..many).map(|_| (0..7).map(|_| word()).collect::<Vec<_>>().join(" ")).collect()
    }

    /// The same with another word in place of one of each.
    fn reworded(texts: &[String]) -> Vec<String> {
        let one = |(i, text): (usize, &String)| {
            let mut words: Vec<&str> = text.split(' ').collect();
            words[i % 7] = "new";
            words.join(" ")
        };
        texts.iter().enumerate().map(one).collect()
    }

    fn items(texts: &[String]) -> Items {
        let mut session = SessionBuilder::new("test");
        session.user(Origin::default(), "x");
        let evidence = session.finish().whole(MessageIdx(0));
        let item = |text: &String| TodoItem {
            content: text.clone(),
            content_cut: false,
            status: TodoStatus::Pending,
            status_raw: String::new(),
            priority: None,
            id: None,
            group: None,
            known: Provenance::Input,
            evidence: evidence.clone(),
        };
        texts.iter().map(item).collect()
    }

    #[test]
    fn a_long_list_of_reworded_items_is_matched_without_comparing_all_with_all() {
        const MANY: usize = 2_000;
        let texts = texts(1, MANY, 400);
        let (pairs, compared) = matched(&items(&texts), &items(&reworded(&texts)), false);
        assert!(pairs.iter().filter(|(f, t, _)| f == t).count() > MANY * 9 / 10);
        assert!(compared < MANY * 200, "{compared} comparisons");
        // Texts that have nearly all their words in common are the worst case.
        let alike: Vec<String> =
            (0..MANY).map(|n| format!("Grind the wheat of field {n} with the old stone")).collect();
        let other: Vec<String> = alike.iter().map(|text| text.replace("old", "new")).collect();
        let (pairs, compared) = matched(&items(&alike), &items(&other), false);
        assert_eq!(pairs.len(), MANY);
        assert!(compared < MANY * 4 * NEAREST, "{compared} comparisons");
    }

    /// The pairs that comparing all with all gives.
    fn by_all(from: &[String], to: &[String]) -> Vec<(usize, usize)> {
        let mut scored = Vec::new();
        for (f, old) in from.iter().enumerate() {
            for (t, new) in to.iter().enumerate() {
                let score = jaccard(&stems(old), &stems(new));
                if score >= 0.6 {
                    scored.push((score, f.abs_diff(t), f, t));
                }
            }
        }
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2, a.3).cmp(&(b.1, b.2, b.3))));
        let (mut old, mut new) = (BTreeSet::new(), BTreeSet::new());
        let mut pairs = Vec::new();
        for (_, _, f, t) in scored {
            if !old.contains(&f) && !new.contains(&t) {
                old.insert(f);
                new.insert(t);
                pairs.push((f, t));
            }
        }
        pairs.sort_by_key(|(_, t)| *t);
        pairs
    }

    #[test]
    fn ordinary_lists_are_matched_as_if_all_were_compared_with_all() {
        for seed in 1..60 {
            let (from, to) = (texts(seed, 12, 6 + seed % 9), texts(seed + 1_000, 12, 6 + seed % 9));
            let to: Vec<String> = reworded(&from).into_iter().step_by(2).chain(to).collect();
            let (old, new) = (items(&from), items(&to));
            let mut matching = Matching::of(&old, &new, false);
            matching.by_words();
            matching.pairs.sort_by_key(|(_, t, _)| *t);
            let found: Vec<(usize, usize)> = matching.pairs.iter().map(|(f, t, _)| (*f, *t)).collect();
            assert_eq!(found, by_all(&from, &to), "seed {seed}");
        }
    }
}
