//! Tokens of a response as the providers write them.

use crate::{
    model::message,
    source::lenient::{Any, Number, lenient},
};

lenient! {
    /// Tokens in any of the three spellings. Zero prompts and answers together mean that nothing was counted.
    pub struct Usage<'a> {
        prompt: Any<Number> = "prompt_tokens",
        completion: Any<Number> = "completion_tokens",
        input: Any<Number> = "input_tokens",
        output: Any<Number> = "output_tokens",
        prompt_details: Any<Details<'a>> = "prompt_tokens_details",
        completion_details: Any<Details<'a>> = "completion_tokens_details",
        input_details: Any<Details<'a>> = "input_tokens_details",
        output_details: Any<Details<'a>> = "output_tokens_details",
        cache_read: Any<Number> = "cache_read_input_tokens",
        cache_write: Any<Number> = "cache_creation_input_tokens",
        inspect_read: Any<Number> = "input_tokens_cache_read",
        inspect_write: Any<Number> = "input_tokens_cache_write",
        reasoning: Any<Number> = "reasoning_tokens",
        total: Any<Number> = "total_tokens",
        cost: Any<Number> = "cost",
        total_cost: Any<Number> = "total_cost",
    }
}

lenient! {
    /// What a sum is made of.
    pub struct Details<'a> {
        cached: Any<Number> = "cached_tokens",
        reasoning: Any<Number> = "reasoning_tokens",
    }
}

impl Usage<'_> {
    /// What it says; `None` when it says nothing. OpenAI counts cached tokens among those of the prompt and reasoning
    /// among those of the answer; Anthropic and Inspect count the cache apart.
    pub fn get(&self) -> Option<message::Usage> {
        let first = |fields: &[&Any<Number>]| fields.iter().find_map(|field| field.0.count());
        let inclusive = first(&[&self.prompt_details.0.cached, &self.input_details.0.cached]);
        let apart = first(&[&self.cache_read, &self.inspect_read]);
        let sent = first(&[&self.prompt, &self.input]);
        // A prompt count beside Anthropic's fields comes from a gateway that translated it: the cache is in the sum.
        let within = inclusive.or(if self.prompt.0.count().is_some() { apart } else { None }).unwrap_or(0);
        let written = first(&[&self.completion, &self.output]);
        if sent.unwrap_or(0) == 0 && written.unwrap_or(0) == 0 && apart.unwrap_or(0) == 0 {
            return None;
        }
        let stored = first(&[&self.cache_write, &self.inspect_write]);
        let reasoning =
            first(&[&self.completion_details.0.reasoning, &self.output_details.0.reasoning, &self.reasoning]);
        // Some count reasoning apart from the answer; only the total tells.
        let apart_from_answer = sent.unwrap_or(0) + written.unwrap_or(0) + reasoning.unwrap_or(0);
        let thought = match self.total.0.count() {
            Some(total) if total >= apart_from_answer => reasoning.unwrap_or(0),
            _ => 0,
        };
        let usage = message::Usage {
            input: sent.map(|all| all.saturating_sub(within)),
            output: written.map(|written| written + thought),
            cache_read: inclusive.or(apart),
            cache_write: stored,
            reasoning,
            cost: [&self.cost, &self.total_cost].iter().find_map(|field| field.0.get()),
        };
        (!usage.is_empty()).then_some(usage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Option<message::Usage> {
        serde_json::from_str::<Usage>(json).expect("JSON").get()
    }

    #[test]
    fn cached_tokens_are_no_input() {
        let openai = read(r#"{"prompt_tokens":90,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":60}}"#);
        assert_eq!(openai.map(|u| (u.input, u.cache_read, u.output)), Some((Some(30), Some(60), Some(5))));
        let anthropic = read(r#"{"input_tokens":30,"output_tokens":5,"cache_read_input_tokens":60}"#);
        assert_eq!(anthropic.map(|u| (u.input, u.cache_read)), Some((Some(30), Some(60))));
    }

    #[test]
    fn reasoning_is_part_of_the_answer() {
        let output = |json: &str| read(json).and_then(|u| u.output);
        assert_eq!(
            output(r#"{"input_tokens":59,"output_tokens":1,"reasoning_tokens":411,"total_tokens":471}"#),
            Some(412)
        );
        assert_eq!(
            output(r#"{"input_tokens":59,"output_tokens":412,"reasoning_tokens":411,"total_tokens":471}"#),
            Some(412)
        );
    }

    #[test]
    fn zeros_are_no_counts() {
        assert_eq!(read(r#"{"prompt_tokens":0,"completion_tokens":0}"#), None);
        assert_eq!(read(r#"{"service_tier":"x"}"#), None);
    }
}
