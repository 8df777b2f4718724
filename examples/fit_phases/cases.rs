//! The literate cases of the repository as labelled sessions: they hold kinds that logs at hand show seldom.

use std::{error::Error, fs, path::Path};

use turnpoint::{infer::fit::Labelled, model::phase::PhaseKind, pipeline, source::open::Input};

/// Every case, in the order of the names.
pub fn read(folder: &Path) -> Result<Vec<Labelled>, Box<dyn Error>> {
    let mut files = fs::read_dir(folder)?.map(|e| e.map(|e| e.path())).collect::<Result<Vec<_>, _>>()?;
    files.sort();
    files
        .iter()
        .map(|file| case(&fs::read_to_string(file)?).map_err(|e| format!("{}: {e}", file.display()).into()))
        .collect()
}

fn case(text: &str) -> Result<Labelled, Box<dyn Error>> {
    let input = Input::from_bytes("case.txt", block(text, "transcript")?.as_bytes().to_vec());
    let reading = pipeline::read(&input, Default::default())?;
    let session = reading.sessions.first().ok_or("no session")?;
    let mut labelled =
        Labelled { cues: pipeline::analyze(session, &Default::default()).findings.cues, ..Labelled::default() };
    for line in block(text, "phases")?.lines() {
        let (span, word) = line.split_once(' ').ok_or("a phase is `from–to kind`")?;
        let (from, to) = span.split_once('–').unwrap_or((span, span));
        let kind = PhaseKind::from_word(word).ok_or("no such kind")?;
        for message in from.parse::<usize>()?..=to.parse()? {
            labelled.accepted.push(vec![kind]);
            labelled.begins.push(from.parse() == Ok(message));
        }
    }
    if labelled.accepted.len() != labelled.cues.len() {
        return Err("the phases do not tile the steps".into());
    }
    Ok(labelled)
}

fn block<'a>(text: &'a str, name: &str) -> Result<&'a str, Box<dyn Error>> {
    let (_, rest) = text.split_once(&format!("```{name}\n")).ok_or_else(|| format!("no {name}"))?;
    Ok(rest.split_once("```").ok_or("a block without end")?.0)
}
