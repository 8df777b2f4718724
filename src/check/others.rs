//! An article by anybody against the log: what is false, what is not shown, what cannot be checked.
//!
//! A false accusation costs more than a miss. Only three things are called false: a message that does not exist, a
//! quotation or figure that the message bound to it does not hold while the log holds it elsewhere or differently, and a
//! thing said to be absent that is there. How closely a figure must be bound depends on the author: where nearly
//! everything stands in the messages cited beside it, the exception is a fault; where references are loose pointers,
//! only a reference directly behind a figure binds it.

use std::{collections::BTreeMap, sync::LazyLock};

use crate::text::pattern::Regex;

use super::{
    figures::{Dimension, Role, Stated},
    kinds,
    log::{Log, Page, plain},
    numbers,
    quotes::Wanted,
    read::{self, Quote, Statement},
    references::Form,
    scope::{Scope, Stand},
};
use crate::{
    model::verdict::{Finding, Nearest, Origin, Report, Verdict},
    text::markdown::{self, Block},
};

/// An author whose references hold this share of what stands beside them is held to them.
const STRICT: f64 = 0.9;
/// Fewer bound items than this tell nothing about an author.
const ENOUGH: usize = 10;

/// `The user asked:` and the like: words that make a quotation one of the log.
static SPEECH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:says?|said|writes?|wrote|asks?|asked|states?|stated|notes?|noted|declares?|declared|answers?|answered|replied|objects?|claims?|claimed|reads?|prints?|printed|announces?|announced)\b")
        .expect("valid")
});
/// `No message mentions "x"`: the beginning of a sentence that denies what is quoted next.
static DENIAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:no|nothing|none|never)\b[^.;|]{0,40}\b(?:mentions?|mentioned|holds?|contains?|names?|prints?|shows?|says?) $")
        .expect("valid")
});

/// Holds an article against the log.
pub fn check(article: &str, log: &Log<'_>) -> Report {
    check_blocks(article, &markdown::blocks(article), log)
}

/// The same for some blocks of an article.
pub fn check_blocks(article: &str, blocks: &[Block], log: &Log<'_>) -> Report {
    let statements = read::statements(article, blocks, |n| log.has(n));
    let scopes: Vec<Scope<'_>> = statements.iter().map(|s| Scope::new(log, s)).collect();
    let mut check =
        Check { log, strict: false, report: Report::new(Origin::Others), subject: subject(&statements, log) };
    check.strict = strict(&statements, &scopes, log);
    for (statement, scope) in statements.iter().zip(&scopes) {
        check.references(statement);
        check.kinds(statement);
        for quote in &statement.quotes {
            check.quote(statement, scope, quote);
        }
        for number in &statement.numbers {
            check.number(statement, scope, number);
        }
    }
    let mut report = check.report;
    report.merge(Report::new(Origin::Others));
    report
}

/// Whether nearly all that stands beside a reference is in the message that it names.
fn strict(statements: &[Statement], scopes: &[Scope<'_>], log: &Log<'_>) -> bool {
    let (mut bound, mut held) = (0, 0);
    for (statement, scope) in statements.iter().zip(scopes).filter(|(_, scope)| scope.cites()) {
        for quote in statement.quotes.iter().filter(|q| !q.code) {
            let wanted = Wanted::new(statement, quote);
            if wanted.words >= 3 {
                bound += 1;
                held += usize::from(scope.stand(quote.span, |p| wanted.stands_in(p)) == Stand::Here);
            }
        }
        let figure = |n: &&Stated| n.role == Role::Figure && !n.computed && !names_message(n, log);
        for number in statement.numbers.iter().filter(figure) {
            bound += 1;
            held += usize::from(scope.stand(number.figure.span, |p| number.among(&p.figures)) == Stand::Here);
        }
    }
    bound >= ENOUGH && held as f64 >= STRICT * bound as f64
}

/// A bare number of a message is a reference by another form.
fn names_message(number: &Stated, log: &Log<'_>) -> bool {
    number.unit.is_none() && number.figure.decimals == 0 && log.has(number.figure.value as u32)
}

/// The message that is named most often: what the article is about.
fn subject(statements: &[Statement], log: &Log<'_>) -> Option<u32> {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for cite in statements.iter().flat_map(|s| &s.cites).filter(|c| matches!(c.form, Form::Bracket | Form::Named)) {
        if let [(from, to)] = cite.runs[..]
            && from == to
            && log.has(from)
        {
            *counts.entry(from).or_default() += 1;
        }
    }
    counts.into_iter().max_by_key(|(number, count)| (*count, std::cmp::Reverse(*number))).map(|(number, _)| number)
}

