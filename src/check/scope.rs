//! Which messages a statement rests on, and which of them a quotation or figure in it is bound to.
//!
//! A reference supports what stands before it as far back as the reference before; one that is part of the sentence
//! ("In message 48 …") also what follows. So an item may lean on the nearest reference on either side. A reference
//! directly behind an item binds it alone.

use super::{
    log::{Log, Page},
    read::Statement,
    references::{Cite, Form},
};
use crate::base::span::ByteSpan;

/// References that stand together.
struct Group {
    span: ByteSpan,
    form: Form,
    messages: Vec<u32>,
}

/// The messages of a statement.
pub struct Scope<'a> {
    log: &'a Log<'a>,
    statement: &'a Statement,
    groups: Vec<Group>,
    lead: Vec<u32>,
    loose: Vec<u32>,
}

/// Where an item of a statement was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stand {
    /// In a message that it is bound to.
    Here,
    /// Only in this message, which the statement cites for something else.
    Beside(u32),
    /// In none of the statement's messages.
    Missing,
}

impl<'a> Scope<'a> {
    /// The messages of a statement.
    pub fn new(log: &'a Log<'a>, statement: &'a Statement) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        for cite in statement.cites.iter().filter(|c| c.form != Form::Searched) {
            let messages = named(log, cite);
            match groups.last_mut() {
                Some(last) if together(&statement.text, last, cite) => {
                    last.span.end = last.span.end.max(cite.span.end);
                    last.messages.extend(messages);
                }
                _ => groups.push(Group { span: cite.span, form: cite.form, messages }),
            }
        }
        let lead = statement.lead.iter().filter(|c| c.form != Form::Searched).flat_map(|c| named(log, c)).collect();
        let whole = |n: &&super::figures::Stated| n.unit.is_none() && n.figure.decimals == 0;
        let loose =
            statement.numbers.iter().filter(whole).map(|n| n.figure.value as u32).filter(|n| log.has(*n)).collect();
        Self { log, statement, groups, lead, loose }
    }

    /// Whether the statement cites any message, itself or by its table's lead.
    pub fn cites(&self) -> bool {
        !self.groups.is_empty() || !self.lead.is_empty()
    }

    /// All messages that it cites, itself or by its table's lead.
    pub fn messages(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.groups.iter().flat_map(|g| &g.messages).chain(&self.lead).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Pages of the messages that it cites.
    pub fn pages(&self) -> Vec<(u32, &'a Page)> {
        self.messages().into_iter().filter_map(|n| Some((n, self.log.page(n)?))).collect()
    }

    /// Where an item stands.
    pub fn stand(&self, item: ByteSpan, holds: impl Fn(&Page) -> bool) -> Stand {
        let any = |messages: &[u32]| messages.iter().copied().find(|n| self.log.page(*n).is_some_and(&holds));
        if let Some(bound) = self.behind(item) {
            if any(&bound.messages).is_some() {
                return Stand::Here;
            }
            return self.beside(&any).map_or(self.fallback(&any), Stand::Beside);
        }
        let row = !self.statement.cells.is_empty();
        let after = self.groups.iter().position(|g| g.span.start >= item.end);
        let before = self.groups.iter().rposition(|g| g.span.end <= item.start);
        let near = |i: usize| row || Some(i) == after || Some(i) == before;
        if self.groups.iter().enumerate().any(|(i, g)| near(i) && any(&g.messages).is_some()) {
            return Stand::Here;
        }
        match self.fallback(&any) {
            Stand::Here => Stand::Here,
            _ => self.beside(&any).map_or(Stand::Missing, Stand::Beside),
        }
    }

    fn beside(&self, any: &impl Fn(&[u32]) -> Option<u32>) -> Option<u32> {
        self.groups.iter().find_map(|g| any(&g.messages))
    }

    fn fallback(&self, any: &impl Fn(&[u32]) -> Option<u32>) -> Stand {
        let found = any(&self.lead).or_else(|| any(&self.loose));
        found.map_or(Stand::Missing, |_| Stand::Here)
    }

    /// Whether a reference stands directly behind an item.
    pub fn tight(&self, item: ByteSpan) -> bool {
        self.behind(item).is_some()
    }

    fn behind(&self, item: ByteSpan) -> Option<&Group> {
        let group = self.groups.iter().find(|g| g.span.start >= item.end)?;
        let between = &self.statement.text[item.end..group.span.start];
        let words = between.trim_matches(|c: char| !c.is_alphanumeric() && c != '%' && c != '|');
        let joined = !between.contains(['|', ';', ',']) && between.len() <= 24;
        let unit = words.split_whitespace().count() <= 1 && words.chars().count() <= 8;
        (joined && unit && matches!(group.form, Form::Bracket | Form::Bare)).then_some(group)
    }
}

fn named(log: &Log<'_>, cite: &Cite) -> Vec<u32> {
    let mut all = Vec::new();
    for (from, to) in &cite.runs {
        match from == to {
            true if log.has(*from) => all.push(*from),
            true => {}
            false => all.extend(log.session().messages.iter().map(|m| m.number).filter(|n| (from..=to).contains(&n))),
        }
    }
    all
}

/// Neighbouring references count as one: `[msg 4], [msg 5]`, `([msg 4] through [msg 9])`.
fn together(text: &str, last: &Group, next: &Cite) -> bool {
    let Some(between) = text.get(last.span.end..next.span.start) else { return true };
    let words = between.trim_matches(|c: char| !c.is_alphanumeric() && c != '|');
    matches!(words, "" | "and" | "to" | "through" | "or")
}
