//! `compare` for a person: what both sides measured beside each other, the settings that differ, what one side lacks.

use super::{
    Form, grid,
    series::{all_with, change, changed, common, heading, shown, with},
};
use crate::{
    model::series::{Comparison, Key, Pair, Reading, Trend},
    text::number,
};

/// Most names of figures that only one side has; the rest is counted.
const NAMES: usize = 8;

/// The comparison. `sides` are the names of both.
pub fn text(found: &Comparison, sides: [&str; 2], form: Form) -> String {
    let mut out = format!("A  {}\nB  {}\n\n", grid::clean(sides[0]), grid::clean(sides[1]));
    if form == Form::Markdown {
        out = out.replace("\nB", "  \nB");
    }
    if found.pairs.is_empty() {
        out += "nothing that both sides measured under one name\n";
    } else {
        let head = ["metric", "with", "A", "B", "change", "verdict", "why"].map(str::to_string);
        let told = common(found.pairs.iter().map(|p| &p.key));
        out += &all_with(&told);
        let rows: Vec<Vec<String>> = found.pairs.iter().map(|pair| row(pair, &told)).collect();
        grid::push(&mut out, &head, &rows, form);
        out += &format!("\n{}\n", tally(&found.pairs));
    }
    if !found.settings.is_empty() {
        let told: Vec<String> = found.settings.iter().map(|c| change(c, "")).collect();
        out += &format!("settings that differ: {}\n", told.join(", "));
    }
    out += &only("A", &found.only_a);
    out += &only("B", &found.only_b);
    if !found.several.is_empty() {
        let keys: Vec<String> = found.several.iter().map(named).collect();
        out += &format!("printed more than once with different values, not compared: {}\n", listed(keys));
    }
    out
}

fn row(pair: &Pair, told: &[&(String, String)]) -> Vec<String> {
    vec![
        heading(&pair.key, pair.a.unit.as_deref(), pair.a.better),
        with(&pair.key, told),
        shown(&pair.a),
        shown(&pair.b),
        changed(&pair.judgement),
        pair.judgement.trend.words().into(),
        pair.judgement.why.clone(),
    ]
}

/// `3 better, 1 worse`.
fn tally(pairs: &[Pair]) -> String {
    let count = |trend: Trend| pairs.iter().filter(|p| p.judgement.trend == trend).count();
    let all = [Trend::Better, Trend::Worse, Trend::WithinSpread, Trend::CannotTell];
    let told = all.iter().filter(|t| count(**t) > 0).map(|t| format!("{} {}", count(*t), t.words()));
    format!("B against A: {}", told.collect::<Vec<_>>().join(", "))
}

fn only(side: &str, readings: &[Reading]) -> String {
    if readings.is_empty() {
        return String::new();
    }
    let mut names: Vec<String> = Vec::new();
    for reading in readings {
        let name = named(&reading.key);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    format!("only {side}: {}: {}\n", number::count(readings.len(), "figure", "figures"), listed(names))
}

fn named(key: &Key) -> String {
    let with = with(key, &[]);
    if with.is_empty() { grid::clean(&key.name) } else { format!("{} ({with})", grid::clean(&key.name)) }
}

fn listed(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(NAMES);
    names.truncate(NAMES);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    names.join("; ") + &rest
}
