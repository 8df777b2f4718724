//! llama-batched-bench and llama-sweep-bench: prompt and generation lengths, batch and cache are settings; times and
//! speeds of both phases and together.

use super::{
    build::{Spec, metric, param},
    headed::{Headed, as_it_is},
};
use crate::model::metric::Direction::{Higher, Lower};

const COLUMNS: &[Spec] = &[
    param("PP", "tok"),
    param("TG", "tok"),
    param("B", ""),
    param("N_KV", "tok"),
    metric("T_PP s", "s", Some(Lower)),
    metric("S_PP t/s", "tok/s", Some(Higher)),
    metric("T_TG s", "s", Some(Lower)),
    metric("S_TG t/s", "tok/s", Some(Higher)),
    metric("T s", "s", Some(Lower)),
    metric("S t/s", "tok/s", Some(Higher)),
];

/// See the module.
pub static TOOL: Headed = Headed {
    name: "llama-batched-bench",
    about: "batches of a language model by llama-batched-bench: time and speed of prompt and generation",
    marks: &["S_TG t/s"],
    heads: &["PP |", "N_KV |", "S_PP t/s", "S_TG t/s"],
    columns: COLUMNS,
    captioned: false,
    then: as_it_is,
};
