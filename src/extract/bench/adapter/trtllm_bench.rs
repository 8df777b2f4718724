//! TensorRT-LLM's `trtllm-bench`. What stands before the overview are settings; a section names the unit of its rows.

use std::sync::LazyLock;

use super::{
    build::Tool,
    grammar::{Grammar, Rule, begins, fig, line, opens, section, whole},
};

/// See the module.
pub static TOOL: Tool = Tool {
    name: "trtllm-bench",
    about: "serving of a language model by TensorRT-LLM: throughput, latency and its distribution",
    marks: &["PERFORMANCE OVERVIEW", "= ENGINE DETAILS", "= PYTORCH BACKEND"],
    grammars: &[&GRAMMAR],
    headings: &[],
};

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::of_runs(2, RULES));

static RULES: &[Rule] = &[
    begins(r"= (?:ENGINE DETAILS|PYTORCH BACKEND|TENSORRT BACKEND)", &[]),
    opens(r"= (?:PERFORMANCE OVERVIEW|REQUEST DETAILS|WORLD \+ RUNTIME INFORMATION|STATISTICS)", &[]),
    line(
        r"((?:Average|Maximum) (?:Input|Output|Sequence) (?:Length|Sequence Length) \(tokens\)|TP Size|PP Size|EP Size|Max Runtime Batch Size|Max Runtime Tokens|Model|Engine Directory|TensorRT-LLM Version|Dtype|KV Cache Dtype|Quantization|Max Input Length|Max Sequence Length|Scheduling Policy|KV Memory Percentage|Number of requests):\s+(\S+%?)",
        &[whole(2, "$1")],
    ),
    line(r"Issue Rate \(req/sec\):\s+\S+", &[]),
    line(r"(Number of concurrent requests):\s+([\d.]+)", &[fig(2, "$1")]),
    line(
        r"((?:Total|Per User|Per GPU|Request|Average|Token)\b.*? \((ms|req/sec|tokens/sec(?:/\w+)?|tps/gpu)\)):\s+([\d.]+)",
        &[fig(3, "$1").unit("$2").by_name()],
    ),
    // `-- Per-Request Time-per-Output-Token [TPOT] Breakdown (ms)`
    line(r"-- .*\((\w+(?:/\w+)*)\)\s*-*", &[section("", "$1")]),
    line(r"-- .*", &[section("", "")]),
    line(r"\[(\w+)\] (MINIMUM|MAXIMUM|AVERAGE|P[\d.]+)\s*: ([\d.]+)", &[fig(3, "$1 $2").unit("=").by_name()]),
];
