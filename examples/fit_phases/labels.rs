//! Reads labels, and carries them to the steps that the program counts.

use std::{
    collections::BTreeMap,
    error::Error,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use turnpoint::{
    base::ids::StepIdx,
    infer::fit::Labelled,
    model::{message::MessageKind, phase::PhaseKind},
    pipeline,
    source::open::Input,
};

/// A labelled session.
#[derive(Clone)]
pub struct Session {
    /// Name of its labels.
    pub name: String,
    /// Sessions with the same are left out together: the last name of the folder it worked in, else its own name.
    pub relatives: String,
    /// Its steps with their labels.
    pub labelled: Labelled,
    /// Labelled turning points: for each its step and those of its markers, the one to write about first.
    pub turns: Vec<Vec<usize>>,
    /// The log, and what was read off it.
    pub log: (turnpoint::model::session::Session, turnpoint::model::facts::Facts),
}

/// Every labelled session of a folder, without those that are marked as a pilot.
pub fn read(folder: &Path, units: Option<&Path>) -> Result<Vec<Session>, Box<dyn Error>> {
    let entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    let mut files: Vec<PathBuf> = entries.into_iter().map(|e| e.path()).collect();
    files.retain(|file| file.to_string_lossy().ends_with(ENDING));
    files.sort();
    let mut sessions = Vec::new();
    for file in files {
        sessions.extend(session(&file, units).map_err(|error| format!("{}: {error}", file.display()))?);
    }
    Ok(sessions)
}

const ENDING: &str = ".gold.jsonl";

fn session(file: &Path, units: Option<&Path>) -> Result<Option<Session>, Box<dyn Error>> {
    let name = file.file_name().and_then(|n| n.to_str()).and_then(|n| n.strip_suffix(ENDING)).ok_or("no name")?;
    let text = fs::read_to_string(file)?;
    let rows: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let of_kind = |kind: &'static str| rows.iter().filter(move |row| row["kind"] == kind);
    let header = of_kind("header").next().ok_or("no header")?;
    if header["pilot"] == true {
        return Ok(None);
    }
    let log = file.parent().ok_or("no folder")?.join(header["file"].as_str().ok_or("no log is named")?);
    let reading = pipeline::read(&Input::file(&log)?, Default::default())?;
    let log = reading.sessions.into_iter().next().ok_or("no session")?;
    let unit_of = match units {
        Some(folder) => aligned(&log, &fs::read_to_string(folder.join(format!("{name}.tsv")))?),
        None => (0..log.steps.len()).collect(),
    };
    let analysis = pipeline::analyze(&log, &Default::default());
    let labelled = labelled(of_kind("seg"), &unit_of, analysis.findings.cues)?;
    let relatives = log.info.cwd.as_deref().and_then(|cwd| cwd.rsplit(['/', '\\']).next()).unwrap_or(name).to_string();
    let turns = turns(of_kind("turn"), &unit_of);
    Ok(Some(Session { name: name.to_string(), relatives, labelled, turns, log: (log, analysis.facts) }))
}

fn number(value: &Value) -> usize {
    value.as_u64().map_or(usize::MAX, |n| n as usize)
}

fn labelled<'a>(
    segments: impl Iterator<Item = &'a Value>,
    unit_of: &[usize],
    cues: Vec<turnpoint::model::phase::StepCue>,
) -> Result<Labelled, Box<dyn Error>> {
    let mut of_unit: BTreeMap<usize, (usize, Vec<PhaseKind>)> = BTreeMap::new();
    for (at, row) in segments.enumerate() {
        let words = std::iter::once(&row["phase"]).chain(row["alt"].as_array().into_iter().flatten());
        let kinds: Option<Vec<PhaseKind>> = words.map(|w| PhaseKind::from_word(w.as_str()?)).collect();
        let kinds = kinds.ok_or_else(|| format!("a phase without a known word: {row}"))?;
        (number(&row["from"])..=number(&row["to"])).for_each(|unit| _ = of_unit.insert(unit, (at, kinds.clone())));
    }
    let steps: Vec<&(usize, Vec<PhaseKind>)> = unit_of
        .iter()
        .map(|unit| of_unit.get(unit))
        .collect::<Option<_>>()
        .ok_or("the segments do not tile the steps")?;
    Ok(Labelled {
        cues,
        accepted: steps.iter().map(|step| step.1.clone()).collect(),
        begins: (0..steps.len()).map(|i| i == 0 || steps[i].0 != steps[i - 1].0).collect(),
    })
}

fn turns<'a>(rows: impl Iterator<Item = &'a Value>, unit_of: &[usize]) -> Vec<Vec<usize>> {
    let step = |unit: &Value| unit_of.iter().position(|u| *u == number(unit));
    let mut turns: Vec<(usize, Vec<usize>)> = rows
        .map(|row| {
            let at = std::iter::once(&row["at"]).chain(row["markers"].as_array().into_iter().flatten());
            (number(&row["rank"]), at.filter_map(step).collect())
        })
        .collect();
    turns.sort();
    turns.into_iter().map(|turn| turn.1).collect()
}

/// The unit of each step: found by the ids that the producer gave, else by the line; a user message that is no unit goes
/// with what it causes, anything else with what stands before it.
fn aligned(log: &turnpoint::model::session::Session, units: &str) -> Vec<usize> {
    let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
    for (at, unit) in units.lines().enumerate() {
        let fields: Vec<&str> = unit.split('\t').collect();
        if let [_, kind, id, line, ..] = fields[..] {
            by_name.entry(id.to_string()).or_insert(at);
            if kind != "tool" && line != "0" {
                by_name.entry(format!("L{line}")).or_insert(at);
            }
        }
    }
    let mut found: Vec<Option<usize>> = Vec::with_capacity(log.steps.len());
    for step in 0..log.steps.len() {
        let main = log.main_of(StepIdx(step as u32));
        let message = log.message(main);
        let names = [Some(log.public_id(main)), message.ids.message.clone(), Some(format!("L{}", message.place.line))];
        let names = names.into_iter().flatten().take(if message.kind == MessageKind::Tool { 1 } else { 3 });
        found.push(names.filter_map(|name| by_name.get(&name).copied()).next());
    }
    for step in (0..found.len().saturating_sub(1)).rev() {
        let user = log.message(log.main_of(StepIdx(step as u32))).kind == MessageKind::User;
        if found[step].is_none() && user {
            found[step] = found[step + 1];
        }
    }
    let mut last = 0;
    found
        .into_iter()
        .map(|unit| {
            last = unit.unwrap_or(last).max(last);
            last
        })
        .collect()
}
