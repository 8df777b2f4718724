//! `check --json`: `turnpoint.check/1`.

use serde::Serialize;

use crate::model::verdict::{Finding, Origin, Report, Verdict};

/// The document.
#[derive(Serialize)]
pub struct Document<'a> {
    schema: &'static str,
    article: &'a str,
    written_by: &'static str,
    held: usize,
    counts: Counts,
    findings: Vec<View<'a>>,
}

#[derive(Serialize)]
struct Counts {
    r#false: usize,
    not_shown: usize,
    not_checkable: usize,
}

#[derive(Serialize)]
struct View<'a> {
    verdict: &'static str,
    rule: &'static str,
    line: usize,
    section: &'a str,
    words: &'a str,
    reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<Nearest<'a>>,
}

#[derive(Serialize)]
struct Nearest<'a> {
    message: u32,
    text: &'a str,
}

impl<'a> Document<'a> {
    /// The document of a report on the article of this name.
    pub fn new(article: &'a str, report: &'a Report) -> Self {
        Self {
            schema: "turnpoint.check/1",
            article,
            written_by: match report.origin {
                Origin::Ours => "turnpoint",
                Origin::Others => "others",
            },
            held: report.held,
            counts: Counts {
                r#false: report.count(Verdict::False),
                not_shown: report.count(Verdict::NotShown),
                not_checkable: report.count(Verdict::NotCheckable),
            },
            findings: report.findings.iter().map(View::new).collect(),
        }
    }
}

impl<'a> View<'a> {
    fn new(finding: &'a Finding) -> Self {
        Self {
            verdict: finding.verdict.key(),
            rule: finding.rule,
            line: finding.line,
            section: &finding.section,
            words: &finding.words,
            reason: &finding.reason,
            nearest: finding.nearest.as_ref().map(|n| Nearest { message: n.message, text: &n.text }),
        }
    }
}
