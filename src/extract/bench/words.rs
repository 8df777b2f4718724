//! Names cut into words, and what single words say: statistic, parameter, count, metric noun. Vocabulary as tables.

use crate::base::lexicon::{Filter, Lexicon};

/// Lower-case words of a name: cut at anything that is no letter or digit, and at camel humps. Signs that stand for a
/// word stay (`%`, `±`, `#`).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Words(String);

/// What stands between words.
const BETWEEN: char = '\n';

/// The words of a name.
pub fn words(name: &str) -> Words {
    let mut all = String::with_capacity(name.len() + 4);
    find(name, |word| {
        all.push_str(word);
        all.push(BETWEEN);
        None::<()>
    });
    Words(all)
}

impl Words {
    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.split_terminator(BETWEEN)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.matches(BETWEEN).count()
    }

    /// Whether any is in a sorted table.
    pub fn any(&self, table: &Lexicon) -> bool {
        self.iter().any(|word| table.has(word))
    }

    /// Whether this is one of them.
    pub fn has(&self, word: &str) -> bool {
        self.iter().any(|w| w == word)
    }

    /// Whether these two follow each other.
    pub fn has_both(&self, first: &str, second: &str) -> bool {
        self.iter().zip(self.iter().skip(1)).any(|pair| pair == (first, second))
    }
}

/// What is found of the first word of which something is; the words as in [`words`].
fn find<T>(name: &str, mut found: impl FnMut(&str) -> Option<T>) -> Option<T> {
    let mut word = String::with_capacity(24);
    let mut before = ' ';
    for c in name.chars() {
        let part = c.is_alphanumeric() || matches!(c, '%' | '±' | '#');
        let hump = c.is_uppercase() && before.is_lowercase();
        if (!part || hump) && !word.is_empty() {
            if let Some(found) = found(&word) {
                return Some(found);
            }
            word.clear();
        }
        match c {
            _ if !part => {}
            c if c.is_ascii() => word.push(c.to_ascii_lowercase()),
            c => word.extend(c.to_lowercase()),
        }
        before = c;
    }
    if word.is_empty() { None } else { found(&word) }
}

/// Whether a word of a name is in a sorted table.
pub fn has(name: &str, table: &Lexicon) -> bool {
    find(name, |word| table.has(word).then_some(())).is_some()
}

/// The statistic that a name says it is.
pub fn stat(name: &str) -> Option<String> {
    if name.as_bytes().windows(VERSUS.len()).any(|part| part.eq_ignore_ascii_case(VERSUS)) {
        return Some("delta".into());
    }
    let share = name.bytes().any(|b| b.is_ascii_digit()).then(|| percentile(name)).flatten();
    let spelled = |word: &str| {
        let at = STAT_WORDS.may_hold(word).then(|| STATS.binary_search_by(|row| row.0.cmp(word)).ok()).flatten()?;
        Some(STATS[at].1.to_string())
    };
    share.or_else(|| find(name, spelled))
}

/// What heads differences from the first column.
const VERSUS: &[u8] = b"vs base";

/// `p99`, `P90`, `p(95)`, `99%`, `95th percentile`, `97.5%`
fn percentile(name: &str) -> Option<String> {
    let all = words(name);
    let all: Vec<&str> = all.iter().collect();
    let figure = |t: &str| t.parse::<f64>().ok().filter(|v| (0.0..=100.0).contains(v)).map(|v| format!("p{v}"));
    if let Some(found) = name.trim().strip_suffix('%').and_then(figure) {
        return Some(found);
    }
    let mut words = all.iter().enumerate();
    words.find_map(|(at, w)| {
        let tail = w.strip_prefix('p').filter(|t| !t.is_empty() && t.len() <= 4);
        if let Some(found) = tail.and_then(figure) {
            return Some(found);
        }
        if *w == "p" {
            return all.get(at + 1).and_then(|n| figure(n));
        }
        let nth = ["th", "st", "nd", "rd", "thpercentile"].iter().find_map(|s| w.strip_suffix(s)).or(Some(*w));
        let named = all.get(at + 1).is_some_and(|n| n.starts_with("percentile")) || w.ends_with("thpercentile");
        nth.filter(|_| named).and_then(figure)
    })
}

