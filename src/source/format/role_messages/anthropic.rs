//! Messages in the spelling of Anthropic's messages interface: calls and results are blocks of the content, and a result
//! stands under the user's role.

use super::load;
use crate::{
    base::error::Error,
    source::{
        Parsed,
        chat::sniff::census,
        format::{Card, Format, Recorded},
        open::Input,
        seen::Seen,
        sniff::Sniff,
    },
};

/// See the module.
pub struct Anthropic;

impl Format for Anthropic {
    fn name(&self) -> &'static str {
        "anthropic-messages"
    }

    fn about(&self) -> &'static str {
        "conversations as Anthropic's messages interface spells them"
    }

    fn card(&self) -> Card {
        Card {
            agent: "",
            versions: "messages",
            records: &[Recorded::Exits, Recorded::Failures, Recorded::Todos, Recorded::Reasoning],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        match census(seen) {
            None => Sniff::No("no list of messages with roles".into()),
            Some(c) if !c.holds() => Sniff::No("most of its items have no role and no content".into()),
            Some(c) if c.anthropic > c.openai => {
                Sniff::Yes(55, format!("{} of {} messages hold blocks of calls and results", c.anthropic, c.items))
            }
            Some(_) => Sniff::No("no blocks of calls and results".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        load::read(self.name(), input)
    }
}
