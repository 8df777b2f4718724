//! The commands of a session that measured something, and what was changed from one run of a thing to the next.

use std::collections::{BTreeMap, BTreeSet};

use super::readings::Command;
use crate::{
    base::{ids::MessageIdx, path::base_name},
    model::{
        command::{CommandRun, Invocation, Setting},
        facts::{Facts, FileAct},
        message::Outcome,
        metric::Place,
        series::{Run, SettingChange},
        session::Session,
    },
};

/// Classes of commands that start what is measured, or set it up.
const STARTERS: &[&str] = &["container-run", "orchestrate", "serve", "service-control"];

/// Endings of files that no figure depends on: what runs print, and what people read.
const NO_CAUSES: &[&str] = &[".log", ".md", ".out", ".rst"];

/// All runs, in order.
pub fn of(session: &Session, facts: &Facts) -> Vec<Run> {
    let measured = facts.tables.iter().map(|t| &t.at).chain(facts.metrics.iter().map(|m| &m.at));
    let messages: BTreeSet<MessageIdx> = measured.filter_map(Place::run).collect();
    let mut same: BTreeMap<Command, usize> = BTreeMap::new();
    let mut alike: BTreeMap<Command, usize> = BTreeMap::new();
    let mut runs: Vec<Run> = Vec::new();
    for message in messages {
        let invocation = facts.run_of(message).and_then(|r| r.invocation.as_ref());
        let command = Command::of(session, facts, message);
        let by = invocation.map_or_else(|| command.by.clone(), |i| i.by.clone());
        // A run at other levels is the one before only where there is none at the same.
        let other = alike.insert(Command { levels: Vec::new(), ..command.clone() }, runs.len());
        let before = same.insert(command, runs.len()).or(other);
        let from = before.map(|b| runs[b].message);
        let edited = from.map(|from| edited(facts, from, message)).unwrap_or_default();
        let rewritten = edited.iter().any(|i| base_name(&facts.files[*i].path) == by);
        let changed = from.map(|from| changed(facts, from, message)).unwrap_or_default();
        let gate = gate(session, facts, message);
        runs.push(Run { message, by, before, changed, edited, rewritten, gate });
    }
    runs
}

/// Settings that differ between two runs, and those of services that were started again in between.
fn changed(facts: &Facts, from: MessageIdx, to: MessageIdx) -> Vec<SettingChange> {
    let settings = |at: MessageIdx| facts.run_of(at).and_then(|r| r.invocation.as_ref());
    let mut all = match (settings(from), settings(to)) {
        (Some(old), Some(new)) => differing(&new.by, Some(to), &old.settings, &new.settings),
        _ => Vec::new(),
    };
    let starts = |r: &&CommandRun| {
        r.prints() && (STARTERS.contains(&r.class.0.as_str()) || r.parts.iter().any(|p| p.background))
    };
    let mut latest: BTreeMap<&str, &Invocation> = BTreeMap::new();
    for run in facts.commands.iter().filter(starts).take_while(|r| r.message < to) {
        let Some(invocation) = &run.invocation else { continue };
        let earlier = latest.insert(&invocation.by, invocation);
        if let Some(earlier) = earlier.filter(|_| run.message > from) {
            all.extend(differing(&invocation.by, Some(run.message), &earlier.settings, &invocation.settings));
        }
    }
    all
}

/// How two lists of settings differ, by name, in the order of the second; what was left out comes last.
pub fn differing(of: &str, message: Option<MessageIdx>, old: &[Setting], new: &[Setting]) -> Vec<SettingChange> {
    let value_in = |all: &[Setting], name: &str| {
        let given: Vec<&str> =
            all.iter().filter(|s| s.name == name).map(|s| s.value.as_deref().unwrap_or("on")).collect();
        (!given.is_empty()).then(|| given.join(", "))
    };
    let mut names: Vec<&str> = Vec::new();
    for setting in new.iter().chain(old) {
        if !names.contains(&setting.name.as_str()) {
            names.push(&setting.name);
        }
    }
    let change = |name: &str| {
        let (before, after) = (value_in(old, name), value_in(new, name));
        (before != after).then(|| SettingChange {
            of: of.to_string(),
            message,
            name: name.to_string(),
            old: before,
            new: after,
        })
    };
    names.into_iter().filter_map(change).collect()
}

/// Files changed by successful calls between two messages, each once, by its last change.
fn edited(facts: &Facts, from: MessageIdx, to: MessageIdx) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for (i, touch) in facts.files.iter().enumerate().rev() {
        let inside = from < touch.message && touch.message < to && touch.succeeded;
        let changes = touch.act != FileAct::Read;
        let works = !NO_CAUSES.iter().any(|end| touch.path.ends_with(end));
        if inside && changes && works && seen.insert(&touch.path) {
            found.push(i);
        }
    }
    found.reverse();
    found
}

/// The failed check that figures follow from: their own run's, else the last tests before it, unless something was
/// changed after them.
fn gate(session: &Session, facts: &Facts, run: MessageIdx) -> Option<usize> {
    let failed = |i: &usize| facts.quality[*i].counts.iter().any(|(name, n)| is_failure(name) && *n > 0.0);
    let at = facts.quality.partition_point(|q| q.at.message <= run);
    let last = at.checked_sub(1).filter(failed)?;
    let tested = facts.quality[last].at.message;
    let ended = session.message(run).call.as_ref().is_some_and(|c| c.outcome == Outcome::Ok);
    let own = tested == run && !ended;
    let mended = !edited(facts, tested, run).is_empty();
    (own || tested < run && !mended).then_some(last)
}

fn is_failure(name: &str) -> bool {
    name.split(' ').any(|word| matches!(word, "failed" | "failures" | "errors" | "error" | "wrong" | "mismatches"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_held_against_each_other_by_name() {
        let setting = |name: &str, value: &str| Setting { name: name.into(), value: Some(value.into()) };
        let switch = Setting { name: "--fast".into(), value: None };
        let found = differing(
            "b.py",
            None,
            &[setting("--chunk", "64"), setting("--tp", "2")],
            &[setting("--chunk", "128"), setting("--tp", "2"), switch],
        );
        let told: Vec<(&str, Option<&str>, Option<&str>)> =
            found.iter().map(|c| (c.name.as_str(), c.old.as_deref(), c.new.as_deref())).collect();
        assert_eq!(told, [("--chunk", Some("64"), Some("128")), ("--fast", None, Some("on"))]);
    }
}
