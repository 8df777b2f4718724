//! How well phases agree with labels: boundaries within two steps, labels beyond chance, whole segments.

use std::{collections::BTreeSet, ops::Range};

use super::Labelled;
use crate::{infer::decode::KINDS, model::phase::PhaseKind};

/// Counts over one or more sessions; add them up, then read the measures.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Agreement {
    /// Sessions counted.
    pub sessions: usize,
    /// Boundaries drawn.
    pub drawn: usize,
    /// Boundaries in the labels.
    pub labelled: usize,
    /// Of them met within two steps, one to one.
    hits: usize,
    steps: usize,
    right: usize,
    /// How often each kind stands on either side; an accepted alternative counts as what was wanted.
    said: [usize; KINDS],
    wanted: [usize; KINDS],
    /// Segments that share half of what they cover together, with a right label.
    matched: usize,
}

/// Steps by which a boundary may be off.
const TOLERANCE: usize = 2;

impl Agreement {
    /// Of one session.
    pub fn of(session: &Labelled, found: &[(PhaseKind, bool)]) -> Self {
        let steps = found.len();
        let wanted: Vec<usize> = (1..steps).filter(|step| session.begins[*step]).collect();
        let drawn: Vec<usize> = (1..steps).filter(|step| found[*step].1).collect();
        let (drawn_count, labelled, hits) = (drawn.len(), wanted.len(), hits(&wanted, &drawn));
        let matched = matched(session, found, &spans(wanted, steps), spans(drawn, steps));
        let mut result = Self { sessions: 1, drawn: drawn_count, labelled, hits, steps, matched, ..Self::default() };
        for ((kind, _), accepted) in found.iter().zip(&session.accepted) {
            let right = accepted.contains(kind);
            result.right += usize::from(right);
            result.said[kind.index()] += 1;
            result.wanted[if right { *kind } else { accepted[0] }.index()] += 1;
        }
        result
    }

    /// Adds the counts of more sessions.
    pub fn add(&mut self, other: &Self) {
        self.sessions += other.sessions;
        self.drawn += other.drawn;
        self.labelled += other.labelled;
        self.hits += other.hits;
        self.steps += other.steps;
        self.right += other.right;
        self.matched += other.matched;
        self.said.iter_mut().zip(other.said).for_each(|(sum, more)| *sum += more);
        self.wanted.iter_mut().zip(other.wanted).for_each(|(sum, more)| *sum += more);
    }

    /// F1 of the boundaries, two steps either way.
    pub fn boundaries(&self) -> f64 {
        f1(self.hits, self.drawn + self.labelled)
    }

    /// Cohen's kappa of the labels of steps.
    pub fn kappa(&self) -> f64 {
        let all = self.steps.max(1) as f64;
        let chance = self.said.iter().zip(self.wanted).map(|(a, b)| *a as f64 * b as f64).sum::<f64>() / (all * all);
        (self.right as f64 / all - chance) / (1.0 - chance).max(1e-9)
    }

    /// F1 of the segments.
    pub fn segments(&self) -> f64 {
        f1(self.matched, self.drawn + self.labelled + 2 * self.sessions)
    }
}

fn f1(hits: usize, sum: usize) -> f64 {
    2.0 * hits as f64 / sum.max(1) as f64
}

/// Pairs of boundaries, the nearest first, each used once.
fn hits(wanted: &[usize], drawn: &[usize]) -> usize {
    let near = |a: usize| drawn.iter().map(move |b| (a.abs_diff(*b), a, *b)).filter(|pair| pair.0 <= TOLERANCE);
    let mut pairs: Vec<(usize, usize, usize)> = wanted.iter().flat_map(|a| near(*a)).collect();
    pairs.sort_unstable();
    let (mut left, mut right) = (BTreeSet::new(), BTreeSet::new());
    for (_, a, b) in pairs {
        if !left.contains(&a) && !right.contains(&b) {
            left.insert(a);
            right.insert(b);
        }
    }
    left.len()
}

/// The segments between boundaries.
fn spans(cuts: Vec<usize>, steps: usize) -> Vec<Range<usize>> {
    let starts = std::iter::once(0).chain(cuts.clone());
    starts.zip(cuts.into_iter().chain([steps])).map(|(from, to)| from..to).collect()
}

fn matched(
    session: &Labelled,
    found: &[(PhaseKind, bool)],
    wanted: &[Range<usize>],
    mut drawn: Vec<Range<usize>>,
) -> usize {
    let before = drawn.len();
    for gold in wanted {
        let fits = |span: &Range<usize>| {
            let shared = gold.end.min(span.end).saturating_sub(gold.start.max(span.start));
            let covered = gold.end.max(span.end) - gold.start.min(span.start);
            session.accepted[gold.start].contains(&found[span.start].0) && 2 * shared >= covered
        };
        if let Some(at) = drawn.iter().position(fits) {
            drawn.remove(at);
        }
    }
    before - drawn.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use PhaseKind::{Debug, Research, Verify};

    fn labelled(kinds: &[PhaseKind]) -> Labelled {
        let begins = (0..kinds.len()).map(|i| i == 0 || kinds[i] != kinds[i - 1]).collect();
        Labelled { cues: Vec::new(), accepted: kinds.iter().map(|k| vec![*k]).collect(), begins }
    }

    fn found(kinds: &[PhaseKind]) -> Vec<(PhaseKind, bool)> {
        labelled(kinds).begins.into_iter().zip(kinds).map(|(begins, kind)| (*kind, begins)).collect()
    }

    #[test]
    fn a_boundary_may_be_two_steps_off_and_a_label_may_not() {
        let gold = labelled(&[Research, Research, Research, Debug, Debug, Debug]);
        let same = Agreement::of(&gold, &found(&[Research, Research, Research, Debug, Debug, Debug]));
        assert_eq!((same.boundaries(), same.kappa(), same.segments()), (1.0, 1.0, 1.0));
        let off = Agreement::of(&gold, &found(&[Research, Debug, Debug, Debug, Debug, Verify]));
        // One of two drawn boundaries meets the one labelled; "research" shares 1 of 3 steps, "debug" 2 of 5.
        assert!((off.boundaries() - 2.0 / 3.0).abs() < 1e-9);
        assert_eq!(off.segments(), 0.0);
        assert!(off.kappa() < 0.5);
    }
}
