//! *Measurements*: what are the numbers, and may I believe them? A profile as a whole, a sweep with its ratio, runs of
//! one command beside each other with the settings that differ.

use super::{claims, section};
use crate::{
    base::ids::MessageIdx,
    model::{
        article::{ArticleTable, Block, Claim, Piece, Section},
        evidence::Evidence,
        metric::{Column, PlacedTable, Role},
    },
    report::{
        Material,
        figures::{self, Series, Sweep, with_unit},
        phrase::Phrase,
        runs::{self, Repeated},
    },
    text::number,
};

/// Most columns of figures in a table.
const FIGURES: usize = 4;
/// Most runs that a table shows: the first, the last, the best and the largest steps.
const ROWS: usize = 12;
/// Most settings of a kind that are named before a run.
const MOST: usize = 2;
/// Most tables besides the profile.
const TABLES: usize = 2;

/// See the module.
pub fn make(m: &Material) -> Option<Section> {
    section("Measurements", blocks(m, |at| m.told(at)))
}

/// The measurements among some messages.
fn blocks(m: &Material, keep: impl Fn(MessageIdx) -> bool) -> Vec<Block> {
    let mut blocks = Vec::new();
    let profile = figures::profile(m);
    if let Some(p) = &profile {
        blocks.push(whole(m, p.placed, "profile-table", 7));
    }
    let mut series = figures::series(m, keep);
    series.retain(|s| s.runs.len() > 1);
    for repeated in runs::repeated(m).iter().take(TABLES) {
        // What the same runs print once stands in the same table.
        let beside = series.iter().position(|s| beside(repeated, s)).map(|at| series.remove(at));
        blocks.push(over_runs(m, repeated, beside.as_ref()));
        blocks.push(Block::Paragraph(claims([step(m, repeated), repeats(m, repeated), control(m, repeated)])));
    }
    let sweeps = figures::sweeps(m);
    let others = sweeps.iter().filter(|s| profile.as_ref().is_none_or(|p| !std::ptr::eq(p.placed, s.placed)));
    for sweep in others.rev().take(TABLES) {
        blocks.push(whole(m, sweep.placed, "sweep-table", 5));
        blocks.push(Block::Paragraph(claims([ratios(m, sweep)])));
    }
    for series in series.iter().take(TABLES) {
        blocks.push(runs_of(m, series));
    }
    blocks
}

/// A printed table, its label and parameter columns first, then at most [`FIGURES`] columns of figures.
fn whole(m: &Material, placed: &PlacedTable, rule: &'static str, weight: u8) -> Block {
    let table = &placed.table;
    let keyed = |c: &Column| matches!(c.role, Some(Role::Label | Role::Parameter));
    let keys = (0..table.columns.len()).filter(|i| keyed(&table.columns[*i]));
    let values = (0..table.columns.len()).filter(|i| !keyed(&table.columns[*i]));
    let columns: Vec<usize> = keys.chain(values.take(FIGURES)).collect();
    let head = columns.iter().map(|i| vec![Piece::Plain(heading(&table.columns[*i]))]).collect();
    let lead = printed(m, m.stated(rule).weighing(weight), placed.at.message).refs([placed.at.message]).say(":").end();
    let rows = table.rows.iter().filter_map(|row| {
        let mut phrase = m.stated(rule).weighing(weight);
        for (n, i) in columns.iter().enumerate() {
            phrase = if n > 0 { phrase.cell() } else { phrase };
            let cell = &row[*i];
            let evidence = figures::cell(m.session, placed, cell);
            phrase = match cell.text.trim() {
                "" if table.truncated => phrase.say("cut").resting(&evidence),
                "" => phrase.resting(&evidence),
                text if figures::value(cell).is_some() => phrase.figure(text, &evidence),
                _ => phrase.plain(&evidence),
            };
        }
        phrase.row()
    });
    Block::Table(ArticleTable { lead, head, rows: rows.collect() })
}

