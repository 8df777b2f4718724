//! A tool's input object as named fields.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

use super::lenient::Text;
use crate::model::builder::Field;

/// The top-level fields of a JSON object, in the order in which they stand; strings decoded, everything else as compact
/// JSON. Of a repeated field the last value counts. An input that is no object becomes one field without a name.
pub fn fields(raw: &str) -> Vec<Field> {
    match serde_json::from_str::<Object>(raw) {
        Ok(object) => object.0.into_iter().map(|(name, value)| field(Some(name.into_owned()), value.get())).collect(),
        Err(_) => match raw.trim() {
            "" | "null" => Vec::new(),
            other => vec![field(None, other)],
        },
    }
}

/// Names and unparsed values in order.
struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Shape;
        impl<'de> Visitor<'de> for Shape {
            type Value = Object<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut fields: Vec<(Cow<str>, &RawValue)> = Vec::new();
                while let Some((Text::Is(name), value)) = map.next_entry()? {
                    match fields.iter_mut().find(|field| field.0 == name) {
                        Some(field) => field.1 = value,
                        None => fields.push((name, value)),
                    }
                }
                Ok(Object(fields))
            }
        }
        deserializer.deserialize_map(Shape)
    }
}

fn field(name: Option<String>, raw: &str) -> Field {
    let text = match raw.starts_with('"').then(|| serde_json::from_str::<String>(raw)) {
        Some(Ok(text)) => text,
        _ => compact(raw),
    };
    Field { name, text, cut: None }
}

/// JSON without the blanks between its tokens; nothing else is changed.
pub fn compact(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let (mut inside, mut escaped) = (false, false);
    for c in raw.chars() {
        if !inside && matches!(c, ' ' | '\t' | '\n' | '\r') {
            continue;
        }
        inside ^= c == '"' && !escaped;
        escaped = inside && c == '\\' && !escaped;
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(raw: &str) -> Vec<(Option<String>, String)> {
        fields(raw).into_iter().map(|f| (f.name, f.text)).collect()
    }

    #[test]
    fn fields_keep_their_order_and_the_last_value() {
        let named = |name: &str, text: &str| (Some(name.to_string()), text.to_string());
        assert_eq!(
            told(r#"{"b":"x\ny","a":[1, {"k": "v w"}],"b":"z"}"#),
            [named("b", "z"), named("a", r#"[1,{"k":"v w"}]"#)]
        );
        assert_eq!(told("null"), []);
        assert_eq!(told("[1, 2]"), [(None, "[1,2]".to_string())]);
        assert_eq!(told("{\"a\": cut"), [(None, "{\"a\":cut".to_string())]);
    }

    #[test]
    fn compact_leaves_strings_alone() {
        assert_eq!(compact(r#"{ "a" : "x \" y" , "b" : [ ] }"#), r#"{"a":"x \" y","b":[]}"#);
    }
}
