//! What only looks like a benchmark: listings, process and disk tables, settings, goals, coverage, package lists.

use super::{
    clean::{Kind, Page},
    grid::Grid,
    words::{self, Words},
};
use crate::{base::lexicon::Lexicon, model::metric::Measurement};

/// Headings of listings. A table whose headings hold all words of a row is none of ours. Rows by purpose.
#[rustfmt::skip]
const LISTINGS: &[&[&str]] = &[
    &["filesystem"], &["mounted"], &["inodes"],
    &["pid", "command"], &["pid", "user"], &["pid", "cmd"], &["pid", "tty"], &["gpu", "pid"], &["process", "name", "usage"],
    &["container", "id"], &["container", "cpu"], &["restarts", "age"], &["ready", "status"], &["name", "status", "age"],
    &["total", "used", "free"], &["buff"], &["swap"],
    &["package", "version"], &["name", "version"], &["dependency", "version"], &["crate", "version"],
    &["blank", "comment", "code"], &["language", "files"], &["lines", "code"], &["stmts", "miss"], &["stmts", "branch"],
    &["perms"], &["permissions"], &["owner", "size"], &["size", "modified"], &["created", "size"], &["size", "date"],
    &["insertions"], &["deletions"], &["added", "removed"], &["commits", "author"],
    &["memory", "used", "total"], &["memory", "used", "utilization"], &["memory", "total"], &["proto", "recv"],
    &["local", "address"], &["port", "state"],
    &["price"], &["cost", "month"], &["hops"], &["expires"], &["default", "description"], &["type", "default"],
    &["seq", "scan"], &["live", "tup"], &["param", "value"], &["parameter", "value"], &["setting", "value"],
    &["option", "value"], &["flag", "value"], &["variable", "value"], &["key", "value"], &["field", "value"],
    &["received", "xferd"], &["dload"],
];

/// Whether a table is a listing.
pub fn is_listing(grid: &Grid) -> bool {
    let mut heads = String::new();
    for head in &grid.heads {
        heads.extend([&head.name, " ", &head.unit, " "]);
    }
    let words = words::words(&heads);
    let mut all: Vec<&str> = words.iter().collect();
    all.sort_unstable();
    LISTINGS.iter().any(|row| row.iter().all(|word| all.binary_search(word).is_ok()))
}

/// Words of a name by which a figure is a setting, an address or a goal; sorted.
#[rustfmt::skip]
static SETTINGS: Lexicon = Lexicon::new(&[
    "age", "alpha", "backoff", "beta", "budget", "checksum", "chunk", "code", "crc", "date", "deadline", "default", "deltas", "digest", "epsilon", "eta",
    "exit", "expected", "expires", "fan", "goal", "hash", "height", "id", "interval", "keepalive", "limit", "line", "lines", "margin",
    "offset", "padding", "pid", "poll", "port", "price", "remaining", "retention", "retries", "retry", "seed", "sleep",
    "target", "temperature", "threshold", "timeout", "timeouts", "tolerance", "top", "ttl", "until", "uptime", "version",
    "wait", "warmup", "weight", "width", "window", "year",
]);

/// Whether the words of a name say that it is a setting.
pub fn is_setting(all: &Words) -> bool {
    all.any(&SETTINGS)
}

/// Headings of goals: what should be reached is no measurement; sorted.
#[rustfmt::skip]
static GOALS: Lexicon = Lexicon::new(&[
    "budget", "expected", "goal", "goals", "limit", "limits", "requirement", "requirements", "slo", "spec", "target", "targets",
    "theoretical", "threshold",
]);

/// Whether the heading of a column says that goals stand under it.
pub fn is_goal(all: &Words) -> bool {
    all.any(&GOALS)
}

/// Words by which a line or its caption speaks of goals, or of what a maker promises; sorted. Fewer than for headings:
/// `spec` is a way of decoding too, and a `limit` is often reported beside what was measured.
static AIMS: Lexicon = Lexicon::new(&[
    "advertised",
    "documented",
    "goal",
    "goals",
    "requirement",
    "requirements",
    "target",
    "targets",
    "theoretical",
]);

/// Lines above a figure among which its caption is looked for.
const REACH: usize = 12;

/// Whether the words before a figure on its line, or the caption over it, say that it is a goal.
pub fn aims(page: &Page, figure: &Measurement) -> bool {
    let after = page.lines.partition_point(|line| line.start() <= figure.span.start);
    let at = after.saturating_sub(1);
    let text = page.text(at);
    let before = text.find(&figure.text).map_or(text, |figure| &text[..figure]);
    speaks_of_aims(before) || caption_over(page, at).is_some_and(speaks_of_aims)
}

/// Words of the caption of a table of goals; sorted. `target` alone is what was built or measured as often.
static TABLES_OF_GOALS: Lexicon =
    Lexicon::new(&["goal", "goals", "requirements", "targets", "theoretical", "thresholds"]);

/// Whether the caption of a table says that goals stand in it, and no column of its own does.
pub fn is_table_of_goals(grid: &Grid) -> bool {
    let beside = || grid.heads.iter().any(|head| is_goal(&words::words(&head.name)));
    grid.title.as_deref().is_some_and(|title| words::has(title, &TABLES_OF_GOALS)) && !beside()
}

fn speaks_of_aims(text: &str) -> bool {
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/').to_ascii_lowercase();
    text.split_whitespace().any(|word| AIMS.has(&bare(word)))
}

/// The nearest line above that ends in a colon or is a heading; a blank line parts it from nothing but its first line.
fn caption_over<'p>(page: &'p Page, at: usize) -> Option<&'p str> {
    let is_caption = |at: usize| page.text(at).ends_with(':') || page.text(at).starts_with('#');
    for above in (at.saturating_sub(REACH)..at).rev() {
        match page.kind(above) {
            Kind::Text if is_caption(above) => return Some(page.text(above)),
            Kind::Blank => return above.checked_sub(1).filter(|a| is_caption(*a)).map(|a| page.text(a)),
            _ => {}
        }
    }
    None
}