fn heading(column: &Column) -> String {
    match &column.unit {
        Some(unit) if !column.name.contains(unit.as_str()) => format!("{}, {unit}", column.name),
        _ => column.name.clone(),
    }
}

/// "As printed by `bench.py`", as far as the call tells.
fn printed<'a>(m: &Material<'a>, phrase: Phrase<'a>, message: MessageIdx) -> Phrase<'a> {
    match figures::printed_by(m, message) {
        Some(script) => phrase.say("As printed by ").code(&script),
        None => phrase.say("As printed"),
    }
}

/// By how much each metric of a sweep changes from its first to its last row.
fn ratios(m: &Material, sweep: &Sweep) -> Option<Claim> {
    let table = &sweep.placed.table;
    let told: Vec<_> = sweep.metrics.iter().take(2).collect();
    let (_, first, last, _) = *told.first()?;
    let cite = |row: usize, column: usize| figures::cell(m.session, sweep.placed, &table.rows[row][column]);
    m.derived("sweep-ratio")
        .weighing(6)
        .say("From ")
        .label(&table.columns[sweep.parameter].name, &sweep.placed.evidence)
        .say(" = ")
        .figure(table.rows[*first][sweep.parameter].text.clone(), &cite(*first, sweep.parameter))
        .say(" to ")
        .figure(table.rows[*last][sweep.parameter].text.clone(), &cite(*last, sweep.parameter))
        .say(": ")
        .list(told, "; ", "; ", |p: Phrase, (metric, first, last, factor)| {
            p.label(&table.columns[*metric].name, &sweep.placed.evidence)
                .say(" ")
                .figure(table.rows[*first][*metric].text.clone(), &cite(*first, *metric))
                .say(" → ")
                .figure(table.rows[*last][*metric].text.clone(), &cite(*last, *metric))
                .say(", ")
                .computed(figures::by_factor(*factor))
        })
        .refs([sweep.placed.at.message])
        .say(".")
        .end()
}

/// One row per run: what was changed before it, and the figures of the keys that tell most.
fn over_runs(m: &Material, repeated: &Repeated, beside: Option<&Series>) -> Block {
    let extra = beside.map(|series| (series, &series.names[0]));
    let keys = repeated.shown(FIGURES - usize::from(extra.is_some()));
    let unit = repeated.unit.as_deref();
    let mut head = vec![vec![Piece::Glue("run")], vec![Piece::Glue("changed before it, settings")]];
    head.extend(keys.iter().map(|k| vec![Piece::Plain(headed(k, unit))]));
    head.extend(extra.map(|(series, name)| vec![Piece::Plain(headed(name, unit_of(series, name)))]));
    let settings = figures::differing_settings(m, &repeated.calls);
    let told = repeated.telling(&keys, ROWS);
    let rows = told.iter().copied().filter_map(|run| {
        let call = repeated.calls[run];
        let phrase = m.derived("figures-over-runs").weighing(8).number(repeated.runs[run]).cell();
        let phrase = before(m, phrase, run.checked_sub(1).map(|before| repeated.calls[before]), call, &settings[run]);
        let phrase = keys.iter().fold(phrase, |p, key| match repeated.keys[*key].iter().find(|r| r.run == run) {
            Some(reading) => p.cell().figure(reading.text.clone(), &reading.evidence),
            None if repeated.cut[run] => p.cell().say("cut"),
            None => p.cell().say("–"),
        });
        let Some((series, name)) = extra else { return phrase.row() };
        match series.runs.iter().find(|r| r.run == call) {
            Some(run) => phrase.cell().figure(run.figures[name].metric.text.clone(), &run.figures[name].evidence).row(),
            None => phrase.cell().say("–").row(),
        }
    });
    let rows: Vec<_> = rows.collect();
    let call = m.findings.runs[repeated.calls[0]].message;
    let lead = printed(m, m.stated("figures-over-runs").weighing(8), call);
    let lead = how_many(lead, rows.len(), repeated.runs.len()).say(":").end();
    Block::Table(ArticleTable { lead, head, rows })
}

