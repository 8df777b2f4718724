//! OpenHands. V0 (through 2025): events of actions and observations, as a list, as `{"trajectory"}`, as a folder with one
//! file an event, or as rows of an evaluation with the events in `history`. V1 (the agent SDK): typed events, one a file.
//! Of a folder the first event's file stands for the session. Times have no zone.

mod load;
mod v0;
mod v1;

use super::{Card, Format, Recorded};
use crate::{
    base::error::Error,
    source::{
        Parsed,
        open::Input,
        seen::{Seen, has, text},
        sniff::Sniff,
    },
    text::partial_json::Node,
};

/// See the module.
pub struct OpenHandsJson;

impl Format for OpenHandsJson {
    fn name(&self) -> &'static str {
        "openhands-json"
    }

    fn about(&self) -> &'static str {
        "OpenHands: trajectories, evaluation rows and event folders (V0), event folders of the agent SDK (V1)"
    }

    fn card(&self) -> Card {
        Card {
            agent: "OpenHands",
            versions: "V0 (0.9 to 1.0), V1 (agent SDK 1.x)",
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
                Recorded::Compactions,
            ],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        let lines = seen.lines();
        let rows = lines.iter().filter(|line| line.get("history").is_some_and(holds_events)).count();
        if rows * 2 > lines.len() + seen.other_lines().saturating_sub(1) {
            return Sniff::Yes(93, format!("{rows} lines hold a `history` of actions and observations"));
        }
        let Some(document) = seen.document() else { return Sniff::No("no events of OpenHands".into()) };
        if is_v0(document) || is_v1(document) {
            return single(document, seen.sample.name.as_str());
        }
        let lists = [Some(document), document.get("trajectory"), document.get("history"), document.get("events")];
        if lists.into_iter().flatten().any(holds_events) {
            return Sniff::Yes(93, "a list of actions and observations".into());
        }
        let llm = document.get("agent").is_some_and(|agent| has(agent, &["llm"]));
        match llm && (has(document, &["execution_status"]) || has(document, &["workspace"])) {
            true => Sniff::Part(90, "the first file of its folder `events`".into()),
            false => Sniff::No("no events of OpenHands".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        load::read(self.name(), input)
    }
}

/// A file with one event: the first stands for all of its folder.
fn single(event: &Node, name: &str) -> Sniff {
    let first = match is_v0(event) {
        true => event.get("id").is_some_and(|id| load::number_of(id) == Some(0)),
        // Events of V1 are numbered in their names only.
        false => text(event, "kind") == "SystemPromptEvent" || load::ordinal(name).is_none_or(|n| n == 0),
    };
    match first {
        true => Sniff::Yes(93, "the first event of a folder of events".into()),
        false => Sniff::Part(90, "the file of its folder's first event".into()),
    }
}

fn holds_events(list: &Node) -> bool {
    let items = list.list().unwrap_or_default();
    let event = |item: &Node| is_v0(item) || is_v1(item) || item.list().is_some_and(|pair| pair.iter().any(is_v0));
    let whole = items.iter().filter(|item| item.whole).count();
    let events = items.iter().filter(|item| event(item)).count();
    events > 0 && events * 10 >= whole * 8
}

fn is_v0(node: &Node) -> bool {
    has(node, &["source"]) && (has(node, &["action", "args"]) || has(node, &["observation", "content"])) && {
        // An event of V1 has an observation too, which is an object.
        !has(node, &["kind"])
    }
}

fn is_v1(node: &Node) -> bool {
    has(node, &["kind", "id", "source"]) && v1::KINDS.contains(&text(node, "kind"))
}
