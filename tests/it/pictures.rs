//! Pictures over small logs: each folder of `fixtures/picture` holds a log and all files that `--pictures` writes for its
//! retrospective. Drawings are read back by an XML parser; whatever text stands in them, they hold nothing that acts.

use std::{collections::BTreeMap, path::Path};

use assert_cmd::Command;
use proptest::prelude::*;
use turnpoint::{
    base::ids::MessageIdx,
    model::{
        article::ArticleTable,
        metric::Direction,
        phase::PhaseKind,
        picture::{
            Curve, CurvePoint, Curves, Drawing, Dumbbell, Dumbbells, JobRow, JobStretch, KnobChange, Panel, PhaseRow,
            Picture, PlottedReading, RunSeries, Spot, Strip, TaskRow, Turn,
        },
        series::Trend,
        todo::TodoStatus,
    },
    render::svg::{self, Theme},
};

/// The files that `--pictures` writes for a log, by name.
fn written(log: &Path) -> BTreeMap<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let pictures = folder.path().join("pictures");
    let run = Command::cargo_bin("turnpoint").unwrap().arg("retro").arg(log).arg("--pictures").arg(&pictures).output();
    let run = run.unwrap();
    assert!(run.status.success(), "{}: {}", log.display(), String::from_utf8_lossy(&run.stderr));
    let entries = std::fs::read_dir(&pictures).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    entries.map(|path| (name(&path), std::fs::read_to_string(&path).unwrap())).collect()
}

/// The cases: their folder, and what is written for their log.
fn cases() -> Vec<(String, BTreeMap<String, String>)> {
    let logs = super::files("fixtures/picture").into_iter().filter(|f| f.ends_with("log.txt"));
    let all: Vec<_> = logs.map(|log| (super::relative(log.parent().unwrap()), written(&log))).collect();
    assert!(all.len() >= 5, "the cases are found");
    all
}

#[test]
fn pictures_are_as_expected() {
    for (folder, files) in cases() {
        let kept = super::files(&folder).into_iter().filter(|f| !f.ends_with("log.txt")).map(|f| super::relative(&f));
        let stale: Vec<String> = kept.filter(|f| !files.contains_key(f.rsplit('/').next().unwrap())).collect();
        assert!(stale.is_empty(), "not written any more: {stale:?}");
        for (name, text) in &files {
            super::expect_file(&format!("{folder}/{name}"), text);
        }
        assert!(!files.is_empty(), "{folder} has pictures");
    }
}

/// Both themes show the same: they differ in colours and in the ids that begin with the theme.
#[test]
fn themes_have_one_geometry() {
    let colour = regex::Regex::new("#[0-9a-f]{6}").unwrap();
    for (folder, files) in cases() {
        let drawings = files.iter().filter(|(name, _)| name.ends_with("-light.svg"));
        for (name, light) in drawings {
            let dark = &files[&name.replace("-light", "-dark")];
            let bare = |text: &str, theme: &str| colour.replace_all(&text.replace(theme, ""), "#").into_owned();
            assert!(light != dark && bare(light, "-light") == bare(dark, "-dark"), "{folder}/{name}");
        }
    }
}

#[test]
fn drawings_are_the_same_on_every_run() {
    let (first, second) = (cases(), cases());
    assert!(first == second);
}

/// What the tables say stands in the log.
#[test]
fn tables_pass_the_check_of_free_prose() {
    for (folder, files) in cases() {
        for (name, text) in files.iter().filter(|(name, _)| name.ends_with(".md")) {
            let log = super::root().join(&folder).join("log.txt");
            let mut check = Command::cargo_bin("turnpoint").unwrap();
            let run = check.args(["check", "-", "--session"]).arg(log).write_stdin(text.as_str()).output().unwrap();
            assert!(run.status.success(), "{folder}/{name}: {}", String::from_utf8_lossy(&run.stdout));
        }
    }
}

/// Elements and attributes that a drawing may hold: none loads or runs anything.
const ELEMENTS: &[&str] = &["circle", "desc", "path", "polygon", "polyline", "rect", "svg", "text", "title"];
const ATTRIBUTES: &[&str] = &[
    "aria-labelledby",
    "cx",
    "cy",
    "d",
    "fill",
    "font-family",
    "font-size",
    "font-weight",
    "height",
    "id",
    "paint-order",
    "points",
    "r",
    "role",
    "rx",
    "stroke",
    "stroke-dasharray",
    "stroke-width",
    "text-anchor",
    "viewBox",
    "width",
    "x",
    "y",
];

