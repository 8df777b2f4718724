//! Session files of pi and of what is built on it (oh-my-pi, OpenClaw): JSON Lines, a header, then entries. From version
//! 2 on they are linked by `parentId` into a tree, in which a rewind leaves branches behind; version 1 has neither ids
//! nor parents. oh-my-pi may put a title line before the header, keeps the named phases of its task list in the results
//! of its `todo` tool, and writes sub-agents into a folder that is named after the file.

mod load;
mod record;
mod tree;

use std::collections::BTreeSet;

use super::{Card, Format, Recorded};
use crate::{
    base::{diag::Diagnostics, error::Error},
    model::session::Session,
    source::{
        Parsed,
        frame::json_lines,
        open::Input,
        seen::{Seen, Texts, at, has, text},
        sniff::Sniff,
    },
};
use load::Loader;

/// See the module.
pub struct PiSession;

/// How deep sub-agents' folders are followed.
const DEEPEST: usize = 8;

impl Format for PiSession {
    fn name(&self) -> &'static str {
        "pi-session"
    }

    fn about(&self) -> &'static str {
        "session files of pi, oh-my-pi and OpenClaw (JSONL)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "pi",
            versions: "format 1 to 3; oh-my-pi to 16.3; OpenClaw of 2026",
            records: &[
                Recorded::Times,
                Recorded::Models,
                Recorded::Tokens,
                Recorded::Cost,
                Recorded::Exits,
                Recorded::Failures,
                Recorded::Cwd,
                Recorded::Todos,
                Recorded::Reasoning,
                Recorded::Subagents,
                Recorded::Compactions,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let header = seen.lines().iter().any(|n| text(n, "type") == "session" && has(n, &["cwd", "timestamp"]));
        let (own, of) = seen.vote(|n| {
            let role = at(n, &["message", "role"]).and_then(|r| r.text()).unwrap_or_default();
            let message = text(n, "type") == "message" && has(n, &["timestamp"]) && record::ROLES.contains(&role);
            message && at(n, &["message", "timestamp"]).is_some()
        });
        let subagent = seen.lines().iter().any(|n| text(n, "type") == "session_init");
        if header && subagent && lead(seen) {
            return Sniff::Part(85, "the session file beside its folder, which started this sub-agent".into());
        }
        match (header, own) {
            (true, _) => Sniff::Yes(92, format!("a session header with `cwd`, {own} of {of} lines are messages")),
            (false, own) if own * 2 >= of && own > 0 => Sniff::Yes(80, format!("{own} of {of} lines are its messages")),
            _ => Sniff::No("no session header with `cwd`".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        self.parse_at(input, DEEPEST)
    }
}

/// Whether the session that started this sub-agent lies beside its folder.
fn lead(seen: &Seen) -> bool {
    let folder = seen.sample.input.as_ref().map_or("", |input| input.folder_name());
    !folder.is_empty() && seen.beside(&format!("../{folder}.jsonl")).is_some()
}

impl PiSession {
    fn parse_at(&self, input: &Input, depth: usize) -> Result<Parsed, Error> {
        let mut loader = Loader::default();
        let mut diagnostics = Diagnostics::default();
        json_lines(input, &mut diagnostics, &mut loader)?;
        let mut session = loader.finish(self.name(), input.stem(), diagnostics);
        let mut parsed = Parsed::default();
        if depth > 0 {
            let agents = self.agents(input, depth - 1, &mut parsed);
            adopt(&mut session, agents);
        }
        parsed.sessions.push(session);
        Ok(parsed)
    }

    /// Sessions of the sub-agents in the folder that is named after the file, each with the name that the agent has.
    fn agents(&self, input: &Input, depth: usize, parsed: &mut Parsed) -> Vec<(String, Session)> {
        let Some(folder) = input.file_name().strip_suffix(".jsonl") else { return Vec::new() };
        let mut agents = Vec::new();
        for file in input.folder(folder).into_iter().filter(|file| file.file_name().ends_with(".jsonl")) {
            if !self.knows(&file) {
                continue;
            }
            let Ok(found) = self.parse_at(&file, depth) else { continue };
            parsed.unassigned.merge(&found.unassigned);
            let name = file.file_name().trim_end_matches(".jsonl").to_string();
            agents.extend(found.sessions.into_iter().map(|session| (name.clone(), session)));
        }
        agents
    }

    fn knows(&self, input: &Input) -> bool {
        let Ok(sample) = input.sample() else { return false };
        let texts = Texts::of(&sample);
        !matches!(self.sniff(&Seen::new(&sample, &texts)), Sniff::No(_))
    }
}

/// Hangs sub-agents below the session, at the call whose result or input names them.
fn adopt(session: &mut Session, agents: Vec<(String, Session)>) {
    let mut taken = BTreeSet::new();
    for (name, mut agent) in agents {
        let quoted = format!("\"{name}\"");
        let starter = session.messages.iter_mut().find(|m| {
            let names = |text: &str| text == name || text.contains(&quoted);
            m.call.as_ref().is_some_and(|c| c.kind == crate::model::message::ToolKind::Agent)
                && (m.parts.iter().any(|p| names(&p.text)))
        });
        if let Some(message) = starter {
            agent.info.spawned_by = message.ids.call.clone();
            if let Some(call) = message.call.as_mut()
                && taken.insert(message.number)
            {
                call.spawned = Some(agent.info.id.clone());
            }
        }
        agent.info.parent = Some(session.info.id.clone());
        agent.info.title = agent.info.title.take().or(Some(name));
        session.subagents.push(agent);
    }
}