/// Whether a series is of the runs of a table, all or nearly.
fn beside(repeated: &Repeated, series: &Series) -> bool {
    let shared = repeated.calls.iter().filter(|call| series.runs.iter().any(|r| r.run == **call)).count();
    shared * 5 >= repeated.calls.len() * 4 && series.runs.len() <= repeated.calls.len() + 2
}

fn unit_of<'s>(series: &'s Series, name: &str) -> Option<&'s str> {
    series.runs[0].figures[name].metric.unit.as_deref()
}

/// Whether a table shows all runs.
fn how_many(phrase: Phrase, shown: usize, all: usize) -> Phrase {
    match shown == all {
        true => phrase.say(", one row per run"),
        false => phrase.say(", ").count(shown).say(" of ").count(all).say(" runs"),
    }
}

/// The cell that tells what was changed before a run (files, its own settings that differ from other runs', settings of
/// services around it, each with its message where that is another one) and whether checks were failing. Runs are
/// positions in the findings.
fn before<'a>(
    m: &Material<'a>,
    phrase: Phrase<'a>,
    earlier: Option<usize>,
    run: usize,
    settings: &[(String, Evidence)],
) -> Phrase<'a> {
    let files = earlier.map(|from| runs::changed_between(m, from, run)).unwrap_or_default();
    let around = earlier.map(|from| figures::changed_around(m, from, run)).unwrap_or_default();
    let files = files.into_iter().map(|touch| (figures::file_name(m, touch), Some(touch.message)));
    let own = settings.iter().take(MOST).map(|(_, evidence)| (evidence.clone(), None));
    let around = around.into_iter().take(MOST).map(|(at, evidence)| (evidence, Some(at)));
    let changes: Vec<(Evidence, Option<MessageIdx>)> = files.chain(own).chain(around).collect();
    let gate = m.findings.runs[run].gate.map(|gate| &m.facts.quality[gate]);
    let phrase = if changes.is_empty() && gate.is_none() { phrase.say("–") } else { phrase };
    let phrase = phrase.list(&changes, ", ", ", ", |p: Phrase, (what, at)| match at {
        Some(at) => p.code(what).say(" (").number(*at).say(")"),
        None => p.code(what),
    });
    let Some(gate) = gate else { return phrase };
    let phrase = if changes.is_empty() { phrase } else { phrase.say("; ") };
    phrase.say("checks failing (").number(gate.at.message).say(")").resting(&gate.evidence)
}

/// The largest change for the better between neighbouring runs.
fn step(m: &Material, repeated: &Repeated) -> Option<Claim> {
    let step = repeated.largest_step()?;
    let (from, to) = (repeated.runs[step.from.run], repeated.runs[step.to.run]);
    let (low, high) = (step.from.value.min(step.to.value), step.from.value.max(step.to.value));
    m.derived("largest-step")
        .weighing(8)
        .say("The largest step shown: ")
        .label(step.key, &step.to.evidence)
        .say(" from ")
        .figure(step.from.text.clone(), &step.from.evidence)
        .say(" to ")
        .figure(with_unit(&step.to.text, repeated.unit.as_deref()), &step.to.evidence)
        .say(", ")
        .computed(figures::times(low, high)?)
        .refs([from, to])
        .say(".")
        .end()
}

/// What repeats differ by although nothing is shown changed in between, where that is much.
fn repeats(m: &Material, repeated: &Repeated) -> Option<Claim> {
    let step = repeated.widest_repeat()?;
    let change = number::change_between(step.from.value, step.to.value).filter(|c| c.abs() > runs::UNSTEADY)?;
    m.derived("repeats-differ")
        .weighing(8)
        .say("With no change shown in between, ")
        .label(step.key, &step.to.evidence)
        .say(" went from ")
        .figure(step.from.text.clone(), &step.from.evidence)
        .say(" to ")
        .figure(with_unit(&step.to.text, repeated.unit.as_deref()), &step.to.evidence)
        .say(", ")
        .computed(number::change(change))
        .say(": a smaller difference between two single runs can be chance")
        .refs([repeated.runs[step.from.run], repeated.runs[step.to.run]])
        .say(".")
        .end()
}

