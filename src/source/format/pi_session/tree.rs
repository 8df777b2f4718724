//! The conversation among the entries: from the first one to the one where the session stands.

use std::collections::{BTreeMap, HashMap};

use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        locate::Locator,
    },
    model::session::Branch,
};

/// What the tree knows of an entry.
#[derive(Debug)]
pub struct Link {
    /// Its id; none in version 1.
    pub id: Option<String>,
    /// Id of the entry that it follows.
    pub parent: Option<String>,
    /// Where it lies.
    pub place: Locator,
    /// Whether it is a message.
    pub message: bool,
    /// Beginning of the user's text, where it is one.
    pub opening: Option<String>,
}

/// Which entries belong to the conversation, in its order, and what was left behind. `end` is the id of the last one,
/// where the log moved it.
pub fn order(links: &[Link], end: Option<&str>, diagnostics: &mut Diagnostics) -> (Vec<usize>, Vec<Branch>) {
    let mut index: HashMap<&str, usize> = HashMap::new();
    for (i, link) in links.iter().enumerate() {
        if let Some(id) = &link.id {
            index.entry(id).or_insert(i);
        }
    }
    let mut parents = Vec::with_capacity(links.len());
    for (i, link) in links.iter().enumerate() {
        let found = link.parent.as_deref().and_then(|id| index.get(id).copied());
        if let (Some(id), None) = (&link.parent, found) {
            diagnostics.add(DiagCode::ParentMissing, link.place, format!("{id:?} is not in the log"));
        }
        // An entry without an id follows the one before it; so does one whose parent is lost.
        let implied = link.id.is_none() || link.parent.is_some();
        parents.push(found.or_else(|| i.checked_sub(1).filter(|_| implied)));
    }
    let last = end.and_then(|id| index.get(id).copied()).or(links.len().checked_sub(1));
    let kept = chain(links, &parents, last, diagnostics);
    let branches = branches(links, &parents, &kept);
    (kept, branches)
}

fn chain(links: &[Link], parents: &[Option<usize>], last: Option<usize>, diagnostics: &mut Diagnostics) -> Vec<usize> {
    let mut met = vec![false; links.len()];
    let mut kept = Vec::new();
    let mut next = last;
    while let Some(at) = next {
        if met[at] {
            let id = links[at].id.as_deref().unwrap_or_default();
            diagnostics.add(DiagCode::ParentCircular, links[at].place, format!("{id:?} is its own ancestor"));
            break;
        }
        met[at] = true;
        kept.push(at);
        next = parents[at];
    }
    kept.reverse();
    kept
}

/// Messages off the conversation, by the entry at which they leave it.
fn branches(links: &[Link], parents: &[Option<usize>], kept: &[usize]) -> Vec<Branch> {
    let mut on = vec![false; links.len()];
    kept.iter().for_each(|at| on[*at] = true);
    // Parents stand earlier in the file; one that does not begins a branch of its own.
    let mut tops: Vec<usize> = (0..links.len()).collect();
    let mut found: BTreeMap<usize, Branch> = BTreeMap::new();
    for at in (0..links.len()).filter(|at| !on[*at]) {
        if let Some(above) = parents[at].filter(|above| *above < at && !on[*above]) {
            tops[at] = tops[above];
        }
        let top = tops[at];
        if !links[at].message {
            continue;
        }
        let after = || parents[top].and_then(|above| links[above].id.clone());
        let branch = found.entry(top).or_insert_with(|| Branch { after: after(), records: 0, opening: String::new() });
        branch.records += 1;
        if let Some(opening) = links[at].opening.as_ref().filter(|_| branch.opening.is_empty()) {
            branch.opening.clone_from(opening);
        }
    }
    found.into_values().collect()
}
