//! A picture as finished values: what it shows, its axes and marks, and a table of the same data. No pixel and no colour
//! here; which pictures an article gets is decided in `report`, how they look in `render`.

use super::{article::ArticleTable, metric::Direction, phase::PhaseKind, series::Trend, todo::TodoStatus};
use crate::base::ids::MessageIdx;

/// A picture.
#[derive(Clone, PartialEq, Debug)]
pub struct Picture {
    /// Its name within the article, fit for a file name and an id: `01-strip`.
    pub slug: String,
    /// What it shows, one line of plain text.
    pub title: String,
    /// The same for somebody who cannot see it: what is drawn and what stands out, plain text.
    pub description: String,
    /// What is drawn.
    pub drawing: Drawing,
    /// The same data in rows, with the evidence of each.
    pub table: ArticleTable,
}

/// What is drawn, by kind.
#[derive(Clone, PartialEq, Debug)]
pub enum Drawing {
    /// Phases, tasks, jobs and turning points over the messages.
    Strip(Strip),
    /// Figures over the runs of one command.
    Series(RunSeries),
    /// The first run of a command against the last, row by row.
    Dumbbell(Dumbbells),
    /// How figures grow with a parameter.
    Scaling(Curves),
}

impl Drawing {
    /// Word of the kind, as in file names.
    pub fn word(&self) -> &'static str {
        match self {
            Drawing::Strip(_) => "strip",
            Drawing::Series(_) => "series",
            Drawing::Dumbbell(_) => "dumbbell",
            Drawing::Scaling(_) => "scaling",
        }
    }
}

/// A message on an axis: where it lies, and the number that people know it by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Spot {
    /// Its place among the messages.
    pub at: MessageIdx,
    /// Its printed number.
    pub number: u32,
}

/// The session over its messages.
#[derive(Clone, PartialEq, Debug)]
pub struct Strip {
    /// First message of the axis.
    pub from: Spot,
    /// Last message of the axis.
    pub to: Spot,
    /// Messages with round numbers, for the axis.
    pub ticks: Vec<Spot>,
    /// One row for each kind of phase, by first appearance.
    pub phases: Vec<PhaseRow>,
    /// Turning points, by rank.
    pub turns: Vec<Turn>,
    /// Tasks of the agent's lists, in the order of their first list.
    pub tasks: Vec<TaskRow>,
    /// Tasks that are left out.
    pub more_tasks: usize,
    /// Services and background jobs, by their starts.
    pub jobs: Vec<JobRow>,
    /// Services and background jobs that are left out.
    pub more_jobs: usize,
}

/// Where a kind of phase ran.
#[derive(Clone, PartialEq, Debug)]
pub struct PhaseRow {
    /// The kind.
    pub kind: PhaseKind,
    /// First and last message of each stretch.
    pub stretches: Vec<(Spot, Spot)>,
}

/// A turning point.
#[derive(Clone, PartialEq, Debug)]
pub struct Turn {
    /// Its rank, from 1.
    pub rank: usize,
    /// The message that it is at.
    pub at: Spot,
    /// What it is: `problem closed (debug → verify)`.
    pub what: String,
}

/// The life of a task.
#[derive(Clone, PartialEq, Debug)]
pub struct TaskRow {
    /// Its text.
    pub label: String,
    /// Statuses in order, from one message to the next change; the last reaches to where it is last known.
    pub stretches: Vec<(Spot, Spot, TodoStatus)>,
    /// Where it vanished from the list without being closed.
    pub dropped: Option<Spot>,
}

impl TaskRow {
    /// How it stands at the end, in a word.
    pub fn end(&self) -> &'static str {
        match (self.dropped, self.stretches.last()) {
            (Some(_), _) => "dropped",
            (None, Some((.., TodoStatus::InProgress))) => "in progress",
            (None, Some((.., status))) => status.word(),
            (None, None) => TodoStatus::NotShown.word(),
        }
    }
}

/// A service or background job.
#[derive(Clone, PartialEq, Debug)]
pub struct JobRow {
    /// Its name.
    pub label: String,
    /// When it is seen to run, in order; never empty.
    pub stretches: Vec<JobStretch>,
}

