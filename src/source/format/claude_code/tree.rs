//! The conversation among the records: which of them the agent's last state descends from, which are put back beside
//! it, and which were left behind.

use std::collections::{BTreeMap, HashMap};

use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        locate::Locator,
    },
    model::session::Branch,
};

use super::super::anthropic::turn::{Role, Turn};

/// A record with a place in the tree of parents.
#[derive(Debug)]
pub struct Node {
    /// Its id.
    pub uuid: Option<String>,
    /// Id of the record that it follows.
    pub parent: Option<String>,
    /// At a compaction: ids of records that the story before it ends in.
    pub earlier: Vec<String>,
    /// Whether it can end a conversation: a turn of the user or the model.
    pub message: bool,
    /// Whether it belongs to another member of a team, so that it can end no conversation of this one.
    pub foreign: bool,
    /// Whether it marks or holds a compaction.
    pub compaction: bool,
    /// Where it lies.
    pub place: Locator,
    /// What is kept of it; `None` for what only links others.
    pub turn: Option<Turn>,
    /// Why it gives nothing to the session, where it does not.
    pub skipped: &'static str,
}

/// The records of one conversation in order, and what was left behind.
#[derive(Debug, Default)]
pub struct Order {
    /// Positions of the records that belong to the conversation.
    pub kept: Vec<usize>,
    /// What was left behind, by the record after which it leaves.
    pub branches: Vec<Branch>,
}

/// Finds the conversation. `elsewhere` knows ids of records outside `nodes` (sub-agents of the same file).
pub fn order(nodes: &[Node], elsewhere: impl Fn(&str) -> bool, diagnostics: &mut Diagnostics) -> Order {
    let tree = Tree::new(nodes, elsewhere, diagnostics);
    let chain = tree.chain(diagnostics);
    let ranks = tree.put_back(&chain);
    let mut kept: Vec<usize> = (0..nodes.len()).filter(|i| ranks[*i].is_some()).collect();
    kept.sort_by_key(|i| (ranks[*i], *i));
    Order { kept, branches: tree.branches(&ranks) }
}

/// Place in the conversation: the position on the chain, and whether before, at or after that record.
type Rank = (usize, u8);

/// The rank of what hangs on a record: after the chain where that is on it, else beside it, in the order of the file.
fn behind((position, side): Rank) -> Rank {
    (position, if side == 1 { 2 } else { side })
}

struct Tree<'a> {
    nodes: &'a [Node],
    index: HashMap<&'a str, usize>,
    parents: Vec<Option<usize>>,
    /// The nearest message above each record.
    messages: Vec<Option<usize>>,
}

impl<'a> Tree<'a> {
    fn new(nodes: &'a [Node], elsewhere: impl Fn(&str) -> bool, diagnostics: &mut Diagnostics) -> Self {
        let index: HashMap<&str, usize> =
            nodes.iter().enumerate().filter_map(|(i, n)| Some((n.uuid.as_deref()?, i))).collect();
        let mut parents = Vec::with_capacity(nodes.len());
        for (i, node) in nodes.iter().enumerate() {
            let named = node.parent.as_deref();
            let found = named.and_then(|id| index.get(id).copied());
            if let (Some(id), None) = (named, found)
                && !elsewhere(id)
            {
                diagnostics.add(DiagCode::ParentMissing, node.place, format!("{id:?} is not in the log"));
            }
            // A record without id and parent (an export without a tree) follows the one before it.
            let implied = (named.is_none() && node.uuid.is_none()).then(|| i.checked_sub(1)).flatten();
            parents.push(found.or(implied));
        }
        let messages = nearest(&parents, |above| nodes[above].message);
        Self { nodes, index, parents, messages }
    }

    /// The last record of the conversation: the latest message in file order that no other message follows. Records
    /// that are no messages are looked through: the last messages' only children are often signs of life, and a late
    /// one may hang far up in the tree.
    fn leaf(&self) -> Option<usize> {
        let mut followed = vec![false; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            if node.message
                && let Some(above) = self.messages[i]
            {
                followed[above] = true;
            }
        }
        let messages = || (0..self.nodes.len()).rev().filter(|i| self.nodes[*i].message && !self.nodes[*i].foreign);
        messages().find(|i| !followed[*i]).or_else(|| messages().next())
    }

    /// From the first record to the leaf, over compactions and gaps.
    fn chain(&self, diagnostics: &mut Diagnostics) -> Vec<usize> {
        let mut chain = Vec::new();
        let mut met = vec![false; self.nodes.len()];
        let mut next = self.leaf();
        while let Some(at) = next {
            met[at] = true;
            chain.push(at);
            next = match self.parents[at] {
                Some(above) if !met[above] => Some(above),
                Some(above) => {
                    let detail =
                        format!("{:?} is its own ancestor", self.nodes[above].uuid.as_deref().unwrap_or_default());
                    diagnostics.add(DiagCode::ParentCircular, self.nodes[at].place, detail);
                    self.before(at, &met)
                }
                None => self.before(at, &met),
            };
        }
        chain.reverse();
        chain
    }

    /// Where the story goes on before a root: at a compaction where it says, else at the record before it in the file
    /// (a log whose tree was begun anew, or whose link is lost).
    fn before(&self, root: usize, met: &[bool]) -> Option<usize> {
        let named = self.nodes[root].earlier.iter().filter_map(|id| self.index.get(id.as_str()).copied());
        named.filter(|at| !met[*at]).max().or_else(|| (0..root).rev().find(|at| !met[*at]))
    }

