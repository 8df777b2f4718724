//! What others are said to say.

use std::sync::LazyLock;

use super::{Judgement, Ledger, Rule, Statement, is_intent};
use crate::{
    model::audit::{ClaimKind, Ruling},
    text::pattern::Regex,
};

/// What a page or a document is said to say.
pub static DOCUMENTED: Rule = Rule {
    name: "documented",
    kind: ClaimKind::Outside,
    about: "A statement rests on somebody's documents; no page of the web is shown in the log.",
    example: "\"The image ships glibc 2.34, per the vendor's docs.\" where the pages are not in the log: not shown",
    limits: "Any page that is shown counts, whatever it says.",
    against: "",
    missing: "no page of the web is shown in the log",
    judge: documented,
};

/// `per AWS docs`, `according to the documentation`, `the package page shows`
static SOURCE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:per|according to) (?:the )?[\w'’. -]{0,30}\b(?:docs|documentation|manual|release notes|changelog|page|website)\b|\b(?:docs|documentation|page|release notes) (?:say|says|show|shows|state|states)\b").expect("valid")
});

fn documented(log: &Ledger, said: &Statement) -> Option<Judgement> {
    let found = SOURCE.find(said.text)?;
    if is_intent(said.text) || log.read_web(said.message) {
        return None;
    }
    let why = format!("\"{}\": no page is shown in the log", found.as_str());
    Some(Judgement::new(Ruling::NotShown, why, vec![log.all_before(said.message)]).by(said, [found.range()]))
}
