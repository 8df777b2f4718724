//! Verdict lines of checks that a text repeats: `RESULT: OK`.

use std::sync::LazyLock;

use super::{Judgement, Ledger, Rule, Statement};
use crate::{
    base::span::ByteSpan,
    model::audit::{ClaimKind, Ruling},
    text::pattern::Regex,
};

/// A verdict line that is quoted.
pub static QUOTED: Rule = Rule {
    name: "quoted-verdict",
    kind: ClaimKind::Test,
    about: "A text quotes a verdict line of a check; no output shows that line.",
    example: "`**RESULT: OK**` where the output is cut before its result: not shown",
    limits: "Only lines in emphasis or code of the form `NAME: WORD` are taken for quotations.",
    against: "",
    missing: "no output shows that line",
    judge: quoted,
};

/// `**RESULT: OK**`, `` `STATUS: PASSED` ``
static VERDICT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:\*\*|`)([A-Z][A-Z ]{2,30}: ?[A-Z]{2,20})(?:\*\*|`)").expect("valid"));

fn quoted(log: &Ledger, said: &Statement) -> Option<Judgement> {
    if !said.reports {
        return None;
    }
    let found = VERDICT.captures(said.text)?;
    let line = found.get(1)?.as_str();
    let shown = log.printed(line, said.message);
    (!shown).then(|| {
        let place = found.get(1).map_or(0..0, |m| m.range());
        let span = ByteSpan::new(place.start, place.end).shift(said.span.start);
        Judgement::new(Ruling::NotShown, format!("no output shows \"{line}\""), vec![log.all_before(said.message)])
            .of(span)
    })
}
