//! A point in time as some field holds it: a text or a number.

use crate::{
    base::time::Timestamp,
    source::lenient::{Any, Raw},
};

/// A field that may hold a time. A value that is none costs nothing.
pub type Moment<'a> = Any<Raw<'a>>;

/// The time: of a text by ISO 8601 (without a zone as UTC), of a number by its size.
pub fn of(raw: Raw) -> Option<Timestamp> {
    let raw = raw?.get();
    match serde_json::from_str::<String>(raw) {
        Ok(text) => Timestamp::parse_zoneless(&text).or_else(|| Timestamp::from_number(text.trim().parse().ok()?)),
        Err(_) => Timestamp::from_number(raw.parse().ok()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::value::RawValue;

    #[test]
    fn texts_and_numbers_are_times() {
        let read = |json: &'static str| of(serde_json::from_str::<Option<&RawValue>>(json).expect("JSON"));
        let noon = Timestamp::parse("2026-02-01T12:00:00Z");
        assert_eq!(read(r#""2026-02-01T12:00:00""#), noon);
        assert_eq!(read("1769947200"), noon);
        assert_eq!(read("1769947200000.0"), noon);
        assert_eq!(read(r#""1769947200""#), noon);
        assert_eq!(read("true"), None);
        assert_eq!(read("null"), None);
    }
}