/// The key that hardly moves: what single runs vary by.
fn control(m: &Material, repeated: &Repeated) -> Option<Claim> {
    let (key, spread) = repeated.control()?;
    let phrase = m.derived("control").weighing(5).label(key, &repeated.keys[key][0].evidence).say(" moves by ");
    let phrase = phrase.computed(number::percent(spread)).say(" over these runs");
    repeated.keys[key]
        .iter()
        .fold(phrase, |p, r| p.resting(&r.evidence))
        .refs(repeated.keys[key].iter().map(|r| repeated.runs[r.run]))
        .say(".")
        .end()
}

/// One row per run of a command.
fn runs_of(m: &Material, series: &Series) -> Block {
    let names: Vec<&String> = series.names.iter().take(FIGURES - 1).collect();
    let mut head = vec![vec![Piece::Glue("run")], vec![Piece::Glue("changed before it, settings")]];
    head.extend(names.iter().map(|n| vec![Piece::Plain(headed(n, unit_of(series, n)))]));
    let column = |name: &&String| {
        let values = series.runs.iter().enumerate().map(|(i, run)| (i, run.figures[*name].metric.value));
        Some((series.runs[0].figures[*name].metric.better?, values.collect()))
    };
    let columns: Vec<_> = names.iter().filter_map(column).collect();
    let told = runs::telling(series.runs.len(), &columns, ROWS);
    let rows = told.iter().filter_map(|at| {
        let run = &series.runs[*at];
        let earlier = at.checked_sub(1).map(|before| series.runs[before].run);
        let phrase = m.stated("runs-of-one-command").weighing(7).number(run.message).cell();
        let phrase = before(m, phrase, earlier, run.run, &run.settings);
        let placed = names.iter().map(|name| run.figures[*name]);
        placed.fold(phrase, |p, placed| p.cell().figure(placed.metric.text.clone(), &placed.evidence)).row()
    });
    let rows: Vec<_> = rows.collect();
    let phrase = printed(m, m.stated("runs-of-one-command").weighing(7), m.findings.runs[series.runs[0].run].message);
    let lead = how_many(phrase, rows.len(), series.runs.len());
    let lead = lead.refs(told.iter().map(|at| series.runs[*at].message)).say(":").end();
    Block::Table(ArticleTable { lead, head, rows })
}

fn headed(name: &str, unit: Option<&str>) -> String {
    match unit {
        Some(unit) if !name.contains(unit) => format!("{name}, {unit}"),
        _ => name.to_string(),
    }
}

/// The headline figure before and after the subject: the last run up to it against the last after it under equal
/// settings.
pub fn since(m: &Material) -> Option<Claim> {
    let subject = m.subject?;
    let all = figures::series(m, |_| true);
    let series = all.iter().find(|s| s.runs.iter().any(|r| r.message > subject))?;
    let after = series.runs.iter().filter(|r| r.message > subject);
    let words = |run: &figures::Run| run.settings.iter().map(|s| s.0.clone()).collect::<Vec<_>>();
    let mut pairs = after.filter_map(|b| {
        let a = series.runs.iter().rfind(|a| a.message <= subject && words(a) == words(b))?;
        Some((a, b))
    });
    let (a, b) = pairs.next()?;
    let name = series.names.first()?;
    let (x, y) = (a.figures[name], b.figures[name]);
    m.derived("run-after")
        .weighing(8)
        .say("Under the same settings as before, ")
        .label(name, &x.evidence)
        .say(" is ")
        .figure(with_unit(&y.metric.text, y.metric.unit.as_deref()), &y.evidence)
        .say(" against ")
        .figure(x.metric.text.clone(), &x.evidence)
        .say(", ")
        .computed(figures::times(x.metric.value, y.metric.value)?)
        .say(", one run each")
        .refs([a.message, b.message])
        .say(".")
        .end()
}
