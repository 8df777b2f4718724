//! Task lists: every session below `fixtures/todo/<case>/` gives the document that `todos.json` beside it says, and its
//! deltas obey their law. A person's table of the same is `todos.md`.

use std::fmt::Write as _;

use turnpoint::{
    base::diag::DiagCode,
    infer::todo_delta::apply,
    model::{
        facts::Facts,
        findings::Findings,
        session::Session,
        todo::{Items, TodoItem, TodoStatus},
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

/// What could not be read is told as todo-unreadable; the other cases hold none.
#[test]
fn lists_that_cannot_be_read_are_told() {
    let told: Vec<(String, u64)> = cases()
        .into_iter()
        .map(|(folder, _, facts, _)| (folder, facts.diagnostics.count(DiagCode::TodoUnreadable)))
        .filter(|(_, count)| *count > 0)
        .collect();
    let expected = ["cline", "families", "hostile", "kiro", "roo"].map(|name| format!("fixtures/todo/{name}"));
    assert_eq!(told.iter().map(|(folder, _)| folder.as_str()).collect::<Vec<_>>(), expected);
}

/// A session that creates and then closes so many tasks, one by one.
fn long_session(many: usize) -> String {
    let mut log = String::new();
    for n in 1..=2 * many {
        let task = (n - 1) % many + 1;
        let _ = match n <= many {
            true => write!(
                log,
                "<msg id={n}>\n[assistant] [TaskCreate] {{\"subject\": \"Grind field {task}\"}}\nTask #{task} created\n\n"
            ),
            false => write!(
                log,
                "<msg id={n}>\n[assistant] [TaskUpdate] {{\"taskId\": \"{task}\", \"status\": \"completed\"}}\nok\n\n"
            ),
        };
    }
    log
}

#[test]
fn the_lists_of_a_long_session_share_what_they_have_in_common() {
    const MANY: usize = 1_000;
    let mut reading =
        pipeline::read(&Input::from_bytes("long", long_session(MANY).into_bytes()), Default::default()).unwrap();
    let session = reading.sessions.remove(0);
    let facts = turnpoint::extract::todo_lists(&session);
    assert_eq!(facts.todos.len(), 2 * MANY);
    let (items, places) = Items::held(facts.todos.iter().map(|list| &list.items));
    // Each call touches an item, and leaves another one as known from earlier; a block of places is copied for it.
    assert!(items <= 6 * MANY, "{items} items");
    assert!(places <= 400 * MANY, "{places} places; as many lists held whole have {}", MANY * MANY * 3 / 2);
    let deltas = turnpoint::infer::todo_delta::deltas(&facts.todos);
    let runs: usize = deltas.iter().map(|delta| delta.pairs.runs().len()).sum();
    assert!(runs <= 4 * MANY, "{runs} runs of pairs");
    let changes: usize = deltas.iter().map(|delta| delta.changes.len()).sum();
    assert_eq!(changes, 2 * MANY);
    let ledger = pipeline::analyze(&session, &Default::default()).findings.ledger;
    assert!(ledger.iter().all(|entry| entry.seen.len() == 2), "each item was pending, then completed");
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
