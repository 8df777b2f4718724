//! Why something is slow or fast, said without a profile.

use std::sync::LazyLock;

use super::{Judgement, Ledger, Rule, Statement, is_intent};
use crate::{
    model::{
        audit::{ClaimKind, Ruling},
        command::CommandRun,
        message::Message,
    },
    text::pattern::Regex,
};

/// A cause of speed that nothing measured.
pub static UNPROFILED: Rule = Rule {
    name: "unprofiled-cause",
    kind: ClaimKind::Cause,
    about: "A cause inside the machine (bandwidth, occupancy, memory access, overhead) is given for a speed; no profile was taken.",
    example: "\"These kernels are memory-bound.\" where only total times were printed: not shown",
    limits: "A test that tells the cause from its absence without a profiler is not seen.",
    against: "",
    missing: "no profile was taken before",
    judge: unprofiled,
};

/// `memory-bound`, `the bottleneck is`, `overhead dominates`
static CAUSE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:memory|bandwidth|compute|latency|launch|occupancy|read-bandwidth|cpu|io)[-/]?(?:occupancy-)?bound\b|\bbottleneck (?:is|was|comes)\b[^.\n]{0,40}\b(?:memory|bandwidth|cache|latency|launch|overhead|occupancy|access|synchroni\w*|transfers?|copies|copying|compute|i/o|io|locks?|contention)\b|\boverhead (?:dominates|is tiny)|\b(?:occupancy pressure|memory coalescing|register pressure|bank conflicts)\b|\bmemory access pattern\b|\b(?:real|remaining) (?:lever|obvious cost|cost) (?:is|was)\b").expect("valid")
});

fn unprofiled(log: &Ledger, said: &Statement) -> Option<Judgement> {
    let found = CAUSE.find(said.text)?;
    if is_intent(said.text) || profiled(log, said) {
        return None;
    }
    let measured = log.facts.tables.iter().any(|t| t.at.message < said.message)
        || log.facts.metrics.iter().any(|m| m.at.message < said.message);
    measured.then(|| {
        let why = format!("\"{}\": no profile was taken before", found.as_str());
        Judgement::new(Ruling::NotShown, why, vec![log.all_before(said.message)]).by(said, [found.range()])
    })
}

/// Whether a profile was taken: a profiler ran and was not refused, or an output has the columns of one.
fn profiled(log: &Ledger, said: &Statement) -> bool {
    const COLUMNS: &[&str] = &["Self CUDA", "Self CPU", "cumtime", "Overhead  Command", "% time"];
    let failed = |at| log.facts.failures.iter().any(|failure| failure.seen.contains(&at));
    let profiles = |run: &CommandRun| run.parts.iter().any(|part| part.class.0 == "profiler");
    let ended = |run: &CommandRun| {
        profiles(run) && !failed(run.message) && !REFUSED.is_match(log.session.message(run.message).output())
    };
    let shown = |m: &Message| COLUMNS.iter().any(|column| m.output().contains(column));
    log.first(("profiler", ""), said.message, || log.first_run(ended)).is_some()
        || log.first(("profile", ""), said.message, || log.first_message(shown)).is_some()
}

/// What a profiler says that may not look, or that is not there.
static REFUSED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)ERR_NVGPUCTRPERM|permission|not found|no such file|not permitted").expect("valid")
});
