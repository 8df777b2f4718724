//! Figures that the last run shows worse than the run before it.

use std::sync::LazyLock;

use super::Watch;
use crate::{
    infer::{audit::ledger::Ledger, series::judge},
    model::{
        audit::{LooseEnd, Shown},
        facts::FileAct,
        metric::Direction,
        series::{Reading, Run, Series, Trend},
    },
    text::{number, pattern::Regex},
};

/// A figure that ended worse than it was.
pub static WORSE: Watch = Watch {
    name: "ended-worse",
    about: "A figure is worse in the last run that shows it than in the run before, by more than repeats vary by, and a text reports a gain.",
    example: "shape 0 from 289 to 276 GB/s while the closing text says that the kernel is faster",
    limits: "Only readings of one command under equal parameters; a run that was meant to be slower counts; of several figures the one that lost most is told.",
    find,
};

fn find(log: &Ledger) -> Vec<LooseEnd> {
    let lost = log.findings.series.iter().enumerate().filter_map(|(at, series)| Some((loss(log, series)?, at)));
    let worst = lost.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    worst.and_then(|(_, at)| told_of(log, timed(log, at))).into_iter().collect()
}

/// The time that was printed with a figure, where it ended worse as well: of several metrics of one case it is the one that
/// people compare.
fn timed(log: &Ledger, at: usize) -> usize {
    let series = &log.findings.series[at];
    let runs = |s: &Series| s.readings.iter().rev().take(2).map(|(run, _)| *run).collect::<Vec<_>>();
    let beside = |s: &Series| s.key.by == series.key.by && s.key.params == series.key.params && runs(s) == runs(series);
    let is_time = |s: &Series| s.better == Some(Direction::Lower) && beside(s) && loss(log, s).is_some();
    log.findings.series.iter().position(is_time).unwrap_or(at)
}

/// By how much a series ended worse than its reading before, in per cent; `None` where it did not, or nothing tells.
fn loss(log: &Ledger, series: &Series) -> Option<f64> {
    let runs = &log.findings.runs;
    let [.., (before, from), (last, to)] = series.readings.as_slice() else { return None };
    let between = &runs[before + 1..=*last];
    let same = |run: &&Run| run.by == runs[*last].by;
    let acted = |run: &Run| !run.changed.is_empty() || !run.edited.is_empty();
    let repeat = !between.iter().filter(same).any(acted);
    let rewritten = between.iter().filter(same).any(|run| run.rewritten);
    let mended = runs[last + 1..].iter().filter(same).any(|run| may_mend(log, run));
    if series.key.params.is_empty() || repeat || rewritten || mended {
        return None;
    }
    if is_reference(series) || judge(from, to, None).trend != Trend::Worse {
        return None;
    }
    let same = || log.findings.series.iter().filter(|s| s.key.by == series.key.by);
    // What nobody touched moves by as much as the machine does.
    let untouched = same().filter(|s| is_reference(s)).filter_map(|s| moved(s, (*before, *last)));
    let noise = same().filter_map(|s| s.noise).chain(untouched).reduce(f64::max);
    let judged = judge(from, to, noise);
    judged.change.map(f64::abs).filter(|moved| judged.trend == Trend::Worse && *moved > control(log, series))
}

/// Names of what others made, beside which the work is measured; sorted.
#[rustfmt::skip]
const REFERENCES: &[&str] = &[
    "baseline", "builtin", "compiled", "control", "default", "eager", "main", "master", "naive", "old", "original",
    "ref", "reference", "sota", "stock", "torch", "upstream", "vanilla",
];

fn is_reference(series: &Series) -> bool {
    let values = series.key.params.iter().map(|(_, value)| value.as_str());
    let mut words = values.flat_map(|value| value.split(['_', '-', ' ', '.'])).map(str::to_lowercase);
    words.any(|word| REFERENCES.binary_search(&word.as_str()).is_ok())
}

/// By how much a series moved between two runs, in per cent.
fn moved(series: &Series, (before, last): (usize, usize)) -> Option<f64> {
    let at = |run: usize| series.readings.iter().find(|(at, _)| *at == run).map(|(_, reading)| reading.value);
    number::change_between(at(before)?, at(last)?).map(f64::abs)
}

/// Whether anything stands between a run and the one before it that could have put a figure right.
fn may_mend(log: &Ledger, run: &Run) -> bool {
    let makes = |at: &usize| !matches!(log.facts.files[*at].act, FileAct::Deleted | FileAct::Read);
    !run.changed.is_empty() || run.edited.iter().any(makes)
}

/// How far the steadiest series of the same command moves over three runs or more, in per cent: what nobody touched.
fn control(log: &Ledger, series: &Series) -> f64 {
    let spread = |s: &Series| {
        let values = s.readings.iter().map(|(_, r)| r.value);
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
        (high - low) / low.abs() * 100.0
    };
    let long = log.findings.series.iter().filter(|s| s.key.by == series.key.by && s.readings.len() >= 3);
    long.map(spread).filter(|s| s.is_finite()).reduce(f64::min).filter(|s| *s < STEADY).unwrap_or(0.0)
}

/// What moves by less over several runs was touched by nobody, in per cent.
const STEADY: f64 = 6.0;

fn told_of(log: &Ledger, at: usize) -> Option<LooseEnd> {
    let series = &log.findings.series[at];
    let (from, to) = (series.readings.len() - 2, series.readings.len() - 1);
    let place = |reading: &Reading| log.facts.place(log.session, reading.spot);
    let (a, b) = (&series.readings[from].1, &series.readings[to].1);
    let (before, after) = (place(a), place(b));
    let change = number::change(number::change_between(a.value, b.value)?);
    let params: Vec<String> = series.key.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let why = format!("{} {}: {} → {}, {change}", params.join(" "), series.key.name, a.text, b.text);
    let silent = |text: &str| LOST.is_match(text) || text.contains(&a.text) && text.contains(&b.text);
    let at_last = after.message();
    let omitted = log.tells(at_last, |text| GAIN.is_match(text)) && !log.tells(at_last, silent);
    Some(LooseEnd {
        rule: WORSE.name,
        what: after.clone(),
        why,
        short: "worse in the last run that shows it: ",
        shown: Shown::Change { series: at, readings: (from, to) },
        log: vec![before, after],
        omitted,
    })
}

/// `got slower`, `a regression`
static LOST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:slower|regress\w*|worse\w*|degrad\w*|dropped|drops|lower|declin\w*|hurts?|at the cost)\b|变慢|下降",
    )
    .expect("valid")
});

/// `2x faster`, `improved`
static GAIN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:faster|improv\w*|speed-?ups?|better|gains?|optimi[sz]ed)\b|\d ?[x×]\b|提升|加速|优化")
        .expect("valid")
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_sorted() {
        assert!(REFERENCES.is_sorted());
    }

    #[test]
    fn losses_and_gains_are_told_apart() {
        assert!(LOST.is_match("shape 0 got slower") && !LOST.is_match("twice as fast"));
        assert!(GAIN.is_match("~2x faster across all shapes") && !GAIN.is_match("It takes 4 ms."));
    }
}