struct Check<'a> {
    log: &'a Log<'a>,
    strict: bool,
    report: Report,
    subject: Option<u32>,
}

impl Check<'_> {
    fn held(&mut self) {
        self.report.held += 1;
    }

    fn find(
        &mut self,
        verdict: Verdict,
        rule: &'static str,
        at: &Statement,
        words: &str,
        reason: String,
        nearest: Option<Nearest>,
    ) {
        self.report.findings.push(Finding {
            verdict,
            rule,
            line: at.line,
            section: at.section.clone(),
            words: words.to_string(),
            reason,
            nearest,
        });
    }

    fn references(&mut self, statement: &Statement) {
        for cite in statement.cites.iter().filter(|c| c.form != Form::Bare) {
            let words = &statement.text[cite.span.start..cite.span.end];
            for number in cite.runs.iter().flat_map(|(a, b)| if a == b { vec![*a] } else { vec![*a, *b] }) {
                match self.log.has(number) {
                    true => self.held(),
                    false => self.unknown_message(statement, words, number),
                }
            }
        }
    }

    fn kinds(&mut self, statement: &Statement) {
        for wrong in kinds::wrong(&statement.text, self.log) {
            let nearest = Some(Nearest { message: wrong.message, text: self.opening(wrong.message) });
            self.find(Verdict::False, "kind", statement, &wrong.words, wrong.reason, nearest);
        }
    }

    fn unknown_message(&mut self, statement: &Statement, words: &str, number: u32) {
        let (first, last) = self.log.reach();
        let slip = self.subject.filter(|s| one_digit_apart(number, *s));
        let hint = slip.map_or(String::new(), |s| format!("; the article is about {s}"));
        let nearest = slip.map(|message| Nearest { message, text: self.opening(message) });
        let reason = format!("the log has no message {number} (it has {first} to {last}){hint}");
        self.find(Verdict::False, "reference", statement, words, reason, nearest);
    }

    fn opening(&self, message: u32) -> String {
        let line = self.log.page(message).and_then(|p| p.raw.lines().find(|l| l.len() > 12)).unwrap_or("");
        line.chars().take(80).collect()
    }

    fn quote(&mut self, statement: &Statement, scope: &Scope<'_>, quote: &Quote) {
        let words = &statement.text[quote.span.start..quote.span.end];
        let wanted = Wanted::new(statement, quote);
        if wanted.words == 0 || quote.code && words.starts_with('[') {
            return;
        }
        if self.denied(statement, quote) {
            return self.absence(statement, &wanted, words);
        }
        match scope.stand(quote.span, |p| wanted.stands_in(p)) {
            Stand::Here => self.held(),
            Stand::Beside(number) if self.strict && !quote.code && wanted.words >= 2 => {
                let reason = format!("stands in message {number}, which is cited here for something else");
                let nearest = self.nearest_words(number, words);
                self.find(Verdict::False, "quotation-swapped", statement, words, reason, nearest);
            }
            Stand::Beside(_) => self.held(),
            Stand::Missing => self.missing_quote(statement, scope, quote, &wanted),
        }
    }

    fn nearest_words(&self, message: u32, words: &str) -> Option<Nearest> {
        Some(Nearest { message, text: words.to_string() })
    }

    fn missing_quote(&mut self, statement: &Statement, scope: &Scope<'_>, quote: &Quote, wanted: &Wanted) {
        let words = &statement.text[quote.span.start..quote.span.end];
        let bound = scope.cites() && (self.strict || scope.tight(quote.span));
        if let Some(number) = wanted.anywhere(self.log) {
            let telling = if quote.code { scope.tight(quote.span) && words.len() >= 6 } else { wanted.words >= 3 };
            if !bound || !telling {
                return self.held();
            }
            let reason = format!("stands in message {number}, not in the one cited");
            let nearest = self.nearest_words(number, words);
            return self.find(Verdict::False, "quotation-elsewhere", statement, words, reason, nearest);
        }
        let near = wanted.near(scope.pages().into_iter()).or_else(|| wanted.near(self.log.pages()));
        if let Some((message, text)) = near {
            let verdict = if bound { Verdict::False } else { Verdict::NotShown };
            let reason = "no message has these words".to_string();
            return self.find(verdict, "quotation", statement, words, reason, Some(Nearest { message, text }));
        }
        if self.strict && scope.cites() && wanted.words >= 3
            || scope.tight(quote.span)
            || wanted.words >= 2 && spoken(statement, quote)
        {
            self.find(Verdict::NotShown, "quotation", statement, words, "no message has these words".into(), None);
        } else if wanted.words >= 3 {
            let reason = "in no message; perhaps the author's own words".to_string();
            self.find(Verdict::NotCheckable, "quotation", statement, words, reason, None);
        }
    }

    /// Whether the sentence says that its searched messages do not hold this quotation.
    fn denied(&self, statement: &Statement, quote: &Quote) -> bool {
        let before = statement.text[..quote.span.start].trim_end_matches(['"', '“', '`']);
        statement.cites.iter().any(|c| c.form == Form::Searched) && DENIAL.is_match(before)
    }

    fn absence(&mut self, statement: &Statement, wanted: &Wanted, words: &str) {
        let searched: Vec<(u32, u32)> =
            statement.cites.iter().filter(|c| c.form == Form::Searched).flat_map(|c| c.runs.clone()).collect();
        let within = |n: u32| searched.iter().any(|(a, b)| (*a..=*b).contains(&n));
        let found = self.log.pages().find(|(n, page)| within(*n) && wanted.stands_in(page)).map(|(n, _)| n);
        match found {
            None => self.held(),
            Some(number) => {
                let reason = format!("said to be absent, stands in message {number}");
                let nearest = self.nearest_words(number, words);
                self.find(Verdict::False, "absence", statement, words, reason, nearest);
            }
        }
    }

    fn number(&mut self, statement: &Statement, scope: &Scope<'_>, number: &Stated) {
        if number.role == Role::Name {
            return self.name(statement, scope, number);
        }
        if number.role == Role::Count && !scope.cites() {
            return;
        }
        let words = phrase(statement, number);
        if number.role == Role::Clock {
            return self.clock(statement, scope, number);
        }
        match scope.stand(number.figure.span, |p| number.among(&p.figures)) {
            Stand::Here => self.in_its_row(statement, scope, number, &words),
            Stand::Beside(at) if self.strict && number.role == Role::Figure && !number.computed => {
                let reason = format!("stands in message {at}, which is cited here for something else");
                self.find(Verdict::False, "figure-swapped", statement, &words, reason, None);
            }
            Stand::Beside(_) => self.held(),
            Stand::Missing if number.computed => self.computed(statement, number, &words),
            Stand::Missing => self.missing_number(statement, scope, number, &words),
        }
    }

    /// A count that no message has, where a cited one has it but for a digit, among the same words.
    fn count(&mut self, statement: &Statement, number: &Stated, pages: &[(u32, &Page)], nowhere: bool, words: &str) {
        if !self.strict || !nowhere || number.figure.value < 10.0 {
            return;
        }
        if let Some(near) = numbers::nearest(statement, number, pages).filter(|c| c.slip && c.shared > 0) {
            let nearest = Some(Nearest { message: near.message, text: near.line });
            self.find(Verdict::False, "count", statement, words, "no message has this number".into(), nearest);
        }
    }

    /// A name, version or shape with digits: false where nearly the same one stands in a cited message.
    fn name(&mut self, statement: &Statement, scope: &Scope<'_>, number: &Stated) {
        let words = name_around(&statement.text, number.figure.span.start);
        let wanted = plain(words);
        let telling = words.chars().filter(|c| c.is_alphanumeric()).count() > 3;
        if !telling || self.log.pages().any(|(_, page)| page.plain.contains(&wanted)) {
            return;
        }
        let near =
            scope.pages().into_iter().find_map(|(n, page)| Some((n, numbers::same_but_digits(&wanted, &page.plain)?)));
        if let Some((message, text)) = near.filter(|_| self.strict) {
            let nearest = Some(Nearest { message, text });
            self.find(Verdict::False, "name", statement, words, "no message has this name".into(), nearest);
        }
    }

    fn in_its_row(&mut self, statement: &Statement, scope: &Scope<'_>, number: &Stated, words: &str) {
        let pages = scope.pages();
        let wrong = (self.strict && number.role == Role::Figure && !number.computed)
            .then(|| numbers::misplaced(statement, number, &pages))
            .flatten();
        match wrong {
            None => self.held(),
            Some((message, text)) => {
                let reason = "the log prints another figure in this row".to_string();
                self.find(
                    Verdict::False,
                    "figure-misplaced",
                    statement,
                    words,
                    reason,
                    Some(Nearest { message, text }),
                );
            }
        }
    }

    /// A figure with †: recomputed where it is a plain ratio, difference or percentage of its neighbours.
    fn computed(&mut self, statement: &Statement, number: &Stated, words: &str) {
        if numbers::computable(statement, number) {
            return self.held();
        }
        match numbers::promised_ratio(statement, number) {
            Some(ratio) => {
                let reason = format!("the two figures before it give {}", as_printed(ratio, number.figure.decimals));
                self.find(Verdict::False, "computed", statement, words, reason, None);
            }
            None => {
                let reason = "computed by the author from figures that are not in this sentence".to_string();
                self.find(Verdict::NotCheckable, "computed", statement, words, reason, None);
            }
        }
    }

    fn clock(&mut self, statement: &Statement, scope: &Scope<'_>, number: &Stated) {
        let words = clock_around(&statement.text, number.figure.span.start);
        let span = number.figure.span;
        let holds = |page: &Page| page.raw.contains(words);
        match scope.stand(span, holds) {
            Stand::Here | Stand::Beside(_) => self.held(),
            Stand::Missing if statement.text[span.start..].starts_with(words) && !number.computed => {
                let anywhere = self.log.pages().any(|(_, page)| holds(page));
                let computed = statement.text[span.start + words.len()..].starts_with('†');
                if anywhere || computed {
                    return self.held();
                }
                self.find(Verdict::NotShown, "figure", statement, words, "no message has this time".into(), None);
            }
            Stand::Missing => {}
        }
    }

    fn missing_number(&mut self, statement: &Statement, scope: &Scope<'_>, number: &Stated, words: &str) {
        let pages = scope.pages();
        let bound = scope.cites() && (self.strict || scope.tight(number.figure.span));
        let own = number.approx || number.unit.is_some_and(|u| u.dimension == Dimension::Factor);
        if names_message(number, self.log) {
            return;
        }
        let elsewhere = numbers::elsewhere(self.log, number);
        if number.role == Role::Count {
            return self.count(statement, number, &pages, elsewhere.is_none(), words);
        }
        if elsewhere.is_some() && !(self.strict && scope.cites() && !own) {
            return self.held();
        }
        if !self.strict && numbers::computable(statement, number) {
            return self.held();
        }
        let near = numbers::nearest(statement, number, &pages);
        let meant =
            near.as_ref().is_some_and(|c| c.slip && (self.strict || c.shared > 0) || self.strict && c.shared > 1);
        let nearest = near.map(|c| Nearest { message: c.message, text: c.line });
        if let Some(at) = elsewhere {
            let reason = format!("stands in message {at}, not in the ones cited");
            let nearest = nearest.or(Some(Nearest { message: at, text: words.to_string() }));
            self.find(Verdict::False, "figure-elsewhere", statement, words, reason, nearest);
        } else if bound && meant && !own {
            self.find(Verdict::False, "figure", statement, words, "no message has this figure".into(), nearest);
        } else if own {
            let reason = "a rounded or computed figure; nothing in the log gives it directly".to_string();
            self.find(Verdict::NotCheckable, "figure", statement, words, reason, nearest);
        } else {
            self.find(Verdict::NotShown, "figure", statement, words, "no message has this figure".into(), nearest);
        }
    }
}

