//! google-benchmark: time and processor time per iteration, then counters. Rates of bytes count in 1024, all others in
//! 1000. Rows of a fit (`_BigO`, `_RMS`) and of a spread (`_cv`) are not times. In a comparison `Time` and `CPU` are
//! fractions, and the times beside them are nanoseconds without saying so.

use std::{ops::Range, sync::LazyLock};

use crate::text::pattern::Regex;
use regex::Captures;

use super::{
    Adapter, Declined, Taken, build,
    build::{Heading, LOWER, Spec, count, label, metric, ratio},
    grammar,
};
use crate::{
    base::unit::lookup,
    extract::bench::clean::{Kind, Page},
    model::metric::{Direction, Measurement, MetricTable, Value},
};

/// See the module.
pub struct GoogleBenchmark;

/// `Benchmark    Time    CPU   Iterations UserCounters...`
static HEADING: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^Benchmark +Time +CPU +Iterations((?: +\S+)*)$").expect("fixed pattern"));
/// `BM_sort/64    486 ns   245 ns   284076 items_per_second=260.754M/s`
static ROW: LazyLock<Regex> =
    LazyLock::new(|| grammar::pattern(r"^(\S.*?) +({n}) (\S+) +({n}) (\S+)(?: +(\d+)((?: +\S.*)?))?$"));
/// `BM_sort/64    ERROR OCCURRED: 'no input'`
static FAILED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(\S.*?) +(ERROR|SKIPPED)\b.*:").expect("fixed pattern"));
/// `items_per_second=260.754M/s`
static COUNTER: LazyLock<Regex> =
    LazyLock::new(|| grammar::pattern(r"([^\s=]+)=({n})([kMGTPmunp]i?)?(/s|s|%)?(?: |$)"));
/// `Benchmark    Time   CPU   Time Old   Time New   CPU Old   CPU New`
static COMPARED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^Benchmark +Time +CPU +Time Old +Time New +CPU Old +CPU New$").expect("fixed pattern")
});
/// `BM_copy/8     +0.0046   +0.0042    222   223   222   223`, or only the first two and a remark
static COMPARISON: LazyLock<Regex> =
    LazyLock::new(|| grammar::pattern(r"^(\S.*?) +({n}) +({n})(?: +({n}) +({n}) +({n}) +({n})| +U Test, .*)$"));

const COLUMNS: &[Spec] =
    &[label("Benchmark"), metric("Time", "", LOWER), metric("CPU", "", LOWER), count("Iterations")];

const BESIDE: &[Spec] = &[
    label("Benchmark"),
    ratio("Time", "", "delta"),
    ratio("CPU", "", "delta"),
    metric("Time Old", "ns", LOWER),
    metric("Time New", "ns", LOWER),
    metric("CPU Old", "ns", LOWER),
    metric("CPU New", "ns", LOWER),
];

const SEPARATED: &[Spec] = &[
    label("name"),
    count("iterations"),
    metric("real_time", "", LOWER),
    metric("cpu_time", "", LOWER),
    label("time_unit"),
    metric("bytes_per_second", "B/s", build::HIGHER),
    metric("items_per_second", "items/s", build::HIGHER),
    label("label"),
    label("error_occurred"),
    label("error_message"),
];

static TABLES: LazyLock<Vec<Heading>> =
    LazyLock::new(|| vec![Heading::new(r"^name,iterations,real_time,cpu_time,time_unit,", SEPARATED)]);

impl Adapter for GoogleBenchmark {
    fn name(&self) -> &'static str {
        "google-benchmark"
    }

    fn about(&self) -> &'static str {
        "console, CSV and comparisons of google-benchmark"
    }

    fn marks(&self) -> &'static [&'static str] {
        &["CPU   Iterations", "Time Old", "real_time,cpu_time"]
    }

    fn read(&self, page: &Page) -> Result<Vec<Taken>, Declined> {
        let mut all = build::told_tables(page, &TABLES);
        all.iter_mut().flat_map(|taken| &mut taken.tables).for_each(unit_of_column);
        let mut at = 0;
        while at < page.lines.len() {
            let found = console(page, at).or_else(|| compared(page, at));
            at = found.as_ref().map_or(at + 1, |t| t.lines.end);
            all.extend(found);
        }
        if all.is_empty() { Err("no heading of it with rows below") } else { Ok(all) }
    }
}

/// Takes the unit of both times from the column of units, where all rows agree.
fn unit_of_column(table: &mut MetricTable) {
    let Some(at) = table.columns.iter().position(|c| c.name == "time_unit") else { return };
    let Some(unit) = table.rows.first().map(|row| row[at].text.clone()) else { return };
    if table.rows.iter().all(|row| row[at].text == unit) {
        let times = table.columns.iter_mut().filter(|c| c.name.ends_with("_time"));
        times.for_each(|c| c.unit = Some(unit.clone()));
    }
}

fn console(page: &Page, at: usize) -> Option<Taken> {
    let tail = HEADING.captures(page.text(at))?;
    let named: Vec<String> = tail[1].split_whitespace().filter(|w| !w.ends_with("...")).map(str::to_string).collect();
    let mut taken = Taken { lines: at..at + 1, ..Taken::default() };
    let mut table = build::table_of(COLUMNS);
    for line in at + 1..page.lines.len() {
        if page.kind(line) == Kind::Rule {
            taken.lines.end = line + 1;
            continue;
        }
        let text = page.text(line);
        if let Some(found) = ROW.captures(text) {
            row(page, line, &found, &mut table, &mut taken.metrics);
            counters(page, line, &found, &named, &mut taken.metrics);
        } else if let Some(found) = FAILED.captures(text) {
            let kind = if &found[2] == "ERROR" { "errors" } else { "skipped" };
            taken.quality.push((kind.into(), 1.0));
        } else {
            break;
        }
        taken.lines.end = line + 1;
    }
    let any = !table.rows.is_empty() || !taken.metrics.is_empty();
    if !table.rows.is_empty() {
        taken.tables.push(table);
    }
    any.then_some(taken)
}

