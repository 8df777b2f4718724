//! Tokens: `token_count` tells totals of the session, again and again, also where nothing was spent.

use super::record::{TokenInfo, Tokens};
use crate::{model::message::Usage, source::lenient::Any};

/// The totals as last told.
#[derive(Debug, Default)]
pub struct Meter {
    last: Option<Count>,
}

/// Tokens as the log counts them: cached ones are part of the input.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Count {
    input: u64,
    cached: Option<u64>,
    written: Option<u64>,
    output: u64,
    reasoning: Option<u64>,
}

impl Meter {
    /// What was spent since the totals were told before; nothing where they are the same.
    pub fn spent(&mut self, info: &TokenInfo) -> Option<Usage> {
        let (total, last) = (count(&info.total), count(&info.last));
        let Some(total) = total else { return last.map(usage) };
        let before = self.last.replace(total);
        let spent = match before {
            Some(before) if before == total => return None,
            // A total that falls is another count; one that is met first may hold what stands in another file.
            Some(before) => total.since(&before).or(last),
            None => last,
        };
        Some(usage(spent.unwrap_or(total))).filter(|usage| *usage != Usage::default())
    }
}

impl Count {
    fn since(self, before: &Count) -> Option<Count> {
        let part = |now: Option<u64>, then: Option<u64>| match now {
            Some(now) => now.checked_sub(then.unwrap_or(0)).map(Some),
            None => Some(None),
        };
        Some(Count {
            input: self.input.checked_sub(before.input)?,
            cached: part(self.cached, before.cached)?,
            written: part(self.written, before.written)?,
            output: self.output.checked_sub(before.output)?,
            reasoning: part(self.reasoning, before.reasoning)?,
        })
    }
}

fn count(tokens: &Any<Tokens>) -> Option<Count> {
    let tokens = &tokens.0;
    Some(Count {
        input: tokens.input.count()?,
        cached: tokens.cached.count(),
        written: tokens.written.count(),
        output: tokens.output.count()?,
        reasoning: tokens.reasoning.count(),
    })
}

fn usage(count: Count) -> Usage {
    Usage {
        input: Some(count.input.saturating_sub(count.cached.unwrap_or(0))),
        output: Some(count.output),
        cache_read: count.cached,
        cache_write: count.written,
        reasoning: count.reasoning,
        cost: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(total: (u64, u64), last: (u64, u64)) -> String {
        let one =
            |(input, output)| format!(r#"{{"input_tokens":{input},"cached_input_tokens":1,"output_tokens":{output}}}"#);
        format!(r#"{{"total_token_usage":{},"last_token_usage":{}}}"#, one(total), one(last))
    }

    #[test]
    fn repeated_totals_are_spent_once() {
        let mut meter = Meter::default();
        let mut told = |total, last| {
            let json = info(total, last);
            let usage = meter.spent(&serde_json::from_str(&json).expect("JSON"));
            usage.map(|u| (u.input, u.output))
        };
        assert_eq!(told((100, 10), (50, 5)), Some((Some(49), Some(5))));
        assert_eq!(told((100, 10), (50, 5)), None);
        assert_eq!(told((160, 17), (99, 9)), Some((Some(60), Some(7))));
        assert_eq!(told((20, 2), (20, 2)), Some((Some(19), Some(2))));
    }
}
