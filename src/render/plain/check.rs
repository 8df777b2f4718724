//! The result of a check for a person: false, not shown, not checkable, and a line that sums up.

use std::fmt::Write;

use crate::{
    model::verdict::{Finding, Report, Verdict},
    text::quote::terminal_line,
};

/// The report on the article of this name.
pub fn text(article: &str, report: &Report) -> String {
    let mut out = String::new();
    for verdict in Verdict::ALL.into_iter().filter(|v| report.count(*v) > 0) {
        let _ = writeln!(out, "{}", verdict.word());
        report.of(verdict).for_each(|finding| one(&mut out, finding));
        out.push('\n');
    }
    let _ = writeln!(out, "{article}: {}", summary(report));
    out
}

fn one(out: &mut String, finding: &Finding) {
    let _ = writeln!(out, "  line {}: {}", finding.line, terminal_line(&finding.words));
    let _ = writeln!(out, "      {}", terminal_line(&finding.reason));
    if let Some(nearest) = &finding.nearest {
        let _ = writeln!(out, "      message {}: {}", nearest.message, terminal_line(&nearest.text));
    }
}

fn summary(report: &Report) -> String {
    let counts: Vec<String> = Verdict::ALL.into_iter().map(|v| format!("{} {}", report.count(v), v.word())).collect();
    format!("{} hold, {}", report.held, counts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::verdict::Origin;

    #[test]
    fn a_clean_report_is_one_line() {
        let report = Report { held: 3, ..Report::new(Origin::Others) };
        assert_eq!(text("a.md", &report), "a.md: 3 hold, 0 false, 0 not shown, 0 not checkable\n");
    }
}