/// Statistics; word and canonical name, sorted.
#[rustfmt::skip]
const STATS: &[(&str, &str)] = &[
    ("average", "mean"), ("avg", "mean"), ("best", "min"), ("change", "delta"), ("ci", "ci"), ("cv", "spread"),
    ("delta", "delta"), ("diff", "delta"), ("fastest", "min"), ("iqr", "iqr"), ("longest", "max"), ("mad", "mad"),
    ("max", "max"), ("maximum", "max"), ("mdev", "stddev"), ("mean", "mean"), ("med", "median"), ("median", "median"),
    ("min", "min"), ("minimum", "min"), ("pvalue", "pvalue"), ("ratio", "ratio"), ("relative", "ratio"),
    ("rme", "rme"), ("sd", "stddev"), ("shortest", "min"), ("slowest", "max"), ("speedup", "ratio"),
    ("std", "stddev"), ("stddev", "stddev"), ("stderr", "stderr"), ("stdev", "stddev"), ("variance", "spread"),
    ("worst", "max"), ("±", "spread"),
];

/// The words of [`STATS`].
static STAT_WORDS: Filter<16> = {
    let (mut all, mut at) = (Filter::empty(), 0);
    while at < STATS.len() {
        all = all.with(STATS[at].0);
        at += 1;
    }
    all
};

/// Statistics that say how sure a figure is, or compare two: never a result by themselves.
pub const SECONDARY: &[&str] = &["ci", "delta", "iqr", "mad", "pvalue", "ratio", "rme", "spread", "stddev", "stderr"];

/// Settings under which something is measured; sorted.
#[rustfmt::skip]
pub static PARAMETERS: Lexicon = Lexicon::new(&[
    "b", "backend", "batch", "block", "bs", "bytes", "c", "cfg", "clients", "conc", "concurrency", "config",
    "connections", "ctx", "d", "depth", "device", "dict", "dim", "dtype", "epoch", "gpu", "gpus", "group", "h",
    "heads", "in", "input", "isl", "iter", "k", "kv", "l", "len", "length", "level", "m", "mode", "model", "n", "ngl",
    "nodes", "num", "nw", "osl", "output", "params", "pp", "precision", "ranks", "root", "seq", "seqlen", "shape",
    "size", "step", "tg", "threads", "tp", "variant", "warps", "width", "workers",
]);

/// Numbers of things done: how much was measured, not how well it went; sorted.
#[rustfmt::skip]
pub static COUNTS: Lexicon = Lexicon::new(&[
    "#", "#calls", "#wrong", "calls", "cnt", "completed", "count", "done", "failed", "instances", "iterations",
    "iters", "ok", "ops", "outliers", "passed", "reps", "requests", "rounds", "runs", "samples", "success",
    "tokens", "total", "tries", "wrong",
]);

/// Nouns by which a column or key is a result even where no unit is printed; sorted.
#[rustfmt::skip]
pub static METRICS: Lexicon = Lexicon::new(&[
    "accuracy", "algbw", "bandwidth", "bleu", "busbw", "bw", "duration", "e2e", "e2el", "elapsed", "flops", "gbps",
    "gflops", "goodput", "iops", "ipc", "ips", "itl", "lat", "latencies", "latency", "loss", "mae", "mape", "mfu",
    "mse", "perplexity", "ppl", "qps", "rmse", "rps", "runtime", "speed", "speedup", "tflops", "throughput", "thrpt",
    "tpot", "tps", "tput", "ttft", "wall", "wer",
]);

/// Nouns that are results only in company: beside figures that surely are; sorted.
#[rustfmt::skip]
pub static WEAK_METRICS: Lexicon = Lexicon::new(&[
    "acc", "accesses", "availability", "cost", "cpu", "cycles", "efficiency", "err", "error", "f1", "faults",
    "fraction", "hits", "instructions", "match", "mem", "memory", "misses", "overhead", "peak", "power", "rate",
    "rating", "real", "response", "rss", "score", "size", "switches", "sys", "time", "transaction", "usage", "user",
    "util", "utilization", "value",
]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(SECONDARY.is_sorted());
        assert!(STATS.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn statistics_of_names() {
        for (name, want) in [
            ("p99 TTFT", Some("p99")),
            ("p(95)", Some("p95")),
            ("97.5%", Some("p97.5")),
            ("95th percentile", Some("p95")),
            ("Mean ITL (ms)", Some("mean")),
            ("+/- Stdev", Some("stddev")),
            ("Throughput", None),
            ("pp 512", None),
        ] {
            assert_eq!(stat(name).as_deref(), want, "{name}");
        }
        assert_eq!(words("AverageLatency(us)").iter().collect::<Vec<_>>(), ["average", "latency", "us"]);
        assert!(words("RunTime").has_both("run", "time") && words("a b c").len() == 3 && words("").len() == 0);
    }
}
