//! The table of weights: read from TOML, looked up by cue, identified by name, version and hash.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use super::decode::{KINDS, STATES};
use crate::{base::hash, model::phase::PhaseKind};

/// The built-in table.
const BUILT_IN: &str = include_str!("weights.toml");

/// A number for every kind, or for some.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Entry {
    All(f64),
    Some(BTreeMap<String, f64>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    version: u32,
    start: BTreeMap<String, f64>,
    duration: BTreeMap<String, Duration>,
    transition: BTreeMap<String, BTreeMap<String, f64>>,
    emission: BTreeMap<String, Entry>,
    cut: BTreeMap<String, Entry>,
    turning: BTreeMap<String, f64>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Duration {
    states: usize,
    early: f64,
}

/// A row of numbers, one a kind, for each cue.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    places: HashMap<String, usize>,
    /// In the order of the names.
    pub rows: Vec<[f64; KINDS]>,
}

impl Rows {
    /// Position of a cue's row, if the table has one.
    pub fn place(&self, cue: &str) -> Option<usize> {
        self.places.get(cue).copied()
    }

    /// The row of a cue, if the table has one.
    pub fn get(&self, cue: &str) -> Option<&[f64; KINDS]> {
        self.place(cue).map(|at| &self.rows[at])
    }
}

/// Weights by cue and kind.
#[derive(Clone, Debug)]
pub struct Weights {
    /// `NAME/VERSION HASH`, printed in every output.
    pub identity: String,
    /// Score of beginning a session with a kind.
    pub start: [f64; KINDS],
    /// Sub-states of each kind.
    pub states: [usize; KINDS],
    /// Cost of leaving one sub-state early.
    pub early: [f64; KINDS],
    /// From kind to kind.
    pub transition: Vec<[f64; KINDS]>,
    /// Score that a cue gives to each kind at its step.
    pub emission: Rows,
    /// Score that a cue gives to beginning each kind at its step.
    pub cut: Rows,
    /// Weights of the ranking of turning points.
    pub turning: BTreeMap<String, f64>,
}

impl Weights {
    /// The built-in table.
    pub fn built_in() -> Self {
        Self::parse(BUILT_IN).expect("the built-in table is valid")
    }

    /// A table of the same form.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|e| e.message().to_string())?;
        let mut weights = Self {
            identity: format!("{}/{} {}", file.name, file.version, hash::identity(text)),
            start: row(&Entry::Some(file.start))?,
            states: [1; KINDS],
            early: [0.0; KINDS],
            transition: vec![[0.0; KINDS]; KINDS],
            emission: rows(&file.emission)?,
            cut: rows(&file.cut)?,
            turning: file.turning,
        };
        weights.set_durations(&file.duration)?;
        for (from, to) in file.transition {
            weights.transition[kind(&from)?] = row(&Entry::Some(to))?;
        }
        Ok(weights)
    }

    fn set_durations(&mut self, durations: &BTreeMap<String, Duration>) -> Result<(), String> {
        let default = durations.get("default").ok_or("[duration] has no default")?;
        for (name, duration) in std::iter::once((&"default".to_string(), default)).chain(durations) {
            if !(1..=STATES).contains(&duration.states) {
                return Err(format!("[duration] {name}: states must be 1 to {STATES}"));
            }
            let kinds = if name == "default" { 0..KINDS } else { kind(name).map(|k| k..k + 1)? };
            if name != "default" || self.early == [0.0; KINDS] {
                self.states[kinds.clone()].fill(duration.states);
                self.early[kinds].fill(duration.early);
            }
        }
        Ok(())
    }

    /// A weight of the ranking; 0 when the table has none.
    pub fn ranking(&self, name: &str) -> f64 {
        self.turning.get(name).copied().unwrap_or(0.0)
    }
}

/// Position of a kind.
///
/// # Errors
/// A sentence when there is none of that word.
pub fn kind(word: &str) -> Result<usize, String> {
    PhaseKind::from_word(word).map(PhaseKind::index).ok_or_else(|| format!("{word:?} is no kind of phase"))
}

fn row(entry: &Entry) -> Result<[f64; KINDS], String> {
    match entry {
        Entry::All(value) => Ok([*value; KINDS]),
        Entry::Some(map) => {
            let mut row = [map.get("any").copied().unwrap_or(0.0); KINDS];
            for (word, value) in map.iter().filter(|(word, _)| *word != "any") {
                row[kind(word)?] += value;
            }
            Ok(row)
        }
    }
}

fn rows(entries: &BTreeMap<String, Entry>) -> Result<Rows, String> {
    let places = entries.keys().cloned().zip(0..).collect();
    Ok(Rows { places, rows: entries.values().map(row).collect::<Result<_, _>>()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_table_is_valid_and_identified() {
        let weights = Weights::built_in();
        assert_eq!(weights.identity.split(' ').nth(1).map(str::len), Some(16));
        assert!(weights.cut.get("always").is_some());
    }

    #[test]
    fn mistakes_are_named() {
        let wrong = BUILT_IN.replacen("[start]", "[start]\nresaerch = 1.0", 1);
        assert_eq!(Weights::parse(&wrong).unwrap_err(), "\"resaerch\" is no kind of phase");
    }
}
