//! Facts of small invented sessions, as text beside each: `fixtures/facts/<name>.txt` and `<name>.facts`.
//!
//! `cargo test --test it dump_of_facts -- --ignored --nocapture` prints the facts of the logs that TURNPOINT_LOGS names.

use std::{fmt::Write as _, fs, path::Path};

use crate::{expect_file, files, relative};
use turnpoint::{
    extract,
    model::{evidence::Evidence, facts::Facts, session::Session},
    pipeline,
    source::open::Input,
};

/// The facts that fixtures are about, a line each, quotations as they stand in the log.
fn dump(session: &Session, facts: &Facts) -> String {
    let mut out = String::new();
    let number = |at: turnpoint::base::ids::MessageIdx| session.message(at).number;
    let quote = |e: &Evidence| format!("{} {:?}", number(e.message()), session.quoted(e));
    let quotes =
        |all: &[Evidence]| all.iter().map(|e| format!("{:?}", session.quoted(e))).collect::<Vec<_>>().join(", ");
    for f in &facts.failures {
        let seen: Vec<_> = f.seen.iter().map(|at| number(*at)).collect();
        let kind = if f.tooling { "tooling" } else { "failure" };
        let _ = writeln!(out, "{kind} {:?} seen {seen:?}", f.line);
        for change in &f.changes {
            let _ = writeln!(out, "    change {} {}", number(change.message), change.what);
        }
        if let Some(gone) = f.gone {
            let how = if f.fails_differently { "differs" } else { "gone" };
            let _ = writeln!(out, "    {how} {} {}", number(gone), f.proof.as_ref().map_or(String::new(), quote));
        }
        if let Some(cause) = &f.cause {
            let _ = writeln!(out, "    cause {}", quote(cause));
        }
    }
    for r in &facts.requests {
        let _ = write!(out, "{:?} {}", r.kind, quote(&r.evidence));
        let _ = r.about.map(|at| write!(out, " about {}", number(at)));
        let _ = r.conceded.as_ref().map(|e| write!(out, " conceded {}", quote(e)));
        out.push('\n');
    }
    for q in &facts.questions {
        let answer = q.answer.as_ref().map_or("none".to_string(), quote);
        let _ = writeln!(out, "question {} options {} answer {answer}", quote(&q.question), quotes(&q.options));
    }
    for s in &facts.statements {
        let _ = write!(out, "{:?} {}", s.kind, quote(&s.evidence));
        if !s.parts.is_empty() {
            let _ = write!(out, " parts {}", quotes(&s.parts));
        }
        let _ = s.about.map(|i| write!(out, " about {}", quote(&facts.statements[i].evidence)));
        out.push('\n');
    }
    for f in &facts.files {
        let (bad, foreign) = (if f.succeeded { "" } else { " not done" }, if f.foreign { " foreign" } else { "" });
        let _ = writeln!(out, "{:?} {} {}{bad}{foreign}", f.act, number(f.message), f.path);
    }
    for j in &facts.jobs {
        let _ = writeln!(out, "{} {}", if j.service { "service" } else { "job" }, j.name);
        for (at, state, evidence) in &j.readings {
            let _ = writeln!(out, "    {} {state:?} {:?}", number(*at), session.quoted(evidence));
        }
    }
    for n in &facts.names {
        let _ = writeln!(out, "name {:?} {} ×{} first {}", n.kind, n.text, n.mentions, number(n.evidence.message()));
    }
    out
}

fn dump_file(path: &Path) -> String {
    let bytes = fs::read(path).expect("the log is readable");
    let name = path.file_name().and_then(|n| n.to_str()).expect("a name in UTF-8");
    match pipeline::read(&Input::from_bytes(name, bytes), Default::default()) {
        Ok(reading) => reading.sessions.iter().map(|s| dump(s, &extract::run(s))).collect(),
        Err(error) => format!("{error}\n"),
    }
}

#[test]
fn facts_of_the_fixtures_are_as_written_beside_them() {
    let logs: Vec<_> =
        files("fixtures/facts").into_iter().filter(|p| p.extension().is_some_and(|e| e == "txt")).collect();
    assert!(!logs.is_empty(), "no fixture");
    for log in logs {
        expect_file(&relative(&log.with_extension("facts")), &dump_file(&log));
    }
}

#[test]
#[ignore = "prints the facts of logs elsewhere, for reading"]
fn dump_of_facts() {
    let named = std::env::var("TURNPOINT_LOGS").unwrap_or_default();
    for path in named.split_whitespace() {
        println!("=== {path}\n{}", dump_file(Path::new(path)));
    }
}
