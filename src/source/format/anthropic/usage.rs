//! What responses cost. Every record of a response repeats its usage; while it is still being written the count of the
//! output is that of the beginning, so that the record with the most output is the one that counts.

use std::collections::HashMap;

use super::turn::{Role, Turn};
use crate::{
    model::message::Usage,
    source::lenient::{Any, Number, lenient},
};

lenient! {
    /// Usage as it stands in JSON.
    pub struct Spent<'a> {
        /// Tokens of the prompt that went through no cache.
        input: Number = "input_tokens",
        /// Tokens written, thinking included.
        output: Number = "output_tokens",
        /// Tokens read from the cache.
        read: Number = "cache_read_input_tokens",
        /// Tokens written to the cache.
        write: Number = "cache_creation_input_tokens",
        /// Parts of the output.
        details: Any<Details<'a>> = "output_tokens_details",
    }
}

lenient! {
    /// Parts of the output.
    pub struct Details<'a> {
        /// Tokens of the thinking.
        thinking: Number = "thinking_tokens",
    }
}

impl Spent<'_> {
    /// What it says; zeros all over stand on records that no model wrote.
    pub fn usage(&self, cost: Number) -> Option<Box<Usage>> {
        let [input, output, cache_read, cache_write] =
            [self.input, self.output, self.read, self.write].map(Number::count);
        let cost = cost.get().filter(|c| *c > 0.0);
        let nothing = [input, output, cache_read, cache_write].iter().all(|n| n.is_none_or(|n| n == 0));
        let reasoning = self.details.0.thinking.count();
        let usage = Usage { input, output, cache_read, cache_write, reasoning, cost };
        (!nothing || cost.is_some()).then(|| Box::new(usage))
    }
}

/// Usage of the responses of a conversation, by their ids.
#[derive(Debug, Default)]
pub struct Responses(HashMap<String, Usage>);

impl Responses {
    /// Collects it.
    pub fn of(turns: &mut [Turn]) -> Self {
        let mut known: HashMap<String, Usage> = HashMap::new();
        for turn in turns.iter_mut().filter(|turn| turn.role == Role::Assistant) {
            let Some(usage) = turn.usage.take() else { continue };
            let Some(id) = turn.response() else { continue };
            match known.get_mut(id) {
                Some(before) if before.output > usage.output => {}
                Some(before) => *before = *usage,
                None => _ = known.insert(id.to_string(), *usage),
            }
        }
        Self(known)
    }

    /// Gives out the usage of a response, once.
    pub fn take(&mut self, response: Option<&str>) -> Option<Usage> {
        self.0.remove(response?)
    }
}
