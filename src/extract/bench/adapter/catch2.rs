//! Catch2: records of three lines under a heading of three lines. Mean and deviation have bounds of a confidence interval;
//! long names are broken over lines.

use std::sync::LazyLock;

use crate::text::pattern::Regex;

use super::{
    Adapter, Declined, Taken,
    grammar::{self, Give, figure},
};
use crate::{
    base::unit::{Decimal, Quantity, lookup},
    extract::bench::clean::{Kind, Page},
    model::metric::{Measurement, Value},
};

/// See the module.
pub struct Catch2;

/// `benchmark name                       samples       iterations    est run time`
static HEADING: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^( *)benchmark name +samples +iterations +est").expect("fixed pattern"));
/// `Fibonacci 20            100             1     2.1 ms`
static FIRST: LazyLock<Regex> = LazyLock::new(|| grammar::pattern(r"^(\S.*?)?\s+(\d+)\s+(\d+)\s+({n} \S+)$"));
/// `          21.3 us    21.2 us   21.5 us`
static THREE: LazyLock<Regex> = LazyLock::new(|| grammar::pattern(r"^\s+({n} \S+)\s+({n} \S+)\s+({n} \S+)$"));

const RESULTS: [Give; 2] = [figure("", "mean").stat("mean").lower(), figure("", "std dev").stat("stddev").open()];

impl Adapter for Catch2 {
    fn name(&self) -> &'static str {
        "catch2"
    }

    fn about(&self) -> &'static str {
        "benchmarks of Catch2: mean and deviation with bounds"
    }

    fn marks(&self) -> &'static [&'static str] {
        &["benchmark name"]
    }

    fn read(&self, page: &Page) -> Result<Vec<Taken>, Declined> {
        let (mut all, mut at) = (Vec::new(), 0);
        while at < page.lines.len() {
            let indent = HEADING.captures(page.text(at)).map(|found| found[1].len());
            let found = indent.and_then(|indent| section(page, at, indent));
            at = found.as_ref().map_or(at + 1, |t| t.lines.end);
            all.extend(found);
        }
        if all.is_empty() { Err("no record below its heading") } else { Ok(all) }
    }
}

/// A heading and the records below it, all indented alike.
fn section(page: &Page, at: usize, indent: usize) -> Option<Taken> {
    let mut taken = Taken { lines: at..at + 1, ..Taken::default() };
    let (mut name, mut params, mut next) = (String::new(), Vec::new(), RESULTS.len());
    for line in at + 1..page.lines.len() {
        let text = page.text(line).get(indent..).unwrap_or("");
        if matches!(page.kind(line), Kind::Blank | Kind::Rule)
            || text.starts_with("  ") && text.contains("mean")
            || text.contains("low std dev")
        {
            name.clear();
        } else if let Some(found) = FIRST.captures(text) {
            let name = format!("{} {}", std::mem::take(&mut name), found.get(1).map_or("", |m| m.as_str()));
            params = vec![("benchmark".to_string(), Value::Text(name.trim().to_string()))];
            for (key, i) in [("samples", 2), ("iterations", 3)] {
                params.extend(found[i].parse().ok().map(|n| (key.to_string(), Value::Number(n))));
            }
            next = 0;
        } else if let Some(found) = THREE.captures(text).filter(|_| next < RESULTS.len()) {
            let range = found.get(1).map_or(0..0, |m| m.range());
            let range = range.start + indent..range.end + indent;
            let one = RESULTS[next].at(page, line, range).map(|one| bounded(one, &found[2], &found[3]));
            taken.metrics.extend(one.map(|one| Measurement { params: params.clone(), ..one }));
            taken.lines.end = line + 1;
            next += 1;
        } else if !text.starts_with(' ') && text.len() + name.len() < 200 && !HEADING.is_match(text) {
            name = format!("{name} {}", text.trim());
        } else {
            break;
        }
    }
    (!taken.metrics.is_empty()).then_some(taken)
}

fn bounded(mut one: Measurement, low: &str, high: &str) -> Measurement {
    let unit = one.unit.as_deref().and_then(lookup);
    let read = |text: &str| {
        let found = Quantity::whole(text, Decimal::Point)?;
        unit.as_ref().zip(found.unit.as_ref()).and_then(|(to, from)| to.convert(found.value, from))
    };
    (one.lo, one.hi) = (read(low), read(high));
    one
}
