//! Which inputs tell one story: files of one session, copies, forks, sub-agents in files of their own. What is
//! remembered of an input to tell that is its imprint, so that only the inputs of one story need be held at a time.

use std::collections::{BTreeMap, HashMap};

use super::Reading;
use crate::model::{
    join::{self, is_unique},
    session::Session,
};

/// What is remembered of an input.
#[derive(Clone, Debug, Default)]
pub struct Imprint {
    /// By what its sessions are known: ids that no other session has, ids of their parents, keys of their messages.
    marks: Vec<u64>,
}

impl Imprint {
    /// Of a reading.
    pub fn of(reading: &Reading) -> Self {
        let mut marks = Vec::new();
        for session in &reading.sessions {
            let info = &session.info;
            let ids = [Some(&info.id), info.parent.as_ref(), info.continues.as_ref()];
            marks.extend(ids.into_iter().flatten().filter(|id| is_unique(id)).map(|id| hashed(id)));
            marks.extend(session.keys().into_iter().flatten());
        }
        marks.sort_unstable();
        marks.dedup();
        Self { marks }
    }
}

fn hashed(id: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hash = DefaultHasher::new();
    ("id", id).hash(&mut hash);
    hash.finish()
}

/// Groups of inputs that share a mark, as positions, in the order of their first members.
pub fn groups(imprints: &[Imprint]) -> Vec<Vec<usize>> {
    let mut roots: Vec<usize> = (0..imprints.len()).collect();
    let mut holder: HashMap<u64, usize> = HashMap::new();
    for (i, imprint) in imprints.iter().enumerate() {
        for mark in &imprint.marks {
            let other = *holder.entry(*mark).or_insert(i);
            let (a, b) = (root(&mut roots, other), root(&mut roots, i));
            // The earlier input stays the root.
            roots[a.max(b)] = a.min(b);
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for i in 0..imprints.len() {
        groups.entry(root(&mut roots, i)).or_default().push(i);
    }
    groups.into_values().collect()
}

fn root(roots: &mut [usize], mut at: usize) -> usize {
    while roots[at] != at {
        roots[at] = roots[roots[at]];
        at = roots[at];
    }
    at
}

/// One reading out of those of a story: its sessions joined, the accounts of all inputs kept.
pub fn join(mut readings: Vec<Reading>) -> Option<Reading> {
    if readings.len() < 2 {
        return readings.pop();
    }
    let mut readings = readings.into_iter();
    let mut told = readings.next()?;
    let mut sessions: Vec<Session> = std::mem::take(&mut told.sessions);
    for reading in readings {
        sessions.extend(reading.sessions);
        told.unassigned.merge(&reading.unassigned);
        told.diagnostics.extend(reading.diagnostics);
        told.also.push(reading.input);
    }
    told.sessions = join::join(sessions);
    Some(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_that_share_a_mark_are_one_story_also_over_a_third() {
        let imprint = |marks: &[u64]| Imprint { marks: marks.to_vec() };
        let found = groups(&[imprint(&[1, 2]), imprint(&[3]), imprint(&[4, 5]), imprint(&[2, 4]), imprint(&[])]);
        assert_eq!(found, [vec![0, 2, 3], vec![1], vec![4]]);
    }
}
