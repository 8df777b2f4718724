//! The audit over small invented sessions: `fixtures/audit/<name>.txt`, and what is said of them beside it. Every rule
//! decides in one of them.

use std::collections::BTreeSet;

use turnpoint::{
    infer::audit::{RULES, WATCHES, for_article},
    model::audit::{Claimed, Ruling},
    pipeline,
    render::plain::{Form, audit as plain},
    source::open::Input,
};

use crate::{expect_file, files, relative};

#[test]
fn audits_are_as_reviewed() {
    let mut decided = BTreeSet::new();
    for path in files("fixtures/audit").into_iter().filter(|p| p.extension().is_some_and(|e| e == "txt")) {
        let input = Input::from_bytes("case.txt", std::fs::read(&path).unwrap());
        let session = pipeline::read(&input, Default::default()).unwrap().sessions.remove(0);
        let analysis = pipeline::analyze(&session, &Default::default());
        let audit = pipeline::audit(&session, &analysis);
        let claims = &audit.claims;
        for claim in claims {
            decided.insert(claim.rule);
            assert!(!session.quoted(&claim.words).is_empty() && !claim.log.is_empty(), "{claim:?}");
        }
        // An article is told the same of what it tells.
        let told = for_article(&session, &analysis.facts, &analysis.findings);
        let last = session.messages.len() - 1;
        let closes = |claim: &&Claimed| claim.words.message().at() == last || claim.ruling == Ruling::Contradicted;
        let alike = |claim: &Claimed| (claim.words.clone(), claim.ruling, claim.rule, claim.why.clone());
        let expected: Vec<_> = claims.iter().filter(closes).map(alike).collect();
        assert_eq!(told.claims.iter().map(alike).collect::<Vec<_>>(), expected);
        decided.extend(audit.loose_ends.iter().map(|end| end.rule));
        assert!(claims.windows(2).all(|w| w[0].words.message() <= w[1].words.message()));
        expect_file(&relative(&path.with_extension("audit")), &plain::text(&session, &audit, true, Form::Markdown));
    }
    let named = RULES.iter().map(|rule| rule.name).chain(WATCHES.iter().map(|watch| watch.name));
    let silent: Vec<&str> = named.filter(|name| !decided.contains(name)).collect();
    assert!(silent.is_empty(), "no case for {silent:?}");
}

#[test]
fn an_accusation_can_end_a_run_with_one() {
    let log = crate::root().join("fixtures/audit/report.txt");
    let log = log.to_str().unwrap();
    assert_eq!(crate::cli::run(&["audit", log], "").0, 0);
    assert_eq!(crate::cli::run(&["audit", log, "--fail-on", "contradicted"], "").0, 1);
    let (code, out, _) = crate::cli::run(&["audit", log, "--json"], "");
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, document["schema"].as_str()), (0, Some("turnpoint.audit/1")));
    let accused = document["claims"].as_array().unwrap().iter().filter(|c| c["verdict"] == Ruling::Contradicted.key());
    assert!(accused.count() > 0);
}
