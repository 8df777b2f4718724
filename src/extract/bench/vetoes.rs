//! What only looks like a benchmark: listings, process and disk tables, settings, goals, coverage, package lists.

use super::{
    grid::Grid,
    words::{self, Words},
};

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
const SETTINGS: &[&str] = &[
    "age", "alpha", "backoff", "beta", "budget", "checksum", "chunk", "code", "crc", "date", "deadline", "default", "deltas", "digest", "epsilon", "eta",
    "exit", "expected", "expires", "fan", "goal", "hash", "height", "id", "interval", "keepalive", "limit", "line", "lines", "margin",
    "offset", "padding", "pid", "poll", "port", "price", "remaining", "retention", "retries", "retry", "seed", "sleep",
    "target", "temperature", "threshold", "timeout", "timeouts", "tolerance", "top", "ttl", "until", "uptime", "version",
    "wait", "warmup", "weight", "width", "window", "year",
];

/// Whether the words of a name say that it is a setting.
pub fn is_setting(all: &Words) -> bool {
    all.any(SETTINGS)
}

/// Headings of goals: what should be reached is no measurement; sorted.
pub const GOALS: &[&str] =
    &["budget", "expected", "goal", "limit", "requirement", "slo", "spec", "target", "theoretical", "threshold"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(SETTINGS.is_sorted() && GOALS.is_sorted());
    }
}
