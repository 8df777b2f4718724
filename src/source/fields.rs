//! A tool's input object as named fields.

use serde_json::value::RawValue;
use std::collections::BTreeMap;

use crate::model::builder::Field;

/// The top-level fields of a JSON object, in the order of their keys; strings decoded, everything else as compact
/// JSON. An input that is no object becomes one field without a name.
pub fn fields(raw: &str) -> Vec<Field> {
    match serde_json::from_str::<BTreeMap<String, &RawValue>>(raw) {
        Ok(object) => object.into_iter().map(|(name, value)| field(Some(name), value.get())).collect(),
        Err(_) => match raw.trim() {
            "" | "null" => Vec::new(),
            other => vec![field(None, other)],
        },
    }
}

fn field(name: Option<String>, raw: &str) -> Field {
    let text = match serde_json::from_str::<String>(raw) {
        Ok(text) => text,
        Err(_) => compact(raw),
    };
    Field { name, text, cut: None }
}

/// JSON without the blanks between its tokens; unchanged when it does not parse.
pub fn compact(raw: &str) -> String {
    if !raw.contains(['\n', ' ']) {
        return raw.to_string();
    }
    serde_json::from_str::<serde_json::Value>(raw)
        .ok()
        .and_then(|v| serde_json::to_string(&v).ok())
        .unwrap_or_else(|| raw.to_string())
}
