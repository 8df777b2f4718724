//! Two sides held against each other: what both print under one name, and the verdict.

use std::collections::BTreeMap;

use super::{
    judge,
    readings::{of_extraction, of_message, once},
    runs::differing,
};
use crate::{
    base::ids::MessageIdx,
    model::{
        command::{Invocation, Times},
        facts::Facts,
        findings::Findings,
        metric::Extraction,
        series::{Comparison, Key, Pair, Reading, SettingChange},
        session::Session,
    },
};

/// One side of a comparison.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Side {
    /// What it measured.
    readings: Vec<Reading>,
    /// The commands that measured it, each by its last run.
    commands: Vec<Invocation>,
}

impl Side {
    /// The measurements of a text.
    pub fn of_text(found: &Extraction) -> Self {
        Self { readings: of_extraction(found), commands: Vec::new() }
    }

    /// What a message shows, or what its command measured.
    pub fn of_message(session: &Session, facts: &Facts, message: MessageIdx) -> Self {
        let command = facts.run_of(message).and_then(|run| run.invocation.clone());
        Self { readings: of_message(session, facts, message), commands: command.into_iter().collect() }
    }

    /// The last reading of everything that a session measured.
    pub fn of_session(facts: &Facts, findings: &Findings) -> Self {
        let readings = findings.series.iter().map(|series| series.last().1.clone()).collect();
        let mut commands: BTreeMap<&str, &Invocation> = BTreeMap::new();
        for run in &findings.runs {
            if let Some(invocation) = facts.run_of(run.message).and_then(|r| r.invocation.as_ref()) {
                commands.insert(&invocation.by, invocation);
            }
        }
        Self { readings, commands: commands.into_values().cloned().collect() }
    }
}

/// Holds the second side against the first. Readings meet by name, statistic, parameters and, where both sides know it,
/// by what measured them; readings that do not meet so meet without the latter, if that leaves no choice.
pub fn compare(a: Side, b: Side) -> Comparison {
    let settings = settings(&a.commands, &b.commands);
    let ((a, mut several), (b, more)) = (once(a.readings, Times::Once), once(b.readings, Times::Once));
    several.extend(more);
    several.sort();
    several.dedup();
    let mut found = Comparison { several, settings, ..Comparison::default() };
    let rest = meet(a, b, |key| key.clone(), &mut found.pairs);
    let rest = meet(rest.0, rest.1, |key| Key { by: String::new(), on: Vec::new(), ..lower(key) }, &mut found.pairs);
    let rest = meet(
        rest.0,
        rest.1,
        |key| Key { by: String::new(), on: Vec::new(), title: None, ..lower(key) },
        &mut found.pairs,
    );
    let bare = |key: &Key| Key { by: String::new(), on: Vec::new(), title: None, levels: Vec::new(), ..lower(key) };
    (found.only_a, found.only_b) = meet(rest.0, rest.1, bare, &mut found.pairs);
    found.pairs.sort_by_key(|pair| pair.a.spot);
    found
}

/// Settings by which the commands of one name differ.
fn settings(a: &[Invocation], b: &[Invocation]) -> Vec<SettingChange> {
    let same = |x: &Invocation| b.iter().find(|y| y.by == x.by);
    let both = a.iter().filter_map(|x| Some((x, same(x)?)));
    both.flat_map(|(x, y)| differing(&x.by, None, &x.settings, &y.settings)).collect()
}

/// Names of metrics and parameters differ in case from version to version of a tool.
fn lower(key: &Key) -> Key {
    let params = key.params.iter().map(|(name, value)| (name.to_lowercase(), value.clone())).collect();
    Key { name: key.name.to_lowercase(), params, ..key.clone() }
}

/// Pairs the readings whose keys, seen through `view`, stand once on each side; gives back the rest of both.
fn meet(
    a: Vec<Reading>,
    b: Vec<Reading>,
    view: impl Fn(&Key) -> Key,
    pairs: &mut Vec<Pair>,
) -> (Vec<Reading>, Vec<Reading>) {
    let mut sides: BTreeMap<Key, (Vec<Reading>, Vec<Reading>)> = BTreeMap::new();
    for reading in a {
        sides.entry(view(&reading.key)).or_default().0.push(reading);
    }
    for reading in b {
        sides.entry(view(&reading.key)).or_default().1.push(reading);
    }
    let (mut rest_a, mut rest_b) = (Vec::new(), Vec::new());
    for (mine, other) in sides.into_values() {
        let pair = match (mine.as_slice(), other.as_slice()) {
            ([x], [y]) if levels_meet(&x.key, &y.key) => judge::in_unit_of(x, y.clone()).map(|y| pair(x.clone(), y)),
            _ => None,
        };
        match pair {
            Some(pair) => pairs.push(pair),
            None => {
                rest_a.extend(mine);
                rest_b.extend(other);
            }
        }
    }
    rest_a.sort_by_key(|r| r.spot);
    rest_b.sort_by_key(|r| r.spot);
    (rest_a, rest_b)
}

/// Different levels of what is measured are no repetition; a side that tells none may be any.
fn levels_meet(a: &Key, b: &Key) -> bool {
    a.levels == b.levels || a.levels.is_empty() || b.levels.is_empty()
}

fn pair(a: Reading, b: Reading) -> Pair {
    let judgement = judge(&a, &b, None);
    Pair { key: a.key.clone(), a, b, judgement }
}
