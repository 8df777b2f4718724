//! Logs of Inspect evaluations: one JSON document, or an `.eval`, which is a `.zip` with a member for each sample; a large
//! sample may lie in pieces. Each sample is a session of its own. Long texts stand once among the attachments and are
//! referred to; times, tokens and exit statuses stand in the events beside the messages.

mod load;
mod sample;

use super::{Card, Format, Recorded};
use crate::{
    base::error::Error,
    source::{
        Parsed,
        open::Input,
        seen::{Seen, has},
        sniff::Sniff,
    },
};

/// See the module.
pub struct InspectEval;

impl Format for InspectEval {
    fn name(&self) -> &'static str {
        "inspect-eval"
    }

    fn about(&self) -> &'static str {
        "logs of Inspect evaluations (`.eval` and `.json`)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "Inspect",
            versions: "log version 2",
            records: &[
                Recorded::Times,
                Recorded::Models,
                Recorded::Tokens,
                Recorded::Cost,
                Recorded::Exits,
                Recorded::Failures,
                Recorded::Todos,
                Recorded::Reasoning,
                Recorded::Compactions,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let members = seen.members();
        if members.iter().any(|name| name.starts_with("samples/"))
            && members.iter().any(|name| name == "header.json" || name == "_journal/start.json")
        {
            return Sniff::Yes(96, format!("an archive of {} members with samples and a header", members.len()));
        }
        let Some(document) = seen.document() else { return Sniff::No("no document and no archive of samples".into()) };
        let eval = document.get("eval").is_some_and(|eval| has(eval, &["task"]));
        match eval && has(document, &["version"]) {
            true => Sniff::Yes(95, "an object with `version` and an `eval` of a `task`".into()),
            false => Sniff::No("no `eval` of a `task`".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        load::read(self.name(), input)
    }
}
