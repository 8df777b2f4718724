//! The log of operations played back. The document that it builds changes at any path, so that it is held as a tree.

use serde_json::Value;

use crate::{
    base::{
        diag::{DiagCode, Diagnostics},
        locate::Locator,
    },
    model::accounting::Accounting,
    source::{
        frame::{Records, checked},
        lenient::{Any, Number, Raw, lenient},
    },
};

lenient! {
    /// A line.
    struct Operation<'a> {
        kind: Number = "kind",
        path: Raw<'a> = "k",
        value: Raw<'a> = "v",
        length: Any<Number> = "i",
    }
}

/// The document so far, and where each request begins in the log.
#[derive(Default)]
pub(super) struct Replay {
    document: Value,
    places: Vec<Locator>,
    /// What became of the lines.
    pub accounting: Accounting,
    /// What was odd.
    pub diagnostics: Diagnostics,
}

impl Records for Replay {
    fn record(&mut self, text: &str, place: Locator) -> Result<(), serde_json::Error> {
        let operation: Operation = serde_json::from_str(text)?;
        if !checked(&operation.stray, operation.fault(), place, &mut self.diagnostics) {
            self.accounting.damaged();
            return Ok(());
        }
        match self.apply(&operation, place) {
            Some(()) => self.accounting.used(),
            None if operation.kind.count().is_some_and(|kind| kind <= 3) => {
                self.accounting.skipped("a path that leads nowhere");
            }
            None => {
                let kind = operation.kind.get().map_or("(no kind)".to_string(), |kind| format!("kind {kind}"));
                self.diagnostics.add(DiagCode::RecordTypeUnknown, place, format!("`{kind}` on line {}", place.line));
                self.accounting.unknown(&kind);
            }
        }
        Ok(())
    }

    fn lost(&mut self, _: Locator) {
        self.accounting.damaged();
    }
}

impl Replay {
    /// Carries an operation out; `None` when its kind is unknown or its path leads nowhere.
    fn apply(&mut self, operation: &Operation, place: Locator) -> Option<()> {
        let value =
            || operation.value.and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok()).unwrap_or_default();
        let path: Vec<Value> = operation.path.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
        match operation.kind.count()? {
            0 => self.document = value(),
            1 => *self.make(&path)? = value(),
            2 => {
                let Value::Array(mut more) = value() else { return None };
                let list = self.make(&path)?;
                if !list.is_array() {
                    *list = Value::Array(Vec::new());
                }
                let list = list.as_array_mut()?;
                if let Some(length) = operation.length.0.count() {
                    list.truncate(length as usize);
                }
                list.append(&mut more);
            }
            3 => self.remove(&path)?,
            _ => return None,
        }
        let requests = self.document.get("requests").and_then(Value::as_array).map_or(0, Vec::len);
        self.places.resize(requests.max(self.places.len()), place);
        Some(())
    }

    /// The value at a path; members that are missing are made, items of lists are not.
    fn make(&mut self, path: &[Value]) -> Option<&mut Value> {
        path.iter().try_fold(&mut self.document, |node, step| match step {
            Value::String(name) => {
                if node.is_null() {
                    *node = Value::Object(Default::default());
                }
                Some(node.as_object_mut()?.entry(name.clone()).or_insert(Value::Null))
            }
            Value::Number(at) => {
                let at = at.as_u64()? as usize;
                let list = node.as_array_mut()?;
                if at == list.len() {
                    list.push(Value::Null);
                }
                list.get_mut(at)
            }
            _ => None,
        })
    }

    fn remove(&mut self, path: &[Value]) -> Option<()> {
        let (last, above) = path.split_last()?;
        let node = self.make(above)?;
        match last {
            Value::String(name) => node.as_object_mut()?.remove(name).map(drop),
            Value::Number(at) => {
                let (list, at) = (node.as_array_mut()?, at.as_u64()? as usize);
                (at < list.len()).then(|| drop(list.remove(at)))
            }
            _ => None,
        }
    }

    /// A text of the document.
    pub fn string(&self, name: &str) -> Option<String> {
        self.document.get(name)?.as_str().map(str::to_string)
    }

    /// The requests as JSON, each with the place where it begins.
    pub fn requests(&self) -> Vec<(String, Locator)> {
        let requests = self.document.get("requests").and_then(Value::as_array);
        let requests = requests.into_iter().flatten().enumerate();
        requests.map(|(i, request)| (request.to_string(), self.places.get(i).copied().unwrap_or_default())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(lines: &[&str]) -> Replay {
        let mut replay = Replay::default();
        for line in lines {
            replay.record(line, Locator::default()).expect("JSON");
        }
        replay
    }

    #[test]
    fn operations_build_the_document() {
        let replay = played(&[
            r#"{"kind":0,"v":{"sessionId":"s","requests":[]}}"#,
            r#"{"kind":2,"k":["requests"],"v":[{"a":1},{"a":2}]}"#,
            r#"{"kind":2,"k":["requests"],"i":1,"v":[{"a":3}]}"#,
            r#"{"kind":1,"k":["requests",1,"b"],"v":[true]}"#,
            r#"{"kind":3,"k":["requests",0,"a"]}"#,
            r#"{"kind":1,"k":["requests",9,"b"],"v":1}"#,
        ]);
        let told: Vec<String> = replay.requests().into_iter().map(|r| r.0).collect();
        assert_eq!(told, ["{}", r#"{"a":3,"b":[true]}"#]);
        assert_eq!((replay.accounting.used, replay.accounting.skipped_total()), (5, 1));
    }
}
