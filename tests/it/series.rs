//! Series and comparisons over small invented sessions: `fixtures/series/<name>.txt`, and what is made of them beside it.

use turnpoint::{
    model::session::Session,
    pipeline::{self, Analysis, Side},
    render::plain::{Form, compare, series},
    source::open::Input,
};

use crate::{expect_file, files, relative};

fn analysed(text: String) -> (Session, Analysis) {
    let input = Input::from_bytes("case.txt", text.into_bytes());
    let session = pipeline::read(&input, Default::default()).unwrap().sessions.remove(0);
    let analysis = pipeline::analyze(&session, &Default::default());
    (session, analysis)
}

#[test]
fn series_are_as_reviewed() {
    let mut cases = 0;
    for path in files("fixtures/series").into_iter().filter(|p| p.extension().is_some_and(|e| e == "txt")) {
        let (session, analysis) = analysed(std::fs::read_to_string(&path).unwrap());
        hold_laws(&analysis);
        let told = series::of_session(&session, &analysis.facts, &analysis.findings, Form::Terminal);
        expect_file(&relative(&path.with_extension("series")), &told);
        cases += 1;
    }
    assert!(cases > 0);
}

/// A run stands once in a series, runs go forward, and the best is never beaten.
fn hold_laws(analysis: &Analysis) {
    for series in &analysis.findings.series {
        assert!(series.readings.windows(2).all(|w| w[0].0 < w[1].0), "{:?}", series.key);
        let best = series.best().map_or(f64::NAN, |(_, reading)| reading.value);
        for (run, reading) in &series.readings {
            assert_eq!(reading.unit, series.unit);
            assert!(analysis.findings.runs[*run].message.0 > 0);
            match series.better {
                Some(turnpoint::model::metric::Direction::Higher) => assert!(reading.value <= best),
                Some(turnpoint::model::metric::Direction::Lower) => assert!(reading.value >= best),
                None => {}
            }
        }
    }
}

#[test]
fn messages_are_compared_with_their_settings() {
    let text = std::fs::read_to_string(crate::root().join("fixtures/series/knob.txt")).unwrap();
    let (session, analysis) = analysed(text);
    let side = |n: u32| Side::of_message(&session, &analysis.facts, session.numbered(n).unwrap());
    let told = |a: u32, b: u32| {
        let found = pipeline::compare(side(a), side(b));
        compare::text(&found, [&a.to_string(), &b.to_string()], Form::Terminal)
    };
    let all = [(3, 6), (3, 4), (6, 7), (3, 8)].map(|(a, b)| told(a, b)).join("\n");
    expect_file("fixtures/series/knob.compare", &all);
}

#[test]
fn a_side_held_against_itself_has_not_moved() {
    for path in files("fixtures/bench").into_iter().filter(|p| p.extension().is_some_and(|e| e == "txt")) {
        let text = std::fs::read_to_string(&path).unwrap();
        let found = pipeline::measurements(&text, Default::default(), pipeline::Readers::All);
        let same = pipeline::compare(Side::of_text(&found), Side::of_text(&found));
        assert!(same.only_a.is_empty() && same.only_b.is_empty(), "{}", relative(&path));
        for pair in &same.pairs {
            assert_eq!(pair.a.value, pair.b.value, "{}: {:?}", relative(&path), pair.key);
        }
    }
}
