//! How figures came into an output: from what was run there, from a job or a file of an earlier run, or from elsewhere.
//!
//! A later call that shows a file names the run that wrote it last, by path or by the file's own name; a poll names the
//! job by its id. What no run of the session wrote is quoted.

use std::collections::HashMap;

use super::jobs;
use crate::{
    base::{ids::MessageIdx, path::base_name},
    model::{
        command::CommandRun,
        facts::Facts,
        message::{Message, ToolKind},
        metric::Origin,
    },
};

/// What earlier calls wrote and started, in one pass over the messages.
#[derive(Default)]
pub struct Origins {
    /// Base name of a file → the run that wrote it last.
    files: HashMap<String, MessageIdx>,
    /// Id of a background job → the run that started it.
    jobs: HashMap<String, MessageIdx>,
}

impl Origins {
    /// Where the figures in the output of a call come from. Calls must be asked in order.
    pub fn of(&mut self, facts: &Facts, at: MessageIdx, message: &Message) -> Origin {
        match message.tool() {
            Some(ToolKind::Shell) => match facts.run_of(at) {
                Some(run) if run.prints() => {
                    self.remember(at, message, run);
                    Origin::Run(at)
                }
                Some(run) => self.shown(run.parts.iter().flat_map(|p| p.args.iter().map(String::as_str))),
                None => Origin::Run(at),
            },
            Some(ToolKind::Read) => self.shown(message.path().into_iter()),
            Some(ToolKind::Job) => {
                let ids = jobs::ID_FIELDS.iter().filter_map(|field| message.input(field));
                let started = ids.filter_map(|id| self.jobs.get(id)).next();
                Origin::Run(started.copied().unwrap_or(at))
            }
            // A sub-agent reports in words.
            Some(ToolKind::Agent) | None => Origin::Stated,
            // What a tool does whose name says nothing is not known.
            _ => Origin::Quoted,
        }
    }

    fn remember(&mut self, at: MessageIdx, message: &Message, run: &CommandRun) {
        let tee = run.parts.iter().filter(|p| p.program == "tee").flat_map(|p| &p.args);
        let written = run.parts.iter().flat_map(|p| &p.writes).chain(tee.filter(|a| !a.starts_with('-')));
        let log = jobs::log_of(message.output());
        let names = written.map(|path| base_name(path)).chain(log.as_deref().map(base_name));
        for name in names.filter(|name| name.len() > 3 && *name != "null") {
            self.files.insert(name.to_string(), at);
        }
        self.jobs.extend(jobs::id_of(message.output()).map(|id| (id, at)));
    }

    fn shown<'a>(&self, mut paths: impl Iterator<Item = &'a str>) -> Origin {
        paths.find_map(|path| self.files.get(base_name(path))).map_or(Origin::Quoted, |run| Origin::Run(*run))
    }
}
