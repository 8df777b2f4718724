//! Task lists: every session below `fixtures/todo/<case>/` gives the document that `todos.json` beside it says, and its
//! deltas obey their law. A person's table of the same is `todos.md`.

use turnpoint::{
    infer::todo_delta::apply,
    model::{
        facts::Facts,
        findings::Findings,
        session::Session,
        todo::{TodoItem, TodoStatus},
    },
    pipeline,
    render::{json, plain},
    source::open::Input,
};

use crate::{expect_file, files, relative};

/// Each case: its folder, its first session, and what was found in it.
fn cases() -> Vec<(String, Session, Facts, Findings)> {
    let logs = files("fixtures/todo").into_iter().filter(|p| p.file_stem().is_some_and(|stem| stem == "session"));
    logs.map(|path| {
        let mut reading = pipeline::read(&Input::file(&path).unwrap(), Default::default()).unwrap();
        let session = reading.sessions.remove(0);
        let analysis = pipeline::analyze(&session, &Default::default());
        (relative(path.parent().unwrap()), session, analysis.facts, analysis.findings)
    })
    .collect()
}

#[test]
fn lists_are_as_reviewed() {
    assert!(!cases().is_empty());
    for (folder, session, facts, findings) in cases() {
        let document = json::todos::Document::new(&session, &facts.todos, &findings.deltas, &findings.ledger);
        let json = serde_json::to_string_pretty(&document).unwrap();
        expect_file(&format!("{folder}/todos.json"), &(json + "\n"));
        let form = plain::Form::Markdown;
        let page = plain::todos::text(&session, &facts.todos, &findings.deltas, &findings.ledger, form);
        expect_file(&format!("{folder}/todos.md"), &page);
    }
}

#[test]
fn a_delta_applied_to_the_earlier_list_gives_the_later_one() {
    for (folder, _, facts, findings) in cases() {
        assert_eq!(facts.todos.len(), findings.deltas.len(), "{folder}");
        for delta in &findings.deltas {
            let Some(from) = delta.from.map(|at| &facts.todos[at]) else { continue };
            let to = &facts.todos[delta.to];
            agree(&apply(delta, from, to), to.items.iter());
        }
    }
}

/// Same items in the same order, as far as the second list shows them.
#[track_caller]
pub fn agree<'a>(applied: &[TodoItem], shown: impl Iterator<Item = &'a TodoItem>) {
    let shown: Vec<&TodoItem> = shown.collect();
    assert_eq!(applied.len(), shown.len());
    for (one, other) in applied.iter().zip(shown) {
        assert_eq!(one.content, other.content);
        assert!(other.status == TodoStatus::NotShown || one.status == other.status, "{}", one.content);
    }
}
