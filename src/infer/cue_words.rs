//! Words that speak for a phase, in user texts, assistant texts and task items. Version 1.
//!
//! A stem counts where a word begins with it. One hit is a weak vote; the weights say how weak.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::{base::span::ByteSpan, model::phase::PhaseKind};

/// Sorted by kind in the order of the guide, then by stem; one row a kind and language.
#[rustfmt::skip]
const STEMS: &[(PhaseKind, &[&str])] = &[
    (PhaseKind::Plan, &["approach", "brainstorm", "decide", "design", "option", "plan", "propos", "recommend", "should i", "should we", "strateg", "trade-off", "what do you think", "which one"]),
    (PhaseKind::Plan, &["方案", "计划"]),
    (PhaseKind::Research, &["check how", "check what", "examin", "explain", "explor", "familiar", "find out", "find where", "gather", "how do", "how does", "investigat", "learn", "let me check", "let me find", "let me look", "let me read", "let me see", "locat", "look at", "look for", "look into", "research", "search", "see how", "see what", "understand", "what is", "where is"]),
    (PhaseKind::Research, &["了解", "分析", "查看", "看看", "研究"]),
    (PhaseKind::Acquire, &["clone", "download", "fetch the model", "pull the"]),
    (PhaseKind::Acquire, &["下载"]),
    (PhaseKind::Setup, &["dependenc", "environment", "install", "prerequisite", "set up", "setup", "toolchain", "upgrade", "virtualenv"]),
    (PhaseKind::Setup, &["安装", "环境"]),
    (PhaseKind::Implement, &["add", "build the", "chang", "code it", "convert", "creat", "extend", "extract", "implement", "integrat", "make the", "migrat", "modif", "refactor", "remove the", "renam", "replac", "rewrit", "simplif", "support", "updat", "wire", "write"]),
    (PhaseKind::Implement, &["修改", "创建", "实现", "添加", "编写", "重构"]),
    (PhaseKind::DataPrep, &["clean the data", "dataset", "dedup", "label the", "parquet", "preprocess", "shard", "tokeniz"]),
    (PhaseKind::Deploy, &["deploy", "helm", "host it", "launch", "manifest", "migration", "production", "restart", "roll out", "rollout", "serve", "service", "spin up", "start the server"]),
    (PhaseKind::Deploy, &["启动", "部署"]),
    (PhaseKind::Verify, &["check that", "check the", "compil", "confirm", "correctness", "double-check", "ensure", "lint", "make sure", "passes", "review", "run the test", "sanity", "smoke", "test", "validat", "verif"]),
    (PhaseKind::Verify, &["检查", "测试", "验证"]),
    (PhaseKind::Debug, &["broke", "bug", "cause", "crash", "debug", "diagnos", "doesn't work", "error", "fail", "fix", "hang", "incorrect", "issue", "mismatch", "missing", "not work", "problem", "reproduc", "root cause", "stuck", "the reason", "trace", "why", "workaround", "wrong"]),
    (PhaseKind::Debug, &["修复", "报错", "错误", "问题"]),
    (PhaseKind::Benchmark, &["baseline", "benchmark", "how fast", "measur", "performance", "throughput", "timing"]),
    (PhaseKind::Benchmark, &["基准", "性能"]),
    (PhaseKind::Profile, &["ablat", "attribut", "bottleneck", "breakdown", "isolate", "microbench", "ncu", "nsys", "profil", "roofline", "where the time", "where time"]),
    (PhaseKind::Tune, &["autotun", "block size", "experiment", "fast", "faster", "fuse", "fusion", "improv", "latency", "num_warps", "optimi", "slower", "speed", "sweep", "tune", "tuning", "variant"]),
    (PhaseKind::Tune, &["优化", "提升"]),
    (PhaseKind::Run, &["epoch", "full run", "generate all", "process all", "run it", "run the pipeline", "train"]),
    (PhaseKind::Run, &["训练", "运行"]),
    (PhaseKind::Cleanup, &["clean", "delete", "free up", "kill", "leftover", "remove temp", "revert", "stale", "stop the", "tear down", "unused"]),
    (PhaseKind::Cleanup, &["删除", "清理"]),
    (PhaseKind::Document, &["changelog", "comment", "doc", "memory file", "notes", "readme", "report", "summar", "write up"]),
    (PhaseKind::Document, &["总结", "文档"]),
    (PhaseKind::Deliver, &["branch", "commit", "merge", "open a pr", "pr", "publish", "pull request", "push", "rebase", "release", "ship", "tag"]),
    (PhaseKind::Deliver, &["发布", "提交", "推送"]),
];

struct Matcher {
    automaton: AhoCorasick,
    kinds: Vec<PhaseKind>,
}

static MATCHER: LazyLock<Matcher> = LazyLock::new(|| {
    let rows = || STEMS.iter().flat_map(|(kind, stems)| stems.iter().map(move |stem| (*kind, *stem)));
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .build(rows().map(|row| row.1))
        .expect("the table is small");
    Matcher { automaton, kinds: rows().map(|row| row.0).collect() }
});

/// Stems of at most this many letters must be whole words: `add`, `pr`, `why`.
const WHOLE: usize = 4;

/// The first hit of each kind in a text, in order of the text.
pub fn votes(text: &str) -> Vec<(PhaseKind, ByteSpan)> {
    let mut found: Vec<(PhaseKind, ByteSpan)> = Vec::new();
    for hit in MATCHER.automaton.find_iter(text) {
        let kind = MATCHER.kinds[hit.pattern().as_usize()];
        if is_word(text, hit.start(), hit.end()) && found.iter().all(|(k, _)| *k != kind) {
            found.push((kind, ByteSpan::new(hit.start(), hit.end())));
        }
    }
    found
}

fn is_word(text: &str, start: usize, end: usize) -> bool {
    let letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    let ascii = text[start..end].is_ascii();
    let begins = !letter(text[..start].chars().next_back());
    let whole = end - start > WHOLE || !letter(text[end..].chars().next());
    !ascii || (begins && whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<PhaseKind> {
        votes(text).into_iter().map(|v| v.0).collect()
    }

    #[test]
    fn stems_count_where_words_begin() {
        assert_eq!(kinds("Investigating the crash"), [PhaseKind::Research, PhaseKind::Debug]);
        assert_eq!(kinds("the address is padded"), []);
        assert_eq!(kinds("the process was contested"), []);
        assert_eq!(kinds("修复问题"), [PhaseKind::Debug]);
    }

    #[test]
    fn one_vote_a_kind() {
        assert_eq!(kinds("fix the bug, fix the error"), [PhaseKind::Debug]);
    }
}