    /// Ranks of all records of the conversation: those on the chain, and those put back beside it.
    fn put_back(&self, chain: &[usize]) -> Vec<Option<Rank>> {
        let mut ranks: Vec<Option<Rank>> = vec![None; self.nodes.len()];
        for (position, at) in chain.iter().enumerate() {
            ranks[*at] = Some((position, 1));
        }
        let mut beside = Beside::new(self.nodes, &ranks);
        let reached = reached(&ranks);
        // A record may wait for one that is put back later in the file; chains of such waits are short.
        for _ in 0..4 {
            let mut changed = false;
            for i in 0..self.nodes.len() {
                if ranks[i].is_none()
                    && let Some(rank) = self.rank_beside(i, &ranks, &beside, &reached)
                {
                    ranks[i] = Some(rank);
                    beside.add(&self.nodes[i], i, rank);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        ranks
    }

    /// The rank of a record off the chain that belongs to the conversation all the same: a further record of a response
    /// (parallel calls make siblings), the result of a known call, a compaction, and what hangs on any of these.
    fn rank_beside(
        &self,
        at: usize,
        ranks: &[Option<Rank>],
        beside: &Beside,
        reached: &[Option<usize>],
    ) -> Option<Rank> {
        let node = &self.nodes[at];
        let by_file = || Some(reached[at].map_or((0, 0), |position| (position, 2)));
        if node.compaction {
            return by_file();
        }
        if !node.message {
            return match self.parents[at] {
                Some(above) => ranks[above].map(behind),
                None => by_file(),
            };
        }
        let turn = node.turn.as_ref()?;
        match turn.role {
            Role::Assistant => beside.of_response(turn.message_id.as_deref()?, at),
            _ => {
                turn.answered().find_map(|id| beside.calls.get(id)).map(|(position, side)| (*position, (*side).max(2)))
            }
        }
    }

    /// Messages left behind, by the record after which they leave the conversation.
    fn branches(&self, ranks: &[Option<Rank>]) -> Vec<Branch> {
        let mut tops: BTreeMap<usize, Branch> = BTreeMap::new();
        let left = |at: usize| ranks[at].is_none() && self.parents[at].is_none_or(|above| ranks[above].is_some());
        let above = nearest(&self.parents, left);
        for at in (0..self.nodes.len()).filter(|i| ranks[*i].is_none() && self.nodes[*i].message) {
            let top = if left(at) { at } else { above[at].unwrap_or(at) };
            let branch = tops.entry(top).or_insert_with(|| Branch {
                after: self.nodes[top].parent.clone(),
                records: 0,
                opening: String::new(),
            });
            branch.records += 1;
            let turn = self.nodes[at].turn.as_ref().filter(|t| t.role == Role::User && !t.meta);
            if let Some(text) = turn.and_then(Turn::said).filter(|_| branch.opening.is_empty()) {
                branch.opening = text.chars().take(120).collect();
            }
        }
        tops.into_values().collect()
    }
}

/// How far a climb goes through records that stand later in the file than the one that names them as parents.
const CLIMB: usize = 1000;

/// For each record the nearest one above it that `wanted` names. Parents mostly stand earlier in the file, so that each
/// record takes over what its parent found; through later ones the climb is bounded, since they may form a circle.
fn nearest(parents: &[Option<usize>], wanted: impl Fn(usize) -> bool) -> Vec<Option<usize>> {
    let mut found: Vec<Option<usize>> = Vec::with_capacity(parents.len());
    for i in 0..parents.len() {
        let mut at = i;
        let mut nearest = None;
        for _ in 0..CLIMB {
            let Some(above) = parents[at] else { break };
            if wanted(above) {
                nearest = Some(above);
                break;
            }
            if above < i {
                nearest = found[above];
                break;
            }
            at = above;
        }
        found.push(nearest);
    }
    found
}

/// For each record the furthest position of the chain that stands before it in the file.
fn reached(ranks: &[Option<Rank>]) -> Vec<Option<usize>> {
    let before = ranks.iter().scan(None, |furthest: &mut Option<usize>, rank| {
        let now = *furthest;
        *furthest = now.max(rank.map(|(position, _)| position));
        Some(now)
    });
    before.collect()
}

/// Where responses and calls of the conversation stand.
struct Beside {
    responses: HashMap<String, Vec<(usize, Rank)>>,
    calls: HashMap<String, Rank>,
}

impl Beside {
    fn new(nodes: &[Node], ranks: &[Option<Rank>]) -> Self {
        let mut beside = Self { responses: HashMap::new(), calls: HashMap::new() };
        for (i, node) in nodes.iter().enumerate() {
            if let Some(rank) = ranks[i] {
                beside.add(node, i, rank);
            }
        }
        beside
    }

    fn add(&mut self, node: &Node, at: usize, rank: Rank) {
        let Some(turn) = node.turn.as_ref().filter(|t| t.role == Role::Assistant) else { return };
        if let Some(response) = &turn.message_id {
            self.responses.entry(response.clone()).or_default().push((at, rank));
        }
        for id in turn.called() {
            self.calls.insert(id.to_string(), rank);
        }
    }

    /// After the last record of the response that stands before `at` in the file, else before its first.
    fn of_response(&self, response: &str, at: usize) -> Option<Rank> {
        let records = self.responses.get(response)?;
        let before = records.iter().filter(|(i, _)| *i < at).max_by_key(|(i, _)| *i);
        match before {
            Some((_, rank)) => Some(behind(*rank)),
            None => records.iter().map(|(_, (position, _))| (*position, 0)).min(),
        }
    }
}
