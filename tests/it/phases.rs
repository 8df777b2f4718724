//! Phases over literate cases: `fixtures/phase/*.md` hold prose, a bracketed transcript, the phases that the annotation
//! guide gives it, and the messages at which it turns.

use turnpoint::{
    base::ids::StepIdx,
    model::session::Session,
    pipeline::{self, Analysis},
    source::open::Input,
};

/// A case read from its file.
struct Case {
    transcript: String,
    phases: String,
    turns: Vec<u32>,
}

impl Case {
    fn read(text: &str) -> Self {
        let block = |name: &str| {
            let opening = format!("```{name}\n");
            let begin = text.find(&opening)? + opening.len();
            Some(&text[begin..begin + text[begin..].find("```")?])
        };
        Self {
            transcript: block("transcript").expect("a case has a transcript").to_string(),
            phases: block("phases").expect("a case has phases").to_string(),
            turns: block("turns").unwrap_or("").lines().map(|l| l.parse().unwrap()).collect(),
        }
    }

    fn run(&self) -> (Session, Analysis) {
        let input = Input::from_bytes("case.txt", self.transcript.clone().into_bytes());
        let session = pipeline::read(&input, Default::default()).unwrap().sessions.remove(0);
        let analysis = pipeline::analyze(&session, &Default::default());
        (session, analysis)
    }
}

/// `1–7 debug`, one line a phase, by message numbers.
fn listed(session: &Session, analysis: &Analysis) -> String {
    let number = |step: StepIdx| session.message(session.main_of(step)).number;
    let line = |phase: &turnpoint::model::phase::Phase| match (number(phase.from), number(phase.to)) {
        (from, to) if from == to => format!("{from} {}\n", phase.kind.word()),
        (from, to) => format!("{from}–{to} {}\n", phase.kind.word()),
    };
    analysis.findings.phases.iter().map(line).collect()
}

#[test]
fn cases_have_the_phases_of_the_guide() {
    let mut wrong = String::new();
    let mut cases = 0;
    for path in super::files("fixtures/phase") {
        let case = Case::read(&std::fs::read_to_string(&path).unwrap());
        let (session, analysis) = case.run();
        let found = listed(&session, &analysis);
        if found != case.phases {
            wrong += &format!("{}:\nexpected\n{}found\n{found}\n", path.display(), case.phases);
        }
        let turns: Vec<u32> =
            analysis.findings.turns.iter().map(|t| session.message(session.main_of(t.step)).number).collect();
        for turn in case.turns.iter().filter(|t| !turns.contains(t)) {
            wrong += &format!("{}: no turning point at {turn}, only at {turns:?}\n", path.display());
        }
        cases += 1;
    }
    assert!(cases > 0, "fixtures/phase holds cases");
    assert!(wrong.is_empty(), "{wrong}");
}

/// Every prefix of every case has phases that partition its steps, turning points that are ranked from 1, and markers
/// and terms that lie in the session.
#[test]
fn phases_partition_the_steps_of_every_prefix() {
    for path in super::files("fixtures/phase") {
        let case = Case::read(&std::fs::read_to_string(&path).unwrap());
        for (cut, _) in case.transcript.match_indices("<msg id=").skip(1) {
            let prefix = Case { transcript: case.transcript[..cut].to_string(), phases: String::new(), turns: vec![] };
            let (session, analysis) = prefix.run();
            let mut next = 0;
            for phase in &analysis.findings.phases {
                assert_eq!(phase.from.0, next, "{}: phases are adjacent", path.display());
                assert!(phase.to >= phase.from);
                assert!((0.0..=1.0).contains(&phase.boundary) && (0.0..=1.0 + 1e-9).contains(&phase.score));
                next = phase.to.0 + 1;
            }
            assert_eq!(next as usize, session.steps.len(), "{}: no step is missing", path.display());
            for (i, turn) in analysis.findings.turns.iter().enumerate() {
                assert_eq!(turn.rank, i + 1);
                assert!(!turn.kinds.is_empty());
                assert!(turn.markers.iter().all(|m| m.at() < session.messages.len()));
            }
        }
    }
}

