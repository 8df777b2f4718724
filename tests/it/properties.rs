//! Laws of the model on generated input.

use proptest::prelude::*;
use turnpoint::{
    base::{
        diag::{Diagnostics, Severity},
        ids::MessageIdx,
        span::ByteSpan,
    },
    infer::todo_delta::{apply, delta},
    model::{
        builder::{Origin, SessionBuilder},
        evidence::Evidence,
        todo::{Provenance, TodoChange, TodoItem, TodoSnapshot, TodoSource, TodoStatus},
    },
    pipeline,
    source::open::Input,
    text::partial_json,
};

use crate::{files, todos::agree};

fn evidence() -> Evidence {
    let mut session = SessionBuilder::new("test");
    session.user(Origin::default(), "x");
    session.finish().cite(MessageIdx(0), 0, ByteSpan::new(0, 1)).unwrap()
}

/// Short texts out of few words, so that equal, similar and unlike ones all occur.
fn item() -> impl Strategy<Value = TodoItem> {
    let words =
        prop::sample::select(vec!["grind", "bake", "the", "wheat", "bread", "twice", "(done: 3 sacks)", "slowly."]);
    let status = prop::sample::select(vec![
        TodoStatus::Pending,
        TodoStatus::InProgress,
        TodoStatus::Completed,
        TodoStatus::Cancelled,
        TodoStatus::NotShown,
    ]);
    let id = prop::option::weighted(0.3, prop::sample::select(vec!["1", "2", "3"]));
    (prop::collection::vec(words, 1..6), status, id, prop::bool::weighted(0.1)).prop_map(|(words, status, id, cut)| {
        TodoItem {
            content: words.join(" "),
            content_cut: cut,
            status,
            status_raw: String::new(),
            priority: None,
            id: id.map(str::to_string),
            group: None,
            known: Provenance::Input,
            evidence: evidence(),
        }
    })
}

fn list() -> impl Strategy<Value = TodoSnapshot> {
    let source = prop::sample::select(vec![TodoSource::FullList, TodoSource::Folded]);
    (prop::collection::vec(item(), 0..9), any::<bool>(), source).prop_map(|(items, complete, source)| TodoSnapshot {
        message: MessageIdx(0),
        tool: "todowrite".into(),
        source,
        items: items.into_iter().collect(),
        complete,
    })
}

proptest! {
    #[test]
    fn a_delta_applied_to_the_earlier_list_gives_the_later_one(from in list(), to in list()) {
        let delta = delta(&from, &to);
        agree(&apply(&delta, &from, &to), to.items.iter());
        // Nothing is called removed on the word of a cut list.
        let removed = delta.changes.iter().any(|c| matches!(c, TodoChange::Removed { .. }));
        prop_assert!(to.complete && delta.unseen.is_empty() || !to.complete && !removed);
    }

    #[test]
    fn a_list_does_not_differ_from_itself(list in list()) {
        prop_assume!(list.items.iter().all(|i| !i.content_cut));
        let delta = delta(&list, &list);
        prop_assert_eq!(delta.pairs.len(), list.items.len());
        let mut contents: Vec<_> = list.items.iter().map(|i| &i.content).collect();
        contents.sort();
        contents.dedup();
        // Two items of one text may be paired crosswise by their ids.
        if contents.len() == list.items.len() && list.items.iter().all(|i| i.id.is_none()) {
            prop_assert!(delta.changes.is_empty() && delta.events.is_empty(), "{:?}", delta);
        }
    }

    #[test]
    fn partial_json_agrees_with_a_whole_parse(value in json()) {
        let text = value.to_string();
        let partial = partial_json::read(&text);
        prop_assert_eq!(partial.stop, partial_json::Stop::Whole(text.len()));
        prop_assert_eq!(plain(&partial.node.unwrap()), value);
    }

    #[test]
    fn partial_json_reads_anything(text in "[\\[\\]{}:,\"\\\\ntrue0-9.eu é…]{0,60}") {
        partial_json::read(&text);
    }
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::Value;
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i32>().prop_map(|n| Value::Number(n.into())),
        ".{0,8}".prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::btree_map(".{0,4}", inner, 0..4).prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
}

fn plain(node: &partial_json::Node) -> serde_json::Value {
    use serde_json::Value;
    match &node.value {
        partial_json::Value::Null => Value::Null,
        partial_json::Value::Bool(b) => Value::Bool(*b),
        partial_json::Value::Number(n) => serde_json::from_str(n).unwrap(),
        partial_json::Value::Text(t) => Value::String(t.to_string()),
        partial_json::Value::List(items) => Value::Array(items.iter().map(plain).collect()),
        partial_json::Value::Object(members) => {
            Value::Object(members.iter().map(|(k, n)| (k.to_string(), plain(n))).collect())
        }
        partial_json::Value::TooDeep => panic!("generated shallow"),
    }
}

/// Any truncation of a valid log parses to a prefix of its messages and at most one complaint more. The last message
/// may be shown only in part; a cut that leaves nothing to recognise is an error of the input.
#[test]
fn a_truncated_log_gives_a_prefix_of_its_messages() {
    let texts = ["fixtures/format/opencode-export/ok", "fixtures/format/bracketed/ok"].into_iter().flat_map(files);
    // Out of order, taken back, or noise in front: the law is about the document in its own order.
    let ordered = texts.filter(|p| !["order", "revert"].contains(&p.file_stem().unwrap().to_str().unwrap()));
    for path in ordered {
        let bytes = std::fs::read(&path).unwrap();
        let whole = read(&bytes).expect("a fixture is read").0;
        for end in (0..bytes.len()).step_by(bytes.len() / 300 + 1) {
            let Some((messages, complaints)) = read(&bytes[..end]) else { continue };
            let at = format!("{} cut at {end}", path.display());
            assert!(messages.len() <= whole.len(), "{at}");
            let sure = messages.len().saturating_sub(1);
            assert_eq!(messages[..sure], whole[..sure], "{at}");
            assert!(complaints <= 1, "{at}: {complaints} complaints");
        }
    }
}

/// Messages as number, ids and texts, and how many complaints there were; `None` for an error of the input.
fn read(bytes: &[u8]) -> Option<(Vec<String>, u64)> {
    let reading = pipeline::read(&Input::from_bytes("cut", bytes.to_vec()), Default::default()).ok()?;
    let session = &reading.sessions[0];
    let told = |all: &Diagnostics| all.iter().filter(|d| d.0.severity() > Severity::Note).map(|d| d.1).sum::<u64>();
    let messages = session.messages.iter().map(|m| {
        let parts: Vec<&str> = m.parts.iter().map(|p| p.text.as_str()).collect();
        format!("{} {:?} {:?} {parts:?}", m.number, m.kind, m.ids)
    });
    Some((messages.collect(), told(&session.diagnostics) + told(&reading.diagnostics)))
}
