//! SQL cut into tokens, as SQLite does it: enough to find statements, names and literals, with the bytes of each. Total
//! on any text.

use std::borrow::Cow;

use crate::base::span::ByteSpan;

/// A token.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token<'a> {
    /// A keyword or a bare name.
    Word(&'a str),
    /// A name in double quotes, backticks or brackets. SQLite takes one in double quotes for a text where no column is
    /// called so.
    Name(Cow<'a, str>),
    /// A text literal, and its bytes between the quotes.
    Text(Cow<'a, str>, ByteSpan),
    /// A number, as written.
    Number(&'a str),
    /// An operator, comma, bracket or semicolon.
    Sign(&'a str),
    /// What no statement can hold: a quote that is not closed, a character outside the language.
    Fault,
}

impl Token<'_> {
    /// Whether it is this keyword.
    pub fn is(&self, keyword: &str) -> bool {
        matches!(self, Token::Word(word) if word.eq_ignore_ascii_case(keyword))
    }

    /// A name, quoted or not.
    pub fn name(&self) -> Option<&str> {
        match self {
            Token::Word(name) => Some(name),
            Token::Name(name) => Some(name),
            _ => None,
        }
    }
}

/// The tokens of a text, comments left out.
pub(super) fn tokens(sql: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = sql[at..].chars().next() {
        let (token, end) = match first {
            c if c.is_whitespace() => (None, at + c.len_utf8()),
            '-' if sql[at..].starts_with("--") => (None, end_of(sql, at, "\n")),
            '/' if sql[at..].starts_with("/*") => (None, end_of(sql, at + 2, "*/")),
            '\'' => quoted(sql, at, '\'', Token::Text),
            '"' => quoted(sql, at, '"', |name, _| Token::Name(name)),
            '`' => quoted(sql, at, '`', |name, _| Token::Name(name)),
            '[' => match sql[at..].find(']') {
                Some(length) => (Some(Token::Name(sql[at + 1..at + length].into())), at + length + 1),
                None => (Some(Token::Fault), sql.len()),
            },
            c if c.is_alphabetic() || c == '_' => {
                let end = run(sql, at, |c| c.is_alphanumeric() || c == '_' || c == '$');
                (Some(Token::Word(&sql[at..end])), end)
            }
            c if c.is_ascii_digit() => {
                let end = run(sql, at, |c| c.is_ascii_alphanumeric() || c == '.');
                (Some(Token::Number(&sql[at..end])), end)
            }
            _ => sign(sql, at, first),
        };
        found.extend(token);
        at = end;
    }
    found
}

fn end_of(sql: &str, from: usize, mark: &str) -> usize {
    sql[from..].find(mark).map_or(sql.len(), |at| from + at + mark.len())
}

fn run(sql: &str, from: usize, belongs: fn(char) -> bool) -> usize {
    sql[from..].find(|c| !belongs(c)).map_or(sql.len(), |length| from + length)
}

/// A quoted token from its opening quote on; a doubled quote stands for one.
fn quoted<'a>(
    sql: &'a str,
    from: usize,
    quote: char,
    make: fn(Cow<'a, str>, ByteSpan) -> Token<'a>,
) -> (Option<Token<'a>>, usize) {
    let start = from + 1;
    let mut at = start;
    while let Some(length) = sql[at..].find(quote) {
        let end = at + length;
        if !sql[end + 1..].starts_with(quote) {
            let text = &sql[start..end];
            let doubled = [quote, quote].iter().collect::<String>();
            let text =
                if text.contains(quote) { text.replace(&doubled, &quote.to_string()).into() } else { text.into() };
            return (Some(make(text, ByteSpan::new(start, end))), end + 1);
        }
        at = end + 2;
    }
    (Some(Token::Fault), sql.len())
}

fn sign(sql: &str, at: usize, first: char) -> (Option<Token<'_>>, usize) {
    /// The longer first.
    const SIGNS: &[&str] =
        &["<>", "!=", "==", "<=", ">=", "||", "=", "<", ">", "(", ")", ",", ";", ".", "*", "+", "-", "/", "%"];
    match SIGNS.iter().find(|sign| sql[at..].starts_with(**sign)) {
        Some(sign) => (Some(Token::Sign(&sql[at..at + sign.len()])), at + sign.len()),
        None => (Some(Token::Fault), at + first.len_utf8()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_comments_and_signs_are_told_apart() {
        let sql = "SET \"a b\"='it''s'-- no; \n, [c]<>1.5 /* x */ || `d`;";
        let expected = [
            Token::Word("SET"),
            Token::Name("a b".into()),
            Token::Sign("="),
            Token::Text("it's".into(), ByteSpan::new(11, 16)),
            Token::Sign(","),
            Token::Name("c".into()),
            Token::Sign("<>"),
            Token::Number("1.5"),
            Token::Sign("||"),
            Token::Name("d".into()),
            Token::Sign(";"),
        ];
        assert_eq!(tokens(sql), expected);
        assert_eq!(tokens("'open"), [Token::Fault]);
        assert_eq!(tokens("é ? 'é''"), [Token::Word("é"), Token::Fault, Token::Fault]);
    }
}
