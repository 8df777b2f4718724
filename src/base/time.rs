//! Points in time as logs record them. A missing time is `None`, never zero.

/// Milliseconds since 1970-01-01T00:00:00Z, as recorded; clocks of logs may run backwards.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Timestamp(i64);

impl Timestamp {
    /// From Unix milliseconds.
    pub fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// From an RFC 3339 / ISO 8601 text with zone; `None` when it is not one.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse::<jiff::Timestamp>().ok().map(|t| Self(t.as_millisecond()))
    }

    /// Unix milliseconds.
    pub fn millis(self) -> i64 {
        self.0
    }

    /// `2026-02-01T10:00:00Z`, always UTC, to the second; empty for a value outside the calendar.
    pub fn iso(self) -> String {
        jiff::Timestamp::from_millisecond(self.0)
            .ok()
            .and_then(|t| t.round(jiff::Unit::Second).ok())
            .map(|t| t.to_string())
            .unwrap_or_default()
    }
}
