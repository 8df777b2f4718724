//! What Claude Code keeps beside a session's file: sub-agents in files of their own (in a folder of the session's name,
//! at any depth; in older versions in the same folder), each with a small file of what it is, and results that were too
//! large for the conversation.

use std::{
    collections::BTreeMap,
    io::{BufRead, Read},
};

use super::{
    load::{Apart, Loader},
    read_into,
};
use crate::{
    base::{diag::Diagnostics, error::Error},
    source::{
        format::anthropic::blocks::Content,
        lenient::{Flag, Text, lenient},
        open::Input,
    },
};

/// Folders of sub-agents nested deeper than this are not entered.
const DEEPEST: usize = 8;
/// Results stored apart that are larger than this stay as the conversation shows them.
const LARGEST: u64 = 64 << 20;
/// How many lines of a file are looked at to tell whether it is a sub-agent's.
const LINES: usize = 20;

/// What was found beside a session's file.
pub struct Beside<'i> {
    /// Sub-agents, by the time of their beginning.
    pub agents: Vec<Apart>,
    /// The whole of a result that was put into a file, by the file's name.
    pub stored: Stored<'i>,
}

/// Finds the whole of a result.
type Stored<'i> = Box<dyn Fn(&str) -> Option<String> + 'i>;

lenient! {
    /// What is known of a sub-agent besides its records.
    struct Meta<'a> {
        description: Text<'a> = "description",
        call: Text<'a> = "toolUseId",
    }
}

lenient! {
    /// Whose record a line is.
    struct Owner<'a> {
        session: Text<'a> = "sessionId",
        sidechain: Flag = "isSidechain",
        uuid: Text<'a> = "uuid",
    }
}

impl<'i> Beside<'i> {
    /// Looks beside a file whose records were taken in; sub-agents of an older version are looked for where the session
    /// started any.
    ///
    /// # Errors
    /// When a file of a sub-agent cannot be read.
    pub fn of(format: &'static str, input: &'i Input, loader: &Loader) -> Result<Self, Error> {
        let mut files = Vec::new();
        below(input, &format!("{}/subagents", input.stem()), 0, &mut files);
        if loader.session() == input.stem() && loader.started_agents() {
            let flat = input.index(".", Flat::of);
            let own = flat.0.get(loader.session()).into_iter().flatten().filter_map(|name| input.beside(name));
            files.extend(own.filter(|file| file.name != input.name).map(|file| (".".to_string(), file)));
        }
        let mut agents = Vec::new();
        for (folder, file) in files {
            let meta = input.beside(&format!("{folder}/{}.meta.json", file.stem()));
            agents.extend(agent(format, &file, meta, input)?);
        }
        agents.sort_by_key(|agent| (agent.session.started(), agent.session.info.id.clone()));
        Ok(Self { agents, stored: Box::new(move |name| stored(input, name)) })
    }
}

/// Name of the main session's file, for a file that holds only a sub-agent and whose main session is there.
pub fn main_of(input: &Input) -> Option<Input> {
    let session = owner(input)?;
    if session == input.stem() || session.contains(['/', '\\', '.']) {
        return None;
    }
    (0..DEEPEST).find_map(|up| input.beside(&format!("{}{session}.jsonl", "../".repeat(up))))
}

/// Names of the files of sub-agents that lie in a folder of sessions, by the session.
struct Flat(BTreeMap<String, Vec<String>>);

impl Flat {
    fn of(files: Vec<Input>) -> Self {
        let mut flat: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for file in files.iter().filter(|file| is_agent(file)) {
            if let Some(session) = owner(file) {
                flat.entry(session).or_default().push(file.file_name().to_string());
            }
        }
        Self(flat)
    }
}

fn is_agent(file: &Input) -> bool {
    file.file_name().starts_with("agent-") && file.file_name().contains(".jsonl")
}

/// Files of sub-agents in a folder and below it, with the folder that each lies in.
fn below(input: &Input, folder: &str, depth: usize, files: &mut Vec<(String, Input)>) {
    files.extend(input.folder(folder).into_iter().filter(is_agent).map(|file| (folder.to_string(), file)));
    if depth < DEEPEST {
        for inner in input.subfolders(folder) {
            below(input, &format!("{folder}/{inner}"), depth + 1, files);
        }
    }
}

/// The session whose sub-agent a file holds, told by its first records; `None` when it holds anything else.
fn owner(file: &Input) -> Option<String> {
    let reader = file.reader().ok()?;
    let mut session = None;
    for line in reader.take(LARGEST).lines().take(LINES) {
        let line = line.ok()?;
        let Ok(owner) = serde_json::from_str::<Owner>(&line) else { continue };
        if owner.uuid.get().is_some() && !owner.sidechain.set() {
            return None;
        }
        session = session.or(owner.session.owned().filter(|_| owner.sidechain.set()));
    }
    session
}

/// A sub-agent's session; its large results lie with those of the main one.
fn agent(format: &'static str, file: &Input, meta: Option<Input>, main: &Input) -> Result<Option<Apart>, Error> {
    let mut loader = Loader::default();
    let mut diagnostics = Diagnostics::default();
    read_into(file, &mut diagnostics, &mut loader)?;
    let beside = Beside { agents: Vec::new(), stored: Box::new(|name| stored(main, name)) };
    let parsed = loader.finish(format, file.stem(), diagnostics, beside);
    let Some(mut session) = parsed.sessions.into_iter().next() else { return Ok(None) };
    let meta = meta.and_then(|meta| meta.bytes().ok()).unwrap_or_default();
    let meta: Meta = serde_json::from_slice(&meta).unwrap_or_default();
    session.info.title = session.info.title.take().or(meta.description.owned());
    Ok(Some(Apart { session, spawned_by: meta.call.owned() }))
}

/// A result that was put into a file: a text, or the blocks of one.
fn stored(input: &Input, name: &str) -> Option<String> {
    let file = input.beside(&format!("{}/tool-results/{name}", input.stem()))?;
    let mut bytes = Vec::new();
    file.reader().ok()?.take(LARGEST + 1).read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 > LARGEST {
        return None;
    }
    let text = String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
    match name.ends_with(".json").then(|| serde_json::from_str::<Content>(&text)) {
        Some(Ok(content)) => Some(content.flat().0).filter(|flat| !flat.is_empty()).or(Some(text.clone())),
        _ => Some(text),
    }
}
