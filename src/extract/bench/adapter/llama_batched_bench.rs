//! llama-batched-bench and llama-sweep-bench: prompt and generation lengths, batch and cache are settings; times and
//! speeds of both phases and together.

use std::sync::LazyLock;

use super::build::{Heading, Spec, Tool, metric, parameter};
use crate::model::metric::Direction::{Higher, Lower};

const COLUMNS: &[Spec] = &[
    parameter("PP").unit("tok"),
    parameter("TG").unit("tok"),
    parameter("B"),
    parameter("N_KV").unit("tok"),
    metric("T_PP s", "s", Some(Lower)),
    metric("S_PP t/s", "tok/s", Some(Higher)),
    metric("T_TG s", "s", Some(Lower)),
    metric("S_TG t/s", "tok/s", Some(Higher)),
    metric("T s", "s", Some(Lower)),
    metric("S t/s", "tok/s", Some(Higher)),
];

/// The heading of its table.
static HEADINGS: LazyLock<Vec<Heading>> =
    LazyLock::new(|| vec![Heading::new(r"^\s*\| *PP +\|.* N_KV +\|.* S_PP t/s +\|.* S_TG t/s +\|", COLUMNS)]);

/// See the module.
pub const TOOL: Tool = Tool {
    name: "llama-batched-bench",
    about: "batches of a language model by llama-batched-bench: time and speed of prompt and generation",
    marks: &["S_TG t/s"],
    grammars: &[],
    headings: &[&HEADINGS],
};
