//! Messages in the spelling of OpenAI's chat interface, or items of its responses interface. Rows of data sets too:
//! `messages` may be a text that holds the list, or be called `trajectory` with `role` and `text`; calls may stand in
//! the text of the model and their results under the user's role.

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
pub struct OpenAi;

impl Format for OpenAi {
    fn name(&self) -> &'static str {
        "openai-messages"
    }

    fn about(&self) -> &'static str {
        "conversations as OpenAI's interfaces spell them: chat messages, response items, rows of data sets"
    }

    fn card(&self) -> Card {
        Card {
            agent: "",
            versions: "chat completions and responses",
            records: &[Recorded::Exits, Recorded::Todos, Recorded::Reasoning],
        }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        match census(seen) {
            None => Sniff::No("no list of messages with roles".into()),
            Some(c) if !c.holds() => Sniff::No("most of its items have no role and no content".into()),
            Some(c) if c.sharegpt * 2 > c.messages => Sniff::No("its messages have `from` and `value`".into()),
            Some(c) if c.anthropic > c.openai => Sniff::No("its calls are blocks of the content".into()),
            Some(c) if c.openai > 0 => Sniff::Yes(55, format!("{} of {} items are messages", c.messages, c.items)),
            Some(c) => Sniff::Yes(50, format!("{} of {} items are messages of text", c.messages, c.items)),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        load::read(self.name(), input)
    }
}