/// What is decided in a prefix of a session stays as it is in the whole: phases that end before the last decided step.
#[test]
fn what_is_decided_in_a_prefix_stays() {
    for path in super::files("fixtures/phase") {
        let case = Case::read(&std::fs::read_to_string(&path).unwrap());
        // Twice over, so that something is decided well before the end.
        let number = |offset: usize| {
            let part = case.transcript.split("<msg id=").skip(1).enumerate();
            part.map(|(i, rest)| format!("<msg id={}>{}", i + 1 + offset, rest.split_once('>').unwrap().1))
                .collect::<String>()
        };
        let first = number(0);
        let whole = first.clone() + "\n" + &number(first.matches("<msg id=").count());
        check_prefixes(&whole, &path.display().to_string());
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, cases: 24, ..Default::default() })]
    #[test]
    fn what_is_decided_in_a_prefix_stays_in_any_session(acts in proptest::collection::vec(0usize..BLOCKS.len(), 12..60)) {
        let transcript: String = acts.iter().enumerate().map(|(i, act)| format!("<msg id={}>\n{}\n\n", i + 1, BLOCKS[*act])).collect();
        check_prefixes(&transcript, "a made-up session");
    }
}

/// Steps of all sorts, by their text in a transcript.
const BLOCKS: &[&str] = &[
    "[user] Now make it faster.",
    "[user] yes",
    "[assistant] The cause is the cache. I fix it.",
    "[assistant] All tests pass, the work is complete.",
    "[assistant] [bash] {\"command\":\"cargo test\"}\ntest result: ok. 3 passed",
    "[assistant] [bash] {\"command\":\"cargo test\"}\nerror: 2 failed",
    "[assistant] [bash] {\"command\":\"python bench.py\"}\nmean 1.9 ms, 310 GB/s",
    "[assistant] [read] {\"filePath\":\"src/a.rs\"}\n1 fn a() {}",
    "[assistant] [edit] {\"filePath\":\"src/a.rs\",\"oldString\":\"a\",\"newString\":\"b\"}\nEdit applied.",
    "[assistant] [bash] {\"command\":\"git commit -am x && git push\"}\n1 file changed",
    "[assistant] [bash] {\"command\":\"pip install x\"}\nSuccessfully installed x",
    "[assistant] [todowrite] {\"todos\":[{\"content\":\"Fix it\",\"status\":\"in_progress\",\"priority\":\"high\"}]}\n1 todos",
];

fn check_prefixes(transcript: &str, name: &str) {
    let run = |text: &str| Case { transcript: text.to_string(), phases: String::new(), turns: vec![] }.run().1.findings;
    let whole = run(transcript);
    let ends: Vec<usize> = transcript.match_indices("<msg id=").map(|found| found.0).skip(1).step_by(3).collect();
    for end in ends {
        let part = run(&transcript[..end]);
        let decided = part.phases.iter().zip(&whole.phases).filter(|(phase, _)| phase.to.at() + 1 < part.decided);
        for (phase, same) in decided {
            let place = |p: &turnpoint::model::phase::Phase| (p.kind, p.from, p.to);
            assert_eq!(place(phase), place(same), "{name}, cut at byte {end}");
        }
    }
}

/// A session ten times as long does not take a hundred times as long.
#[test]
fn ten_thousand_steps_are_decoded_in_linear_time() {
    let block = |n: usize| {
        let commands = ["cargo test", "git status", "cat src/a.rs", "python bench.py", "sed -i s/a/b/ src/a.rs"];
        format!("<msg id={n}>\n[assistant] [bash] {{\"command\":\"{}\"}}\nok\n\n", commands[n / 7 % commands.len()])
    };
    let time = |steps: usize| {
        let transcript: String = (1..=steps).map(block).collect();
        let input = Input::from_bytes("long.txt", transcript.into_bytes());
        let session = pipeline::read(&input, Default::default()).unwrap().sessions.remove(0);
        let begin = std::time::Instant::now();
        let analysis = pipeline::analyze(&session, &Default::default());
        assert_eq!(session.steps.len(), steps);
        assert!(!analysis.findings.phases.is_empty());
        begin.elapsed()
    };
    let (short, long) = (time(1_000), time(10_000));
    assert!(
        long < short * 40 + std::time::Duration::from_millis(500),
        "{short:?} for 1,000, {long:?} for 10,000 steps"
    );
}
