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

    /// From a number whose unit its size tells: seconds below 1e11, milliseconds below 1e14, microseconds below 1e17,
    /// else nanoseconds. `None` for what lies before 1973 in seconds or is no date at all.
    pub fn from_number(number: f64) -> Option<Self> {
        let millis = match number {
            n if !(1e8..1e20).contains(&n) => return None,
            n if n < 1e11 => n * 1e3,
            n if n < 1e14 => n,
            n if n < 1e17 => n / 1e3,
            n => n / 1e6,
        };
        Some(Self(millis.round() as i64))
    }

    /// From an ISO 8601 text, with zone or without: logs without one are written in UTC or in a local time that they
    /// do not name; both are read as UTC.
    pub fn parse_zoneless(text: &str) -> Option<Self> {
        Self::parse(text).or_else(|| Self::parse(&format!("{}Z", text.trim())))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_number_tells_its_unit() {
        for number in [1.78e9, 1.78e12, 1.78e15, 1.78e18] {
            assert_eq!(Timestamp::from_number(number), Some(Timestamp(1_780_000_000_000)), "{number}");
        }
        assert_eq!(Timestamp::from_number(12.0), None);
        assert_eq!(Timestamp::from_number(f64::NAN), None);
    }

    #[test]
    fn a_time_without_zone_is_read_as_utc() {
        assert_eq!(Timestamp::parse_zoneless("2026-02-01T10:00:00.5"), Timestamp::parse("2026-02-01T10:00:00.5Z"));
        assert_eq!(Timestamp::parse_zoneless("2026-02-01 10:00:00"), Timestamp::parse("2026-02-01T10:00:00Z"));
        assert_eq!(Timestamp::parse_zoneless("yesterday"), None);
    }
}
