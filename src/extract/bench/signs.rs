//! Which characters occur on a line: the cheap question that comes before every pattern. One pass over the bytes.

/// What occurs on a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Signs(u16);

/// A digit.
pub const DIGIT: Signs = Signs(1);
/// A word that may be a figure: it begins with a digit, signs and brackets and emphasis aside.
pub const FIGURE: Signs = Signs(1 << 1);
/// `|`, or a byte of a character that is no ASCII: it may be a mark of a drawn table.
pub const BAR: Signs = Signs(1 << 2);
/// `,`
pub const COMMA: Signs = Signs(1 << 3);
/// A tab, indentation aside.
pub const TAB: Signs = Signs(1 << 4);
/// `;`
pub const SEMICOLON: Signs = Signs(1 << 5);
/// `=`
pub const EQUALS: Signs = Signs(1 << 6);
/// `:`
pub const COLON: Signs = Signs(1 << 7);
/// Two blanks beside each other, indentation aside.
pub const GAP: Signs = Signs(1 << 8);
/// `@`
pub const AT: Signs = Signs(1 << 9);
/// `[`
pub const BRACKET: Signs = Signs(1 << 10);
/// What spells of rates have: `/`, `per`, `ps` in either case, `_s`.
pub const RATE: Signs = Signs(1 << 11);
/// What no heading of separated values has: signs of code, beside those above.
pub const CODE: Signs = Signs(1 << 12);

impl Signs {
    /// Of a line.
    pub fn of(text: &str) -> Self {
        // Indentation is no gap, and a tab of it separates nothing.
        let body = text.trim_start_matches([' ', '\t']);
        let (mut all, mut before) = (0, FIGURE.0);
        for byte in body.bytes() {
            let byte = byte as usize;
            all |= ALONE[byte] | (before & BEHIND[byte]);
            before = BEFORE[byte] | (before & THROUGH[byte]);
        }
        Signs(all)
    }

    /// Whether any of these occur.
    pub const fn any(self, of: Signs) -> bool {
        self.0 & of.0 != 0
    }

    /// Whether all of these occur.
    pub const fn all(self, of: Signs) -> bool {
        self.0 & of.0 == of.0
    }

    /// Both.
    pub const fn and(self, other: Signs) -> Signs {
        Signs(self.0 | other.0)
    }
}

/// What a byte says by itself.
static ALONE: [u16; 256] = table(
    &[
        (b"0123456789", DIGIT),
        (b"|", BAR),
        (b",", COMMA),
        (b"\t", TAB),
        (b";", SEMICOLON),
        (b"=", EQUALS),
        (b":", COLON),
        (b"@", AT),
        (b"[", BRACKET),
        (b"/", RATE),
        (b"{}=<>&|!?$\\~^*+@'`", CODE),
    ],
    BAR,
);

/// What a byte says together with the one behind it, and the other way round: a sign that both tables have.
static BEFORE: [u16; 256] = table(&[(b" \t|", FIGURE), (b" ", GAP), (b"pP_", RATE)], FIGURE);

static BEHIND: [u16; 256] = table(&[(b"0123456789", FIGURE), (b" ", GAP), (b"sSe", RATE)], Signs(0));

/// What a word may begin with and still be a figure.
static THROUGH: [u16; 256] = table(&[(b"()+-.~*`'\"<>_", FIGURE)], FIGURE);

/// A table of bytes; `high` is said of all bytes that are no ASCII.
const fn table(rows: &[(&[u8], Signs)], high: Signs) -> [u16; 256] {
    let mut all = [0; 256];
    let mut byte = 128;
    while byte < 256 {
        all[byte] = high.0;
        byte += 1;
    }
    let mut row = 0;
    while row < rows.len() {
        let (bytes, sign) = rows[row];
        let mut at = 0;
        while at < bytes.len() {
            all[bytes[at] as usize] |= sign.0;
            at += 1;
        }
        row += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_lines() {
        for (text, sign, want) in [
            ("v1", FIGURE, false),
            ("1 ms", FIGURE, true),
            ("a (1", FIGURE, true),
            ("a:1", FIGURE, false),
            ("±1", FIGURE, true),
            ("x .5", FIGURE, true),
            ("x_5 v1.5", FIGURE, false),
            ("a  b", GAP, true),
            ("  a b", GAP, false),
            ("a\tb", TAB, true),
            ("\ta", TAB, false),
            ("f(41)", FIGURE, false),
            ("a **(1.5)**", FIGURE, true),
            ("12 ops", RATE, true),
            ("tok_s", RATE, true),
            ("GB per second", RATE, true),
            ("name", RATE, false),
            ("a ┃ b", BAR, true),
            ("let x", CODE, false),
        ] {
            assert_eq!(Signs::of(text).any(sign), want, "{text}");
        }
    }
}
