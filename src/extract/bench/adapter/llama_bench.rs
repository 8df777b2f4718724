//! llama-bench. Which columns are there depends on what was varied; all but the last are settings. `6.74 B` are 10⁹
//! parameters, not bytes.

use super::{
    build::{BARE, Spec, label, metric, param},
    headed::{Headed, as_it_is},
};
use crate::model::metric::Direction::Higher;

const COLUMNS: &[Spec] = &[
    label("model"),
    param("size", ""),
    param("params", BARE),
    param("backend", ""),
    param("ngl", ""),
    param("threads", ""),
    param("n_batch", ""),
    param("n_ubatch", ""),
    param("n_depth", ""),
    param("n_cpu_moe", ""),
    param("type_k", ""),
    param("type_v", ""),
    param("main_gpu", ""),
    param("mmap", ""),
    param("no_kv", ""),
    param("fa", ""),
    param("sm", ""),
    param("ts", ""),
    param("ot", ""),
    param("dev", ""),
    param("cpu_mask", ""),
    param("poll", ""),
    param("embd", ""),
    param("repack", ""),
    param("test", ""),
    metric("t/s", "tok/s", Some(Higher)).stat("mean"),
];

/// See the module.
pub static TOOL: Headed = Headed {
    name: "llama-bench",
    about: "a language model by llama-bench: tokens per second of prompt and generation",
    marks: &["t/s |"],
    heads: &["| model ", " params |", " test |", "t/s |"],
    columns: COLUMNS,
    captioned: false,
    then: as_it_is,
};
