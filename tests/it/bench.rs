//! Measurements over their fixtures: `fixtures/bench/<layout>/<case>.txt` beside what is read off it.

use std::fmt::Write;

use turnpoint::{
    extract::bench::{
        self, Mode, Readers,
        adapter::{self, ADAPTERS},
        layout::LAYOUTS,
    },
    model::metric::{Extraction, Measurement, MetricTable, Value},
};

use super::{expect_file, files, relative};

#[test]
fn cases_read_as_expected() {
    let mut cases = 0;
    for file in files("fixtures/bench").into_iter().filter(|f| f.extension().is_some_and(|e| e == "txt")) {
        let text = std::fs::read_to_string(&file).unwrap();
        // Cases of a layout are read without adapters, whose tools they may look like.
        let readers = if is_layouts(&relative(&file)) { Readers::Recogniser } else { Readers::All };
        let found = bench::extract_by(&text, Mode::Prose, readers);
        hold_laws(&text, &found);
        expect_file(&relative(&file.with_extension("read")), &dump(&found));
        cases += 1;
    }
    assert!(cases > 0);
}

#[test]
fn every_layout_has_a_case() {
    let folders: Vec<String> = files("fixtures/bench").iter().map(|f| relative(f)).collect();
    for layout in LAYOUTS {
        let folder = format!("fixtures/bench/{}/", layout.name());
        assert!(folders.iter().any(|f| f.starts_with(&folder)), "{folder} holds no case");
    }
}

/// Whether a case belongs to a layout, not to an adapter.
fn is_layouts(case: &str) -> bool {
    let folder = case.trim_start_matches("fixtures/bench/").split('/').next().unwrap_or("");
    folder == "prose" || LAYOUTS.iter().any(|layout| layout.name() == folder)
}

/// Every adapter has a case, reads its own, and declines every other's.
#[test]
fn adapters_read_their_own_and_decline_the_others() {
    let own = |name: &str| {
        files(&format!("fixtures/bench/{name}")).into_iter().filter(|f| f.extension().is_some_and(|e| e == "txt"))
    };
    for adapter in ADAPTERS {
        assert!(own(adapter.name()).count() > 0, "fixtures/bench/{} holds no case", adapter.name());
        let cases = files("fixtures/bench").into_iter().filter(|f| f.extension().is_some_and(|e| e == "txt"));
        for file in cases.filter(|f| !is_layouts(&relative(f))) {
            let text = std::fs::read_to_string(&file).unwrap();
            let mine = relative(&file).starts_with(&format!("fixtures/bench/{}/", adapter.name()));
            let takes = adapter::takes(*adapter, &text);
            assert_eq!(takes, mine, "{} and {}", adapter.name(), relative(&file));
        }
    }
}

/// What holds nothing must yield nothing.
#[test]
fn texts_without_measurements_yield_none() {
    for file in files("fixtures/bench/none").into_iter().filter(|f| f.extension().is_some_and(|e| e == "txt")) {
        let found = bench::extract(&std::fs::read_to_string(&file).unwrap(), Mode::Prose);
        assert!(found.tables.is_empty() && found.metrics.is_empty(), "{}: {found:?}", relative(&file));
    }
}

/// Hostile shapes are read in linear time: each would take minutes otherwise.
#[test]
fn hostile_texts_are_read_quickly() {
    let line = "| 1 ".repeat(400_000);
    let rows = "| 1 | 2 | 3\n".repeat(20_000);
    let heads = "name  value ms\n1  2\n".repeat(10_000);
    let keys = "key: value\n".repeat(20_000) + "latency: 1.5 ms\n";
    let pairs = "a=1 b=2\n".repeat(20_000);
    let digits = "1 ".repeat(100_000);
    let runs = "Running 1s test @ x\nRequests/sec: 10.5\nTransfer/sec: 1.5MB\n".repeat(10_000);
    let tops = "| model | params | test | t/s |\n".repeat(10_000);
    let steps: String = (0..10_000).map(|n| format!("step {n}: loss_{n} 1.5\n")).collect();
    let begun = std::time::Instant::now();
    for text in [line, rows, heads, keys, pairs, digits, runs, tops, steps] {
        hold_laws(&text, &bench::extract(&text, Mode::Prose));
    }
    assert!(begun.elapsed().as_secs() < 120, "{:?}", begun.elapsed());
}

