//! Fields that may hold what nobody expected: a value of another type costs that field, not the record.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// A field of a known type, as found.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Loose<T> {
    /// Missing or `null`.
    #[default]
    Absent,
    /// There, of another type.
    Wrong,
    /// As expected.
    Is(T),
}

impl<T> Loose<T> {
    /// The value, if it is as expected.
    pub fn get(self) -> Option<T> {
        match self {
            Loose::Is(value) => Some(value),
            _ => None,
        }
    }

    /// The value by reference, if it is as expected.
    pub fn as_ref(&self) -> Option<&T> {
        match self {
            Loose::Is(value) => Some(value),
            _ => None,
        }
    }

    /// Whether something else stands there.
    pub fn is_wrong(&self) -> bool {
        matches!(self, Loose::Wrong)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Loose<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&'de RawValue>::deserialize(deserializer)?.get();
        Ok(match serde_json::from_str::<T>(raw) {
            _ if raw == "null" => Loose::Absent,
            Ok(value) => Loose::Is(value),
            Err(_) => Loose::Wrong,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize, Debug)]
    struct Row {
        #[serde(default)]
        a: Loose<String>,
        #[serde(default)]
        b: Loose<f64>,
    }

    #[test]
    fn a_wrong_type_costs_its_field_only() {
        let row: Row = serde_json::from_str(r#"{"a":[1],"b":2}"#).expect("an object");
        assert!(row.a.is_wrong());
        assert_eq!(row.b.get(), Some(2.0));
        let row: Row = serde_json::from_str(r#"{"a":null}"#).expect("an object");
        assert_eq!((row.a, row.b), (Loose::Absent, Loose::Absent));
    }
}
