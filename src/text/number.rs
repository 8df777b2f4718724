//! Numbers, durations and counts to finished strings: the one place where a number of ours becomes text. Figures of the
//! log are not formatted here; they are printed as the log prints them. No locale, no thousands separators.

/// A value to a fixed number of decimals, halves away from zero as people round; never `-0`.
///
/// ```
/// use turnpoint::text::number::fixed;
/// assert_eq!((fixed(38.275, 2), fixed(-0.004, 2), fixed(5.0, 1)), ("38.28".into(), "0.00".into(), "5.0".into()));
/// ```
pub fn fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return "–".to_string();
    }
    let text = round_decimal(value.abs(), decimals);
    let zero = text.bytes().all(|b| matches!(b, b'0' | b'.'));
    if value < 0.0 && !zero { format!("-{text}") } else { text }
}

/// The shortest text that reads back as the same number, without an exponent: `0.1672`, `1906.4`, `42`.
pub fn plain(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_string();
    }
    let text = format!("{value}");
    if text == "-0" { "0".to_string() } else { text }
}

/// A ratio of two measurements to three significant digits: `1.01`, `14.0`, `142`, `0.45`.
pub fn ratio(value: f64) -> String {
    significant(value, 3)
}

/// A ratio in running text to two significant digits, more only where the first two say `1.0`: `5.5`, `23.1`, `1.01`.
pub fn times(value: f64) -> String {
    let size = value.abs();
    match size {
        s if s < 2.0 => fixed(value, 2),
        s if s < 100.0 => fixed(value, 1),
        _ => fixed(value, 0),
    }
}

/// A value to `digits` significant digits, trailing zeros kept, never an exponent: `1.67`, `0.0451`, `1906`.
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return fixed(value, digits.saturating_sub(1));
    }
    let decimals = |v: f64| (digits as i32 - 1 - v.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = fixed(value, decimals(value));
    // 9.996 to three digits is 10.0, not 10.00.
    let rounded: f64 = text.parse().unwrap_or(value);
    if rounded == 0.0 { text } else { fixed(value, decimals(value).min(decimals(rounded))) }
}

/// A share or change in per cent, one decimal, a bare integer where the decimal is zero: `10.5 %`, `2 %`.
pub fn percent(value: f64) -> String {
    let text = fixed(value, 1);
    format!("{} %", text.strip_suffix(".0").unwrap_or(&text))
}

/// A change in per cent with its sign: `+10.5 %`, `-4.7 %`, `0 %`.
pub fn change(value: f64) -> String {
    let text = percent(value);
    if value > 0.0 && !text.starts_with("0 ") { format!("+{text}") } else { text }
}

/// The change from one value to another in per cent; `None` where the first is zero or either is no number.
pub fn change_between(from: f64, to: f64) -> Option<f64> {
    let change = (to - from) / from.abs() * 100.0;
    change.is_finite().then_some(change)
}

/// A stretch of time as a clock shows it: `0:07`, `28:09`, `1:02:03`. Negative stretches (clocks of logs run backwards)
/// keep their sign.
pub fn clock(millis: i64) -> String {
    let sign = if millis <= -500 { "-" } else { "" };
    let seconds = (millis.unsigned_abs() + 500) / 1000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{sign}{hours}:{minutes:02}:{seconds:02}") } else { format!("{sign}{minutes}:{seconds:02}") }
}

/// A count with its noun: `1 message`, `12 messages`.
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// A size in bytes: `812 bytes`, `47.1 KiB`, `3.2 GiB`.
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if n < 1024 {
        return count(n as usize, "byte", "bytes");
    }
    let mut size = n as f64 / 1024.0;
    let mut unit = 0;
    while size >= 1023.95 && unit + 1 < UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    format!("{} {}", fixed(size, 1), UNITS[unit])
}

/// Rounds the decimal digits that the number is written with, so that 38.275 becomes 38.28 although its nearest binary
/// number lies a little below.
fn round_decimal(value: f64, decimals: usize) -> String {
    let exact = format!("{value}");
    let (whole, fraction) = exact.split_once('.').unwrap_or((&exact, ""));
    let mut digits: Vec<u8> =
        whole.bytes().chain((0..decimals).map(|i| fraction.as_bytes().get(i).copied().unwrap_or(b'0'))).collect();
    if fraction.as_bytes().get(decimals).is_some_and(|d| *d >= b'5') {
        carry(&mut digits);
    }
    let text = String::from_utf8(digits).expect("decimal digits are ASCII");
    match decimals {
        0 => text,
        _ => {
            let (whole, fraction) = text.split_at(text.len() - decimals);
            format!("{whole}.{fraction}")
        }
    }
}

/// Adds one to the last digit.
fn carry(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            return;
        }
        *digit = b'0';
    }
    digits.insert(0, b'1');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_that_of_people() {
        let cases = [
            (38.275, 2, "38.28"),
            (0.125, 2, "0.13"),
            (2.5, 0, "3"),
            (-2.5, 0, "-3"),
            (999.96, 1, "1000.0"),
            (-0.04, 1, "0.0"),
            (1e21, 0, "1000000000000000000000"),
        ];
        for (value, decimals, wanted) in cases {
            assert_eq!(fixed(value, decimals), wanted, "{value}");
        }
        assert_eq!(fixed(f64::NAN, 1), "–");
    }

    #[test]
    fn ratios() {
        let cases = [
            (1.0063, "1.01"),
            (14.0, "14.0"),
            (2.2767, "2.28"),
            (141.8, "142"),
            (0.4512, "0.451"),
            (9.996, "10.0"),
            (0.0, "0.00"),
        ];
        for (value, wanted) in cases {
            assert_eq!(ratio(value), wanted, "{value}");
        }
        assert_eq!(
            (times(23.135), times(5.545), times(1.0063), times(227.4)),
            ("23.1".into(), "5.5".into(), "1.01".into(), "227".into())
        );
    }

    #[test]
    fn percentages() {
        assert_eq!((percent(10.516), percent(1.97)), ("10.5 %".into(), "2 %".into()));
        assert_eq!((change(10.516), change(-4.7), change(0.02)), ("+10.5 %".into(), "-4.7 %".into(), "0 %".into()));
        assert_eq!(change_between(0.0, 1.0), None);
        assert_eq!(change_between(200.0, 221.0).map(change), Some("+10.5 %".into()));
    }

    #[test]
    fn times_and_sizes() {
        assert_eq!(
            (clock(1_689_000), clock(7_400), clock(3_723_000), clock(-2_000)),
            ("28:09".into(), "0:07".into(), "1:02:03".into(), "-0:02".into())
        );
        assert_eq!(
            (bytes(1), bytes(812), bytes(48_230), bytes(1_048_550)),
            ("1 byte".into(), "812 bytes".into(), "47.1 KiB".into(), "1.0 MiB".into())
        );
        assert_eq!((count(1, "item", "items"), count(0, "item", "items")), ("1 item".into(), "0 items".into()));
    }

    #[test]
    fn numbers_read_back() {
        for value in [0.1672, 1906.4, 42.0, 1e-7, -0.0] {
            assert_eq!(plain(value).parse::<f64>().unwrap(), value);
        }
        assert_eq!(plain(-0.0), "0");
    }
}