/// Reads a drawing back and says what is wrong with it.
fn faults(drawing: &str, slug: &str) -> Result<(), String> {
    let document = roxmltree::Document::parse(drawing).map_err(|e| format!("{e}: {drawing}"))?;
    for node in document.descendants().filter(|n| n.is_element()) {
        let name = node.tag_name().name();
        if !ELEMENTS.contains(&name) {
            return Err(format!("<{name}>"));
        }
        for attribute in node.attributes() {
            let (key, value) = (attribute.name(), attribute.value());
            if !ATTRIBUTES.contains(&key) || ["NaN", "inf", "url("].iter().any(|w| value.contains(w)) {
                return Err(format!("{key}={value}"));
            }
            if key == "id" && !value.starts_with(&format!("tp-{slug}-")) {
                return Err(format!("id {value}"));
            }
            let across = ["x", "cx"].contains(&key).then(|| value.parse::<f64>());
            if across.is_some_and(|x| !x.is_ok_and(|x| (0.0..=560.0).contains(&x))) {
                return Err(format!("<{name}> at {key}={value}"));
            }
        }
    }
    let hides = |c: char| c.is_control() && c != '\n' || ('\u{202a}'..='\u{202e}').contains(&c);
    let text: String = document.descendants().filter_map(|n| n.text()).collect();
    match (text.chars().find(|c| hides(*c)), document.root_element().attribute("role")) {
        (Some(c), _) => Err(format!("{c:?} in {text}")),
        (None, Some("img")) => Ok(()),
        (None, role) => Err(format!("role {role:?}")),
    }
}

#[test]
fn drawings_of_logs_hold_nothing_that_acts() {
    for (folder, files) in cases() {
        for (name, text) in files.iter().filter(|(name, _)| name.ends_with(".svg")) {
            assert_eq!(faults(text, &name[..name.rfind('-').unwrap()]), Ok(()), "{folder}/{name}");
        }
    }
}

fn spot(n: u32) -> Spot {
    Spot { at: MessageIdx(n), number: n + 1 }
}

/// One drawing of each kind whose texts and values are given.
fn drawings(text: &str, values: &[f64]) -> Vec<Drawing> {
    let label = || text.to_string();
    let last = values.len() as u32;
    let task =
        |status| TaskRow { label: label(), stretches: vec![(spot(0), spot(last), status)], dropped: Some(spot(1)) };
    let strip = Strip {
        from: spot(0),
        to: spot(last),
        ticks: (0..=last).map(spot).collect(),
        phases: PhaseKind::ALL.map(|kind| PhaseRow { kind, stretches: vec![(spot(0), spot(last))] }).to_vec(),
        turns: (1..4).map(|rank| Turn { rank, at: spot(1), what: label() }).collect(),
        tasks: [TodoStatus::Pending, TodoStatus::InProgress, TodoStatus::Completed, TodoStatus::NotShown]
            .map(task)
            .to_vec(),
        more_tasks: 3,
        jobs: vec![JobRow {
            label: label(),
            stretches: vec![JobStretch { from: spot(0), to: spot(last), state: "running", ended: false }],
        }],
        more_jobs: 0,
    };
    let reading = |(run, value): (usize, &f64)| PlottedReading { run, value: *value, text: label() };
    let panel = Panel {
        label: label(),
        unit: Some(label()),
        better: Direction::Lower,
        readings: values.iter().enumerate().map(reading).collect(),
    };
    let series = RunSeries {
        runs: (0..last).map(spot).collect(),
        panels: vec![panel.clone(), panel],
        changes: (1..values.len()).map(|run| KnobChange { run, at: spot(0), what: label() }).collect(),
        more_changes: 1,
    };
    let row = |pair: &[f64]| Dumbbell {
        label: label(),
        from: pair[0],
        from_text: label(),
        to: pair[1],
        to_text: label(),
        change: Some(label()),
        trend: Trend::Worse,
        verdict: "worse",
    };
    let dumbbells = Dumbbells {
        before: spot(0),
        after: spot(1),
        unit: Some(label()),
        better: Direction::Higher,
        rows: values.windows(2).map(row).collect(),
        more: 2,
    };
    let point = |(i, value): (usize, &f64)| CurvePoint {
        level: label(),
        times: 1.0 + i as f64,
        speedup: value.abs().clamp(1e-3, 1e9),
        text: label(),
    };
    let curve = Curve { label: label(), points: values.iter().enumerate().map(point).collect() };
    let curves = Curves { at: spot(0), parameter: label(), lines: vec![curve.clone(), curve] };
    vec![Drawing::Strip(strip), Drawing::Series(series), Drawing::Dumbbell(dumbbells), Drawing::Scaling(curves)]
}

proptest! {
    #[test]
    fn any_text_and_any_value_is_drawn_safely(
        text in any::<String>(),
        values in proptest::collection::vec(proptest::num::f64::NORMAL | proptest::num::f64::ZERO, 2..8),
    ) {
        for drawing in drawings(&text, &values) {
            let table = ArticleTable { lead: None, head: Vec::new(), rows: Vec::new() };
            let picture =
                Picture { slug: "01-any".into(), title: text.clone(), description: text.clone(), drawing, table };
            for theme in Theme::ALL {
                prop_assert_eq!(faults(&svg::draw(&picture, theme), "01-any"), Ok(()));
            }
        }
    }
}
