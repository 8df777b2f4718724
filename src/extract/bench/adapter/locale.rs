//! Tools that print in the language of their user: `813,45 ± 9,1 ops/ms`, `0m0,540s`. Their grammars are written with
//! points; where a page writes its decimals with commas, its adapters read a copy in which both marks have changed places
//! (so that every byte stays where it is), and what they took is changed back.

use std::borrow::Cow;

use super::Taken;
use crate::{
    base::unit::Decimal,
    extract::bench::{
        clean::{Kind, Page},
        signs::{COMMA, DIGIT},
    },
    model::metric::Value,
};

/// The copy of a page that writes its decimals with commas; `None` for all others.
pub fn in_points<'t>(page: &Page<'t>) -> Option<Page<'t>> {
    let printed = || page.lines.iter().filter(|line| line.kind == Kind::Text && line.signs.any(DIGIT));
    if !printed().any(|line| line.signs.any(COMMA) && has_decimal_comma(&line.text)) {
        return None;
    }
    let tokens = printed().flat_map(|line| line.text.split(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ','))));
    // Versions and addresses are no figures.
    let figures = tokens.filter(|token| token.len() > 2 && (token.contains(',') || token.matches('.').count() == 1));
    (Decimal::of(figures) == Decimal::Comma).then(|| {
        let mut copy = page.clone();
        for line in copy.lines.iter_mut().filter(|line| line.signs.any(DIGIT)) {
            line.text = Cow::Owned(exchanged(&line.text));
        }
        copy
    })
}

/// Whether a comma stands between two digits: in code and lists a blank follows it, nearly always.
fn has_decimal_comma(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    memchr::memchr_iter(b',', bytes).any(|at| at > 0 && digit(at - 1) && digit(at + 1))
}

/// A text in which points and commas between digits have changed places.
fn exchanged(text: &str) -> String {
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let exchange = |(at, c): (usize, char)| match c {
        '.' | ',' if digit(at.checked_sub(1)) && digit(Some(at + 1)) => {
            if c == '.' {
                ','
            } else {
                '.'
            }
        }
        c => c,
    };
    text.char_indices().map(exchange).collect()
}

/// What was taken of such a copy, as the page itself says it.
pub fn as_printed(taken: &mut Taken) {
    let back = |text: &mut String| *text = exchanged(text);
    let value = |value: &mut Value| {
        if let Value::Text(text) = value {
            *text = exchanged(text);
        }
    };
    for cell in taken.tables.iter_mut().flat_map(|table| &mut table.rows).flatten() {
        back(&mut cell.text);
        value(&mut cell.value);
    }
    for metric in &mut taken.metrics {
        back(&mut metric.text);
        metric.params.iter_mut().for_each(|(_, given)| value(given));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_tells_its_mark() {
        let copy = |text: &str| in_points(&Page::new(text)).map(|page| page.text(0).to_string());
        assert_eq!(copy("1.234,5 msec, 12,75 s").as_deref(), Some("1,234.5 msec, 12.75 s"));
        for no in ["1,234.5 msec", "813,447 ops", "12.5 s", "a, b"] {
            assert_eq!(copy(no), None, "{no}");
        }
        assert_eq!(exchanged(&exchanged("v1.2 3,5")), "v1.2 3,5");
    }
}