/// From a start of a job to its end, or to the last that is seen of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JobStretch {
    /// First message that shows it.
    pub from: Spot,
    /// Last message that shows it.
    pub to: Spot,
    /// What the last reading says: `stopped`, `failed`, `ready`, `running`, `started`.
    pub state: &'static str,
    /// Whether its end is shown. Else it may have gone on.
    pub ended: bool,
}

/// Figures over the runs of one command, one panel for each.
#[derive(Clone, PartialEq, Debug)]
pub struct RunSeries {
    /// The runs, in order: where their figures stand.
    pub runs: Vec<Spot>,
    /// The panels; each has its own scale.
    pub panels: Vec<Panel>,
    /// What was changed before which run, in order.
    pub changes: Vec<KnobChange>,
    /// Changes that are left out.
    pub more_changes: usize,
}

/// One figure over the runs.
#[derive(Clone, PartialEq, Debug)]
pub struct Panel {
    /// Its name, as printed.
    pub label: String,
    /// Its unit.
    pub unit: Option<String>,
    /// Which way is better.
    pub better: Direction,
    /// Readings in order of the runs; at least two.
    pub readings: Vec<PlottedReading>,
}

impl Panel {
    /// Position of the best reading, the first among equals.
    pub fn best(&self) -> usize {
        let beats = |a: f64, b: f64| match self.better {
            Direction::Higher => a > b,
            Direction::Lower => a < b,
        };
        (0..self.readings.len())
            .reduce(|best, next| if beats(self.readings[next].value, self.readings[best].value) { next } else { best })
            .unwrap_or(0)
    }
}

/// A printed value of one run.
#[derive(Clone, PartialEq, Debug)]
pub struct PlottedReading {
    /// Position of the run.
    pub run: usize,
    /// The value, finite.
    pub value: f64,
    /// As printed.
    pub text: String,
}

/// What was changed before a run.
#[derive(Clone, PartialEq, Debug)]
pub struct KnobChange {
    /// Position of the run that it comes before.
    pub run: usize,
    /// The message that changed it.
    pub at: Spot,
    /// What it is: a setting with its new value, a file.
    pub what: String,
}

/// Two runs of one command, row by row.
#[derive(Clone, PartialEq, Debug)]
pub struct Dumbbells {
    /// The earlier run.
    pub before: Spot,
    /// The later run.
    pub after: Spot,
    /// Unit of all rows.
    pub unit: Option<String>,
    /// Which way is better.
    pub better: Direction,
    /// The rows, in the order in which they are printed.
    pub rows: Vec<Dumbbell>,
    /// Rows that are left out.
    pub more: usize,
}

/// A figure on both sides.
#[derive(Clone, PartialEq, Debug)]
pub struct Dumbbell {
    /// What is measured.
    pub label: String,
    /// Value before, finite.
    pub from: f64,
    /// As printed.
    pub from_text: String,
    /// Value after, finite.
    pub to: f64,
    /// As printed.
    pub to_text: String,
    /// Change in per cent of the first, computed: `-46.1 %`.
    pub change: Option<String>,
    /// Which way it went, by what repeats vary by.
    pub trend: Trend,
    /// The same in words.
    pub verdict: &'static str,
}

/// How figures grow with a parameter, as multiples of the first row.
#[derive(Clone, PartialEq, Debug)]
pub struct Curves {
    /// The message that shows the table.
    pub at: Spot,
    /// Name of the parameter, as printed.
    pub parameter: String,
    /// One line for each figure, all at the same levels; at least one.
    pub lines: Vec<Curve>,
}

/// One line of a scaling picture.
#[derive(Clone, PartialEq, Debug)]
pub struct Curve {
    /// Its name with its unit, as printed.
    pub label: String,
    /// Points in order of the parameter.
    pub points: Vec<CurvePoint>,
}

/// A row of the sweep.
#[derive(Clone, PartialEq, Debug)]
pub struct CurvePoint {
    /// The parameter, as printed.
    pub level: String,
    /// The parameter as a multiple of that of the first row.
    pub times: f64,
    /// How many times as good the figure is as in the first row.
    pub speedup: f64,
    /// The figure, as printed.
    pub text: String,
}
