//! ShareGPT rows: `conversations` of `{from, value}`, as a list of rows or one on each line. A call is a text that holds
//! `{"name", "arguments"}`; nothing has an id, so a result belongs to the call before it.

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
pub struct ShareGpt;

impl Format for ShareGpt {
    fn name(&self) -> &'static str {
        "sharegpt"
    }

    fn about(&self) -> &'static str {
        "ShareGPT conversations of training sets (`from` and `value`)"
    }

    fn card(&self) -> Card {
        Card { agent: "", versions: "with and without calls", records: &[Recorded::Todos] }
    }

    fn sniff(&self, seen: &Seen) -> Sniff {
        match census(seen) {
            Some(c) if c.holds() && c.sharegpt * 2 > c.messages => {
                Sniff::Yes(60, format!("{} of {} items have `from` and `value`", c.sharegpt, c.items))
            }
            _ => Sniff::No("no conversations of `from` and `value`".into()),
        }
    }

    fn parse(&self, input: &Input) -> Result<Parsed, Error> {
        load::read(self.name(), input)
    }
}
