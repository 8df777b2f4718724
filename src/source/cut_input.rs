//! A tool's input that a rendering shortened, wrapped or replaced: its fields as far as they are shown.

use super::fields::{compact, fields};
use crate::{
    model::{builder::Field, message::Cut},
    text::{
        cut_mark,
        partial_json::{self, Node, Stop, Value},
    },
};

/// The fields of an input as a page shows it, and whether any of it is shown only in part. An input that was wrapped
/// once more (`{"input":"{…}"}`) is unwrapped; of a cut object the fields stand as far as shown, the last one marked.
pub fn shown_fields(raw: &str) -> (Vec<Field>, bool) {
    let mut cut = false;
    let mut shown: Vec<Field> = match serde_json::from_str::<serde::de::IgnoredAny>(raw) {
        Ok(_) => fields(raw),
        Err(_) => as_far_as_shown(raw, &mut cut),
    };
    if let Some(at) = shown.iter().position(is_wrapped) {
        let wrapped = shown.remove(at);
        let inner = match serde_json::from_str::<serde::de::IgnoredAny>(&wrapped.text) {
            Ok(_) => fields(&wrapped.text),
            Err(_) => as_far_as_shown(&wrapped.text, &mut cut),
        };
        shown.retain(|outer| inner.iter().all(|f| f.name != outer.name));
        shown.extend(inner);
    }
    for field in &mut shown {
        if cut_mark::is_placeholder(&field.text) {
            field.cut = Some(Cut::Placeholder);
        } else if cut_mark::counted(&field.text).is_some() {
            field.cut = Some(Cut::End);
        }
        cut |= field.cut.is_some();
    }
    (shown, cut)
}

fn is_wrapped(field: &Field) -> bool {
    field.name.as_deref() == Some("input") && field.text.trim_start().starts_with("{") && begins_object(&field.text)
}

/// An object with at least one member, not some other text in braces.
fn begins_object(text: &str) -> bool {
    let partial = partial_json::read(text);
    matches!(partial.node, Some(Node { value: Value::Object(members), .. }) if !members.is_empty())
}

/// The fields of an object that does not end, or a text that is no object at all as one field without a name.
fn as_far_as_shown(raw: &str, cut: &mut bool) -> Vec<Field> {
    let end = cut_mark::at_end(raw).map_or(raw.len(), |mark| mark.start);
    let partial = partial_json::read(&raw[..end]);
    let looks_json = raw.trim_start().starts_with(['{', '[']);
    let members = match partial.node {
        Some(Node { value: Value::Object(members), .. }) if !members.is_empty() => members,
        _ => {
            *cut |= looks_json;
            let cut = looks_json.then_some(Cut::End);
            return vec![Field { name: None, text: raw.to_string(), cut }];
        }
    };
    *cut |= !matches!(partial.stop, Stop::Whole(_));
    let last = members.len() - 1;
    members
        .into_iter()
        .enumerate()
        .map(|(i, (name, node))| {
            // The mark of the cut stays with the text that it cuts.
            let to = if node.whole { node.span.end } else { raw.len() };
            let text = match &node.value {
                Value::Text(text) if node.whole => text.to_string(),
                Value::Text(text) => format!("{text}{}", &raw[end..]),
                _ if node.whole => compact(&raw[node.span.start..to]),
                _ => raw[node.span.start..to].to_string(),
            };
            Field { name: Some(name.into_owned()), text, cut: (i == last).then_some(Cut::End) }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(raw: &str) -> Vec<(String, String, Option<Cut>)> {
        shown_fields(raw).0.into_iter().map(|f| (f.name.unwrap_or_default(), f.text, f.cut)).collect()
    }

    #[test]
    fn a_wrapped_input_is_unwrapped_and_keeps_its_neighbours() {
        assert_eq!(
            shown(r#"{"filePath":"/a","input":"{\n \"old\": \"x\"\n}"}"#),
            [("filePath".into(), "/a".into(), None), ("old".into(), "x".into(), None)]
        );
        assert_eq!(shown(r#"{"input":"ls {}"}"#), [("input".into(), "ls {}".into(), None)]);
    }

    #[test]
    fn a_cut_object_keeps_the_fields_before_the_cut() {
        let fields = shown(r#"{"n":1,"todos":[{"content":"a"},{"con..."#);
        assert_eq!(fields[0], ("n".into(), "1".into(), None));
        assert_eq!(fields[1], ("todos".into(), r#"[{"content":"a"},{"con..."#.into(), Some(Cut::End)));
        assert_eq!(shown(r#"{"command":"cargo te..."#), [("command".into(), "cargo te...".into(), Some(Cut::End))]);
    }

    #[test]
    fn a_missing_last_brace_is_a_cut_too() {
        assert_eq!(shown(r#"{"todos":[]"#), [("todos".into(), "[]".into(), Some(Cut::End))]);
    }

    #[test]
    fn a_placeholder_is_no_content() {
        assert_eq!(
            shown(r#"{"content":"<48 chars — see diff>"}"#),
            [("content".into(), "<48 chars — see diff>".into(), Some(Cut::Placeholder))]
        );
    }
}
