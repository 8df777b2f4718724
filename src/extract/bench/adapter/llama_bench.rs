//! llama-bench. Which columns are there depends on what was varied; all but the last are settings. `6.74 B` are 10⁹
//! parameters, not bytes.

use std::sync::LazyLock;

use super::build::{Heading, Spec, Tool, label, metric, parameter};
use crate::model::metric::Direction::Higher;

const COLUMNS: &[Spec] = &[
    label("model"),
    parameter("size"),
    parameter("params"),
    parameter("backend"),
    parameter("ngl"),
    parameter("threads"),
    parameter("n_batch"),
    parameter("n_ubatch"),
    parameter("n_depth"),
    parameter("n_cpu_moe"),
    parameter("type_k"),
    parameter("type_v"),
    parameter("main_gpu"),
    parameter("mmap"),
    parameter("no_kv"),
    parameter("fa"),
    parameter("sm"),
    parameter("ts"),
    parameter("ot"),
    parameter("dev"),
    parameter("cpu_mask"),
    parameter("poll"),
    parameter("embd"),
    parameter("repack"),
    parameter("test"),
    metric("t/s", "tok/s", Some(Higher)).stat("mean"),
];

/// The heading of its table.
static HEADINGS: LazyLock<Vec<Heading>> =
    LazyLock::new(|| vec![Heading::new(r"^\s*\| model +\|.* params +\|.* test +\|.*t/s +\|", COLUMNS)]);

/// See the module.
pub const TOOL: Tool = Tool {
    name: "llama-bench",
    about: "a language model by llama-bench: tokens per second of prompt and generation",
    marks: &["t/s |"],
    grammars: &[],
    headings: &[&HEADINGS],
};
