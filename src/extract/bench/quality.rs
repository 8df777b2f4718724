//! What test runners say at their end: passed, failed, skipped. Quality, never performance.

use std::sync::LazyLock;

use regex::Regex;

use super::clean::{Kind, Page};

/// `2 passed; 0 failed; 1 ignored`, `1 failed, 209 passed, 3 skipped in 18.42s`
static COUNTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(\d{1,7}) (passed|failed|skipped|ignored|errors?|xfailed|xpassed|deselected|todo|passing|failing|pending)\b")
        .expect("fixed pattern")
});

/// `# pass 2`, `ℹ fail 0`
static TAP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:#|ℹ)? *(pass|fail|skipped|cancelled|todo) (\d{1,7})$").expect("fixed pattern")
});

/// Adds the counts of a line; true when it has some.
pub fn read(page: &Page, line: usize, counts: &mut Vec<(String, f64)>) -> bool {
    let text = page.text(line);
    if page.kind(line) != Kind::Text || text.len() > 300 {
        return false;
    }
    let mut all = Vec::new();
    for one in COUNTS.captures_iter(text) {
        add(&mut all, &one[2], &one[1]);
    }
    let found = !all.is_empty();
    let told = ["passed", "passing", "test", "Test", "=="].iter().any(|w| text.contains(w));
    let summary = found && told;
    if summary {
        for (name, n) in all {
            sum(counts, &name, n);
        }
    }
    match TAP.captures(text) {
        Some(one) if !summary => add(counts, &one[1], &one[2]),
        _ => summary,
    }
}

fn add(counts: &mut Vec<(String, f64)>, word: &str, figure: &str) -> bool {
    let name = match word {
        "pass" | "passing" => "passed",
        "fail" | "failing" => "failed",
        "error" => "errors",
        other => other,
    };
    let Ok(value) = figure.parse::<f64>() else { return false };
    sum(counts, name, value);
    true
}

fn sum(counts: &mut Vec<(String, f64)>, name: &str, value: f64) {
    match counts.iter_mut().find(|(n, _)| n == name) {
        Some((_, sum)) => *sum += value,
        None => counts.push((name.to_string(), value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_over_binaries() {
        let page = Page::new("test result: ok. 2 passed; 0 failed; 1 ignored\ntest result: ok. 3 passed; 0 failed\n");
        let mut counts = Vec::new();
        assert!(read(&page, 0, &mut counts) && read(&page, 1, &mut counts));
        assert_eq!(counts[0], ("passed".to_string(), 5.0));
        assert!(!COUNTS.is_match("12 failures were passed on"));
        assert!(!TAP.is_match("passed 2 cars"));
    }
}
