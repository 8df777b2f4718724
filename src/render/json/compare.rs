//! `compare --json`: `turnpoint.compare/1`.

use serde::Serialize;
use serde_json::Value as Json;

use super::{
    benchmarks::{direction, number},
    series::{ChangeView, KeyView, ValueView},
};
use crate::model::series::{Comparison, Pair, Reading};

/// The document.
#[derive(Serialize)]
pub struct Document {
    schema: &'static str,
    a: String,
    b: String,
    pairs: Vec<PairView>,
    only_a: Vec<OneView>,
    only_b: Vec<OneView>,
    /// Printed more than once with different values: not compared.
    several: Vec<KeyView>,
    settings: Vec<ChangeView>,
}

#[derive(Serialize)]
struct PairView {
    #[serde(flatten)]
    key: KeyView,
    unit: Option<String>,
    better: Option<&'static str>,
    a: ValueView,
    b: ValueView,
    change_percent: Option<Json>,
    verdict: &'static str,
    why: String,
}

#[derive(Serialize)]
struct OneView {
    #[serde(flatten)]
    key: KeyView,
    unit: Option<String>,
    #[serde(flatten)]
    value: ValueView,
}

impl Document {
    /// Of a comparison; `sides` are the names of both.
    pub fn new(found: &Comparison, sides: [&str; 2]) -> Self {
        let one = |r: &Reading| OneView { key: KeyView::new(&r.key), unit: r.unit.clone(), value: ValueView::new(r) };
        Self {
            schema: "turnpoint.compare/1",
            a: sides[0].to_string(),
            b: sides[1].to_string(),
            pairs: found.pairs.iter().map(PairView::new).collect(),
            only_a: found.only_a.iter().map(one).collect(),
            only_b: found.only_b.iter().map(one).collect(),
            several: found.several.iter().map(KeyView::new).collect(),
            settings: found.settings.iter().map(|c| ChangeView::new(c, None)).collect(),
        }
    }
}

impl PairView {
    fn new(pair: &Pair) -> Self {
        Self {
            key: KeyView::new(&pair.key),
            unit: pair.a.unit.clone(),
            better: pair.a.better.or(pair.b.better).map(direction),
            a: ValueView::new(&pair.a),
            b: ValueView::new(&pair.b),
            change_percent: pair.judgement.change.map(number),
            verdict: pair.judgement.trend.words(),
            why: pair.judgement.why.clone(),
        }
    }
}
