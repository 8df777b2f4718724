//! Figures over the runs of one command, with what was changed before each run. Runs of another command, or of the same
//! script after it was changed, are never on the same line.

use std::collections::BTreeMap;

use super::{Draft, agrees, spot};
use crate::{
    base::ids::MessageIdx,
    model::{
        article::{ArticleRow, ArticleTable, Piece},
        evidence::Evidence,
        metric::Direction,
        picture::{Drawing, KnobChange, Panel, PlottedReading, RunSeries},
    },
    report::{
        Material,
        figures::{self, Series, with_unit},
        phrase::{Phrase, flat},
        runs::{self, Repeated},
    },
};

/// Fewer runs than this are told in a sentence.
const FEWEST: usize = 3;
/// Most panels of a picture.
const PANELS: usize = 3;
/// Most pictures of this kind.
const PICTURES: usize = 2;
/// Most runs before which changes are named.
const CHANGES: usize = 8;
/// Most files and settings that are named before one run.
const EACH: usize = 3;

/// See the module.
pub fn make(m: &Material) -> Vec<Draft> {
    let mut told: Vec<Told> = runs::repeated(m).iter().filter_map(of_table).collect();
    told.extend(figures::series(m, |at| m.told(at)).iter().filter_map(of_figures));
    let mut kept: Vec<Told> = Vec::new();
    for one in told {
        // What the same runs print otherwise is one more panel, not one more picture.
        match kept.iter_mut().find(|k| one.calls.iter().all(|call| k.calls.contains(call))) {
            Some(same) => same.take_in(one),
            None => kept.push(one),
        }
    }
    kept.sort_by_key(|k| (std::cmp::Reverse(k.calls.len()), k.calls[0]));
    kept.into_iter().take(PICTURES).filter_map(|told| draft(m, told)).collect()
}

/// Runs and what is drawn of them.
struct Told {
    /// The runs as positions in the findings.
    calls: Vec<usize>,
    /// Where the figures of each stand.
    places: Vec<MessageIdx>,
    /// The figures, each with the evidence of its readings.
    panels: Vec<(Panel, Vec<Evidence>)>,
}

impl Told {
    fn take_in(&mut self, other: Told) {
        for (mut panel, evidence) in other.panels {
            if self.panels.len() < PANELS && self.panels.iter().all(|(p, _)| p.label != panel.label) {
                for reading in &mut panel.readings {
                    let call = other.calls[reading.run];
                    reading.run = self.calls.iter().position(|c| *c == call).unwrap_or(reading.run);
                }
                self.panels.push((panel, evidence));
            }
        }
    }
}

/// The keys of a table that tell most.
fn of_table(repeated: &Repeated) -> Option<Told> {
    let panel = |key: &str| {
        let readings = repeated.keys.get(key)?.iter();
        let (readings, evidence): (Vec<PlottedReading>, Vec<Evidence>) = readings
            .map(|r| (PlottedReading { run: r.run, value: r.value, text: r.text.clone() }, r.evidence.clone()))
            .unzip();
        let label = flat(key);
        let panel = Panel { label, unit: repeated.unit.clone(), better: repeated.better, readings };
        worth(&panel).then_some((panel, evidence))
    };
    // What moved most comes first: the control is there to be compared with.
    let mut keys = repeated.shown(PANELS);
    let chosen = repeated.most_improved();
    keys.sort_by_key(|key| Some(*key) != chosen);
    let panels: Vec<_> = keys.into_iter().filter_map(panel).collect();
    let told = Told { calls: repeated.calls.clone(), places: repeated.runs.clone(), panels };
    (!told.panels.is_empty()).then_some(told)
}

/// The first figures of a command that prints them one by one.
fn of_figures(series: &Series) -> Option<Told> {
    let panel = |name: &String| {
        let placed = series.runs.iter().map(|run| run.figures[name]).enumerate();
        let (readings, evidence): (Vec<PlottedReading>, Vec<Evidence>) = placed
            .map(|(run, p)| {
                (PlottedReading { run, value: p.metric.value, text: p.metric.text.clone() }, p.evidence.clone())
            })
            .unzip();
        let first = &series.runs[0].figures[name].metric;
        let panel = Panel { label: flat(name), unit: first.unit.clone(), better: first.better?, readings };
        let one_unit = series.runs.iter().all(|run| run.figures[name].metric.unit == first.unit);
        (one_unit && worth(&panel)).then_some((panel, evidence))
    };
    let told = Told {
        calls: series.runs.iter().map(|r| r.run).collect(),
        places: series.runs.iter().map(|r| r.message).collect(),
        panels: series.names.iter().filter_map(panel).take(PANELS).collect(),
    };
    (!told.panels.is_empty()).then_some(told)
}

/// Whether a line shows more than a sentence does, and nothing but what is printed: one value for each run, in one unit.
fn worth(panel: &Panel) -> bool {
    let first = panel.readings.first().map(|r| r.value);
    let once = panel.readings.windows(2).all(|pair| pair[0].run < pair[1].run);
    let printed = panel.readings.iter().all(|r| agrees(&r.text, r.value));
    let moves = panel.readings.iter().any(|r| Some(r.value) != first);
    panel.readings.len() >= FEWEST && once && printed && moves
}

