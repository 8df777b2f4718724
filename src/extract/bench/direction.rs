//! Which way is better: from the text itself, then the unit, then the noun; else it stays open. Nothing defaults.

use super::words::{SECONDARY, words};
use crate::base::lexicon::Lexicon;
use crate::{base::unit::Unit, model::metric::Direction};

/// The direction of a figure by its name, unit and statistic.
pub fn better(name: &str, unit: Option<&Unit>, stat: Option<&str>) -> Option<Direction> {
    if let Some(told) = told(name) {
        return Some(told);
    }
    let all = words(name);
    // Of the comparisons only this one says by its name which way it counts.
    if all.has("speedup") || all.has_both("speed", "up") {
        return Some(Direction::Higher);
    }
    if stat.is_some_and(|s| SECONDARY.contains(&s)) {
        return None;
    }
    if all.any(&OPEN) {
        return None;
    }
    if let Some(unit) = unit {
        if unit.is_rate() {
            return Some(Direction::Higher);
        }
        if unit.dimension.starts_with("B/") {
            return Some(Direction::Lower);
        }
        if unit.is_time() || unit.is_time_per() || unit.dimension.contains('/') && all.any(&LOWER) {
            return Some(Direction::Lower);
        }
    }
    if all.any(&LOWER) {
        return Some(Direction::Lower);
    }
    // `total ops` is how much was done, `ops` how fast.
    if all.has("ops") && AMOUNTS.iter().any(|word| all.has(word)) {
        return None;
    }
    // `peak` alone is a maximum of anything; a fraction of the peak is how much of it was reached.
    let of_peak = all.has("peak") && (all.has("fraction") || all.has("frac"));
    (of_peak || all.any(&HIGHER)).then_some(Direction::Higher)
}

/// `↑`, `(lower is better)`
fn told(text: &str) -> Option<Direction> {
    let says = |words: &[u8]| text.as_bytes().windows(words.len()).any(|part| part.eq_ignore_ascii_case(words));
    if text.contains('↑') || says(b"higher is better") {
        return Some(Direction::Higher);
    }
    (text.contains('↓') || says(b"lower is better")).then_some(Direction::Lower)
}

/// Nouns of which more is better; sorted.
#[rustfmt::skip]
static HIGHER: Lexicon = Lexicon::new(&[
    "acc", "accuracy", "algbw", "auc", "availability", "bandwidth", "bleu", "busbw", "bw", "em", "exact", "f1", "flops",
    "fps", "gflops", "goodput", "hits", "iops", "ipc", "mfu", "ops", "precision", "psnr", "qps", "recall", "rouge",
    "rps", "score", "speed", "speedup", "successful", "tflops", "throughput", "thrpt", "tput",
]);

/// Nouns of which less is better; sorted.
#[rustfmt::skip]
static LOWER: Lexicon = Lexicon::new(&[
    "accesses", "allocs", "cer", "cost", "cycles", "delay", "duration", "e2e", "e2el", "elapsed", "error", "errors",
    "failed", "failures", "faults", "instructions", "itl", "lat", "latency", "loss", "mae", "mape", "mem", "memory", "miss",
    "misses", "mse", "overhead", "perplexity", "ppl", "rmse", "rss", "runtime", "switches", "time", "timeout", "tpot",
    "ttft", "wall", "wer", "wrong",
]);

/// Words that make a rate's noun an amount.
const AMOUNTS: &[&str] = &["count", "num", "number", "total"];

/// Nouns of which neither more nor less is better by itself; sorted.
#[rustfmt::skip]
static OPEN: Lexicon = Lexicon::new(&[
    "clock", "concurrency", "concurrent", "lr", "pct", "share", "temp", "usage", "util", "utilization", "utilized",
]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::unit::lookup;

    #[test]
    fn authority_is_text_then_unit_then_noun() {
        use Direction::{Higher, Lower};
        for (name, unit, stat, want) in [
            ("loss ↑", None, None, Some(Higher)),
            ("Score", Some("ops/ms"), None, Some(Higher)),
            ("Score", Some("ns/op"), None, Some(Lower)),
            ("p99 TTFT", None, Some("p99"), Some(Lower)),
            ("share of time", Some("%"), None, None),
            ("Error", Some("ms"), Some("ci"), None),
            ("speedup", Some("x"), Some("ratio"), Some(Higher)),
            ("Ratio", None, Some("ratio"), None),
            ("Foo", None, None, None),
            ("total ops", None, None, None),
            ("total ops", Some("ops/s"), None, Some(Higher)),
        ] {
            assert_eq!(better(name, unit.and_then(lookup).as_ref(), stat), want, "{name}");
        }
    }
}