fn group(found: &Captures, i: usize) -> Range<usize> {
    found.get(i).map_or(0..0, |m| m.range())
}

/// A row of times goes into the table, one of anything else becomes figures.
fn row(page: &Page, line: usize, found: &Captures, table: &mut MetricTable, metrics: &mut Vec<Measurement>) {
    let time = lookup(&found[3]).filter(|u| u.is_time());
    let (first, second) = (group(found, 2).start..group(found, 3).end, group(found, 4).start..group(found, 5).end);
    let Some(time) = time else {
        let kind = found[1].rsplit('_').next().unwrap_or("").to_string();
        for (range, of) in [(first, "Time"), (second, "CPU")] {
            let one = grammar::quantity(page, line, range, &format!("{kind} {of}"), "");
            metrics.extend(one.map(|one| Measurement { better: None, ..with_name(one, &found[1]) }));
        }
        return;
    };
    if table.rows.is_empty() {
        table.columns[1..3].iter_mut().for_each(|c| c.unit = Some(time.token.to_string()));
    }
    let unit = table.columns[1].unit.clone();
    let whole = !grammar::breaks_off(page, line, group(found, 6).end);
    let iterations = found.get(6).filter(|_| whole);
    table.rows.push(vec![
        build::text_cell(page, line, group(found, 1)),
        build::figure_cell(page, line, first, unit.as_deref()),
        build::figure_cell(page, line, second, unit.as_deref()),
        iterations.map_or_else(build::missing_cell, |m| build::figure_cell(page, line, m.range(), None)),
    ]);
}

/// Counters behind the iterations: each with its name, or below the heading's.
fn counters(page: &Page, line: usize, found: &Captures, named: &[String], metrics: &mut Vec<Measurement>) {
    let rest = group(found, 7);
    let text = page.text(line);
    let body = &text[rest.clone()];
    if !named.is_empty() {
        let words: Vec<(usize, &str)> = body
            .split(' ')
            .scan(0, |at, w| Some((std::mem::replace(at, *at + w.len() + 1), w)))
            .filter(|(_, w)| !w.is_empty())
            .collect();
        if words.len() == named.len() {
            for ((at, word), name) in words.into_iter().zip(named) {
                let spelled = format!("{name}={word}");
                if let Some(counter) = COUNTER.captures(&spelled) {
                    let start = rest.start + at;
                    metrics.extend(counted(page, line, start..start + counter[2].len(), &counter, &found[1]));
                }
            }
        }
        return;
    }
    for counter in COUNTER.captures_iter(body) {
        let number = group(&counter, 2);
        let range = rest.start + number.start..rest.start + number.end;
        metrics.extend(counted(page, line, range, &counter, &found[1]));
    }
}

/// One counter: `bytes_per_second=130.443G/s` is in GiB/s whatever it says, `rate=136.78M/s` in millions.
fn counted(page: &Page, line: usize, range: Range<usize>, counter: &Captures, benchmark: &str) -> Option<Measurement> {
    let name = &counter[1];
    let (prefix, tail) = (counter.get(3).map_or("", |m| m.as_str()), counter.get(4).map_or("", |m| m.as_str()));
    let counted = name.strip_suffix("_per_second").unwrap_or("");
    let bytes = counted == "bytes";
    let unit = match (bytes, tail) {
        (true, "/s") if prefix.is_empty() => "B/s".to_string(),
        (true, "/s") => format!("{}iB/s", prefix.trim_end_matches('i').to_uppercase()),
        (_, "/s") if counted.is_empty() => "1/s".to_string(),
        (_, "/s") => format!("{counted}/s"),
        (_, tail) => tail.to_string(),
    };
    if grammar::breaks_off(page, line, range.end) {
        return None;
    }
    let mut one = grammar::quantity(page, line, range, name, &unit)?;
    let factor = match prefix {
        _ if bytes => 1.0,
        "" => 1.0,
        "m" => 1e-3,
        other => crate::base::unit::multiplier(other)?,
    };
    if factor != 1.0 {
        one.value = format!("{:.12e}", one.value * factor).parse().ok()?;
        one.approx = true;
    }
    one.better = (tail == "/s").then_some(Direction::Higher);
    Some(with_name(one, benchmark))
}

fn with_name(mut one: Measurement, benchmark: &str) -> Measurement {
    one.params.push(("benchmark".into(), Value::Text(benchmark.to_string())));
    one
}

fn compared(page: &Page, at: usize) -> Option<Taken> {
    if !COMPARED.is_match(page.text(at)) {
        return None;
    }
    let mut table = build::table_of(BESIDE);
    let mut end = at + 1;
    while end < page.lines.len() {
        if page.kind(end) != Kind::Rule {
            let Some(found) = COMPARISON.captures(page.text(end)) else { break };
            let cut = |range: &Range<usize>| grammar::breaks_off(page, end, range.end);
            let figures = (2..=7).map(|i| match found.get(i).map(|m| m.range()).filter(|range| !cut(range)) {
                Some(range) => build::figure_cell(page, end, range, None),
                None => build::missing_cell(),
            });
            table.rows.push(std::iter::once(build::text_cell(page, end, group(&found, 1))).chain(figures).collect());
        }
        end += 1;
    }
    (!table.rows.is_empty()).then(|| Taken { lines: at..end, tables: vec![table], ..Taken::default() })
}