fn draft(m: &Material, told: Told) -> Option<Draft> {
    let changes = changes(m, &told.calls);
    let (head, rows) = table(m, &told, &changes);
    let by = flat(&m.findings.runs[told.calls[0]].by);
    let first = &told.panels.first()?.0;
    let ends = (first.readings.first()?, first.readings.last()?);
    let by = if by.is_empty() { String::new() } else { format!(" of {by}") };
    let title = format!(
        "{}: {} → {} over {}{by}",
        first.label,
        ends.0.text,
        with_unit(&ends.1.text, first.unit.as_deref()),
        match (first.readings.len(), told.calls.len()) {
            (shown, all) if shown < all => format!("{shown} of {all} runs"),
            (all, _) => format!("{all} runs"),
        }
    );
    let panels: Vec<Panel> = told.panels.iter().map(|(panel, _)| panel.clone()).collect();
    let mut named: Vec<KnobChange> =
        changes.iter().map(|c| KnobChange { run: c.run, at: spot(m, c.at), what: c.words(m) }).collect();
    let all = named.len();
    let mut before: Vec<usize> = named.iter().map(|c| c.run).collect();
    before.dedup();
    if let Some(beyond) = before.get(CHANGES) {
        named.retain(|c| c.run < *beyond);
    }
    let more_changes = all - named.len();
    let series =
        RunSeries { runs: told.places.iter().map(|at| spot(m, *at)).collect(), panels, changes: named, more_changes };
    Some(Draft {
        title,
        description: description(&series, &by),
        drawing: Drawing::Series(series),
        table: ArticleTable { lead: None, head, rows },
    })
}

fn description(series: &RunSeries, by: &str) -> String {
    let mut text = format!("Lines over {} runs{by}, each at the message of its figures.", series.runs.len());
    for panel in &series.panels {
        let (first, last) = (&panel.readings[0], &panel.readings[panel.readings.len() - 1]);
        let best = &panel.readings[panel.best()];
        let at = |run: usize| series.runs[run].number;
        let unit = panel.unit.as_deref();
        text += &format!(
            " {} ({}): first {} at message {}, best {} at {}, latest {} at {}.",
            panel.label,
            better(panel.better),
            with_unit(&first.text, unit),
            at(first.run),
            with_unit(&best.text, unit),
            at(best.run),
            with_unit(&last.text, unit),
            at(last.run),
        );
    }
    text
}

/// Which way is better, in words.
pub fn better(direction: Direction) -> &'static str {
    match direction {
        Direction::Higher => "higher is better",
        Direction::Lower => "lower is better",
    }
}

/// What was changed before a run: where it stands, and the message that changed it.
struct Change {
    run: usize,
    at: MessageIdx,
    evidence: Evidence,
    /// Whether it is a file that was changed; else a setting with its new value.
    file: bool,
}

impl Change {
    fn words(&self, m: &Material) -> String {
        let words = flat(m.session.quoted(&self.evidence));
        if self.file { words + " changed" } else { words }
    }
}

/// Files, own settings and settings of services by which each run differs from the one before it.
fn changes(m: &Material, calls: &[usize]) -> Vec<Change> {
    let settings = figures::differing_settings(m, calls);
    let mut all = Vec::new();
    for run in 1..calls.len() {
        let (from, to) = (calls[run - 1], calls[run]);
        let files = runs::changed_between(m, from, to).into_iter();
        let files =
            files.map(|touch| Change { run, at: touch.message, evidence: figures::file_name(m, touch), file: true });
        let new = settings[run].iter().filter(|(words, _)| settings[run - 1].iter().all(|(old, _)| old != words));
        let call = m.findings.runs[to].message;
        let own = new.map(|(_, evidence)| Change { run, at: call, evidence: evidence.clone(), file: false });
        let around = figures::changed_around(m, from, to).into_iter();
        let around = around.map(|(at, evidence)| Change { run, at, evidence, file: false });
        all.extend(own.chain(around).chain(files).take(EACH));
    }
    all
}

/// One row for each run.
fn table(m: &Material, told: &Told, changes: &[Change]) -> (Vec<Vec<Piece>>, Vec<ArticleRow>) {
    let mut head = vec![vec![Piece::Glue("run")], vec![Piece::Glue("changed before it")]];
    let heading = |panel: &Panel| match &panel.unit {
        Some(unit) if !panel.label.contains(unit.as_str()) => format!("{}, {unit}", panel.label),
        _ => panel.label.clone(),
    };
    head.extend(told.panels.iter().map(|(panel, _)| vec![Piece::Plain(heading(panel))]));
    let by_run: Vec<BTreeMap<usize, (&PlottedReading, &Evidence)>> = told
        .panels
        .iter()
        .map(|(panel, evidence)| panel.readings.iter().zip(evidence).map(|(r, e)| (r.run, (r, e))).collect())
        .collect();
    let row = |(run, at): (usize, &MessageIdx)| {
        let before: Vec<&Change> = changes.iter().filter(|c| c.run == run).collect();
        let phrase = m.derived("figures-over-runs").number(*at).cell();
        let phrase = if before.is_empty() { phrase.say("–") } else { phrase };
        let phrase = phrase.list(before, ", ", ", ", |p: Phrase, change| {
            match change.at == m.findings.runs[told.calls[run]].message {
                true => p.code(&change.evidence),
                false => p.code(&change.evidence).say(" (").number(change.at).say(")"),
            }
        });
        let phrase = by_run.iter().fold(phrase, |p, readings| match readings.get(&run) {
            Some((reading, evidence)) => p.cell().figure(reading.text.clone(), evidence),
            None => p.cell().say("–"),
        });
        phrase.row()
    };
    (head, told.places.iter().enumerate().filter_map(row).collect())
}