/// Tables are rectangular; every span is the text it says; any prefix can be read.
fn hold_laws(text: &str, found: &Extraction) {
    for table in &found.tables {
        for row in &table.rows {
            assert_eq!(row.len(), table.columns.len());
            for cell in row.iter().filter(|c| !c.text.is_empty()) {
                let shown = cell.span.of(text).expect("a span lies in the text");
                assert!(shown == cell.text || shown.contains('\u{1b}'), "{shown:?} is not {:?}", cell.text);
            }
        }
    }
    for m in &found.metrics {
        assert_eq!(m.span.of(text), Some(m.text.as_str()), "{m:?}");
    }
    if text.len() < 4000 {
        let step = (text.len() / 500).max(1);
        for cut in (0..text.len()).step_by(step).filter(|c| text.is_char_boundary(*c)) {
            bench::extract(&text[..cut], Mode::Prose);
        }
    }
}

fn dump(found: &Extraction) -> String {
    let mut out = String::new();
    found.tables.iter().for_each(|t| dump_table(&mut out, t));
    found.metrics.iter().for_each(|m| dump_metric(&mut out, m));
    for (name, n) in &found.quality {
        writeln!(out, "quality {name} {n}").unwrap();
    }
    if out.is_empty() { "nothing\n".into() } else { out }
}

fn dump_table(out: &mut String, table: &MetricTable) {
    writeln!(
        out,
        "table {}{}",
        table.title.as_deref().unwrap_or("-"),
        if table.truncated { " (truncated)" } else { "" }
    )
    .unwrap();
    for c in &table.columns {
        let role = c.role.map_or("?".into(), |r| format!("{r:?}").to_lowercase());
        let better = c.better.map_or(String::new(), |b| format!(" {b:?}").to_lowercase());
        let stat = c.stat.as_deref().map_or(String::new(), |s| format!(" stat={s}"));
        writeln!(out, "  column {:?} [{}] {role}{better}{stat}", c.name, c.unit.as_deref().unwrap_or("")).unwrap();
    }
    for (label, unit) in &table.row_units {
        let better = table
            .row_better
            .iter()
            .find(|(l, _)| l == label)
            .map_or(String::new(), |b| format!(" {:?}", b.1).to_lowercase());
        writeln!(out, "  row {label:?} [{unit}]{better}").unwrap();
    }
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(|c| value(&c.value)).collect();
        writeln!(out, "  {}", cells.join(" | ")).unwrap();
    }
}

fn dump_metric(out: &mut String, m: &Measurement) {
    let params: Vec<String> = m.params.iter().map(|(n, v)| format!("{n}={}", value(v))).collect();
    let mut extra = String::new();
    for (name, v) in [("lo", m.lo), ("hi", m.hi), ("spread", m.spread)] {
        extra += &v.map_or(String::new(), |v| format!(" {name}={v}"));
    }
    let better = m.better.map_or(String::new(), |b| format!(" {b:?}").to_lowercase());
    let approx = if m.approx { "~" } else { "" };
    writeln!(
        out,
        "figure {:?} = {approx}{} [{}]{better}{extra} {{{}}}",
        m.name,
        m.value,
        m.unit.as_deref().unwrap_or(""),
        params.join(", ")
    )
    .unwrap();
}

fn value(value: &Value) -> String {
    match value {
        Value::Number(n) => n.to_string(),
        Value::Text(t) => format!("{t:?}"),
        Value::Missing => "–".into(),
    }
}
