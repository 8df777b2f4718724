//! Which items of two lists are one. Most lists take most of the earlier one over in order, so that neighbours paired
//! with neighbours are held as one run.

use super::todo::Pairing;

/// Pairs of positions (earlier, later), in the order of the later list.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Pairs {
    runs: Vec<Run>,
}

/// Neighbours of the earlier list that are neighbours in the later one, found in one way.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Run {
    /// Position of the first in the earlier list.
    pub from: usize,
    /// Position of the first in the later list.
    pub to: usize,
    /// How many.
    pub length: usize,
    /// How they were found.
    pub how: Pairing,
}

impl Pairs {
    /// How many pairs.
    pub fn len(&self) -> usize {
        self.runs.iter().map(|run| run.length).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Each pair: position in the earlier list, in the later list, how it was found.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, Pairing)> {
        self.runs.iter().flat_map(|run| (0..run.length).map(|n| (run.from + n, run.to + n, run.how)))
    }

    /// The pairs as runs.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Whether the pairs stand in one order in both lists.
    pub fn in_order(&self) -> bool {
        self.runs.windows(2).all(|pair| pair[0].from + pair[0].length <= pair[1].from)
    }

    /// Where an earlier item stands in the later list.
    pub fn later(&self, from: usize) -> Option<usize> {
        let run = self.runs.iter().find(|run| (run.from..run.from + run.length).contains(&from))?;
        Some(run.to + from - run.from)
    }
}

impl FromIterator<(usize, usize, Pairing)> for Pairs {
    /// From pairs in the order of the later list.
    fn from_iter<I: IntoIterator<Item = (usize, usize, Pairing)>>(pairs: I) -> Self {
        let mut runs: Vec<Run> = Vec::new();
        for (from, to, how) in pairs {
            match runs.last_mut() {
                Some(run) if run.from + run.length == from && run.to + run.length == to && run.how == how => {
                    run.length += 1;
                }
                _ => runs.push(Run { from, to, length: 1, how }),
            }
        }
        Self { runs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_tell_the_pairs_that_they_were_made_of() {
        let (id, exact) = (Pairing::Id, Pairing::Exact);
        let all = [(0, 0, id), (1, 1, id), (2, 2, exact), (5, 3, exact), (6, 4, exact), (4, 6, exact)];
        let pairs: Pairs = all.into_iter().collect();
        assert!(pairs.iter().eq(all));
        assert_eq!((pairs.len(), pairs.runs().len()), (6, 4));
        assert_eq!([pairs.later(1), pairs.later(6), pairs.later(3)], [Some(1), Some(4), None]);
        assert!(!pairs.in_order() && all[..5].iter().copied().collect::<Pairs>().in_order());
    }
}
