//! Measurements over their fixtures: `fixtures/bench/<layout>/<case>.txt` beside what is read off it.

use std::{
    fmt::Write,
    time::{Duration, Instant},
};

use rayon::prelude::*;
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

/// Bytes of a hostile text.
const HOSTILE: usize = 1 << 20;

/// What a hostile text may take in a build without optimisation. A reader that looks at all that is above or below for
/// every line, or for every byte, takes many minutes.
const PATIENCE: Duration = Duration::from_secs(30);

/// Beginnings without ends, ends without beginnings, and more of everything than any tool prints.
#[rustfmt::skip]
const SHAPES: &[&str] = &[
    // One line.
    "a", "1", "1 ", "1.5 ms, ", "| 1 ", "|", "│", "-", "=", "[", "([{<", "key: ", "a=1 ", "a,", "1\t", "\u{1b}", "\u{1b}[1m1", "\u{1b}]0;", "\r", "1 ms\r", "µ±",
    // Blank, drawn, fenced and typed lines.
    "\n", "\r\n", "---\n", "+---+\n", "```\n", "~~~rust\n", "$ cargo bench\n", "...\n", "\u{1b}[0m\n",
    // Rows without headings, headings without rows.
    "| 1 | 2 | 3\n", "| a | b |\n", "| a | b |\n|---|---|\n", "a | b\n1 | 2 | |\n", "|---|\n| 1.5 ms |\n", "name  value ms\n1  2\n", "name  ms\n", "name  ms\n----  --\n",
    "name  ms\n----  --\n\n", "name  ms\n1  2\n---\n", "a  b  c\n(ms)  (s)  -\n\n", "a,b,c\n", "a,b,c\n1,2\n", "a\tb\tc\n1\t2\t3\n", "[A], Latency(us), 1.5\n", "[A], b, 1\n",
    "          1.5          2.5\n", "a a\na a a a\n",
    // Keys and captions.
    "key: value\n", "latency: 1.5 ms\n", "latency: 1.5 ms\n\n", "Latency (ms):\n---\n", "a:\n  b: 1\n", "real  1s\n", "batch: 1\nlatency: 1.5 ms\n", "\"ms\": 1.5,\n", "a=1 b=2\n", "a=1 b=2\n\n",
    // Records and sentences.
    "x: 1 ops/s\n", "x   time:   [1 ms 2 ms 3 ms]\n", "time:   [1 ms 2 ms 3 ms]\n", "step 1: loss 1.5\n", "1 to 2 tok/s, ", "The latency is 5 ms. ", "5 ms latency and ", "p99 ",
    // Runners.
    "2 passed; 1 failed\n", "Ran 5 tests in 1s\n", "--- FAIL: A (0.01s)\n", "ok  a  0.1s\n",
];

/// No text makes a reader slow: every shape is read in time that grows with its length alone.
#[test]
fn hostile_texts_are_read_quickly() {
    SHAPES.par_iter().for_each(|shape| {
        read_in_time(shape, &filled(HOSTILE, |_| shape.to_string()));
        // The same with an end that none before it had.
        read_in_time(shape, &(filled(HOSTILE / 16, |_| shape.to_string()) + "\nlatency: 1.5 ms\n"));
    });
    type Counted = fn(usize) -> String;
    let counted: [(&str, Counted); 5] = [
        ("keys that differ", |n| format!("a{n}=1 b=2\n")),
        ("headings that differ", |n| format!("a{n},b,c\n1,2,3\n")),
        ("series that differ", |n| format!("step {n}: loss_{n} 1.5\n")),
        ("numbered lines", |n| format!("{n}: 1.5 ms\n")),
        ("a long block", |n| if n < 20_000 { format!("batch {n}: {n}\n") } else { format!("latency {n}: {n}.5 ms\n") }),
    ];
    for (name, line) in counted {
        read_in_time(name, &filled(HOSTILE, line));
    }
}

/// The marks of all adapters in turn, then for each what it begins with again and again, without an end.
#[test]
fn hostile_reports_of_tools_are_read_quickly() {
    let marks: Vec<&str> = ADAPTERS.iter().flat_map(|adapter| adapter.marks()).copied().collect();
    read_in_time("marks", &filled(HOSTILE, |n| format!("{}\n", marks[n % marks.len()])));
    read_in_time("marks and figures", &filled(HOSTILE, |n| format!("  {} 1.5 ms: 2\n", marks[n % marks.len()])));
    read_in_time("marks on a line", &filled(HOSTILE, |n| marks[n % marks.len()].to_string()));
    ADAPTERS.par_iter().for_each(|adapter| {
        let case = files(&format!("fixtures/bench/{}", adapter.name()))
            .into_iter()
            .find(|f| f.extension().is_some_and(|e| e == "txt"));
        let text = std::fs::read_to_string(case.unwrap()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for end in [1, 2, lines.len() / 2, lines.len()] {
            let begun = lines[..end.min(lines.len())].join("\n") + "\n";
            read_in_time(adapter.name(), &filled(HOSTILE / 16, |_| begun.clone()));
        }
    });
}

/// Pieces in turn, until so many bytes are full.
fn filled(size: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(size + 4096);
    let mut n = 0;
    while text.len() < size {
        text += &piece(n);
        n += 1;
    }
    text
}

fn read_in_time(name: &str, text: &str) {
    let begun = (ran(), Instant::now());
    let found = bench::extract(text, Mode::Prose);
    let spent = ran().zip(begun.0).map_or_else(|| begun.1.elapsed(), |(after, before)| after.saturating_sub(before));
    assert!(spent < PATIENCE, "{name:?}: {spent:?}");
    hold_laws(text, &found);
}

/// What this thread has run so far, where the system tells: other work on the machine is no fault of a reader.
fn ran() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(told.split(' ').next()?.parse().ok()?))
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