/// Whether a word of speech stands shortly before a quotation.
fn spoken(statement: &Statement, quote: &Quote) -> bool {
    let before = &statement.text[..quote.span.start];
    let from = before.char_indices().rev().nth(60).map_or(0, |(n, _)| n);
    SPEECH.is_match(&before[from..])
}

/// The figure with its unit and the words around it.
fn phrase(statement: &Statement, number: &Stated) -> String {
    let text = &statement.text;
    let span = number.figure.span;
    let start = text[..span.start].char_indices().rev().filter(|(_, c)| *c == ' ').nth(3).map_or(0, |(n, _)| n + 1);
    let end =
        text[span.end..].char_indices().filter(|(_, c)| *c == ' ').nth(2).map_or(text.len(), |(n, _)| span.end + n);
    text[start..end].to_string()
}

/// The word around a byte, without the punctuation at its ends.
fn name_around(text: &str, at: usize) -> &str {
    let start =
        text[..at].rfind(char::is_whitespace).map_or(0, |n| n + text[n..].chars().next().map_or(1, char::len_utf8));
    let end = text[at..].find(char::is_whitespace).map_or(text.len(), |n| at + n);
    text[start..end].trim_matches(|c: char| !c.is_alphanumeric())
}

/// The whole `28:09` or `08:37:03` around a byte.
fn clock_around(text: &str, at: usize) -> &str {
    let inside = |c: char| c.is_ascii_digit() || c == ':';
    let start = text[..at].rfind(|c| !inside(c)).map_or(0, |n| n + text[n..].chars().next().map_or(1, char::len_utf8));
    let end = text[at..].find(|c| !inside(c)).map_or(text.len(), |n| at + n);
    text[start..end].trim_matches(':')
}

fn as_printed(value: f64, decimals: u8) -> String {
    format!("{value:.*}", usize::from(decimals))
}

fn one_digit_apart(a: u32, b: u32) -> bool {
    let (a, b) = (a.to_string(), b.to_string());
    a.len() == b.len() && a.bytes().zip(b.bytes()).filter(|(x, y)| x != y).count() == 1
}
