//! The same figure over the runs of a session, or on two sides: what was measured, by what, and which way it went.

use super::metric::Direction;
use crate::base::ids::MessageIdx;

/// Where a reading stands among the tables and figures that it was taken from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Spot {
    /// A cell of a table.
    Cell {
        /// The table.
        table: usize,
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
    },
    /// A single figure.
    Figure(usize),
}

/// What makes two readings readings of one thing.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Key {
    /// What measured: script or program with its operands; empty where that is not known.
    pub by: String,
    /// Host, container or pane that it ran in.
    pub on: Vec<String>,
    /// Caption of the table, where one output holds several tables of one shape.
    pub title: Option<String>,
    /// The metric, as printed.
    pub name: String,
    /// Statistic.
    pub stat: Option<String>,
    /// What its unit measures (`s`, `tok/s`): one name may stand for a time and a rate. `None` without a unit.
    pub dimension: Option<String>,
    /// Parameters and labels that are printed with it: name, value.
    pub params: Vec<(String, String)>,
    /// Settings of the command that say what or how much is measured, unless they are printed: name, value.
    pub levels: Vec<(String, String)>,
}

/// One printed value.
#[derive(Clone, PartialEq, Debug)]
pub struct Reading {
    /// Of what.
    pub key: Key,
    /// Canonical unit token.
    pub unit: Option<String>,
    /// Which way is better.
    pub better: Option<Direction>,
    /// Value in the unit.
    pub value: f64,
    /// As printed.
    pub text: String,
    /// Printed bounds, or value minus and plus the printed spread, in the unit.
    pub range: Option<(f64, f64)>,
    /// Where it stands.
    pub spot: Spot,
}

/// A setting that differs between two runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SettingChange {
    /// What it is a setting of: the script or program.
    pub of: String,
    /// The call that has the new value; where two sides are compared, none in particular.
    pub message: Option<MessageIdx>,
    /// Name as written.
    pub name: String,
    /// Value before; `None` where it was not given.
    pub old: Option<String>,
    /// Value after; `None` where it is not given any more. A switch that is given has the value `on`.
    pub new: Option<String>,
}

/// A command that measured something in this session.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// The call that ran it.
    pub message: MessageIdx,
    /// What it ran, as in [`Invocation::by`](super::command::Invocation::by).
    pub by: String,
    /// Position of the run of the same thing before it.
    pub before: Option<usize>,
    /// Settings that differ from that run, its own and those of services that were started again in between.
    pub changed: Vec<SettingChange>,
    /// Files changed between the two runs: positions in [`Facts::files`](super::facts::Facts::files), one for each file.
    pub edited: Vec<usize>,
    /// The script that prints the figures was changed in between: they may be others under the same name.
    pub rewritten: bool,
    /// Test-runner counts with failures that the figures follow from: a position in
    /// [`Facts::quality`](super::facts::Facts::quality), of the run itself or of the last tests before it.
    pub gate: Option<usize>,
}

/// Which way a figure went.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Trend {
    /// Better by more than what single readings vary by.
    Better,
    /// Worse by more than that.
    Worse,
    /// The ranges overlap.
    WithinSpread,
    /// What is printed does not tell.
    CannotTell,
}

impl Trend {
    /// Printed words.
    pub fn words(self) -> &'static str {
        match self {
            Trend::Better => "better",
            Trend::Worse => "worse",
            Trend::WithinSpread => "within spread",
            Trend::CannotTell => "cannot tell",
        }
    }
}

/// A verdict with its reason.
#[derive(Clone, PartialEq, Debug)]
pub struct Judgement {
    /// Which way.
    pub trend: Trend,
    /// Change in per cent of the first value, signed as the value moves; `None` from zero.
    pub change: Option<f64>,
    /// Why: one clause.
    pub why: String,
}

/// Readings of one thing over the runs of a session, one for each run, in order.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// Of what.
    pub key: Key,
    /// Unit of all readings.
    pub unit: Option<String>,
    /// Which way is better.
    pub better: Option<Direction>,
    /// Position of the run in [`Findings::runs`](super::findings::Findings::runs), and what it printed; never empty.
    pub readings: Vec<(usize, Reading)>,
    /// The first reading against the last.
    pub latest: Judgement,
    /// What readings of unchanged code under unchanged settings differ by, in per cent, where such runs are there.
    pub noise: Option<f64>,
}

impl Series {
    /// The first reading.
    pub fn baseline(&self) -> &(usize, Reading) {
        &self.readings[0]
    }

    /// The last reading.
    pub fn last(&self) -> &(usize, Reading) {
        &self.readings[self.readings.len() - 1]
    }

    /// The best reading, the first among equals; `None` where better is not known.
    pub fn best(&self) -> Option<&(usize, Reading)> {
        let better = self.better?;
        let beats = |a: f64, b: f64| match better {
            Direction::Higher => a > b,
            Direction::Lower => a < b,
        };
        self.readings.iter().reduce(|best, next| if beats(next.1.value, best.1.value) { next } else { best })
    }
}

/// A figure on two sides.
#[derive(Clone, PartialEq, Debug)]
pub struct Pair {
    /// Of what; `by` is that of the first side.
    pub key: Key,
    /// First side.
    pub a: Reading,
    /// Second side.
    pub b: Reading,
    /// The second against the first, in the unit of the first.
    pub judgement: Judgement,
}

/// Two sides held against each other.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Comparison {
    /// What both measured.
    pub pairs: Vec<Pair>,
    /// What only the first measured.
    pub only_a: Vec<Reading>,
    /// What only the second measured.
    pub only_b: Vec<Reading>,
    /// What a side prints more than once under one name: it is not told which of them to compare.
    pub several: Vec<Key>,
    /// Settings that differ between the commands that measured.
    pub settings: Vec<SettingChange>,
}
